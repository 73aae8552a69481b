/* What observers see of the simulator: registers, uniform words, messages in flight. */
#include "sim/valhall/observe.h"
#include "sim/common/launch.h"
#include <norn/isa.h>
#include <string.h>

#define WARP(at) ((const NornValhallSimWarp *)(at)->state->warp)
#define INSTRUCTION(at) (WARP(at)->instruction)

static char *
text(const NornObservation *at) {
  char line[NORN_ISA_LINE], *comment;
  norn_isa_print(WARP(at)->run->isa, WARP(at)->run->architecture, INSTRUCTION(at)->word,
                 NORN_ISA_PRINT_NO_VERIFY, line);
  if ((comment = strstr(line, " ;")))
    *comment = 0;
  return g_strdup(line);
}

/* --- Values --- */

/* The registers of a group: "r4", "r4:r5". */
static bool
observe_group(const NornObservation *at, unsigned first, unsigned words, unsigned lanes,
              NornObservedValue *value) {
  const NornValhallSimWarp *warp = WARP(at);
  char *end = value->name;
  value->reg = (int)first;
  value->words = words;
  value->lanes = lanes;
  for (unsigned w = 0; w < words; w++) {
    end += g_snprintf(end, (gulong)(value->name + sizeof value->name - end), "%sr%u", w ? ":" : "",
                      first + w);
    memcpy(value->bits[w], warp->registers[first + w], sizeof value->bits[w]);
    memcpy(value->defined[w], warp->defined[first + w], sizeof value->defined[w]);
  }
  return true;
}

/* A source that is not a register has the same value in all lanes, except for the lane number. */
static bool
observe_source(const NornObservation *at, const NornIsaOperand *operand,
               const NornValhallSimSource *source, NornObservedValue *value) {
  const NornIsa *isa = WARP(at)->run->isa;
  const NornIsaEncoding *encoding = INSTRUCTION(at)->encoding;
  if (source->kind == NORN_VALHALL_SOURCE_REGISTER)
    return observe_group(at, source->reg, source->words_read == 1 ? 1 : source->words, at->active,
                         value);
  const NornIsaCode *code = norn_isa_operand_code(isa, encoding, operand, INSTRUCTION(at)->word);
  NornIsaText name = norn_isa_code_text(isa, encoding, operand, INSTRUCTION(at)->word, 0);
  value->role =
      code->kind == NORN_ISA_CODE_CONSTANT ? NORN_OBSERVED_CONSTANT : NORN_OBSERVED_SOURCE;
  if (name != NORN_ISA_TEXT_ILLEGAL)
    g_strlcpy(value->name, norn_isa_string(isa, name), sizeof value->name);
  value->words = source->words;
  value->lanes = at->active;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    norn_observed_set(value, 0, source->words, lane,
                      source->kind == NORN_VALHALL_SOURCE_LANE_ID ? lane : source->value, true);
  return true;
}

static bool
observe_result(const NornObservation *at, NornValhallSimGroup group, NornObservedValue *value) {
  value->role = NORN_OBSERVED_RESULT;
  return observe_group(at, group.first, group.count, at->active, value);
}

static bool
is_read(const NornIsaOperand *operand) {
  return operand->role == NORN_ISA_OPERAND_STAGING_READ ||
         operand->role == NORN_ISA_OPERAND_STAGING_BOTH;
}

static bool
is_written(const NornIsaOperand *operand) {
  return operand->role == NORN_ISA_OPERAND_STAGING_WRITE ||
         operand->role == NORN_ISA_OPERAND_STAGING_BOTH;
}

static bool
operand(const NornObservation *at, unsigned index, NornObservedValue *value) {
  const NornValhallSimInstruction *instruction = INSTRUCTION(at);
  const NornIsaEncoding *encoding = instruction->fault ? NULL : instruction->encoding;
  unsigned source = 0;
  for (unsigned i = 0; encoding && i < encoding->operand_count; i++) {
    const NornIsaOperand *self = &encoding->operands[i];
    if (self->role == NORN_ISA_OPERAND_SOURCE && source < instruction->source_count) {
      const NornValhallSimSource *read = &instruction->source[source++];
      if (!index--)
        return observe_source(at, self, read, value);
    } else if (is_read(self) && instruction->staging_read.count && !index--) {
      return observe_group(at, instruction->staging_read.first, instruction->staging_read.count,
                           at->active, value);
    }
  }
  for (unsigned i = 0; encoding && i < encoding->operand_count; i++) {
    const NornIsaOperand *self = &encoding->operands[i];
    if (self->role == NORN_ISA_OPERAND_DESTINATION && !index--)
      return observe_result(at, instruction->destination, value);
    if (is_written(self) && instruction->staging_write.count && !index--)
      return observe_result(at, instruction->staging_write, value);
  }
  return false;
}

static bool
find(const NornObservation *at, const char *name, NornObservedValue *value) {
  const NornLaunch *launch = WARP(at)->run->launch;
  guint64 number;
  if ((*name != 'r' && *name != 'u') ||
      !g_ascii_string_to_unsigned(name + 1, 10, 0, UINT16_MAX, &number, NULL))
    return false;
  if (*name == 'r')
    return number < NORN_VALHALL_REGISTERS &&
           observe_group(at, (unsigned)number, 1, at->alive, value);
  if (number >= launch->uniform_count)
    return false;
  g_strlcpy(value->name, name, sizeof value->name);
  value->words = 1;
  value->lanes = at->alive;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    norn_observed_set(value, 0, 1, lane, launch->uniforms[number], true);
  return true;
}

static void
in_flight(const NornObservation *at, unsigned slot, unsigned lane, uint64_t *written,
          uint64_t *read) {
  *written = WARP(at)->written[slot][lane];
  *read = WARP(at)->read[slot][lane];
}

static const NornObservedEngine engine = {text, operand, find, in_flight};

void
norn_valhall_observation_init(NornObservation *at, struct NornObservedState *state,
                              NornValhallSimWarp *warp) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  const NornValhallSimRun *run = warp->run;
  const NornLaunch *launch = run->launch;
  uint32_t invocations = norn_launch_invocations(launch);
  uint32_t warps = (invocations + NORN_VALHALL_WARP - 1) / NORN_VALHALL_WARP;
  *state = (struct NornObservedState){&engine, warp, NULL};
  *at = (NornObservation){
      .number = run->report.instructions,
      .warp = (warp->thread[0] - 1) / invocations * warps + warp->local[0] / NORN_VALHALL_WARP,
      .active = warp->active,
      .alive = warp->alive,
      .helpers = warp->helpers,
      .is_machine_code = true,
      .address = instruction->index * UINT64_C(8),
      .word = instruction->word,
      .slot = instruction->message || instruction->warp_message ? instruction->slot : -1,
      .waits = instruction->waits,
      .reconverges = instruction->reconverges,
      .ends = instruction->ends,
      .shared = run->shared,
      .shared_bytes = launch->shared_bytes,
      .scratch_bytes = launch->scratch_bytes,
      .state = state,
  };
  memcpy(at->workgroup, run->workgroup, sizeof at->workgroup);
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++) {
    at->invocation[lane] = warp->thread[lane] - 1;
    at->scratch[lane] = run->scratch + launch->scratch_bytes * warp->local[lane];
  }
}
