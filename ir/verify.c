/* Checks every rule of the IR: structure first (indexes, lists), since all else relies on it, then
 * types, dominance, terminators, arguments, immediates, stages, uniforms and registers.
 *
 * Blocks are walked in program order; a use is right if its definition was passed in the same block
 * or stands in a block that dominates this one. Linear but for dominance, which is nearly so. */
#include "ir/analysis/dominance.h"
#include "ir/analysis/path_outputs.h"
#include "ir/diagnostics.h"
#include "ir/ops.h"
#include "ir/text/printer.h"
#include <stdlib.h>
#include <string.h>

/* Most invocations of a workgroup, bytes of memory it can share, and bytes an invocation can have
 * for itself: what every driver of the hardware grants. */
#define WORKGROUP_LIMIT 1024
#define SHARED_LIMIT 32768
#define SCRATCH_LIMIT (1u << 20)
/* Bytes of varyings that a vertex can have: far more than interfaces grant, and every location can
 * be named by an instruction. */
#define VARYING_LIMIT 4096
/* As many as the immediate can name. */
#define COLOR_TARGETS 8

/* A generic instruction found right in what does not depend on its operands. */
typedef struct CachedSignature {
  uint64_t key; /* 0: none */
  NornSignature signature;
} CachedSignature;

typedef struct Verifier {
  NornArena arena;
  const NornModule *module;
  const NornFunction *function;
  const NornDominance *dominance;
  NornDiagnostics diagnostics;
  uint32_t block, inst;     /* being checked */
  const NornFau *fau;       /* likewise, NULL if none */
  uint32_t *seen_in;        /* by value: the block in which its definition was passed */
  bool *is_placed;          /* by block: whether it is in the order; made when first asked for */
  NornLocations *locations; /* made at the first fault that needs them */
  bool is_broken;           /* too much so for locations */
  bool has_path_outputs;    /* something of property ALL_PATHS was seen */
  uint8_t color_formats[COLOR_TARGETS + 1]; /* of stores; + 1, 0: none; last: second color */
  CachedSignature known[NORN_FORM_SLOTS];
} Verifier;

/* --- Messages --- */

static const char *
inst_name(const NornInst *inst) {
  return norn_is_machine(inst) ? "the machine instruction" : norn_ops[inst->op].name;
}

/* Whether the instruction follows `previous` in the list of the block. */
static bool
is_linked(const NornFunction *function, uint32_t block, uint32_t inst, uint32_t previous) {
  return inst < function->inst_count && norn_inst(function, inst)->previous == previous &&
         norn_inst(function, inst)->block == block;
}

static bool
has_operation(const NornModule *module, const NornInst *inst) {
  return norn_is_machine(inst) ? module->machine != NULL
                               : inst->op != NORN_OP_NONE && inst->op < NORN_OP_COUNT;
}

/* Whether the runs of operands and results lie in their arrays. */
static bool
has_runs(const NornFunction *function, const NornInst *inst) {
  return (uint64_t)inst->operand + inst->operand_count <= function->operand_count &&
         (uint64_t)inst->result + inst->result_count <= function->value_count;
}

static bool
has_parameter_run(const NornFunction *function, const NornBlock *block) {
  return !block->parameter_count ||
         (uint64_t)block->parameter + block->parameter_count <= function->parameter_count;
}

/* Whether all that printing walks along is there. */
static bool
is_printable(const NornModule *module, const NornFunction *function) {
  for (uint32_t i = 0; i < function->block_order_count; i++) {
    uint32_t index = function->block_order[i], previous = NORN_INDEX_NONE;
    if (index >= function->block_count)
      return false;
    const NornBlock *block = norn_block(function, index);
    if (!has_parameter_run(function, block))
      return false;
    for (unsigned k = 0; k < block->parameter_count; k++)
      if (norn_block_parameter(function, index, k) >= function->value_count)
        return false;
    for (uint32_t at = block->first; at != NORN_INDEX_NONE; at = norn_inst(function, at)->next) {
      if (!is_linked(function, index, at, previous) ||
          !has_operation(module, norn_inst(function, at)) ||
          !has_runs(function, norn_inst(function, at)))
        return false;
      previous = at;
    }
  }
  return true;
}

/* What tells locations, NULL if the module is too broken for that. */
static NornLocations *
get_locations(Verifier *v) {
  if (v->locations || v->is_broken)
    return v->locations;
  for (uint32_t i = 0; i < v->module->function_count && !v->is_broken; i++)
    v->is_broken = !is_printable(v->module, v->module->functions[i]);
  if (!v->is_broken)
    v->locations = norn_locations_new(v->module);
  return v->locations;
}

/* The location of a text, or where the current block or instruction is. */
static void
diagnose(Verifier *v, const char *message) {
  const NornFunction *function = v->function;
  uint32_t line = norn_line(function, v->block, v->inst);
  if (v->fau && v->fau->line)
    norn_diagnose(&v->diagnostics, v->fau->line, v->fau->column, "%s", message);
  else if (line)
    norn_diagnose(&v->diagnostics, line,
                  v->inst == NORN_INDEX_NONE ? 1 : MAX(norn_inst(function, v->inst)->column, 1),
                  "%s", message);
  else if (v->block == NORN_INDEX_NONE)
    norn_diagnose(&v->diagnostics, 0, 0, "@%s: %s", norn_string(v->module, function->name),
                  message);
  else if (get_locations(v))
    norn_diagnose(&v->diagnostics, 0, 0, "%s: %s",
                  norn_location(v->locations, function, v->block, v->inst), message);
  else
    norn_diagnose(&v->diagnostics, 0, 0, "@%s, block number %u: %s",
                  norn_string(v->module, function->name), v->block, message);
}

/* Notes a fault of the current block or instruction. */
G_GNUC_PRINTF(2, 3)
static void
fault(Verifier *v, const char *format, ...) {
  if (norn_diagnostics_full(&v->diagnostics))
    return;
  va_list arguments;
  va_start(arguments, format);
  char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  diagnose(v, message);
  g_free(message);
}

