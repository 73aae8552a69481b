/* A symbolic check of register allocation.
 *
 * Every word of every value of the program before allocation has a symbol; splits, collects and
 * copies define no new ones, so a word keeps its symbol wherever it is moved. The program after
 * allocation is executed on symbols, register by register, until the state at the start of each
 * block is stable (where two paths disagree, nothing is known about the register). Each
 * instruction that existed before must then find the symbols of its old operands in the
 * registers of its new ones. Moves copy symbols, and exclusive ors create and resolve pairs of
 * them; nothing else may have been added. The check does not use the values that allocation
 * created. */
#include "check/allocation.h"
#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include <string.h>

#define UNKNOWN 0 /* symbol: nothing is known */

typedef struct RegisterSymbols {
  bool reached;
  uint32_t symbol[NORN_MAX_REGISTERS];
} RegisterSymbols;

typedef struct AllocationCheck {
  const NornTarget *target;
  const NornRegisterModel *model;
  const NornFunction *function;
  const NornFunction *before;
  NornDominance *dominance;
  uint32_t *first_symbol; /* per value of the program before: index into `symbols` */
  GArray *symbols;        /* uint32_t, one for each word of each value */
  uint32_t symbol_count;
  GHashTable *literals;   /* key of a constant, uniform or pair -> symbol */
  GArray *pairs;          /* PairSymbol */
  RegisterSymbols *entry; /* per block */
  RegisterSymbols now;
  uint32_t inst;
  GError **error; /* NULL while states are not stable */
  bool reporting, failed;
} AllocationCheck;

typedef struct PairSymbol {
  uint32_t symbol, a, b;
} PairSymbol;

G_GNUC_PRINTF(2, 3)
static void
fail(AllocationCheck *check, const char *format, ...) {
  if (!check->reporting || check->failed)
    return;
  check->failed = true;
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  norn_inst_error(check->function, norn_inst(check->function, check->inst), NORN_ERROR_INVALID,
                  check->error, "wrong register allocation: %s", text);
  g_free(text);
}

/* --- Symbols --- */

static uint32_t
literal_symbol(AllocationCheck *check, unsigned kind, uint64_t payload) {
  gint64 key = (gint64)((uint64_t)kind << 60 ^ payload);
  gpointer found = g_hash_table_lookup(check->literals, &key);
  if (found)
    return GPOINTER_TO_UINT(found);
  uint32_t symbol = ++check->symbol_count;
  g_hash_table_insert(check->literals, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(symbol));
  return symbol;
}

static uint32_t
value_symbol(const AllocationCheck *check, uint32_t value, unsigned word) {
  return g_array_index(check->symbols, uint32_t, check->first_symbol[value] + word);
}

/* The symbol of a word of an operand. */
static uint32_t
operand_symbol(AllocationCheck *check, NornRef ref, unsigned word) {
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return value_symbol(check, norn_ref_payload(ref), word);
  case NORN_REF_CONSTANT:
    return literal_symbol(check, NORN_REF_CONSTANT,
                          norn_constant_bits(check->function->module, ref) >> 32 * word &
                              UINT32_MAX);
  default:
    return literal_symbol(check, norn_ref_kind(ref), norn_ref_payload(ref) + word);
  }
}

static uint32_t
xor_symbol(AllocationCheck *check, uint32_t a, uint32_t b) {
  if (a == UNKNOWN || b == UNKNOWN)
    return UNKNOWN;
  for (unsigned i = 0; i < check->pairs->len; i++) {
    const PairSymbol *pair = &g_array_index(check->pairs, PairSymbol, i);
    if (pair->symbol == a && (pair->a == b || pair->b == b))
      return pair->a == b ? pair->b : pair->a;
    if (pair->symbol == b && (pair->a == a || pair->b == a))
      return pair->a == a ? pair->b : pair->a;
    if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a))
      return pair->symbol;
  }
  PairSymbol pair = {++check->symbol_count, a, b};
  g_array_append_val(check->pairs, pair);
  return pair.symbol;
}

static unsigned
words_of(const NornFunction *before, uint32_t value) {
  return norn_type_words(norn_value(before, value)->type);
}

static void
add_symbol(AllocationCheck *check, uint32_t symbol) {
  g_array_append_val(check->symbols, symbol);
}

