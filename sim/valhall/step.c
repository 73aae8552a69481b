/* Valhall instructions on values: the simulator's actions, run in a warp whose registers are set
 * up for one instruction. Operands get their own registers in the order of the text, results the
 * registers after them. */
#include "sim/valhall/step.h"
#include "ir/assert.h"
#include "isa/registry.h"
#include "sim/valhall/preload.h"
#include "sim/valhall/program.h"
#include "sim/valhall/special.h"
#include "sim/valhall/warp.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <string.h>

G_STATIC_ASSERT(NORN_VALHALL_WARP <= NORN_STEP_LANES);
G_STATIC_ASSERT(NORN_VALHALL_STAGING <= NORN_STEP_WORDS);

struct NornMachineInst {
  NornValhallSimInstruction instruction;
};

struct NornStepper {
  NornValhallSimRun run;
  NornValhallSimWarp warp;
  GPtrArray *insts;
};

/* A step is instruction 0 of a program that is long enough for its branch to be taken. */
#define STEP_PROGRAM_LENGTH 16

static NornStepper *
create(unsigned architecture, const NornLaunch *launch, NornFtzMode ftz) {
  NornStepper *stepper = g_new0(NornStepper, 1);
  stepper->run.isa = &norn_isa_valhall;
  stepper->run.architecture = architecture;
  stepper->run.instruction_count = STEP_PROGRAM_LENGTH;
  stepper->run.launch = launch;
  stepper->run.ftz = ftz;
  norn_valhall_sample_positions(launch, stepper->run.sample_positions);
  stepper->warp.run = &stepper->run;
  stepper->insts = g_ptr_array_new_with_free_func(g_free);
  return stepper;
}

static void
destroy(NornStepper *stepper) {
  if (!stepper)
    return;
  g_ptr_array_free(stepper->insts, TRUE);
  g_free(stepper);
}

static const NornMachineInst *
decode(NornStepper *stepper, uint16_t instruction, uint64_t word, GError **error) {
  const NornValhallSimRun *run = &stepper->run;
  const NornIsaEncoding *encoding = norn_isa_encoding(run->isa, run->architecture, instruction);
  NornMachineInst *inst = g_new0(NornMachineInst, 1);
  g_ptr_array_add(stepper->insts, inst);
  inst->instruction.encoding = encoding;
  inst->instruction.word = word;
  if (encoding)
    return norn_valhall_decode_step(run->isa, &inst->instruction, error) ? inst : NULL;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                      "the instruction does not exist on this architecture");
  return NULL;
}

/* Blend descriptors are of the fixed-function kind, so BLEND jumps over the instructions that
 * would call a blend shader. */
static unsigned
jumped_over(const NornMachineInst *inst) {
  const NornValhallSimInstruction *instruction = &inst->instruction;
  return instruction->encoding->instruction == NORN_VALHALL_BLEND
             ? norn_valhall_field(instruction, NORN_VALHALL_FIELD_TARGET)
             : 0;
}

/* Copies `group` between the warp's registers and a value. */
static void
put_group(NornValhallSimWarp *warp, NornValhallSimGroup group,
          const uint32_t (*value)[NORN_VALHALL_WARP]) {
  NORN_ASSERT(group.first + group.count <= NORN_VALHALL_REGISTERS);
  for (unsigned i = 0; i < group.count; i++) {
    memcpy(warp->registers[group.first + i], value[i], sizeof value[i]);
    memset(warp->defined[group.first + i], 0xF, sizeof warp->defined[0]);
  }
}

static void
get_group(const NornValhallSimWarp *warp, NornValhallSimGroup group,
          uint32_t (*value)[NORN_VALHALL_WARP]) {
  for (unsigned i = 0; i < group.count; i++)
    memcpy(value[i], warp->registers[group.first + i], sizeof value[i]);
}

