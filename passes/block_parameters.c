#include "passes/block_parameters.h"

typedef struct Removal {
  NornFunction *function;
  unsigned place;
} Removal;

bool
norn_for_each_edge_into(const NornFunction *function, const NornDominance *dominance,
                        uint32_t block, NornVisitEdge visit, void *data) {
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, block); k++) {
    uint32_t from = norn_predecessor(dominance, block, k);
    /* Several edges of one terminator may lead here; they come one after the other. */
    bool is_again = k && norn_predecessor(dominance, block, k - 1) == from;
    uint32_t terminator = norn_block_terminator(function, from);
    for (NornEdge edge = {0}; !is_again && norn_next_edge(function, terminator, &edge);) {
      uint32_t count = norn_inst(function, terminator)->operand_count;
      if (edge.block == block && !visit(data, terminator, &edge))
        return false;
      edge.next += norn_inst(function, terminator)->operand_count - count;
    }
  }
  return true;
}

void
norn_edge_append_argument(NornFunction *function, uint32_t terminator, const NornEdge *edge,
                          NornRef argument) {
  norn_inst_splice_operands(function, terminator, edge->operand + 1 + edge->argument_count, 0,
                            &argument, 1);
}

static bool
remove_argument(void *data, uint32_t terminator, const NornEdge *edge) {
  const Removal *removal = data;
  norn_inst_splice_operands(removal->function, terminator, edge->operand + 1 + removal->place, 1,
                            NULL, 0);
  return true;
}

void
norn_parameter_remove(NornFunction *function, const NornDominance *dominance, uint32_t parameter) {
  const NornValue *value = norn_value(function, parameter);
  uint32_t block = value->def;
  Removal removal = {function, value->index};
  norn_for_each_edge_into(function, dominance, block, remove_argument, &removal);
  norn_block_remove_parameter(function, block, removal.place);
}

uint32_t
norn_block_body(const NornFunction *function, uint32_t block) {
  uint32_t first = norn_block(function, block)->first;
  return norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY ? norn_inst(function, first)->next
                                                              : first;
}