/* Symbols for the results of an instruction of the program before. */
static void
name_results(AllocationCheck *check, const NornInst *inst) {
  const NornRef *operands = norn_operands(check->before, inst);
  for (unsigned k = 0; k < inst->result_count; k++) {
    uint32_t value = inst->result + k;
    check->first_symbol[value] = check->symbols->len;
    for (unsigned word = 0; word < words_of(check->before, value); word++) {
      uint32_t symbol;
      if (inst->op == NORN_OP_COLLECT)
        symbol = operand_symbol(check, operands[word], 0);
      else if (inst->op == NORN_OP_SPLIT)
        symbol = operand_symbol(check, operands[0], k);
      else if (inst->op == NORN_OP_COPY)
        symbol = operand_symbol(check, operands[0], word);
      else
        symbol = ++check->symbol_count;
      add_symbol(check, symbol);
    }
  }
}

static void
name_values(AllocationCheck *check) {
  const NornFunction *before = check->before;
  for (uint32_t i = 0; i < check->dominance->order_count; i++) {
    const NornBlock *block = norn_block(before, check->dominance->order[i]);
    for (unsigned k = 0; k < block->parameter_count; k++) {
      uint32_t value = before->parameters[block->parameter + k];
      check->first_symbol[value] = check->symbols->len;
      for (unsigned word = 0; word < words_of(before, value); word++)
        add_symbol(check, ++check->symbol_count);
    }
    for (uint32_t k = block->first; k != NORN_INDEX_NONE; k = norn_inst(before, k)->next)
      name_results(check, norn_inst(before, k));
  }
}

/* --- Execution on symbols --- */

/* The first register of a value of the program after allocation; checks that a value of its type
 * may start there. */
static unsigned
register_of(AllocationCheck *check, uint32_t value, unsigned words) {
  const NornValue *self = norn_value(check->function, value);
  unsigned reg = self->reg, class = check->model->types[self->type].class;
  if (reg >= check->model->count || !norn_regs_has(check->model->starts[class][words], reg)) {
    fail(check, "value %u has no valid register", value);
    return 0;
  }
  return reg;
}

/* Sets a register to the symbol of a new definition; other registers with this symbol hold an
 * outdated value. */
static void
set_fresh(AllocationCheck *check, unsigned reg, uint32_t symbol) {
  for (unsigned r = 0; r < check->model->count; r++)
    if (check->now.symbol[r] == symbol)
      check->now.symbol[r] = UNKNOWN;
  check->now.symbol[reg] = symbol;
}

static void
expect_symbols(AllocationCheck *check, NornRef now, NornRef before) {
  if (norn_ref_kind(before) != NORN_REF_VALUE) {
    if ((now & ~NORN_REF_LAST_USE) != before)
      fail(check, "an operand that is not a value has changed");
    return;
  }
  uint32_t value = norn_ref_payload(before);
  unsigned words = words_of(check->before, value);
  if (norn_ref_kind(now) != NORN_REF_VALUE) {
    fail(check, "an operand is no longer a value");
    return;
  }
  unsigned reg = register_of(check, norn_ref_payload(now), words);
  for (unsigned word = 0; word < words; word++)
    if (check->now.symbol[reg + word] != value_symbol(check, value, word))
      fail(check, "r%u does not hold word %u of value %u", reg + word, word, value);
}

/* Whether the operand, if it is a value, is in a register where a pair may start. */
static bool
is_low_of_pair(const AllocationCheck *check, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return true;
  const NornValue *value = norn_value(check->function, norn_ref_payload(ref));
  return value->reg < check->model->count &&
         norn_regs_has(check->model->starts[check->model->types[value->type].class][2], value->reg);
}

/* Checks the registers that an instruction requires, and clobbers those that it destroys. */
static void
check_fixed(AllocationCheck *check, const NornInst *inst) {
  const NornTarget *target = check->target;
  const NornFunction *function = check->function;
  NornFixedRegisters fixed;
  if (!target->fixed_registers(target, function, inst, &fixed))
    return;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (fixed.operand[k] != NORN_NO_REGISTER &&
        norn_value(function, norn_ref_payload(operands[k]))->reg != fixed.operand[k])
      fail(check, "operand %u is not in r%u", k, fixed.operand[k]);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (fixed.low >> k & 1 && !is_low_of_pair(check, norn_operands(function, inst)[k]))
      fail(check, "operand %u is not in a register at which a pair can start", k);
  norn_for_each_register (reg, fixed.clobbered)
    check->now.symbol[reg] = UNKNOWN;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed.result[k] != NORN_NO_REGISTER &&
        norn_value(function, inst->result + k)->reg != fixed.result[k])
      fail(check, "result %u is not in r%u", k, fixed.result[k]);
}