/* "%name" as it is printed, or "value 12", for a message. */
#define VALUE_NAME_SIZE 80
static const char *
value_name(Verifier *v, uint32_t value, char out[VALUE_NAME_SIZE]) {
  uint32_t name = norn_value(v->function, value)->name;
  const char *shown =
      get_locations(v) ? norn_location_of_value(v->locations, v->function, value) : NULL;
  if (shown)
    g_strlcpy(out, shown, VALUE_NAME_SIZE);
  else if (name)
    g_snprintf(out, VALUE_NAME_SIZE, "%%%s", norn_string(v->module, name));
  else
    g_snprintf(out, VALUE_NAME_SIZE, "value %u", value);
  return out;
}

/* --- Structure --- */

static bool
check_ref(Verifier *v, NornRef ref, unsigned k) {
  const NornFunction *function = v->function;
  uint32_t payload = norn_ref_payload(ref), limit;
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    limit = function->value_count;
    break;
  case NORN_REF_CONSTANT:
    limit = v->module->constants.count;
    break;
  case NORN_REF_UNIFORM:
    limit = NORN_UNIFORM_WORDS;
    break;
  case NORN_REF_BLOCK:
    limit = function->block_count;
    break;
  case NORN_REF_FUNCTION:
    limit = v->module->function_count;
    break;
  case NORN_REF_SPECIAL:
    limit = v->module->machine ? UINT32_MAX : 0;
    break;
  default:
    limit = 0;
  }
  if (payload < limit && (!(ref & NORN_REF_LAST_USE) || norn_ref_kind(ref) == NORN_REF_VALUE))
    return true;
  fault(v, "%s: operand %u is no valid reference (0x%08x)", inst_name(norn_inst(function, v->inst)),
        k + 1, ref);
  return false;
}

/* That the instruction's runs lie in their arrays and its results know it. */
static bool
check_inst_structure(Verifier *v) {
  const NornFunction *function = v->function;
  const NornInst *inst = norn_inst(function, v->inst);
  if (!has_operation(v->module, inst)) {
    fault(v, "no operation has the number %u", inst->op);
    return false;
  }
  if (!has_runs(function, inst)) {
    fault(v, "%s: operands or results are out of bounds", inst_name(inst));
    return false;
  }
  bool ok = true;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    bool is_value = ref >> 28 == NORN_REF_VALUE && norn_ref_payload(ref) < function->value_count;
    ok &= is_value || check_ref(v, ref, k);
  }
  for (unsigned k = 0; k < inst->result_count; k++) {
    const NornValue *value = norn_value(function, inst->result + k);
    if (value->def == v->inst && !value->is_parameter && value->index == k &&
        value->type < NORN_TYPE_COUNT && value->type != NORN_TYPE_VOID)
      continue;
    char name[VALUE_NAME_SIZE];
    fault(v, "%s: result %u (%s) does not belong to it or has no type", inst_name(inst), k + 1,
          value_name(v, inst->result + k, name));
    ok = false;
  }
  return ok;
}

static bool
check_parameters_structure(Verifier *v) {
  const NornFunction *function = v->function;
  const NornBlock *block = norn_block(function, v->block);
  if (!has_parameter_run(function, block)) {
    fault(v, "the parameters are out of bounds");
    return false;
  }
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, v->block, k);
    const NornValue *value =
        parameter < function->value_count ? norn_value(function, parameter) : NULL;
    if (value && value->is_parameter && value->def == v->block && value->index == k &&
        value->type < NORN_TYPE_COUNT && value->type != NORN_TYPE_VOID)
      continue;
    fault(v, "parameter %u does not belong to the block or has no type", k + 1);
    return false;
  }
  return true;
}

/* The doubly linked list of a block's instructions. */
static bool
check_block_structure(Verifier *v) {
  const NornFunction *function = v->function;
  const NornBlock *block = norn_block(function, v->block);
  uint32_t previous = NORN_INDEX_NONE;
  bool ok = check_parameters_structure(v);
  for (uint32_t inst = block->first; inst != NORN_INDEX_NONE;
       inst = norn_inst(function, inst)->next) {
    if (!is_linked(function, v->block, inst, previous)) {
      fault(v, "the list of instructions is broken");
      return false;
    }
    v->inst = inst;
    ok &= check_inst_structure(v);
    v->inst = NORN_INDEX_NONE;
    previous = inst;
    if (norn_diagnostics_full(&v->diagnostics))
      return false;
  }
  if (block->last == previous)
    return ok;
  fault(v, "the list of instructions is broken");
  return false;
}

static bool
check_structure(Verifier *v) {
  const NornFunction *function = v->function;
  NornArenaMark mark = norn_arena_mark(&v->arena);
  bool *placed = NORN_NEW0(&v->arena, bool, function->block_count);
  bool ok = true;
  for (uint32_t i = 0; i < function->block_order_count && ok; i++) {
    uint32_t block = function->block_order[i];
    ok = block < function->block_count && !placed[block];
    if (ok)
      placed[block] = true;
    else
      fault(v, "the order of blocks is broken");
  }
  for (uint32_t i = 0; i < function->block_order_count && ok; i++) {
    v->block = function->block_order[i];
    ok = check_block_structure(v);
  }
  for (uint32_t i = 0; i < function->block_order_count && ok; i++) {
    v->block = function->block_order[i];
    uint32_t last = norn_block_terminator(function, v->block);
    if (last == NORN_INDEX_NONE)
      continue;
    v->inst = last;
    norn_for_each_edge (function, last, edge) {
      if (!placed[edge.block]) {
        fault(v, "%s leads to a block that was removed", inst_name(norn_inst(function, last)));
        ok = false;
      }
    }
    v->inst = NORN_INDEX_NONE;
  }
  v->block = v->inst = NORN_INDEX_NONE;
  norn_arena_release(&v->arena, mark);
  return ok;
}

/* --- Operands --- */

/* Whether the block is in the program order, not deleted. */
static bool
is_placed(Verifier *v, uint32_t home) {
  const NornFunction *function = v->function;
  if (!v->is_placed) {
    v->is_placed = g_new0(bool, function->block_count);
    norn_for_each_block (function, block)
      v->is_placed[block] = true;
  }
  return v->is_placed[home];
}

