/* Modules: strings, constants, functions.
 *
 * Each string and constant is stored once and found through open-addressing tables of indexes that
 * double when they are half full; entries are never removed. Strings contain no zero byte. */
#include "ir/hash.h"
#include "ir/ir.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include <math.h>
#include <string.h>

/* The slots of the table come in groups of ten, one for each value of the low hash bits, so that
 * names that differ only in their last digit are next to each other. Probing advances by eleven
 * slots: to the next group, and eventually to every slot. */
#define GROUP 10
#define STEP 11

static uint32_t
slot_count(const NornStrings *strings) {
  return (strings->group_mask + 1) * GROUP;
}

static uint32_t
first_slot(const NornStrings *strings, uint32_t hash) {
  return (hash >> 4 & strings->group_mask) * GROUP + (hash & 15);
}

static uint32_t
next_slot(const NornStrings *strings, uint32_t slot) {
  uint32_t next = slot + STEP, count = slot_count(strings);
  return next < count ? next : next - count;
}

static void
strings_rehash(NornStrings *strings, uint32_t groups) {
  NornStringSlot *old = strings->slots;
  uint32_t old_count = old ? slot_count(strings) : 0;
  strings->group_mask = groups - 1;
  strings->slots = g_new0(NornStringSlot, slot_count(strings));
  for (uint32_t i = 0; i < old_count; i++) {
    if (!old[i].string)
      continue;
    uint32_t slot = first_slot(strings, old[i].hash);
    while (strings->slots[slot].string)
      slot = next_slot(strings, slot);
    strings->slots[slot] = old[i];
  }
  g_free(old);
}

/* The slot that holds the string or where it would be inserted. */
static inline NornStringSlot *
strings_slot(const NornStrings *strings, const char *text, size_t length, uint32_t hash) {
  for (uint32_t index = first_slot(strings, hash);; index = next_slot(strings, index)) {
    NornStringSlot *slot = &strings->slots[index];
    if (!slot->string)
      return slot;
    if (slot->hash != hash)
      continue;
    uint32_t offset = strings->offsets[slot->string];
    if (strings->offsets[slot->string + 1] - offset == length + 1 &&
        norn_same_bytes(strings->text + offset, text, length))
      return slot;
  }
}

/* Enters a string that is not in the table yet. */
static inline uint32_t
strings_add(NornStrings *strings, const char *text, size_t length) {
  NORN_GROW(strings->text, strings->text_capacity,
            (uint64_t)strings->text_size + length + 1 + NORN_STRING_SLACK);
  NORN_GROW(strings->offsets, strings->capacity, (uint64_t)strings->count + 2);
  char *to = strings->text + strings->text_size;
  norn_copy_bytes(to, text, length);
  to[length] = 0;
  strings->offsets[strings->count] = strings->text_size;
  strings->text_size += (uint32_t)length + 1;
  strings->offsets[strings->count + 1] = strings->text_size;
  return strings->count++;
}

void
norn_reserve_strings(NornModule *module, uint32_t count) {
  NornStrings *strings = &module->strings;
  uint32_t groups = strings->group_mask + 1;
  while (groups * (uint64_t)GROUP / 2 < count)
    groups *= 2;
  if (groups > strings->group_mask + 1)
    strings_rehash(strings, groups);
  NORN_RESERVE(strings->offsets, strings->capacity, (uint64_t)count + 2);
  NORN_RESERVE(strings->text, strings->text_capacity, 8 * (uint64_t)count);
}

uint32_t
norn_intern(NornModule *module, const char *text, size_t length) {
  NornStrings *strings = &module->strings;
  if (!length)
    return 0;
  uint32_t hash = norn_hash(strings->seed, text, length);
  NornStringSlot *slot = strings_slot(strings, text, length, hash);
  if (slot->string)
    return slot->string;
  uint32_t string = strings_add(strings, text, length);
  *slot = (NornStringSlot){hash, string};
  if (string > slot_count(strings) / 2)
    strings_rehash(strings, (strings->group_mask + 1) * 2);
  return string;
}

