/* Combine moves: replaces two moves to neighboring registers with one instruction.
 *
 * A 64-bit sum with 0 copies an aligned pair of registers, or makes two constants if the first is
 * in the table of constants and the second is 0. The unit is as busy as with two moves, but one
 * instruction less is issued. This pass runs after register allocation: it looks for two moves in
 * a block whose registers happen to be aligned pairs, one of which can be moved to the other. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/builder.h"
#include "ir/replacements.h"
#include "passes/machine_code.h"

/* A partner of a move is searched for within MAX_DISTANCE instructions. */
enum { MAX_DISTANCE = 64, REGISTER_PAIRS = 64 / 2 };

/* A move that waits for its partner. */
typedef struct PendingMove {
  uint32_t inst;
  unsigned reg;      /* its destination */
  NornRef source;    /* a value or a constant */
  unsigned distance; /* number of later instructions; the registers that they touch and change */
  NornRegisterSet touched, changed;
} PendingMove;

typedef struct MoveCombiner {
  NornPassContext *context;
  NornFunction *function;
  PendingMove pending[REGISTER_PAIRS]; /* by the register pair of the destination */
  uint32_t is_pending;                 /* bit set */
  NornReplacements replacements;
} MoveCombiner;

/* Whether the value is a constant, made by itself or as half of a pair. */
static bool
find_constant(const MoveCombiner *self, NornRef value, uint32_t *constant) {
  const NornFunction *function = self->function;
  const NornTarget *target = self->context->target;
  const NornInst *def = norn_defining_inst(function, value);
  NornRef source = 0;
  if (!def)
    return false;
  if (norn_is_machine(def) && norn_valhall_is_move(target, function, def, &source, constant))
    return !source;
  if (def->op != NORN_OP_SPLIT)
    return false;
  const NornInst *pair = norn_defining_inst(function, norn_operands(function, def)[0]);
  if (!pair || !norn_is_machine(pair) ||
      !norn_valhall_is_constant_pair(target, function, pair, constant))
    return false;
  *constant = norn_ref_payload(value) == def->result ? *constant : 0;
  return true;
}

/* Turns copies of constants into constants: they can form other pairs, and the originals may become
 * dead. */
static bool
copy_constants(MoveCombiner *self, uint32_t block) {
  NornFunction *function = self->function;
  const NornTarget *target = self->context->target;
  bool changed = false;
  for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
       index = next) {
    const NornInst *inst = norn_inst(function, index);
    NornRef source = 0;
    uint32_t constant;
    next = inst->next;
    if (!norn_is_machine(inst) ||
        !norn_valhall_is_move(target, function, inst, &source, &constant) || !source ||
        !find_constant(self, norn_replacements_get(&self->replacements, source), &constant))
      continue;
    NornBuilder builder = norn_builder_before(function, index);
    builder.origin = inst->origin;
    NornRef copy = norn_valhall_build_move(target, &builder, inst->type,
                                           norn_constant(function->module, constant));
    inst = norn_inst(function, index);
    norn_value(function, norn_ref_payload(copy))->reg = norn_value(function, inst->result)->reg;
    norn_replacements_set(&self->replacements, inst->result, copy);
    norn_inst_erase(function, index);
    changed = true;
  }
  return changed;
}

/* Whether the instruction copies a register or makes a constant, and could be half of a pair. */
static bool
describe_move(const MoveCombiner *self, uint32_t index, PendingMove *move) {
  const NornFunction *function = self->function;
  const NornInst *inst = norn_inst(function, index);
  uint32_t constant = 0;
  if (!norn_is_machine(inst) ||
      !norn_valhall_is_move(self->context->target, function, inst, &move->source, &constant) ||
      norn_type_words(inst->type) != 1)
    return false;
  move->source = move->source ? norn_replacements_get(&self->replacements, move->source)
                              : norn_constant(function->module, constant);
  move->inst = index;
  move->reg = norn_value(function, inst->result)->reg;
  if (norn_is_constant(move->source))
    return move->reg % 2 == 0 || !norn_constant_bits(function->module, move->source);
  return norn_ref_kind(move->source) == NORN_REF_VALUE &&
         norn_value(function, norn_ref_payload(move->source))->reg % 2 == move->reg % 2;
}

static unsigned
source_register(const MoveCombiner *self, const PendingMove *move) {
  return norn_value(self->function, norn_ref_payload(move->source))->reg;
}

/* Whether the sources form a pair: two registers or two constants. */
static bool
sources_match(const MoveCombiner *self, const PendingMove *low, const PendingMove *high) {
  if (norn_is_constant(low->source) || norn_is_constant(high->source))
    return norn_is_constant(low->source) && norn_is_constant(high->source);
  return source_register(self, low) + 1 == source_register(self, high);
}

/* Whether a move can be moved across instructions that touch and change these registers. */
static bool
may_cross(const MoveCombiner *self, const PendingMove *move, NornRegisterSet touched,
          NornRegisterSet changed) {
  return !norn_regs_has(touched, move->reg) &&
         (norn_is_constant(move->source) || !norn_regs_has(changed, source_register(self, move)));
}

