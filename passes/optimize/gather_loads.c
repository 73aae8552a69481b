/* Gathers loads from read-only buffers: a load that is only executed sometimes moves up to an
 * earlier one of the same 16 bytes, for vectorize-memory to merge them.
 *
 *   a:  %x = load h, 0                    a:  %x = load h, 0
 *       branch %c, b, d                       %y = load h, 0, offset:4
 *   b:  %y = load h, 0, offset:4    ->        branch %c, b, d
 *
 * A message transfers 16 bytes as fast as 4, and an invocation that executes the second load has
 * executed the first, so a message is saved, and nothing is loaded for invocations that load
 * nothing. The block may then also become cheap enough to be executed always. The price is
 * registers from the earlier load on, so only some words are moved.
 *
 * Both loads are coarse (NORN_INST_COARSE), so the bounds of the buffer do not divide the 16 bytes,
 * and nothing writes to what they load. */
#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <stdlib.h>

/* Maximum number of words that are moved in a function. */
#define MAX_WORDS 8
/* Maximum number of earlier loads of the same 16 bytes that are examined for one that dominates. */
#define MAX_EARLIER 8
#define PIECE_BYTES 16

/* A load from a piece of 16 bytes. */
typedef struct PieceLoad {
  NornRef handle, base;
  int64_t piece;  /* from the base, in pieces */
  uint32_t order; /* in an order in which no load comes before one that dominates it */
  uint32_t inst;
} PieceLoad;

typedef NORN_LIST(PieceLoad) PieceLoads;

/* Whether the instruction is a load that may be merged with others of the same piece. */
static bool
describe(const NornFunction *function, uint32_t index, PieceLoad *load) {
  const NornInst *inst = norn_inst(function, index);
  if (inst->op != NORN_OP_LOAD_CONSTANT || !(inst->flags & NORN_INST_COARSE))
    return false;
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  *load = (PieceLoad){.handle = norn_operand(function, index, 0),
                      .base = norn_operand(function, index, 1),
                      .inst = index};
  if (norn_is_constant(load->base)) {
    offset += (int64_t)norn_constant_bits(function->module, load->base);
    load->base = 0;
  } else if (1u << MIN(norn_known_zeros(function, load->base), 31) < PIECE_BYTES) {
    return false;
  }
  load->piece = offset / PIECE_BYTES;
  return offset >= 0 && offset % PIECE_BYTES + norn_access_bytes(inst) <= PIECE_BYTES;
}

static int
compare_loads(const void *a, const void *b) {
  const PieceLoad *x = a, *y = b;
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  if (x->piece != y->piece)
    return x->piece < y->piece ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static bool
is_same_piece(const PieceLoad *a, const PieceLoad *b) {
  return a->handle == b->handle && a->base == b->base && a->piece == b->piece;
}

/* Moves loads of one piece up to the first ones that dominate them. Returns how many words. */
static unsigned
gather(NornFunction *function, const NornDominance *dominance, const PieceLoad *loads,
       uint32_t count, unsigned words_left) {
  unsigned moved = 0;
  for (uint32_t k = 1; k < count; k++) {
    uint32_t block = norn_inst(function, loads[k].inst)->block;
    unsigned words = (norn_access_bytes(norn_inst(function, loads[k].inst)) + 3) / 4;
    for (uint32_t j = 0; j < MIN(k, MAX_EARLIER) && moved + words <= words_left; j++) {
      const NornInst *earlier = norn_inst(function, loads[j].inst);
      if (earlier->block == block || !norn_dominates(dominance, earlier->block, block))
        continue;
      NornBuilder builder = norn_builder_before(function, earlier->next);
      norn_builder_insert(&builder, loads[k].inst);
      moved += words;
      break;
    }
  }
  return moved;
}

bool
norn_pass_gather_loads(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  PieceLoads loads = {0};
  if (dominance->order_count == 1)
    return true;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    norn_for_each_inst (function, dominance->order[i], inst) {
      PieceLoad load;
      if (!describe(function, inst, &load))
        continue;
      load.order = loads.count;
      norn_list_push(&context->arena, &loads, load);
    }
  if (loads.count > 1)
    qsort(loads.items, loads.count, sizeof *loads.items, compare_loads);
  unsigned left = MAX_WORDS;
  for (uint32_t first = 0, end; first < loads.count; first = end) {
    for (end = first + 1;
         end < loads.count && is_same_piece(&loads.items[first], &loads.items[end]);)
      end++;
    if (norn_pass_continues(context, 1))
      left -= gather(function, dominance, &loads.items[first], end - first, left);
  }
  norn_pass_report(context, left != MAX_WORDS);
  return true;
}
