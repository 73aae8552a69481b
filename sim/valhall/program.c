/* Decodes Valhall code for the simulator.
 *
 * Everything that is the same for all lanes and all executions is computed here: encodings,
 * modifiers, uniform words, constants, addresses. */
#include "sim/valhall/program.h"
#include "ir/assert.h"
#include "ir/diagnostics.h"
#include "ir/numeric.h"
#include "isa/valhall_abi.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "sim/valhall/action.h"
#include "sim/valhall/special.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <string.h>

/* In a program with more branches, lanes are run only in the default order. */
#define MAX_BRANCHES 1024

/* The slots that each flow waits for. */
static const uint8_t waits[] = {
#define ROW(flow, slots) [NORN_VALHALL_FLOW_##flow] = slots,
    NORN_VALHALL_WAITS(ROW)
#undef ROW
};

static void
decode_flow(NornValhallSimInstruction *instruction) {
  uint32_t flow = norn_valhall_field(instruction, NORN_VALHALL_FIELD_FLOW);
  instruction->reconverges = flow == NORN_VALHALL_FLOW_RECONVERGE;
  instruction->discards = flow == NORN_VALHALL_FLOW_DISCARD;
  instruction->ends = flow == NORN_VALHALL_FLOW_END;
  instruction->waits = flow < G_N_ELEMENTS(waits) ? waits[flow] : 0;
}

static NornUnit
unit_of(const NornIsa *isa, const NornIsaEncoding *encoding) {
  static const char *const names[] = {
#define UNIT(id, name) name,
      NORN_UNITS(UNIT)
#undef UNIT
  };
  if (encoding->unit < isa->unit_count)
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
      if (strcmp(norn_isa_string(isa, isa->units[encoding->unit].name), names[i]) == 0)
        return (NornUnit)i;
  return NORN_UNIT_NONE;
}

/* Records why the instruction cannot be executed; always returns false. */
static bool
G_GNUC_PRINTF(3, 4)
    fail(NornValhallSimInstruction *instruction, NornValhallTrap kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  instruction->fault = norn_format_message(format, arguments);
  instruction->fault_kind = kind;
  va_end(arguments);
  return false;
}

/* The registers that a blend shader may read in addition to those that it may change. */
#define BLEND_READS                                                                                \
  (NORN_VALHALL_BLEND_CLOBBERS | UINT64_C(1) << NORN_VALHALL_PRELOAD_COVERAGE |                    \
   UINT64_C(1) << NORN_VALHALL_PRELOAD_SAMPLE)

/* Whether registers `first` to `first + count - 1` exist and are available to the program: its
 * number of threads may limit them, and a blend shader may not use its caller's. */
static bool
check_registers(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction,
                unsigned first, unsigned count, bool is_written) {
  const NornCompileInfo *info = program->launch->info;
  for (unsigned reg = first; reg < first + count; reg++) {
    if (reg >= NORN_VALHALL_REGISTERS)
      return fail(instruction, NORN_VALHALL_TRAP_ILLEGAL_INSTRUCTION, "r%u does not exist", reg);
    if (instruction->index >= program->own_count) {
      if (!((is_written ? NORN_VALHALL_BLEND_CLOBBERS : BLEND_READS) >> reg & 1))
        return fail(instruction, NORN_VALHALL_TRAP_BLEND_REGISTER,
                    "a blend shader must not %s r%u, which belongs to its caller",
                    is_written ? "change" : "read", reg);
      continue;
    }
    if (info && info->threads > 1 && !(NORN_VALHALL_SMALL_FILE >> reg & 1))
      return fail(instruction, NORN_VALHALL_TRAP_REGISTER_LIMIT,
                  "r%u is not available to a program that runs with %u threads", reg,
                  info->threads);
  }
  return true;
}

