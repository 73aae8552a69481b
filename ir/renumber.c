/* Renumbering: values, instructions, blocks and constants are numbered in the order in which the
 * text of the module names them, so that nothing depends on how the module was built and deleted
 * entities leave no gaps. */
#include "ir/ir.h"

/* The new numbers in a function; NORN_INDEX_NONE: not in the text. */
typedef struct Numbers {
  uint32_t *insts, *values, *blocks;
  uint32_t inst_count, value_count, operand_count, parameter_count;
} Numbers;

static uint32_t *
new_numbers(uint32_t count) {
  uint32_t *numbers = g_new(uint32_t, count + 1);
  memset(numbers, 0xFF, count * sizeof *numbers);
  return numbers;
}

static Numbers
number_function(const NornFunction *function) {
  Numbers numbers = {
      .insts = new_numbers(function->inst_count),
      .values = new_numbers(function->value_count),
      .blocks = new_numbers(function->block_count),
  };
  for (uint32_t place = 0; place < function->block_order_count; place++) {
    uint32_t block = function->block_order[place];
    numbers.blocks[block] = place;
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      numbers.values[norn_block_parameter(function, block, k)] = numbers.value_count++;
    numbers.parameter_count += norn_block(function, block)->parameter_count;
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      numbers.insts[index] = numbers.inst_count++;
      numbers.operand_count += inst->operand_count;
      for (unsigned k = 0; k < inst->result_count; k++)
        numbers.values[inst->result + k] = numbers.value_count++;
    }
  }
  return numbers;
}

static void
clear_numbers(Numbers *numbers) {
  g_free(numbers->insts);
  g_free(numbers->values);
  g_free(numbers->blocks);
}

static uint32_t
renumbered(const uint32_t *numbers, uint32_t index) {
  return index == NORN_INDEX_NONE ? NORN_INDEX_NONE : numbers[index];
}

/* The renumbered operand. If `constants` is not NULL, it holds the module's former constants, which
 * are renumbered as they are met; otherwise constants keep their numbers. */
static NornRef
renumber_ref(NornModule *module, const uint64_t *constants, const Numbers *numbers, NornRef ref) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return norn_ref(NORN_REF_VALUE, numbers->values[payload]) | (ref & NORN_REF_LAST_USE);
  case NORN_REF_BLOCK:
    return norn_ref(NORN_REF_BLOCK, numbers->blocks[payload]);
  case NORN_REF_CONSTANT:
    return constants ? norn_constant(module, constants[payload]) : ref;
  default:
    return ref;
  }
}

static NornPages
new_pages(uint32_t count, size_t element_size) {
  NornPages pages = {0};
  norn_pages_grow(&pages, (uint64_t)count + 1, element_size);
  return pages;
}

static void
copy_value(const NornFunction *from, NornFunction *to, const Numbers *numbers, uint32_t value,
           uint32_t def) {
  NornValue *copy = norn_value(to, numbers->values[value]);
  *copy = *norn_value(from, value);
  copy->def = def;
}

static void
copy_inst(const NornFunction *from, NornFunction *to, const uint64_t *constants,
          const Numbers *numbers, uint32_t index) {
  const NornInst *old = norn_inst(from, index);
  NornInst *inst = norn_inst(to, numbers->insts[index]);
  *inst = *old;
  inst->previous = renumbered(numbers->insts, old->previous);
  inst->next = renumbered(numbers->insts, old->next);
  inst->block = numbers->blocks[old->block];
  norn_inst_place_operands(to, inst, to->operand_count);
  to->operand_count += old->operand_count;
  for (unsigned k = 0; k < old->operand_count; k++)
    norn_operands(to, inst)[k] =
        renumber_ref(to->module, constants, numbers, norn_operands(from, old)[k]);
  inst->result = old->result_count ? numbers->values[old->result] : 0;
  for (unsigned k = 0; k < old->result_count; k++)
    copy_value(from, to, numbers, old->result + k, numbers->insts[index]);
}