/* That the value's definition comes before the current instruction on every path. */
static bool
is_available(Verifier *v, uint32_t value) {
  const NornFunction *function = v->function;
  const NornValue *self = norn_value(function, value);
  if (self->def == NORN_INDEX_NONE)
    return false;
  uint32_t home = self->def;
  if (!self->is_parameter) {
    if (norn_inst(function, home)->op == NORN_OP_NONE)
      return false;
    home = norn_inst(function, home)->block;
  }
  if (home == v->block)
    return v->seen_in[value] == v->block;
  if (home == NORN_INDEX_NONE)
    return false;
  const NornDominance *dominance = v->dominance;
  if (dominance->position[v->block] == NORN_INDEX_NONE)
    return is_placed(v, home); /* never executed */
  return dominance->position[home] != NORN_INDEX_NONE && norn_dominates(dominance, home, v->block);
}

static void
fault_unavailable(Verifier *v, uint32_t value) {
  char name[VALUE_NAME_SIZE];
  const NornValue *self = norn_value(v->function, value);
  bool is_defined = self->def != NORN_INDEX_NONE &&
                    (self->is_parameter || norn_inst(v->function, self->def)->op != NORN_OP_NONE);
  fault(v,
        is_defined ? "%s: the definition of %s does not dominate this use"
                   : "%s: %s is not defined",
        inst_name(norn_inst(v->function, v->inst)), value_name(v, value, name));
}

/* Uniforms of 64 bits start at even words. */
static bool
is_uniform_range(uint32_t word, unsigned words) {
  return word + words <= NORN_UNIFORM_WORDS && (words != 2 || word % 2 == 0);
}

static void
check_uniform(Verifier *v, uint32_t word, unsigned words, unsigned k) {
  if (is_uniform_range(word, words))
    return;
  if (word + words > NORN_UNIFORM_WORDS)
    fault(v, "%s: operand %u, u%u of %u words, goes beyond the last uniform word",
          inst_name(norn_inst(v->function, v->inst)), k + 1, word, words);
  else
    fault(v, "%s: operand %u, u%u, has 64 bits and must start at an even word",
          inst_name(norn_inst(v->function, v->inst)), k + 1, word);
}

static bool
is_constant_of(const Verifier *v, NornRef ref, NornType type) {
  return type != NORN_TYPE_VOID && norn_type_bits(type) <= 64 &&
         !(norn_constant_bits(v->module, ref) & ~norn_type_mask(type));
}

static void
check_constant(Verifier *v, NornRef ref, NornType type, unsigned k) {
  if (is_constant_of(v, ref, type))
    return;
  uint64_t bits = norn_constant_bits(v->module, ref);
  if (type == NORN_TYPE_VOID || norn_type_bits(type) > 64)
    fault(v, "%s: operand %u cannot be a constant", inst_name(norn_inst(v->function, v->inst)),
          k + 1);
  else
    fault(v, "%s: operand %u, 0x%" G_GINT64_MODIFIER "X, is out of range for %s",
          inst_name(norn_inst(v->function, v->inst)), k + 1, (guint64)bits, norn_types[type].name);
}

/* That only values in registers are marked as read for the last time. */
static void
check_last_use(Verifier *v, NornRef ref, unsigned k) {
  uint32_t value = norn_ref_payload(ref);
  char name[VALUE_NAME_SIZE];
  if (ref & NORN_REF_LAST_USE && norn_value(v->function, value)->reg == NORN_REGISTER_NONE)
    fault(v, "%s: operand %u, %s, is marked as a last use (^), but has no register",
          inst_name(norn_inst(v->function, v->inst)), k + 1, value_name(v, value, name));
}

/* An operand that must be of that type, or of any (VOID). */
static void
check_typed_operand(Verifier *v, NornRef ref, NornType type, unsigned k) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE: {
    NornType actual = norn_value(v->function, payload)->type;
    if (actual != type && type != NORN_TYPE_VOID) {
      char name[VALUE_NAME_SIZE];
      fault(v, "%s: operand %u, %s, is %s, expected %s", inst_name(norn_inst(v->function, v->inst)),
            k + 1, value_name(v, payload, name), norn_types[actual].name, norn_types[type].name);
    }
    check_last_use(v, ref, k);
    if (!is_available(v, payload))
      fault_unavailable(v, payload);
    break;
  }
  case NORN_REF_CONSTANT:
    check_constant(v, ref, type, k);
    break;
  case NORN_REF_UNIFORM:
    if (type == NORN_TYPE_I1)
      fault(v, "%s: operand %u is i1 and cannot be a uniform",
            inst_name(norn_inst(v->function, v->inst)), k + 1);
    check_uniform(v, payload, norn_type_words(type), k);
    break;
  default:
    fault(v, "%s: operand %u must be a value, a uniform or a constant",
          inst_name(norn_inst(v->function, v->inst)), k + 1);
  }
}

/* The immediate operand `k`: a constant within the limits of the operation. */
static void
check_immediate_operand(Verifier *v, const NornInst *inst, NornRef ref, unsigned k) {
  if (norn_ref_kind(ref) != NORN_REF_CONSTANT) {
    fault(v, "%s: operand %u must be a constant", inst_name(inst), k + 1);
    return;
  }
  NornOperandLimit limit = norn_operand_limit(inst->op, inst->type, inst->source_type, k);
  uint64_t bits = norn_constant_bits(v->module, ref);
  const char *kind = limit.is_power_of_two ? "a power of two between" : "between";
  if (bits < limit.minimum || bits > limit.maximum || (limit.is_power_of_two && bits & (bits - 1)))
    fault(v,
          "%s: operand %u, %" G_GUINT64_FORMAT ", is not %s %" G_GUINT64_FORMAT
          " and %" G_GUINT64_FORMAT,
          inst_name(inst), k + 1, (guint64)bits, kind, (guint64)limit.minimum,
          (guint64)limit.maximum);
}

