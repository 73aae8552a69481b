/* Executing the operations on values, the place in the grid and control; and the table of all
 * operations, whose other functions are in the files beside this one.
 *
 * Undefined values: bit l of a slot's `undefined` says that lane l holds no value there. The bits
 * are then 0, but using them for a branch or an address is a trap; computing with them gives
 * undefined results. */
#include "ir/ops.h"
#include "sim/interpreter/steps.h"
#include <string.h>

static void
copy_lanes(NornWarp *warp, uint32_t from, uint32_t to, unsigned lanes) {
  const uint64_t *source = norn_warp_slot(warp, from);
  uint64_t *target = norn_warp_slot(warp, to);
  norn_for_each_lane(lanes, lane) {
    target[lane] = source[lane];
  }
  norn_warp_set_undefined(warp, to, lanes, warp->undefined[from]);
}

bool
norn_step_check_defined(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned k,
                        unsigned active, const char *what, GError **error) {
  unsigned undefined = norn_step_undefined(run, warp, step, k) & active;
  if (!undefined)
    return true;
  return norn_trap(run, warp, step, (unsigned)__builtin_ctz(undefined), error, "%s is undefined",
                   what);
}

/* --- Computing --- */

/* Values that the instruction's flags rule out (NaN, infinity) are undefined. */
static bool
is_ruled_out(const NornStep *step, unsigned width, bool split, uint64_t bits) {
  unsigned flags = norn_step_inst(step)->flags;
  const NornEvaluator *e = &step->evaluator;
  if (!split && width != e->width)
    return false;
  for (unsigned lane = 0; lane < (split ? e->lanes : 1u); lane++) {
    uint64_t a = norn_int_truncate(bits >> lane * width, width);
    if (((flags & NORN_INST_NNAN) && norn_float_is_nan(e->format, a)) ||
        ((flags & NORN_INST_NINF) && norn_float_is_infinite(e->format, a)))
      return true;
  }
  return false;
}

static unsigned
find_ruled_out(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned active) {
  const NornEvaluator *e = &step->evaluator;
  unsigned found = 0;
  if (norn_types[norn_step_inst(step)->type].class != NORN_CLASS_FLOAT)
    return 0;
  norn_for_each_lane(active, lane) {
    for (unsigned k = 0; k < e->operand_count; k++)
      found |= (unsigned)is_ruled_out(step, e->operand_width[k], e->split_operands >> k & 1,
                                      norn_step_lanes(run, warp, step, k)[lane])
               << lane;
    found |= (unsigned)is_ruled_out(step, e->result_width[0], e->split_results & 1,
                                    norn_warp_slot(warp, norn_step_result(run, step, 0))[lane])
             << lane;
  }
  return found;
}

bool
norn_step_evaluate(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                   GError **error) {
  (void)error;
  const NornEvaluator *e = &step->evaluator;
  const uint64_t *in[NORN_EVALUATE_OPERANDS];
  uint64_t *out[NORN_EVALUATE_RESULTS];
  unsigned undefined = 0;
  for (unsigned k = 0; k < e->operand_count; k++) {
    in[k] = norn_step_lanes(run, warp, step, k);
    undefined |= norn_step_undefined(run, warp, step, k);
  }
  for (unsigned k = 0; k < e->result_count; k++)
    out[k] = norn_warp_slot(warp, norn_step_result(run, step, k));
  norn_for_each_lane(active, lane) {
    uint64_t operands[NORN_EVALUATE_OPERANDS], results[NORN_EVALUATE_RESULTS];
    for (unsigned k = 0; k < e->operand_count; k++)
      operands[k] = in[k][lane];
    norn_evaluate(e, operands, results);
    for (unsigned k = 0; k < e->result_count; k++)
      out[k][lane] = results[k];
  }
  if (norn_step_inst(step)->flags & (NORN_INST_NNAN | NORN_INST_NINF))
    undefined |= find_ruled_out(run, warp, step, active);
  for (unsigned k = 0; k < e->result_count; k++)
    norn_warp_set_undefined(warp, norn_step_result(run, step, k), active, undefined);
  return true;
}

static bool
undef(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  for (unsigned word = 0; word < step->words; word++) {
    uint32_t slot = norn_step_result(run, step, 0) + word;
    norn_for_each_lane(active, lane) {
      norn_warp_slot(warp, slot)[lane] = 0;
    }
    norn_warp_set_undefined(warp, slot, active, active);
  }
  return true;
}

