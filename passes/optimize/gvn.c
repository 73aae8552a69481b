/* Value numbering: replaces an instruction by an equal one that dominates it.
 *
 * Two instructions are equal if their operations, types, modifiers, immediates and operands are
 * (commutative operands in any order). The blocks are walked in dominator-tree order with one hash
 * table; an entry whose block does not dominate the current one is replaced by the current
 * instruction. An instruction that looks at other lanes also needs the same lanes to be active,
 * which is certain within a block, up to a call: the last point where the active lanes changed is
 * part of its key. A load also needs the memory to be the same: the last write that it conflicts
 * with on any path is part of its key (ir/analysis/clobbers.h). If that is a store of the same
 * bytes, the load is replaced by the stored value, except in memory that helper invocations do not
 * write, or where an access outside of a buffer does nothing. A word is also taken from a group
 * that was loaded and split before, or from a long product of the same factors.
 *
 * In a block that is only reached by one edge of a branch, the branch's condition is known to be
 * true or false, and so is the opposite one. A value that it compared for equality with a constant
 * is that constant, or known not to be 0.
 *
 * Of two equal instructions with different flags, the one that stays keeps only the promises that
 * both made.
 *
 * A bitwise majority of three values selects by the exclusive or of two of them, and any two will
 * do: an existing exclusive or is used if the majority's own has no other use. */
#include "ir/analysis/clobbers.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define MAX_FACTS 8      /* of one value that are examined */
#define MAX_CONDITIONS 4 /* nesting depth of conditions */

/* What a value is known to be in all blocks that a block dominates, or that it is NOT_ZERO. */
#define NOT_ZERO ((NornRef)0)
typedef struct Fact {
  uint32_t block, next; /* next: of the value, + 1 */
  NornRef known;
} Fact;

typedef struct Numbering {
  bool changed, has_groups; /* has_groups: groups were loaded */
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  uint32_t *table; /* open addressing: instruction + 1, 0 = free */
  uint32_t mask;
  NornArena *arena;
  NornAccessSet writes; /* of the block so far */
  NornClobbers memory;  /* of the function; built at the first read */
  uint32_t *clobbers; /* by instruction, for reads and for instructions that look at other lanes */
  uint32_t lanes_since; /* the last change of active lanes: a block, or block count + call */
  NORN_LIST(Fact) facts;
  uint32_t *first_fact; /* by value: + 1, the latest */
  uint32_t value_count;
  uint32_t *uses; /* by value; counted at the first majority */
  uint32_t use_count;
  NornPassContext *context;
  bool may_simplify; /* more was done than to merge equal instructions */
} Numbering;

static bool
is_numbered(const NornFunction *function, const NornInst *inst) {
  return !norn_is_machine(inst) && !norn_has_effect(function, inst) && inst->op != NORN_OP_UNDEF &&
         inst->op != NORN_OP_ALLOCA && inst->op != NORN_OP_HELPER_INVOCATION;
}

/* Operand k for comparison: of a commutative operation, the lower of the first two comes first. */
static NornRef
operand(const Numbering *numbering, const NornInst *inst, unsigned k) {
  const NornRef *operands = norn_operands(numbering->function, inst);
  if (k < 2 && (norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE)) {
    bool is_ordered = operands[0] <= operands[1];
    return operands[is_ordered ? k : 1 - k];
  }
  return operands[k];
}

static uint32_t
hash(const Numbering *numbering, uint32_t index) {
  const NornInst *inst = norn_inst(numbering->function, index);
  uint64_t state = norn_hash_mix(norn_form_key(inst) ^ (uint64_t)numbering->clobbers[index] << 32,
                                 inst->payload);
  for (unsigned k = 0; k < inst->operand_count; k++)
    state = norn_hash_mix(state, operand(numbering, inst, k));
  return (uint32_t)state;
}