/* Arguments from operand `first` on, against the parameters of a block. */
static void
check_arguments(Verifier *v, const NornFunction *target, uint32_t block, unsigned first,
                unsigned count) {
  const NornInst *inst = norn_inst(v->function, v->inst);
  const NornBlock *to = norn_block(target, block);
  if (count != to->parameter_count) {
    uint32_t name = target == v->function ? to->name : target->name;
    fault(v, "%s: %u argument%s for %s, which takes %u", inst_name(inst), count,
          count == 1 ? "" : "s", name ? norn_string(v->module, name) : "a block",
          to->parameter_count);
    return;
  }
  for (unsigned k = 0; k < count; k++)
    check_typed_operand(v, norn_operand(v->function, v->inst, first + k),
                        norn_value(target, norn_block_parameter(target, block, k))->type,
                        first + k);
}

static int
compare_bits(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

/* The constants of a switch: of its type, and no two equal. `count` edges in all. */
static void
check_cases(Verifier *v, const NornInst *inst, unsigned count) {
  NornArenaMark mark = norn_arena_mark(&v->arena);
  uint64_t *cases = NORN_NEW(&v->arena, uint64_t, count);
  unsigned case_count = 0, end = 0;
  norn_for_each_edge (v->function, v->inst, edge) {
    if (end) {
      NornRef ref = end < edge.operand ? norn_operand(v->function, v->inst, end) : 0;
      if (norn_ref_kind(ref) != NORN_REF_CONSTANT) {
        fault(v, "%s: a case needs a constant", inst_name(inst));
      } else {
        check_constant(v, ref, inst->type, end);
        cases[case_count++] = norn_constant_bits(v->module, ref);
      }
    }
    end = edge.operand + 1 + edge.argument_count;
  }
  qsort(cases, case_count, sizeof *cases, compare_bits);
  for (unsigned i = 1; i < case_count; i++)
    if (cases[i] == cases[i - 1]) {
      fault(v, "%s: the case %" G_GUINT64_FORMAT " stands twice", inst_name(inst),
            (guint64)cases[i]);
      break;
    }
  norn_arena_release(&v->arena, mark);
}

/* The edges of a terminator whose first block is operand `first`. */
static unsigned
check_edges(Verifier *v, unsigned first) {
  const NornFunction *function = v->function;
  const NornInst *inst = norn_inst(function, v->inst);
  unsigned count = 0;
  norn_for_each_edge (function, v->inst, edge) {
    if (!count && edge.operand != first) {
      fault(v, "%s: operand %u must be a block", inst_name(inst), first + 1);
      return UINT32_MAX;
    }
    if (edge.block == function->block_order[0])
      fault(v, "%s leads to the first block, which may have no predecessor", inst_name(inst));
    check_arguments(v, function, edge.block, edge.operand + 1, edge.argument_count);
    count++;
  }
  return count;
}

static void
check_generic_edges(Verifier *v, const NornInst *inst, NornSignatureCursor cursor, unsigned first) {
  unsigned wanted = 0;
  for (; norn_cursor_kind(&cursor) == NORN_LETTER_BLOCK; norn_cursor_next(&cursor))
    wanted++;
  bool has_cases = norn_cursor_kind(&cursor) == NORN_LETTER_CASE;
  unsigned count = check_edges(v, first);
  if (count == UINT32_MAX)
    return;
  if (has_cases ? count < wanted : count != wanted)
    fault(v, "%s: %u blocks, expected %u", inst_name(inst), count, wanted);
  else if (has_cases)
    check_cases(v, inst, count);
}

static void
check_call(Verifier *v, const NornInst *inst, unsigned first) {
  const NornModule *module = v->module;
  NornRef ref = first < inst->operand_count ? norn_operand(v->function, v->inst, first) : 0;
  uint32_t index = norn_ref_payload(ref);
  if (norn_ref_kind(ref) != NORN_REF_FUNCTION || index == 0) {
    fault(v, "%s: operand %u must be a function of the module", inst_name(inst), first + 1);
    return;
  }
  const NornFunction *callee = module->functions[index];
  const char *name = norn_string(module, callee->name);
  if (inst->type != callee->result_type)
    fault(v, "%s: @%s returns %s, not %s", inst_name(inst), name,
          norn_types[callee->result_type].name, norn_types[inst->type].name);
  if (callee->block_order_count && callee->block_order[0] < callee->block_count)
    check_arguments(v, callee, callee->block_order[0], first + 1, inst->operand_count - first - 1);
}

/* --- Generic instructions --- */

/* Whether there can be that many operands or results; `has_value`: an optional one may be there. */
static bool
count_fits(NornArity arity, unsigned count, bool has_value) {
  if (arity.is_repeated)
    return count >= arity.fixed;
  return count == arity.fixed || (arity.is_optional && has_value && count == arity.fixed + 1);
}

/* That the instruction is one its row describes, so that its letters mean something. */
static bool
check_form(Verifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  if (inst->type >= NORN_TYPE_COUNT || inst->source_type >= NORN_TYPE_COUNT ||
      (info->types && !norn_type_in(info->types, inst->type)) ||
      (info->source_types && !norn_type_in(info->source_types, inst->source_type))) {
    fault(v, "%s does not exist for %s%s%s", info->name,
          inst->type < NORN_TYPE_COUNT ? norn_types[inst->type].name : "this type",
          info->source_types ? " and " : "",
          info->source_types && inst->source_type < NORN_TYPE_COUNT
              ? norn_types[inst->source_type].name
              : "");
    return false;
  }
  if (info->modifier && inst->modifier >= norn_modifiers[info->modifier].count) {
    fault(v, "%s: the modifier %u does not exist", info->name, inst->modifier);
    return false;
  }
  uint64_t stages = info->flags & NORN_OP_STAGES;
  if (stages && !(stages & (NORN_OP_COMPUTE << v->module->stage)))
    fault(v, "%s is not available in %s shaders", info->name, norn_stage_names[v->module->stage]);
  char *problem = norn_form_problem(inst->op, inst->type, inst->source_type, inst->modifier);
  if (problem)
    fault(v, "%s", problem);
  g_free(problem);
  return true;
}

static void
check_results(Verifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  NornSignatureCursor cursor = norn_inst_results(inst);
  if (!count_fits(norn_cursor_arity(cursor), inst->result_count, inst->type != NORN_TYPE_VOID)) {
    fault(v, "%s: %u result%s", info->name, inst->result_count, inst->result_count == 1 ? "" : "s");
    return;
  }
  for (unsigned k = 0; k < inst->result_count; k++, norn_cursor_next(&cursor)) {
    NornType type = norn_value(v->function, inst->result + k)->type;
    NornType wanted = norn_cursor_type(&cursor);
    if (type != wanted) {
      char name[VALUE_NAME_SIZE];
      fault(v, "%s: result %u, %s, is %s, expected %s", info->name, k + 1,
            value_name(v, inst->result + k, name), norn_types[type].name, norn_types[wanted].name);
    }
  }
}

/* The number of coordinates and what follows them. */
static void
check_coordinates(Verifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  unsigned wanted = norn_coordinate_operands(inst->op, inst->modifier, inst->payload);
  unsigned fixed = norn_operand_arity(inst->op).fixed;
  if (wanted && inst->operand_count != fixed + wanted)
    fault(v, "%s: %u operands, expected %u for the shape %s", info->name, inst->operand_count,
          fixed + wanted, norn_modifiers[NORN_MODIFIER_DIMENSION].texts[inst->modifier]);
}

/* One entry of the list for each lane or word. */
static void
check_parts(Verifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  bool lists_results = norn_result_arity(inst->op).is_repeated;
  unsigned count = lists_results ? inst->result_count : inst->operand_count;
  unsigned wanted = norn_part_count(inst->type, inst->source_type);
  bool has_lanes = norn_types[inst->type].lanes > 1;
  if (count != wanted)
    fault(v, "%s: %u %s for the %u %s of %s", info->name, count,
          lists_results ? "results" : "operands", wanted, has_lanes ? "lanes" : "words",
          norn_types[has_lanes ? inst->type : inst->source_type].name);
}

/* That a varying lies in the vertex's block, aligned to its components (or words, if those are
 * larger). */
static void
check_varying(Verifier *v, const NornInst *inst) {
  NornType component = norn_ops[inst->op].source_types ? inst->source_type : inst->type;
  unsigned alignment = MIN(norn_type_bits(component) / 8, 4u);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (offset < 0 || offset + norn_type_bits(inst->type) / 8 > VARYING_LIMIT)
    fault(v,
          "%s: %u bytes at offset %" G_GINT64_FORMAT
          " are not within the %u that varyings can take",
          norn_ops[inst->op].name, norn_type_bits(inst->type) / 8, (gint64)offset, VARYING_LIMIT);
  else if (offset % alignment)
    fault(v, "%s: the offset %" G_GINT64_FORMAT " is not a multiple of %u", norn_ops[inst->op].name,
          (gint64)offset, alignment);
}

/* That all stores of one color say the same format. */
static void
check_color_output(Verifier *v, const NornInst *inst) {
  bool has_target = norn_ops[inst->op].flags & NORN_OP_HAS_TARGET;
  unsigned target = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
  uint8_t *format = &v->color_formats[has_target ? target : COLOR_TARGETS];
  if (*format && *format != inst->modifier + 1)
    fault(v, "%s: other stores of this color are %s; it has one format", inst_name(inst),
          norn_modifiers[NORN_MODIFIER_FORMAT].texts[*format - 1]);
  *format = inst->modifier + 1;
}

static void
check_return(Verifier *v, const NornInst *inst) {
  if (v->function == v->module->functions[0])
    fault(v, "return: the shader itself ends with end");
  else if (inst->type != v->function->result_type)
    fault(v, "return: %s, but the function returns %s", norn_types[inst->type].name,
          norn_types[v->function->result_type].name);
  else if (inst->operand_count != (inst->type != NORN_TYPE_VOID))
    fault(v, "return: the value is missing");
}

/* What the properties of the row ask for beyond the signature. */
static void
check_properties(Verifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  if (info->modifier == NORN_MODIFIER_DIMENSION && norn_operand_arity(inst->op).is_repeated)
    check_coordinates(v, inst);
  if (info->flags & NORN_OP_PARTS)
    check_parts(v, inst);
  if (info->flags & NORN_OP_VARYING)
    check_varying(v, inst);
  if (info->flags & NORN_OP_OUTPUT && info->modifier == NORN_MODIFIER_FORMAT)
    check_color_output(v, inst);
  if (inst->op == NORN_OP_RETURN)
    check_return(v, inst);
  v->has_path_outputs |= (info->flags & NORN_OP_ALL_PATHS) != 0;
  bool is_first =
      v->block == v->function->block_order[0] &&
      (inst->previous == NORN_INDEX_NONE || norn_inst(v->function, inst->previous)->op == inst->op);
  if (info->flags & NORN_OP_AT_START && !is_first)
    fault(v, "%s: only at the start of the first block", info->name);
  if (info->flags & NORN_OP_OPENS_BLOCK &&
      (v->block == v->function->block_order[0] || inst->previous != NORN_INDEX_NONE))
    fault(v, "%s: only at the start of a block that is not the first", info->name);
}

/* The operands by the letters of the row, and their number. */
static void
check_operands(Verifier *v, const NornInst *inst) {
  const NornRef *operands = norn_operands(v->function, inst);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor)) {
    switch (norn_cursor_kind(&cursor)) {
    case NORN_LETTER_FUNCTION:
      check_call(v, inst, k);
      return;
    case NORN_LETTER_BLOCK:
    case NORN_LETTER_CASE:
      check_generic_edges(v, inst, cursor, k);
      return;
    case NORN_LETTER_IMMEDIATE:
      check_immediate_operand(v, inst, operands[k], k);
      break;
    case NORN_LETTER_VALUE:
    case NORN_LETTER_ADDRESS:
      check_typed_operand(v, operands[k], norn_cursor_type(&cursor), k);
      break;
    case NORN_LETTER_END:
      break; /* too many */
    }
  }
  NornArity arity = norn_operand_arity(inst->op);
  if (!count_fits(arity, inst->operand_count, inst->type != NORN_TYPE_VOID))
    fault(v, "%s: %u operand%s, expected %u", inst_name(inst), inst->operand_count,
          inst->operand_count == 1 ? "" : "s",
          arity.fixed + (arity.is_repeated || arity.is_optional));
}