uint32_t
norn_find_string(const NornModule *module, const char *text, size_t length) {
  const NornStrings *strings = &module->strings;
  if (!length)
    return 0;
  return strings_slot(strings, text, length, norn_hash(strings->seed, text, length))->string;
}

static uint32_t
hash_bits(uint64_t bits) {
  return (uint32_t)((bits * NORN_HASH_FACTOR) >> 32);
}

static void
constants_rehash(NornConstants *constants, uint32_t slot_count) {
  g_free(constants->slots);
  constants->slots = g_new0(uint32_t, slot_count);
  constants->slot_mask = slot_count - 1;
  for (uint32_t i = 0; i < constants->count; i++) {
    uint32_t slot = hash_bits(constants->bits[i]) & constants->slot_mask;
    while (constants->slots[slot])
      slot = (slot + 1) & constants->slot_mask;
    constants->slots[slot] = i + 1;
  }
}

NornRef
norn_constant(NornModule *module, uint64_t bits) {
  NornConstants *constants = &module->constants;
  uint32_t slot = hash_bits(bits) & constants->slot_mask;
  while (constants->slots[slot]) {
    if (constants->bits[constants->slots[slot] - 1] == bits)
      return norn_ref(NORN_REF_CONSTANT, constants->slots[slot] - 1);
    slot = (slot + 1) & constants->slot_mask;
  }
  NORN_GROW(constants->bits, constants->capacity, (uint64_t)constants->count + 1);
  constants->bits[constants->count++] = bits;
  constants->slots[slot] = constants->count;
  uint32_t index = constants->count - 1;
  if (constants->count > constants->slot_mask / 2)
    constants_rehash(constants, (constants->slot_mask + 1) * 2);
  return norn_ref(NORN_REF_CONSTANT, index);
}

uint64_t *
norn_module_take_constants(NornModule *module) {
  uint64_t *bits = module->constants.bits;
  uint32_t slots = module->constants.slot_mask + 1;
  g_free(module->constants.slots);
  module->constants = (NornConstants){0};
  constants_rehash(&module->constants, slots);
  return bits;
}

NornRef
norn_half_constant(NornModule *module, NornRef ref) {
  const NornFloatMode mode = NORN_FLOAT_MODE_DEFAULT;
  uint64_t bits = norn_constant_bits(module, ref);
  uint64_t half = norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, bits);
  double number = norn_float_to_double(NORN_FLOAT_32, bits);
  bool is_same = isfinite(number) && number == norn_float_to_double(NORN_FLOAT_16, half);
  return is_same ? norn_constant(module, half) : 0;
}

NornModule *
norn_module_new(NornShaderStage stage, const char *name) {
  NornModule *module = g_new0(NornModule, 1);
  module->filename = g_strdup("module");
  module->stage = stage < NORN_STAGE_COUNT ? stage : NORN_STAGE_COMPUTE;
  if (module->stage != stage)
    module->fault = g_strdup_printf("shader stage %u does not exist", (unsigned)stage);
  for (int axis = 0; axis < 3; axis++)
    module->workgroup[axis] = 1;
  strings_rehash(&module->strings, 16);
  constants_rehash(&module->constants, 64);
  module->strings.seed = (uint64_t)(uintptr_t)module * UINT64_C(0x94D049BB133111EB);
  strings_add(&module->strings, "", 0);
  module->name = name ? norn_intern(module, name, strlen(name)) : 0;
  norn_function_create(module, module->name, NORN_TYPE_VOID);
  return module;
}

NornFunction *
norn_function_copy(const NornFunction *function) {
  NornFunction *copy = g_memdup2(function, sizeof *function);
  copy->insts = norn_pages_copy(&function->insts, function->inst_count, sizeof(NornInst));
  copy->values = norn_pages_copy(&function->values, function->value_count, sizeof(NornValue));
  copy->operands = norn_pages_copy(&function->operands, function->operand_count, sizeof(NornRef));
  copy->blocks = norn_pages_copy(&function->blocks, function->block_count, sizeof(NornBlock));
  for (uint32_t k = 0; k < copy->inst_count; k++)
    norn_inst_place_operands(copy, norn_inst(copy, k), norn_inst(copy, k)->operand);
  copy->parameters =
      g_memdup2(function->parameters, function->parameter_capacity * sizeof *function->parameters);
  copy->block_order = g_memdup2(function->block_order,
                                function->block_order_capacity * sizeof *function->block_order);
  return copy;
}

