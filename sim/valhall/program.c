/* Decodes Valhall code for the simulator.
 *
 * An instruction is decoded when it is first executed. Everything that is the same for all lanes
 * and all executions is settled here: encodings, modifiers, uniform words, constants, addresses.
 * What is wrong with a word becomes the instruction's fault. */
#include "ir/numeric.h"
#include "sim/valhall/valhall.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <string.h>

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

/* A uniform: `words` words from word `first` on. Words that the launch does not give are a fault.
 */
static char *
decode_uniform(const NornLaunch *launch, unsigned first, unsigned words, uint64_t *value) {
  *value = 0;
  for (unsigned i = 0; i < words; i++) {
    if (first + i >= launch->uniform_count)
      return g_strdup_printf("uniform word u%u is read, but %zu words are given", first + i,
                             launch->uniform_count);
    *value |= (uint64_t)launch->uniforms[first + i] << 32 * i;
  }
  return NULL;
}

/* Blend descriptors: opaque, four components, the target from bit 16 on. */
#define BLEND_DESCRIPTOR "blend_descriptor_"
#define BLEND_DESCRIPTOR_LENGTH (sizeof BLEND_DESCRIPTOR - 1)
#define OPAQUE_BLEND (1 | 3 << 3)

/* Special values that are the same for all lanes and instructions, by name without ".w0" and ".w1".
 */
static const struct {
  const char *name;
  uint64_t value;
} constant_specials[] = {
    {"thread_local_pointer", NORN_VALHALL_SCRATCH_ADDRESS},
    {"workgroup_local_pointer", NORN_VALHALL_SHARED_ADDRESS},
    {"core_id", 0},
    {"atest_datum", 0},
    {"shader_output",
     NORN_VALHALL_WANTS_POSITION | NORN_VALHALL_WANTS_EXTRAS | NORN_VALHALL_WANTS_VARYINGS},
    {"sample", NORN_VALHALL_SAMPLE_ADDRESS},
};

static bool
is_named(const char *name, size_t length, const char *other) {
  return strlen(other) == length && memcmp(name, other, length) == 0;
}

static char *
decode_special_name(const char *name, size_t length, uint32_t next, NornValhallSimSource *source) {
  source->kind = NORN_VALHALL_SOURCE_VALUE;
  if (is_named(name, length, "lane_id")) {
    source->kind = NORN_VALHALL_SOURCE_LANE_ID;
    return NULL;
  }
  if (is_named(name, length, "program_counter")) {
    source->value = NORN_VALHALL_CODE_ADDRESS + UINT64_C(8) * next;
    return NULL;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(constant_specials); i++) {
    if (is_named(name, length, constant_specials[i].name)) {
      source->value = constant_specials[i].value;
      return NULL;
    }
  }
  if (length == BLEND_DESCRIPTOR_LENGTH + 1 &&
      memcmp(name, BLEND_DESCRIPTOR, BLEND_DESCRIPTOR_LENGTH) == 0) {
    source->value = OPAQUE_BLEND | (uint64_t)(name[length - 1] - '0') << 16;
    return NULL;
  }
  return g_strdup_printf("the value of %.*s is not modeled", (int)length, name);
}

char *
norn_valhall_decode_special(const NornIsa *isa, const NornIsaOperand *operand, uint32_t special,
                            uint32_t next, NornValhallSimSource *source) {
  NornIsaText text = isa->texts[operand->texts + special];
  if (text == NORN_ISA_TEXT_ILLEGAL)
    return g_strdup_printf("there is no special value 0x%x", special);
  const char *name = norn_isa_string(isa, text);
  size_t length = strlen(name);
  bool has_word = length > 3 && name[length - 3] == '.' && name[length - 2] == 'w';
  bool high = has_word && name[length - 1] == '1';
  char *fault = decode_special_name(name, has_word ? length - 3 : length, next, source);
  if (high && source->kind == NORN_VALHALL_SOURCE_LANE_ID)
    source->kind = NORN_VALHALL_SOURCE_VALUE;
  if (high)
    source->value >>= 32;
  if (source->words == 1)
    source->value &= UINT32_MAX;
  return fault;
}

