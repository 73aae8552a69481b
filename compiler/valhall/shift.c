/* Shifts, rotations and bitwise logic.
 *
 * One family of instructions computes [not] (shift(a, n) op [not] c) for every width: the shift and
 * the complements are folded in if they have no other users. Some operations on words are selected
 * as other instructions first, because these run on the unit with four times the rate: extracting
 * bytes and halves, doubling, moving a half up, swapping halves, flipping the sign bit. */
#include "compiler/valhall/valhall.h"
#include "ir/analysis/ranges.h"
#include "ir/ops.h"
#include <stdlib.h>

typedef enum { LEFT, RIGHT, RIGHT_SIGNED, ROTATE_LEFT, ROTATE_RIGHT, SHIFTS } Shift;
typedef enum { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGICS } Logic;

/* Lanes of the operation. */
typedef enum { WORD, HALVES, BYTES, LONG, SHAPES } Shape;

#define SHAPES_OF(name)                                                                            \
  {                                                                                                \
    NORN_VALHALL_##name##_I32, NORN_VALHALL_##name##_V2I16, NORN_VALHALL_##name##_V4I8,            \
        NORN_VALHALL_##name##_I64                                                                  \
  }
#define LOGICS_OF(name)                                                                            \
  { SHAPES_OF(name##_AND), SHAPES_OF(name##_OR), SHAPES_OF(name##_XOR) }

static const uint16_t instructions[SHIFTS][LOGICS][SHAPES] = {
    [LEFT] = LOGICS_OF(LSHIFT),         [RIGHT] = LOGICS_OF(RSHIFT),
    [RIGHT_SIGNED] = LOGICS_OF(RSHIFT), [ROTATE_LEFT] = LOGICS_OF(LROT),
    [ROTATE_RIGHT] = LOGICS_OF(RROT),
};

/* shift(value, amount); amount 0: none. */
typedef struct Shifted {
  Shift shift;
  NornRef value, amount;
} Shifted;

static Shape
shape_of(NornType type) {
  switch (type) {
  case NORN_TYPE_I64:
    return LONG;
  case NORN_TYPE_I16:
  case NORN_TYPE_V2I16:
    return HALVES;
  case NORN_TYPE_I8:
  case NORN_TYPE_V4I8:
    return BYTES;
  default:
    return WORD;
  }
}

static bool
shift_of(unsigned op, Shift *shift) {
  switch (op) {
  case NORN_OP_SHL:
    *shift = LEFT;
    return true;
  case NORN_OP_LSHR:
    *shift = RIGHT;
    return true;
  case NORN_OP_ASHR:
    *shift = RIGHT_SIGNED;
    return true;
  case NORN_OP_ROTL:
    *shift = ROTATE_LEFT;
    return true;
  case NORN_OP_ROTR:
    *shift = ROTATE_RIGHT;
    return true;
  default:
    return false;
  }
}

static bool
logic_of(unsigned op, Logic *logic) {
  switch (op) {
  case NORN_OP_AND:
    *logic = LOGIC_AND;
    return true;
  case NORN_OP_OR:
    *logic = LOGIC_OR;
    return true;
  case NORN_OP_XOR:
    *logic = LOGIC_XOR;
    return true;
  default:
    return false;
  }
}

/* Matches `ref` as a shift of that type without other uses. */
static bool
match_shift(const NornSelector *selector, NornRef ref, NornType type, Shifted *shifted) {
  const NornInst inst = norn_select_definition(selector, ref);
  if (inst.op == NORN_OP_NONE || inst.type != type || !norn_select_is_only_use(selector, ref) ||
      !shift_of(inst.op, &shifted->shift))
    return false;
  shifted->value = norn_valhall_operand_of(selector, &inst, 0);
  shifted->amount = norn_valhall_operand_of(selector, &inst, 1);
  return true;
}

/* Strips a complement. */
static bool
match_not(const NornSelector *selector, NornRef *ref, NornType type) {
  const NornInst inst = norn_select_definition(selector, *ref);
  if (inst.op != NORN_OP_NOT || inst.type != type)
    return false;
  *ref = norn_valhall_operand_of(selector, &inst, 0);
  return true;
}

/* The amounts are in the low bytes of the lanes. A scalar fills only the first lane, but a constant
 * may fill all of them, for which the table has more entries. */
static void
add_amount(NornValhallInst *machine, NornRef amount, NornType type) {
  uint64_t bits;
  if (!amount)
    norn_valhall_constant(machine, 0);
  else if (type == NORN_TYPE_I16 && norn_select_constant(machine->selector, amount, &bits))
    norn_valhall_constant(machine, (uint32_t)bits * 0x00010001);
  else if (type == NORN_TYPE_I8 && norn_select_constant(machine->selector, amount, &bits))
    norn_valhall_constant(machine, (uint32_t)bits * 0x01010101);
  else
    norn_valhall_plain(machine, amount);
}

static bool
finish(NornSelector *selector, uint32_t inst, NornType type, Logic logic, const Shifted *shifted,
       NornRef other, bool not_other, bool not_result) {
  unsigned instruction = instructions[shifted->shift][logic][shape_of(type)];
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  if (shifted->shift == RIGHT_SIGNED)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SIGNED, 1);
  if (not_result)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_NOT_RESULT, 1);
  norn_valhall_source(&machine, shifted->value,
                      type == NORN_TYPE_I32 ? NORN_VALHALL_UNSIGNED : NORN_VALHALL_PLAIN, type);
  add_amount(&machine, shifted->amount, type);
  if (not_other)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_NOT2, 1);
  norn_valhall_plain(&machine, other ? other : norn_select_word(selector, 0));
  return norn_valhall_finish(&machine);
}