static void
check_generic(Verifier *v, const NornInst *inst) {
  if (!check_form(v, inst))
    return;
  check_operands(v, inst);
  check_results(v, inst);
  check_properties(v, inst);
}

/* --- Machine instructions --- */

static void
check_machine_operand(Verifier *v, NornRef ref, unsigned words, unsigned k) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE: {
    unsigned actual = norn_type_words(norn_value(v->function, payload)->type);
    if (actual != words) {
      char name[VALUE_NAME_SIZE];
      fault(v, "operand %u, %s, has %u words, expected %u", k + 1, value_name(v, payload, name),
            actual, words);
    }
    check_last_use(v, ref, k);
    if (!is_available(v, payload))
      fault_unavailable(v, payload);
    break;
  }
  case NORN_REF_CONSTANT:
    if (words > 2 || (words < 2 && norn_constant_bits(v->module, ref) >> 32))
      fault(v, "operand %u cannot be a constant of that size", k + 1);
    break;
  case NORN_REF_UNIFORM:
    check_uniform(v, payload, words, k);
    break;
  case NORN_REF_SPECIAL:
    break;
  default:
    fault(v, "operand %u must be a source", k + 1);
  }
}

/* A value of any size that called code finds in registers. */
static void
check_implied_operand(Verifier *v, NornRef ref, unsigned k) {
  unsigned words = 0;
  if (norn_ref_kind(ref) == NORN_REF_VALUE)
    words = norn_type_words(norn_value(v->function, norn_ref_payload(ref))->type);
  if (words)
    check_machine_operand(v, ref, words, k);
  else
    fault(v, "operand %u must be a value", k + 1);
}

