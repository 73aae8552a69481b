/* List scheduling of blocks: shared by the passes that order instructions.
 *
 * A region is a run of instructions that may pass each other. Its nodes, numbered in the old order,
 * are connected by edges: dependences through values, before register allocation, or through
 * registers, and between memory accesses that conflict (ir/analysis/alias.h). */
#ifndef NORN_PASSES_SCHEDULE_SCHEDULE_H
#define NORN_PASSES_SCHEDULE_SCHEDULE_H

#include "ir/analysis/pressure.h"
#include "passes/pass.h"

typedef struct DependenceEdge {
  uint32_t to, next; /* next: edge + 1 */
  uint16_t latency;
} DependenceEdge;

/* The nodes that read a value and are not scheduled, if the value dies in the block. */
typedef struct ReadersLeft {
  uint32_t count;
  uint32_t nodes; /* exclusive or of them, so that the last one is known */
} ReadersLeft;

/* A node that reads a register or a loop parameter. */
typedef struct Reader {
  uint32_t node, next; /* next: reader + 1 */
} Reader;

/* The accesses to a register so far. */
typedef struct RegisterAccess {
  uint32_t writer;  /* the last one: node + 1 */
  uint32_t readers; /* those since: reader + 1 */
} RegisterAccess;

typedef struct Node {
  uint32_t inst;
  uint32_t first_use, use_count; /* in Schedule.uses */
  NornRegisterCounts taken;      /* pressure of the results that have uses */
  NornRegisterCounts unused;     /* pressure of the other results */
  uint32_t first_edge;           /* edge + 1 */
  uint32_t predecessors;
  uint32_t start; /* latency from the start of the region */
  uint32_t depth; /* length of the chain of operands in the region; for ranks */
  uint32_t rank;  /* 0: not known */
  uint32_t group; /* the collect that the node is or reads, or NORN_INDEX_NONE */
  /* In the current order: */
  NornRegisterCounts freed; /* pressure of the values that no other node left reads */
  uint32_t waiting;         /* predecessors not scheduled */
  uint32_t height;          /* latency to the end of the region, or the rank */
  uint32_t ready;           /* time at which the operands should be available */
  uint32_t position;        /* in the heap that holds it */
  bool is_scheduled;
} Node;

/* The nodes between two full stops, and how they are ordered. */
typedef struct ScheduleRegion {
  uint32_t first, end; /* nodes; the full stop is at `end` */
  bool has_ranks;
  unsigned step;   /* 0: for time; else for registers, the more strictly the higher the step */
  bool is_crowded; /* exceeds the limit when ordered for time */
  bool is_over;    /* exceeds the limit in its latest order */
} ScheduleRegion;

typedef struct Schedule {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornLiveness *live;
  const NornPressure *needs;
  NornRegisterCounts comfortable; /* beyond this pressure, registers count more than time */
  NornRegisterCounts limit;       /* pressure that must not be exceeded */
  uint32_t block;
  NORN_LIST(ScheduleRegion) regions; /* of the block */
  NORN_LIST(Node) nodes;             /* of the block, the full stops included */
  NORN_LIST(DependenceEdge) edges;
  NornIndexList uses; /* values that die in the block, once for each node that reads them */
  RegisterAccess registers[NORN_MAX_REGISTERS]; /* after allocation: of the region */
  NORN_LIST(Reader) readers;                    /* of the region */
  uint32_t unit_free[NORN_MAX_UNITS];           /* when it has executed everything queued */
  bool is_allocated;       /* registers order instructions; pressure is not counted */
  bool counts_units;       /* messages that queue for a unit complete later */
  bool is_tight;           /* registers come first in the region */
  bool by_old_order;       /* if so: in the old order instead of by rank */
  bool finishes_chains;    /* if time comes first: of nodes of nearly the same height, the one
                            * nearest to the end comes first */
  bool is_draining;        /* if tight: what has been started is used up first */
  unsigned budget;         /* if tight: registers to fill with values started early */
  uint32_t last_group;     /* the group last read in the region, or NORN_INDEX_NONE */
  NornIndexList order;     /* instructions of the block as scheduled so far */
  NornIndexList *kept;     /* by block: its order within the limit if it is known, else empty */
  NornIndexList available; /* heap of nodes by height */
  NornIndexList pending;   /* heap of nodes by time */
  NornAccessSet accesses;  /* of the region; their tags are nodes */
  NornIndexList merged; /* nodes: what conflicts with an access of `merged_tag` comes after them */
  uint32_t merged_tag;  /* NORN_INDEX_NONE: there are none */
  uint32_t *node_of;    /* by instruction: its node, if it has one in the block */
  uint32_t *use_at;     /* by value: its last index in `uses`, if it is there */
  uint32_t *parameter_of;    /* by value: the parameter + 1 that it is passed to on a back edge */
  uint32_t *readers_of;      /* by value: 1 + (last reader in the region + 1, or 0); 0: not such a
                              * parameter */
  ReadersLeft *readers_left; /* by value */
  uint32_t *words_left;      /* by split: live words of the group, once it is scheduled */
  NornRegisterCounts pressure;
  NornRegisterCounts peak;        /* in the block */
  NornRegisterCounts region_peak; /* since the region began */
  NornRegisterCounts whole;       /* of it: values of several words, words of split groups */
  NornRegisterCounts holes;       /* the dead words of groups that are not all dead */
  NornRegisterCounts crowding;    /* pressure, plus holes that no other value fills */
  uint64_t length;        /* estimated cycles of a single warp in the block as ordered so far */
  unsigned short_latency; /* shorter latencies count as 1 */
  unsigned margin;        /* 1 / margin of the registers is left free */
  uint64_t random;        /* 0: no chaos */
  uint64_t seed;          /* for changes to heights; 0: none */
} Schedule;

static inline Node *
norn_schedule_node(const Schedule *schedule, uint32_t index) {
  NORN_ASSERT(index < schedule->nodes.count);
  return &schedule->nodes.items[index];
}

/* --- choose_node.c --- */

/* Removes the next node of the region from its heap and returns it. `first` is the first node not
 * scheduled; *now, the time, advances if the node has to be waited for. */
uint32_t norn_schedule_choose(Schedule *schedule, uint32_t first, uint32_t *now);

/* --- dependence_graph.c: the graphs of a block's regions --- */

/* Divides the block into regions and makes their graphs. */
void norn_schedule_begin_block(Schedule *schedule, uint32_t block);

/* Computes the heights of the region's nodes. */
void norn_schedule_find_heights(Schedule *schedule, const ScheduleRegion *region);

/* Ranks the region's nodes, the higher the sooner the region's last readers, in the old order, need
 * them. Each last reader comes after everything that it is computed from. */
void norn_schedule_find_ranks(Schedule *schedule, const ScheduleRegion *region);

/* --- schedule.c --- */

/* Creates a schedule without a block, with parameters from the tuning. */
Schedule norn_schedule_new(NornPassContext *context, NornFunction *function);

/* Orders all blocks. No register limit applies after allocation. */
void norn_schedule_blocks(Schedule *schedule);

#endif
