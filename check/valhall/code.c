/* See code.h. The facts about messages are stated here a second time, from the description and
 * the rules of the machine, so that the compiler and the checkers can disagree. */
#include "check/valhall/code.h"
#include "ir/diagnostics.h"
#include <norn/valhall.h>
#include <string.h>

/* The slots that each flow waits for. */
static const uint8_t waits[] = {
#define ROW(flow, slots) [NORN_VALHALL_FLOW_##flow] = slots,
    NORN_VALHALL_WAITS(ROW)
#undef ROW
};

/* The instruction that each word was made from. */
static uint32_t *
find_origins(const NornCheckInput *input) {
  const NornFunction *function = input->packed;
  uint32_t *origin = g_new(uint32_t, input->count), count = 0;
  if (function)
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, inst) {
        bool is_word = norn_is_machine(norn_inst(function, inst));
        if (is_word && count < input->count)
          origin[count] = inst;
        count += is_word;
      }
  if (count == input->count)
    return origin;
  g_free(origin);
  return NULL;
}

bool
norn_code_error(const NornCode *code, uint32_t inst, GError **error, const char *format, ...) {
  char text[NORN_ISA_LINE] = "", *comment;
  va_list arguments;
  va_start(arguments, format);
  char *message = norn_format_message(format, arguments);
  va_end(arguments);
  if (inst < code->input->count)
    norn_isa_print(code->isa, code->input->architecture, code->input->words[inst],
                   NORN_ISA_PRINT_NO_VERIFY | NORN_ISA_PRINT_OFFSETS, text);
  if ((comment = strstr(text, " ;")))
    *comment = 0;
  const NornInst *packed = code->origin ? norn_inst(code->input->packed, code->origin[inst]) : NULL;
  if (packed && packed->line)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s:%u:%u: 0x%x (%s): %s",
                code->input->packed->module->filename, packed->line, MAX(packed->column, 1u),
                inst * 8, text, message);
  else
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "0x%x (%s): %s", inst * 8, text, message);
  g_free(message);
  return false;
}

/* --- Operands --- */

static NornCodeSource
decode_source(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
              uint64_t word) {
  const NornIsaCode *code = norn_isa_operand_code(isa, encoding, operand, word);
  NornCodeSource source = {.kind = code->kind,
                           .is_last_use = code->kind == NORN_ISA_CODE_LAST,
                           .words = MAX(operand->words, 1),
                           .words_read = MAX(operand->words, 1),
                           .number = code->number,
                           .value = code->value};
  const NornIsaField *field =
      operand->words == 2 ? norn_isa_operand_swizzle(encoding, operand) : NULL;
  if (!field)
    return source;
  uint32_t value = norn_isa_extract(field, word);
  const NornIsaSwizzle *part = norn_isa_swizzle(isa, field, value);
  if (part->bits && isa->amounts[field->amounts + value] == 1) {
    source.words_read = 1;
    source.first_read = (uint8_t)(part->bits * part->index[0] / 32);
  }
  return source;
}

static bool
decode_group(const NornIsa *isa, const NornIsaOperand *operand, const NornWordInst *inst,
             NornCodeGroup *group) {
  unsigned first = norn_isa_operand_code(isa, inst->encoding, operand, inst->word)->number;
  unsigned count = norn_isa_operand_words(isa, inst->encoding, operand, inst->word);
  *group = (NornCodeGroup){(uint8_t)first, (uint8_t)count};
  return first + count <= NORN_VALHALL_REGISTERS;
}

