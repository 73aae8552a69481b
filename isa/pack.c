/* Instructions as field values: packing, unpacking, and changing fields by name. */
#include "isa/isa.h"
#include <string.h>

/* Fields are processed in groups of this size: shifting a few more than there are, which have no
 * bits, is cheaper than counting each one. */
enum { UNROLL = 4 };

static void
unpack(const NornIsaEncoding *encoding, uint64_t word, uint32_t *values) {
  const NornIsaFieldLayout *layouts = encoding->layouts;
  for (unsigned first = 0; first < encoding->field_count; first += UNROLL) {
    for (unsigned i = first; i < first + UNROLL; i++)
      values[i] = (uint32_t)(word >> layouts->shifts[i]) & layouts->masks[i];
  }
  for (unsigned i = 0; encoding->split && i < encoding->field_count; i++)
    values[i] = norn_isa_extract(&encoding->fields[i], word);
}

bool
norn_isa_unpack(const NornIsa *isa, unsigned architecture, uint64_t word, NornIsaDecoded *decoded) {
  if (!norn_isa_check_architecture(isa, architecture, NULL))
    return false;
  const NornIsaEncoding *encoding = norn_isa_decode(isa, architecture, word);
  if (!encoding)
    return false;
  decoded->encoding = encoding;
  decoded->ignored = word & encoding->ignored;
  unpack(encoding, word, decoded->values);
  return true;
}

uint64_t
norn_isa_pack(const NornIsaDecoded *decoded) {
  const NornIsaEncoding *encoding = decoded->encoding;
  const NornIsaFieldLayout *layouts = encoding->layouts;
  uint64_t word = encoding->match | (decoded->ignored & encoding->ignored);
  for (unsigned first = 0; first < encoding->field_count; first += UNROLL) {
    for (unsigned i = first; i < first + UNROLL; i++)
      word |= (uint64_t)(decoded->values[i] & layouts->masks[i]) << layouts->shifts[i];
  }
  for (unsigned i = 0; encoding->split && i < encoding->field_count; i++)
    word |= norn_isa_insert(&encoding->fields[i], decoded->values[i]);
  return word;
}

bool
norn_isa_decoded_init(const NornIsa *isa, unsigned architecture, unsigned instruction,
                      NornIsaDecoded *decoded) {
  const NornIsaEncoding *encoding = norn_isa_encoding(isa, architecture, instruction);
  if (!encoding)
    return false;
  decoded->encoding = encoding;
  decoded->ignored = 0;
  unpack(encoding, encoding->word, decoded->values);
  return true;
}

/* The bank that the codes of `word` require; -1 if a code has no meaning in its bank, or if codes
 * require different banks. */
static int
needed_bank(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word) {
  int needed = 0;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH ||
        isa->code_tables[operand->codes].bank == NORN_ISA_NONE)
      continue;
    const NornIsaCode *code = norn_isa_operand_code(isa, encoding, operand, word);
    if (code->kind == NORN_ISA_CODE_RESERVED)
      return -1;
    if (code->bank != NORN_ISA_ANY_BANK)
      needed = code->bank;
  }
  return needed;
}

bool
norn_isa_decoded_finish(const NornIsa *isa, NornIsaDecoded *decoded) {
  const NornIsaEncoding *encoding = decoded->encoding;
  uint64_t word = norn_isa_pack(decoded);
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind != NORN_ISA_FIELD_BANK)
      continue;
    /* Uniforms exist in several banks: the chosen one is used, or else the lowest that fits. */
    int bank = needed_bank(isa, encoding, word);
    if (bank < 0)
      return false;
    decoded->values[i] = (uint32_t)bank;
    word = norn_isa_pack(decoded);
  }
  word = norn_isa_derive(isa, encoding, word);
  unpack(encoding, word, decoded->values);
  return true;
}

/* The operand whose code is in the field with index `index`, or NULL. */
static const NornIsaOperand *
operand_of_field(const NornIsaEncoding *encoding, uint8_t index) {
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (encoding->operands[i].role <= NORN_ISA_OPERAND_STAGING_BOTH &&
        encoding->operands[i].field == index)
      return &encoding->operands[i];
  return NULL;
}

bool
norn_isa_decoded_set_operand(const NornIsa *isa, NornIsaDecoded *decoded, unsigned field,
                             const char *text) {
  const NornIsaEncoding *encoding = decoded->encoding;
  uint8_t index = encoding->field_indices[field];
  const NornIsaOperand *operand =
      index == NORN_ISA_NO_FIELD ? NULL : operand_of_field(encoding, index);
  size_t length = strlen(text);
  const NornIsaToken *token = norn_isa_find_token(isa, text, length);
  if (!operand || !token)
    return false;
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  int64_t found = norn_isa_token_code(isa, token, operand);
  if (found < 0)
    return false;
  decoded->values[index] = (uint32_t)found & (uint32_t)norn_isa_mask(table->width);
  const NornIsaCode *code = &isa->codes[table->first + (uint32_t)found];
  if (table->bank != NORN_ISA_NONE && code->bank != NORN_ISA_ANY_BANK)
    norn_isa_decoded_set(decoded, table->bank, code->bank);
  return true;
}

unsigned
norn_isa_decoded_instruction(const NornIsaDecoded *decoded) {
  return decoded->encoding->instruction;
}

uint32_t
norn_isa_decoded_get(const NornIsaDecoded *decoded, unsigned field) {
  uint8_t index = decoded->encoding->field_indices[field];
  return index == NORN_ISA_NO_FIELD ? 0 : decoded->values[index];
}

bool
norn_isa_decoded_set(NornIsaDecoded *decoded, unsigned field, uint32_t value) {
  uint8_t index = decoded->encoding->field_indices[field];
  if (index == NORN_ISA_NO_FIELD ||
      value > norn_isa_mask(norn_isa_field_width(&decoded->encoding->fields[index])))
    return false;
  decoded->values[index] = value;
  return true;
}