NornModule *
norn_module_copy(const NornModule *module) {
  NornModule *copy = g_memdup2(module, sizeof *module);
  NornStrings *strings = &copy->strings;
  NornConstants *constants = &copy->constants;
  copy->filename = g_strdup(module->filename);
  copy->fault = g_strdup(module->fault);
  copy->faus = g_memdup2(module->faus, module->fau_capacity * sizeof *module->faus);
  strings->text = g_memdup2(strings->text, strings->text_capacity);
  strings->offsets = g_memdup2(strings->offsets, strings->capacity * sizeof *strings->offsets);
  strings->slots = g_memdup2(strings->slots, slot_count(strings) * sizeof *strings->slots);
  constants->bits = g_memdup2(constants->bits, constants->capacity * sizeof *constants->bits);
  constants->slots =
      g_memdup2(constants->slots, (constants->slot_mask + (size_t)1) * sizeof *constants->slots);
  copy->data = g_memdup2(module->data, module->data_capacity);
  copy->functions = g_new(NornFunction *, module->function_capacity);
  for (uint32_t i = 0; i < module->function_count; i++) {
    copy->functions[i] = norn_function_copy(module->functions[i]);
    copy->functions[i]->module = copy;
  }
  return copy;
}

void
norn_function_free(NornFunction *function) {
  if (!function)
    return;
  norn_pages_free(&function->insts);
  norn_pages_free(&function->values);
  norn_pages_free(&function->operands);
  norn_pages_free(&function->blocks);
  g_free(function->parameters);
  g_free(function->block_order);
  g_free(function);
}

void
norn_module_free(NornModule *module) {
  if (!module)
    return;
  for (uint32_t i = 0; i < module->function_count; i++)
    norn_function_free(module->functions[i]);
  g_free(module->functions);
  g_free(module->filename);
  g_free(module->fault);
  g_free(module->faus);
  g_free(module->strings.text);
  g_free(module->strings.offsets);
  g_free(module->strings.slots);
  g_free(module->constants.bits);
  g_free(module->constants.slots);
  g_free(module->data);
  g_free(module);
}

NornFau *
norn_module_fau_at(const NornModule *module, unsigned word) {
  for (uint32_t k = 0; k < module->fau_count; k++) {
    NornFau *fau = &module->faus[k];
    unsigned words = MAX(1, norn_type_words(fau->type));
    if (word >= fau->word && word - fau->word < fau->count * words &&
        (word - fau->word) % words == 0)
      return fau;
  }
  return NULL;
}

/* All words up to the last one that an instruction reads; an instruction that reads one word of a
 * pair may read both. */
static unsigned
words_read(const NornFunction *function, unsigned words) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      const NornRef *operands = norn_operands(function, inst);
      for (unsigned k = 0; k < inst->operand_count; k++)
        if (norn_ref_kind(operands[k]) == NORN_REF_UNIFORM &&
            norn_ref_payload(operands[k]) >= words)
          words = (norn_ref_payload(operands[k]) | 1) + 1;
    }
  return words;
}

unsigned
norn_module_uniform_words(const NornModule *module) {
  unsigned first = 0;
  for (uint32_t k = 0; k < module->fau_count; k++) {
    const NornFau *fau = &module->faus[k];
    unsigned end = fau->word + fau->count * MAX(1, norn_type_words(fau->type));
    first = MAX(first, end);
  }
  for (uint32_t k = 0; k < module->function_count; k++)
    first = words_read(module->functions[k], first);
  return first;
}

NornFunction *
norn_function_create(NornModule *module, uint32_t name, NornType result_type) {
  NornFunction *function = g_new0(NornFunction, 1);
  function->module = module;
  function->name = name;
  function->result_type = result_type;
  /* Arrays are never NULL, so an empty range of one is a valid pointer. */
  norn_pages_grow(&function->operands, 1, sizeof(NornRef));
  NORN_GROW(function->parameters, function->parameter_capacity, 1);
  NORN_GROW(function->block_order, function->block_order_capacity, 1);
  NORN_GROW(module->functions, module->function_capacity, (uint64_t)module->function_count + 1);
  module->functions[module->function_count++] = function;
  return function;
}

