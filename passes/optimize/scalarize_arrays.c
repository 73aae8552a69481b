/* Scalarizes arrays: replaces accesses by index to a variable of the shader by accesses to each of
 * its elements and selections, so that mem2reg can keep the elements in registers. The result of a
 * load from a table may be found with fewer instructions (lookup_table.h).
 *
 * The address of such an access is the sum, in any order, of an alloca, constants, and terms that
 * are an index times a constant stride. An index qualifies if its greatest value is known from the
 * instruction that computes it. Then all places are known that the access may touch:
 *
 *   load:   select(index == 0, element 0, select(index == 1, element 1, ... the last one))
 *   store:  to each element k: select(index == k, value, old element)
 *
 * An alloca is scalarized as a whole or not at all: it is if its address is only used for such
 * accesses, all of the same size, which divides all offsets and strides, all places are inside of
 * it, and the selections cost less than the accesses that they replace. An access whose address
 * turns out to be constant only gets it as its offset, which is all that mem2reg needs.
 *
 * An array is a table if one value is stored at each place, in one block that dominates all
 * loads. */
#include "ir/analysis/dominance.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/optimize/arrays.h"
#include "passes/optimize/lookup_table.h"
#include "passes/pass.h"

/* Maximum number of indexes in one address. */
#define MAX_TERMS 3
/* Maximum number of parts of an address that are examined. */
#define MAX_STEPS 32
/* The cost of an access, in selections. */
#define ACCESS_COST 8
/* Maximum number of selections for one alloca. */
#define MAX_SELECTIONS 1100
/* Maximum size of an alloca that is accessed by index and whose elements may all be in registers at
 * the same time: more would reduce the number of threads. */
#define MAX_BYTES 64
/* The same if only constants are stored to it. */
#define MAX_CONSTANT_BYTES 4096

typedef struct IndexTerm {
  NornRef index;
  uint32_t maximum, stride;
} IndexTerm;

typedef struct ArrayAccess {
  uint32_t inst, array; /* the array's number */
  uint32_t offset;      /* from the alloca, modulo 2^32 */
  uint64_t selections;
  unsigned term_count;
  IndexTerm terms[MAX_TERMS];
  LookupTable table; /* of a load by index from a table: the elements to choose from, */
  LookupPlan plan;   /* and how */
} ArrayAccess;

typedef struct Array {
  uint32_t inst, bytes;
  uint32_t unit; /* size of every access; 0: none so far */
  uint64_t accesses, loads, selections;
  bool stays, has_variables;
  bool has_loads, is_table;
  uint32_t variables; /* that are stored to a table; a value is counted again whenever it changes */
  NornRef last_variable;
  NornRef *elements;    /* by place: the value stored last, 0 if none; NULL: no stores */
  uint32_t store_block; /* of all stores to a table */
} Array;

typedef struct Scalarizer {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  Array *arrays;         /* by number */
  ArrayAccess *accesses; /* those to arrays that may be scalarized */
  uint32_t access_count;
} Scalarizer;

/* --- Addresses --- */

static bool
get_constant(const NornFunction *function, NornRef ref, uint32_t *bits) {
  if (!norn_is_constant(ref))
    return false;
  *bits = (uint32_t)norn_constant_bits(function->module, ref);
  return true;
}

/* Finds the greatest value that an index can have; false if there is no limit. */
static bool
find_maximum(const Scalarizer *scalarizer, NornRef index, uint32_t *maximum) {
  *maximum = (uint32_t)norn_greatest_integer(scalarizer->function, scalarizer->dominance, NULL,
                                             index, NORN_TYPE_I32);
  return *maximum < UINT32_MAX;
}

static bool
add_term(const Scalarizer *scalarizer, ArrayAccess *access, NornRef index, uint32_t stride) {
  if (!stride)
    return true;
  if (access->term_count == MAX_TERMS)
    return false;
  IndexTerm *term = &access->terms[access->term_count++];
  *term = (IndexTerm){.index = index, .stride = stride};
  return find_maximum(scalarizer, index, &term->maximum);
}

/* Splits `ref` times `scale`, a part of an address, into the alloca, constants and terms; false if
 * a term has an unknown range, or there are more than *steps parts. */