/* [not] (a op b), where a or b may be a shift and the other complemented. `logic_inst` is the and,
 * or, or exclusive or: the current instruction or one that it folds. */
static bool
select_logic(NornSelector *selector, uint32_t inst, const NornInst *logic_inst, Logic logic,
             bool not_result) {
  NornType type = logic_inst->type;
  NornRef refs[2] = {norn_valhall_operand_of(selector, logic_inst, 0),
                     norn_valhall_operand_of(selector, logic_inst, 1)};
  Shifted shifted = {LEFT, refs[0], 0};
  unsigned other = 1;
  bool is_complemented = false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = refs[k];
    is_complemented = norn_select_is_only_use(selector, ref) && match_not(selector, &ref, type);
    if (match_shift(selector, ref, type, &shifted)) {
      other = 1 - k;
      break;
    }
  }
  if (!shifted.amount) {
    /* Without a shift, either operand can be complemented if it is last. A constant is better
     * first, where it can be part of a table entry. */
    NornRef complemented = refs[0];
    bool has_constant = norn_is_constant(refs[1]);
    other = has_constant || match_not(selector, &complemented, type) ? 0 : 1;
    shifted.value = refs[1 - other];
  }
  NornRef last = refs[other];
  bool not_last = match_not(selector, &last, type);
  if (shifted.amount && is_complemented) {
    /* ~s & x is ~(s | ~x), and so on; ~s ^ x is ~(s ^ x). */
    not_result = !not_result;
    not_last ^= logic != LOGIC_XOR;
    logic = logic == LOGIC_AND ? LOGIC_OR : logic == LOGIC_OR ? LOGIC_AND : LOGIC_XOR;
  }
  return finish(selector, inst, type, logic, &shifted, last, not_last, not_result);
}

/* --- Cheaper instructions for words --- */

/* An extended byte or half of a word. */
static bool
select_subword(NornSelector *selector, uint32_t inst) {
  NornRef base, ref = norn_result(selector->function, inst, 0);
  unsigned subword;
  for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
    if (!norn_valhall_subword(selector, ref, is_signed, &base, &subword))
      continue;
    NornValhallInst machine = norn_valhall_begin(
        selector, inst, is_signed ? NORN_VALHALL_IADD_S32 : NORN_VALHALL_IADD_U32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, subword);
    norn_valhall_plain(&machine, base);
    norn_valhall_constant(&machine, 0);
    return norn_valhall_finish(&machine);
  }
  return false;
}

/* The maximum left shift that is a product with a table constant. */
#define MAX_FACTOR 7

/* Shifts and rotations by particular amounts. A shift reads three words, of which only two may be
 * uniform words or constants: for a uniform word, a product is better. */
