/* The level of detail for the gradients of a cube: computed from the face that the direction points
 * to and the distances that the derivatives cover on it. */
#include "spirv/image.h"

/* A vector, split into the component along a direction's longest axis (if equal, z before y before
 * x) and the other components. */
typedef struct CubeVector {
  NornRef longest, others[2];
} CubeVector;

/* is_axis[0]: y is at least as long as x; is_axis[1]: z is the longest. */
static CubeVector
cube_vector(NornSpirvReader *reader, const NornRef is_axis[2], const NornRef v[3]) {
  NornRef y_or_x = norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, is_axis[0], v[1], v[0]);
  NornRef z_or_x = norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, is_axis[0], v[0], v[1]);
  return (CubeVector){
      norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, is_axis[1], v[2], y_or_x),
      {norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, is_axis[1], v[0], z_or_x),
       norn_spirv_op3(reader, NORN_OP_SELECT, NORN_TYPE_F32, is_axis[1], v[1], v[2])}};
}

/* The square of the distance that a derivative covers on the face, in units of half a side: the
 * derivative of the other components divided by the longest one. */
static NornRef
cube_distance(NornSpirvReader *reader, const CubeVector *at, NornRef reciprocal,
              const CubeVector *derivative) {
  NornType type = NORN_TYPE_F32;
  NornRef slope = norn_spirv_op2(reader, NORN_OP_FMUL, type, derivative->longest, reciprocal);
  NornRef sum = norn_spirv_float(reader, type, 0);
  for (unsigned k = 0; k < 2; k++) {
    NornRef part = norn_spirv_op2(reader, NORN_OP_FSUB, type, derivative->others[k],
                                  norn_spirv_op2(reader, NORN_OP_FMUL, type, at->others[k], slope));
    part = norn_spirv_op2(reader, NORN_OP_FMUL, type, part, reciprocal);
    sum = norn_spirv_op3(reader, NORN_OP_FMA, type, part, part, sum);
  }
  return sum;
}

void
norn_spirv_push_cube_level(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k) {
  NornType type = NORN_TYPE_F32;
  const NornRef *derivatives[2], *direction = access->list;
  NornRef lengths[3], is_axis[2];
  for (unsigned i = 0; i < 2; i++)
    derivatives[i] = norn_spirv_value(reader, k + i, 3);
  if (reader->error)
    return;
  for (unsigned i = 0; i < 3; i++)
    lengths[i] = norn_spirv_op1(reader, NORN_OP_FABS, type, direction[i]);
  for (unsigned i = 0; i < 2; i++)
    is_axis[i] = norn_spirv_compare(
        reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OGE, type, lengths[i + 1],
        i ? norn_spirv_op2(reader, NORN_OP_FMAX, type, lengths[0], lengths[1]) : lengths[0]);
  CubeVector at = cube_vector(reader, is_axis, direction);
  NornRef reciprocal =
      norn_spirv_op2(reader, NORN_OP_FDIV, type, norn_spirv_float(reader, type, 1), at.longest);
  CubeVector dx = cube_vector(reader, is_axis, derivatives[0]),
             dy = cube_vector(reader, is_axis, derivatives[1]);
  NornRef farther =
      norn_spirv_op2(reader, NORN_OP_FMAX, type, cube_distance(reader, &at, reciprocal, &dx),
                     cube_distance(reader, &at, reciprocal, &dy));
  NornRef size = norn_spirv_cube_side(reader, access);
  if (reader->error)
    return;
  NornRef half = norn_spirv_float(reader, type, 0.5);
  NornRef side =
      norn_spirv_convert(reader, NORN_OP_UITOFP, NORN_ROUND_RTE, type, NORN_TYPE_I32, size);
  NornRef texels = norn_spirv_op2(reader, NORN_OP_FMUL, type, side, half);
  texels = norn_spirv_op2(reader, NORN_OP_FMUL, type, texels, texels);
  texels = norn_spirv_op2(reader, NORN_OP_FMUL, type, texels, farther);
  NornRef level = norn_spirv_op1(reader, NORN_OP_FLOG2, type, texels);
  norn_spirv_push_operand(reader, access, norn_spirv_op2(reader, NORN_OP_FMUL, type, level, half));
}
