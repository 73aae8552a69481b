/* Turns parallel copies into moves.
 *
 * Groups are split into words and collected again, which costs no code because the registers agree.
 * Words move in an order that overwrites nothing still needed; a word whose register is overwritten
 * is read from where it has been copied to. What remains are cycles. A free register breaks a
 * cycle; if there is none, two words are swapped by three exclusive ors. Constants and uniforms
 * come last. Every move defines a new value. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"
#include "passes/repair_ssa.h"

#define NOWHERE 0xFF

/* The move of one word. */
typedef struct WordMove {
  uint8_t from, to;
  uint8_t origin; /* NornOrigin */
  NornType type;
  uint32_t result; /* the value that holds it in `to` */
} WordMove;

/* Contents are identified by their initial register. */
typedef struct Sequence {
  NornAllocation *allocation;
  NornFunction *function;
  NornBuilder builder;
  NornRegisterSet free;
  WordMove *moves;
  unsigned count;
  uint8_t move_to[NORN_MAX_REGISTERS]; /* the move into this register, or NOWHERE */
  uint8_t where[NORN_MAX_REGISTERS];   /* current register of a content, or NOWHERE if not needed */
  uint8_t content[NORN_MAX_REGISTERS]; /* content that a register holds */
  NornRef name[NORN_MAX_REGISTERS];    /* current name of a content */
  bool done[NORN_MAX_REGISTERS];       /* by target register */
} Sequence;

/* Sets the register of a value and returns the value. */
static uint32_t
set_register(Sequence *sequence, NornRef ref, unsigned reg) {
  norn_value(sequence->function, norn_ref_payload(ref))->reg = (uint16_t)reg;
  return norn_ref_payload(ref);
}

static uint32_t
build_move(Sequence *sequence, NornType type, NornRef source, unsigned reg) {
  const NornTarget *target = sequence->allocation->context->target;
  return set_register(sequence, target->build_move(target, &sequence->builder, type, source), reg);
}

static NornRef
build_xor(Sequence *sequence, NornType type, NornRef a, NornRef b, unsigned reg) {
  const NornTarget *target = sequence->allocation->context->target;
  NornRef mixed = target->build_xor(target, &sequence->builder, type, a, b);
  set_register(sequence, mixed, reg);
  return mixed;
}

static WordMove *
move_into(Sequence *sequence, unsigned reg) {
  return &sequence->moves[sequence->move_to[reg]];
}

/* Records that the move into `reg` is done and that its content is now there. */
static void
complete(Sequence *sequence, unsigned reg, uint32_t value) {
  WordMove *move = move_into(sequence, reg);
  NORN_ASSERT(!sequence->done[reg] && norn_value(sequence->function, value)->reg == reg);
  move->result = value;
  sequence->done[reg] = true;
  sequence->where[move->from] = (uint8_t)reg;
  sequence->name[move->from] = norn_ref(NORN_REF_VALUE, value);
  sequence->content[reg] = move->from;
}

/* Moves into registers whose content is no longer needed, until there are none. */
static void
drain(Sequence *sequence, uint8_t *ready, unsigned count) {
  while (count) {
    unsigned to = ready[--count];
    WordMove *move = move_into(sequence, to);
    unsigned source = sequence->where[move->from];
    NornRef name = sequence->name[move->from];
    sequence->builder.origin = move->origin;
    complete(sequence, to, build_move(sequence, move->type, name, to));
    if (sequence->move_to[source] != NOWHERE && !sequence->done[source]) {
      ready[count++] = (uint8_t)source;
    } else { /* not overwritten: the next copy need not wait for this one */
      sequence->where[move->from] = (uint8_t)source;
      sequence->name[move->from] = name;
    }
  }
}

/* Swaps the contents of `to` and of the register that holds the content for `to`. */
static void
swap(Sequence *sequence, unsigned to) {
  WordMove *move = move_into(sequence, to);
  unsigned other = sequence->where[move->from], displaced = sequence->content[to];
  NORN_ASSERT(other != to && displaced != NOWHERE);
  NornRef wanted = sequence->name[move->from], mixed;
  NornType displaced_type = NORN_TYPE_I32;
  sequence->builder.origin = move->origin;
  for (unsigned i = 0; i < sequence->count; i++)
    if (sequence->moves[i].from == displaced)
      displaced_type = sequence->moves[i].type;
  mixed = build_xor(sequence, move->type, sequence->name[displaced], wanted, to);
  NornRef moved = build_xor(sequence, displaced_type, mixed, wanted, other);
  NornRef arrived = build_xor(sequence, move->type, mixed, moved, to);
  sequence->where[displaced] = (uint8_t)other;
  sequence->name[displaced] = moved;
  sequence->content[other] = (uint8_t)displaced;
  complete(sequence, to, norn_ref_payload(arrived));
}

