/* Accesses that overlap on purpose; see generator.h. An access touches a few bytes of the
 * invocation's window through one of several bases: known at compile time or not, with small and
 * far offsets that lead to the same place, through global memory and through the buffer of a
 * resource table that is the same memory. Loads of constants may be out of bounds. */
#include "fuzz/generator.h"

#define DATA_HANDLE 0
#define CONSTANT_HANDLE 0x01000000

/* The bytes of a window in which most accesses lie. */
#define HOT 32

/* In workgroup memory, after the windows: a word for each invocation, then words for atomics. */
static guint
mail(const FuzzGenerator *g) {
  return g->lanes * FUZZ_SHARED_WINDOW;
}

static NornRef
word(FuzzGenerator *g, guint64 bits) {
  return norn_build_bits(g->builder, bits);
}

static NornRef
binary(FuzzGenerator *g, NornOp op, NornType type, NornRef a, NornRef b) {
  return fuzz_build(g, op, type, (NornRef[]){a, b}, 2);
}

/* --- Addresses --- */

typedef struct Space {
  NornRef base;     /* of the window; 0: the window starts at byte 0 */
  NornType address; /* its type */
  guint first, end; /* bytes of the window that accesses may touch */
  guint32 handle;   /* of a buffer */
} Space;

/* A variable of the function: either an array of units or one that is accessed in any way; NULL
 * if there is none. */
static const FuzzVariable *
find_variable(FuzzGenerator *g, bool is_array) {
  const FuzzVariable *found = NULL;
  guint seen = 0;
  for (guint i = 0; i < g->variable_count; i++)
    if ((g->variables[i].unit != 0) == is_array && fuzz_pick(g, ++seen) == 0)
      found = &g->variables[i];
  return found;
}

static Space
space_of(FuzzGenerator *g, guint64 flags) {
  if (flags & NORN_OP_GLOBAL)
    return (Space){g->window, NORN_TYPE_I64, 0, FUZZ_WINDOW, 0};
  if (flags & NORN_OP_BUFFER)
    return (Space){g->byte, NORN_TYPE_I32, 0, FUZZ_WINDOW, DATA_HANDLE};
  if (flags & NORN_OP_CONSTANT)
    return (Space){0, NORN_TYPE_I32, 0, FUZZ_CONSTANTS, CONSTANT_HANDLE};
  if (flags & NORN_OP_SHARED)
    return (Space){g->shared, NORN_TYPE_I32, 0, FUZZ_SHARED_WINDOW, 0};
  const FuzzVariable *variable = find_variable(g, false);
  if (variable && (!g->scratch || fuzz_pick(g, 3)))
    return (Space){variable->place, NORN_TYPE_I32, 0, variable->bytes, 0};
  return (Space){0, NORN_TYPE_I32, g->keeping == FUZZ_STATE_SCRATCH ? 8 : 0, g->scratch, 0};
}

/* Adds `change` to an address and subtracts it from the offset. */
static NornRef
move_base(FuzzGenerator *g, const Space *space, NornRef base, gint64 change, gint64 *offset) {
  guint64 bits = (guint64)change & norn_type_mask(space->address);
  *offset -= change;
  return base ? binary(g, NORN_OP_IADD, space->address, base, word(g, bits)) : word(g, bits);
}

/* A number as the index of an element of `step` bytes, relative to an array that begins a few
 * elements earlier. */
static NornRef
shifted_index(FuzzGenerator *g, NornRef index, guint step, gint64 *offset) {
  guint shift = (guint)__builtin_ctz(step);
  index = binary(g, NORN_OP_AND, NORN_TYPE_I32, index, word(g, 31 >> shift));
  gint64 less = *offset % 5;
  if (less)
    index = binary(g, NORN_OP_IADD, NORN_TYPE_I32, index, word(g, (guint32)-less));
  *offset += less * step;
  norn_builder_set_flags(g->builder, NORN_INST_NOWRAP);
  index = binary(g, NORN_OP_SHL, NORN_TYPE_I32, index, word(g, shift));
  norn_builder_set_flags(g->builder, 0);
  return index;
}