static bool
equal(const Numbering *numbering, uint32_t a_index, uint32_t b_index) {
  const NornInst *a = norn_inst(numbering->function, a_index);
  const NornInst *b = norn_inst(numbering->function, b_index);
  if (a->op != b->op || a->type != b->type || a->source_type != b->source_type ||
      a->modifier != b->modifier || a->payload != b->payload ||
      a->operand_count != b->operand_count || a->result_count != b->result_count ||
      numbering->clobbers[a_index] != numbering->clobbers[b_index])
    return false;
  for (unsigned k = 0; k < a->operand_count; k++)
    if (operand(numbering, a, k) != operand(numbering, b, k))
      return false;
  return true;
}

/* Finds the slot of an equal instruction, or the free slot for this one. */
static inline uint32_t
find_slot(const Numbering *numbering, uint32_t index) {
  uint32_t slot = hash(numbering, index) & numbering->mask;
  while (numbering->table[slot] && !equal(numbering, numbering->table[slot] - 1, index))
    slot = (slot + 1) & numbering->mask;
  return slot;
}

/* An equal instruction that dominates this one, + 1, or 0; and the slot for this one. */
static uint32_t
find_equal(const Numbering *numbering, uint32_t index, uint32_t *slot) {
  const NornFunction *function = numbering->function;
  *slot = find_slot(numbering, index);
  uint32_t found = numbering->table[*slot];
  bool dominates =
      found && norn_dominates(numbering->dominance, norn_inst(function, found - 1)->block,
                              norn_inst(function, index)->block);
  return dominates ? found : 0;
}

static void
merge_flags(NornInst *kept, const NornInst *removed) {
  uint16_t exact = (kept->flags | removed->flags) & NORN_INST_EXACT;
  kept->flags = (kept->flags & removed->flags & (uint16_t)~NORN_INST_EXACT) | exact;
}

/* The value that the store which clobbers a load wrote to the bytes that it loads; 0 if unknown. */
static NornRef
stored_value(const Numbering *numbering, const NornMemoryAccess *read, uint32_t load,
             uint32_t clobber) {
  NornFunction *function = numbering->function;
  const NornInst *inst = norn_inst(function, load);
  if (clobber >= numbering->memory.first_start)
    return 0;
  const NornInst *store = norn_inst(function, clobber);
  bool is_pair = (inst->op == NORN_OP_LOAD_SCRATCH && store->op == NORN_OP_STORE_SCRATCH) ||
                 (inst->op == NORN_OP_LOAD_SHARED && store->op == NORN_OP_STORE_SHARED) ||
                 (inst->op == NORN_OP_LOAD_GLOBAL && store->op == NORN_OP_STORE_GLOBAL &&
                  function->module->stage != NORN_STAGE_FRAGMENT);
  NornMemoryAccess write;
  if (!is_pair || !norn_describe_access(function, clobber, &write) ||
      norn_alias(&write, read) != NORN_MUST_ALIAS)
    return 0;
  NornRef value =
      norn_replacements_get(&numbering->replacements, norn_operand(function, clobber, 0));
  if (store->type == inst->type || norn_is_constant(value))
    return value;
  if (norn_types[store->type].class == NORN_CLASS_GROUP ||
      norn_types[inst->type].class == NORN_CLASS_GROUP)
    return 0;
  NornBuilder builder = norn_builder_in_place_of(function, load);
  return norn_build_bitcast(&builder, inst->type, store->type, value);
}

/* Records a write, or finds the clobber of a read. Returns the value read if it was stored before,
 * or 0. */
static NornRef
number_access(Numbering *numbering, const NornMemoryAccess *access, uint32_t index) {
  NornClobbers *memory = &numbering->memory;
  if (access->writes) {
    norn_access_set_add(&numbering->writes, access);
    return 0;
  }
  if (!memory->function)
    norn_clobbers_init(memory, numbering->arena, numbering->function, numbering->dominance);
  uint32_t clobber = norn_find_clobber(memory, access, norn_inst(numbering->function, index)->block,
                                       &numbering->writes);
  numbering->clobbers[index] = clobber;
  return stored_value(numbering, access, index, clobber);
}

/* --- Words of loaded groups --- */

/* Whether a group of `bytes` bytes that ends with the word that the instruction loads is inside the
 * buffer if that word is. This holds if the group cannot begin at the other end of the address
 * space: it fits into a block of the address's known alignment. */