static bool
copy_words(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  for (unsigned word = 0; word < step->words; word++)
    copy_lanes(warp, norn_step_operand(run, step, 0) + word, norn_step_result(run, step, 0) + word,
               active);
  return true;
}

static bool
select_words(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const uint64_t *condition = norn_step_lanes(run, warp, step, 0);
  unsigned undefined = norn_step_undefined(run, warp, step, 0), chosen = 0;
  norn_for_each_lane(active, lane) {
    chosen |= (unsigned)(condition[lane] & 1) << lane;
  }
  for (unsigned word = 0; word < step->words; word++) {
    uint32_t result = norn_step_result(run, step, 0) + word;
    copy_lanes(warp, norn_step_operand(run, step, 1) + word, result, chosen);
    copy_lanes(warp, norn_step_operand(run, step, 2) + word, result, active & ~chosen);
    warp->undefined[result] |= (uint16_t)(undefined & active);
  }
  return true;
}

static bool
is_wide_scalar(NornType type) {
  return norn_types[type].class != NORN_CLASS_GROUP && norn_type_bits(type) == 64;
}

/* Makes a 64-bit value of two slots that hold a word each. */
static void
join_words(NornWarp *warp, uint32_t low, uint32_t high, uint32_t to, unsigned active) {
  norn_for_each_lane(active, lane) {
    norn_warp_slot(warp, to)[lane] =
        (uint32_t)norn_warp_slot(warp, low)[lane] | norn_warp_slot(warp, high)[lane] << 32;
  }
  norn_warp_set_undefined(warp, to, active, warp->undefined[low] | warp->undefined[high]);
}

/* Takes word `word` out of a 64-bit value. */
static void
part_word(NornWarp *warp, uint32_t from, unsigned word, uint32_t to, unsigned active) {
  norn_for_each_lane(active, lane) {
    norn_warp_slot(warp, to)[lane] = (uint32_t)(norn_warp_slot(warp, from)[lane] >> 32 * word);
  }
  norn_warp_set_undefined(warp, to, active, warp->undefined[from]);
}

static bool
collect(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint32_t result = norn_step_result(run, step, 0);
  if (is_wide_scalar(norn_step_inst(step)->source_type))
    join_words(warp, norn_step_operand(run, step, 0), norn_step_operand(run, step, 1), result,
               active);
  else
    for (unsigned k = 0; k < step->operand_count; k++)
      copy_lanes(warp, norn_step_operand(run, step, k), result + k, active);
  return true;
}

static bool
split(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint32_t source = norn_step_operand(run, step, 0);
  bool wide = is_wide_scalar(norn_step_inst(step)->source_type);
  for (unsigned k = 0; k < step->result_count; k++)
    if (wide)
      part_word(warp, source, k, norn_step_result(run, step, k), active);
    else
      copy_lanes(warp, source + k, norn_step_result(run, step, k), active);
  return true;
}

/* Types of the same size hold the same bits, but a group keeps each word in a slot of its own. */
static bool
bitcast(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  uint32_t from = norn_step_operand(run, step, 0), to = norn_step_result(run, step, 0);
  bool from_wide = is_wide_scalar(inst->source_type), to_wide = is_wide_scalar(inst->type);
  if (from_wide == to_wide)
    return copy_words(run, warp, step, active, error);
  if (to_wide) {
    join_words(warp, from, from + 1, to, active);
  } else {
    part_word(warp, from, 0, to, active);
    part_word(warp, from, 1, to + 1, active);
  }
  return true;
}

/* --- Order --- */

static bool
barrier(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)run, (void)step, (void)error;
  warp->waiting |= active;
  return true;
}

/* Invocations run one after the other, so memory is always in order. */
static bool
fence(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)run, (void)warp, (void)step, (void)active, (void)error;
  return true;
}

/* --- Where an invocation stands --- */

void
norn_run_position(const NornRun *run, uint32_t index, uint32_t position[3]) {
  norn_launch_grid_position(run->launch, run->workgroup, index, position);
}