static char *
decode_source(const NornValhallSimProgram *program, const NornIsaOperand *operand,
              const NornIsaCode *code, uint32_t next, NornValhallSimSource *source) {
  source->words = MAX(operand->words, 1);
  switch (code->kind) {
  case NORN_ISA_CODE_REGISTER:
  case NORN_ISA_CODE_LAST:
    source->kind = NORN_VALHALL_SOURCE_REGISTER;
    source->reg = (uint8_t)code->number;
    source->last_use = code->kind == NORN_ISA_CODE_LAST;
    if (code->number + source->words > NORN_VALHALL_REGISTERS)
      return g_strdup_printf("the pair of r%u does not exist", code->number);
    return NULL;
  case NORN_ISA_CODE_UNIFORM:
    return decode_uniform(program->launch, code->number, source->words, &source->value);
  case NORN_ISA_CODE_CONSTANT:
    source->value = code->value;
    return NULL;
  case NORN_ISA_CODE_SPECIAL:
    return norn_valhall_decode_special(program->isa, operand, code->number, next, source);
  default:
    return g_strdup("a source is a reserved code");
  }
}

static int64_t
decode_distance(const NornIsaEncoding *encoding, const NornIsaOperand *operand, uint64_t word) {
  const NornIsaField *field = &encoding->fields[operand->field];
  uint64_t value = norn_isa_extract(field, word);
  return operand->is_signed ? norn_int_sign_extend(value, norn_isa_field_width(field))
                            : (int64_t)value;
}

static char *
decode_group(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
             uint64_t word, NornValhallSimGroup *group) {
  group->first = (uint8_t)norn_isa_operand_code(isa, encoding, operand, word)->number;
  group->count = (uint8_t)norn_isa_operand_words(isa, encoding, operand, word);
  if (group->first + group->count > NORN_VALHALL_REGISTERS || group->count > NORN_VALHALL_STAGING)
    return g_strdup_printf("the register group of r%u with %u registers does not exist",
                           group->first, group->count);
  return NULL;
}

static char *
decode_operand(const NornValhallSimProgram *program, const NornIsaOperand *operand,
               NornValhallSimInstruction *instruction) {
  const NornIsa *isa = program->isa;
  const NornIsaEncoding *encoding = instruction->encoding;
  char *fault = NULL;
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
    return decode_group(isa, encoding, operand, instruction->word, &instruction->destination);
  case NORN_ISA_OPERAND_SOURCE:
    if (instruction->source_count == NORN_VALHALL_SOURCES)
      return g_strdup("it has too many sources");
    return decode_source(program, operand,
                         norn_isa_operand_code(isa, encoding, operand, instruction->word),
                         instruction->index + 1, &instruction->source[instruction->source_count++]);
  case NORN_ISA_OPERAND_STAGING_READ:
    return decode_group(isa, encoding, operand, instruction->word, &instruction->staging_read);
  case NORN_ISA_OPERAND_STAGING_WRITE:
    return decode_group(isa, encoding, operand, instruction->word, &instruction->staging_write);
  case NORN_ISA_OPERAND_STAGING_BOTH:
    fault = decode_group(isa, encoding, operand, instruction->word, &instruction->staging_read);
    instruction->staging_write = instruction->staging_read;
    return fault;
  case NORN_ISA_OPERAND_TARGET:
    instruction->distance = decode_distance(encoding, operand, instruction->word);
    return NULL;
  default:
    return NULL;
  }
}

/* What the sources have in common, and which words of each matter: a part of a pair may leave the
 * other register undefined. */
static void
decode_source_use(NornValhallSimInstruction *instruction) {
  for (unsigned k = 0; k < instruction->source_count; k++) {
    const NornIsaSwizzle *swizzle = &instruction->operation.swizzle[k];
    NornValhallSimSource *source = &instruction->source[k];
    source->words_read = (uint8_t)((1u << source->words) - 1);
    instruction->has_last_use |= source->last_use;
    if (source->words == 2 && swizzle->bits)
      source->words_read = (uint8_t)(1u << swizzle->index[0] * swizzle->bits / 32);
  }
}