static void
open_cycle(Sequence *sequence, unsigned to) {
  WordMove *move = move_into(sequence, to);
  if (sequence->where[move->from] == to) {
    complete(sequence, to, norn_ref_payload(sequence->name[move->from]));
    return;
  }
  unsigned displaced = sequence->content[to];
  NornType type = norn_value(sequence->function, norn_ref_payload(sequence->name[displaced]))->type;
  const NornRegisterModel *model = sequence->allocation->model;
  NornRegisterSet spares =
      norn_regs_common(sequence->free, model->members[model->types[type].class]);
  if (!norn_regs_any(spares)) {
    swap(sequence, to);
    return;
  }
  unsigned spare = norn_regs_lowest(spares);
  sequence->builder.origin = move->origin;
  uint32_t value = build_move(sequence, type, sequence->name[displaced], spare);
  sequence->where[displaced] = (uint8_t)spare;
  sequence->name[displaced] = norn_ref(NORN_REF_VALUE, value);
  drain(sequence, (uint8_t[NORN_MAX_REGISTERS]){(uint8_t)to}, 1);
}

/* A second name for a value that is already in its register. */
static uint32_t
build_alias(Sequence *sequence, NornType type, NornRef source, unsigned reg) {
  NornRef alias = norn_build_copy(&sequence->builder, type, source);
  return set_register(sequence, alias, reg);
}

static void
run_sequence(Sequence *sequence) {
  uint8_t ready[NORN_MAX_REGISTERS];
  unsigned ready_count = 0;
  for (unsigned i = 0; i < sequence->count; i++) {
    WordMove *move = &sequence->moves[i];
    if (move->from == move->to)
      complete(sequence, move->to,
               build_alias(sequence, move->type, sequence->name[move->from], move->to));
  }
  for (unsigned i = 0; i < sequence->count; i++) {
    unsigned to = sequence->moves[i].to;
    if (sequence->where[to] == NOWHERE)
      ready[ready_count++] = (uint8_t)to;
  }
  drain(sequence, ready, ready_count);
  for (unsigned i = 0; i < sequence->count; i++)
    if (!sequence->done[sequence->moves[i].to])
      open_cycle(sequence, sequence->moves[i].to);
}

static void
add_word(Sequence *sequence, const NornTransfer *item, unsigned k, NornOrigin origin, NornType type,
         NornRef name) {
  unsigned from = item->from + k, to = item->to + k;
  /* A parallel copy writes each register once, and each content has one name. */
  NORN_ASSERT(sequence->move_to[to] == NOWHERE && sequence->count < NORN_MAX_REGISTERS);
  sequence->move_to[to] = (uint8_t)sequence->count;
  sequence->moves[sequence->count++] =
      (WordMove){(uint8_t)from, (uint8_t)to, (uint8_t)origin, type, 0};
  sequence->where[from] = sequence->content[from] = (uint8_t)from;
  sequence->name[from] = name;
}

/* Splits the source of a transfer and queues its words. */
static void
queue_words(Sequence *sequence, const NornTransfer *item, NornOrigin origin) {
  NornFunction *function = sequence->function;
  NornType type = norn_value(function, norn_ref_payload(item->source))->type;
  if (item->words == 1) {
    add_word(sequence, item, 0, origin, type, item->source);
    return;
  }
  NornRef words[NORN_MACHINE_OPERANDS];
  norn_build_split(&sequence->builder, NORN_TYPE_I32, type, item->source, item->words, words);
  for (unsigned k = 0; k < item->words; k++) {
    set_register(sequence, words[k], item->from + k);
    add_word(sequence, item, k, origin, NORN_TYPE_I32, words[k]);
  }
}

/* Word k of a constant or uniform. */
static NornRef
word_of(NornModule *module, NornRef source, unsigned k) {
  if (norn_is_constant(source))
    return norn_constant(module, norn_constant_bits(module, source) >> 32 * k & UINT32_MAX);
  return norn_ref(norn_ref_kind(source), norn_ref_payload(source) + k);
}