static bool
does_not_wrap(const Numbering *numbering, const NornInst *inst, unsigned bytes) {
  const NornFunction *function = numbering->function;
  NornRef address = norn_operands(function, inst)[inst->operand_count - 1];
  int64_t begin = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET) + 4 - (int64_t)bytes;
  int64_t room = INT64_C(1) << MIN(norn_known_zeros(function, address), 31);
  return begin >= 0 && begin % room + bytes <= room;
}

/* The instruction directly after the load that splits the loaded group, or NULL. */
static const NornInst *
split_behind(const NornFunction *function, const NornInst *load) {
  const NornInst *next = load->next != NORN_INDEX_NONE ? norn_inst(function, load->next) : NULL;
  return next && next->op == NORN_OP_SPLIT &&
                 norn_operands(function, next)[0] == norn_ref(NORN_REF_VALUE, load->result)
             ? next
             : NULL;
}

/* The word that the instruction loads, if a group that contains it was loaded before; else 0. */
static NornRef
word_of_group(const Numbering *numbering, uint32_t index) {
  enum { MAX_WORDS = 4 };
  NornFunction *function = numbering->function;
  NornInst *inst = norn_inst(function, index);
  const NornInst load = *inst;
  uint64_t space = norn_ops[inst->op].flags & NORN_OP_SPACES;
  bool is_load = inst->op == NORN_OP_LOAD_GLOBAL || inst->op == NORN_OP_LOAD_SHARED ||
                 inst->op == NORN_OP_LOAD_BUFFER || inst->op == NORN_OP_LOAD_CONSTANT;
  if (!is_load || !numbering->has_groups || norn_type_bits(inst->type) != 32)
    return 0;
  for (unsigned words = 2; words <= MAX_WORDS; words++)
    for (unsigned k = space & NORN_OP_BUFFERS ? words - 1 : 0; k < words; k++) {
      int64_t offset = norn_immediate(load.payload, NORN_IMMEDIATE_OFFSET) - 4 * (int64_t)k;
      if (offset < norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) ||
          (space & NORN_OP_BUFFERS && !does_not_wrap(numbering, &load, 4 * words)))
        continue;
      inst->type = (uint8_t)norn_group_of_words(words);
      inst->payload = norn_set_immediate(load.payload, NORN_IMMEDIATE_OFFSET, offset);
      uint32_t found = numbering->table[find_slot(numbering, index)];
      *inst = load;
      NornInst *group = found ? norn_inst(function, found - 1) : NULL;
      const NornInst *split = group ? split_behind(function, group) : NULL;
      if (split && norn_type_bits(split->type) == 32 &&
          norn_dominates(numbering->dominance, group->block, load.block)) {
        NornRef word = norn_ref(NORN_REF_VALUE, split->result + k);
        NornType type = split->type;
        group->flags &= load.flags | (uint16_t)~NORN_INST_COARSE;
        NornBuilder builder = norn_builder_in_place_of(function, index);
        return norn_build_cast(&builder, load.type, type, word);
      }
    }
  return 0;
}

/* The low word of a long product of the same factors, if the instruction is their product and a
 * long one was computed before; else 0. */
static NornRef
low_of_product(const Numbering *numbering, uint32_t index) {
  static const NornOp products[] = {NORN_OP_UMULX, NORN_OP_SMULX};
  NornFunction *function = numbering->function;
  NornInst *inst = norn_inst(function, index);
  const NornInst saved = *inst;
  if (inst->op != NORN_OP_IMUL || inst->type != NORN_TYPE_I32)
    return 0;
  for (size_t k = 0; k < G_N_ELEMENTS(products); k++) {
    inst->op = (uint16_t)products[k];
    inst->type = NORN_TYPE_VOID;
    uint32_t found = numbering->table[find_slot(numbering, index)];
    *inst = saved;
    const NornInst *product = found ? norn_inst(function, found - 1) : NULL;
    if (!product || !norn_dominates(numbering->dominance, product->block, inst->block))
      continue;
    NornRef result = norn_ref(NORN_REF_VALUE, product->result);
    NornBuilder builder = norn_builder_in_place_of(function, index);
    return norn_build_trunc(&builder, NORN_TYPE_I32, NORN_TYPE_I64, result);
  }
  return 0;
}