static void
copy_block(const NornFunction *from, NornFunction *to, const uint64_t *constants,
           const Numbers *numbers, uint32_t index) {
  const NornBlock *old = norn_block(from, index);
  NornBlock *block = norn_block(to, numbers->blocks[index]);
  *block = *old;
  block->first = renumbered(numbers->insts, old->first);
  block->last = renumbered(numbers->insts, old->last);
  block->parameter = to->parameter_count;
  to->parameter_count += old->parameter_count;
  for (unsigned k = 0; k < old->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(from, index, k);
    to->parameters[block->parameter + k] = numbers->values[parameter];
    copy_value(from, to, numbers, parameter, numbers->blocks[index]);
  }
  norn_for_each_inst (from, index, inst)
    copy_inst(from, to, constants, numbers, inst);
}

/* Replaces the function by a renumbered copy that contains only what is in the text. */
static void
renumber_function(NornFunction *function, const uint64_t *constants) {
  Numbers numbers = number_function(function);
  NornFunction *from = g_memdup2(function, sizeof *function), *to = function;
  uint32_t blocks = from->block_order_count;
  to->insts = new_pages(numbers.inst_count, sizeof(NornInst));
  to->values = new_pages(numbers.value_count, sizeof(NornValue));
  to->operands = new_pages(numbers.operand_count, sizeof(NornRef));
  to->blocks = new_pages(blocks, sizeof(NornBlock));
  to->inst_count = numbers.inst_count;
  to->value_count = numbers.value_count;
  to->block_count = to->block_order_capacity = blocks;
  to->operand_count = to->parameter_count = 0;
  to->parameter_capacity = numbers.parameter_count;
  to->parameters = g_new(uint32_t, numbers.parameter_count);
  to->block_order = g_new(uint32_t, blocks);
  for (uint32_t place = 0; place < blocks; place++) {
    to->block_order[place] = place;
    copy_block(from, to, constants, &numbers, from->block_order[place]);
  }
  clear_numbers(&numbers);
  norn_function_free(from);
}

void
norn_function_renumber(NornFunction *function) {
  renumber_function(function, NULL);
}

/* Whether the instruction's constants have been met before, or are the next ones: `met` counts
 * those that have. */
static bool
meets_constants_in_order(const NornFunction *function, const NornInst *inst, uint32_t *met) {
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_CONSTANT)
      continue;
    if (norn_ref_payload(operands[k]) > *met)
      return false;
    *met += norn_ref_payload(operands[k]) == *met;
  }
  return true;
}

/* Whether renumbering would not change the function; `met` counts the constants met so far. */
static bool
is_in_order(const NornFunction *function, uint32_t *met) {
  uint32_t insts = 0, values = 0, parameters = 0;
  for (uint32_t block = 0; block < function->block_order_count; block++) {
    if (function->block_order[block] != block)
      return false;
    const NornBlock *self = norn_block(function, block);
    for (unsigned k = 0; k < self->parameter_count; k++, parameters++)
      if (self->parameter + k != parameters || norn_block_parameter(function, block, k) != values++)
        return false;
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (index != insts++ || (inst->result_count && inst->result != values) ||
          !meets_constants_in_order(function, inst, met))
        return false;
      values += inst->result_count;
    }
  }
  return function->block_count == function->block_order_count && function->inst_count == insts &&
         function->value_count == values && function->parameter_count == parameters;
}

static bool
is_module_in_order(const NornModule *module) {
  uint32_t met = 0;
  for (uint32_t k = 0; k < module->function_count; k++)
    if (!is_in_order(module->functions[k], &met))
      return false;
  return met == module->constants.count;
}

void
norn_module_renumber(NornModule *module) {
  if (is_module_in_order(module))
    return;
  uint64_t *constants = norn_module_take_constants(module);
  for (uint32_t k = 0; k < module->function_count; k++)
    renumber_function(module->functions[k], constants);
  g_free(constants);
}