static bool
select_cheap_shift(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  uint64_t amount;
  if (self.type != NORN_TYPE_I32 ||
      !norn_select_constant(selector, norn_select_operand(selector, inst, 1), &amount))
    return false;
  NornRef value = norn_select_operand(selector, inst, 0);
  bool is_rotation = self.op == NORN_OP_ROTL || self.op == NORN_OP_ROTR;
  if (self.op == NORN_OP_SHL && amount == 1) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_U32);
    norn_valhall_plain(&machine, value);
    norn_valhall_plain(&machine, value);
    return norn_valhall_finish(&machine);
  }
  if (amount == 16 && (is_rotation || self.op == NORN_OP_SHL)) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I16);
    if (is_rotation) {
      norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_HALF_H10);
      norn_valhall_plain(&machine, value);
    } else {
      norn_valhall_constant(&machine, 0);
    }
    norn_valhall_plain(&machine, value);
    return norn_valhall_finish(&machine);
  }
  if (self.op == NORN_OP_ASHR && amount == 31) {
    NornValhallInst machine = norn_valhall_compare_zero(selector, inst, NORN_VALHALL_ICMP_OR_S32,
                                                        NORN_VALHALL_CONDITION_LT, value);
    return norn_valhall_finish(&machine);
  }
  if (self.op == NORN_OP_SHL && amount <= MAX_FACTOR && norn_ref_kind(value) == NORN_REF_UNIFORM) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_IMUL_I32);
    norn_valhall_plain(&machine, value);
    norn_valhall_constant(&machine, UINT32_C(1) << amount);
    return norn_valhall_finish(&machine);
  }
  if (select_subword(selector, inst))
    return true;
  /* Halving the sum with 0 runs on another unit, which is less busy. */
  bool is_signed = self.op == NORN_OP_ASHR;
  unsigned average = is_signed ? NORN_VALHALL_HADD_S32 : NORN_VALHALL_HADD_U32;
  if (self.op == NORN_OP_SHL || is_rotation || amount != 1 || !norn_valhall_has(selector, average))
    return false;
  NornValhallInst machine = norn_valhall_begin(selector, inst, average);
  norn_valhall_source(&machine, value, is_signed ? NORN_VALHALL_SIGNED : NORN_VALHALL_UNSIGNED,
                      NORN_TYPE_I32);
  norn_valhall_constant(&machine, 0);
  return norn_valhall_finish(&machine);
}

/* How far a word moves to the left, if it is shifted by a constant and loses only bits that leave
 * the word. */
static bool
moves_left(NornSelector *selector, const Shifted *shifted, int *distance) {
  uint64_t amount;
  if ((shifted->shift != LEFT && shifted->shift != RIGHT) ||
      !norn_select_constant(selector, shifted->amount, &amount))
    return false;
  *distance = shifted->shift == LEFT ? (int)(amount & 31) : -(int)(amount & 31);
  return true;
}

/* A shift of some bits of a word, which may have been shifted before: one shift, and then those
 * bits. */
static bool
select_field_shift(NornSelector *selector, uint32_t inst, const Shifted *outer) {
  NornRef base;
  const NornInst mask = norn_select_definition(selector, outer->value);
  uint64_t bits;
  unsigned subword;
  int moved, moved_before = 0;
  if (norn_inst(selector->function, inst)->type != NORN_TYPE_I32 || mask.op != NORN_OP_AND ||
      !norn_select_is_only_use(selector, outer->value) || !moves_left(selector, outer, &moved) ||
      !norn_select_constant(selector, norn_valhall_operand_of(selector, &mask, 1), &bits) ||
      norn_valhall_subword(selector, outer->value, false, &base, &subword))
    return false;
  Shifted shifted = {LEFT, norn_valhall_operand_of(selector, &mask, 0), 0}, inner;
  if (match_shift(selector, shifted.value, NORN_TYPE_I32, &inner) &&
      moves_left(selector, &inner, &moved_before) && abs(moved + moved_before) < 32)
    shifted.value = inner.value;
  else
    moved_before = 0;
  if (norn_ref_kind(shifted.value) != NORN_REF_VALUE)
    return false;
  bits = moved > 0 ? bits << moved : bits >> -moved;
  moved += moved_before;
  shifted.shift = moved < 0 ? RIGHT : LEFT;
  shifted.amount = norn_select_word(selector, (uint64_t)abs(moved));
  return finish(selector, inst, NORN_TYPE_I32, LOGIC_AND, &shifted,
                norn_select_word(selector, bits), false, false);
}

