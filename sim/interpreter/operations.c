/* The table of the operations that norn_evaluate does not compute. */
#include "sim/interpreter/operations.h"
#include "sim/interpreter/control.h"
#include "sim/interpreter/fragment.h"
#include "sim/interpreter/invocation.h"
#include "sim/interpreter/lanes.h"
#include "sim/interpreter/machine.h"
#include "sim/interpreter/memory.h"
#include "sim/interpreter/texture.h"
#include "sim/interpreter/values.h"
#include "sim/interpreter/vertex.h"

#define MEMORY(SPACE)                                                                              \
  [NORN_OP_LOAD_##SPACE] = norn_step_load, [NORN_OP_ULOAD_##SPACE] = norn_step_load,               \
  [NORN_OP_SLOAD_##SPACE] = norn_step_load_signed
#define ATOMICS(SPACE)                                                                             \
  [NORN_OP_ATOMIC_##SPACE] = norn_step_atomic, [NORN_OP_ATOMIC_INC_##SPACE] = norn_step_atomic,    \
  [NORN_OP_ATOMIC_DEC_##SPACE] = norn_step_atomic, [NORN_OP_CMPXCHG_##SPACE] = norn_step_atomic

static NornStepFunction *const step_functions[NORN_OP_COUNT] = {
    [NORN_OP_UNDEF] = norn_step_undef,
    [NORN_OP_COPY] = norn_step_copy,
    [NORN_OP_SELECT] = norn_step_select,
    [NORN_OP_COLLECT] = norn_step_collect,
    [NORN_OP_SPLIT] = norn_step_split,
    [NORN_OP_BITCAST] = norn_step_bitcast,
    MEMORY(GLOBAL),
    MEMORY(SHARED),
    MEMORY(SCRATCH),
    MEMORY(BUFFER),
    MEMORY(CONSTANT),
    [NORN_OP_STORE_GLOBAL] = norn_step_store,
    [NORN_OP_STORE_SHARED] = norn_step_store,
    [NORN_OP_STORE_SCRATCH] = norn_step_store,
    [NORN_OP_STORE_BUFFER] = norn_step_store,
    ATOMICS(GLOBAL),
    ATOMICS(SHARED),
    ATOMICS(BUFFER),
    [NORN_OP_BUFFER_SIZE] = norn_step_buffer_size,
    [NORN_OP_BARRIER] = norn_step_barrier,
    [NORN_OP_FENCE] = norn_step_nothing,
    [NORN_OP_BALLOT] = norn_step_vote,
    [NORN_OP_ANY] = norn_step_vote,
    [NORN_OP_ALL] = norn_step_vote,
    [NORN_OP_BROADCAST] = norn_step_exchange,
    [NORN_OP_BROADCAST_FIRST] = norn_step_exchange,
    [NORN_OP_SHUFFLE] = norn_step_exchange,
    [NORN_OP_SHUFFLE_XOR] = norn_step_exchange,
    [NORN_OP_SHUFFLE_UP] = norn_step_exchange,
    [NORN_OP_SHUFFLE_DOWN] = norn_step_exchange,
    [NORN_OP_QUAD_SWAP] = norn_step_exchange,
    [NORN_OP_QUAD_BROADCAST] = norn_step_exchange,
    [NORN_OP_IREDUCE] = norn_step_combine,
    [NORN_OP_FREDUCE] = norn_step_combine,
    [NORN_OP_ISCAN] = norn_step_combine,
    [NORN_OP_ISCAN_EXCLUSIVE] = norn_step_combine,
    [NORN_OP_FSCAN] = norn_step_combine,
    [NORN_OP_FSCAN_EXCLUSIVE] = norn_step_combine,
    [NORN_OP_DDX] = norn_step_derivative,
    [NORN_OP_DDY] = norn_step_derivative,
    [NORN_OP_LANE_ID] = norn_step_invocation,
    [NORN_OP_GLOBAL_ID] = norn_step_invocation,
    [NORN_OP_LOCAL_ID] = norn_step_invocation,
    [NORN_OP_LOCAL_INDEX] = norn_step_invocation,
    [NORN_OP_SUBGROUP_ID] = norn_step_invocation,
    [NORN_OP_WORKGROUP_ID] = norn_step_invocation,
    [NORN_OP_WORKGROUP_SIZE] = norn_step_invocation,
    [NORN_OP_WORKGROUP_COUNT] = norn_step_invocation,
    [NORN_OP_VERTEX_ID] = norn_step_invocation,
    [NORN_OP_INSTANCE_ID] = norn_step_invocation,
    [NORN_OP_DRAW_ID] = norn_step_invocation,
    [NORN_OP_VIEW_INDEX] = norn_step_invocation,
    [NORN_OP_LOAD_ATTRIBUTE] = norn_step_load_attribute,
    [NORN_OP_STORE_POSITION] = norn_step_vertex_output,
    [NORN_OP_STORE_POINT_SIZE] = norn_step_vertex_output,
    [NORN_OP_STORE_LAYER] = norn_step_vertex_output,
    [NORN_OP_STORE_VIEWPORT] = norn_step_vertex_output,
    [NORN_OP_STORE_VARYING] = norn_step_vertex_output,
    [NORN_OP_LOAD_VARYING] = norn_step_load_varying,
    [NORN_OP_LOAD_VARYING_HALF] = norn_step_load_varying,
    [NORN_OP_LOAD_VARYING_AT_SAMPLE] = norn_step_load_varying,
    [NORN_OP_LOAD_VARYING_AT_OFFSET] = norn_step_load_varying,
    [NORN_OP_FRAG_COORD] = norn_step_fragment_input,
    [NORN_OP_POINT_COORD] = norn_step_point_coord,
    [NORN_OP_FRONT_FACING] = norn_step_fragment_input,
    [NORN_OP_SAMPLE_ID] = norn_step_fragment_input,
    [NORN_OP_SAMPLE_MASK] = norn_step_fragment_input,
    [NORN_OP_PRIMITIVE_ID] = norn_step_fragment_input,
    [NORN_OP_HELPER_INVOCATION] = norn_step_fragment_input,
    [NORN_OP_STORE_COLOR] = norn_step_fragment_output,
    [NORN_OP_STORE_COLOR_IF] = norn_step_fragment_output,
    [NORN_OP_STORE_SECOND_COLOR] = norn_step_fragment_output,
    [NORN_OP_STORE_DEPTH] = norn_step_fragment_output,
    [NORN_OP_STORE_STENCIL] = norn_step_fragment_output,
    [NORN_OP_STORE_COVERAGE] = norn_step_fragment_output,
    [NORN_OP_DEMOTE] = norn_step_demote,
    [NORN_OP_ALPHA_TEST] = norn_step_demote,
    [NORN_OP_LOAD_TILE] = norn_step_load_tile,
    [NORN_OP_LOAD_TILE_DEPTH] = norn_step_load_tile,
    [NORN_OP_LOAD_TILE_STENCIL] = norn_step_load_tile,
    [NORN_OP_STORE_TILE] = norn_step_store_tile,
    [NORN_OP_BLEND_SOURCE] = norn_step_blend_source,
    [NORN_OP_TEX] = norn_step_texture,
    [NORN_OP_TEX_BIAS] = norn_step_texture,
    [NORN_OP_TEX_LOD] = norn_step_texture,
    [NORN_OP_TEX_GRADIENT] = norn_step_texture,
    [NORN_OP_TEX_GATHER] = norn_step_texture,
    [NORN_OP_TEX_FETCH] = norn_step_fetch,
    [NORN_OP_TEX_QUERY_LOD] = norn_step_query_lod,
    [NORN_OP_TEX_SIZE] = norn_step_texture_size,
    [NORN_OP_TEX_LEVELS] = norn_step_texture_count,
    [NORN_OP_TEX_SAMPLES] = norn_step_texture_count,
    [NORN_OP_IMAGE_LOAD] = norn_step_fetch,
    [NORN_OP_IMAGE_STORE] = norn_step_image_store,
    [NORN_OP_IMAGE_ATOMIC] = norn_step_image_atomic,
    [NORN_OP_IMAGE_CMPXCHG] = norn_step_image_atomic,
    [NORN_OP_IMAGE_SIZE] = norn_step_texture_size,
    [NORN_OP_PRELOAD] = norn_step_preload,
    [NORN_OP_LOOP_ENTRY] = norn_step_nothing,
    [NORN_OP_BR] = norn_step_branch,
    [NORN_OP_JUMP] = norn_step_jump,
    [NORN_OP_SWITCH] = norn_step_switch,
    [NORN_OP_CALL] = norn_step_jump,
    [NORN_OP_RETURN] = norn_step_jump,
    [NORN_OP_END] = norn_step_end,
    [NORN_OP_TERMINATE] = norn_step_end,
    [NORN_OP_UNREACHABLE] = norn_step_unreachable,
};

NornStepFunction *
norn_step_function(NornOp op) {
  return op < NORN_OP_COUNT ? step_functions[op] : NULL;
}