static bool
decode_operands(const NornIsa *isa, NornWordInst *inst) {
  const NornIsaEncoding *encoding = inst->encoding;
  for (unsigned k = 0; k < encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    bool ok = true;
    switch (operand->role) {
    case NORN_ISA_OPERAND_DESTINATION:
      ok = decode_group(isa, operand, inst, &inst->destination);
      break;
    case NORN_ISA_OPERAND_STAGING_BOTH:
      ok = decode_group(isa, operand, inst, &inst->staging_read);
      inst->staging_write = inst->staging_read;
      break;
    case NORN_ISA_OPERAND_STAGING_READ:
      ok = decode_group(isa, operand, inst, &inst->staging_read);
      break;
    case NORN_ISA_OPERAND_STAGING_WRITE:
      ok = decode_group(isa, operand, inst, &inst->staging_write);
      break;
    case NORN_ISA_OPERAND_SOURCE:
      ok = inst->source_count < NORN_CODE_SOURCES;
      if (ok)
        inst->sources[inst->source_count++] = decode_source(isa, encoding, operand, inst->word);
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

/* --- Messages --- */

/* The number of bytes of an access, by the memory_width of its instruction. */
static const uint8_t access_bytes[] = {1, 2, 3, 4, 6, 8, 12, 16};

/* The effect of an atomic access whose result is not returned: two accesses with the same number
 * are indistinguishable. */
static uint32_t
decode_combination(const NornWordInst *inst) {
  static const uint16_t blind[] = {NORN_VALHALL_ATOM_I32, NORN_VALHALL_ATOM_I64,
                                   NORN_VALHALL_ATOM1_I32, NORN_VALHALL_ATOM1_I64};
  for (unsigned k = 0; k < G_N_ELEMENTS(blind); k++)
    if (inst->instruction == blind[k])
      return (uint32_t)inst->instruction << 16 |
             (norn_isa_field_get(inst->encoding, NORN_VALHALL_FIELD_OPERATION, inst->word) + 1);
  return 0;
}

/* The source of an address is the first of two words. */
static void
decode_address(NornWordInst *inst) {
  uint32_t width = norn_isa_field_value(inst->encoding, NORN_VALHALL_FIELD_MEMORY_WIDTH, inst->word,
                                        G_N_ELEMENTS(access_bytes));
  if (width >= G_N_ELEMENTS(access_bytes))
    return;
  for (unsigned k = 0; k < inst->source_count && !inst->has_address; k++)
    if (inst->sources[k].words == 2) {
      inst->has_address = true;
      inst->address_source = (uint8_t)k;
    }
  inst->memory.start =
      norn_isa_immediate_of_field(inst->encoding, NORN_VALHALL_FIELD_OFFSET, inst->word);
  inst->memory.end = inst->memory.start + access_bytes[width];
}

static void
decode_varying(NornWordInst *inst) {
  uint32_t format = norn_isa_field_get_or(inst->encoding, NORN_VALHALL_FIELD_SOURCE_FORMAT,
                                          inst->word, NORN_VALHALL_SOURCE_FORMAT_SRC_F32);
  uint32_t update = norn_isa_field_get(inst->encoding, NORN_VALHALL_FIELD_UPDATE_MODE, inst->word);
  if (format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT16 ||
      format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT32)
    return;
  inst->memory.spaces = NORN_SPACE_VARYING;
  inst->memory.reads = true;
  inst->memory.writes = update != NORN_VALHALL_UPDATE_MODE_RETRIEVE;
}

static void
decode_tile(NornWordInst *inst) {
  bool is_coverage =
      inst->instruction == NORN_VALHALL_ATEST || inst->instruction == NORN_VALHALL_ZS_EMIT;
  inst->wait_before = is_coverage ? NORN_CODE_DEPTH_ORDER : NORN_CODE_TILE_ORDER;
  if (is_coverage)
    inst->allowed_slots = 1;
  else
    inst->memory = (NornFootprint){.spaces = NORN_SPACE_OUTPUT, .reads = true, .writes = true};
  if (inst->instruction == NORN_VALHALL_ATEST)
    inst->wait_on_self = 1;
}

/* The memory spaces that the address of a load, store or atomic may point to, by its access. */
static uint8_t
decode_spaces(const NornWordInst *inst) {
  switch (norn_isa_field_get_or(inst->encoding, NORN_VALHALL_FIELD_ACCESS, inst->word, 0)) {
  case NORN_VALHALL_ACCESS_FORCE:
    return NORN_SPACE_THREAD;
  case NORN_VALHALL_ACCESS_ISTREAM:
  case NORN_VALHALL_ACCESS_ESTREAM:
    return NORN_SPACE_OUTPUT;
  default:
    return NORN_SPACE_GLOBAL;
  }
}

static void
decode_message(NornWordInst *inst) {
  uint32_t flags = inst->encoding->flags;
  inst->is_message = flags & NORN_VALHALL_FLAG_MESSAGE;
  if (!inst->is_message)
    return;
  inst->slot =
      (uint8_t)norn_isa_field_value(inst->encoding, NORN_VALHALL_FIELD_SLOT, inst->word, 0);
  inst->allowed_slots = (1u << NORN_VALHALL_FREE_SLOTS) - 1;
  if (flags & NORN_VALHALL_FLAG_BARRIER) {
    inst->allowed_slots = inst->wait_on_self = 1u << NORN_VALHALL_BARRIER_SLOT;
    inst->wait_before = NORN_CODE_ALL_SLOTS;
  } else if (flags & NORN_VALHALL_FLAG_TILE) {
    decode_tile(inst);
  } else if (norn_isa_field_exists(inst->encoding, NORN_VALHALL_FIELD_UPDATE_MODE)) {
    decode_varying(inst);
  } else {
    bool descriptor =
        inst->instruction == NORN_VALHALL_LD_TEX || inst->instruction == NORN_VALHALL_LD_TEX_IMM;
    inst->memory = (NornFootprint){.spaces = decode_spaces(inst),
                                   .reads = flags & NORN_VALHALL_FLAG_LOAD || descriptor,
                                   .writes = flags & NORN_VALHALL_FLAG_STORE,
                                   .operand = NORN_FOOTPRINT_ANYWHERE,
                                   .combine = decode_combination(inst)};
    decode_address(inst);
  }
}

/* --- Flow --- */

static bool
is_zero(const NornCodeSource *source) {
  return source->kind == NORN_ISA_CODE_CONSTANT && source->value == 0;
}

static bool
is_call(const NornCode *code, uint32_t index) {
  return index < code->count && code->insts[index].instruction == NORN_VALHALL_BRANCHZI;
}

static void
add_successor(NornWordInst *inst, uint32_t index) {
  if (!inst->successor_count || inst->successors[0] != index)
    inst->successors[inst->successor_count++] = index;
}

/* The distance of a branch or of BLEND. */
static int64_t
distance_of(const NornWordInst *inst) {
  return norn_isa_immediate_value(inst->encoding, &inst->encoding->operands[inst->encoding->target],
                                  inst->word);
}

/* Whether the call at `index` returns, that is, the link register that it sets is not 0. */
static bool
comes_back(const NornCode *code, uint32_t index) {
  uint32_t bits;
  return !(index && norn_code_is_constant(&code->insts[index - 1], &bits) && !bits &&
           code->insts[index - 1].destination.first == NORN_VALHALL_PRELOAD_LINK);
}

static bool
find_successors(NornCode *code, uint32_t index, GError **error) {
  NornWordInst *inst = &code->insts[index];
  int64_t target = inst->encoding->target == NORN_ISA_NO_FIELD ? 0 : index + 1 + distance_of(inst);
  inst->target = target;
  switch (inst->instruction) {
  case NORN_VALHALL_BRANCHZ: {
    bool is_eq = norn_isa_field_get(inst->encoding, NORN_VALHALL_FIELD_EQ, inst->word);
    bool is_known = inst->sources[0].kind == NORN_ISA_CODE_CONSTANT;
    bool taken = is_known && is_zero(&inst->sources[0]) == is_eq;
    inst->kind = taken ? NORN_CODE_JUMPS : is_known ? NORN_CODE_GOES_ON : NORN_CODE_BRANCHES;
    break;
  }
  case NORN_VALHALL_BRANCHZI:
    inst->kind = NORN_CODE_CALLS;
    if (comes_back(code, index) && !inst->ends)
      add_successor(inst, index + 1);
    return true;
  case NORN_VALHALL_JUMP_EX:
    return norn_code_error(code, index, error, "its target is unknown");
  case NORN_VALHALL_BLEND:
    inst->kind = target > index + 1 ? NORN_CODE_BRANCHES : NORN_CODE_GOES_ON;
    if (inst->ends) { /* only if the hardware blends */
      if (is_call(code, index + 2))
        add_successor(inst, index + 1);
      return true;
    }
    break;
  default:
    break;
  }
  if (inst->ends)
    return true;
  if (inst->kind != NORN_CODE_JUMPS)
    add_successor(inst, index + 1);
  if (inst->kind == NORN_CODE_JUMPS || inst->kind == NORN_CODE_BRANCHES) {
    if (target < 0 || target >= code->count)
      return norn_code_error(code, index, error, "branches out of the code");
    add_successor(inst, (uint32_t)target);
  }
  return true;
}

bool
norn_code_decode(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
                 NornWordInst *inst) {
  uint32_t flow = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_FLOW, word);
  *inst = (NornWordInst){.encoding = encoding,
                         .word = word,
                         .instruction = encoding->instruction,
                         .waits = flow < G_N_ELEMENTS(waits) ? waits[flow] : 0,
                         .reconverges = flow == NORN_VALHALL_FLOW_RECONVERGE,
                         .discards = flow == NORN_VALHALL_FLOW_DISCARD,
                         .ends = flow == NORN_VALHALL_FLOW_END};
  if (!decode_operands(isa, inst))
    return false;
  decode_message(inst);
  return true;
}

/* An address of constant data depends on the position of the instruction; convert it to the byte
 * that is meant. */
static void
find_data(NornCode *code, uint32_t index) {
  const NornCheckInput *input = code->input;
  NornWordInst *inst = &code->insts[index];
  if (inst->instruction != NORN_VALHALL_IADD_IMM_I32 ||
      inst->sources[0].kind != NORN_ISA_CODE_SPECIAL ||
      inst->sources[0].number != NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0)
    return;
  uint32_t distance = norn_isa_field_get(inst->encoding, NORN_VALHALL_FIELD_CONSTANT, inst->word);
  uint32_t byte = (index + 1) * (uint32_t)sizeof(uint64_t) + distance - input->data_offset;
  inst->is_data = byte < input->data_size;
  if (inst->is_data)
    norn_isa_field_set(inst->encoding, NORN_VALHALL_FIELD_CONSTANT, &inst->word, byte);
}

/* Whether the stage has the instruction and the special values that it reads. */
static bool
check_stage(const NornCode *code, uint32_t index, const NornIsaEncoding *encoding, GError **error) {
  static const struct {
    uint32_t flag;
    NornShaderStage stage;
  } rows[] = {{NORN_VALHALL_FLAG_VERTEX, NORN_STAGE_VERTEX},
              {NORN_VALHALL_FLAG_FRAGMENT, NORN_STAGE_FRAGMENT}};
  uint32_t flags = encoding->flags;
  for (unsigned k = 0; k < encoding->operand_count; k++)
    if (encoding->operands[k].role == NORN_ISA_OPERAND_SOURCE)
      flags |= norn_isa_operand_code(code->isa, encoding, &encoding->operands[k],
                                     code->input->words[index])
                   ->flags;
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
    if (flags & rows[i].flag && code->input->stage != rows[i].stage)
      return norn_code_error(code, index, error, "allowed only in %s programs",
                             norn_stage_name(rows[i].stage));
  return true;
}

static bool
decode_inst(NornCode *code, uint32_t index, GError **error) {
  uint64_t word = code->input->words[index];
  unsigned architecture = code->input->architecture;
  GError *broken = NULL;
  if (!norn_isa_check(code->isa, architecture, word, &broken)) {
    norn_code_error(code, index, error, "%s", broken->message);
    g_error_free(broken);
    return false;
  }
  const NornIsaEncoding *encoding = norn_isa_decode(code->isa, architecture, word);
  if (!check_stage(code, index, encoding, error))
    return false;
  return norn_code_decode(code->isa, encoding, word, &code->insts[index]) ||
         norn_code_error(code, index, error, "names registers that do not exist");
}

/* --- Blocks --- */

static void
find_blocks(NornCode *code) {
  bool *starts = g_new0(bool, code->count + 1);
  starts[0] = true;
  for (uint32_t i = 0; i < code->count; i++) {
    const NornWordInst *inst = &code->insts[i];
    bool is_plain = inst->successor_count == 1 && inst->successors[0] == i + 1;
    for (unsigned k = 0; k < inst->successor_count; k++)
      starts[inst->successors[k]] |= !is_plain;
    starts[i + 1] |= !is_plain;
  }
  code->blocks = g_new0(NornCodeBlock, code->count);
  code->block_of = g_new(uint32_t, code->count);
  for (uint32_t i = 0; i < code->count; i++) {
    if (starts[i])
      code->blocks[code->block_count++].first = i;
    code->block_of[i] = code->block_count - 1;
    code->blocks[code->block_count - 1].end = i + 1;
  }
  for (uint32_t b = 0; b < code->block_count; b++) {
    NornCodeBlock *block = &code->blocks[b];
    const NornWordInst *last = &code->insts[block->end - 1];
    block->successor_count = last->successor_count;
    for (unsigned k = 0; k < last->successor_count; k++)
      block->successors[k] = code->block_of[last->successors[k]];
  }
  g_free(starts);
}

bool
norn_code_init(NornCode *code, const NornCheckInput *input, GError **error) {
  *code = (NornCode){
      .input = input,
      .isa = norn_isa_find("valhall"),
      .insts = g_new0(NornWordInst, input->count),
      .count = input->count,
      .origin = find_origins(input),
  };
  for (uint32_t i = 0; i < code->count; i++) {
    if (!decode_inst(code, i, error))
      return false;
    find_data(code, i);
  }
  for (uint32_t i = 0; i < code->count; i++) {
    if (!find_successors(code, i, error))
      return false;
    for (unsigned k = 0; k < code->insts[i].successor_count; k++)
      if (code->insts[i].successors[k] >= code->count)
        return norn_code_error(code, i, error, "the program runs past its end");
  }
  find_blocks(code);
  return true;
}

void
norn_code_clear(NornCode *code) {
  g_free(code->insts);
  g_free(code->blocks);
  g_free(code->block_of);
  g_free(code->origin);
  *code = (NornCode){0};
}

/* --- Queries --- */

uint64_t
norn_code_reads(const NornWordInst *inst) {
  uint64_t registers = norn_code_group(inst->staging_read);
  for (unsigned k = 0; k < inst->source_count; k++)
    registers |= norn_code_source_reads(&inst->sources[k]);
  return registers;
}

uint64_t
norn_code_marks(const NornWordInst *inst) {
  uint64_t registers = 0;
  for (unsigned k = 0; k < inst->source_count; k++)
    if (inst->sources[k].is_last_use)
      registers |= norn_code_source_registers(&inst->sources[k]);
  return registers;
}

uint64_t
norn_code_writes(const NornWordInst *inst) {
  return norn_code_group(inst->destination) | norn_code_group(inst->staging_write) |
         (inst->kind == NORN_CODE_CALLS ? NORN_VALHALL_BLEND_CLOBBERS : 0);
}

uint64_t
norn_code_operand_bits(const NornIsaEncoding *encoding) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    if (operand->role <= NORN_ISA_OPERAND_STAGING_BOTH || operand->role == NORN_ISA_OPERAND_TARGET)
      bits |= norn_isa_insert(&encoding->fields[operand->field], UINT64_MAX);
  }
  static const uint16_t others[] = {NORN_VALHALL_FIELD_FLOW, NORN_VALHALL_FIELD_SLOT,
                                    NORN_VALHALL_FIELD_FAU_PAGE};
  for (unsigned k = 0; k < G_N_ELEMENTS(others); k++)
    if (norn_isa_field_exists(encoding, others[k]))
      bits |= norn_isa_insert(norn_isa_field(encoding, others[k]), UINT64_MAX);
  return bits;
}