static uint32_t
compute_number(const NornRun *run, const NornInst *inst, uint32_t index) {
  unsigned axis = inst->modifier;
  uint32_t position[3];
  switch (inst->op) {
  case NORN_OP_GLOBAL_ID:
    norn_run_position(run, index, position);
    return position[axis];
  case NORN_OP_LOCAL_ID:
    norn_launch_position(run->launch, index, position);
    return position[axis];
  case NORN_OP_LOCAL_INDEX:
    return index;
  case NORN_OP_SUBGROUP_ID:
    return index / NORN_LANES;
  case NORN_OP_WORKGROUP_ID:
    return run->workgroup[axis];
  case NORN_OP_WORKGROUP_SIZE:
    return run->workgroup_size[axis];
  case NORN_OP_WORKGROUP_COUNT:
    return run->launch->grid[axis];
  default:
    return index % NORN_LANES;
  }
}

static uint32_t
draw_number(const NornRun *run, const NornInst *inst, uint32_t index) {
  const NornVertexState *vertex = run->launch->vertex;
  const NornFragmentState *fragment = run->launch->fragment;
  uint32_t position[3];
  norn_run_position(run, index, position);
  switch (inst->op) {
  case NORN_OP_VERTEX_ID:
    return position[0] + (vertex ? vertex->first_vertex : 0);
  case NORN_OP_INSTANCE_ID:
    return position[1];
  case NORN_OP_DRAW_ID:
    return vertex ? vertex->draw_id : 0;
  default:
    return fragment ? fragment->view_index : vertex ? vertex->view_index : 0;
  }
}

static uint32_t
invocation_number(const NornRun *run, const NornWarp *warp, const NornInst *inst, unsigned lane) {
  bool draws = inst->op == NORN_OP_VERTEX_ID || inst->op == NORN_OP_INSTANCE_ID ||
               inst->op == NORN_OP_DRAW_ID || inst->op == NORN_OP_VIEW_INDEX;
  return draws ? draw_number(run, inst, warp->first + lane)
               : compute_number(run, inst, warp->first + lane);
}

static bool
invocation(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint64_t *result = norn_step_define(run, warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    result[lane] = invocation_number(run, warp, norn_step_inst(step), lane);
  }
  return true;
}

/* --- Control --- */

void
norn_warp_take_edge(NornRun *run, NornWarp *warp, uint32_t index, unsigned lanes) {
  const NornProgram *program = run->program;
  const NornStepEdge *edge = &g_array_index(program->edges, NornStepEdge, index);
  const NornMove *moves = &g_array_index(program->moves, NornMove, edge->move);
  /* All arguments are read before any parameter is written. */
  if (edge->move_count > run->held_capacity) {
    run->held_capacity = edge->move_count;
    run->held = g_realloc_n(run->held, run->held_capacity, NORN_LANES * sizeof(uint64_t));
    run->held_undefined = g_renew(uint16_t, run->held_undefined, run->held_capacity);
  }
  for (uint32_t i = 0; i < edge->move_count; i++) {
    memcpy(run->held + (size_t)i * NORN_LANES, norn_warp_slot(warp, moves[i].from),
           NORN_LANES * sizeof(uint64_t));
    run->held_undefined[i] = warp->undefined[moves[i].from];
  }
  for (uint32_t i = 0; i < edge->move_count; i++) {
    uint64_t *target = norn_warp_slot(warp, moves[i].to);
    norn_for_each_lane(lanes, lane) {
      target[lane] = run->held[(size_t)i * NORN_LANES + lane];
    }
    norn_warp_set_undefined(warp, moves[i].to, lanes, run->held_undefined[i]);
  }
  uint32_t node = program->convergence.node_of_key[edge->key];
  norn_for_each_lane(lanes, lane) {
    warp->key[lane] = edge->key;
    warp->step[lane] = g_array_index(program->nodes, NornNode, node).first;
  }
}

/* What it says of its block is in the order of the nodes. */
static bool
loop_entry(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)run, (void)warp, (void)step, (void)active, (void)error;
  return true;
}

static bool
jump(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  norn_warp_take_edge(run, warp, step->edge, active);
  return true;
}

static bool
branch(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  if (!norn_step_check_defined(run, warp, step, 0, active, "the condition", error))
    return false;
  const uint64_t *condition = norn_step_lanes(run, warp, step, 0);
  unsigned taken = 0;
  norn_for_each_lane(active, lane) {
    taken |= (unsigned)(condition[lane] & 1) << lane;
  }
  if (taken)
    norn_warp_take_edge(run, warp, step->edge, taken);
  if (active & ~taken)
    norn_warp_take_edge(run, warp, step->edge + 1, active & ~taken);
  return true;
}

