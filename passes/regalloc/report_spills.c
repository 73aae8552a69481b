/* Reports which values were spilled, how often, and why, if requested. */
#include "ir/machine.h"
#include "passes/regalloc/spill.h"

/* How often a value is stored, filled and rematerialized. */
typedef struct SpillCount {
  unsigned stores, fills, recomputed, depth;
} SpillCount;

static void
note_depth(const Spill *spill, uint32_t block, SpillCount *count) {
  count->depth = MAX(count->depth, spill->dominance->loop_depth[block]);
}

static void
count_event(const Spill *spill, const SpillEvent *event, SpillCount *counts) {
  SpillCount *count = &counts[event->value];
  switch (event->kind) {
  case SPILL_EVENT_FILL:
  case SPILL_EVENT_FILL_SAVED:
    *(norn_bit(spill->in_memory, event->value) ? &count->fills : &count->recomputed) += 1;
    break;
  case SPILL_EVENT_SAVE:
  case SPILL_EVENT_STORE_ARGUMENT:
    count->stores++;
    break;
  case SPILL_EVENT_KEEP_ARGUMENT:
    return;
  }
  note_depth(spill, norn_inst(spill->function, event->inst)->block, count);
}

/* Counts the store after the value's definition. */
static void
count_definition(const Spill *spill, uint32_t value, SpillCount *count) {
  if (!norn_bit(spill->in_memory, value) || norn_bit(spill->is_argument, value))
    return;
  count->stores++;
  note_depth(spill, norn_defining_block(spill->function, value), count);
}

/* Describes the value: its name and place in the source and the instruction that computes it (in
 * `text`). */
static void
describe(const Spill *spill, uint32_t value, GString *text, NornSpilledValue *report) {
  const NornFunction *function = spill->function;
  const NornValue *self = norn_value(function, value);
  report->name = self->name ? norn_string(function->module, self->name) : NULL;
  report->number = value;
  report->words = spill->words[value];
  if (self->is_parameter) {
    report->line = norn_block(function, self->def)->line;
    return;
  }
  const NornInst *inst = norn_inst(function, self->def);
  report->line = inst->line;
  const NornMachine *machine = function->module->machine;
  g_string_truncate(text, 0);
  if (norn_is_machine(inst))
    machine->print_mnemonic(machine, (uint16_t)(inst->op - NORN_OP_MACHINE), inst->payload, text);
  else
    g_string_append(text, norn_ops[inst->op].name);
  report->definition = text->str;
}

static void
explain(const Spill *spill, uint32_t value, NornSpilledValue *report) {
  const SpillCause *cause = &spill->cause[value];
  if (norn_bit(spill->is_argument, value)) {
    report->reason = NORN_SPILL_PARAMETER;
  } else if (cause->inst) {
    const NornInst *inst = norn_inst(spill->function, cause->inst - 1);
    report->reason = NORN_SPILL_FARTHEST;
    report->is_beyond_loop =
        spill->dominance->loop_depth[inst->block] && norn_is_beyond_loop(cause->distance);
    report->distance = report->is_beyond_loop ? 0 : cause->distance;
    report->needed_line = inst->line;
  } else {
    report->reason = NORN_SPILL_BLOCK;
  }
}

void
norn_spill_report(const Spill *spill) {
  const NornCompileOptions *options = spill->context->options;
  if (!options->spill_hook)
    return;
  g_autoptr(GString) text = g_string_new(NULL);
  SpillCount *counts = NORN_NEW0(spill->arena, SpillCount, spill->value_count);
  for (uint32_t i = 0; i < spill->events.count; i++)
    count_event(spill, &spill->events.items[i], counts);
  for (uint32_t value = 0; value < spill->value_count; value++) {
    SpillCount *count = &counts[value];
    count_definition(spill, value, count);
    if (!count->stores && !count->fills && !count->recomputed)
      continue;
    NornSpilledValue report = {.stores = count->stores,
                               .fills = count->fills,
                               .recomputed = count->recomputed,
                               .depth = count->depth};
    describe(spill, value, text, &report);
    explain(spill, value, &report);
    options->spill_hook(&report, options->spill_data);
  }
}
