/* One walk over each block, backward, from the values that are live at its end.
 *
 * Demand counts a value of one word as 1 and a group as its words rounded up to an even number. At
 * an instruction it is that of what lives on together with what it uses, or with what it defines.
 */
#include "passes/demand.h"
#include "ir/ops.h"

/* Whether a value is live at the point the walk has come to. */
typedef struct LiveState {
  uint32_t stamp; /* block + 1 if `live` is of this block */
  bool live;
} LiveState;

typedef struct Scan {
  const NornFunction *function;
  const NornLiveness *liveness;
  NornDemand *demand;
  LiveState *state;
  uint32_t block;
  unsigned now;
} Scan;

static bool
is_live(const Scan *scan, uint32_t value) {
  const LiveState *state = &scan->state[value];
  return state->stamp == scan->block + 1 ? state->live
                                         : norn_live_out(scan->liveness, scan->block, value);
}

static void
note(Scan *scan, unsigned demand) {
  scan->demand->block[scan->block] = MAX(scan->demand->block[scan->block], demand);
}

static void
scan_definitions(Scan *scan, uint32_t first, unsigned count) {
  unsigned unused = 0, used = 0;
  for (uint32_t value = first; value < first + count; value++) {
    unsigned demand = norn_demand_of(scan->demand->words[value]);
    if (is_live(scan, value)) {
      used += demand;
    } else {
      unused += demand;
      norn_set_bit(scan->demand->unused, value);
    }
    scan->state[value] = (LiveState){scan->block + 1, false};
  }
  note(scan, scan->now + unused);
  scan->now -= used;
}

static void
scan_uses(Scan *scan, const NornInst *inst) {
  const NornRef *operands = scan->function->operands + inst->operand;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
        !is_live(scan, norn_ref_payload(operands[k])))
      norn_set_bit(scan->demand->kills, inst->operand + k);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(operands[k]);
    if (!is_live(scan, value))
      scan->now += norn_demand_of(scan->demand->words[value]);
    scan->state[value] = (LiveState){scan->block + 1, true};
  }
  note(scan, scan->now);
}

static void
scan_block(Scan *scan) {
  const NornFunction *function = scan->function;
  const NornLiveness *liveness = scan->liveness;
  const NornBlock *block = &function->blocks[scan->block];
  scan->now = 0;
  norn_for_each_live (liveness, liveness->out, scan->block, value)
    scan->now += norn_demand_of(scan->demand->words[value]);
  for (uint32_t i = block->last; i != NORN_INDEX_NONE; i = function->insts[i].previous) {
    const NornInst *inst = &function->insts[i];
    scan_definitions(scan, inst->result, inst->result_count);
    scan_uses(scan, inst);
  }
  unsigned parameters = 0;
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, scan->block, k);
    if (!is_live(scan, value)) {
      norn_set_bit(scan->demand->unused, value);
      parameters += norn_demand_of(scan->demand->words[value]);
    }
  }
  note(scan, scan->now + parameters);
}

NornDemand *
norn_demand_new(const NornFunction *function, const NornDominance *dominance,
                const NornLiveness *live) {
  NornDemand *demand = g_new(NornDemand, 1);
  *demand = (NornDemand){
      .words = g_malloc(function->value_count + 1),
      .kills = g_new0(uint64_t, function->operand_count / 64 + 1),
      .unused = g_new0(uint64_t, function->value_count / 64 + 1),
      .block = g_new0(unsigned, function->block_count),
  };
  for (uint32_t v = 0; v < function->value_count; v++)
    demand->words[v] = (uint8_t)norn_type_words(function->values[v].type);
  Scan scan = {.function = function,
               .liveness = live,
               .demand = demand,
               .state = g_new0(LiveState, function->value_count + 1)};
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    scan.block = dominance->order[i];
    scan_block(&scan);
    demand->most = MAX(demand->most, demand->block[scan.block]);
  }
  g_free(scan.state);
  return demand;
}

void
norn_demand_free(NornDemand *demand) {
  g_free(demand->words);
  g_free(demand->kills);
  g_free(demand->unused);
  g_free(demand->block);
  g_free(demand);
}