static bool
find_terms(const Scalarizer *scalarizer, NornRef ref, uint32_t scale, unsigned *steps,
           ArrayAccess *access) {
  const NornFunction *function = scalarizer->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  const NornRef *operands = inst ? norn_operands(function, inst) : NULL;
  uint32_t constant;
  if (!(*steps)--)
    return false;
  if (get_constant(function, ref, &constant)) {
    access->offset += constant * scale;
    return true;
  }
  if (inst && inst->op == NORN_OP_ALLOCA)
    return true;
  if (!inst || inst->type != NORN_TYPE_I32)
    return add_term(scalarizer, access, ref, scale);
  if (inst->op == NORN_OP_IADD)
    return find_terms(scalarizer, operands[0], scale, steps, access) &&
           find_terms(scalarizer, operands[1], scale, steps, access);
  if (inst->op == NORN_OP_SHL && get_constant(function, operands[1], &constant))
    return find_terms(scalarizer, operands[0], scale << constant % 32, steps, access);
  if (inst->op == NORN_OP_IMUL && get_constant(function, operands[1], &constant))
    return find_terms(scalarizer, operands[0], scale * constant, steps, access);
  return add_term(scalarizer, access, ref, scale);
}

/* --- Accesses --- */

/* The number of places that the access may touch; 0 if one of them is not inside of the alloca, or
 * if there are too many. */
static uint64_t
count_places(const Array *array, const ArrayAccess *access) {
  uint64_t places = 1, last = access->offset;
  for (unsigned k = 0; k < access->term_count; k++) {
    const IndexTerm *term = &access->terms[k];
    if (term->maximum >= MAX_CONSTANT_BYTES || term->stride % array->unit)
      return 0;
    places *= term->maximum + UINT64_C(1);
    last += (uint64_t)term->maximum * term->stride;
  }
  return access->offset % array->unit == 0 && last + array->unit <= array->bytes ? places : 0;
}

/* Records what an access tells about whether the array is a table. Blocks are visited after their
 * dominators. */
static void
note_elements(Scalarizer *scalarizer, Array *array, const ArrayAccess *access) {
  const NornFunction *function = scalarizer->function;
  const NornInst *inst = norn_inst(function, access->inst);
  if (inst->op == NORN_OP_LOAD_SCRATCH) {
    array->has_loads = true;
    array->is_table &=
        array->elements && norn_dominates(scalarizer->dominance, array->store_block, inst->block);
    return;
  }
  if (!array->elements) {
    array->elements = NORN_NEW0(&scalarizer->context->arena, NornRef, array->bytes / array->unit);
    array->store_block = inst->block;
  }
  NornRef value = norn_operands(function, inst)[0];
  array->elements[access->offset / array->unit] = value;
  array->is_table &= !access->term_count && !array->has_loads && array->store_block == inst->block;
  if (!norn_is_constant(value) && value != array->last_variable) {
    array->last_variable = value;
    array->variables++;
  }
}

static void
note_access(Scalarizer *scalarizer, uint32_t index, uint32_t number) {
  const NornFunction *function = scalarizer->function;
  const NornInst *inst = norn_inst(function, index);
  bool is_store = inst->op == NORN_OP_STORE_SCRATCH;
  bool widens = !is_store && inst->op != NORN_OP_LOAD_SCRATCH;
  Array *array = &scalarizer->arrays[number];
  ArrayAccess access = {
      .inst = index,
      .array = number,
      .offset = (uint32_t)norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET),
  };
  uint32_t bytes = norn_type_bits(inst->type) / 8;
  const NornRef *operands = norn_operands(function, inst);
  array->unit = array->unit ? array->unit : bytes;
  uint64_t places = 0;
  unsigned steps = MAX_STEPS;
  if (!widens && array->unit == bytes &&
      find_terms(scalarizer, operands[is_store], 1, &steps, &access))
    places = count_places(array, &access);
  array->stays |= !places;
  array->accesses++;
  array->loads += !is_store;
  if (access.term_count)
    access.selections = is_store ? places : places - 1;
  if (is_store && (access.term_count || !norn_is_constant(operands[0])))
    array->has_variables = true;
  if (!array->stays && array->bytes <= MAX_CONSTANT_BYTES)
    note_elements(scalarizer, array, &access);
  scalarizer->accesses[scalarizer->access_count++] = access;
}

static void
find_accesses(Scalarizer *scalarizer) {
  NornArena *arena = &scalarizer->context->arena;
  const NornArrays found = norn_arrays_find(scalarizer->context, scalarizer->function);
  scalarizer->dominance = found.dominance;
  scalarizer->arrays = NORN_NEW0(arena, Array, found.items.count);
  scalarizer->accesses = NORN_NEW(arena, ArrayAccess, found.accesses.count);
  for (uint32_t k = 0; k < found.items.count; k++) {
    const NornArray *array = &found.items.items[k];
    scalarizer->arrays[k] = (Array){
        .inst = array->inst, .bytes = array->bytes, .stays = array->escapes, .is_table = true};
  }
  for (uint32_t k = 0; k < found.accesses.count; k++) {
    const NornArrayAccess *access = &found.accesses.items[k];
    if (!scalarizer->arrays[access->array].stays)
      note_access(scalarizer, access->inst, access->array);
  }
}

