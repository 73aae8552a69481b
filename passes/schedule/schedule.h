/* List scheduling of blocks: what the passes that order instructions share.
 *
 * A region is a run of instructions that may pass each other. Its nodes, in the old order, are
 * ordered by edges: those of values, before registers are allocated, or of registers, and those of
 * memory accesses that conflict (ir/analysis/alias.h). */
#ifndef NORN_PASSES_SCHEDULE_SCHEDULE_H
#define NORN_PASSES_SCHEDULE_SCHEDULE_H

#include "ir/analysis/pressure.h"
#include "passes/pass.h"

typedef struct DependenceEdge {
  uint32_t to, next; /* next: edge + 1 */
  uint16_t latency;
} DependenceEdge;

/* A value that an instruction reads and that dies in the block, and by how many operands. */
typedef struct Use {
  uint32_t value;
  uint32_t count; /* operands that are it */
} Use;

/* A node that reads a register, or a value. */
typedef struct Reader {
  uint32_t node, next; /* next: reader + 1 */
} Reader;

/* Who has accessed a register so far. */
typedef struct RegisterAccess {
  uint32_t writer;  /* the last one: node + 1 */
  uint32_t readers; /* those since: reader + 1 */
} RegisterAccess;

typedef struct Node {
  uint32_t inst;
  uint32_t first_use, use_count; /* in `uses` */
  NornRegisterCounts taken;      /* pressure of the results that anything uses */
  NornRegisterCounts unused;     /* and of the others */
  uint32_t first_edge;           /* edge + 1 */
  uint32_t waiting;              /* predecessors not scheduled */
  uint32_t height;               /* latency to the end of the region; or what rank stands for */
  uint32_t start;                /* latency from the start of the region */
  uint32_t depth;                /* nodes that come before it, one needing the other; for ranks */
  uint32_t ready;                /* time at which the operands should be there */
  uint32_t position;             /* in the heap that holds it */
  uint32_t group;                /* the collect that it is or reads, or NORN_INDEX_NONE */
  bool is_scheduled;
} Node;

/* How the nodes between two full stops are ordered. */
typedef struct ScheduleRegion {
  unsigned step;   /* 0: time counts first; else registers do, the more the greater the step */
  bool is_crowded; /* where time counts first, it passes the limit */
  bool is_over;    /* as it was ordered last, it passes the limit */
} ScheduleRegion;

typedef struct Schedule {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornLiveness *live;
  const NornPressure *needs;
  NornRegisterCounts comfortable; /* pressure beyond which registers count more than time */
  NornRegisterCounts limit;       /* pressure that must not be passed */
  uint32_t block;
  NORN_LIST(ScheduleRegion) regions; /* of the block */
  uint32_t region;                   /* the one that is ordered */
  NORN_LIST(Node) nodes;             /* of the region */
  NORN_LIST(DependenceEdge) edges;
  NORN_LIST(Use) uses;                          /* those of the nodes */
  RegisterAccess registers[NORN_MAX_REGISTERS]; /* by nodes; if they are allocated */
  NORN_LIST(Reader) readers;
  uint32_t unit_free[NORN_MAX_UNITS]; /* when it has executed what was given to it */
  bool is_allocated;                  /* registers order instructions, and count no more */
  bool counts_units;                  /* messages that queue for a unit come back later */
  bool is_tight;                      /* registers count first in the region */
  bool by_old_order;                  /* then: what stood first comes first, not by ranks */
  bool finishes_chains;    /* where time counts first: of nodes of nearly the same height,
                              the one nearest to the end comes first */
  bool is_draining;        /* then: what has been started is used up first */
  unsigned budget;         /* if so: registers to fill with what is needed later */
  uint32_t last_group;     /* the last one read in the region, or NORN_INDEX_NONE */
  NornIndexList order;     /* instructions of the block as scheduled so far */
  NornIndexList available; /* heap of nodes by height */
  NornIndexList pending;   /* heap of nodes by time */
  NornAccessSet accesses;  /* of the region; their tags are nodes */
  uint32_t *node_of;       /* per instruction: node + 1 in the current region */
  uint32_t *use_at;        /* per value: where it is in `uses`, if that is so */
  uint32_t *parameter_of;  /* per value: the parameter + 1 that it is on a back edge */
  uint32_t *readers_of; /* per value: 0 if it is no such parameter; else the last of those that read
                           it in the region, reader + 1, + 1 */
  uint32_t *uses_left;  /* per value that dies in the block */
  uint32_t *words_left; /* per split: words of the group that are not dead, once it is scheduled */
  NornRegisterCounts pressure;
  NornRegisterCounts peak;        /* in the block */
  NornRegisterCounts region_peak; /* since the region began */
  NornRegisterCounts whole;       /* of this, values of several words, and words of split groups */
  NornRegisterCounts holes;       /* room of the dead words of groups that are not all dead */
  NornRegisterCounts crowding;    /* pressure, and holes that nothing else fills */
  uint64_t length;        /* estimated cycles of a warp alone in the block as ordered so far */
  unsigned short_latency; /* shorter ones count as 1 */
  unsigned margin;        /* one in so many registers is left free */
  uint64_t random;        /* 0: no chaos */
  uint64_t seed;          /* of changes to heights; 0: none */
} Schedule;

static inline Node *
norn_schedule_node(const Schedule *schedule, uint32_t index) {
  NORN_ASSERT(index < schedule->nodes.count);
  return &schedule->nodes.items[index];
}

/* Pressure of those uses after which a value is dead. */
static inline NornRegisterCounts
norn_schedule_freed_by(const Schedule *schedule, uint32_t first, unsigned count) {
  NornRegisterCounts freed = {{0}};
  for (unsigned k = 0; k < count; k++) {
    const Use *use = &schedule->uses.items[first + k];
    if (schedule->uses_left[use->value] == use->count)
      freed = norn_counts_plus(freed, norn_pressure_of(schedule->needs, use->value));
  }
  return freed;
}

/* --- choose_node.c --- */

/* Takes the next node of the region out of the heap that it is in; `first` is the first one that is
 * not scheduled, *now the time, which passes if the node has to be waited for. */
uint32_t norn_schedule_choose(Schedule *schedule, uint32_t first, uint32_t *now);

/* --- dependence_graph.c: the graph of a region --- */

/* Orders node `index` after those before it that it depends on; `message` describes what it does to
 * memory, NULL: it is no message. */
void norn_schedule_add_edges(Schedule *schedule, uint32_t index, const NornMessage *message);

/* Finds the heights of all nodes. */
void norn_schedule_find_heights(Schedule *schedule);

/* Gives each node the greater a height, the sooner what reads values last needs it: the region's
 * last readers in the old order, each after all that it is computed from. */
void norn_schedule_find_ranks(Schedule *schedule);

/* Forgets nodes and edges. */
void norn_schedule_clear_graph(Schedule *schedule);

/* --- schedule.c --- */

/* A schedule of no block; the tuning says what is not as usual. */
Schedule norn_schedule_new(NornPassContext *context, NornFunction *function);

/* Orders the blocks, in which no limit of registers counts if they are allocated. */
void norn_schedule_blocks(Schedule *schedule);

#endif
