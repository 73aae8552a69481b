/* The ISAs as machines of the IR: pieces of text, and shapes, computed from the tables.
 *
 * In the IR registers are operands: results are the destinations and written staging groups of an
 * encoding; operands are its sources and read staging groups, both in text order. Everything else
 * is in the word, whose register fields stay zero. */
#include "isa/machine.h"
#include "isa/registry.h"
#include "isa/text.h"
#include "isa/valhall_abi.h"
#include <string.h>

enum {
  TEXT = 256,            /* size of the buffer for a piece of text */
  MAX_ARCHITECTURES = 8, /* of one ISA */
};

static bool
is_result(const NornIsaOperand *operand) {
  return operand->role == NORN_ISA_OPERAND_DESTINATION ||
         operand->role == NORN_ISA_OPERAND_STAGING_WRITE ||
         operand->role == NORN_ISA_OPERAND_STAGING_BOTH;
}

static bool
is_source(const NornIsaOperand *operand) {
  return operand->role == NORN_ISA_OPERAND_SOURCE ||
         operand->role == NORN_ISA_OPERAND_STAGING_READ ||
         operand->role == NORN_ISA_OPERAND_STAGING_BOTH;
}

static const NornIsaEncoding *
encoding_of(const NornMachine *machine, uint16_t instruction) {
  return norn_isa_name_encoding(machine->isa, machine->architecture, instruction);
}

/* Operand number `index` among those that `accept` accepts, or NULL. */
static const NornIsaOperand *
find_operand(const NornIsaEncoding *encoding, bool (*accept)(const NornIsaOperand *),
             unsigned index) {
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    if (accept(&encoding->operands[i]) && index-- == 0)
      return &encoding->operands[i];
  }
  return NULL;
}

/* Architectures */

static const char *
architecture_name(const NornMachine *machine) {
  return norn_isa_architecture_name(machine->isa, machine->architecture);
}

static const NornMachine *find_architecture(const NornMachine *machine, const char *name,
                                            size_t length);

/* Reading */

static bool
finish(NornIsaReader *reader, NornMachineText *text, bool good, uint64_t *word) {
  if (good && reader->at < reader->end)
    good = norn_isa_reader_fail(reader, reader->at, "unexpected '%c'", *reader->at);
  *word = reader->word;
  text->position = reader->problem ? (size_t)(reader->problem - text->start) : 0;
  text->problem = reader->message;
  return good;
}

/* Whether the IR can represent the instruction that was read: it is not an alias that fixes or
 * drops operands. */
static bool
is_plain(const NornIsaReader *reader) {
  const NornIsaEncoding *encoding = reader->encoding;
  const NornIsaEncoding *whole =
      norn_isa_name_encoding(reader->isa, reader->architecture, encoding->instruction);
  return encoding == whole ||
         (encoding->operands == whole->operands && encoding->operand_count == whole->operand_count);
}

static bool
read_mnemonic(NornIsaReader *reader) {
  const NornIsaMnemonic *names;
  if (!norn_isa_read_mnemonic(reader, &names))
    return false;
  NornIsaReader start = *reader;
  for (unsigned i = 0; i < names->count; i++) {
    g_free(reader->message);
    *reader = start;
    if (norn_isa_read_modifiers(reader, names, i) &&
        (is_plain(reader) ||
         norn_isa_reader_fail(reader, start.end,
                              "this alias has fixed operands; write the instruction itself")) &&
        norn_isa_read_complete(reader, reader->encoding->modifiers,
                               reader->encoding->modifier_count))
      return true;
  }
  return false;
}

static bool
parse_mnemonic(const NornMachine *machine, NornMachineText *text, uint16_t *instruction,
               uint64_t *word) {
  NornIsaReader reader;
  norn_isa_reader_init(&reader, machine->isa, machine->architecture, text->start, text->length);
  bool good = read_mnemonic(&reader);
  if (good)
    *instruction = reader.encoding->instruction;
  return finish(&reader, text, good, word);
}