/* Whether only operands and the bits of `ignored` differ from the defaults. */
static bool
is_plain(const NornWordInst *inst, unsigned instruction, uint64_t ignored) {
  return inst->instruction == instruction && !((inst->word ^ inst->encoding->word) &
                                               ~norn_code_operand_bits(inst->encoding) & ~ignored);
}

bool
norn_code_is_move(const NornWordInst *inst) {
  return is_plain(inst, NORN_VALHALL_MOV_I32, 0);
}

bool
norn_code_is_pair_move(const NornWordInst *inst) {
  if (inst->instruction != NORN_VALHALL_IADD_U64)
    return false;
  const NornCodeSource *source = &inst->sources[0];
  uint64_t parts =
      norn_isa_insert(norn_isa_field(inst->encoding, NORN_VALHALL_FIELD_SWIZZLE0), UINT64_MAX) |
      norn_isa_insert(norn_isa_field(inst->encoding, NORN_VALHALL_FIELD_SWIZZLE1), UINT64_MAX);
  unsigned words = source->kind == NORN_ISA_CODE_CONSTANT ? 1 : 2;
  return is_plain(inst, NORN_VALHALL_IADD_U64, parts) && is_zero(&inst->sources[1]) &&
         source->first_read == 0 && source->words_read == words;
}