static void
check_machine(Verifier *v, const NornInst *inst) {
  NornMachineShape shape;
  norn_inst_shape(v->module, inst, &shape);
  if (inst->result_count != shape.result_count)
    fault(v, "%u result%s, expected %u", inst->result_count, inst->result_count == 1 ? "" : "s",
          shape.result_count);
  if (inst->operand_count < shape.operand_count ||
      (!shape.is_terminator &&
       inst->operand_count > shape.operand_count + shape.implied_operands)) {
    fault(v, "%u operand%s, expected %u", inst->operand_count, inst->operand_count == 1 ? "" : "s",
          shape.operand_count);
    return;
  }
  for (unsigned k = 0; k < shape.operand_count; k++)
    check_machine_operand(v, norn_operand(v->function, v->inst, k), shape.operand_words[k], k);
  for (unsigned k = shape.operand_count; k < inst->operand_count && !shape.is_terminator; k++)
    check_implied_operand(v, norn_operand(v->function, v->inst, k), k);
  for (unsigned k = 0; k < MIN(inst->result_count, shape.result_count); k++) {
    unsigned words = norn_type_words(norn_value(v->function, inst->result + k)->type);
    if (words != shape.result_words[k])
      fault(v, "result %u has %u words, expected %u", k + 1, words, shape.result_words[k]);
  }
  if (shape.is_terminator) {
    unsigned edges = check_edges(v, shape.operand_count);
    if (edges != UINT32_MAX && edges != 1 && edges != 2)
      fault(v, "%u blocks, expected one or two", edges);
  }
}

/* --- Blocks and functions --- */

/* The register of a definition: one of its type's class, aligned as the class asks. */
static void
check_register(Verifier *v, uint32_t value) {
  const NornValue *self = norn_value(v->function, value);
  const NornMachine *machine = v->module->machine;
  char name[VALUE_NAME_SIZE];
  if (self->reg == NORN_REGISTER_NONE || !machine || !machine->registers)
    return;
  const NornRegisterClass *class =
      &machine->registers->classes[norn_register_class(machine->registers, self->type)];
  unsigned count = (norn_type_bits(self->type) + class->bits - 1u) / class->bits;
  unsigned alignment = class->alignment[MIN(count, NORN_GROUP_REGISTERS)];
  if (self->reg < class->first || self->reg + count > class->first + class->count)
    fault(v, "%s is not in r%u to r%u, the registers of its type", value_name(v, value, name),
          class->first, class->first + class->count - 1);
  else if (self->reg % alignment)
    fault(v, "%s has several registers and must start at a multiple of %u, not r%u",
          value_name(v, value, name), alignment, self->reg);
}

/* Results of one instruction must not share a register. */
static void
check_result_registers(Verifier *v, const NornInst *inst) {
  if (inst->result_count > NORN_MACHINE_OPERANDS)
    return; /* wrong already, and quadratic here */
  for (unsigned k = 0; k < inst->result_count; k++) {
    const NornValue *value = norn_value(v->function, inst->result + k);
    check_register(v, inst->result + k);
    for (unsigned j = 0; j < k; j++) {
      const NornValue *other = norn_value(v->function, inst->result + j);
      if (value->reg == NORN_REGISTER_NONE || other->reg == NORN_REGISTER_NONE ||
          other->reg >= value->reg + norn_type_words(value->type) ||
          value->reg >= other->reg + norn_type_words(other->type))
        continue;
      fault(v, "two results share a register");
      return;
    }
  }
}

static bool
has_immediate_operand(const NornInst *inst) {
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor))
    if (norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE)
      return true;
  return false;
}

/* Notes that an instruction without faults is of a form that need not be looked at again; not where
 * constants or immediates are part of what is right. */
static void
remember_form(Verifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  if (info->flags & (NORN_OP_VARYING | NORN_OP_OUTPUT) || has_immediate_operand(inst))
    return;
  NornSignature signature = norn_signature(inst->op, inst->type, inst->source_type);
  uint64_t key = norn_form_key(inst);
  if (signature.is_plain)
    v->known[norn_form_slot(key)] = (CachedSignature){key, signature};
}