/* Bits of a byte or half, which need not be extended before. */
static bool
select_masked_part(NornSelector *selector, uint32_t inst, uint32_t mask) {
  NornRef ref = norn_select_operand(selector, inst, 0), base;
  unsigned part;
  if (!norn_valhall_subword(selector, ref, false, &base, &part) &&
      !norn_valhall_subword(selector, ref, true, &base, &part))
    return false;
  unsigned first, count;
  norn_valhall_subword_bits(part, &first, &count);
  base = norn_valhall_register_of(selector, base);
  if (mask >> count || norn_ref_kind(base) != NORN_REF_VALUE)
    return false;
  NornRef bits = norn_select_word(selector, mask);
  Shifted shifted = {LEFT, bits, 0};
  if (first)
    shifted = (Shifted){RIGHT, base, norn_select_word(selector, first)};
  return finish(selector, inst, NORN_TYPE_I32, LOGIC_AND, &shifted, first ? bits : base, false,
                false);
}

/* and, or, exclusive or of a word with a constant. */
static bool
select_cheap_logic(NornSelector *selector, uint32_t inst, Logic logic) {
  const NornInst self = *norn_inst(selector->function, inst);
  uint64_t bits;
  if (self.type != NORN_TYPE_I32 ||
      !norn_select_constant(selector, norn_select_operand(selector, inst, 1), &bits))
    return false;
  if (logic == LOGIC_XOR && (bits == 0x80000000 || bits == 0xFFFFFFFF)) {
    /* Adding the sign bit flips it; -1 - x is the complement. */
    bool is_sign = bits == 0x80000000;
    NornValhallInst machine = norn_valhall_begin(
        selector, inst, is_sign ? NORN_VALHALL_IADD_IMM_I32 : NORN_VALHALL_ISUB_U32);
    if (is_sign)
      norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONSTANT, 0x80000000);
    else
      norn_valhall_constant(&machine, UINT32_MAX);
    norn_valhall_plain(&machine, norn_select_operand(selector, inst, 0));
    return norn_valhall_finish(&machine);
  }
  return logic == LOGIC_AND &&
         (select_subword(selector, inst) || select_masked_part(selector, inst, (uint32_t)bits));
}

/* --- 64-bit operations that only move words --- */

/* Whether word k of a 64-bit operand is known without an instruction: from an extended word, a
 * constant, or a shift by a whole word. */
static bool
find_word(NornSelector *selector, NornRef ref, unsigned k, NornRef *word) {
  const NornInst inst = norn_select_definition(selector, ref);
  uint64_t amount;
  if (norn_is_constant(ref)) {
    *word = norn_select_word_of(selector, ref, k, 2);
    return true;
  }
  if (inst.op == NORN_OP_ZEXT && inst.source_type == NORN_TYPE_I32) {
    *word = k ? norn_select_word(selector, 0) : norn_valhall_operand_of(selector, &inst, 0);
    return true;
  }
  if ((inst.op != NORN_OP_SHL && inst.op != NORN_OP_LSHR) ||
      !norn_select_constant(selector, norn_valhall_operand_of(selector, &inst, 1), &amount) ||
      amount != 32)
    return false;
  unsigned from = inst.op == NORN_OP_SHL ? 0 : 1;
  if (k == from) {
    *word = norn_select_word(selector, 0);
    return true;
  }
  NornRef value = norn_valhall_operand_of(selector, &inst, 0);
  if (!find_word(selector, value, from, word))
    *word = norn_select_word_of(selector, value, from, 2);
  return true;
}

static bool
is_zero(const NornSelector *selector, NornRef word) {
  uint64_t bits;
  return norn_select_constant(selector, word, &bits) && bits == 0;
}