/* Replaces every use of the instruction by the value. */
static void
replace(Numbering *numbering, uint32_t index, NornRef value) {
  const NornInst *inst = norn_inst(numbering->function, index);
  for (unsigned k = 0; k < inst->result_count; k++)
    norn_replacements_set(&numbering->replacements, inst->result + k, value + k);
  norn_inst_erase(numbering->function, index);
  numbering->changed = true;
}

/* --- Facts from branches --- */

/* Records what a value is known to be in a block, and what follows from that. */
static void
learn(Numbering *numbering, uint32_t block, NornRef ref, NornRef known, unsigned depth) {
  NornFunction *function = numbering->function;
  uint32_t value = norn_ref_payload(ref);
  if (norn_ref_kind(ref) != NORN_REF_VALUE || value >= numbering->value_count)
    return;
  Fact fact = {block, numbering->first_fact[value], known};
  norn_list_push(numbering->arena, &numbering->facts, fact);
  numbering->first_fact[value] = numbering->facts.count;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || norn_is_machine(inst) || !depth || known == NOT_ZERO)
    return;
  const NornRef *operands = norn_operands(function, inst);
  bool is_true = norn_constant_bits(function->module, known);
  if (inst->type == NORN_TYPE_I1 && inst->op == (is_true ? NORN_OP_AND : NORN_OP_OR))
    for (unsigned k = 0; k < 2; k++)
      learn(numbering, block, operands[k], known, depth - 1);
  else if (inst->op == NORN_OP_ICMP &&
           inst->modifier == (is_true ? NORN_INT_CONDITION_EQ : NORN_INT_CONDITION_NE) &&
           norn_is_constant(operands[1]))
    learn(numbering, block, operands[0], operands[1], 0);
  else if (inst->op == NORN_OP_ICMP &&
           inst->modifier == (is_true ? NORN_INT_CONDITION_NE : NORN_INT_CONDITION_EQ) &&
           operands[1] == norn_constant(function->module, 0))
    learn(numbering, block, operands[0], NOT_ZERO, 0);
}

/* Records the value of the branch condition that led to the block if it has only one
 * predecessor. */
static void
learn_condition(Numbering *numbering, uint32_t block) {
  NornFunction *function = numbering->function;
  if (norn_predecessor_count(numbering->dominance, block) != 1)
    return;
  uint32_t last = norn_block_terminator(function, norn_predecessor(numbering->dominance, block, 0));
  if (norn_inst(function, last)->op != NORN_OP_BR)
    return;
  bool holds = norn_edge_of(function, last, 0).block == block;
  learn(numbering, block, norn_operand(function, last, 0), norn_constant(function->module, holds),
        MAX_CONDITIONS);
}

/* The latest fact about the value that holds in the block, NULL if there is none. */
static const Fact *
find_fact(const Numbering *numbering, NornRef ref, uint32_t block) {
  uint32_t value = norn_ref_payload(ref);
  if (norn_ref_kind(ref) != NORN_REF_VALUE || value >= numbering->value_count)
    return NULL;
  uint32_t next = numbering->first_fact[value];
  for (unsigned k = 0; next && k < MAX_FACTS; k++) {
    const Fact *fact = &numbering->facts.items[next - 1];
    if (norn_dominates(numbering->dominance, fact->block, block))
      return fact;
    next = fact->next;
  }
  return NULL;
}

/* The value, or what it is known to be in the block. */
static NornRef
known_value(const Numbering *numbering, NornRef ref, uint32_t block) {
  const Fact *fact = find_fact(numbering, ref, block);
  return fact && fact->known != NOT_ZERO ? fact->known : ref;
}

/* Whether the instruction searches for the lowest one bit of a number that is not 0. */
static bool
finds_bit(const Numbering *numbering, const NornInst *inst) {
  if (inst->op != NORN_OP_FIND_LSB)
    return false;
  const Fact *fact = find_fact(numbering, norn_operands(numbering->function, inst)[0], inst->block);
  return fact && fact->known == NOT_ZERO;
}

