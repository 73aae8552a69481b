/* Value numbering: replaces an instruction by an equal one that dominates it.
 *
 * Two instructions are equal if operation, types, modifier, immediates and operands are
 * (commutative operands in any order). The blocks are walked in dominator-tree order with one hash
 * table; an entry whose block does not dominate the present one is replaced by the present
 * instruction. A load also needs the memory to be the same: the last write of the block that it
 * conflicts with (ir/analysis/alias.h), or else the start of the block, is part of its key; so no
 * load is equal to one of another block.
 *
 * Of two equal instructions with different flags the one that stays promises only what both did. */
#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define MOST_WRITES 16 /* kept apart */

typedef struct Numbering {
  bool changed;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  uint32_t *table; /* open addressing: instruction + 1, 0 = free */
  uint32_t mask;
  NornAccessSet writes; /* of the block so far; their tags count up */
  uint32_t clobber;     /* the last tag given */
  uint32_t start;       /* the tag of the block's start */
  uint32_t *clobbers;   /* by instruction: tag of the last write that a load conflicts with */
} Numbering;

static bool
is_numbered(const NornInst *inst) {
  const uint64_t forbidden = NORN_OP_WRITES_MEMORY | NORN_OP_PINNED | NORN_OP_CONVERGENT |
                             NORN_OP_ORDERS | NORN_OP_TERMINATOR;
  return !norn_is_machine(inst) && inst->result_count && inst->op != NORN_OP_UNDEF &&
         inst->op != NORN_OP_ALLOCA && !(norn_ops[inst->op].flags & forbidden);
}

/* The operands as they are compared: of a commutative operation, the lower of the first two first.
 */
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
  uint64_t sum = inst->op | (uint64_t)inst->type << 16 | (uint64_t)inst->source_type << 24 |
                 (uint64_t)inst->modifier << 32;
  sum = (sum ^ inst->payload ^ (uint64_t)numbering->clobbers[index] << 32) *
        UINT64_C(0x9E3779B97F4A7C15);
  for (unsigned k = 0; k < inst->operand_count; k++)
    sum = (sum ^ (sum >> 29) ^ operand(numbering, inst, k)) * UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(sum ^ (sum >> 32));
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

/* Finds the slot of an equal instruction, or the free one where this one belongs. */
static uint32_t
find_slot(const Numbering *numbering, uint32_t index) {
  uint32_t slot = hash(numbering, index) & numbering->mask;
  while (numbering->table[slot] && !equal(numbering, numbering->table[slot] - 1, index))
    slot = (slot + 1) & numbering->mask;
  return slot;
}

static void
merge_flags(NornInst *kept, const NornInst *removed) {
  uint8_t exact = (kept->flags | removed->flags) & NORN_INST_EXACT;
  kept->flags = (kept->flags & removed->flags & (uint8_t)~NORN_INST_EXACT) | exact;
}

/* Remembers a write; finds the last one that a read conflicts with. */
static void
number_access(Numbering *numbering, NornMemoryAccess *access, uint32_t index) {
  unsigned end = numbering->writes.count;
  if (access->writes) {
    access->tag = ++numbering->clobber;
    norn_access_set_add(&numbering->writes, access);
    return;
  }
  const NornMemoryAccess *write = norn_access_set_conflict(&numbering->writes, access, &end);
  numbering->clobbers[index] = write ? write->tag : numbering->start;
}

static void
number_inst(Numbering *numbering, uint32_t index) {
  NornFunction *function = numbering->function;
  NornInst *inst = norn_inst(function, index);
  for (unsigned k = 0; k < inst->operand_count; k++)
    norn_set_operand(
        function, index, k,
        norn_replacements_get(&numbering->replacements, norn_operand(function, index, k)));
  NornMemoryAccess access;
  if (norn_describe_access(function, index, &access))
    number_access(numbering, &access, index);
  if (!is_numbered(inst))
    return;
  uint32_t slot = find_slot(numbering, index);
  uint32_t found = numbering->table[slot];
  if (!found ||
      !norn_dominates(numbering->dominance, norn_inst(function, found - 1)->block, inst->block)) {
    numbering->table[slot] = index + 1;
    return;
  }
  NornInst *kept = norn_inst(function, found - 1);
  merge_flags(kept, inst);
  for (unsigned k = 0; k < inst->result_count; k++)
    norn_replacements_set(&numbering->replacements, inst->result + k,
                          norn_ref(NORN_REF_VALUE, kept->result + k));
  norn_inst_erase(function, index);
  numbering->changed = true;
}

bool
norn_pass_gvn(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Numbering numbering = {.function = function, .replacements.arena = &context->arena};
  uint64_t size = 16;
  while (size < (uint64_t)function->inst_count * 2)
    size *= 2;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  numbering.dominance = dominance;
  numbering.mask = (uint32_t)(size - 1);
  numbering.table = NORN_NEW0(&context->arena, uint32_t, size);
  numbering.clobbers = NORN_NEW0(&context->arena, uint32_t, function->inst_count);
  norn_access_set_init(&numbering.writes, &context->arena, MOST_WRITES);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    norn_access_set_clear(&numbering.writes);
    numbering.start = ++numbering.clobber;
    for (uint32_t inst = norn_block(function, dominance->order[k])->first, next;
         inst != NORN_INDEX_NONE; inst = next) {
      if (!norn_pass_continues(context, 1))
        break;
      next = norn_inst(function, inst)->next;
      number_inst(&numbering, inst);
    }
  }
  norn_replacements_apply(&numbering.replacements, function);
  norn_pass_report(context, numbering.changed);
  return true;
}