/* Whether it is an operand of that type (not VOID) that is right in a frequent way. */
static inline bool
is_known_operand(Verifier *v, NornRef ref, NornType type) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return norn_value(v->function, payload)->type == type && !(ref & NORN_REF_LAST_USE) &&
           (v->seen_in[payload] == v->block || is_available(v, payload));
  case NORN_REF_CONSTANT:
    return is_constant_of(v, ref, type);
  case NORN_REF_UNIFORM:
    return type != NORN_TYPE_I1 && is_uniform_range(payload, norn_type_words(type));
  default:
    return false;
  }
}

/* Whether the instruction is of a form found right before and its operands are right, too;
 * if not, it need not be wrong. */
static bool
is_known_right(Verifier *v, const NornInst *inst) {
  uint64_t key = norn_form_key(inst);
  const CachedSignature *form = &v->known[norn_form_slot(key)];
  const NornSignature *signature = &form->signature;
  const NornFunction *function = v->function;
  if (form->key != key || inst->operand_count != signature->operand_count ||
      inst->result_count != signature->result_count || inst->next == NORN_INDEX_NONE)
    return false;
  if (inst->result_count) {
    const NornValue *result = norn_value(function, inst->result);
    if (result->type != signature->result_type || result->reg != NORN_REGISTER_NONE)
      return false;
  }
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!is_known_operand(v, operands[k], signature->operand_types[k]))
      return false;
  return true;
}

static void
check_inst(Verifier *v) {
  const NornFunction *function = v->function;
  const NornInst *inst = norn_inst(function, v->inst);
  unsigned faults = v->diagnostics.count;
  if (norn_is_machine(inst))
    check_machine(v, inst);
  else
    check_generic(v, inst);
  bool is_last = inst->next == NORN_INDEX_NONE;
  if (norn_is_terminator(function, inst) == is_last) {
    if (!norn_is_machine(inst) && faults == v->diagnostics.count)
      remember_form(v, inst);
  } else
    fault(v,
          is_last ? "the block does not end in a terminator: %s is none"
                  : "%s, a terminator, is not at the end of its block",
          inst_name(inst));
  if (inst->flags && !norn_is_machine(inst) && !norn_op_has_flags(inst->op))
    fault(v, "%s takes no flags", inst_name(inst));
  if (inst->result_count && norn_value(function, inst->result)->reg != NORN_REGISTER_NONE)
    check_result_registers(v, inst);
}

static void
check_block(Verifier *v) {
  const NornFunction *function = v->function;
  const NornBlock *block = norn_block(function, v->block);
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, v->block, k);
    v->seen_in[value] = v->block;
    check_register(v, value);
  }
  if (block->first == NORN_INDEX_NONE)
    fault(v, "the block is empty; it needs a terminator");
  norn_for_each_inst (function, v->block, inst) {
    const NornInst *self = norn_inst(function, inst);
    v->inst = inst;
    if (!is_known_right(v, self))
      check_inst(v);
    for (unsigned k = 0; k < self->result_count; k++)
      v->seen_in[self->result + k] = v->block;
    if (norn_diagnostics_full(&v->diagnostics))
      break;
  }
  v->inst = NORN_INDEX_NONE;
}

static void
check_function(Verifier *v, const NornFunction *function, bool is_shader) {
  v->function = function;
  v->block = v->inst = NORN_INDEX_NONE;
  if (!function->block_order_count) {
    fault(v, "there is no block");
    return;
  }
  NornArenaMark mark = norn_arena_mark(&v->arena);
  v->dominance = norn_dominance_new(&v->arena, function);
  v->seen_in = norn_arena_indexes(&v->arena, function->value_count);
  v->block = function->block_order[0];
  if (is_shader && norn_block(function, v->block)->parameter_count)
    fault(v, "the first block of the shader may have no parameters");
  norn_for_each_block (function, block) {
    v->block = block;
    check_block(v);
    if (norn_diagnostics_full(&v->diagnostics))
      break;
  }
  v->block = NORN_INDEX_NONE;
  g_clear_pointer(&v->is_placed, g_free);
  norn_arena_release(&v->arena, mark);
}

/* --- The module --- */

/* Appends the callees of function `index` to `callees`. */
static void
collect_callees(NornArena *arena, const NornModule *module, uint32_t index,
                NornIndexList *callees) {
  const NornFunction *function = module->functions[index];
  uint32_t first = callees->count;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst) {
      if (norn_inst(function, inst)->op != NORN_OP_CALL ||
          !norn_inst(function, inst)->operand_count)
        continue;
      NornRef ref = norn_operand(function, inst, 0);
      uint32_t callee = norn_ref_payload(ref);
      if (norn_ref_kind(ref) != NORN_REF_FUNCTION)
        continue;
      if (callees->count > first && callees->items[callees->count - 1] == callee)
        continue;
      norn_list_push(arena, callees, callee);
    }
  }
}

/* Makes the first call of `callee` in a function the location of the next fault. */
static void
go_to_call(Verifier *v, const NornFunction *function, uint32_t callee) {
  v->function = function;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst) {
      if (norn_inst(function, inst)->op != NORN_OP_CALL ||
          !norn_inst(function, inst)->operand_count ||
          norn_operand(function, inst, 0) != norn_ref(NORN_REF_FUNCTION, callee))
        continue;
      v->block = block;
      v->inst = inst;
      return;
    }
  }
}

/* Finds a cycle of calls by a depth-first walk with a stack of its own. Fills in the functions,
 * callees before callers. */
