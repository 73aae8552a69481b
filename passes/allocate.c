/* The allocate pass: measures, tries the small register file, then the whole one, and commits.
 *
 * See allocate.h for the parts. The spill pass has brought the demand down to the file before.
 * Nothing changes in the function until an assignment has succeeded. */
#include "passes/allocate.h"
#include "ir/ops.h"
#include "passes/check_allocation.h"
#include "passes/repair.h"
#include <string.h>

/* --- last uses and demand ----------------------------------------------------------------------
 */

/* Whether a value is live at the point that a backward walk over a block has come to. */
typedef struct LiveState {
  uint32_t stamp; /* block + 1 if `live` is of this block */
  bool live;
} LiveState;

typedef struct Scan {
  NornAllocation *allocation;
  LiveState *state;
  uint32_t block;
  unsigned demand;
} Scan;

static bool
is_live(const Scan *scan, uint32_t value) {
  const LiveState *state = &scan->state[value];
  return state->stamp == scan->block + 1
             ? state->live
             : norn_live_out(scan->allocation->live, scan->block, value);
}

static void
scan_definitions(Scan *scan, uint32_t first, unsigned count) {
  NornAllocation *allocation = scan->allocation;
  unsigned unused = 0, used = 0;
  for (uint32_t value = first; value < first + count; value++) {
    unsigned demand = norn_demand_of(allocation->words[value]);
    if (is_live(scan, value)) {
      used += demand;
    } else {
      unused += demand;
      norn_set_bit(allocation->unused, value);
    }
    scan->state[value] = (LiveState){scan->block + 1, false};
  }
  allocation->demand = MAX(allocation->demand, scan->demand + unused);
  scan->demand -= used;
}

static void
scan_uses(Scan *scan, const NornInst *inst) {
  NornAllocation *allocation = scan->allocation;
  const NornRef *operands = allocation->function->operands + inst->operand;
  unsigned added = 0;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
        !is_live(scan, norn_ref_payload(operands[k])))
      norn_set_bit(allocation->kills, inst->operand + k);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(operands[k]);
    if (!is_live(scan, value))
      added += norn_demand_of(allocation->words[value]);
    scan->state[value] = (LiveState){scan->block + 1, true};
  }
  scan->demand += added;
  allocation->demand = MAX(allocation->demand, scan->demand);
}

static void
scan_block(Scan *scan) {
  NornAllocation *allocation = scan->allocation;
  const NornFunction *function = allocation->function;
  scan->demand = 0;
  const NornLiveness *live = allocation->live;
  norn_for_each_live (live, live->out, scan->block, value)
    scan->demand += norn_demand_of(allocation->words[value]);
  for (uint32_t i = function->blocks[scan->block].last; i != NORN_INDEX_NONE;
       i = function->insts[i].previous) {
    const NornInst *inst = &function->insts[i];
    scan_definitions(scan, inst->result, inst->result_count);
    scan_uses(scan, inst);
  }
  for (unsigned k = 0; k < function->blocks[scan->block].parameter_count; k++)
    scan_definitions(scan, norn_block_parameter(function, scan->block, k), 1);
}

static void
scan_function(NornAllocation *allocation) {
  Scan scan = {.allocation = allocation, .state = g_new0(LiveState, allocation->value_count)};
  for (uint32_t i = 0; i < allocation->dominance->order_count; i++) {
    scan.block = allocation->dominance->order[i];
    scan_block(&scan);
  }
  g_free(scan.state);
}

/* --- the pass ----------------------------------------------------------------------------------
 */

static void
allocation_init(NornAllocation *allocation, NornPassContext *context, NornFunction *function) {
  uint32_t values = function->value_count;
  *allocation = (NornAllocation){
      .context = context,
      .function = function,
      .dominance = norn_dominance_new(function),
      .value_count = values,
      .words = g_malloc(values),
      .kills = g_new0(uint64_t, function->operand_count / 64 + 1),
      .unused = g_new0(uint64_t, values / 64 + 1),
      .affinity = g_new(NornAffinity, values),
      .defined_at = g_malloc(values),
      .copies = g_array_new(FALSE, FALSE, sizeof(NornParallelCopy)),
      .transfers = g_array_new(FALSE, FALSE, sizeof(NornTransfer)),
      .entry = g_new(NornRegisterState, function->block_count),
  };
  allocation->live = norn_liveness_new(function, allocation->dominance);
  memset(allocation->defined_at, NORN_NO_REGISTER, values);
  for (uint32_t v = 0; v < values; v++)
    allocation->words[v] = (uint8_t)norn_type_words(function->values[v].type);
}

static void
allocation_clear(NornAllocation *allocation) {
  norn_liveness_free(allocation->live);
  norn_dominance_free(allocation->dominance);
  g_free(allocation->words);
  g_free(allocation->kills);
  g_free(allocation->unused);
  g_free(allocation->affinity);
  g_free(allocation->defined_at);
  g_free(allocation->entry);
  g_array_free(allocation->copies, TRUE);
  g_array_free(allocation->transfers, TRUE);
}

unsigned
norn_operand_words(const NornFunction *function, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE
             ? norn_type_words(function->values[norn_ref_payload(ref)].type)
             : 1;
}

uint64_t
norn_register_file(const NornPassContext *context) {
  if (!(context->options->chaos & NORN_CHAOS_SPILL))
    return context->target->register_file;
  return context->target->register_file & context->target->chaos_file;
}

static bool
assign(NornAllocation *allocation) {
  uint64_t whole = norn_register_file(allocation->context);
  uint64_t small = whole & allocation->context->target->small_file;
  uint64_t files[2] = {small, whole};
  for (unsigned i = 0; i < 2; i++) {
    if (allocation->demand > (unsigned)__builtin_popcountll(files[i]))
      continue;
    allocation->file = files[i];
    norn_affinity_build(allocation);
    if (norn_assign_registers(allocation))
      return true;
  }
  return false;
}

static void
commit(NornAllocation *allocation) {
  NornFunction *function = allocation->function;
  for (uint32_t v = 0; v < allocation->value_count; v++)
    function->values[v].reg = allocation->defined_at[v] == NORN_NO_REGISTER
                                  ? NORN_REGISTER_NONE
                                  : allocation->defined_at[v];
  GArray *root = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  norn_insert_copies(allocation, root);
  norn_repair_ssa(function, allocation->dominance, allocation->live,
                  (const uint32_t *)(void *)root->data, allocation->value_count, allocation->entry);
  g_array_free(root, TRUE);
}

bool
norn_pass_allocate(NornPassContext *context, NornFunction *function, GError **error) {
  NornAllocation allocation;
  norn_prepare_edges(function);
  NornSnapshot *before = context->options->verify ? norn_snapshot_new(function) : NULL;
  allocation_init(&allocation, context, function);
  scan_function(&allocation);
  bool ok = assign(&allocation);
  if (ok)
    commit(&allocation);
  else
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "the program needs %u registers at one point, more than there are room for",
                allocation.demand);
  allocation_clear(&allocation);
  if (ok && before)
    ok = norn_check_allocation(context, function, before, error);
  norn_snapshot_free(before);
  return ok;
}