/* A shift by a whole word, or an "or" or exclusive or in which each pair of words contains a 0. */
static bool
select_words(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornRef words[2];
  if (self.type != NORN_TYPE_I64)
    return false;
  if (self.op != NORN_OP_OR && self.op != NORN_OP_XOR) {
    NornRef ref = norn_result(selector->function, inst, 0);
    if (!find_word(selector, ref, 0, &words[0]) || !find_word(selector, ref, 1, &words[1]))
      return false;
    norn_select_collect(selector, inst, words, 2);
    return true;
  }
  NornRef refs[2] = {norn_select_operand(selector, inst, 0),
                     norn_select_operand(selector, inst, 1)};
  unsigned zero[2] = {2, 2}; /* by word: the operand whose word is 0 */
  for (unsigned k = 0; k < 2; k++)
    for (unsigned j = 0; j < 2; j++)
      if (find_word(selector, refs[j], k, &words[k]) && is_zero(selector, words[k]))
        zero[k] = j;
  if (zero[0] == 2 || zero[1] == 2)
    return false;
  for (unsigned k = 0; k < 2; k++)
    if (!find_word(selector, refs[1 - zero[k]], k, &words[k]))
      words[k] = norn_select_word_of(selector, refs[1 - zero[k]], k, 2);
  norn_select_collect(selector, inst, words, 2);
  return true;
}

NornRef
norn_valhall_low_word(NornSelector *selector, NornRef ref) {
  NornRef word;
  return find_word(selector, ref, 0, &word) ? word : norn_select_word_of(selector, ref, 0, 2);
}

/* The sum of a left-shifted value and one that is less than its lowest bit cannot carry: it is
 * equivalent to an "or". */
bool
norn_valhall_select_disjoint_sum(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  NornType type = norn_inst(function, inst)->type;
  if (type != NORN_TYPE_I32)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef other = norn_select_operand(selector, inst, 1 - k), base;
    Shifted shifted;
    uint64_t amount;
    unsigned part;
    if (!match_shift(selector, norn_select_operand(selector, inst, k), type, &shifted) ||
        shifted.shift != LEFT || !norn_select_constant(selector, shifted.amount, &amount) ||
        norn_valhall_subword(selector, other, false, &base, &part) ||
        norn_greatest_integer(function, norn_pass_dominance(selector->context, function),
                              &selector->replacements, other, type) >>
            (amount & 31))
      continue;
    return finish(selector, inst, type, LOGIC_OR, &shifted, other, false, false);
  }
  return false;
}

/* A complement: folded into the result of a logic operation without other uses; otherwise left to
 * the table of forms, except for 64 bits. */
static bool
select_not(NornSelector *selector, uint32_t inst, bool *is_selected) {
  NornFunction *function = selector->function;
  NornRef ref = norn_select_operand(selector, inst, 0);
  const NornInst inner = norn_select_definition(selector, ref);
  NornType type = norn_inst(function, inst)->type;
  Shifted shifted = {LEFT, ref, 0};
  Logic logic;
  *is_selected = true;
  if (inner.op != NORN_OP_NONE && inner.type == type && norn_select_is_only_use(selector, ref)) {
    if (logic_of(inner.op, &logic))
      return select_logic(selector, inst, &inner, logic, true);
    if (match_shift(selector, ref, type, &shifted))
      return finish(selector, inst, type, LOGIC_OR, &shifted, 0, false, true);
  }
  if (type == NORN_TYPE_I64)
    return finish(selector, inst, type, LOGIC_XOR, &shifted, 0, true, false);
  *is_selected = false;
  return true;
}

bool
norn_valhall_select_logic(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  Logic logic;
  Shifted shifted;
  if (self.op == NORN_OP_NOT) {
    bool is_selected;
    return select_not(selector, inst, &is_selected) && is_selected;
  }
  if (select_words(selector, inst))
    return true;
  if (logic_of(self.op, &logic))
    return select_cheap_logic(selector, inst, logic) ||
           select_logic(selector, inst, &self, logic, false);
  if (!shift_of(self.op, &shifted.shift))
    return false;
  if (select_cheap_shift(selector, inst))
    return true;
  shifted.value = norn_select_operand(selector, inst, 0);
  shifted.amount = norn_select_operand(selector, inst, 1);
  return select_field_shift(selector, inst, &shifted) ||
         finish(selector, inst, self.type, LOGIC_OR, &shifted, 0, false, false);
}
