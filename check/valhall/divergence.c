/* Branches that are not marked as divergent: two lanes of a warp that execute one together have the
 * same condition.
 *
 * This check follows two arbitrary lanes through the selected program. A state is the pair of keys
 * at which they wait (ir/analysis/convergence.h): the lane at the lower key runs next, both run
 * together if the keys are equal. A lane that runs alone may take any edge. Two that run together
 * part only where the condition may differ between them, so the states that are found and what is
 * known of the values depend on each other; both only grow.
 *
 * What a value is in both lanes after they executed its instruction together depends on its
 * operands and on the instruction. If only one of them has executed its block since then, the value
 * may also differ: a state has the set of these blocks. A function of values that change in another
 * block, or nowhere, changes only there: whatever is executed after the operands and uses the
 * result comes after the function, too. A parameter may also differ if the lanes meet at its block,
 * unless all edges to the block pass the same argument, which does not. */
#include "check/valhall/valhall.h"
#include "ir/analysis/convergence.h"
#include "ir/bits.h"
#include "ir/hash.h"
#include <norn/valhall.h>

/* Limit on the words of sets that are visited. Programs that need more are not checked: hundreds of
 * loops in each other do. */
#define MAX_WORK (1u << 24)
/* What visiting a state costs in addition, in such words. */
#define STATE_WORK 16

/* Where two lanes wait, the lower key first. Its set of blocks is at the same place in `alone`. */
typedef struct LanePair {
  uint32_t low, high;
  bool is_queued;
} LanePair;

typedef struct LaneWalk {
  const NornCode *code;
  const NornFunction *function; /* the selected program */
  NornArena arena;
  NornConvergence keys;
  bool *differs;       /* by value: between lanes that have executed its instruction together */
  uint32_t *home;      /* by value: the block in which it changes from iteration to iteration, or
                          NORN_INDEX_NONE if a lane computes it once or always the same */
  uint32_t *bit_of;    /* by block: its bit in the sets, or NORN_INDEX_NONE */
  NornRef *argument;   /* by value: what all edges pass to this parameter, or NORN_REF_NONE */
  uint32_t set_words;  /* the size of a set */
  GHashTable *numbers; /* keys (low << 32 | high) to numbers of states, + 1 */
  GArray *states;      /* LanePair */
  GArray *alone;       /* uint64_t, set_words for each state */
  uint64_t *set;       /* of the current state, after its block */
  uint32_t bad;        /* a terminator, or NORN_INDEX_NONE */
  GQueue queue;        /* numbers of states, + 1, to be visited */
  uint64_t work;
  bool learned; /* that a value differs, since the states were queued */
} LaneWalk;

/* --- Instructions --- */

static bool
differs_at_start(const NornFunction *function, NornShaderStage stage, unsigned reg) {
  const uint32_t *workgroup = function->module->workgroup;
  switch (stage) {
  case NORN_STAGE_COMPUTE:
    if (reg >= NORN_VALHALL_PRELOAD_GLOBAL_ID_X && reg <= NORN_VALHALL_PRELOAD_GLOBAL_ID_Z)
      return workgroup[reg - NORN_VALHALL_PRELOAD_GLOBAL_ID_X] != 1;
    return reg < NORN_VALHALL_PRELOAD_WORKGROUP_ID_X || reg > NORN_VALHALL_PRELOAD_WORKGROUP_ID_Z;
  case NORN_STAGE_VERTEX:
    return reg != NORN_VALHALL_PRELOAD_DRAW_ID && reg != NORN_VALHALL_PRELOAD_VERTEX_VIEW;
  default:
    return reg != NORN_VALHALL_PRELOAD_FRAGMENT_VIEW;
  }
}

/* Whether a source of the machine differs between lanes. */
static bool
is_of_lane(uint32_t special) {
  switch (special & ~1u) {
  case NORN_VALHALL_SPECIAL_ATEST_DATUM_W0:
  case NORN_VALHALL_SPECIAL_SAMPLE_W0:
  case NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0:
  case NORN_VALHALL_SPECIAL_LANE_ID_W0:
  case NORN_VALHALL_SPECIAL_SHADER_OUTPUT_W0:
    return true;
  default:
    return false;
  }
}

/* Whether lanes that execute the current block together, or meet after it, may have different
 * values of an operand. */
static bool
operand_differs(const LaneWalk *walk, NornRef ref) {
  ref &= ~NORN_REF_LAST_USE;
  if (norn_ref_kind(ref) == NORN_REF_SPECIAL)
    return is_of_lane(norn_ref_payload(ref));
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return false;
  uint32_t value = norn_ref_payload(ref);
  uint32_t home = walk->home[value];
  uint32_t bit = home == NORN_INDEX_NONE ? home : walk->bit_of[home];
  return walk->differs[value] || (bit != NORN_INDEX_NONE && norn_bit(walk->set, bit));
}

