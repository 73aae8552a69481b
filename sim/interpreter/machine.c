/* Machine instructions inside a module: values are passed to the machine's own simulator as 32-bit
 * words, one instruction at a time.
 *
 * Undefined operands count as 0 there, and results are always defined. Messages complete at
 * once; slots, waits, flow and registers play no part. */
#include "sim/interpreter/machine.h"
#include "ir/assert.h"
#include "ir/ops.h"
#include "sim/common/launch.h"
#include "sim/interpreter/state.h"
#include <string.h>

struct NornMachineStep {
  const NornMachineInst *inst;
  char *location; /* start of messages: where it is, and ": " */
  NornMachineShape shape;
  uint8_t group_operands, group_results; /* bit k: words are kept in separate slots */
  uint32_t jumped_over; /* number of following instructions that are not executed */
};

/* --- Decoding --- */

void
norn_machine_step_free(NornMachineStep *machine) {
  g_free(machine->location);
  g_free(machine);
}

static bool
is_group(NornType type) {
  return norn_types[type].class == NORN_CLASS_GROUP;
}

static NornType
operand_type(const NornStep *step, unsigned k) {
  NornRef ref = norn_operand(step->function, step->inst, k);
  return norn_ref_kind(ref) == NORN_REF_VALUE
             ? norn_value(step->function, norn_ref_payload(ref))->type
             : norn_operand_type(step->function, step->inst, k);
}

static void
find_groups(const NornStep *step, NornMachineStep *machine) {
  const NornInst *inst = norn_step_inst(step);
  for (unsigned k = 0; k < machine->shape.operand_count && k < inst->operand_count; k++)
    machine->group_operands |= (uint8_t)(is_group(operand_type(step, k)) << k);
  for (unsigned k = 0; k < machine->shape.result_count && k < inst->result_count; k++)
    machine->group_results |=
        (uint8_t)(is_group(norn_value(step->function, inst->result + k)->type) << k);
}

uint32_t
norn_machine_step_jumped_over(const NornMachineStep *machine) {
  return machine->jumped_over;
}

bool
norn_program_decode_machine(NornProgram *program, const NornLaunch *launch, NornStep *step,
                            GError **error) {
  const NornModule *module = program->module;
  const NornInst *inst = norn_step_inst(step);
  if (!program->simulator) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                "instructions of %s cannot be interpreted", module->machine->name);
    return false;
  }
  if (!program->stepper)
    program->stepper = program->simulator->create(module->machine->architecture, launch,
                                                  norn_launch_ftz(launch, module->denormals));
  NornMachineStep *machine = g_new0(NornMachineStep, 1);
  g_ptr_array_add(program->machine_steps, machine);
  if (!program->locations)
    program->locations = norn_locations_new(module);
  machine->location = g_strconcat(
      norn_location(program->locations, step->function, inst->block, step->inst), ": ", NULL);
  norn_inst_shape(module, inst, &machine->shape);
  find_groups(step, machine);
  machine->inst = program->simulator->decode(
      program->stepper, (uint16_t)(inst->op - NORN_OP_MACHINE), inst->payload, error);
  step->machine = machine;
  if (machine->inst && program->simulator->jumped_over)
    machine->jumped_over = program->simulator->jumped_over(machine->inst);
  return machine->inst != NULL;
}

/* --- Words --- */

/* The words of a value in all lanes: one slot for each word of a group, otherwise the halves of
 * one slot. */
static void
read_words(const NornWarp *warp, uint32_t slot, bool is_group, unsigned words,
           NornStepValue value) {
  for (unsigned word = 0; word < words; word++) {
    const uint64_t *lanes = norn_warp_slot(warp, is_group ? slot + word : slot);
    unsigned shift = is_group ? 0 : 32 * word;
    for (unsigned lane = 0; lane < NORN_LANES; lane++)
      value[word][lane] = (uint32_t)(lanes[lane] >> shift);
  }
}

static void
write_words(NornWarp *warp, uint32_t slot, bool is_group, unsigned words, unsigned active,
            NornStepValue value) {
  for (unsigned word = 0; word < words; word++) {
    uint32_t target = is_group ? slot + word : slot;
    norn_for_each_lane(active, lane) {
      uint64_t *bits = &norn_warp_slot(warp, target)[lane];
      if (is_group || word == 0)
        *bits = value[word][lane];
      else
        *bits |= (uint64_t)value[word][lane] << 32;
    }
    norn_warp_set_undefined(warp, target, active, 0);
  }
}

/* --- Steps --- */

static NornStepLanes
step_lanes(const NornWarp *warp, const NornStep *step, unsigned active) {
  NornStepLanes lanes = {.active = active,
                         .helpers = warp->helpers,
                         .shared = warp->run->shared,
                         .scratch = warp->scratch,
                         .location = step->machine->location};
  memcpy(lanes.workgroup, warp->run->workgroup, sizeof lanes.workgroup);
  for (unsigned lane = 0; lane < NORN_LANES; lane++) {
    lanes.thread[lane] = warp->first + lane;
    lanes.local[lane] = lane;
  }
  return lanes;
}

/* Executes the instruction; *taken gets the lanes that a branch sends to its first block. */
static bool
run_machine(NornWarp *warp, const NornStep *step, unsigned active, unsigned *taken,
            GError **error) {
  const NornMachineStep *machine = step->machine;
  const NornMachineShape *shape = &machine->shape;
  NornStepValue operands[NORN_MACHINE_OPERANDS] = {0}, results[NORN_MACHINE_OPERANDS];
  NORN_ASSERT(shape->operand_count <= NORN_MACHINE_OPERANDS &&
              shape->result_count <= NORN_MACHINE_OPERANDS);
  for (unsigned k = 0; k < step->operand_count && k < shape->operand_count; k++)
    read_words(warp, norn_step_operand(warp, step, k), machine->group_operands >> k & 1,
               shape->operand_words[k], operands[k]);
  NornStepLanes lanes = step_lanes(warp, step, active);
  if (!warp->run->program->simulator->step(warp->run->program->stepper, machine->inst, &lanes,
                                           (const NornStepValue *)operands, results, taken, error))
    return false;
  for (unsigned k = 0; k < step->result_count && k < shape->result_count; k++)
    write_words(warp, norn_step_result(warp, step, k), machine->group_results >> k & 1,
                shape->result_words[k], active, results[k]);
  return true;
}

bool
norn_step_machine(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  unsigned discarded;
  if (!run_machine(warp, step, active, &discarded, error))
    return false;
  warp->helpers |= discarded & active;
  return true;
}

bool
norn_step_machine_branch(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  unsigned taken;
  if (!run_machine(warp, step, active, &taken, error))
    return false;
  taken = step->edge_count == 1 ? active : taken & active;
  norn_warp_take_branch(warp, step, active, taken);
  return true;
}

bool
norn_step_preload(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  (void)error;
  const NornSimulator *simulator = run->program->simulator;
  unsigned reg = (unsigned)norn_step_lanes(warp, step, 0)[0], undefined = 0;
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    uint32_t value = 0;
    bool known = simulator &&
                 simulator->preload(run->launch, run->workgroup, warp->first + lane, reg, &value);
    result[lane] = value;
    undefined |= (unsigned)!known << lane;
  }
  norn_warp_set_undefined(warp, norn_step_result(warp, step, 0), active, undefined);
  return true;
}