/* Adds a number that is only known at run time, a multiple of `step` below 32, and one that is
 * subtracted from the offset. */
static NornRef
index_base(FuzzGenerator *g, const Space *space, NornRef base, guint step, gint64 *offset) {
  NornRef index = fuzz_operand(g, NORN_TYPE_I32);
  if (space->address == NORN_TYPE_I32 && step > 1 && *offset % 3 == 0) {
    index = shifted_index(g, index, step, offset);
    return base ? binary(g, NORN_OP_IADD, NORN_TYPE_I32, base, index) : index;
  }
  index = binary(g, NORN_OP_AND, NORN_TYPE_I32, index, word(g, 31 & ~(step - 1)));
  if (space->address == NORN_TYPE_I64) {
    gint64 more = *offset % 12 * 4;
    if (more)
      index = binary(g, NORN_OP_IADD, NORN_TYPE_I32, index, word(g, (guint64)more));
    *offset -= more;
    norn_builder_set_flags(g->builder, more % 8 ? NORN_INST_NOWRAP : 0);
    NornRef sum = norn_build_shladd(g->builder, NORN_EXTEND_U32, base, index, 0);
    norn_builder_set_flags(g->builder, 0);
    return sum;
  }
  return base ? binary(g, NORN_OP_IADD, NORN_TYPE_I32, base, index) : index;
}

/* Draws the operands of an access to `bytes` bytes, except for its values; returns how many
 * there are. */
static guint
draw_place(FuzzGenerator *g, const Space *at_space, guint64 flags, guint bytes, guint alignment,
           NornRef *operands, gint64 *offset) {
  Space space = *at_space;
  guint count = 0, room = space.end - space.first - bytes, kind = fuzz_pick(g, 12);
  if (fuzz_pick(g, 8))
    room = MIN(room, HOT);
  guint at = space.first + fuzz_pick(g, room + 1);
  *offset = (at + alignment - 1) / alignment * alignment;
  if (*offset + bytes > space.end)
    *offset -= alignment;
  if (flags & NORN_OP_BUFFERS)
    operands[count++] = fuzz_handle_bits(g, space.handle);
  NornRef base = space.base;
  if (kind < 3 && *offset + bytes + 32 <= space.end)
    base = index_base(g, &space, base, alignment, offset);
  else if (kind < 6)
    base = move_base(g, &space, base, 4 * ((gint64)fuzz_pick(g, 32) - 16), offset);
  else if (kind < 7)
    base = move_base(g, &space, base, fuzz_pick(g, 2) ? G_MININT32 + 256 : G_MAXINT32, offset);
  operands[count++] = base ? base : word(g, 0);
  return count;
}

/* --- Accesses --- */

static guint
moved_bytes(const FuzzForm *form) {
  bool widens = norn_ops[form->op].flags & NORN_OP_WIDENS;
  return norn_type_bits(widens ? form->source_type : form->type) / 8;
}

/* An access that fits into *space, which is drawn as well. */
static const FuzzForm *
draw_form(FuzzGenerator *g, Space *space) {
  for (guint tries = 0; g->accesses->len && tries < 100; tries++) {
    const FuzzForm *form = &g_array_index(g->accesses, FuzzForm, fuzz_pick(g, g->accesses->len));
    guint64 flags = norn_ops[form->op].flags;
    bool is_atomic = flags & NORN_OP_WRITES_MEMORY && *norn_ops[form->op].results;
    if ((is_atomic && fuzz_pick(g, 3)) || (flags & NORN_OP_SHARED && !g->shared) ||
        (flags & NORN_OP_SCRATCH && !g->scratch && !find_variable(g, false)) ||
        (flags & NORN_OP_CONSTANT && fuzz_pick(g, 3)) ||
        (flags & NORN_OP_WRITES_MEMORY && g->stage == NORN_STAGE_VERTEX &&
         !(flags & NORN_OP_SCRATCH)))
      continue;
    *space = space_of(g, flags);
    if (moved_bytes(form) + MIN(moved_bytes(form), 8) <= space->end - space->first)
      return form;
  }
  return NULL;
}

