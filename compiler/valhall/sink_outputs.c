/* Sink outputs: computes the colors of a later target after the BLEND of the target before it.
 *
 * The colors of all targets go through the same registers, r0 to r3, which blend shaders change. A
 * color that is already computed while another one is blended has to be kept elsewhere and moved.
 * Instructions that only later BLENDs need therefore sink below the BLEND before these, in their
 * old order, if they
 *
 * - only compute, and do not require that more words be kept across the BLEND than they save,
 *   except for a few for which there must be registers;
 * - or load a varying that is directly part of the color;
 * - or load any varying, if the values kept across the BLENDs would otherwise cost occupancy: only
 *   a few of the registers of the best occupancy are available to them.
 *
 * A block is walked from its end. The stage of an instruction is the number of BLENDs before it
 * when the pass is done; the stage of a value is the lowest stage of its users. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"
#include <string.h>

#define NO_STAGE UINT32_MAX
#define FEW_MORE_WORDS 2
#define SOME_MORE_WORDS 6

/* The number of contiguous registers of the best occupancy that are neither preloaded at a BLEND
 * nor changed by it. */
#define KEPT_REGISTERS (NORN_VALHALL_PRELOAD_COVERAGE - NORN_VALHALL_PRELOAD_LINK - 1)

/* For a value: the lowest and the highest stage of the users seen, and whether it is used to make a
 * color. */
typedef struct ValueStages {
  uint32_t min, max;
  bool is_color;
} ValueStages;

typedef struct OutputSinker {
  const NornTarget *target;
  NornFunction *function;
  ValueStages *values; /* by value */
  uint32_t *stages;    /* by instruction */
  unsigned more_words; /* kept across BLENDs in addition */
  unsigned max_more_words;
  bool is_small;    /* it would have the best occupancy without the BLENDs */
  bool sinks_loads; /* sinks all varying loads */
} OutputSinker;

static bool
is_blend(const NornInst *inst) {
  return inst->op == NORN_OP_MACHINE + NORN_VALHALL_BLEND;
}

static unsigned
words_of(const OutputSinker *sinker, uint32_t value) {
  return MAX(1, norn_type_words(norn_value(sinker->function, value)->type));
}

/* Records that an instruction of that stage reads its operands. */
static void
note_uses(const OutputSinker *sinker, const NornInst *inst, uint32_t stage) {
  norn_for_each_use (sinker->function, inst, use) {
    ValueStages *value = &sinker->values[use.value];
    value->min = MIN(value->min, stage);
    value->max = MAX(value->max, stage);
    value->is_color |= is_blend(inst) || inst->op == NORN_OP_COLLECT ||
                       (inst->op == NORN_OP_SPLIT && sinker->values[inst->result].is_color);
  }
}

/* The words of operands that no other instruction needs so late. */
static unsigned
words_kept_for(const OutputSinker *sinker, const NornInst *inst, uint32_t stage) {
  unsigned words = 0;
  norn_for_each_use (sinker->function, inst, use) {
    uint32_t value = use.value;
    if (sinker->values[value].max < stage)
      words += words_of(sinker, value);
  }
  return words;
}

static bool
is_varying_load(const NornTarget *target, const NornInst *inst) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  return encoding->flags & NORN_VALHALL_FLAG_VARYING &&
         norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_SOURCE_FORMAT);
}

/* Whether the instruction can and should be executed at that stage. */
static bool
can_sink(OutputSinker *sinker, const NornInst *inst, uint32_t stage) {
  unsigned saved = 0;
  if (inst->op == NORN_OP_COLLECT || inst->op == NORN_OP_SPLIT)
    return true;
  if (!norn_is_machine(inst) ||
      norn_valhall_encoding(sinker->target, inst)->flags & NORN_VALHALL_FLAG_CROSSLANE)
    return false;
  if (sinker->target->message(sinker->target, sinker->function, inst, NULL))
    return is_varying_load(sinker->target, inst) &&
           (sinker->sinks_loads || sinker->values[inst->result].is_color);
  for (unsigned k = 0; k < inst->result_count; k++)
    saved += words_of(sinker, inst->result + k);
  unsigned kept = words_kept_for(sinker, inst, stage) + sinker->more_words;
  if (kept > saved + sinker->max_more_words)
    return false;
  sinker->more_words = kept > saved ? kept - saved : 0;
  return true;
}

/* The stage of an instruction before the first BLEND. */
static uint32_t
stage_of(OutputSinker *sinker, const NornInst *inst) {
  uint32_t stage = NO_STAGE;
  for (unsigned k = 0; k < inst->result_count; k++)
    stage = MIN(stage, sinker->values[inst->result + k].min);
  return stage != NO_STAGE && stage && can_sink(sinker, inst, stage) ? stage : 0;
}

