/* Runs words of the made-up machine.
 *
 * Lanes at one address form a group, which continues until an instruction says reconverge or
 * end. Then the group at the lowest address continues, with all lanes that are there. The
 * results of a message are available when its slot has been waited for: until then its registers
 * cannot be read. */
#include "toy_simulator.h"
#include "toy_target.h"
#include <norn/toy.h>
#include <string.h>

extern const NornIsa norn_isa_toy;

enum { NOWHERE = UINT32_MAX, STEP_LIMIT = 1000000, SPILL_BYTES = 4096 };

/* A register: its contents, and the slot that a message to it signals. */
typedef struct Register {
  uint32_t value;
  bool is_defined;
  uint8_t waits; /* slot + 1 */
} Register;

typedef struct Lane {
  Register registers[TOY_REGISTERS + TOY_CONDITIONS];
  uint8_t spilled[SPILL_BYTES];
  uint32_t at; /* instruction, or NOWHERE: ended */
} Lane;

typedef struct Simulator {
  const ToyLaunch *launch;
  Lane lanes[TOY_LANES];
  NornIsaDecoded inst;
  char *problem;
} Simulator;

G_GNUC_PRINTF(2, 3)
static void
complain(Simulator *simulator, const char *format, ...) {
  if (simulator->problem)
    return;
  va_list arguments;
  va_start(arguments, format);
  simulator->problem = g_strdup_vprintf(format, arguments);
  va_end(arguments);
}

static uint32_t
field(const Simulator *simulator, unsigned number) {
  return norn_isa_decoded_get(&simulator->inst, number);
}

/* --- Registers --- */

static uint32_t
read_register(Simulator *simulator, Lane *lane, unsigned number, bool is_last) {
  if (number >= TOY_REGISTERS + TOY_CONDITIONS) {
    complain(simulator, "register %u does not exist", number);
    return 0;
  }
  Register *reg = &lane->registers[number];
  if (reg->waits)
    complain(simulator, "register %u is read at %u before slot %u is waited for", number, lane->at,
             reg->waits - 1);
  else if (!reg->is_defined)
    complain(simulator, "register %u is read at %u but holds nothing", number, lane->at);
  if (is_last)
    reg->is_defined = false;
  return reg->value;
}

static void
write_register(Simulator *simulator, Lane *lane, unsigned number, uint32_t value, unsigned waits) {
  if (number >= TOY_REGISTERS + TOY_CONDITIONS) {
    complain(simulator, "register %u does not exist", number);
    return;
  }
  if (lane->registers[number].waits)
    complain(simulator, "register %u is written at %u before its slot is waited for", number,
             lane->at);
  lane->registers[number] = (Register){value, true, (uint8_t)waits};
}

/* Source 0 or 1: one word, or two as sources 0 and 1 of pairs. */
static uint64_t
source(Simulator *simulator, Lane *lane, unsigned number, unsigned words) {
  uint32_t code = field(simulator, number);
  bool is_last = code >= TOY_REGISTERS;
  uint64_t value = 0;
  for (unsigned k = words; k--;)
    value = value << 32 | read_register(simulator, lane, code % TOY_REGISTERS + k, is_last);
  return value;
}

static bool
condition(Simulator *simulator, Lane *lane, unsigned number) {
  uint32_t code = field(simulator, number);
  return read_register(simulator, lane, TOY_FIRST_CONDITION + code % TOY_CONDITIONS,
                       code >= TOY_CONDITIONS) &
         1;
}

/* --- Instructions --- */

static bool
compare(uint32_t relation, uint32_t a, uint32_t b) {
  switch (relation) {
  case NORN_TOY_RELATION_EQ:
    return a == b;
  case NORN_TOY_RELATION_NE:
    return a != b;
  case NORN_TOY_RELATION_ULT:
    return a < b;
  case NORN_TOY_RELATION_ULE:
    return a <= b;
  case NORN_TOY_RELATION_SLT:
    return (int32_t)a < (int32_t)b;
  default:
    return (int32_t)a <= (int32_t)b;
  }
}