bool
norn_code_is_xor(const NornWordInst *inst) {
  return is_plain(inst, NORN_VALHALL_LSHIFT_XOR_I32, 0) && is_zero(&inst->sources[1]) &&
         norn_code_is_register(&inst->sources[0]) && norn_code_is_register(&inst->sources[2]);
}

/* Whether a float sum with 0 is bitwise equal to the constant. */
static bool
is_normal_float(uint32_t bits) {
  uint32_t exponent = bits >> 23 & 0xFF;
  return exponent != 0 && exponent != 0xFF;
}

bool
norn_code_is_constant(const NornWordInst *inst, uint32_t *bits) {
  bool is_float = inst->instruction == NORN_VALHALL_FADD_IMM_F32;
  if ((inst->instruction != NORN_VALHALL_IADD_IMM_I32 && !is_float) || !is_zero(&inst->sources[0]))
    return false;
  const NornIsaField *field = norn_isa_field(inst->encoding, NORN_VALHALL_FIELD_CONSTANT);
  *bits = norn_isa_extract(field, inst->word);
  return is_plain(inst, inst->instruction, norn_isa_insert(field, UINT64_MAX)) &&
         (!is_float || is_normal_float(*bits));
}

bool
norn_code_reads_neighbors(const NornIsaEncoding *encoding, uint64_t word) {
  if (encoding->flags & NORN_VALHALL_FLAG_BARRIER)
    return false;
  if (encoding->flags & NORN_VALHALL_FLAG_CROSSLANE)
    return true;
  if (!(encoding->flags & NORN_VALHALL_FLAG_TEXTURE) ||
      encoding->instruction == NORN_VALHALL_TEX_FETCH ||
      encoding->instruction == NORN_VALHALL_TEX_GATHER)
    return false;
  uint32_t mode = norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_LOD_MODE, word,
                                        NORN_VALHALL_LOD_MODE_COMPUTED);
  bool is_explicit = mode == NORN_VALHALL_LOD_MODE_ZERO || mode == NORN_VALHALL_LOD_MODE_EXPLICIT ||
                     mode == NORN_VALHALL_LOD_MODE_GRDESC;
  return !is_explicit &&
         !norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_DERIVATIVE_ENABLE, word, 0);
}
