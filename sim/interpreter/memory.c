/* Loads, stores and atomic accesses: finding the bytes, then moving them.
 *
 * Addresses outside their memory trap. However, a buffer of a resource table reads as 0 there
 * and is not written, and a helper never traps. */
#include "sim/interpreter/memory.h"
#include "ir/ops.h"
#include "sim/common/atomic.h"
#include "sim/common/memory.h"
#include "sim/interpreter/state.h"

/* The operand that holds an operation's address (for buffers, the handle is the operand before
 * it). */
typedef struct AddressOperand {
  uint64_t space; /* of NORN_OP_SPACES */
  unsigned address;
  NornAccessKind kind;
} AddressOperand;

static AddressOperand
address_operand(const NornStep *step) {
  NornOp op = (NornOp)norn_step_inst(step)->op;
  uint64_t flags = norn_ops[op].flags;
  NornAccessKind kind = !(flags & NORN_OP_WRITES_MEMORY)  ? NORN_ACCESS_READ
                        : !(flags & NORN_OP_READS_MEMORY) ? NORN_ACCESS_WRITE
                                                          : NORN_ACCESS_ATOMIC;
  return (AddressOperand){flags & NORN_OP_SPACES, norn_address_operand(op), kind};
}

/* One lane's access. */
typedef struct LaneAccess {
  uint64_t space;   /* of NORN_OP_SPACES */
  uint64_t address; /* offset in the space */
  size_t size;
  uint8_t *bytes; /* NULL outside */
  bool outside;   /* reads 0 and is not written instead of trapping */
} LaneAccess;

/* The bytes [address, address + size) of a piece of memory, or NULL. */
static uint8_t *
within(uint8_t *bytes, size_t available, uint64_t address, size_t size) {
  return address <= available && size <= available - address ? bytes + address : NULL;
}

static void
locate(const NornWarp *warp, const NornStep *step, unsigned lane, const AddressOperand *operand,
       LaneAccess *access) {
  const NornRun *run = warp->run;
  int64_t offset = norn_immediate(norn_step_inst(step)->payload, NORN_IMMEDIATE_OFFSET);
  uint64_t address = norn_step_lanes(warp, step, operand->address)[lane] + (uint64_t)offset;
  size_t scratch = run->launch->scratch_bytes, available;
  uint8_t *buffer;
  access->space = operand->space;
  access->address = operand->space == NORN_OP_GLOBAL ? address : (uint32_t)address;
  access->outside = operand->space & NORN_OP_BUFFERS || warp->helpers >> lane & 1;
  switch (operand->space) {
  case NORN_OP_GLOBAL:
    access->bytes = operand->kind == NORN_ACCESS_READ
                        ? norn_memory_read(run->launch->memory, address, access->size)
                        : norn_memory_access(run->launch->memory, address, access->size);
    access->outside |= run->launch->unmapped_is_zero;
    break;
  case NORN_OP_SHARED:
    access->bytes = within(run->shared, run->shared_bytes, access->address, access->size);
    access->outside |= run->launch->unmapped_is_zero;
    break;
  case NORN_OP_SCRATCH:
    access->bytes = within(warp->scratch + lane * scratch, scratch, access->address, access->size);
    break;
  default: /* a buffer */
    buffer = norn_launch_find_buffer(
        run->launch, (uint32_t)norn_step_lanes(warp, step, operand->address - 1u)[lane],
        &available);
    access->bytes = within(buffer, available, access->address, access->size);
    break;
  }
}

/* Finds the bytes that a lane accesses. False: a trap. */
static bool
find_access(const NornWarp *warp, const NornStep *step, unsigned lane,
            const AddressOperand *operand, LaneAccess *access, GError **error) {
  static const char *const verbs[] = {[NORN_ACCESS_READ] = "load",
                                      [NORN_ACCESS_WRITE] = "store",
                                      [NORN_ACCESS_ATOMIC] = "atomic access"};
  const char *verb = verbs[operand->kind];
  bool is_atomic = operand->kind == NORN_ACCESS_ATOMIC;
  unsigned alignment = is_atomic ? step->word_bytes : MIN(step->word_bytes, 4u);
  access->size = (size_t)step->words * step->word_bytes;
  locate(warp, step, lane, operand, access);
  bool is_unmapped = !access->bytes && warp->run->launch->unmapped_is_zero &&
                     access->space & (NORN_OP_GLOBAL | NORN_OP_SHARED);
  if (access->address % alignment && !is_unmapped)
    return norn_trap(warp, step, lane, error,
                     "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, which is not a multiple of %u",
                     verb, access->size, access->address, alignment);
  if (access->bytes || access->outside)
    return true;
  if (access->space != NORN_OP_GLOBAL)
    return norn_trap(warp, step, lane, error,
                     "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, outside the %s memory", verb,
                     access->size, access->address,
                     access->space == NORN_OP_SHARED ? "workgroup" : "thread-local");
  char *location = norn_trap_location(warp, step, lane);
  norn_memory_set_error(warp->run->launch->memory, location, verb, access->address, access->size,
                        error);
  g_free(location);
  return false;
}