/* An atomic access of all invocations to the same word, whose order does not matter. */
static void
add_up(FuzzGenerator *g) {
  NornType type = fuzz_pick(g, 3) ? NORN_TYPE_I32 : NORN_TYPE_I64;
  guint kind = fuzz_pick(g, NORN_ATOMIC_EXCHANGE);
  NornInstSpec spec = norn_inst_spec(NORN_OP_ATOMIC_GLOBAL);
  NornRef operands[2] = {norn_build_uniform(g->builder, FUZZ_SUMS_WORD), fuzz_operand(g, type)};
  spec.type = type;
  spec.modifier = kind;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = 16 * kind + (type == NORN_TYPE_I64 ? 8 : 0);
  norn_build(g->builder, &spec);
}

/* A load or a store of as many bytes as the elements of the array have; for a table, a load. */
static const FuzzForm *
draw_element_form(FuzzGenerator *g, guint unit) {
  for (guint tries = 0; tries < 300; tries++) {
    const FuzzForm *form = &g_array_index(g->accesses, FuzzForm, fuzz_pick(g, g->accesses->len));
    guint64 flags = norn_ops[form->op].flags;
    if (flags & NORN_OP_SCRATCH && moved_bytes(form) == unit &&
        !(g->has_tables && flags & NORN_OP_WRITES_MEMORY))
      return form;
  }
  return NULL;
}

/* A number below `count`, which is at least 1, that is only known at run time. */
static NornRef
draw_index(FuzzGenerator *g, guint count) {
  NornRef any = fuzz_operand(g, NORN_TYPE_I32);
  switch (fuzz_pick(g, 3)) {
  case 0:
    return binary(g, NORN_OP_UREM, NORN_TYPE_I32, any, word(g, count));
  case 1:
    return binary(g, NORN_OP_UMIN, NORN_TYPE_I32, any, word(g, count - 1));
  default:
    return binary(g, NORN_OP_AND, NORN_TYPE_I32, any,
                  word(g, (1u << g_bit_storage(count) >> 1) - 1));
  }
}

/* An access to an element of an array, with an index of known range or without one. */
static void
access_element(FuzzGenerator *g) {
  const FuzzVariable *array = find_variable(g, true);
  const FuzzForm *form = array && g->accesses->len ? draw_element_form(g, array->unit) : NULL;
  if (!form)
    return;
  guint count = array->bytes / array->unit, first = fuzz_pick(g, count);
  NornRef operands[FUZZ_OPERANDS] = {0}, place = array->place;
  if (fuzz_pick(g, 2)) {
    guint step = 1 + fuzz_pick(g, 2), range = (count - first - 1) / step + 1;
    NornRef index = draw_index(g, range);
    NornRef bytes =
        fuzz_pick(g, 2) && array->unit * step <= 16 && step == 1
            ? binary(g, NORN_OP_SHL, NORN_TYPE_I32, index, word(g, g_bit_storage(array->unit) - 1))
            : binary(g, NORN_OP_IMUL, NORN_TYPE_I32, index, word(g, array->unit * step));
    place = binary(g, NORN_OP_IADD, NORN_TYPE_I32, place, bytes);
  }
  guint at = norn_address_operand(form->op);
  operands[at] = place;
  fuzz_build_form(g, form, operands, at + 1, array->unit * first);
}