static uint32_t
compute(unsigned instruction, uint32_t a, uint32_t b) {
  switch (instruction) {
  case NORN_TOY_ADD:
    return a + b;
  case NORN_TOY_SUB:
    return a - b;
  case NORN_TOY_MUL:
    return a * b;
  case NORN_TOY_AND:
    return a & b;
  case NORN_TOY_OR:
    return a | b;
  case NORN_TOY_XOR:
    return a ^ b;
  case NORN_TOY_SHL:
    return a << b % 32;
  case NORN_TOY_SAR:
    return (uint32_t)((int32_t)a >> b % 32);
  default:
    return a >> b % 32;
  }
}

/* The bytes at an address, or NULL. */
static uint8_t *
bytes_at(Simulator *simulator, Lane *lane, uint64_t address, unsigned size) {
  const ToyLaunch *launch = simulator->launch;
  if (address >= launch->address && address - launch->address <= launch->size - size)
    return launch->memory + (address - launch->address);
  complain(simulator, "no memory at 0x%" G_GINT64_MODIFIER "X, accessed at %u", (guint64)address,
           lane->at);
  return NULL;
}

static uint8_t *
spilled_at(Simulator *simulator, Lane *lane, int64_t offset, unsigned size) {
  if (offset >= 0 && offset + size <= simulator->launch->spill_bytes &&
      offset / TOY_PIECE_BYTES == (offset + size - 1) / TOY_PIECE_BYTES)
    return lane->spilled + offset;
  complain(simulator, "a spilled value at %d, accessed at %u, is not in one piece", (int)offset,
           lane->at);
  return NULL;
}

static void
access_memory(Simulator *simulator, Lane *lane, unsigned instruction) {
  bool is_condition = instruction == NORN_TOY_PFILL || instruction == NORN_TOY_PSPILL;
  bool is_load =
      instruction == NORN_TOY_LOAD || instruction == NORN_TOY_FILL || instruction == NORN_TOY_PFILL;
  unsigned words =
      !is_condition && field(simulator, NORN_TOY_FIELD_WORDS) == NORN_TOY_WORDS_I64 ? 2 : 1;
  unsigned first = is_condition ? TOY_FIRST_CONDITION + field(simulator, NORN_TOY_FIELD_PSTAGING)
                                : field(simulator, NORN_TOY_FIELD_STAGING);
  int64_t offset = (int64_t)(field(simulator, NORN_TOY_FIELD_OFFSET) ^ 0x800) - 0x800;
  uint8_t *bytes =
      instruction == NORN_TOY_LOAD || instruction == NORN_TOY_STORE
          ? bytes_at(simulator, lane,
                     source(simulator, lane, NORN_TOY_FIELD_SOURCE0, 2) + (uint64_t)offset,
                     4 * words)
          : spilled_at(simulator, lane, offset, 4 * words);
  for (unsigned k = 0; k < words && bytes; k++) {
    uint32_t value;
    if (is_load) {
      memcpy(&value, bytes + 4 * k, sizeof value);
      write_register(simulator, lane, first + k, value, 1 + field(simulator, NORN_TOY_FIELD_SLOT));
    } else {
      value = read_register(simulator, lane, first + k, false);
      memcpy(bytes + 4 * k, &value, sizeof value);
    }
  }
}

static void
write_pair(Simulator *simulator, Lane *lane, uint64_t value) {
  unsigned first = field(simulator, NORN_TOY_FIELD_DESTINATION);
  write_register(simulator, lane, first, (uint32_t)value, 0);
  write_register(simulator, lane, first + 1, (uint32_t)(value >> 32), 0);
}

static void
write_condition(Simulator *simulator, Lane *lane, bool value) {
  unsigned number = field(simulator, NORN_TOY_FIELD_CONDITION_DESTINATION);
  write_register(simulator, lane, TOY_FIRST_CONDITION + number, value, 0);
}