/* Whether any of the operands before the first edge differs. */
static bool
operands_differ(const LaneWalk *walk, const NornInst *inst) {
  const NornRef *operands = norn_operands(walk->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_ref_kind(operands[k]) == NORN_REF_BLOCK)
      return false;
    if (operand_differs(walk, operands[k]))
      return true;
  }
  return false;
}

static const NornIsaEncoding *
encoding_of(const LaneWalk *walk, const NornInst *inst) {
  return norn_isa_encoding(walk->code->isa, walk->code->input->architecture,
                           inst->op - NORN_OP_MACHINE);
}

/* Whether an exchange between lanes is one within parts of the warp. */
static bool
is_clustered(const NornIsaEncoding *encoding, const NornInst *inst) {
  return norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_SUBGROUP, inst->payload, 0) !=
         NORN_VALHALL_SUBGROUP_SUBGROUP16;
}

/* Whether lanes that execute the instruction together may get different results. */
static bool
results_differ(const LaneWalk *walk, const NornInst *inst) {
  const NornRef *operands = norn_operands(walk->function, inst);
  if (inst->op == NORN_OP_PRELOAD)
    return differs_at_start(walk->function, walk->code->input->stage,
                            (unsigned)norn_constant_bits(walk->function->module, operands[0]));
  if (!norn_is_machine(inst))
    return operands_differ(walk, inst);
  const NornIsaEncoding *encoding = encoding_of(walk, inst);
  switch (inst->op - NORN_OP_MACHINE) {
  case NORN_VALHALL_WMASK:
    return is_clustered(encoding, inst);
  case NORN_VALHALL_CLPER_I32: /* reads one lane, unless its number depends on the reading one */
    return operand_differs(walk, operands[1]) ||
           norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_LANE_OPERATION, inst->payload, 0) !=
               NORN_VALHALL_LANE_OPERATION_NONE ||
           is_clustered(encoding, inst);
  case NORN_VALHALL_LD_GCLK: /* whether lanes read the clock at the same time is not known */
    return true;
  default:
    return encoding->flags &
               (NORN_VALHALL_FLAG_ATOMIC | NORN_VALHALL_FLAG_VARYING | NORN_VALHALL_FLAG_TILE) ||
           norn_code_reads_neighbors(encoding, inst->payload) || operands_differ(walk, inst);
  }
}

/* Whether the results depend only on the operands. Textures do not change while a program runs. */
static bool
is_function(const LaneWalk *walk, const NornInst *inst) {
  if (!norn_is_machine(inst))
    return true;
  const NornIsaEncoding *encoding = encoding_of(walk, inst);
  return !(encoding->flags & (NORN_VALHALL_FLAG_LOAD | NORN_VALHALL_FLAG_ATOMIC |
                              NORN_VALHALL_FLAG_VARYING | NORN_VALHALL_FLAG_TILE)) &&
         !norn_code_reads_neighbors(encoding, inst->payload);
}

/* The block in which the results of an instruction change. */
static uint32_t
home_of_results(const LaneWalk *walk, const NornInst *inst) {
  uint32_t own =
      walk->keys.loop_of_node[inst->block] == NORN_KEY_NONE ? NORN_INDEX_NONE : inst->block;
  uint32_t common = NORN_INDEX_NONE;
  if (!is_function(walk, inst))
    return own;
  norn_for_each_use (walk->function, inst, use) {
    uint32_t home = walk->home[use.value];
    if (home != NORN_INDEX_NONE && common != NORN_INDEX_NONE && home != common)
      return own;
    common = home == NORN_INDEX_NONE ? common : home;
  }
  return common;
}

static void
set_differs(LaneWalk *walk, uint32_t value) {
  walk->learned |= !walk->differs[value];
  walk->differs[value] = true;
}

/* Lanes meet at the block, which each of them entered by itself. */
static void
set_parameters(LaneWalk *walk, uint32_t block) {
  for (unsigned k = 0; k < norn_block(walk->function, block)->parameter_count; k++) {
    uint32_t value = norn_block_parameter(walk->function, block, k);
    NornRef argument = walk->argument[value];
    if (argument == NORN_REF_NONE || operand_differs(walk, argument))
      set_differs(walk, value);
  }
}

/* --- States --- */

static guint
hash_pair(gconstpointer key) {
  return (guint)norn_hash_mix(0, *(const uint64_t *)key);
}

static void
queue_state(LaneWalk *walk, guint number) {
  LanePair *pair = &g_array_index(walk->states, LanePair, number);
  if (pair->is_queued)
    return;
  pair->is_queued = true;
  g_queue_push_tail(&walk->queue, GUINT_TO_POINTER(number + 1));
}