/* Copies the operands to registers, in the order of the text. */
static void
put_operands(NornValhallSimWarp *warp, const NornStepValue *operands) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  const NornIsaEncoding *encoding = instruction->encoding;
  unsigned source = 0;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    unsigned role = encoding->operands[i].role;
    if (role == NORN_ISA_OPERAND_SOURCE) {
      const NornValhallSimSource *s = &instruction->source[source++];
      put_group(warp, (NornValhallSimGroup){s->reg, s->words}, *operands++);
    } else if (role == NORN_ISA_OPERAND_STAGING_READ && instruction->staging_read.count) {
      put_group(warp, instruction->staging_read, *operands++);
    }
  }
}

static void
get_results(const NornValhallSimWarp *warp, NornStepValue *results) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  const NornIsaEncoding *encoding = instruction->encoding;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    unsigned role = encoding->operands[i].role;
    if (role == NORN_ISA_OPERAND_DESTINATION)
      get_group(warp, instruction->destination, *results++);
    else if (role == NORN_ISA_OPERAND_STAGING_WRITE && instruction->staging_write.count)
      get_group(warp, instruction->staging_write, *results++);
  }
}

/* Resets the warp to its state before anything was executed. */
static void
reset_warp(NornStepper *stepper, const NornStepLanes *lanes) {
  NornValhallSimWarp *warp = &stepper->warp;
  memset(warp->registers, 0, sizeof warp->registers);
  memset(warp->written, 0, sizeof warp->written);
  memset(warp->read, 0, sizeof warp->read);
  memset(warp->in_flight, 0, sizeof warp->in_flight);
  memset(warp->discarded, 0, sizeof warp->discarded);
  memset(warp->last_message, 0, sizeof warp->last_message);
  memset(warp->pending, 0, sizeof warp->pending);
  memcpy(warp->local, lanes->local, sizeof warp->local);
  warp->some_in_flight = warp->some_read = warp->some_discarded = 0;
  warp->message = 0;
  warp->alive = warp->active = (uint16_t)lanes->active;
  warp->helpers = (uint16_t)lanes->helpers;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++) {
    warp->thread[lane] = lanes->thread[lane] + 1;
    warp->pc[lane] = 1;
  }
  stepper->run.shared = lanes->shared;
  stepper->run.scratch = lanes->scratch;
  stepper->run.location = lanes->location;
  memcpy(stepper->run.workgroup, lanes->workgroup, sizeof stepper->run.workgroup);
}

/* The lanes that a branch moved away from the next instruction. */
static unsigned
lanes_taken(const NornValhallSimWarp *warp) {
  unsigned taken = 0;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    if (warp->pc[lane] != 1)
      taken |= 1u << lane;
  return taken;
}

static bool
step(NornStepper *stepper, const NornMachineInst *inst, const NornStepLanes *lanes,
     const NornStepValue *operands, NornStepValue *results, unsigned *taken, GError **error) {
  NornValhallSimWarp *warp = &stepper->warp;
  warp->instruction = &inst->instruction;
  reset_warp(stepper, lanes);
  put_operands(warp, operands);
  bool is_barrier = warp->instruction->encoding->instruction == NORN_VALHALL_BARRIER;
  if (!is_barrier && !warp->instruction->action(warp, error))
    return false;
  get_results(warp, results);
  *taken = lanes_taken(warp) | (warp->helpers & ~lanes->helpers);
  return true;
}

static bool
preload(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t local, unsigned reg,
        uint32_t *value) {
  NornValhallSimPreload preloaded = norn_valhall_preloaded(launch, workgroup, local, reg);
  *value = preloaded.value;
  return preloaded.defined != 0;
}

static bool
special(unsigned architecture, uint32_t number, unsigned lane, uint64_t *value, GError **error) {
  const NornIsa *isa = &norn_isa_valhall;
  NornValhallSimSource source = {.words = 2};
  char *fault =
      norn_valhall_decode_special(isa, NULL, isa->sources[architecture], number, 0, &source);
  *value = source.kind == NORN_VALHALL_SOURCE_LANE_ID ? lane : source.value;
  if (!fault)
    return true;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, fault);
  g_free(fault);
  return false;
}

const NornSimulator norn_valhall_simulator = {
    .lanes = NORN_VALHALL_WARP,
    .create = create,
    .destroy = destroy,
    .decode = decode,
    .jumped_over = jumped_over,
    .step = step,
    .preload = preload,
    .special = special,
};