/* A load from the constant data at an address that is only known at run time. */
static void
load_data(FuzzGenerator *g) {
  const FuzzForm *form = NULL;
  for (guint tries = 0; !form && g->accesses->len && tries < 300; tries++) {
    const FuzzForm *drawn = &g_array_index(g->accesses, FuzzForm, fuzz_pick(g, g->accesses->len));
    guint64 flags = norn_ops[drawn->op].flags;
    if (flags & NORN_OP_GLOBAL && !(flags & NORN_OP_WRITES_MEMORY))
      form = drawn;
  }
  if (!form)
    return;
  guint step = MIN(moved_bytes(form), 4), count = (g->data_bytes - moved_bytes(form)) / step + 1;
  guint first = fuzz_pick(g, count), base = 4 * fuzz_pick(g, g->data_bytes / 4);
  NornRef operands[FUZZ_OPERANDS] = {norn_build_data_address(g->builder, base)};
  NornRef index =
      binary(g, NORN_OP_IMUL, NORN_TYPE_I32, draw_index(g, count - first), word(g, step));
  operands[0] = norn_build_shladd(g->builder, NORN_EXTEND_U32, operands[0], index, 0);
  fuzz_build_form(g, form, operands, 1, (gint64)(first * step) - base);
}

/* A plain access without a descriptor to the same space as another access, of whole words, or of
 * a byte or half; NULL: none was found. */
static const FuzzForm *
draw_neighbor_form(FuzzGenerator *g, const FuzzForm *other, bool is_part) {
  const NornOpInfo *like = &norn_ops[other->op];
  for (guint tries = 0; tries < 100; tries++) {
    const FuzzForm *form = &g_array_index(g->accesses, FuzzForm, fuzz_pick(g, g->accesses->len));
    const NornOpInfo *info = &norn_ops[form->op];
    bool writes = info->flags & NORN_OP_WRITES_MEMORY;
    if ((info->flags & NORN_OP_SPACES) == (like->flags & NORN_OP_SPACES) &&
        !(info->flags & (NORN_OP_BUFFERS | NORN_OP_WIDENS)) && !(writes && *info->results) &&
        !(writes && g->stage == NORN_STAGE_VERTEX && !(info->flags & NORN_OP_SCRATCH)) &&
        (moved_bytes(form) % 4 != 0) == is_part)
      return form;
  }
  return NULL;
}

void
fuzz_observe(FuzzGenerator *g, FuzzValue value) {
  NornType type = value.type;
  NornRef operands[3] = {value.ref};
  NornInstSpec spec = norn_inst_spec(NORN_OP_STORE_GLOBAL);
  if (type == NORN_TYPE_I1) {
    operands[0] = norn_build_zext(g->builder, NORN_TYPE_I32, NORN_TYPE_I1, value.ref);
    type = NORN_TYPE_I32;
  }
  if (norn_type_words(type) > 4)
    return;
  guint bytes = norn_type_bits(type) / 8, step = MIN(bytes, 4);
  bool is_vertex = g->stage == NORN_STAGE_VERTEX && g->lane;
  guint room = is_vertex ? FUZZ_VARYINGS : FUZZ_WINDOW;
  operands[1] = g->window;
  spec.op = is_vertex ? NORN_OP_STORE_VARYING : NORN_OP_STORE_GLOBAL;
  spec.type = type;
  spec.operands = operands;
  spec.operand_count = is_vertex ? 1 : 2;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = fuzz_pick(g, (room - bytes) / step + 1) * step;
  norn_build(g->builder, &spec);
}

/* Consecutive loads and stores of a few words relative to one base: adjacent ones, and some that
 * overlap. All loaded values affect the result. */
static void
access_neighbors(FuzzGenerator *g) {
  Space space;
  const FuzzForm *first = draw_form(g, &space);
  GArray *values = g->blocks[g->block].values;
  guint value = values->len;
  for (guint left = first ? 4 + fuzz_pick(g, 8) : 0; left; left--) {
    const FuzzForm *form = draw_neighbor_form(g, first, false);
    guint room = MIN(space.end - space.first, HOT);
    if (!form || moved_bytes(form) > room)
      continue;
    guint at = norn_address_operand(form->op);
    NornRef operands[FUZZ_OPERANDS] = {0};
    operands[at] = space.base ? space.base : word(g, 0);
    fuzz_build_form(g, form, operands, at + 1,
                    space.first + 4 * fuzz_pick(g, (room - moved_bytes(form)) / 4 + 1));
  }
  for (guint end = values->len; value < end; value++)
    fuzz_observe(g, g_array_index(values, FuzzValue, value));
}

