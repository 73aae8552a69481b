/* What a report must know of Valhall in addition to its description. */
#include "isa/valhall_abi.h"
#include "isa/valhall_timing.h"
#include "report/valhall/valhall.h"
#include <norn/valhall.h>

static uint8_t
waits_of(uint32_t flow) {
  switch (flow) {
#define ROW(name, slots)                                                                           \
  case NORN_VALHALL_FLOW_##name:                                                                   \
    return slots;
    NORN_VALHALL_WAITS(ROW)
#undef ROW
  default:
    return 0;
  }
}

static const NornTimingParameter parameters[] = {
#define ROW(name, text, value, confidence, meaning, source)                                        \
  {text, value, NORN_CONFIDENCE_##confidence, meaning, source},
    NORN_VALHALL_TIMINGS(ROW)
#undef ROW
};

/* BRANCHZ.eq 0x0 is always taken. */
static bool
is_jump(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word) {
  if (encoding->instruction != NORN_VALHALL_BRANCHZ ||
      !norn_isa_field_get(encoding, NORN_VALHALL_FIELD_EQ, word))
    return false;
  const NornIsaCode *code = norn_isa_operand_code(isa, encoding, &encoding->operands[0], word);
  return code->kind == NORN_ISA_CODE_CONSTANT && code->value == 0;
}

const NornReportMachine norn_report_valhall = {
    .isa = "valhall",
    .flow_field = NORN_VALHALL_FIELD_FLOW,
    .end = NORN_VALHALL_FLOW_END,
    .waits = {NORN_VALHALL_FLOW_WAIT0, NORN_VALHALL_FLOW_WAIT},
    .move = NORN_VALHALL_MOV_I32,
    .constant_moves = {NORN_VALHALL_IADD_IMM_I32, NORN_VALHALL_FADD_IMM_F32},
    .nop = NORN_VALHALL_NOP,
    .arithmetic_units =
        1 << NORN_VALHALL_UNIT_FMA | 1 << NORN_VALHALL_UNIT_CVT | 1 << NORN_VALHALL_UNIT_SFU,
    .half_file = NORN_VALHALL_SMALL_FILE,
    .slot_field = NORN_VALHALL_FIELD_SLOT,
    .width_field = NORN_VALHALL_FIELD_MEMORY_WIDTH,
    .access_field = NORN_VALHALL_FIELD_ACCESS,
    .local_access = NORN_VALHALL_ACCESS_FORCE,
    .is_jump = is_jump,
    .waits_of = waits_of,
    .order_slots = 1 << NORN_VALHALL_DEPTH_SLOT,
    .compute = norn_report_valhall_compute,
    .branches = norn_report_valhall_branches,
    .latency = norn_valhall_encoding_latency,
    .lanes = NORN_VALHALL_WARP,
    .warps = NORN_VALHALL_WARPS,
    .issue_cycles = NORN_VALHALL_ISSUE_CYCLES,
    .parameters = parameters,
    .parameter_count = G_N_ELEMENTS(parameters),
};