static void
update_operands(Numbering *numbering, uint32_t index) {
  NornFunction *function = numbering->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef old = operands[k], ref = norn_replacements_get(&numbering->replacements, old);
    operands[k] = known_value(numbering, ref, inst->block);
    if (operands[k] != ref)
      numbering->changed = numbering->may_simplify = true;
    for (unsigned other = 0; old != operands[k] && other < inst->operand_count; other++)
      numbering->may_simplify |= other != k && operands[other] == operands[k];
  }
}

/* What the comparison is known to be because the opposite one, which was made before, is known;
 * else 0. The instruction stands in for the opposite one during the lookup. */
static NornRef
known_by_opposite(const Numbering *numbering, uint32_t index) {
  NornInst *inst = norn_inst(numbering->function, index);
  const uint8_t condition = inst->modifier;
  if (inst->op != NORN_OP_ICMP && inst->op != NORN_OP_FCMP)
    return 0;
  inst->modifier = (uint8_t)(inst->op == NORN_OP_ICMP ? norn_inverse_int_condition(condition)
                                                      : norn_inverse_float_condition(condition));
  uint32_t found = numbering->table[find_slot(numbering, index)];
  inst->modifier = condition;
  if (!found)
    return 0;
  NornModule *module = numbering->function->module;
  uint32_t opposite = norn_inst(numbering->function, found - 1)->result;
  NornRef known = known_value(numbering, norn_ref(NORN_REF_VALUE, opposite), inst->block);
  return norn_is_constant(known) ? norn_constant(module, !norn_constant_bits(module, known)) : 0;
}

/* --- Majorities --- */

/* The number of uses of the value; values created by this pass count as unused. */
static uint32_t
use_count(const Numbering *numbering, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE && norn_ref_payload(ref) < numbering->use_count
             ? numbering->uses[norn_ref_payload(ref)]
             : 0;
}

/* An existing, used exclusive or of `a` and `b` that dominates the instruction; 0 if there is none.
 * The instruction stands in for the exclusive or during the lookup. */
static NornRef
find_difference(const Numbering *numbering, uint32_t index, NornRef a, NornRef b) {
  NornInst *inst = norn_inst(numbering->function, index);
  NornRef *operands = norn_operands(numbering->function, inst);
  const NornInst saved = *inst;
  const NornRef first[2] = {operands[0], operands[1]};
  inst->op = NORN_OP_XOR;
  inst->operand_count = 2;
  operands[0] = a;
  operands[1] = b;
  uint32_t found = numbering->table[find_slot(numbering, index)];
  *inst = saved;
  operands[0] = first[0];
  operands[1] = first[1];
  if (!found)
    return 0;
  const NornInst *difference = norn_inst(numbering->function, found - 1);
  NornRef result = norn_ref(NORN_REF_VALUE, difference->result);
  return norn_dominates(numbering->dominance, difference->block, inst->block) &&
                 use_count(numbering, result)
             ? result
             : 0;
}

/* Handles a bitwise majority of three values: where the mask, the exclusive or of two of them, is
 * set, the two differ and the third decides. */
static void
share_difference(Numbering *numbering, uint32_t index) {
  NornRef *operands = norn_operands(numbering->function, norn_inst(numbering->function, index));
  const NornInst *mask = norn_defining_inst(numbering->function, operands[0]);
  if (!mask || mask->op != NORN_OP_XOR)
    return;
  const NornRef *both = norn_operands(numbering->function, mask);
  NornRef pair[2] = {norn_replacements_get(&numbering->replacements, both[0]),
                     norn_replacements_get(&numbering->replacements, both[1])};
  NornRef third = operands[1];
  if (operands[2] != pair[0] && operands[2] != pair[1])
    return;
  if (!numbering->uses) {
    numbering->uses = norn_pass_use_counts(numbering->context, numbering->function);
    numbering->use_count = numbering->function->value_count;
  }
  for (unsigned k = 0; k < 2 && use_count(numbering, operands[0]) == 1; k++) {
    NornRef difference = find_difference(numbering, index, third, pair[k]);
    if (!difference)
      continue;
    numbering->uses[norn_ref_payload(operands[0])]--;
    numbering->uses[norn_ref_payload(difference)]++;
    operands[0] = difference;
    operands[1] = pair[1 - k];
    operands[2] = pair[k];
    numbering->changed = numbering->may_simplify = true;
    return;
  }
}