/* The cost of the array's accesses if it stays, in selections. If it can become constant data, it
 * need not be stored. */
static uint64_t
access_cost(const Scalarizer *scalarizer, const Array *array) {
  bool is_data = scalarizer->context->options->constant_data && array->is_table &&
                 !array->has_variables && array->elements;
  return (is_data ? array->loads : array->accesses) * ACCESS_COST;
}

/* Whether scalarizing the array pays. */
static bool
is_scalarized(const Scalarizer *scalarizer, const Array *array) {
  uint64_t variable_bytes = array->is_table        ? (uint64_t)array->variables * array->unit
                            : array->has_variables ? array->bytes
                                                   : 0;
  bool is_small = variable_bytes <= MAX_BYTES && array->bytes <= MAX_CONSTANT_BYTES;
  return !array->stays && (is_small || !array->selections) && array->selections <= MAX_SELECTIONS &&
         array->selections <= access_cost(scalarizer, array);
}

/* --- Tables --- */

/* The distance between the elements that a load chooses from. */
static uint32_t
common_stride(const ArrayAccess *access) {
  uint32_t stride = 0;
  for (unsigned k = 0; k < access->term_count; k++)
    stride = (uint32_t)norn_greatest_divisor(stride, access->terms[k].stride);
  return stride;
}

/* Plans a load by index from a table if the access is one. */
static void
plan_load(Scalarizer *scalarizer, ArrayAccess *access) {
  NornFunction *function = scalarizer->function;
  const Array *array = &scalarizer->arrays[access->array];
  NornType type = (NornType)norn_inst(function, access->inst)->type;
  if (array->stays || !array->is_table || !array->elements || !access->term_count ||
      !norn_can_be_table(type) || array->selections > MAX_SELECTIONS)
    return;
  uint32_t stride = common_stride(access), count = 1;
  for (unsigned k = 0; k < access->term_count; k++)
    count += access->terms[k].maximum * (access->terms[k].stride / stride);
  if (count > MAX_TABLE_ELEMENTS || !norn_pass_continues(scalarizer->context, count))
    return;
  NornRef *elements = NORN_NEW(&scalarizer->context->arena, NornRef, count);
  for (uint32_t k = 0; k < count; k++) {
    NornRef element = array->elements[(access->offset + k * stride) / array->unit];
    elements[k] = element ? element : norn_constant(function->module, 0);
    if (norn_ref_kind(element) == NORN_REF_VALUE &&
        norn_value(function, norn_ref_payload(element))->type != type)
      return;
  }
  access->table = (LookupTable){type, count, elements};
  access->plan = norn_plan_lookup(scalarizer->context, &access->table);
  access->selections = access->plan.cost;
}

static void
plan_accesses(Scalarizer *scalarizer) {
  for (uint32_t k = 0; k < scalarizer->access_count; k++) {
    ArrayAccess *access = &scalarizer->accesses[k];
    plan_load(scalarizer, access);
    scalarizer->arrays[access->array].selections += access->selections;
  }
}

/* The value that an access by index loads from a table. */
static NornRef
look_up(NornBuilder *builder, const ArrayAccess *access) {
  uint32_t stride = common_stride(access);
  NornRef index = 0;
  for (unsigned k = 0; k < access->term_count; k++) {
    uint32_t scale = access->terms[k].stride / stride;
    NornRef term = access->terms[k].index;
    if (scale != 1)
      term = norn_build_imul(builder, NORN_TYPE_I32, term, norn_build_bits(builder, scale));
    index = index ? norn_build_iadd(builder, NORN_TYPE_I32, index, term) : term;
  }
  return norn_build_lookup(builder, &access->table, &access->plan, index);
}

/* --- Selections --- */

/* One access by index that is being replaced. */
typedef struct Expansion {
  NornBuilder builder;
  const ArrayAccess *access;
  NornRef base;
  NornType type;
  NornRef value; /* the stored value */
} Expansion;

static NornRef
is_element(Expansion *expansion, const IndexTerm *term, uint32_t k) {
  NornRef number = norn_build_bits(&expansion->builder, k);
  return norn_build_icmp(&expansion->builder, NORN_INT_CONDITION_EQ, NORN_TYPE_I32, term->index,
                         number);
}

