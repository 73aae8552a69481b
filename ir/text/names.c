/* The names in printed text, found by two walks in program order: the first assigns names, the
 * second the remaining numbers; see ir/text/names.h. */
#include "ir/text/names.h"

/* The number that a decimal name without leading zeros stands for, or -1 if it is not a number
 * below `limit`. */
static int64_t
name_number(const char *name, uint32_t limit) {
  if (name[0] == '0' && name[1])
    return -1;
  uint64_t number = 0;
  for (const char *c = name; *c; c++) {
    if (*c < '0' || *c > '9')
      return -1;
    number = number * 10 + (unsigned)(*c - '0');
    if (number >= limit)
      return -1;
  }
  return *name ? (int64_t)number : -1;
}

/* The next number for which "base_number" is not a name in use. */
static uint32_t
free_suffix(NornNames *names, uint32_t base, bool is_block) {
  if (!names->next_suffix)
    names->next_suffix = g_new0(uint32_t, names->module->strings.count);
  GString *candidate = names->scratch;
  for (;;) {
    uint32_t number = ++names->next_suffix[base];
    g_string_printf(candidate, "%s_%u", norn_string(names->module, base), number);
    uint32_t string = norn_find_string(names->module, candidate->str, candidate->len);
    if (!string || !(is_block ? names->owners[string].block : names->owners[string].value))
      return number;
  }
}

/* Assigns the definition its name, or records that it lacks one (number 1). */
static bool
claim_value(NornNames *names, uint32_t value) {
  const NornValue *self = norn_value(names->function, value);
  NornNameOwner *owner = &names->owners[self->name];
  if (self->name && !owner->value) {
    owner->value = value + 1;
    names->value_numbers[value] = 0;
    return true;
  }
  names->value_numbers[value] = 1;
  return false;
}

static bool
claim_block(NornNames *names, uint32_t block) {
  uint32_t name = norn_block(names->function, block)->name;
  NornNameOwner *owner = &names->owners[name];
  if (name && !owner->block) {
    owner->block = block + 1;
    names->block_numbers[block] = 0;
    return true;
  }
  names->block_numbers[block] = 1;
  return false;
}

/* First walk: assigns names to their first definitions. Returns whether any definition is left
 * without a name. */
static bool
claim_names(NornNames *names) {
  const NornFunction *function = names->function;
  bool all = true;
  norn_for_each_block (function, block) {
    all &= claim_block(names, block);
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      all &= claim_value(names, norn_block_parameter(function, block, k));
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      for (unsigned k = 0; k < self->result_count; k++)
        all &= claim_value(names, self->result + k);
    }
  }
  return !all;
}

/* The smallest number from *next on that is not the name of a value. */
static uint32_t
free_value_number(const bool *taken, uint32_t *next) {
  while (taken[*next])
    ++*next;
  return (*next)++;
}

static void
number_value(NornNames *names, uint32_t value, const bool *taken, uint32_t *next) {
  if (!names->value_numbers[value])
    return;
  uint32_t name = norn_value(names->function, value)->name;
  names->value_numbers[value] =
      1 + (name ? free_suffix(names, name, false) : free_value_number(taken, next));
}

static void
number_block(NornNames *names, uint32_t block, uint32_t *next) {
  if (!names->block_numbers[block])
    return;
  uint32_t name = norn_block(names->function, block)->name;
  uint32_t number;
  if (name) {
    number = free_suffix(names, name, true);
  } else {
    uint32_t string;
    do {
      number = (*next)++;
      g_string_printf(names->scratch, "b%u", number);
      string = norn_find_string(names->module, names->scratch->str, names->scratch->len);
    } while (string && names->owners[string].block);
  }
  names->block_numbers[block] = 1 + number;
}

/* Second walk, if needed: assigns numbers to the definitions without a name. */
static void
number_definitions(NornNames *names) {
  const NornFunction *function = names->function;
  bool *taken = g_new0(bool, (size_t)function->value_count + 1);
  for (uint32_t value = 0; value < function->value_count; value++) {
    if (names->value_numbers[value])
      continue;
    int64_t number = name_number(norn_string(names->module, norn_value(function, value)->name),
                                 function->value_count);
    if (number >= 0)
      taken[number] = true;
  }
  uint32_t next_value = 0, next_block = 0;
  norn_for_each_block (function, block) {
    number_block(names, block, &next_block);
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      number_value(names, norn_block_parameter(function, block, k), taken, &next_value);
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      for (unsigned k = 0; k < self->result_count; k++)
        number_value(names, self->result + k, taken, &next_value);
    }
  }
  g_free(taken);
}

void
norn_names_forget(NornNames *names) {
  const NornFunction *function = names->function;
  for (uint32_t value = 0; value < function->value_count; value++)
    names->owners[norn_value(function, value)->name].value = 0;
  for (uint32_t block = 0; block < function->block_count; block++)
    names->owners[norn_block(function, block)->name].block = 0;
  g_free(names->value_numbers);
  g_free(names->block_numbers);
  names->value_numbers = names->block_numbers = NULL;
}

void
norn_names_find(NornNames *names, const NornFunction *function) {
  names->function = function;
  names->value_numbers = norn_new_indexes(function->value_count);
  names->block_numbers = norn_new_indexes(function->block_count);
  if (claim_names(names))
    number_definitions(names);
}

void
norn_names_init(NornNames *names, const NornModule *module) {
  *names = (NornNames){.module = module,
                       .owners = g_new0(NornNameOwner, module->strings.count),
                       .scratch = g_string_new(NULL)};
}

void
norn_names_clear(NornNames *names) {
  g_free(names->owners);
  g_free(names->next_suffix);
  g_string_free(names->scratch, TRUE);
}
