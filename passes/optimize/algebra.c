/* The constants that rows of algebra.def name. */
#include "passes/optimize/algebra.h"
#include "ir/numeric.h"
#include "ir/ops.h"

uint64_t
norn_algebra_constant(unsigned name, NornType type) {
  unsigned width = norn_types[type].lane_bits;
  NornFloatFormat format = norn_float_of_width(width);
  switch (name) {
  case ONE:
    return norn_type_splat(type, 1);
  case ONES:
    return norn_type_splat(type, norn_int_mask(width));
  case SMALLEST:
  case NEGATIVE_ZERO:
    return norn_type_splat(type, UINT64_C(1) << (width - 1));
  case LARGEST:
    return norn_type_splat(type, norn_int_mask(width - 1));
  case FLOAT_ONE:
  case FLOAT_MINUS_ONE:
    return norn_type_splat(type, norn_float_one(format, name == FLOAT_MINUS_ONE));
  case FLOAT_TWO:
  case FLOAT_FOUR:
    return norn_type_splat(type, norn_float_from_double(format, name == FLOAT_TWO ? 2 : 4));
  case WIDTH_MINUS_ONE:
    return norn_type_splat(type, width - 1);
  default:
    return 0;
  }
}