/* A uniform: `words` words from word `first` on. */
static bool
decode_uniform(const NornLaunch *launch, NornValhallSimInstruction *instruction, unsigned first,
               unsigned words, uint64_t *value) {
  size_t count = norn_launch_uniform_count(launch);
  *value = 0;
  for (unsigned i = 0; i < words; i++) {
    if (first + i >= count)
      return fail(instruction, NORN_VALHALL_TRAP_UNIFORM_LIMIT,
                  "uniform word %u is read, but the launch has only %zu", first + i, count);
    *value |= (uint64_t)launch->uniforms[first + i] << 32 * i;
  }
  return true;
}

static bool
decode_special(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction,
               const NornIsaOperand *operand, const NornIsaCode *code,
               NornValhallSimSource *source) {
  NornShaderStage stage = norn_valhall_stage_of(code->flags);
  if (stage != NORN_STAGE_COUNT && stage != program->launch->stage)
    return fail(instruction, NORN_VALHALL_TRAP_WRONG_STAGE,
                "reads a special value that is allowed only in %s programs",
                norn_stage_name(stage));
  g_autofree char *unknown = norn_valhall_decode_special(
      program->isa, program, operand, code->number, instruction->index + 1, source);
  return !unknown || fail(instruction, NORN_VALHALL_TRAP_NOT_MODELED, "%s", unknown);
}

static bool
decode_source(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction,
              const NornIsaOperand *operand, const NornIsaCode *code,
              NornValhallSimSource *source) {
  source->words = MAX(operand->words, 1);
  switch (code->kind) {
  case NORN_ISA_CODE_REGISTER:
  case NORN_ISA_CODE_LAST:
    source->kind = NORN_VALHALL_SOURCE_REGISTER;
    source->reg = (uint8_t)code->number;
    source->last_use = code->kind == NORN_ISA_CODE_LAST;
    return check_registers(program, instruction, code->number, source->words, false);
  case NORN_ISA_CODE_UNIFORM:
    return decode_uniform(program->launch, instruction, code->number, source->words,
                          &source->value);
  case NORN_ISA_CODE_CONSTANT:
    source->value = code->value;
    return true;
  case NORN_ISA_CODE_SPECIAL:
    return decode_special(program, instruction, operand, code, source);
  default:
    return fail(instruction, NORN_VALHALL_TRAP_ILLEGAL_INSTRUCTION, "a source is a reserved code");
  }
}

static int64_t
decode_distance(const NornIsaEncoding *encoding, const NornIsaOperand *operand, uint64_t word) {
  const NornIsaField *field = &encoding->fields[operand->field];
  uint64_t value = norn_isa_extract(field, word);
  return operand->is_signed ? norn_int_sign_extend(value, norn_isa_field_width(field))
                            : (int64_t)value;
}

static bool
decode_group(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction,
             const NornIsaOperand *operand, bool is_written, NornValhallSimGroup *group) {
  const NornIsaEncoding *encoding = instruction->encoding;
  uint64_t word = instruction->word;
  unsigned first = norn_isa_operand_code(program->isa, encoding, operand, word)->number;
  unsigned count = norn_isa_operand_words(program->isa, encoding, operand, word);
  *group = (NornValhallSimGroup){(uint8_t)first, (uint8_t)count};
  if (count > NORN_VALHALL_STAGING)
    return fail(instruction, NORN_VALHALL_TRAP_NOT_MODELED,
                "groups of %u registers are not modeled", count);
  return check_registers(program, instruction, first, count, is_written);
}

