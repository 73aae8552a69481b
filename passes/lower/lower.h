/* Lowering: the functions of lower.c that the expansions in lower_*.c use. */
#ifndef NORN_PASSES_LOWER_LOWER_H
#define NORN_PASSES_LOWER_LOWER_H

#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define NORN_LOWER_OPERANDS 4

/* The instruction to be replaced, and where its replacement is inserted. */
typedef struct NornLowering {
  NornPassContext *context;
  NornModule *module;
  NornFunction *function;
  const bool *diverged; /* see norn_lower_find_diverged */
  NornBuilder builder;  /* inserts in place of the instruction */
  NornOp op;
  NornType type, source_type;
  unsigned modifier;
  NornRef a, b, c, d; /* its operands */
} NornLowering;

/* Inserts instructions before the current one and returns the value of its (first) result, or 0 if
 * there is no expansion for these types. If it has more results, *more receives the others. */
typedef NornRef (*NornLowerFunction)(NornLowering *lowering, NornRef *more);

/* The expansions of operations of each kind; NULL for all other operations. */
extern const NornLowerFunction norn_lower_integer[NORN_OP_COUNT];
extern const NornLowerFunction norn_lower_float[NORN_OP_COUNT];
extern const NornLowerFunction norn_lower_divide[NORN_OP_COUNT];
extern const NornLowerFunction norn_lower_lanes[NORN_OP_COUNT];
extern const NornLowerFunction norn_lower_memory[NORN_OP_COUNT];

/* Whether expansions can round as the operation requires: not to halves with ties away from zero if
 * subnormals are flushed. */
bool norn_lower_can_round(const NornModule *module, NornOp op, NornType type, unsigned modifier);
/* Whether the operation has an expansion, at least for some types. */
bool norn_lower_expands(NornOp op);
/* Whether the instruction computes in a type that the target lacks, and so is not expanded. */
bool norn_lower_is_missing(const NornTarget *target, const NornInst *inst);
/* Refuses to compile both parts of a vertex shader at once if the machine needs two programs. */
bool norn_check_vertex_part(const NornPassContext *context, GError **error);
/* The same, and erases the stores of the other part; fails if an instruction cannot be left out. */
bool norn_choose_vertex_part(NornPassContext *context, NornFunction *function, GError **error);

/* Splits large groups. Returns whether there were any. */
bool norn_lower_groups(NornPassContext *context, NornFunction *function);

/* By block: whether some lanes may execute it without the others. NULL if that may be the case
 * everywhere, or does not matter. */
bool *norn_lower_find_diverged(NornPassContext *context, NornFunction *function);

/* Replaces the ballots of all active lanes in blocks that have not diverged. Returns whether there
 * were any. */
bool norn_lower_full_ballots(const NornPassContext *context, NornFunction *function,
                             const bool *diverged, NornReplacements *replacements);

/* Inserts an instruction and returns its first result. Types and modifier are as the operation's
 * row requires; unused operands are 0. */
NornRef norn_lower_emit(NornLowering *lowering, NornOp op, NornType type, NornType source_type,
                        unsigned modifier, NornRef a, NornRef b, NornRef c);
/* A constant of the type, the same in every lane. */
NornRef norn_lower_constant(NornLowering *lowering, NornType type, uint64_t lane);
/* A packed value of these lanes. */
NornRef norn_lower_pack_lanes(NornLowering *lowering, NornType type, NornType lane,
                              const NornRef *parts);
/* The current operation, with one result, on each lane separately. */
NornRef norn_lower_by_lane(NornLowering *lowering);
/* The type of a lane. */
NornType norn_lower_lane_type(NornType type);
/* The two words of a 64-bit value. */
void norn_lower_split(NornLowering *lowering, NornRef value, NornRef words[2]);
NornRef norn_lower_join(NornLowering *lowering, NornRef low, NornRef high);

static inline unsigned
norn_lane_width(NornType type) {
  return norn_types[type].lane_bits;
}

/* Whether it is a scalar integer type smaller than a word. */
static inline bool
norn_is_narrow(NornType type) {
  return type == NORN_TYPE_I8 || type == NORN_TYPE_I16;
}

static inline bool
norn_is_packed(NornType type) {
  return norn_types[type].lanes > 1;
}

/* Operations of one type. */
static inline NornRef
norn_lower_one(NornLowering *lowering, NornOp op, NornType type, NornRef a) {
  return norn_lower_emit(lowering, op, type, NORN_TYPE_VOID, 0, a, 0, 0);
}

static inline NornRef
norn_lower_two(NornLowering *lowering, NornOp op, NornType type, NornRef a, NornRef b) {
  return norn_lower_emit(lowering, op, type, NORN_TYPE_VOID, 0, a, b, 0);
}

static inline NornRef
norn_lower_three(NornLowering *lowering, NornOp op, NornType type, NornRef a, NornRef b,
                 NornRef c) {
  return norn_lower_emit(lowering, op, type, NORN_TYPE_VOID, 0, a, b, c);
}

static inline NornRef
norn_lower_convert(NornLowering *lowering, NornOp op, NornType to, NornType from, NornRef a) {
  return norn_lower_emit(lowering, op, to, from, 0, a, 0, 0);
}

static inline NornRef
norn_lower_icmp(NornLowering *lowering, unsigned condition, NornType type, NornRef a, NornRef b) {
  return norn_lower_emit(lowering, NORN_OP_ICMP, type, NORN_TYPE_VOID, condition, a, b, 0);
}

static inline NornRef
norn_lower_fcmp(NornLowering *lowering, unsigned condition, NornType type, NornRef a, NornRef b) {
  return norn_lower_emit(lowering, NORN_OP_FCMP, type, NORN_TYPE_VOID, condition, a, b, 0);
}

#endif
