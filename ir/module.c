/* Modules: strings, constants, functions.
 *
 * Strings and constants are held once each, found through open-addressed tables of indexes that
 * double when they are half full; entries are never removed. Strings contain no zero byte. */
#include "ir/ir.h"
#include "ir/ops.h"
#include <string.h>

void
norn_grow(void **array, uint32_t *capacity, uint64_t needed, size_t element_size) {
  uint64_t size = *capacity ? *capacity : 16;
  while (size < needed)
    size *= 2;
  /* Indexes are 32 bits wide; a function that needs more cannot be represented. */
  if (size > UINT32_MAX)
    size = UINT32_MAX;
  *array = g_realloc_n(*array, size, element_size);
  *capacity = (uint32_t)size;
}

static void
strings_rehash(NornStrings *strings, uint32_t slot_count) {
  g_free(strings->slots);
  strings->slots = g_new0(uint32_t, slot_count);
  strings->slot_mask = slot_count - 1;
  for (uint32_t string = 1; string < strings->count; string++) {
    uint32_t slot = strings->hashes[string] & strings->slot_mask;
    while (strings->slots[slot])
      slot = (slot + 1) & strings->slot_mask;
    strings->slots[slot] = string;
  }
}

/* The slot that holds the string or would. */
static uint32_t
strings_slot(const NornStrings *strings, const char *text, size_t length, uint32_t hash) {
  uint32_t slot = hash & strings->slot_mask;
  for (uint32_t string; (string = strings->slots[slot]); slot = (slot + 1) & strings->slot_mask) {
    if (strings->hashes[string] != hash)
      continue;
    const char *held = strings->text + strings->offsets[string];
    if (!strncmp(held, text, length) && !held[length])
      break;
  }
  return slot;
}

static uint32_t
hash_text(const char *text, size_t length) {
  uint32_t hash = NORN_HASH_SEED;
  for (size_t i = 0; i < length; i++)
    hash = norn_hash_byte(hash, (unsigned char)text[i]);
  return hash;
}

uint32_t
norn_intern_hashed(NornModule *module, const char *text, size_t length, uint32_t hash) {
  NornStrings *strings = &module->strings;
  uint32_t slot = strings_slot(strings, text, length, hash);
  if (strings->slots[slot])
    return strings->slots[slot];
  uint64_t text_needed = (uint64_t)strings->text_size + length + 1;
  NORN_GROW(strings->text, strings->text_capacity, text_needed);
  if (strings->count == strings->capacity) {
    uint32_t capacity = strings->capacity;
    NORN_GROW(strings->offsets, capacity, (uint64_t)strings->count + 1);
    NORN_GROW(strings->hashes, strings->capacity, (uint64_t)strings->count + 1);
  }
  memcpy(strings->text + strings->text_size, text, length);
  strings->text[strings->text_size + length] = 0;
  strings->offsets[strings->count] = strings->text_size;
  strings->hashes[strings->count] = hash;
  strings->text_size += (uint32_t)length + 1;
  strings->slots[slot] = strings->count++;
  if (strings->count > strings->slot_mask / 2) {
    uint32_t string = strings->slots[slot];
    strings_rehash(strings, (strings->slot_mask + 1) * 2);
    return string;
  }
  return strings->slots[slot];
}

uint32_t
norn_intern(NornModule *module, const char *text, size_t length) {
  return norn_intern_hashed(module, text, length, hash_text(text, length));
}

uint32_t
norn_find_string(const NornModule *module, const char *text, size_t length) {
  const NornStrings *strings = &module->strings;
  return strings->slots[strings_slot(strings, text, length, hash_text(text, length))];
}

static uint32_t
hash_bits(uint64_t bits) {
  return (uint32_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
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

NornModule *
norn_module_new(NornShaderStage stage, const char *name) {
  NornModule *module = g_new0(NornModule, 1);
  module->stage = stage;
  for (int axis = 0; axis < 3; axis++)
    module->workgroup[axis] = 1;
  strings_rehash(&module->strings, 64);
  constants_rehash(&module->constants, 64);
  module->strings.count = 1;
  NORN_GROW(module->strings.text, module->strings.text_capacity, 1);
  module->strings.text[module->strings.text_size++] = 0;
  uint32_t capacity = 0;
  NORN_GROW(module->strings.offsets, capacity, 1);
  NORN_GROW(module->strings.hashes, module->strings.capacity, 1);
  module->strings.offsets[0] = 0;
  module->strings.hashes[0] = 0;
  module->name = norn_intern(module, name, strlen(name));
  norn_function_create(module, module->name, NORN_TYPE_VOID);
  return module;
}

static void
function_free(NornFunction *function) {
  g_free(function->insts);
  g_free(function->values);
  g_free(function->operands);
  g_free(function->blocks);
  g_free(function->parameters);
  g_free(function->block_order);
  g_free(function);
}

void
norn_module_free(NornModule *module) {
  if (!module)
    return;
  for (uint32_t i = 0; i < module->function_count; i++)
    function_free(module->functions[i]);
  g_free(module->functions);
  g_free(module->filename);
  g_free(module->faus);
  g_free(module->strings.text);
  g_free(module->strings.offsets);
  g_free(module->strings.hashes);
  g_free(module->strings.slots);
  g_free(module->constants.bits);
  g_free(module->constants.slots);
  g_free(module);
}

NornFunction *
norn_find_function(const NornModule *module, uint32_t name) {
  for (uint32_t i = 0; i < module->function_count; i++)
    if (module->functions[i]->name == name)
      return module->functions[i];
  return NULL;
}

NornFunction *
norn_function_create(NornModule *module, uint32_t name, NornType result_type) {
  NornFunction *function = g_new0(NornFunction, 1);
  function->module = module;
  function->name = name;
  function->result_type = result_type;
  NORN_GROW(module->functions, module->function_capacity, (uint64_t)module->function_count + 1);
  module->functions[module->function_count++] = function;
  return function;
}

void
norn_function_remove(NornModule *module, uint32_t index) {
  function_free(module->functions[index]);
  for (uint32_t i = index + 1; i < module->function_count; i++)
    module->functions[i - 1] = module->functions[i];
  module->function_count--;
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

void
norn_module_workgroup(const NornModule *module, uint32_t workgroup[3]) {
  memcpy(workgroup, module->workgroup, sizeof module->workgroup);
}