static bool
decode_operand(const NornValhallSimProgram *program, const NornIsaOperand *operand,
               NornValhallSimInstruction *instruction) {
  const NornIsaEncoding *encoding = instruction->encoding;
  bool ok;
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
    return decode_group(program, instruction, operand, true, &instruction->destination);
  case NORN_ISA_OPERAND_SOURCE:
    if (instruction->source_count == NORN_VALHALL_SOURCES)
      return fail(instruction, NORN_VALHALL_TRAP_NOT_MODELED, "has too many sources");
    return decode_source(program, instruction, operand,
                         norn_isa_operand_code(program->isa, encoding, operand, instruction->word),
                         &instruction->source[instruction->source_count++]);
  case NORN_ISA_OPERAND_STAGING_READ:
    return decode_group(program, instruction, operand, false, &instruction->staging_read);
  case NORN_ISA_OPERAND_STAGING_WRITE:
    return decode_group(program, instruction, operand, true, &instruction->staging_write);
  case NORN_ISA_OPERAND_STAGING_BOTH:
    ok = decode_group(program, instruction, operand, true, &instruction->staging_read);
    instruction->staging_write = instruction->staging_read;
    return ok;
  case NORN_ISA_OPERAND_TARGET:
    instruction->target = true;
    instruction->distance = decode_distance(encoding, operand, instruction->word);
    return true;
  default:
    return true;
  }
}

/* Records an error as the instruction's fault; always returns false. */
static bool
fail_with(NornValhallSimInstruction *instruction, NornValhallTrap kind, GError *error) {
  fail(instruction, kind, "%s", error->message);
  g_error_free(error);
  return false;
}

/* Whether a message leaves alone what it stages itself: that is in flight when its sources drop. */
static bool
check_own_staging(NornValhallSimInstruction *instruction) {
  const NornValhallSimGroup *group = &instruction->staging_read;
  for (unsigned i = 0; i < group->count; i++)
    if (instruction->drops >> (group->first + i) & 1)
      return fail(instruction, NORN_VALHALL_TRAP_STAGED_LAST_USE,
                  "r%u is marked as last used, but it is a staging register", group->first + i);
  return true;
}

/* Whether each register that a source drops is dropped by the later sources that read it, too. */
static bool
check_own_last_uses(NornValhallSimInstruction *instruction) {
  uint64_t dropped = 0;
  for (unsigned k = 0; k < instruction->source_count; k++) {
    const NornValhallSimSource *source = &instruction->source[k];
    uint64_t registers = source->kind == NORN_VALHALL_SOURCE_REGISTER
                             ? ((UINT64_C(1) << source->words) - 1) << source->reg
                             : 0;
    if (registers & dropped && !source->last_use)
      return fail(instruction, NORN_VALHALL_TRAP_LAST_USED,
                  "r%d is marked as last used, but a later source reads it without the mark",
                  __builtin_ctzll(registers & dropped));
    dropped |= source->last_use ? registers : 0;
  }
  return true;
}

static bool
decode_instruction(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction) {
  const NornIsa *isa = program->isa;
  GError *error = NULL;
  if (!norn_isa_check(isa, program->architecture, instruction->word, &error))
    return fail_with(instruction, NORN_VALHALL_TRAP_ILLEGAL_INSTRUCTION, error);
  const NornIsaEncoding *encoding = norn_isa_decode(isa, program->architecture, instruction->word);
  instruction->encoding = encoding;
  instruction->unit = (uint8_t)unit_of(isa, encoding);
  decode_flow(instruction);
  instruction->slot =
      (uint8_t)norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_SLOT, instruction->word, 0);
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (!decode_operand(program, &encoding->operands[i], instruction))
      return false;
  return norn_valhall_decode_action(isa, instruction, &error)
             ? check_own_staging(instruction) && check_own_last_uses(instruction)
             : fail_with(instruction, NORN_VALHALL_TRAP_NOT_MODELED, error);
}

/* Assigns `words` registers, from an even one on, to an operand of a step. */
static NornValhallSimGroup
take_registers(unsigned *next, unsigned words) {
  NornValhallSimGroup group = {(uint8_t)*next, (uint8_t)words};
  *next += (words + 1) & ~1u;
  return group;
}