static void
check_recursion(Verifier *v, uint32_t *order) {
  const NornModule *module = v->module;
  uint32_t count = module->function_count, depth = 0, done = 0;
  NornArenaMark mark = norn_arena_mark(&v->arena);
  NornIndexList callees = {0};
  uint32_t *first = NORN_NEW(&v->arena, uint32_t, (size_t)count + 1);
  uint32_t *next = NORN_NEW(&v->arena, uint32_t, count);
  uint32_t *stack = NORN_NEW(&v->arena, uint32_t, count);
  enum { NEW, OPEN, DONE };
  uint8_t *state = NORN_NEW0(&v->arena, uint8_t, count);
  for (uint32_t i = 0; i < count; i++) {
    first[i] = callees.count;
    collect_callees(&v->arena, module, i, &callees);
  }
  first[count] = callees.count;
  for (uint32_t root = 0; root < count; root++) {
    if (state[root] != NEW)
      continue;
    stack[depth++] = root;
    state[root] = OPEN;
    next[root] = first[root];
    while (depth) {
      uint32_t i = stack[depth - 1];
      if (next[i] == first[i + 1]) {
        state[i] = DONE;
        order[done++] = i;
        depth--;
        continue;
      }
      uint32_t callee = callees.items[next[i]++];
      if (state[callee] == OPEN) {
        go_to_call(v, module->functions[i], callee);
        fault(v, "@%s calls itself by way of @%s; recursion is not possible",
              norn_string(module, module->functions[callee]->name),
              norn_string(module, module->functions[i]->name));
      } else if (state[callee] == NEW) {
        state[callee] = OPEN;
        next[callee] = first[callee];
        stack[depth++] = callee;
      }
    }
  }
  norn_arena_release(&v->arena, mark);
}

/* That outputs of property ALL_PATHS are stored on every path to an end, or on none. */
static void
check_path_outputs(Verifier *v, const uint32_t *order) {
  NornMissingOutput missing;
  if (!v->has_path_outputs || !norn_find_missing_output(&v->arena, v->module, order, &missing))
    return;
  v->function = v->module->functions[missing.function];
  v->block = missing.block;
  v->inst = norn_block(v->function, missing.block)->last;
  fault(v, "end: a path comes here without %s, which other paths have; all must have it or none",
        norn_ops[missing.op].name);
}

/* What concerns several functions. */
static void
check_calls(Verifier *v) {
  uint32_t *order = NORN_NEW0(&v->arena, uint32_t, v->module->function_count);
  check_recursion(v, order);
  if (!v->diagnostics.count)
    check_path_outputs(v, order);
}

static void
check_faus(Verifier *v) {
  const NornModule *module = v->module;
  uint32_t owner[NORN_UNIFORM_WORDS] = {0};
  for (uint32_t i = 0; i < module->fau_count; i++) {
    const NornFau *fau = &module->faus[i];
    const char *name = norn_string(module, fau->name);
    unsigned words = norn_type_words(fau->type);
    uint64_t end = fau->word + (uint64_t)words * fau->count;
    v->fau = fau;
    for (uint32_t k = 0; k < i; k++)
      if (module->faus[k].name == fau->name) {
        fault(v, "the uniform %s is declared twice", name);
        break;
      }
    if (!words || !fau->count || fau->type == NORN_TYPE_I1) {
      fault(v, "the uniform %s has no size", name);
      continue;
    }
    if (end > NORN_UNIFORM_WORDS) {
      fault(v, "the uniform %s goes beyond the last of the %u words", name, NORN_UNIFORM_WORDS);
      continue;
    }
    if (words == 2 && fau->word % 2)
      fault(v, "the uniform %s has 64 bits and must start at an even word", name);
    for (uint64_t word = fau->word; word < end; word++) {
      if (owner[word]) {
        fault(v, "the uniforms %s and %s overlap",
              norn_string(module, module->faus[owner[word] - 1].name), name);
        break;
      }
      owner[word] = i + 1;
    }
  }
  v->fau = NULL;
}

static void
check_header(Verifier *v) {
  const NornModule *module = v->module;
  v->function = module->functions[0];
  v->block = v->inst = NORN_INDEX_NONE;
  uint64_t size = 1;
  for (unsigned axis = 0; axis < 3; axis++)
    size = size > WORKGROUP_LIMIT ? size : size * module->workgroup[axis];
  if (size < 1 || size > WORKGROUP_LIMIT)
    fault(v, "the workgroup has %s invocations", size ? "too many" : "no");
  else if (module->stage != NORN_STAGE_COMPUTE && (size > 1 || module->shared_size))
    fault(v, "only a compute shader has workgroups");
  if (module->shared_size > SHARED_LIMIT)
    fault(v, "%u bytes of workgroup memory; there are %u", module->shared_size, SHARED_LIMIT);
  if (module->scratch_size > SCRATCH_LIMIT)
    fault(v, "%u bytes of thread-local memory; there are %u", module->scratch_size, SCRATCH_LIMIT);
  const char *name = norn_string(module, module->name);
  if (!*name || name[strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_")])
    fault(v, "the shader's name \"%s\" is not made of letters, digits and _", name);
  check_faus(v);
  GHashTable *names = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < module->function_count; i++) {
    v->function = module->functions[i];
    if (i && !g_hash_table_add(names, GUINT_TO_POINTER(v->function->name)))
      fault(v, "two functions are called @%s", norn_string(module, v->function->name));
  }
  g_hash_table_unref(names);
}

bool
norn_module_verify(const NornModule *module, GError **error) {
  Verifier v = {.module = module, .block = NORN_INDEX_NONE, .inst = NORN_INDEX_NONE};
  v.diagnostics.filename = module->filename;
  if (module->fault)
    norn_diagnose(&v.diagnostics, 0, 0, "%s", module->fault);
  check_header(&v);
  bool is_sound = true;
  for (uint32_t i = 0; i < module->function_count; i++) {
    v.function = module->functions[i];
    is_sound &= check_structure(&v);
  }
  if (is_sound) {
    for (uint32_t i = 0; i < module->function_count && !norn_diagnostics_full(&v.diagnostics); i++)
      check_function(&v, module->functions[i], i == 0);
    if (module->function_count > 1 || v.has_path_outputs)
      check_calls(&v);
  }
  norn_locations_free(v.locations);
  norn_arena_free(&v.arena);
  return norn_diagnostics_finish(&v.diagnostics, NORN_ERROR_INVALID, error);
}