/* Loads or stores of bytes and halves that usually fill words, occasionally with a word between
 * them. All loaded values affect the result. */
static void
access_parts(FuzzGenerator *g) {
  Space space;
  const FuzzForm *first = draw_form(g, &space);
  GArray *values = g->blocks[g->block].values;
  guint value = values->len, at = 2 * fuzz_pick(g, 4), unit = 1 + fuzz_pick(g, 2);
  bool writes = fuzz_pick(g, 2);
  for (guint left = first ? 20 : 0; left; left--) {
    const FuzzForm *form = draw_neighbor_form(g, first, fuzz_pick(g, 8));
    guint bytes = form ? moved_bytes(form) : 0;
    bool is_like = form && writes == ((norn_ops[form->op].flags & NORN_OP_WRITES_MEMORY) != 0) &&
                   (bytes == unit || bytes == 4);
    if (!is_like && fuzz_pick(g, 8))
      continue;
    guint step = MAX(MIN(bytes, 4), 1);
    at = (at + step - 1) / step * step;
    if (!form || space.first + at + bytes > space.end)
      break;
    guint operand = norn_address_operand(form->op);
    NornRef operands[FUZZ_OPERANDS] = {0};
    operands[operand] = space.base ? space.base : word(g, 0);
    fuzz_build_form(g, form, operands, operand + 1, space.first + at);
    at += bytes + (fuzz_pick(g, 12) == 0);
  }
  for (guint end = values->len; value < end; value++)
    fuzz_observe(g, g_array_index(values, FuzzValue, value));
}

void
fuzz_access(FuzzGenerator *g) {
  Space space;
  if (g->data_bytes && fuzz_pick(g, 6) == 0) {
    load_data(g);
    return;
  }
  if (fuzz_pick(g, 48) == 0) {
    access_parts(g);
    return;
  }
  if (fuzz_pick(g, 32) == 0) {
    access_neighbors(g);
    return;
  }
  if (g->stage != NORN_STAGE_VERTEX && fuzz_pick(g, 24) == 0) {
    add_up(g);
    return;
  }
  if (g->variable_count && fuzz_pick(g, 4) == 0) {
    access_element(g);
    return;
  }
  const FuzzForm *form = draw_form(g, &space);
  if (!form)
    return;
  const NornOpInfo *info = &norn_ops[form->op];
  bool is_atomic = info->flags & NORN_OP_WRITES_MEMORY && *info->results;
  guint bytes = moved_bytes(form), alignment = is_atomic ? bytes : MIN(bytes, 4);
  NornRef operands[FUZZ_OPERANDS] = {0};
  gint64 offset;
  guint first = norn_address_operand(form->op) - ((info->flags & NORN_OP_BUFFERS) != 0);
  /* What a load of several words across the end returns is not known. */
  bool is_at_end = info->flags & NORN_OP_CONSTANT && bytes <= 4 && !fuzz_pick(g, 4);
  if (is_at_end) {
    space.first = FUZZ_CONSTANTS - HOT;
    space.end = FUZZ_CONSTANTS + HOT;
  }
  g->is_coarse = !is_at_end && fuzz_pick(g, 4);
  guint count = draw_place(g, &space, info->flags, bytes, alignment, operands + first, &offset);
  fuzz_build_form(g, form, operands, first + count, offset);
}

/* --- Between invocations --- */

static void
barrier(FuzzGenerator *g) {
  norn_build_barrier(g->builder, fuzz_pick(g, 3) ? NORN_SCOPE_WORKGROUP : NORN_SCOPE_DEVICE);
}