bool
norn_valhall_decode_step(const NornIsa *isa, NornValhallSimInstruction *instruction,
                         GError **error) {
  const NornIsaEncoding *encoding = instruction->encoding;
  unsigned next = 0;
  instruction->distance = 1;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    unsigned words = norn_isa_operand_words(isa, encoding, operand, instruction->word);
    if (words > NORN_VALHALL_STAGING) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                  "groups of %u registers are not modeled", words);
      return false;
    }
    if (operand->role == NORN_ISA_OPERAND_SOURCE &&
        instruction->source_count < NORN_VALHALL_SOURCES) {
      NornValhallSimSource *source = &instruction->source[instruction->source_count++];
      source->kind = NORN_VALHALL_SOURCE_REGISTER;
      source->words = (uint8_t)words;
      source->reg = take_registers(&next, words).first;
    } else if (operand->role == NORN_ISA_OPERAND_DESTINATION) {
      instruction->destination = take_registers(&next, words);
    } else if (operand->role == NORN_ISA_OPERAND_STAGING_READ) {
      instruction->staging_read = take_registers(&next, words);
    } else if (operand->role == NORN_ISA_OPERAND_STAGING_WRITE) {
      instruction->staging_write = take_registers(&next, words);
    }
  }
  return norn_valhall_decode_action(isa, instruction, error);
}

const NornValhallSimInstruction *
norn_valhall_program_fetch(NornValhallSimProgram *program, uint32_t index) {
  NORN_ASSERT(index < program->count);
  if (!program->instructions[index]) {
    NornValhallSimInstruction *instruction = g_new0(NornValhallSimInstruction, 1);
    instruction->index = index;
    instruction->word = norn_bytes_read(program->code + (size_t)index * 8, 8);
    decode_instruction(program, instruction);
    program->instructions[index] = instruction;
  }
  return program->instructions[index];
}

static bool
check_size(size_t size, const char *what, GError **error) {
  if (size && size % 8 == 0 && size / 8 <= INT32_MAX / (2 * NORN_COLOR_TARGETS))
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s of %zu bytes, expected a multiple of 8 from 8 to less than 2^30", what, size);
  return false;
}

/* Blend shaders start at multiples of 16 bytes and are separated by something that is not code. */
static bool
place_blend_shaders(NornValhallSimProgram *program, GError **error) {
  const NornFragmentState *state = program->launch->fragment;
  for (unsigned i = 0; state && i < NORN_COLOR_TARGETS; i++) {
    const NornBlendShader *shader = &state->blend_shaders[i];
    if (!shader->code)
      continue;
    if (!check_size(shader->size, "blend shader", error))
      return false;
    program->blend[i].first = (program->count + 3) & ~1u;
    program->blend[i].count = (uint32_t)(shader->size / 8);
    program->count = program->blend[i].first + program->blend[i].count;
  }
  return true;
}

static bool
copy_code(NornValhallSimProgram *program, const void *code, GError **error) {
  const NornFragmentState *state = program->launch->fragment;
  program->code = norn_memory_allocate((size_t)program->count * 8, "code", error);
  if (!program->code)
    return false;
  memcpy(program->code, code, (size_t)program->own_count * 8);
  for (unsigned i = 0; state && i < NORN_COLOR_TARGETS; i++)
    if (program->blend[i].count)
      memcpy(program->code + (size_t)program->blend[i].first * 8, state->blend_shaders[i].code,
             state->blend_shaders[i].size);
  return true;
}

bool
norn_valhall_program_has(const NornValhallSimProgram *program, uint32_t index) {
  if (index < program->own_count)
    return true;
  for (unsigned i = 0; i < NORN_COLOR_TARGETS; i++)
    if (index - program->blend[i].first < program->blend[i].count)
      return true;
  return false;
}

bool
norn_valhall_program_is_blend_entry(const NornValhallSimProgram *program, uint32_t index) {
  for (unsigned i = 0; i < NORN_COLOR_TARGETS; i++)
    if (program->blend[i].count && program->blend[i].first == index)
      return true;
  return false;
}