void
norn_function_remove(NornModule *module, uint32_t index) {
  norn_function_free(module->functions[index]);
  for (uint32_t i = index + 1; i < module->function_count; i++)
    module->functions[i - 1] = module->functions[i];
  module->function_count--;
}

static uint64_t
function_memory(const NornFunction *function) {
  return (uint64_t)function->insts.capacity * sizeof(NornInst) +
         (uint64_t)function->values.capacity * sizeof(NornValue) +
         (uint64_t)function->operands.capacity * sizeof(NornRef) +
         (uint64_t)function->blocks.capacity * sizeof(NornBlock) +
         ((uint64_t)function->parameter_capacity + function->block_order_capacity) *
             sizeof *function->parameters;
}

uint64_t
norn_module_memory(const NornModule *module) {
  const NornStrings *strings = &module->strings;
  const NornConstants *constants = &module->constants;
  uint64_t bytes = strings->text_capacity + (uint64_t)strings->capacity * sizeof *strings->offsets +
                   (uint64_t)slot_count(strings) * sizeof *strings->slots +
                   (uint64_t)constants->capacity * sizeof *constants->bits +
                   (constants->slot_mask + UINT64_C(1)) * sizeof *constants->slots +
                   module->data_capacity + (uint64_t)module->fau_capacity * sizeof *module->faus +
                   (uint64_t)module->function_count * sizeof *module->functions;
  for (uint32_t i = 0; i < module->function_count; i++)
    bytes += function_memory(module->functions[i]);
  return bytes;
}

bool
norn_module_append_data(NornModule *module, const void *bytes, size_t size) {
  if (size > NORN_DATA_LIMIT - module->data_size)
    return false;
  if (!size)
    return true;
  uint32_t end = (uint32_t)((module->data_size + size + 3) & ~(size_t)3);
  NORN_GROW(module->data, module->data_capacity, (uint64_t)end);
  memset(module->data + module->data_size, 0, end - module->data_size);
  memcpy(module->data + module->data_size, bytes, size);
  module->data_size = end;
  return true;
}

bool
norn_function_reads_data(const NornFunction *function) {
  if (!function->module->data_size)
    return false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      if (norn_inst(function, inst)->flags & NORN_INST_DATA)
        return true;
  return false;
}

const void *
norn_module_data(const NornModule *module, size_t *size) {
  *size = module->data_size;
  return module->data;
}

bool
norn_module_find_fau(const NornModule *module, const char *name, NornType *type, unsigned *word,
                     unsigned *count) {
  uint32_t string = norn_find_string(module, name, strlen(name));
  for (uint32_t i = 0; string && i < module->fau_count; i++) {
    const NornFau *fau = &module->faus[i];
    if (fau->name != string)
      continue;
    *type = (NornType)fau->type;
    *word = fau->word;
    *count = fau->count;
    return true;
  }
  return false;
}

const char *
norn_module_fau_name(const NornModule *module, unsigned index) {
  return index < module->fau_count ? norn_string(module, module->faus[index].name) : NULL;
}

bool
norn_module_find_value(const NornModule *module, const char *name, NornType *type) {
  uint32_t string = norn_find_string(module, name, strlen(name));
  for (uint32_t f = 0; string && f < module->function_count; f++) {
    const NornFunction *function = module->functions[f];
    for (uint32_t i = 0; i < function->value_count; i++) {
      if (norn_value(function, i)->name != string)
        continue;
      *type = (NornType)norn_value(function, i)->type;
      return true;
    }
  }
  return false;
}

NornShaderStage
norn_module_stage(const NornModule *module) {
  return module->stage;
}

const char *
norn_module_filename(const NornModule *module) {
  return module->filename;
}

void
norn_module_workgroup(const NornModule *module, uint32_t workgroup[3]) {
  memcpy(workgroup, module->workgroup, sizeof module->workgroup);
}

uint32_t
norn_module_grid_limit(const NornModule *module) {
  return module->grid_limit;
}