/* The number of some invocation of the workgroup. */
static NornRef
draw_other(FuzzGenerator *g) {
  NornRef other = fuzz_pick(g, 2) ? fuzz_operand(g, NORN_TYPE_I32)
                                  : binary(g, NORN_OP_IADD, NORN_TYPE_I32, g->local,
                                           word(g, 1 + fuzz_pick(g, 20)));
  return binary(g, NORN_OP_UREM, NORN_TYPE_I32, other, word(g, g->lanes));
}

/* Each invocation writes a word, and all read the word of another one. */
static void
exchange_words(FuzzGenerator *g) {
  NornRef two = word(g, 2), own = binary(g, NORN_OP_SHL, NORN_TYPE_I32, g->local, two);
  norn_build_store_shared(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), own, mail(g));
  barrier(g);
  for (guint left = 1 + fuzz_pick(g, 2); left; left--) {
    NornRef other = binary(g, NORN_OP_SHL, NORN_TYPE_I32, draw_other(g), two);
    fuzz_offer(g, norn_build_load_shared(g->builder, NORN_TYPE_I32, other, mail(g)), NORN_TYPE_I32);
  }
}

/* All invocations read from the window of another one. */
static void
exchange_windows(FuzzGenerator *g) {
  bool is_shared = fuzz_pick(g, 2);
  NornType type = fuzz_pick(g, 2) ? NORN_TYPE_I32 : NORN_TYPE_W4;
  NornRef other = draw_other(g), result;
  gint64 offset = 4 * fuzz_pick(g, HOT / 4);
  barrier(g);
  if (is_shared) {
    NornRef at = binary(g, NORN_OP_IMUL, NORN_TYPE_I32, other, word(g, FUZZ_SHARED_WINDOW));
    result = norn_build_load_shared(g->builder, type, at, offset);
  } else {
    NornRef apart = binary(g, NORN_OP_ISUB, NORN_TYPE_I32, other, g->local);
    apart = binary(g, NORN_OP_IMUL, NORN_TYPE_I32, apart, word(g, FUZZ_WINDOW));
    NornRef at = norn_build_shladd(g->builder, NORN_EXTEND_S32, g->window, apart, 0);
    result = norn_build_load_global(g->builder, type, at, offset);
  }
  fuzz_offer(g, result, type);
}

/* All invocations combine a value into one word, which is read when they are done. */
static void
exchange_sum(FuzzGenerator *g) {
  guint kind = fuzz_pick(g, NORN_ATOMIC_EXCHANGE);
  guint at = mail(g) + 4 * g->lanes + 4 * kind;
  norn_build_atomic_shared(g->builder, kind, NORN_TYPE_I32, word(g, 0),
                           fuzz_operand(g, NORN_TYPE_I32), at);
  barrier(g);
  fuzz_offer(g, norn_build_load_shared(g->builder, NORN_TYPE_I32, word(g, 0), at), NORN_TYPE_I32);
}

void
fuzz_exchange(FuzzGenerator *g) {
  if (!g->shared)
    return;
  guint kind = fuzz_pick(g, 4);
  (kind < 2 ? exchange_words : kind < 3 ? exchange_windows : exchange_sum)(g);
  barrier(g);
}

/* --- The start --- */

/* Initializes memory of the invocation that starts out undefined. */
static void
fill(FuzzGenerator *g, NornOp op, NornRef base, guint first, guint end) {
  while (first < end) {
    NornType type = first + 16 <= end ? NORN_TYPE_W4 : NORN_TYPE_I32;
    NornRef operands[2] = {type == NORN_TYPE_W4 ? norn_build_uniform(g->builder, FUZZ_FREE_WORD + 4)
                                                : word(g, first),
                           base};
    NornInstSpec spec = norn_inst_spec(op);
    spec.type = type;
    spec.operands = operands;
    spec.operand_count = 2;
    spec.immediates[NORN_IMMEDIATE_OFFSET] = first;
    norn_build(g->builder, &spec);
    first += norn_type_bits(type) / 8;
  }
}

