/* The operations of atomic accesses. */
#include "sim/common/atomic.h"
#include "ir/numeric.h"

uint64_t
norn_atomic_combine(NornAtomic atomic, uint64_t old, uint64_t operand, unsigned width) {
  int64_t x = norn_int_sign_extend(old, width), y = norn_int_sign_extend(operand, width);
  switch (atomic) {
  case NORN_ATOMIC_ADD:
    return norn_int_truncate(old + operand, width);
  case NORN_ATOMIC_SMIN:
    return x < y ? old : operand;
  case NORN_ATOMIC_SMAX:
    return x > y ? old : operand;
  case NORN_ATOMIC_UMIN:
    return MIN(old, operand);
  case NORN_ATOMIC_UMAX:
    return MAX(old, operand);
  case NORN_ATOMIC_AND:
    return old & operand;
  case NORN_ATOMIC_OR:
    return old | operand;
  case NORN_ATOMIC_XOR:
    return old ^ operand;
  case NORN_ATOMIC_EXCHANGE:
  case NORN_ATOMIC_COUNT:
    break;
  }
  return operand;
}