static void
start_reader(NornIsaReader *reader, const NornMachine *machine, uint16_t instruction,
             const NornMachineText *text, uint64_t word) {
  norn_isa_reader_init(reader, machine->isa, machine->architecture, text->start, text->length);
  reader->encoding = encoding_of(machine, instruction);
  reader->name = &reader->isa->names[instruction];
  reader->word = word;
}

static bool
parse_suffix(const NornMachine *machine, uint16_t instruction,
             bool (*accept)(const NornIsaOperand *), unsigned index, NornMachineText *text,
             uint64_t *word) {
  NornIsaReader reader;
  start_reader(&reader, machine, instruction, text, *word);
  const NornIsaOperand *operand = find_operand(reader.encoding, accept, index);
  bool good =
      operand ? norn_isa_read_suffix(&reader, operand)
              : norn_isa_reader_fail(&reader, text->start, "the instruction has no such operand");
  return finish(&reader, text, good, word);
}

static bool
parse_operand_suffix(const NornMachine *machine, uint16_t instruction, unsigned operand,
                     NornMachineText *text, uint64_t *word) {
  return parse_suffix(machine, instruction, is_source, operand, text, word);
}

static bool
parse_result_suffix(const NornMachine *machine, uint16_t instruction, unsigned result,
                    NornMachineText *text, uint64_t *word) {
  return parse_suffix(machine, instruction, is_result, result, text, word);
}

static bool
is_immediate(const NornIsaEncoding *encoding, const NornIsaOperand *operand) {
  return operand->role == NORN_ISA_OPERAND_IMMEDIATE ||
         (operand->role == NORN_ISA_OPERAND_TARGET && !encoding->shape.fixed.is_terminator);
}

static bool
has_prefix(const NornIsa *isa, const NornIsaOperand *operand, const NornMachineText *text) {
  size_t prefix = operand->prefix & 0xFF;
  return text->length > prefix &&
         memcmp(norn_isa_string(isa, operand->prefix), text->start, prefix) == 0;
}

static bool
parse_immediate(const NornMachine *machine, uint16_t instruction, NornMachineText *text,
                uint64_t *word) {
  NornIsaReader reader;
  start_reader(&reader, machine, instruction, text, *word);
  for (unsigned i = 0; i < reader.encoding->operand_count; i++) {
    const NornIsaOperand *operand = &reader.encoding->operands[i];
    if (is_immediate(reader.encoding, operand) && has_prefix(reader.isa, operand, text)) {
      bool good = norn_isa_read_immediate(&reader, operand);
      return finish(&reader, text, good, word);
    }
  }
  norn_isa_reader_fail(&reader, text->start, "'%.*s': %s has no such immediate", (int)text->length,
                       text->start, norn_isa_string(reader.isa, reader.name->text));
  return finish(&reader, text, false, word);
}

static int
find_special(const NornMachine *machine, const char *text, size_t length) {
  const NornIsa *isa = machine->isa;
  const NornIsaOperand *operand = isa->sources[machine->architecture];
  if (!operand)
    return -1;
  const NornIsaToken *token = norn_isa_find_token(isa, text, length);
  int64_t code = token ? norn_isa_token_code(isa, token, operand) : -1;
  if (code < 0)
    return -1;
  uint8_t kind = isa->codes[isa->code_tables[operand->codes].first + (uint32_t)code].kind;
  return kind == NORN_ISA_CODE_SPECIAL || kind == NORN_ISA_CODE_SCALAR ? (int)code : -1;
}

/* Writing */

static NornIsaWriter
start_writer(const NornMachine *machine, char *text) {
  NornIsaWriter writer = {.isa = machine->isa, .limit = text + TEXT - 1};
  return writer;
}

static void
print_mnemonic(const NornMachine *machine, uint16_t instruction, uint64_t word, GString *out) {
  char text[TEXT];
  NornIsaWriter writer = start_writer(machine, text);
  const NornIsaEncoding *encoding = encoding_of(machine, instruction);
  char *end = norn_isa_write_mnemonic(&writer, text, encoding, word);
  g_string_append_len(out, text, end - text);
}