static uint32_t
uniform(Simulator *simulator, uint32_t number) {
  if (number < simulator->launch->uniform_count)
    return simulator->launch->uniforms[number];
  complain(simulator, "uniform word %u does not exist", number);
  return 0;
}

static void
run_arithmetic(Simulator *simulator, Lane *lane, unsigned instruction) {
  uint64_t a = 0, b = 0;
  bool is_wide = instruction == NORN_TOY_ADD64 || instruction == NORN_TOY_SHLADD;
  if (instruction != NORN_TOY_MOVI && instruction != NORN_TOY_UNIFORM) {
    /* Both are read before the first one is dropped. */
    a = source(simulator, lane, NORN_TOY_FIELD_SOURCE0, is_wide ? 2 : 1);
    if (instruction != NORN_TOY_MOV)
      b = source(simulator, lane, NORN_TOY_FIELD_SOURCE1, instruction == NORN_TOY_ADD64 ? 2 : 1);
  }
  uint32_t result;
  switch (instruction) {
  case NORN_TOY_MOV:
    result = (uint32_t)a;
    break;
  case NORN_TOY_MOVI:
    result = field(simulator, NORN_TOY_FIELD_CONSTANT);
    break;
  case NORN_TOY_UNIFORM:
    result = uniform(simulator, field(simulator, NORN_TOY_FIELD_CONSTANT));
    break;
  case NORN_TOY_ADD64:
    write_pair(simulator, lane, a + b);
    return;
  case NORN_TOY_SHLADD:
    write_pair(simulator, lane, a + (b << field(simulator, NORN_TOY_FIELD_SHIFT)));
    return;
  case NORN_TOY_COMPARE:
    write_condition(simulator, lane,
                    compare(field(simulator, NORN_TOY_FIELD_RELATION), (uint32_t)a, (uint32_t)b));
    return;
  case NORN_TOY_SELECT:
    result = (uint32_t)(condition(simulator, lane, NORN_TOY_FIELD_CONDITION0) ? a : b);
    break;
  default:
    result = compute(instruction, (uint32_t)a, (uint32_t)b);
  }
  write_register(simulator, lane, field(simulator, NORN_TOY_FIELD_DESTINATION), result, 0);
}

static void
run_condition(Simulator *simulator, Lane *lane, unsigned instruction) {
  if (instruction == NORN_TOY_PMOVI) {
    write_condition(simulator, lane, field(simulator, NORN_TOY_FIELD_TRUTH));
    return;
  }
  bool a = condition(simulator, lane, NORN_TOY_FIELD_CONDITION0);
  bool b = instruction == NORN_TOY_PMOV || condition(simulator, lane, NORN_TOY_FIELD_CONDITION1);
  write_condition(simulator, lane,
                  instruction == NORN_TOY_PXOR  ? a != b
                  : instruction == NORN_TOY_POR ? a || b
                                                : a && b);
}

/* Executes the instruction for a lane, which then moves to the next one. */
static void
run_lane(Simulator *simulator, Lane *lane) {
  unsigned instruction = norn_isa_decoded_instruction(&simulator->inst);
  bool jumps = instruction == NORN_TOY_JUMP;
  switch (instruction) {
  case NORN_TOY_NOP:
  case NORN_TOY_JUMP:
    break;
  case NORN_TOY_BRANCH:
    jumps = condition(simulator, lane, NORN_TOY_FIELD_CONDITION0) ==
            (field(simulator, NORN_TOY_FIELD_SENSE) == NORN_TOY_SENSE_IF);
    break;
  case NORN_TOY_PMOV:
  case NORN_TOY_PMOVI:
  case NORN_TOY_PAND:
  case NORN_TOY_POR:
  case NORN_TOY_PXOR:
    run_condition(simulator, lane, instruction);
    break;
  case NORN_TOY_LOAD:
  case NORN_TOY_STORE:
  case NORN_TOY_FILL:
  case NORN_TOY_SPILL:
  case NORN_TOY_PFILL:
  case NORN_TOY_PSPILL:
    access_memory(simulator, lane, instruction);
    break;
  default:
    run_arithmetic(simulator, lane, instruction);
  }
  lane->at++;
  if (jumps)
    lane->at += (uint32_t)((int32_t)(field(simulator, NORN_TOY_FIELD_TARGET) ^ 0x4000) - 0x4000);
}