bool
norn_valhall_program_init(NornValhallSimProgram *program, const void *code, size_t size,
                          const char *architecture, const NornLaunch *launch, GError **error) {
  const NornIsa *isa = norn_isa_find("valhall");
  int number = norn_isa_architecture(isa, architecture);
  *program = (NornValhallSimProgram){.isa = isa, .launch = launch};
  if (number < 0) {
    g_autofree char *message =
        norn_isa_unknown_architecture(isa, architecture, strlen(architecture));
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, message);
    return false;
  }
  bool has_data = launch->info && launch->info->data_size;
  size_t code_size = has_data ? (size_t)launch->info->instructions * 8 : size;
  if (!check_size(code_size, "code", error))
    return false;
  program->architecture = (unsigned)number;
  program->count = (uint32_t)((size + 7) / 8);
  program->own_count = (uint32_t)(code_size / 8);
  if (!place_blend_shaders(program, error) || !copy_code(program, code, error))
    return false;
  program->instructions = g_new0(NornValhallSimInstruction *, program->count);
  return true;
}

/* A branch from one instruction to another. */
typedef struct Branch {
  int64_t from, to;
} Branch;

/* Whether a branch enters a loop other than at its start, or ends a loop that overlaps this one.
 * A loop extends from the target of a backward branch to that branch. */
static bool
breaks_loop(const Branch *loop, const Branch *branch) {
  bool from_outside = branch->from < loop->to || branch->from > loop->from;
  return from_outside && branch->to > loop->to && branch->to <= loop->from;
}

static bool
is_structured(const GArray *branches) {
  for (guint i = 0; i < branches->len; i++) {
    const Branch *loop = &g_array_index(branches, Branch, i);
    for (guint k = 0; loop->to <= loop->from && k < branches->len; k++)
      if (breaks_loop(loop, &g_array_index(branches, Branch, k)))
        return false;
  }
  return true;
}

static void
set_bit(uint8_t *bits, int64_t index) {
  bits[index / 8] |= (uint8_t)(1u << index % 8);
}

/* Marks the branches that leave loops. */
static void
find_exits(const GArray *branches, uint8_t *exits) {
  for (guint i = 0; i < branches->len; i++) {
    const Branch *loop = &g_array_index(branches, Branch, i);
    for (guint k = 0; loop->to <= loop->from && k < branches->len; k++) {
      const Branch *branch = &g_array_index(branches, Branch, k);
      if (branch->from >= loop->to && branch->from <= loop->from && branch->to > loop->from)
        set_bit(exits, branch->from);
    }
  }
}

void
norn_valhall_program_find_branches(NornValhallSimProgram *program) {
  GArray *branches = g_array_new(FALSE, FALSE, sizeof(Branch));
  bool computed = false;
  program->targets = g_new0(uint8_t, program->count / 8 + 1);
  program->exits = g_new0(uint8_t, program->count / 8 + 1);
  for (uint32_t i = 0; i < program->count; i++) {
    const NornValhallSimInstruction *instruction = norn_valhall_program_fetch(program, i);
    Branch branch = {i, (int64_t)i + 1 + instruction->distance};
    computed |= !instruction->fault && instruction->encoding->instruction == NORN_VALHALL_BRANCHZI;
    if (!instruction->target || branch.to < 0 || branch.to >= program->count)
      continue;
    set_bit(program->targets, branch.to);
    g_array_append_val(branches, branch);
  }
  program->is_structured = !computed && branches->len <= MAX_BRANCHES && is_structured(branches);
  if (program->is_structured)
    find_exits(branches, program->exits);
  g_array_free(branches, TRUE);
}

bool
norn_valhall_program_jumps(const NornValhallSimProgram *program, uint32_t index) {
  uint32_t next = index + 1;
  return next < program->count && program->targets[next / 8] >> next % 8 & 1 &&
         !(program->exits[index / 8] >> index % 8 & 1);
}

void
norn_valhall_program_clear(NornValhallSimProgram *program) {
  for (uint32_t i = 0; i < program->count; i++) {
    if (program->instructions[i])
      g_free(program->instructions[i]->fault);
    g_free(program->instructions[i]);
  }
  g_free(program->instructions);
  g_free(program->code);
  g_free(program->targets);
  g_free(program->exits);
}