static void
print_suffix(const NornMachine *machine, uint16_t instruction,
             bool (*accept)(const NornIsaOperand *), unsigned index, uint64_t word, GString *out) {
  const NornIsaEncoding *encoding = encoding_of(machine, instruction);
  const NornIsaOperand *operand = find_operand(encoding, accept, index);
  if (!operand)
    return;
  char text[TEXT];
  NornIsaWriter writer = start_writer(machine, text);
  char *end = norn_isa_write_suffix(&writer, text, encoding, operand, word);
  g_string_append_len(out, text, end - text);
}

static void
print_operand_suffix(const NornMachine *machine, uint16_t instruction, unsigned operand,
                     uint64_t word, GString *out) {
  print_suffix(machine, instruction, is_source, operand, word, out);
}

static void
print_result_suffix(const NornMachine *machine, uint16_t instruction, unsigned result,
                    uint64_t word, GString *out) {
  print_suffix(machine, instruction, is_result, result, word, out);
}

static void
print_immediates(const NornMachine *machine, uint16_t instruction, uint64_t word, bool first,
                 GString *out) {
  const NornIsaEncoding *encoding = encoding_of(machine, instruction);
  char text[TEXT];
  NornIsaWriter writer = start_writer(machine, text);
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (!is_immediate(encoding, operand))
      continue;
    char *end = norn_isa_write_immediate(&writer, text, encoding, operand, word);
    end = norn_isa_write_suffix(&writer, end, encoding, operand, word);
    g_string_append(out, first ? " " : ", ");
    g_string_append_len(out, text, end - text);
    first = false;
  }
}

static void
print_special(const NornMachine *machine, uint32_t special, GString *out) {
  const NornIsa *isa = machine->isa;
  const NornIsaOperand *operand = isa->sources[machine->architecture];
  NornIsaText text = NORN_ISA_TEXT_ILLEGAL;
  if (operand) {
    const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
    if (special < 1u << (table->width + table->bank_width)) /* a wrong module may have any number */
      text = isa->texts[operand->texts + special];
  }
  g_string_append(out, text == NORN_ISA_TEXT_ILLEGAL ? "?" : norn_isa_string(isa, text));
}

/* Shape */

static bool
is_terminator(const NornMachine *machine, uint16_t instruction) {
  return encoding_of(machine, instruction)->shape.fixed.is_terminator;
}

/* Whether the modifiers of a 64-bit source make it read only one word. */
static bool
reads_one_word(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
               uint64_t word) {
  const NornIsaField *field = norn_isa_operand_swizzle(encoding, operand);
  if (!field)
    return false;
  /* The amount of such a swizzle is the number of words read. */
  uint32_t value = norn_isa_extract(field, word);
  return norn_isa_swizzle(isa, field, value)->bits && isa->amounts[field->amounts + value] == 1;
}

/* Sets of roles, one bit each. */
enum {
  STAGING = 1 << NORN_ISA_OPERAND_STAGING_READ | 1 << NORN_ISA_OPERAND_STAGING_WRITE |
            1 << NORN_ISA_OPERAND_STAGING_BOTH,
  RESULTS = 1 << NORN_ISA_OPERAND_DESTINATION | 1 << NORN_ISA_OPERAND_STAGING_WRITE |
            1 << NORN_ISA_OPERAND_STAGING_BOTH,
  SOURCES = 1 << NORN_ISA_OPERAND_SOURCE | 1 << NORN_ISA_OPERAND_STAGING_READ |
            1 << NORN_ISA_OPERAND_STAGING_BOTH,
};

/* The values of an instruction found so far: their number, and which are staging groups. */
typedef struct ValueList {
  unsigned count, is_staging;
} ValueList;

static inline void
add_value(ValueList *list, uint8_t *all_words, bool is_staging, unsigned words) {
  if (list->count == NORN_MACHINE_OPERANDS)
    return;
  list->is_staging |= (unsigned)is_staging << list->count;
  all_words[list->count++] = (uint8_t)words;
}

