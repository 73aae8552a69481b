/* Arrays of a function that are tables: the only store to such an array is a store of one constant
 * to all of it.
 *
 * Front ends create a separate variable at each place where a constant array is indexed, and fill
 * it there, in each iteration of the loops around it. A read before the store would be undefined,
 * so the constant may as well be there from the start, and variables with the same constant can
 * share memory. Any other instruction that names the variable, or a place in it, makes it an
 * ordinary variable. */
#include "spirv/interface.h"

/* Whether a value is a constant array, if already known. */
typedef enum ValueKind { UNKNOWN, CONSTANT, OTHER } ValueKind;

/* The state of the search for tables. */
typedef struct TableSearch {
  NornSpirvReader *reader;
  uint8_t *kind;   /* by id: ValueKind */
  uint32_t *owner; /* by id: the variable that it is or points into; 0: none */
} TableSearch;

/* Whether the id is a constant array. */
static bool
is_constant_array(TableSearch *search, uint32_t id) {
  const NornSpirvReader *reader = search->reader;
  const NornSpirvId *value = id < reader->bound ? &reader->ids[id] : &reader->ids[0];
  if (!value->refs || !value->type || value->type->op != SpvOpTypeArray)
    return false;
  if (search->kind[id] == UNKNOWN) {
    uint32_t k = 0;
    while (k < value->type->flat && norn_is_constant(value->refs[k]))
      k++;
    search->kind[id] = k == value->type->flat ? CONSTANT : OTHER;
  }
  return search->kind[id] == CONSTANT;
}

static bool
is_access_chain(unsigned opcode) {
  return opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain;
}

/* Finds the variables that a constant array is stored to, or that are initialized with one. */
static bool
find_candidates(TableSearch *search, uint32_t first) {
  NornSpirvReader *reader = search->reader;
  bool any = false;
  for (norn_spirv_seek(reader, first); reader->at < reader->word_count;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    bool begins = norn_spirv_opcode(reader) == SpvOpVariable && norn_spirv_length(reader) > 4;
    if (!begins && norn_spirv_opcode(reader) != SpvOpStore)
      continue;
    uint32_t id = norn_spirv_word(reader, begins ? 2 : 1);
    uint32_t value = norn_spirv_word(reader, begins ? 4 : 2);
    uint32_t at = id < reader->bound ? reader->ids[id].at : 0;
    if (at < first || (reader->words[at] & 0xFFFF) != SpvOpVariable ||
        !is_constant_array(search, value))
      continue;
    reader->ids[id].table = value;
    any = true;
  }
  return any;
}

/* Finds the places in candidates. */
static void
find_places(TableSearch *search, uint32_t first) {
  NornSpirvReader *reader = search->reader;
  for (norn_spirv_seek(reader, first); reader->at < reader->word_count;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    if (opcode != SpvOpVariable && !is_access_chain(opcode))
      continue;
    uint32_t id = norn_spirv_word(reader, 2), base = norn_spirv_word(reader, 3);
    if (id >= reader->bound)
      continue;
    if (opcode == SpvOpVariable)
      search->owner[id] = reader->ids[id].table ? id : 0;
    else if (base < reader->bound)
      search->owner[id] = search->owner[base];
  }
}

/* Whether the instruction, whose word k names a place in the candidate, allows it to be a table. */
static bool
keeps_table(NornSpirvReader *reader, uint32_t k, uint32_t variable) {
  switch (norn_spirv_opcode(reader)) {
  case SpvOpVariable:
    return k == 2 && (norn_spirv_length(reader) < 5 ||
                      norn_spirv_word(reader, 4) == reader->ids[variable].table);
  case SpvOpAccessChain:
  case SpvOpInBoundsAccessChain:
    return k == 2 || k == 3;
  case SpvOpLoad:
    return k == 3;
  case SpvOpStore:
    return k == 1 && norn_spirv_word(reader, 1) == variable &&
           norn_spirv_word(reader, 2) == reader->ids[variable].table;
  case SpvOpExtInst:
    return norn_spirv_word(reader, 3) == reader->debug;
  case SpvOpLine:
    return true;
  default:
    return false;
  }
}

/* Keeps only the candidates that are tables. A literal may look like an id of a candidate, which is
 * then not considered a table. */
static void
remove_others(TableSearch *search, uint32_t first) {
  NornSpirvReader *reader = search->reader;
  for (norn_spirv_seek(reader, first); reader->at < reader->word_count;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader)))
    for (uint32_t k = 1; k < norn_spirv_length(reader); k++) {
      uint32_t id = reader->inst[k], variable = id < reader->bound ? search->owner[id] : 0;
      if (variable && !keeps_table(reader, k, variable))
        reader->ids[variable].table = 0;
    }
}

void
norn_spirv_find_tables(NornSpirvReader *reader, uint32_t first) {
  NornArenaMark mark = norn_arena_mark(&reader->arena);
  TableSearch search = {.reader = reader};
  search.kind = NORN_NEW0(&reader->arena, uint8_t, reader->bound);
  if (find_candidates(&search, first)) {
    search.owner = NORN_NEW0(&reader->arena, uint32_t, reader->bound);
    find_places(&search, first);
    remove_others(&search, first);
  }
  norn_arena_release(&reader->arena, mark);
  norn_spirv_seek(reader, first);
}