/* Chooses how the instruction is executed. */
static char *
decode_action(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction) {
  uint16_t number = instruction->encoding->instruction;
  GError *error = NULL;
  bool ok = norn_valhall_decode_message(program->isa, instruction, &error);
  if (ok && norn_valhall_is_operation(number))
    ok = norn_valhall_decode(program->isa, instruction->encoding, instruction->word,
                             &instruction->operation, &error);
  if (!ok) {
    char *fault = g_strdup(error->message);
    g_error_free(error);
    return fault;
  }
  decode_source_use(instruction);
  instruction->action = norn_valhall_action(instruction);
  return instruction->action ? NULL : g_strdup("what it does is not modeled");
}

static char *
decode_instruction(const NornValhallSimProgram *program, NornValhallSimInstruction *instruction) {
  const NornIsa *isa = program->isa;
  GError *error = NULL;
  if (!norn_isa_check(isa, program->architecture, instruction->word, &error)) {
    char *fault = g_strdup(error->message);
    g_error_free(error);
    return fault;
  }
  const NornIsaEncoding *encoding = norn_isa_decode(isa, program->architecture, instruction->word);
  instruction->encoding = encoding;
  instruction->unit = (uint8_t)unit_of(isa, encoding);
  decode_flow(instruction);
  instruction->slot =
      (uint8_t)norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_SLOT, instruction->word, 0);
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    char *fault = decode_operand(program, &encoding->operands[i], instruction);
    if (fault)
      return fault;
  }
  return decode_action(program, instruction);
}

/* Gives `words` registers to an operand of a step, from an even one on. */
static NornValhallSimGroup
take_registers(unsigned *next, unsigned words) {
  NornValhallSimGroup group = {(uint8_t)*next, (uint8_t)words};
  *next += (words + 1) & ~1u;
  return group;
}

char *
norn_valhall_decode_step(const NornValhallSimProgram *program,
                         NornValhallSimInstruction *instruction) {
  const NornIsaEncoding *encoding = instruction->encoding;
  unsigned next = 0;
  instruction->distance = 1;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    unsigned words = norn_isa_operand_words(program->isa, encoding, operand, instruction->word);
    if (words > NORN_VALHALL_STAGING)
      return g_strdup_printf("groups of %u registers are not modeled", words);
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
  return decode_action(program, instruction);
}

static uint64_t
read_word(const uint8_t *bytes) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; i++)
    word |= (uint64_t)bytes[i] << 8 * i;
  return word;
}

const NornValhallSimInstruction *
norn_valhall_program_fetch(NornValhallSimProgram *program, uint32_t index) {
  if (!program->instructions[index]) {
    NornValhallSimInstruction *instruction = g_new0(NornValhallSimInstruction, 1);
    instruction->index = index;
    instruction->word = read_word(program->code + (size_t)index * 8);
    instruction->fault = decode_instruction(program, instruction);
    program->instructions[index] = instruction;
  }
  return program->instructions[index];
}

bool
norn_valhall_program_init(NornValhallSimProgram *program, const void *code, size_t size,
                          const char *architecture, const NornLaunch *launch, GError **error) {
  const NornIsa *isa = norn_isa_find("valhall");
  int number = norn_isa_architecture(isa, architecture);
  if (number < 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                "unknown Valhall architecture \"%s\": expected %s to %s", architecture,
                norn_isa_architecture_name(isa, 0),
                norn_isa_architecture_name(isa, norn_isa_architecture_count(isa) - 1));
    return false;
  }
  if (!size || size % 8 || size / 8 > INT32_MAX) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "code of %zu bytes: expected a multiple of 8, not 0, below 2^34", size);
    return false;
  }
  program->isa = isa;
  program->architecture = (unsigned)number;
  program->launch = launch;
  program->code = code;
  program->count = (uint32_t)(size / 8);
  program->instructions = g_new0(NornValhallSimInstruction *, program->count);
  return true;
}

void
norn_valhall_program_clear(NornValhallSimProgram *program) {
  for (uint32_t i = 0; i < program->count; i++) {
    if (program->instructions[i])
      g_free(program->instructions[i]->fault);
    g_free(program->instructions[i]);
  }
  g_free(program->instructions);
}