static NornRef
draw_constant(FuzzGenerator *g, NornType type) {
  NornRef words[4];
  if (type != NORN_TYPE_W4)
    return word(g, fuzz_pick(g, G_MAXINT32) & norn_type_mask(type));
  for (guint k = 0; k < G_N_ELEMENTS(words); k++)
    words[k] = word(g, fuzz_pick(g, G_MAXINT32));
  return norn_build_collect(g->builder, NORN_TYPE_I32, type, 4, words);
}

/* Words are also initialized by element, so that all accesses have the same size. */
static void
fill_variable(FuzzGenerator *g, const FuzzVariable *variable) {
  static const NornType types[] = {[1] = NORN_TYPE_I8,
                                   [2] = NORN_TYPE_I16,
                                   [4] = NORN_TYPE_I32,
                                   [8] = NORN_TYPE_I64,
                                   [16] = NORN_TYPE_W4};
  if (!variable->unit) {
    fill(g, NORN_OP_STORE_SCRATCH, variable->place, 0, variable->bytes);
    return;
  }
  NornType type = types[variable->unit];
  for (guint at = 0; at < variable->bytes; at += variable->unit)
    norn_build_store_scratch(g->builder, type,
                             g->has_tables ? draw_constant(g, type) : fuzz_operand(g, type),
                             variable->place, at);
}

void
fuzz_find_windows(FuzzGenerator *g) {
  NornRef data = norn_build_uniform(g->builder, FUZZ_DATA_WORD);
  g->byte = binary(g, NORN_OP_IMUL, NORN_TYPE_I32, g->lane, word(g, FUZZ_WINDOW));
  g->window = norn_build_shladd(g->builder, NORN_EXTEND_U32, data, g->byte, 0);
  g->shared = g->uses_shared
                  ? binary(g, NORN_OP_IMUL, NORN_TYPE_I32, g->local, word(g, FUZZ_SHARED_WINDOW))
                  : 0;
}

void
fuzz_declare_variables(FuzzGenerator *g) {
  static const guint8 sizes[] = {4, 8, 12, 16, 16, 24, 32, 32, 48, 64, 64, 80};
  static const guint8 units[] = {0, 0, 0, 1, 2, 4, 4, 4, 4, 8, 16};
  g->variable_count = 0;
  for (guint left = g->has_variables ? 1 + fuzz_pick(g, FUZZ_VARIABLES) : 0; left; left--) {
    FuzzVariable *self = &g->variables[g->variable_count++];
    self->unit = units[fuzz_pick(g, G_N_ELEMENTS(units))];
    self->bytes = sizes[fuzz_pick(g, G_N_ELEMENTS(sizes))];
    if (self->unit)
      self->bytes = MAX(self->bytes / self->unit, 1) * self->unit;
    if (self->unit && g->has_tables)
      self->bytes *= 1 + fuzz_pick(g, 4);
    self->place = norn_build_alloca(g->builder, self->bytes);
    fill_variable(g, self);
  }
}

void
fuzz_fill_memory(FuzzGenerator *g) {
  fill(g, NORN_OP_STORE_SCRATCH, word(g, 0), g->keeping == FUZZ_STATE_SCRATCH ? 8 : 0, g->scratch);
  if (!g->uses_shared)
    return;
  fill(g, NORN_OP_STORE_SHARED, g->shared, 0, FUZZ_SHARED_WINDOW);
  NornRef own = binary(g, NORN_OP_SHL, NORN_TYPE_I32, g->local, word(g, 2));
  norn_build_store_shared(g->builder, NORN_TYPE_I32, g->local, own, mail(g));
  for (guint kind = 0; kind < NORN_ATOMIC_EXCHANGE; kind++)
    norn_build_atomic_shared(g->builder, NORN_ATOMIC_EXCHANGE, NORN_TYPE_I32, word(g, 0),
                             word(g, 77 * kind), mail(g) + 4 * g->lanes + 4 * kind);
  barrier(g);
}

guint
fuzz_shared_bytes(const FuzzGenerator *g) {
  return g->uses_shared ? mail(g) + 4 * g->lanes + 4 * NORN_ATOMIC_EXCHANGE : 0;
}