/* Whether the instruction adds or subtracts what one of its operands has been computed with. */
static bool
may_cancel(const NornFunction *function, const NornInst *inst) {
  if (inst->op != NORN_OP_IADD && inst->op != NORN_OP_ISUB)
    return false;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *term = norn_defining_inst(function, operands[k]);
    const NornRef *terms = term ? norn_operands(function, term) : NULL;
    if (term && (term->op == NORN_OP_IADD || term->op == NORN_OP_ISUB) &&
        (terms[0] == operands[1 - k] || terms[1] == operands[1 - k]))
      return true;
  }
  return false;
}

static void
number_inst(Numbering *numbering, uint32_t index) {
  NornFunction *function = numbering->function;
  NornInst *inst = norn_inst(function, index);
  update_operands(numbering, index);
  numbering->may_simplify |= numbering->changed && may_cancel(function, inst);
  if (inst->op == NORN_OP_BITSELECT)
    share_difference(numbering, index);
  NornMemoryAccess access;
  NornRef stored = 0;
  if (norn_describe_access(function, index, &access))
    stored = number_access(numbering, &access, index);
  if (stored) {
    replace(numbering, index, stored);
    numbering->may_simplify = true;
    return;
  }
  if (inst->op == NORN_OP_CALL)
    numbering->lanes_since = function->block_count + index;
  if (!is_numbered(function, inst))
    return;
  if (norn_ops[inst->op].flags & NORN_OP_CONVERGENT)
    numbering->clobbers[index] = numbering->lanes_since;
  uint32_t slot, found = find_equal(numbering, index, &slot);
  if (!found && finds_bit(numbering, inst)) {
    inst->op = NORN_OP_CTZ; /* needs no test for 0 */
    numbering->changed = true;
    found = find_equal(numbering, index, &slot);
  }
  if (!found) {
    NornRef word = word_of_group(numbering, index);
    word = word ? word : low_of_product(numbering, index);
    word = word ? word : known_by_opposite(numbering, index);
    if (word)
      replace(numbering, index, word);
    else
      numbering->table[slot] = index + 1;
    numbering->may_simplify |= word != 0;
    numbering->has_groups |= norn_types[inst->type].class == NORN_CLASS_GROUP;
    return;
  }
  NornInst *kept = norn_inst(function, found - 1);
  merge_flags(kept, inst);
  replace(numbering, index, norn_ref(NORN_REF_VALUE, kept->result));
}

bool
norn_pass_gvn(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Numbering numbering = {.function = function,
                         .context = context,
                         .arena = &context->arena,
                         .replacements.arena = &context->arena};
  uint64_t size = 16;
  while (size < (uint64_t)function->inst_count * 2)
    size *= 2;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  numbering.dominance = dominance;
  numbering.mask = (uint32_t)(size - 1);
  numbering.table = NORN_NEW0(&context->arena, uint32_t, size);
  numbering.clobbers = NORN_NEW0(&context->arena, uint32_t, function->inst_count);
  numbering.value_count = function->value_count;
  numbering.first_fact = NORN_NEW0(&context->arena, uint32_t, function->value_count);
  norn_access_set_init(&numbering.writes, &context->arena, NORN_MAX_WRITES);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    norn_access_set_clear(&numbering.writes);
    numbering.lanes_since = dominance->order[k];
    learn_condition(&numbering, dominance->order[k]);
    for (uint32_t inst = norn_block(function, dominance->order[k])->first, next;
         inst != NORN_INDEX_NONE; inst = next) {
      if (!norn_pass_continues(context, 1))
        break;
      next = norn_inst(function, inst)->next;
      number_inst(&numbering, inst);
    }
  }
  norn_replacements_apply(&numbering.replacements, function);
  bool is_awaited = context->awaits_numbering && !context->is_numbered;
  context->is_numbered = true;
  if (!numbering.may_simplify && !is_awaited && !context->awaits_uses)
    context->spared = UINT64_C(1) << NORN_PASS_SIMPLIFY;
  norn_pass_report(context, numbering.changed || is_awaited);
  return true;
}