static NornRef
load_element(Expansion *expansion, uint32_t offset) {
  NornInstSpec spec = norn_inst_spec(NORN_OP_LOAD_SCRATCH);
  spec.type = expansion->type;
  spec.operands = &expansion->base;
  spec.operand_count = 1;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = offset;
  return norn_build(&expansion->builder, &spec);
}

static void
store_element(Expansion *expansion, uint32_t offset, NornRef value) {
  NornRef operands[2] = {value, expansion->base};
  NornInstSpec spec = norn_inst_spec(NORN_OP_STORE_SCRATCH);
  spec.type = expansion->type;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = offset;
  norn_build(&expansion->builder, &spec);
}

/* Whether there are no terms from `first` on. */
static bool
are_decided(const Expansion *expansion, unsigned first) {
  return first >= MAX_TERMS || first == expansion->access->term_count;
}

/* Selects the element by the indexes of the terms from `first` on. */
static NornRef
select_element(Expansion *expansion, unsigned first, uint32_t offset) {
  if (are_decided(expansion, first))
    return load_element(expansion, offset);
  const IndexTerm *term = &expansion->access->terms[first];
  NornRef chosen = select_element(expansion, first + 1, offset + term->maximum * term->stride);
  for (uint32_t k = term->maximum; k-- > 0;) {
    NornRef other = select_element(expansion, first + 1, offset + k * term->stride);
    NornRef condition = is_element(expansion, term, k);
    chosen = norn_build_select(&expansion->builder, expansion->type, condition, other, chosen);
  }
  return chosen;
}

/* Stores to the elements for which `condition` holds; 0 for always. */
static void
store_elements(Expansion *expansion, unsigned first, uint32_t offset, NornRef condition) {
  if (are_decided(expansion, first)) {
    NornRef old = load_element(expansion, offset);
    store_element(
        expansion, offset,
        norn_build_select(&expansion->builder, expansion->type, condition, expansion->value, old));
    return;
  }
  const IndexTerm *term = &expansion->access->terms[first];
  for (uint32_t k = 0; k <= term->maximum; k++) {
    NornRef both = is_element(expansion, term, k);
    if (condition)
      both = norn_build_and(&expansion->builder, NORN_TYPE_I1, condition, both);
    store_elements(expansion, first + 1, offset + k * term->stride, both);
  }
}

static void
expand(Scalarizer *scalarizer, const ArrayAccess *access, NornReplacements *replacements) {
  NornFunction *function = scalarizer->function;
  NornInst *inst = norn_inst(function, access->inst);
  NornRef base = norn_result(function, scalarizer->arrays[access->array].inst, 0);
  bool is_store = inst->op == NORN_OP_STORE_SCRATCH;
  if (!access->term_count) {
    inst->payload =
        norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, (int64_t)access->offset);
    norn_set_operand(function, access->inst, is_store, base);
    return;
  }
  Expansion expansion = {.builder = norn_builder_before(function, access->inst),
                         .access = access,
                         .base = base,
                         .type = inst->type};
  if (is_store) {
    expansion.value = norn_operand(function, access->inst, 0);
    store_elements(&expansion, 0, access->offset, 0);
  } else {
    NornRef value = access->table.count ? look_up(&expansion.builder, access)
                                        : select_element(&expansion, 0, access->offset);
    norn_move_name(function, value, inst->result);
    norn_replacements_set(replacements, inst->result, value);
  }
  norn_inst_erase(function, access->inst);
}

static bool
has_allocas(const NornFunction *function) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (norn_inst(function, inst)->op == NORN_OP_ALLOCA)
        return true;
  return false;
}

bool
norn_pass_scalarize_arrays(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Scalarizer scalarizer = {.context = context, .function = function};
  NornReplacements replacements = {.arena = &context->arena};
  bool changed = false;
  if (has_allocas(function)) {
    find_accesses(&scalarizer);
    plan_accesses(&scalarizer);
    for (uint32_t k = 0; k < scalarizer.access_count; k++) {
      const ArrayAccess *access = &scalarizer.accesses[k];
      if (!is_scalarized(&scalarizer, &scalarizer.arrays[access->array]) ||
          !norn_pass_continues(context, 1))
        continue;
      expand(&scalarizer, access, &replacements);
      changed = true;
    }
    norn_replacements_apply(&replacements, function);
  }
  norn_pass_report(context, changed);
  return true;
}