static bool
switch_case(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  if (!norn_step_check_defined(run, warp, step, 0, active, "the value", error))
    return false;
  const uint64_t *value = norn_step_lanes(run, warp, step, 0);
  unsigned left = active;
  for (uint32_t k = 1; left && k < step->edge_count; k++) {
    const NornStepEdge *edge = &g_array_index(run->program->edges, NornStepEdge, step->edge + k);
    unsigned taken = 0;
    norn_for_each_lane(left, lane) {
      taken |= (unsigned)(value[lane] == edge->value) << lane;
    }
    if (taken)
      norn_warp_take_edge(run, warp, step->edge + k, taken);
    left &= ~taken;
  }
  if (left)
    norn_warp_take_edge(run, warp, step->edge, left);
  return true;
}

static bool
end(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  if (norn_step_inst(step)->op == NORN_OP_END)
    norn_fragment_finish(run, warp, active);
  warp->live &= ~active;
  return true;
}

static bool
unreachable(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  return norn_trap(run, warp, step, (unsigned)__builtin_ctz(active), error, "reached");
}

/* --- The table --- */

#define MEMORY(SPACE)                                                                              \
  [NORN_OP_LOAD_##SPACE] = norn_step_load, [NORN_OP_ULOAD_##SPACE] = norn_step_load,               \
  [NORN_OP_SLOAD_##SPACE] = norn_step_load_signed
#define ATOMICS(SPACE)                                                                             \
  [NORN_OP_ATOMIC_##SPACE] = norn_step_atomic, [NORN_OP_ATOMIC_INC_##SPACE] = norn_step_atomic,    \
  [NORN_OP_ATOMIC_DEC_##SPACE] = norn_step_atomic, [NORN_OP_CMPXCHG_##SPACE] = norn_step_atomic

static const NornStepFunction step_functions[NORN_OP_COUNT] = {
    [NORN_OP_UNDEF] = undef,
    [NORN_OP_COPY] = copy_words,
    [NORN_OP_SELECT] = select_words,
    [NORN_OP_COLLECT] = collect,
    [NORN_OP_SPLIT] = split,
    [NORN_OP_BITCAST] = bitcast,
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
    [NORN_OP_BARRIER] = barrier,
    [NORN_OP_FENCE] = fence,
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
    [NORN_OP_LANE_ID] = invocation,
    [NORN_OP_GLOBAL_ID] = invocation,
    [NORN_OP_LOCAL_ID] = invocation,
    [NORN_OP_LOCAL_INDEX] = invocation,
    [NORN_OP_SUBGROUP_ID] = invocation,
    [NORN_OP_WORKGROUP_ID] = invocation,
    [NORN_OP_WORKGROUP_SIZE] = invocation,
    [NORN_OP_WORKGROUP_COUNT] = invocation,
    [NORN_OP_VERTEX_ID] = invocation,
    [NORN_OP_INSTANCE_ID] = invocation,
    [NORN_OP_DRAW_ID] = invocation,
    [NORN_OP_VIEW_INDEX] = invocation,
    [NORN_OP_LOAD_ATTRIBUTE] = norn_step_load_attribute,
    [NORN_OP_STORE_POSITION] = norn_step_vertex_output,
    [NORN_OP_STORE_POINT_SIZE] = norn_step_vertex_output,
    [NORN_OP_STORE_LAYER] = norn_step_vertex_output,
    [NORN_OP_STORE_VIEWPORT] = norn_step_vertex_output,
    [NORN_OP_STORE_VARYING] = norn_step_vertex_output,
    [NORN_OP_LOAD_VARYING] = norn_step_load_varying,
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
    [NORN_OP_LOOP_ENTRY] = loop_entry,
    [NORN_OP_BR] = branch,
    [NORN_OP_JUMP] = jump,
    [NORN_OP_SWITCH] = switch_case,
    [NORN_OP_CALL] = jump,
    [NORN_OP_RETURN] = jump,
    [NORN_OP_END] = end,
    [NORN_OP_TERMINATE] = end,
    [NORN_OP_UNREACHABLE] = unreachable,
};

NornStepFunction
norn_step_function(NornOp op) {
  return op < NORN_OP_COUNT ? step_functions[op] : NULL;
}
