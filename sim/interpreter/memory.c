/* Loads, stores and atomic accesses: finding the bytes, then moving them.
 *
 * Addresses outside their memory trap; but a buffer of a resource table reads 0 there and is not
 * written, and a helper never traps. */
#include "sim/interpreter/memory.h"
#include "ir/ops.h"
#include "sim/common/atomic.h"
#include "sim/common/memory.h"
#include "sim/interpreter/state.h"

typedef enum { SPACE_GLOBAL, SPACE_SHARED, SPACE_SCRATCH, SPACE_BUFFER } Space;

/* Where an operation finds its address: the operand that holds it (for buffers the handle stands
 * right before). */
typedef struct Access {
  Space space;
  uint8_t address;
  bool is_atomic;
} Access;

#define ACCESSES(SPACE, n)                                                                         \
  [NORN_OP_LOAD_##SPACE] = {SPACE_##SPACE, n}, [NORN_OP_ULOAD_##SPACE] = {SPACE_##SPACE, n},       \
  [NORN_OP_SLOAD_##SPACE] = {SPACE_##SPACE, n}, [NORN_OP_STORE_##SPACE] = {SPACE_##SPACE, n + 1}
#define ATOMIC_ACCESSES(SPACE, n)                                                                  \
  [NORN_OP_ATOMIC_##SPACE] = {SPACE_##SPACE, n, true},                                             \
  [NORN_OP_ATOMIC_INC_##SPACE] = {SPACE_##SPACE, n, true},                                         \
  [NORN_OP_ATOMIC_DEC_##SPACE] = {SPACE_##SPACE, n, true},                                         \
  [NORN_OP_CMPXCHG_##SPACE] = {SPACE_##SPACE, n, true}

static const Access accesses[NORN_OP_COUNT] = {
    ACCESSES(GLOBAL, 0),
    ATOMIC_ACCESSES(GLOBAL, 0),
    ACCESSES(SHARED, 0),
    ATOMIC_ACCESSES(SHARED, 0),
    ACCESSES(SCRATCH, 0),
    ACCESSES(BUFFER, 1),
    ATOMIC_ACCESSES(BUFFER, 1),
    [NORN_OP_LOAD_CONSTANT] = {SPACE_BUFFER, 1},
    [NORN_OP_ULOAD_CONSTANT] = {SPACE_BUFFER, 1},
    [NORN_OP_SLOAD_CONSTANT] = {SPACE_BUFFER, 1},
};

/* One lane's access. */
typedef struct Place {
  Space space;
  uint64_t address; /* in the space */
  size_t size;
  uint8_t *bytes; /* NULL outside */
  bool outside;   /* reads 0 and is not written, instead of a trap */
} Place;

/* The bytes [address, address + size) of a piece of memory, or NULL. */
static uint8_t *
within(uint8_t *bytes, size_t available, uint64_t address, size_t size) {
  return address <= available && size <= available - address ? bytes + address : NULL;
}

static void
locate(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned lane,
       const Access *access, Place *place) {
  int64_t offset = norn_immediate(norn_step_inst(step)->payload, NORN_IMMEDIATE_OFFSET);
  uint64_t address = norn_step_lanes(run, warp, step, access->address)[lane] + (uint64_t)offset;
  size_t scratch = run->launch->scratch_bytes, available;
  uint8_t *buffer;
  place->space = access->space;
  place->address = access->space == SPACE_GLOBAL ? address : (uint32_t)address;
  place->outside = access->space == SPACE_BUFFER || warp->helpers >> lane & 1;
  switch (access->space) {
  case SPACE_GLOBAL:
    place->bytes = norn_memory_access(run->launch->memory, address, place->size);
    break;
  case SPACE_SHARED:
    place->bytes = within(run->shared, run->shared_bytes, place->address, place->size);
    break;
  case SPACE_SCRATCH:
    place->bytes = within(warp->scratch + lane * scratch, scratch, place->address, place->size);
    break;
  case SPACE_BUFFER:
    buffer = norn_launch_find_buffer(
        run->launch, (uint32_t)norn_step_lanes(run, warp, step, access->address - 1u)[lane],
        &available);
    place->bytes = within(buffer, available, place->address, place->size);
    break;
  }
}

/* Finds what a lane accesses; `verb` says how. False: a trap. */
static bool
find_place(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned lane,
           const Access *access, const char *verb, Place *place, GError **error) {
  unsigned alignment = access->is_atomic ? step->word_bytes : MIN(step->word_bytes, 4u);
  place->size = (size_t)step->words * step->word_bytes;
  locate(run, warp, step, lane, access, place);
  if (place->address % alignment)
    return norn_trap(run, warp, step, lane, error,
                     "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, which is not aligned to %u",
                     verb, place->size, place->address, alignment);
  if (place->bytes || place->outside)
    return true;
  if (place->space != SPACE_GLOBAL)
    return norn_trap(run, warp, step, lane, error,
                     "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, outside the %s memory", verb,
                     place->size, place->address,
                     place->space == SPACE_SHARED ? "workgroup" : "thread-local");
  char *start = norn_trap_place(run, warp, step, lane);
  norn_memory_set_error(run->launch->memory, start, verb, place->address, place->size, error);
  g_free(start);
  return false;
}

static bool
check_address(const NornRun *run, const NornWarp *warp, const NornStep *step, const Access *access,
              unsigned active, GError **error) {
  return norn_step_check_defined(run, warp, step, access->address, active, "the address", error) &&
         (access->space != SPACE_BUFFER ||
          norn_step_check_defined(run, warp, step, access->address - 1u, active, "the handle",
                                  error));
}

bool
norn_step_load(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
               GError **error) {
  const Access *access = &accesses[norn_step_inst(step)->op];
  uint32_t result = norn_step_result(run, step, 0);
  if (!check_address(run, warp, step, access, active, error))
    return false;
  norn_for_each_lane(active, lane) {
    Place place;
    if (!find_place(run, warp, step, lane, access, "load", &place, error))
      return false;
    for (unsigned i = 0; i < step->words; i++)
      norn_warp_slot(warp, result + i)[lane] =
          !place.bytes ? 0 : norn_bytes_read(place.bytes + i * step->word_bytes, step->word_bytes);
  }
  for (unsigned i = 0; i < step->words; i++)
    norn_warp_set_undefined(warp, result + i, active, 0);
  return true;
}

bool
norn_step_load_signed(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                      GError **error) {
  if (!norn_step_load(run, warp, step, active, error))
    return false;
  uint64_t *lanes = norn_warp_slot(warp, norn_step_result(run, step, 0));
  norn_for_each_lane(active, lane) {
    lanes[lane] = (uint64_t)norn_int_sign_extend(lanes[lane], 8u * step->word_bytes) &
                  norn_type_mask(norn_step_inst(step)->type);
  }
  return true;
}

bool
norn_step_store(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                GError **error) {
  const Access *access = &accesses[norn_step_inst(step)->op];
  uint32_t data = norn_step_operand(run, step, 0);
  if (!check_address(run, warp, step, access, active, error))
    return false;
  norn_for_each_lane(active & ~warp->helpers, lane) {
    Place place;
    if (!find_place(run, warp, step, lane, access, "store", &place, error))
      return false;
    for (unsigned i = 0; place.bytes && i < step->words; i++)
      norn_bytes_write(place.bytes + i * step->word_bytes, step->word_bytes,
                       norn_warp_slot(warp, data + i)[lane]);
  }
  return true;
}

/* The new value for lane `lane`, whose operands start after the address. */
static uint64_t
updated_value(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned lane,
              unsigned first, uint64_t old) {
  const NornInst *inst = norn_step_inst(step);
  uint64_t operand =
      first < step->operand_count ? norn_step_lanes(run, warp, step, first)[lane] : 1;
  switch (inst->op) {
  case NORN_OP_ATOMIC_INC_GLOBAL:
  case NORN_OP_ATOMIC_INC_SHARED:
  case NORN_OP_ATOMIC_INC_BUFFER:
    return old + 1;
  case NORN_OP_ATOMIC_DEC_GLOBAL:
  case NORN_OP_ATOMIC_DEC_SHARED:
  case NORN_OP_ATOMIC_DEC_BUFFER:
    return old - 1;
  case NORN_OP_CMPXCHG_GLOBAL:
  case NORN_OP_CMPXCHG_SHARED:
  case NORN_OP_CMPXCHG_BUFFER:
    return old == operand ? norn_step_lanes(run, warp, step, first + 1)[lane] : old;
  default:
    return norn_atomic_combine(inst->modifier, old, operand, 8u * step->word_bytes);
  }
}

bool
norn_step_atomic(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                 GError **error) {
  const Access *access = &accesses[norn_step_inst(step)->op];
  uint64_t *result = norn_step_define(run, warp, step, 0, active);
  if (!check_address(run, warp, step, access, active, error))
    return false;
  norn_for_each_lane(active, lane) {
    Place place;
    if (!find_place(run, warp, step, lane, access, "atomic access", &place, error))
      return false;
    result[lane] = 0;
    if (!place.bytes || warp->helpers >> lane & 1)
      continue;
    uint64_t old = norn_bytes_read(place.bytes, step->word_bytes);
    uint64_t updated = updated_value(run, warp, step, lane, access->address + 1u, old);
    norn_bytes_write(place.bytes, step->word_bytes, updated);
    result[lane] = old;
  }
  return true;
}

bool
norn_step_buffer_size(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                      GError **error) {
  uint64_t *result = norn_step_define(run, warp, step, 0, active);
  if (!norn_step_check_defined(run, warp, step, 0, active, "the handle", error))
    return false;
  norn_for_each_lane(active, lane) {
    size_t size;
    norn_launch_find_buffer(run->launch, (uint32_t)norn_step_lanes(run, warp, step, 0)[lane],
                            &size);
    result[lane] = MIN(size, UINT32_MAX);
  }
  return true;
}