static uint32_t
build_collect(Sequence *sequence, NornType type, const uint32_t *words, unsigned count,
              unsigned reg) {
  NornRef refs[NORN_MACHINE_OPERANDS];
  for (unsigned k = 0; k < count; k++)
    refs[k] = norn_ref(NORN_REF_VALUE, words[k]);
  NornRef group = norn_build_collect(&sequence->builder, NORN_TYPE_I32, type, count, refs);
  return set_register(sequence, group, reg);
}

/* The instruction's type for the operand in that slot. */
static NornType
slot_type(const NornFunction *function, uint32_t inst, uint32_t slot) {
  const NornInst *self = norn_inst(function, inst);
  NornType type = norn_operand_type(function, inst, slot - self->operand);
  return type == NORN_TYPE_VOID ? NORN_TYPE_I32 : type;
}

/* The value in the target of a transfer. */
static uint32_t
arrive(Sequence *sequence, const NornTransfer *item, uint32_t inst) {
  uint32_t words[NORN_MACHINE_OPERANDS];
  bool is_value = norn_ref_kind(item->source) == NORN_REF_VALUE;
  NornType type = is_value ? norn_value(sequence->function, norn_ref_payload(item->source))->type
                           : slot_type(sequence->function, inst, item->operand);
  for (unsigned k = 0; k < item->words; k++)
    words[k] = is_value
                   ? move_into(sequence, item->to + k)->result
                   : build_move(sequence, item->words == 1 ? type : NORN_TYPE_I32,
                                word_of(sequence->function->module, item->source, k), item->to + k);
  return item->words == 1 ? words[0] : build_collect(sequence, type, words, item->words, item->to);
}

/* The reason for a transfer. */
static NornOrigin
origin_of(const NornFunction *function, const NornParallelCopy *copy, const NornTransfer *item) {
  const NornInst *inst = norn_inst(function, copy->inst);
  unsigned op = inst->op;
  if (op == NORN_OP_SPLIT)
    return NORN_ORIGIN_GROUP;
  if (item->operand == NORN_INDEX_NONE)
    return NORN_ORIGIN_ROOM;
  return op == NORN_OP_JUMP      ? NORN_ORIGIN_ARGUMENT
         : op == NORN_OP_COLLECT ? NORN_ORIGIN_GROUP
         : op != NORN_OP_COPY    ? NORN_ORIGIN_FIXED
         : inst->origin          ? (NornOrigin)inst->origin
                                 : NORN_ORIGIN_COPY;
}

static void
insert_copy(NornAllocation *allocation, const NornParallelCopy *copy, NornIndexList *root) {
  NornFunction *function = allocation->function;
  WordMove moves[NORN_MAX_REGISTERS];
  Sequence sequence = {
      .allocation = allocation,
      .function = function,
      .builder = copy->after ? norn_builder_after(function, copy->inst)
                             : norn_builder_before(function, copy->inst),
      .free = copy->free,
      .moves = moves,
  };
  const NornTransfer *items = allocation->transfers.items + copy->first;
  for (unsigned reg = 0; reg < NORN_MAX_REGISTERS; reg++)
    sequence.move_to[reg] = sequence.where[reg] = sequence.content[reg] = NOWHERE;
  for (uint32_t i = 0; i < copy->count; i++)
    if (norn_ref_kind(items[i].source) == NORN_REF_VALUE)
      queue_words(&sequence, &items[i], origin_of(function, copy, &items[i]));
  run_sequence(&sequence);
  for (uint32_t i = 0; i < copy->count; i++) {
    sequence.builder.origin = (uint8_t)origin_of(function, copy, &items[i]);
    uint32_t value = arrive(&sequence, &items[i], copy->inst);
    norn_grow_roots(allocation->arena, root, function->value_count);
    if (items[i].operand == NORN_INDEX_NONE)
      root->items[value] = norn_ref_payload(items[i].source);
    else
      *norn_operand_at(function, items[i].operand) = norn_ref(NORN_REF_VALUE, value);
  }
}

void
norn_insert_copies(NornAllocation *allocation, NornIndexList *root) {
  norn_grow_roots(allocation->arena, root, allocation->function->value_count);
  for (uint32_t i = 0; i < allocation->copies.count; i++)
    insert_copy(allocation, &allocation->copies.items[i], root);
}