/* The same for an access that is executed; also checks that no other invocation accesses the
 * bytes without a barrier between. Thread-local memory belongs to one invocation. */
static bool
begin_access(const NornWarp *warp, const NornStep *step, unsigned lane,
             const AddressOperand *operand, LaneAccess *access, GError **error) {
  const NornRun *run = warp->run;
  NornAccessKind kind = operand->kind;
  NornRace race;
  uint32_t thread = (uint32_t)run->report.invocations + warp->first + lane;
  if (!find_access(warp, step, lane, operand, access, error))
    return false;
  bool is_skipped = kind != NORN_ACCESS_READ && warp->helpers >> lane & 1;
  if (!run->races || !access->bytes || access->space == NORN_OP_SCRATCH || is_skipped ||
      norn_races_note(run->races, access->bytes, access->size, kind,
                      access->space == NORN_OP_SHARED, thread, &race))
    return true;
  g_autofree char *message = norn_race_describe(&race, kind, access->address, race.thread);
  return norn_trap(warp, step, lane, error, "%s", message);
}

static bool
check_address(const NornWarp *warp, const NornStep *step, const AddressOperand *operand,
              unsigned active, GError **error) {
  return norn_step_check_defined(warp, step, operand->address, active, "the address", error) &&
         (!(operand->space & NORN_OP_BUFFERS) ||
          norn_step_check_defined(warp, step, operand->address - 1u, active, "the handle", error));
}

bool
norn_step_load(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const AddressOperand at = address_operand(step), *operand = &at;
  uint32_t result = norn_step_result(warp, step, 0);
  if (!check_address(warp, step, operand, active, error))
    return false;
  norn_for_each_lane(active, lane) {
    LaneAccess access;
    if (!begin_access(warp, step, lane, operand, &access, error))
      return false;
    for (unsigned i = 0; i < step->words; i++)
      norn_warp_slot(warp, result + i)[lane] =
          !access.bytes ? 0
                        : norn_bytes_read(access.bytes + i * step->word_bytes, step->word_bytes);
  }
  for (unsigned i = 0; i < step->words; i++)
    norn_warp_set_undefined(warp, result + i, active, 0);
  return true;
}

bool
norn_step_load_signed(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  if (!norn_step_load(warp, step, active, error))
    return false;
  uint64_t *lanes = norn_warp_slot(warp, norn_step_result(warp, step, 0));
  norn_for_each_lane(active, lane) {
    lanes[lane] = (uint64_t)norn_int_sign_extend(lanes[lane], 8u * step->word_bytes) &
                  norn_type_mask(norn_step_inst(step)->type);
  }
  return true;
}

bool
norn_step_store(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const AddressOperand at = address_operand(step), *operand = &at;
  uint32_t data = norn_step_operand(warp, step, 0);
  if (!check_address(warp, step, operand, active, error))
    return false;
  unsigned writing = operand->space == NORN_OP_SCRATCH ? active : active & ~warp->helpers;
  norn_for_each_lane(writing, lane) {
    LaneAccess access;
    if (!begin_access(warp, step, lane, operand, &access, error))
      return false;
    for (unsigned i = 0; access.bytes && i < step->words; i++)
      norn_bytes_write(access.bytes + i * step->word_bytes, step->word_bytes,
                       norn_warp_slot(warp, data + i)[lane]);
  }
  return true;
}

/* The value to store in lane `lane`, whose operands start after the address. */
static uint64_t
updated_value(const NornWarp *warp, const NornStep *step, unsigned lane, unsigned first,
              uint64_t old) {
  const NornInst *inst = norn_step_inst(step);
  uint64_t operand = first < step->operand_count ? norn_step_lanes(warp, step, first)[lane] : 1;
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
    return old == operand ? norn_step_lanes(warp, step, first + 1)[lane] : old;
  default:
    return norn_atomic_combine(inst->modifier, old, operand, 8u * step->word_bytes);
  }
}

bool
norn_step_atomic(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const AddressOperand at = address_operand(step), *operand = &at;
  uint64_t *result = norn_step_define(warp, step, 0, active);
  if (!check_address(warp, step, operand, active, error))
    return false;
  norn_for_each_lane(active, lane) {
    LaneAccess access;
    if (!begin_access(warp, step, lane, operand, &access, error))
      return false;
    result[lane] = 0;
    if (!access.bytes || warp->helpers >> lane & 1)
      continue;
    uint64_t old = norn_bytes_read(access.bytes, step->word_bytes);
    uint64_t updated = updated_value(warp, step, lane, operand->address + 1u, old);
    norn_bytes_write(access.bytes, step->word_bytes, updated);
    result[lane] = old;
  }
  return true;
}

bool
norn_step_buffer_size(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  uint64_t *result = norn_step_define(warp, step, 0, active);
  if (!norn_step_check_defined(warp, step, 0, active, "the handle", error))
    return false;
  norn_for_each_lane(active, lane) {
    size_t size;
    norn_launch_find_buffer(warp->run->launch, (uint32_t)norn_step_lanes(warp, step, 0)[lane],
                            &size);
    result[lane] = MIN(size, UINT32_MAX);
  }
  return true;
}
