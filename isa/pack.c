/* Instructions as the values of their fields: packing, unpacking, and changing fields by name. */
#include "isa/isa.h"
#include <string.h>
#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#endif

/* The fields of the block from number `first` on. A block is taken as a whole: most encodings fill
 * a good part of it, and shifting a field more is cheaper than finding out that there is none. */
static inline void
unpack_block(const NornIsaPlaces *places, unsigned first, uint64_t word, uint32_t *values) {
  for (unsigned i = first; i < first + NORN_ISA_PLACE_BLOCK; i++)
    values[i] = (uint32_t)(word >> places->shifts[i]) & places->masks[i];
}

static inline uint64_t
pack_block(const NornIsaPlaces *places, unsigned first, const uint32_t *values) {
  uint64_t word = 0;
  for (unsigned i = first; i < first + NORN_ISA_PLACE_BLOCK; i++)
    word |= (uint64_t)(values[i] & places->masks[i]) << places->shifts[i];
  return word;
}

#if defined __x86_64__ && defined __GNUC__
/* The same, four fields at a time, where the processor shifts each part of a vector by an amount of
 * its own. */
#define HAS_VECTOR_SHIFTS() __builtin_cpu_supports("avx2")

__attribute__((target("avx2"))) static inline __m256i
four_shifts(const NornIsaPlaces *places, unsigned first) {
  return _mm256_cvtepu8_epi64(_mm_loadu_si32(&places->shifts[first]));
}

__attribute__((target("avx2"))) static void
unpack_vectors(const NornIsaPlaces *places, uint64_t word, uint32_t *values) {
  __m256i words = _mm256_set1_epi64x((long long)word);
  for (unsigned i = 0; i < NORN_ISA_PLACE_BLOCK; i += 4) {
    __m256i shifted = _mm256_srlv_epi64(words, four_shifts(places, i));
    __m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(shifted));
    __m128 high = _mm_castsi128_ps(_mm256_extracti128_si256(shifted, 1));
    __m128i halves = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
    __m128i masks = _mm_loadu_si128((const __m128i *)&places->masks[i]);
    _mm_storeu_si128((__m128i *)&values[i], _mm_and_si128(halves, masks));
  }
}

__attribute__((target("avx2"))) static uint64_t
pack_vectors(const NornIsaPlaces *places, const uint32_t *values) {
  __m256i word = _mm256_setzero_si256();
  for (unsigned i = 0; i < NORN_ISA_PLACE_BLOCK; i += 4) {
    __m128i masks = _mm_loadu_si128((const __m128i *)&places->masks[i]);
    __m128i masked = _mm_and_si128(_mm_loadu_si128((const __m128i *)&values[i]), masks);
    __m256i placed = _mm256_sllv_epi64(_mm256_cvtepu32_epi64(masked), four_shifts(places, i));
    word = _mm256_or_si256(word, placed);
  }
  __m128i two = _mm_or_si128(_mm256_castsi256_si128(word), _mm256_extracti128_si256(word, 1));
  return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two)));
}
#else
#define HAS_VECTOR_SHIFTS() false
#define unpack_vectors(places, word, values) unpack_block(places, 0, word, values)
#define pack_vectors(places, values) pack_block(places, 0, values)
#endif

static inline void
unpack(const NornIsaEncoding *encoding, uint64_t word, uint32_t *values) {
  const NornIsaPlaces *places = encoding->places;
  if (HAS_VECTOR_SHIFTS())
    unpack_vectors(places, word, values);
  else
    unpack_block(places, 0, word, values);
  if (G_UNLIKELY(encoding->field_count > NORN_ISA_PLACE_BLOCK))
    unpack_block(places, NORN_ISA_PLACE_BLOCK, word, values);
  for (unsigned i = 0; encoding->split && i < encoding->field_count; i++)
    values[i] = norn_isa_extract(&encoding->fields[i], word);
}

bool
norn_isa_unpack(const NornIsa *isa, unsigned architecture, uint64_t word, NornIsaDecoded *decoded) {
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
  const NornIsaPlaces *places = encoding->places;
  uint64_t word = encoding->match | (decoded->ignored & encoding->ignored);
  if (HAS_VECTOR_SHIFTS())
    word |= pack_vectors(places, decoded->values);
  else
    word |= pack_block(places, 0, decoded->values);
  if (G_UNLIKELY(encoding->field_count > NORN_ISA_PLACE_BLOCK))
    word |= pack_block(places, NORN_ISA_PLACE_BLOCK, decoded->values);
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

/* The bank that the codes of `word` need, or -1 if they need different ones. */
static int
needed_bank(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word, int bank) {
  int needed = -1;
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
  return needed < 0 ? 0 : needed == bank ? bank : -1;
}

bool
norn_isa_decoded_finish(const NornIsa *isa, NornIsaDecoded *decoded) {
  const NornIsaEncoding *encoding = decoded->encoding;
  uint64_t word = norn_isa_pack(decoded);
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind != NORN_ISA_FIELD_BANK)
      continue;
    /* Uniforms exist in several banks: the one chosen, or else the lowest that fits, counts. */
    int bank = needed_bank(isa, encoding, word, (int)decoded->values[i]);
    if (bank < 0)
      return false;
    decoded->values[i] = (uint32_t)bank;
    word = norn_isa_pack(decoded);
  }
  word = norn_isa_derive(isa, encoding, word);
  unpack(encoding, word, decoded->values);
  return true;
}

/* The operand whose code is in slot `slot`, or NULL. */
static const NornIsaOperand *
operand_in_slot(const NornIsaEncoding *encoding, uint8_t slot) {
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (encoding->operands[i].role <= NORN_ISA_OPERAND_STAGING_BOTH &&
        encoding->operands[i].slot == slot)
      return &encoding->operands[i];
  return NULL;
}

bool
norn_isa_decoded_set_operand(const NornIsa *isa, NornIsaDecoded *decoded, unsigned field,
                             const char *text) {
  const NornIsaEncoding *encoding = decoded->encoding;
  uint8_t slot = encoding->slots[field];
  const NornIsaOperand *operand = slot == NORN_ISA_NO_SLOT ? NULL : operand_in_slot(encoding, slot);
  size_t length = strlen(text);
  const NornIsaToken *token = norn_isa_find_token(isa, text, length, norn_isa_hash(text, length));
  if (!operand || !token)
    return false;
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  int64_t found = norn_isa_token_code(isa, token, operand);
  if (found < 0)
    return false;
  decoded->values[slot] = (uint32_t)found & (uint32_t)norn_isa_mask(table->width);
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
  uint8_t slot = decoded->encoding->slots[field];
  return slot == NORN_ISA_NO_SLOT ? 0 : decoded->values[slot];
}

bool
norn_isa_decoded_set(NornIsaDecoded *decoded, unsigned field, uint32_t value) {
  uint8_t slot = decoded->encoding->slots[field];
  if (slot == NORN_ISA_NO_SLOT ||
      value > norn_isa_mask(norn_isa_field_width(&decoded->encoding->fields[slot])))
    return false;
  decoded->values[slot] = value;
  return true;
}