static void
finish_flow(Simulator *simulator, Lane *lane, uint32_t flow) {
  for (unsigned k = 0; k < G_N_ELEMENTS(lane->registers); k++) {
    Register *reg = &lane->registers[k];
    if (flow == NORN_TOY_FLOW_END ||
        (flow <= NORN_TOY_FLOW_WAIT01 && reg->waits && flow >> (reg->waits - 1) & 1))
      reg->waits = 0;
  }
  if (flow == NORN_TOY_FLOW_END)
    lane->at = NOWHERE;
  else if (lane->at >= simulator->launch->code->len / TOY_WORD_BYTES)
    complain(simulator, "the code does not end");
}

/* --- Groups of lanes --- */

static uint32_t
lowest_address(const Simulator *simulator) {
  uint32_t at = NOWHERE;
  for (unsigned k = 0; k < TOY_LANES; k++)
    at = MIN(at, simulator->lanes[k].at);
  return at;
}

/* Runs the lanes at `at` up to where they reconverge with others. */
static void
run_group(Simulator *simulator, uint32_t at, unsigned *steps) {
  bool member[TOY_LANES];
  uint32_t flow = NORN_TOY_FLOW_NONE;
  for (unsigned k = 0; k < TOY_LANES; k++)
    member[k] = simulator->lanes[k].at == at;
  while (!simulator->problem && flow != NORN_TOY_FLOW_RECONVERGE && flow != NORN_TOY_FLOW_END) {
    uint32_t word, next = NOWHERE;
    memcpy(&word, simulator->launch->code->data + (size_t)at * TOY_WORD_BYTES, sizeof word);
    if (++*steps > STEP_LIMIT)
      complain(simulator, "the code does not come to an end");
    if (!norn_isa_unpack(&norn_isa_toy, NORN_TOY_ARCHITECTURE_1, GUINT32_FROM_LE(word),
                         &simulator->inst))
      complain(simulator, "the word at %u is not an instruction", at);
    flow = field(simulator, NORN_TOY_FIELD_FLOW);
    for (unsigned k = 0; k < TOY_LANES && !simulator->problem; k++) {
      if (!member[k])
        continue;
      run_lane(simulator, &simulator->lanes[k]);
      finish_flow(simulator, &simulator->lanes[k], flow);
      if (next != NOWHERE && simulator->lanes[k].at != next && flow != NORN_TOY_FLOW_RECONVERGE)
        complain(simulator, "lanes part at %u without reconvergence", at);
      next = simulator->lanes[k].at;
    }
    at = next;
  }
}

static void
start_lanes(Simulator *simulator, unsigned first) {
  memset(simulator->lanes, 0, sizeof simulator->lanes);
  for (unsigned k = 0; k < TOY_LANES; k++) {
    Lane *lane = &simulator->lanes[k];
    lane->registers[TOY_GLOBAL_ID] = (Register){first + k, true, 0};
    lane->at = first + k < simulator->launch->invocations ? 0 : NOWHERE;
  }
}

char *
toy_simulate(const ToyLaunch *launch) {
  Simulator simulator = {.launch = launch};
  for (unsigned first = 0; first < launch->invocations && !simulator.problem; first += TOY_LANES) {
    unsigned steps = 0;
    start_lanes(&simulator, first);
    for (uint32_t at; !simulator.problem && (at = lowest_address(&simulator)) != NOWHERE;)
      run_group(&simulator, at, &steps);
  }
  return simulator.problem;
}