/* Finds the values of an instruction that depend on its word. */
static void
find_values(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word,
            NornMachineShape *shape) {
  ValueList results = {0, 0}, operands = {0, 0};
  unsigned is_low = 0;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    unsigned role = 1u << operand->role, words = operand->words;
    if (!(role & (RESULTS | SOURCES)))
      continue;
    bool low = operand->role == NORN_ISA_OPERAND_SOURCE && words == 2 &&
               reads_one_word(isa, encoding, operand, word);
    if (low)
      words = 1;
    else if (!words)
      words = norn_isa_operand_words(isa, encoding, operand, word);
    if (role & STAGING && !words)
      continue; /* a group without registers: the operand is absent */
    if (role & RESULTS)
      add_value(&results, shape->result_words, role & STAGING, words);
    is_low |= (unsigned)low << operands.count;
    if (role & SOURCES)
      add_value(&operands, shape->operand_words, role & STAGING, words);
  }
  shape->result_count = (uint8_t)results.count;
  shape->result_is_staging = (uint8_t)results.is_staging;
  shape->operand_count = (uint8_t)operands.count;
  shape->operand_is_staging = (uint8_t)operands.is_staging;
  shape->operand_is_low = (uint8_t)is_low;
}

static void
get_shape(const NornMachine *machine, uint16_t instruction, uint64_t word,
          NornMachineShape *shape) {
  const NornIsaEncoding *encoding = encoding_of(machine, instruction);
  *shape = encoding->shape.fixed;
  if (encoding->shape.varies)
    find_values(machine->isa, encoding, word, shape);
}

/* The machines: an array of architectures for each ISA. */

/* Groups of registers start at even registers. */
static const NornRegisterFile valhall_registers = {
    .classes = {{"r", 0, NORN_VALHALL_REGISTERS, 32, {1, 1, 2, 2, 2, 2, 2, 2, 2}, 0}},
    .class_count = 1,
};
#define REGISTERS_valhall &valhall_registers
#define REGISTERS_gcn NULL
#define REGISTERS_vp1 NULL

#define MACHINE(isa_name, number)                                                                  \
  {                                                                                                \
    .name = #isa_name, .isa = &norn_isa_##isa_name, .architecture = number,                        \
    .registers = REGISTERS_##isa_name, .find_architecture = find_architecture,                     \
    .architecture_name = architecture_name, .parse_mnemonic = parse_mnemonic,                      \
    .parse_operand_suffix = parse_operand_suffix, .parse_result_suffix = parse_result_suffix,      \
    .parse_immediate = parse_immediate, .find_special = find_special,                              \
    .print_mnemonic = print_mnemonic, .print_operand_suffix = print_operand_suffix,                \
    .print_result_suffix = print_result_suffix, .print_immediates = print_immediates,              \
    .print_special = print_special, .is_terminator = is_terminator, .shape = get_shape,            \
  }
#define ISA(name)                                                                                  \
  {MACHINE(name, 0), MACHINE(name, 1), MACHINE(name, 2), MACHINE(name, 3),                         \
   MACHINE(name, 4), MACHINE(name, 5), MACHINE(name, 6), MACHINE(name, 7)},
static const NornMachine machines[][MAX_ARCHITECTURES] = {NORN_ISAS(ISA)};
#undef ISA
#undef MACHINE

static const NornMachine *
find_architecture(const NornMachine *machine, const char *name, size_t length) {
  const NornIsa *isa = machine->isa;
  const NornMachine *first = machine - machine->architecture;
  for (unsigned i = 0; i < isa->architecture_count && i < MAX_ARCHITECTURES; i++) {
    if (norn_isa_text_is(isa, isa->architectures[i].name, name, length))
      return first + i;
  }
  return NULL;
}

const NornMachine *
norn_machine_find(const char *name, size_t length) {
  for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++) {
    if (strlen(machines[i]->name) == length && memcmp(machines[i]->name, name, length) == 0)
      return machines[i];
  }
  return NULL;
}

void
norn_isa_machine_init(NornMachine *machine, const NornIsa *isa, unsigned architecture,
                      const NornRegisterFile *registers) {
  *machine = machines[0][0];
  machine->name = isa->name;
  machine->isa = isa;
  machine->architecture = architecture;
  machine->registers = registers;
}
