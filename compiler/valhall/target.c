/* The Valhall target: registers, units and costs, and who does what.
 *
 * Rates are Arm's for a core of 64 lanes. Latencies are estimates: an ALU result can be used after
 * a few cycles, which other warps fill; messages take tens to hundreds. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "isa/valhall_abi.h"

#define REGISTERS(first, last) (UINT64_MAX >> (63 - (last)) & UINT64_MAX << (first))

enum { ALU_LATENCY = 4, SFU_LATENCY = 8, MESSAGE_LATENCY = 64, TEXTURE_LATENCY = 128 };

static void
cost(const NornTarget *target, const NornInst *inst, NornInstCost *result) {
  *result = (NornInstCost){.unit = NORN_VALHALL_UNIT_CVT, .results = 1, .latency = ALU_LATENCY};
  if (!norn_is_machine(inst))
    return;
  const NornIsaEncoding *encoding =
      norn_isa_encoding(&norn_isa_valhall, target->architecture, inst->op - NORN_OP_MACHINE);
  bool is_message = encoding->flags & NORN_VALHALL_FLAG_MESSAGE;
  result->unit = encoding->unit;
  if (inst->type == NORN_TYPE_I64 && !is_message)
    result->results = 2;
  if (encoding->flags & NORN_VALHALL_FLAG_SLOW)
    result->results *= 2;
  if (encoding->flags & NORN_VALHALL_FLAG_TEXTURE)
    result->latency = TEXTURE_LATENCY;
  else if (is_message)
    result->latency = MESSAGE_LATENCY;
  else if (encoding->unit == NORN_VALHALL_UNIT_SFU)
    result->latency = SFU_LATENCY;
}

const NornTarget norn_valhall_target = {
    .isa = &norn_isa_valhall,
    .name = "valhall",
    .passes = norn_valhall_passes,
    .pipeline = norn_valhall_pipeline,
    .register_file = REGISTERS(0, NORN_VALHALL_REGISTERS - 1),
    .small_file = NORN_VALHALL_SMALL_FILE,
    .units = {[NORN_VALHALL_UNIT_FMA] = {"fma", 64 * 4},
              [NORN_VALHALL_UNIT_CVT] = {"cvt", 64 * 4},
              [NORN_VALHALL_UNIT_SFU] = {"sfu", 16 * 4},
              [NORN_VALHALL_UNIT_LS] = {"ls", 1 * 4},
              [NORN_VALHALL_UNIT_V] = {"v", 16 * 4},
              [NORN_VALHALL_UNIT_T] = {"t", 4 * 4},
              [NORN_VALHALL_UNIT_VT] = {"vt", 4},
              [NORN_VALHALL_UNIT_NONE] = {"none", 64 * 4}},
    .unit_count = 8,
    .cost = cost,
    .always_preloaded = norn_valhall_always_preloaded,
    .has_one_vertex_program = norn_valhall_has_one_vertex_program,
    .supports = norn_valhall_supports,
    .missing_types = 1u << NORN_TYPE_F64,
    .why_unsupported = norn_valhall_why_unsupported,
    .select = norn_valhall_select,
    .chaos_file = REGISTERS(0, 15) | REGISTERS(56, 63),
    .fixed_registers = norn_valhall_fixed_registers,
    .build_move = norn_valhall_build_move,
    .build_xor = norn_valhall_build_xor,
    .is_move = norn_valhall_is_move,
    .is_xor = norn_valhall_is_xor,
    .build_spill = norn_valhall_build_spill,
    .build_fill = norn_valhall_build_fill,
    .message = norn_valhall_describe_message,
    .slot = norn_valhall_slot,
    .set_slot = norn_valhall_set_slot,
    .helper_use = norn_valhall_helper_use,
    .flow = norn_valhall_flow,
    .set_flow = norn_valhall_set_flow,
    .end_waits = 0x7F, /* all but the barrier's */
    .build_nop = norn_valhall_build_nop,
    .invert_branch = norn_valhall_invert_branch,
    .make_branch = norn_valhall_make_branch,
    .encode = norn_valhall_encode,
};