static bool
is_pseudo(const NornInst *inst) {
  return inst->op == NORN_OP_COLLECT || inst->op == NORN_OP_SPLIT || inst->op == NORN_OP_COPY;
}

/* An operation that does not involve the machine. */
static bool
is_free(const NornInst *inst) {
  return inst->op == NORN_OP_PRELOAD || inst->op == NORN_OP_LOOP_ENTRY ||
         inst->op == NORN_OP_JUMP || inst->op == NORN_OP_END || inst->op == NORN_OP_UNREACHABLE;
}

/* Executes an instruction of the program before allocation. */
static void
run_old(AllocationCheck *check, const NornInst *inst) {
  const NornInst *old = norn_inst(check->before, check->inst);
  if (inst->op != old->op || inst->payload != old->payload) {
    fail(check, "it has become a different instruction");
    return;
  }
  unsigned operands = old->operand_count;
  norn_for_each_edge (check->function, check->inst, edge)
    operands = MIN(operands, edge.operand);
  for (unsigned k = 0; k < operands; k++)
    expect_symbols(check, norn_operands(check->function, inst)[k],
                   norn_operands(check->before, old)[k]);
  if (!is_free(inst))
    check_fixed(check, inst);
  for (unsigned k = 0; k < old->result_count; k++) {
    uint32_t value = old->result + k;
    unsigned words = words_of(check->before, value);
    unsigned reg = register_of(check, value, words);
    if (inst->op == NORN_OP_PRELOAD &&
        norn_constant_bits(check->function->module, norn_operands(check->before, old)[0]) != reg)
      fail(check, "a preloaded value is not in its register");
    for (unsigned word = 0; word < words; word++)
      set_fresh(check, reg + word, value_symbol(check, value, word));
  }
}

/* Executes a pseudo operation, old or new: it has no code, so the registers must match. */
static void
run_pseudo(AllocationCheck *check, const NornInst *inst) {
  const NornFunction *function = check->function;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    unsigned result = norn_value(function, inst->result)->reg, shift = 0;
    if (inst->op == NORN_OP_COLLECT)
      shift = k;
    if (norn_ref_kind(ref) != NORN_REF_VALUE ||
        norn_value(function, norn_ref_payload(ref))->reg != result + shift)
      fail(check, "operand %u of a pseudo-instruction is not in place", k);
  }
  for (unsigned k = 0; inst->op == NORN_OP_SPLIT && k < inst->result_count; k++)
    if (norn_value(function, inst->result + k)->reg != norn_value(function, inst->result)->reg + k)
      fail(check, "result %u of a split is not in place", k);
}

static bool
run_move(AllocationCheck *check, const NornInst *inst) {
  const NornTarget *target = check->target;
  const NornFunction *function = check->function;
  NornRef source, sources[2];
  uint32_t symbol, constant;
  if (target->is_move(target, function, inst, &source, &constant)) {
    if (!source)
      symbol = literal_symbol(check, NORN_REF_CONSTANT, constant);
    else if (norn_ref_kind(source) == NORN_REF_VALUE)
      symbol = check->now.symbol[register_of(check, norn_ref_payload(source), 1)];
    else
      symbol = operand_symbol(check, source, 0);
  } else if (target->is_xor(target, function, inst, sources)) {
    symbol =
        xor_symbol(check, check->now.symbol[register_of(check, norn_ref_payload(sources[0]), 1)],
                   check->now.symbol[register_of(check, norn_ref_payload(sources[1]), 1)]);
  } else {
    return false;
  }
  check->now.symbol[register_of(check, inst->result, 1)] = symbol;
  return true;
}