static NornRef
build_pair(MoveCombiner *self, NornBuilder *builder, const PendingMove *low,
           const PendingMove *high) {
  NornFunction *function = self->function;
  const NornTarget *target = self->context->target;
  NornRef zero = norn_build_bits(builder, 0);
  if (norn_is_constant(low->source))
    return norn_valhall_build_pair(target, builder, low->source, NORN_VALHALL_WIDEN_INTEGER_W0,
                                   zero);
  NornRef words[2] = {low->source, high->source};
  NornRef source = norn_build_collect(builder, NORN_TYPE_I32, NORN_TYPE_I64, 2, words);
  norn_value(function, norn_ref_payload(source))->reg = (uint8_t)source_register(self, low);
  return norn_valhall_build_pair(target, builder, source, NORN_VALHALL_WIDEN_INTEGER_NONE, zero);
}

/* Replaces two moves with one instruction at the position of `at`; false if it is not legal. */
static bool
combine(MoveCombiner *self, uint32_t at, const PendingMove *low, const PendingMove *high) {
  NornFunction *function = self->function;
  NornBuilder builder = norn_builder_before(function, at);
  builder.origin = norn_inst(function, low->inst)->origin;
  NornRef pair = build_pair(self, &builder, low, high), words[2];
  uint32_t sum = norn_builder_last(&builder);
  if (!norn_valhall_is_legal(self->context->target, function, norn_inst(function, sum), 0)) {
    norn_inst_erase(function, sum);
    return false;
  }
  norn_value(function, norn_ref_payload(pair))->reg = (uint8_t)low->reg;
  norn_build_split(&builder, NORN_TYPE_I32, NORN_TYPE_I64, pair, 2, words);
  const PendingMove *moves[2] = {low, high};
  for (unsigned k = 0; k < 2; k++) {
    norn_value(function, norn_ref_payload(words[k]))->reg = (uint8_t)moves[k]->reg;
    norn_replacements_set(&self->replacements, norn_inst(function, moves[k]->inst)->result,
                          words[k]);
    norn_inst_erase(function, moves[k]->inst);
  }
  return true;
}

/* Combines the move with the pending one of the same pair, if possible. */
static bool
find_partner(MoveCombiner *self, const PendingMove *move) {
  const PendingMove *first = &self->pending[move->reg / 2];
  if (!(self->is_pending >> move->reg / 2 & 1) || first->reg == move->reg)
    return false;
  const PendingMove *low = move->reg % 2 ? first : move, *high = move->reg % 2 ? move : first;
  bool may_sink = may_cross(self, first, first->touched, first->changed);
  if (!sources_match(self, low, high) ||
      (!may_sink && !may_cross(self, move, first->touched, first->changed)))
    return false;
  return combine(self, may_sink ? move->inst : first->inst, low, high);
}

static void
pass_registers(MoveCombiner *self, NornRegisterSet touched, NornRegisterSet changed) {
  for (uint32_t rest = self->is_pending; rest; rest &= rest - 1) {
    unsigned k = (unsigned)__builtin_ctz(rest);
    PendingMove *pending = &self->pending[k];
    norn_regs_add(&pending->touched, touched);
    norn_regs_add(&pending->changed, changed);
    if (++pending->distance == MAX_DISTANCE)
      self->is_pending &= ~(UINT32_C(1) << k);
  }
}

static bool
combine_in_block(MoveCombiner *self, uint32_t block) {
  NornFunction *function = self->function;
  bool any = false;
  self->is_pending = 0;
  for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
       index = next) {
    const NornInst *inst = norn_inst(function, index);
    next = inst->next;
    PendingMove move = {0};
    bool is_move = describe_move(self, index, &move);
    if (!is_move && !self->is_pending)
      continue;
    NornRegisterSet changed = norn_registers_changed(self->context->target, function, inst);
    NornRegisterSet touched = norn_regs_union(changed, norn_registers_read(function, inst));
    uint32_t pair = UINT32_C(1) << move.reg / 2;
    if (is_move && find_partner(self, &move)) {
      any = true;
      is_move = false;
      self->is_pending &= ~pair;
      norn_regs_add_range(&changed, move.reg & ~1u, 2);
      if (!norn_is_constant(move.source))
        norn_regs_add_range(&touched, source_register(self, &move) & ~1u, 2);
      norn_regs_add(&touched, changed);
    }
    pass_registers(self, touched, changed);
    if (is_move) {
      self->pending[move.reg / 2] = move;
      self->is_pending |= pair;
    }
  }
  return any;
}

bool
norn_valhall_combine_moves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  MoveCombiner *self = NORN_NEW0(&context->arena, MoveCombiner, 1);
  *self = (MoveCombiner){
      .context = context, .function = function, .replacements.arena = &context->arena};
  bool changed = false;
  norn_for_each_block (function, block) {
    changed |= copy_constants(self, block);
    changed |= combine_in_block(self, block);
  }
  norn_replacements_apply(&self->replacements, function);
  norn_pass_report(context, changed);
  return true;
}
