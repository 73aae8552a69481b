/* The Valhall target: registers, sizes and functions. */
#include "check/checkers.h"
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "isa/valhall_abi.h"

#define REGISTERS(first, last) (UINT64_MAX >> (63 - (last)) & UINT64_MAX << (first))

G_STATIC_ASSERT(NORN_VALHALL_WARP == NORN_SUBGROUP_LANES);

const NornTarget norn_valhall_target = {
    .isa = &norn_isa_valhall,
    .name = "valhall",
    .passes = norn_valhall_passes,
    .pipeline = norn_valhall_pipeline,
    .instruction_bytes = sizeof(uint64_t),
    .subgroup_lanes = NORN_VALHALL_WARP,
    .access_words = NORN_VALHALL_ACCESS_PIECE / sizeof(uint32_t),
    .program_counter = NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0,
    .occupancies = {{{{NORN_VALHALL_SMALL_FILE}}, 2},
                    {{{REGISTERS(0, NORN_VALHALL_REGISTERS - 1)}}, 1}},
    .latency = norn_valhall_latency,
    .occupies = norn_valhall_occupies,
    .always_preloaded = norn_valhall_always_preloaded,
    .has_one_vertex_program = norn_valhall_has_one_vertex_program,
    .supports = norn_valhall_supports,
    .can_round = norn_valhall_can_round,
    .missing_types = 1u << NORN_TYPE_F64,
    .why_unsupported = norn_valhall_why_unsupported,
    .select = norn_valhall_select,
    .chaos_file = {{REGISTERS(0, 15) | REGISTERS(56, 63)}},
    .fixed_registers = norn_valhall_fixed_registers,
    .build_move = norn_valhall_build_move,
    .build_xor = norn_valhall_build_xor,
    .is_move = norn_valhall_is_move,
    .is_xor = norn_valhall_is_xor,
    .compares = norn_valhall_compares,
    .halves_read = norn_valhall_halves_read,
    .build_halves = norn_valhall_build_halves,
    .build_upper = norn_valhall_build_upper,
    .read_upper = norn_valhall_read_upper,
    .spill_register_bytes = sizeof(uint32_t),
    .spill_piece_bytes = NORN_VALHALL_ACCESS_PIECE,
    .build_spill = norn_valhall_build_spill,
    .build_fill = norn_valhall_build_fill,
    .slot_count = NORN_VALHALL_SLOTS,
    .free_slots = NORN_VALHALL_FREE_SLOTS,
    .message = norn_valhall_describe_message,
    .slot = norn_valhall_slot,
    .set_slot = norn_valhall_set_slot,
    .forwarding_spaces = NORN_SPACE_VARYING,
    .helper_use = norn_valhall_helper_use,
    .flow = norn_valhall_flow,
    .set_flow = norn_valhall_set_flow,
    .end_waits = UINT8_MAX & ~(1u << NORN_VALHALL_BARRIER_SLOT),
    .build_nop = norn_valhall_build_nop,
    .invert_condition = norn_valhall_invert_condition,
    .make_branch = norn_valhall_make_branch,
    .encode = norn_valhall_encode,
    .check = norn_valhall_check,
};