/* Moves the state along an edge: registers of arguments become those of parameters. */
static void
run_edge(AllocationCheck *check, const NornEdge *edge, RegisterSymbols *state) {
  const NornFunction *function = check->function;
  const NornBlock *block = norn_block(check->before, edge->block);
  const NornRef *now =
      norn_operands(function, norn_inst(function, check->inst)) + edge->operand + 1;
  const NornRef *old =
      norn_operands(check->before, norn_inst(check->before, check->inst)) + edge->operand + 1;
  *state = check->now;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, edge->block, k);
    if (norn_ref_kind(now[k]) != NORN_REF_VALUE ||
        norn_value(function, norn_ref_payload(now[k]))->reg != norn_value(function, parameter)->reg)
      fail(check, "argument %u is not in its parameter's register", k);
  }
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t parameter = check->before->parameters[block->parameter + k];
    unsigned words = words_of(check->before, parameter);
    unsigned reg = register_of(check, parameter, words);
    for (unsigned word = 0; word < words; word++) {
      if (check->now.symbol[reg + word] != operand_symbol(check, old[k], word))
        fail(check, "r%u does not hold word %u of argument %u", reg + word, word, k);
      for (unsigned r = 0; r < check->model->count; r++)
        if (state->symbol[r] == value_symbol(check, parameter, word))
          state->symbol[r] = UNKNOWN;
    }
  }
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t parameter = check->before->parameters[block->parameter + k];
    unsigned reg = norn_value(function, parameter)->reg;
    for (unsigned word = 0; word < words_of(check->before, parameter); word++)
      state->symbol[(reg + word) % NORN_MAX_REGISTERS] = value_symbol(check, parameter, word);
  }
}

static bool
merge(RegisterSymbols *into, const RegisterSymbols *from) {
  if (!into->reached) {
    *into = *from;
    return into->reached = true;
  }
  bool changed = false;
  for (unsigned reg = 0; reg < NORN_MAX_REGISTERS; reg++)
    if (into->symbol[reg] != UNKNOWN && into->symbol[reg] != from->symbol[reg]) {
      into->symbol[reg] = UNKNOWN;
      changed = true;
    }
  return changed;
}

/* Executes a block; returns whether the state at the start of some successor has changed. */
static bool
run_block(AllocationCheck *check, uint32_t block) {
  const NornFunction *function = check->function;
  uint32_t expected = norn_block(check->before, block)->first;
  check->now = check->entry[block];
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    check->inst = index;
    if (index < check->before->inst_count) {
      if (index != expected)
        fail(check, "the order of the instructions has changed");
      else
        expected = norn_inst(check->before, index)->next;
      if (is_pseudo(inst)) {
        run_pseudo(check, inst);
        continue;
      }
      run_old(check, inst);
    } else if (!run_move(check, inst)) {
      if (is_pseudo(inst))
        run_pseudo(check, inst);
      else
        fail(check, "an instruction other than a move was added");
    }
  }
  if (expected != NORN_INDEX_NONE)
    fail(check, "an instruction was lost");
  bool changed = false;
  norn_for_each_edge (function, norn_block(function, block)->last, edge) {
    RegisterSymbols state;
    run_edge(check, &edge, &state);
    changed |= merge(&check->entry[edge.block], &state);
  }
  return changed;
}

bool
norn_check_allocation(const NornTarget *target, const NornFunction *function,
                      const NornFunction *before, GError **error) {
  NornArena arena = {0};
  AllocationCheck check = {
      .target = target,
      .model = &target->registers,
      .function = function,
      .before = before,
      .dominance = norn_dominance_new(&arena, function),
      .first_symbol = g_new0(uint32_t, before->value_count + 1),
      .symbols = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .literals = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
      .pairs = g_array_new(FALSE, FALSE, sizeof(PairSymbol)),
      .entry = g_new0(RegisterSymbols, function->block_count),
      .error = error,
  };
  name_values(&check);
  check.entry[function->block_order[0]].reached = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < check.dominance->order_count; i++)
      changed |= run_block(&check, check.dominance->order[i]);
  }
  check.reporting = true;
  for (uint32_t i = 0; i < check.dominance->order_count; i++)
    run_block(&check, check.dominance->order[i]);
  norn_arena_free(&arena);
  g_free(check.first_symbol);
  g_array_free(check.symbols, TRUE);
  g_hash_table_destroy(check.literals);
  g_array_free(check.pairs, TRUE);
  g_free(check.entry);
  return !check.failed;
}
