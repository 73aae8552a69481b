/* SPV_AMD_shader_trinary_minmax: minimum, maximum and median of three. */
#include "spirv/scalar.h"
#include <spirv/unified1/AMD_shader_trinary_minmax.h>

/* Which operand an instruction selects, and with which operations. */
typedef struct Trinary {
  enum { MIN3 = 1, MAX3, MID3 } picks; /* 0: there is no such instruction */
  NornOp min, max;
} Trinary;

#define ROW(name, picks, kind)                                                                     \
  [AMD_shader_trinary_minmax##name##AMD] = {picks, NORN_OP_##kind##MIN, NORN_OP_##kind##MAX}
static const Trinary trinaries[] = {
    ROW(FMin3, MIN3, F), ROW(UMin3, MIN3, U), ROW(SMin3, MIN3, S),
    ROW(FMax3, MAX3, F), ROW(UMax3, MAX3, U), ROW(SMax3, MAX3, S),
    ROW(FMid3, MID3, F), ROW(UMid3, MID3, U), ROW(SMid3, MID3, S),
};
#undef ROW

static NornRef
compute_trinary(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  const Trinary *row = &trinaries[norn_spirv_word(reader, 4)];
  bool is_float = norn_type_in(NORN_SET_FLOAT, type);
  (void)source;
  bool is_integer = norn_type_in(NORN_SET_INT, type) && type != NORN_TYPE_I1;
  if (row->min == NORN_OP_FMIN ? !is_float : !is_integer) {
    norn_spirv_invalid(reader, "the operands have the wrong type");
    return 0;
  }
  if (row->picks != MID3) {
    NornOp op = row->picks == MIN3 ? row->min : row->max;
    return norn_spirv_op2(reader, op, type, norn_spirv_op2(reader, op, type, x[0], x[1]), x[2]);
  }
  NornRef min = norn_spirv_op2(reader, row->min, type, x[0], x[1]);
  NornRef max = norn_spirv_op2(reader, row->max, type, x[0], x[1]);
  return norn_spirv_op2(reader, row->max, type, min,
                        norn_spirv_op2(reader, row->min, type, max, x[2]));
}

void
norn_spirv_translate_trinary(NornSpirvReader *reader) {
  uint32_t instruction = norn_spirv_word(reader, 4);
  if (instruction < G_N_ELEMENTS(trinaries) && trinaries[instruction].picks)
    norn_spirv_by_scalar(reader, compute_trinary, 5, 3);
  else
    norn_spirv_unsupported(reader,
                           "this instruction of SPV_AMD_shader_trinary_minmax is not supported");
}