/* Finds the stages of instructions in a block with that many BLENDs. Returns whether any
 * instruction is to sink. */
static bool
find_stages(OutputSinker *sinker, uint32_t block, uint32_t blends) {
  const NornFunction *function = sinker->function;
  uint32_t after = blends; /* BLENDs before the instruction */
  bool any = false;
  for (uint32_t index = norn_block(function, block)->last; index != NORN_INDEX_NONE;
       index = norn_inst(function, index)->previous) {
    const NornInst *inst = norn_inst(function, index);
    after -= is_blend(inst);
    sinker->stages[index] = after ? after : stage_of(sinker, inst);
    any |= sinker->stages[index] > after;
    note_uses(sinker, inst, sinker->stages[index]);
  }
  return any;
}

/* Clears the uses and stages. */
static void
begin_stages(OutputSinker *sinker) {
  memset(sinker->values, 0, sinker->function->value_count * sizeof *sinker->values);
  for (uint32_t value = 0; value < sinker->function->value_count; value++)
    sinker->values[value].min = NO_STAGE;
  sinker->more_words = 0;
}

/* The number of words that instructions before the first BLEND compute for later ones. */
static unsigned
words_kept(const OutputSinker *sinker, uint32_t first_blend) {
  const NornFunction *function = sinker->function;
  unsigned words = 0;
  for (uint32_t index = norn_inst(function, first_blend)->previous; index != NORN_INDEX_NONE;
       index = norn_inst(function, index)->previous) {
    const NornInst *inst = norn_inst(function, index);
    for (unsigned k = 0; k < inst->result_count && inst->op != NORN_OP_PRELOAD; k++)
      if (!sinker->stages[index] && sinker->values[inst->result + k].max)
        words += words_of(sinker, inst->result + k);
  }
  return words;
}

/* Moves instructions before the first BLEND to the start of their stage. */
static void
sink(const OutputSinker *sinker, const uint32_t *blends) {
  NornFunction *function = sinker->function;
  for (uint32_t index = blends[0]; index != NORN_INDEX_NONE;) {
    uint32_t previous = norn_inst(function, index)->previous, stage = sinker->stages[index];
    if (stage) {
      NornBuilder builder = norn_builder_after(function, blends[stage - 1]);
      norn_builder_insert(&builder, index);
    }
    index = previous;
  }
}

static bool
is_small(NornPassContext *context, const NornFunction *function) {
  const NornLiveness *live;
  const NornPressure *pressure = norn_pass_pressure(context, function, &live);
  return !norn_counts_exceed(
      pressure->max,
      norn_regs_by_class(&context->target->registers, context->target->occupancies[0].registers));
}

/* Decides the stages of a block. Returns whether any instruction is to sink. */
static bool
choose_stages(OutputSinker *sinker, uint32_t block, const uint32_t *blends, uint32_t count) {
  /* From the one with the fewest moves to the one that keeps the fewest words. */
  static const struct {
    uint8_t max_more_words, spare; /* spare: registers that groups may leave unused */
    bool sinks_loads;
  } ways[] = {{SOME_MORE_WORDS, 2, false}, {FEW_MORE_WORDS, 0, false}, {FEW_MORE_WORDS, 0, true}};
  bool any = false;
  for (unsigned i = !sinker->is_small; i < G_N_ELEMENTS(ways); i++) {
    sinker->max_more_words = ways[i].max_more_words;
    sinker->sinks_loads = ways[i].sinks_loads;
    begin_stages(sinker);
    any = find_stages(sinker, block, count);
    if (!sinker->is_small || words_kept(sinker, blends[0]) + ways[i].spare <= KEPT_REGISTERS)
      return any;
  }
  return any;
}

bool
norn_valhall_sink_outputs(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  OutputSinker sinker = {.target = context->target, .function = function};
  bool any = false;
  norn_for_each_block (function, block) {
    uint32_t blends[NORN_COLOR_TARGETS], count = 0;
    norn_for_each_inst (function, block, index)
      if (is_blend(norn_inst(function, index)) && count < NORN_COLOR_TARGETS)
        blends[count++] = index;
    if (count < 2)
      continue;
    if (!sinker.values)
      sinker.is_small = is_small(context, function);
    sinker.values = NORN_NEW(&context->arena, ValueStages, function->value_count);
    sinker.stages = NORN_NEW0(&context->arena, uint32_t, function->inst_count);
    if (!choose_stages(&sinker, block, blends, count))
      continue;
    sink(&sinker, blends);
    any = true;
  }
  norn_pass_report(context, any);
  return true;
}