/* The number of a state, which is added if it is new. */
static guint
number_of(LaneWalk *walk, LanePair pair) {
  uint64_t key = (uint64_t)pair.low << 32 | pair.high;
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(walk->numbers, &key));
  if (number)
    return number - 1;
  uint64_t *copy = NORN_NEW(&walk->arena, uint64_t, 1);
  *copy = key;
  g_array_append_val(walk->states, pair);
  g_hash_table_insert(walk->numbers, copy, GUINT_TO_POINTER(walk->states->len));
  g_array_set_size(walk->alone, walk->states->len * walk->set_words);
  queue_state(walk, walk->states->len - 1);
  return walk->states->len - 1;
}

/* Lanes may come from the current state to this one. */
static void
add_state(LaneWalk *walk, uint32_t first, uint32_t second) {
  guint number = number_of(walk, (LanePair){MIN(first, second), MAX(first, second), false});
  uint64_t *set = &g_array_index(walk->alone, uint64_t, number * walk->set_words);
  bool grows = false;
  for (uint32_t k = 0; k < walk->set_words; k++) {
    grows |= (walk->set[k] & ~set[k]) != 0;
    set[k] |= walk->set[k];
  }
  if (grows)
    queue_state(walk, number);
}

static void
set_alone(LaneWalk *walk, uint32_t block, bool is_alone) {
  uint32_t bit = walk->bit_of[block];
  if (bit == NORN_INDEX_NONE)
    return;
  if (is_alone)
    norn_set_bit(walk->set, bit);
  else
    norn_clear_bit(walk->set, bit);
}

/* One lane runs the block; the other waits at `other`. */
static void
run_alone(LaneWalk *walk, uint32_t block, uint32_t other) {
  set_alone(walk, block, true);
  norn_for_each_edge (walk->function, norn_block(walk->function, block)->last, edge) {
    uint32_t key = norn_convergence_edge_key(&walk->keys, block, edge.block);
    if (key == other)
      set_parameters(walk, edge.block);
    add_state(walk, key, other);
  }
}

/* Both lanes take the edge. */
static void
take_edge(LaneWalk *walk, uint32_t inst, const NornEdge *edge) {
  const NornRef *operands = norn_operands(walk->function, norn_inst(walk->function, inst));
  for (unsigned k = 0; k < edge->argument_count; k++)
    if (operand_differs(walk, operands[edge->operand + 1 + k]))
      set_differs(walk, norn_block_parameter(walk->function, edge->block, k));
}

static void
run_together(LaneWalk *walk, uint32_t block) {
  const NornFunction *function = walk->function;
  uint32_t last = norn_block(function, block)->last;
  set_alone(walk, block, false);
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (inst->result_count && results_differ(walk, inst))
      for (unsigned k = 0; k < inst->result_count; k++)
        set_differs(walk, inst->result + k);
  }
  bool parts = operands_differ(walk, norn_inst(function, last));
  unsigned count = 0;
  norn_for_each_edge (function, last, edge) {
    uint32_t key = norn_convergence_edge_key(&walk->keys, block, edge.block);
    unsigned number = 0;
    count++;
    take_edge(walk, last, &edge);
    add_state(walk, key, key);
    norn_for_each_edge (function, last, other) {
      if (++number >= count || !parts)
        break;
      uint32_t other_key = norn_convergence_edge_key(&walk->keys, block, other.block);
      if (key == other_key)
        set_parameters(walk, edge.block);
      add_state(walk, key, other_key);
    }
  }
  if (parts && count > 1 && !(norn_inst(function, last)->flags & NORN_INST_DIVERGENT))
    walk->bad = last;
}

static void
run_state(LaneWalk *walk, guint number) {
  LanePair *self = &g_array_index(walk->states, LanePair, number), pair = *self;
  self->is_queued = false;
  uint32_t block = walk->keys.node_of_key[pair.low];
  for (uint32_t k = 0; k < walk->set_words; k++)
    walk->set[k] = g_array_index(walk->alone, uint64_t, number * walk->set_words + k);
  if (pair.low == pair.high)
    run_together(walk, block);
  else
    run_alone(walk, block, pair.high);
}

/* Queues all states, any of which may use what was learned. */
static void
queue_again(LaneWalk *walk) {
  walk->learned = false;
  for (guint i = 0; i < walk->states->len; i++)
    queue_state(walk, i);
}

/* --- The whole check --- */

/* Finds the parameters to which all edges pass the same argument. */
static void
find_arguments(LaneWalk *walk) {
  const NornFunction *function = walk->function;
  bool *is_known = NORN_NEW0(&walk->arena, bool, function->value_count);
  walk->argument = NORN_NEW0(&walk->arena, NornRef, function->value_count);
  norn_for_each_block (function, block) {
    uint32_t last = norn_block(function, block)->last;
    const NornRef *operands = norn_operands(function, norn_inst(function, last));
    norn_for_each_edge (function, last, edge)
      for (unsigned k = 0; k < edge.argument_count; k++) {
        uint32_t value = norn_block_parameter(function, edge.block, k);
        NornRef argument = operands[edge.operand + 1 + k] & ~NORN_REF_LAST_USE;
        if (!is_known[value])
          walk->argument[value] = argument;
        else if (walk->argument[value] != argument)
          walk->argument[value] = NORN_REF_NONE;
        is_known[value] = true;
      }
  }
}

/* The block in which a parameter of this block changes. */
static uint32_t
home_of_parameter(const LaneWalk *walk, uint32_t block, uint32_t value) {
  NornRef argument = walk->argument[value];
  if (argument == NORN_REF_NONE)
    return walk->keys.loop_of_node[block] == NORN_KEY_NONE ? NORN_INDEX_NONE : block;
  return norn_ref_kind(argument) == NORN_REF_VALUE ? walk->home[norn_ref_payload(argument)]
                                                   : NORN_INDEX_NONE;
}

/* Definitions come before uses in the order of keys. */
static void
find_homes(LaneWalk *walk) {
  const NornFunction *function = walk->function;
  walk->home = norn_arena_indexes(&walk->arena, function->value_count);
  for (uint32_t key = 0; key < walk->keys.key_count; key++) {
    uint32_t block = walk->keys.node_of_key[key];
    if (walk->keys.key_of_node[block] != key)
      continue;
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
      uint32_t value = norn_block_parameter(function, block, k);
      walk->home[value] = home_of_parameter(walk, block, value);
    }
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      uint32_t home = inst->result_count ? home_of_results(walk, inst) : NORN_INDEX_NONE;
      for (unsigned k = 0; k < inst->result_count; k++)
        walk->home[inst->result + k] = home;
    }
  }
}

/* Gives bits to blocks in which values change that other blocks use: lanes may have executed the
 * block in different iterations. */
static void
number_blocks(LaneWalk *walk) {
  const NornFunction *function = walk->function;
  uint32_t count = 0;
  walk->bit_of = norn_arena_indexes(&walk->arena, function->block_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      norn_for_each_use (function, norn_inst(function, index), use) {
        uint32_t home = walk->home[use.value];
        if (home != block && home != NORN_INDEX_NONE && walk->bit_of[home] == NORN_INDEX_NONE)
          walk->bit_of[home] = count++;
      }
  walk->set_words = count / 64 + 1;
  walk->set = NORN_NEW0(&walk->arena, uint64_t, walk->set_words);
}

static bool
refuse(const LaneWalk *walk, GError **error) {
  uint32_t word = 0;
  while (word + 1 < walk->code->count && norn_code_selected(walk->code, word) != walk->bad)
    word++;
  return norn_code_error(walk->code, word, error,
                         "lanes may diverge here, but the branch is not marked as divergent");
}

bool
norn_check_divergence(const NornCode *code, GError **error) {
  LaneWalk walk = {
      .code = code,
      .function = code->input->selected,
      .numbers = g_hash_table_new(hash_pair, g_int64_equal),
      .states = g_array_new(FALSE, FALSE, sizeof(LanePair)),
      .alone = g_array_new(FALSE, TRUE, sizeof(uint64_t)),
      .bad = NORN_INDEX_NONE,
  };
  bool ok = norn_convergence_of_function(&walk.arena, &walk.keys, walk.function, error);
  if (ok) {
    find_arguments(&walk);
    find_homes(&walk);
    number_blocks(&walk);
    walk.differs = NORN_NEW0(&walk.arena, bool, walk.function->value_count);
    add_state(&walk, 0, 0);
  }
  while (ok && walk.queue.length && walk.bad == NORN_INDEX_NONE && walk.work < MAX_WORK) {
    run_state(&walk, GPOINTER_TO_UINT(g_queue_pop_head(&walk.queue)) - 1);
    walk.work += walk.set_words + STATE_WORK;
    if (!walk.queue.length && walk.learned)
      queue_again(&walk);
  }
  ok = ok && (walk.bad == NORN_INDEX_NONE || refuse(&walk, error));
  g_queue_clear(&walk.queue);
  g_hash_table_unref(walk.numbers);
  g_array_free(walk.states, TRUE);
  g_array_free(walk.alone, TRUE);
  norn_arena_free(&walk.arena);
  return ok;
}
