/* Properties of messages, flow and branches: slots, waits, accessed memory, need for helpers. */
#include "compiler/valhall/code.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"
#include "isa/valhall_timing.h"
#include <string.h>

enum {
  FIRST_SLOT = 0x01,
  ANY_SLOT = (1 << NORN_VALHALL_FREE_SLOTS) - 1,
  TILE_ORDER = ANY_SLOT | 1 << NORN_VALHALL_DEPTH_SLOT,
  BARRIER_SLOT = 1 << NORN_VALHALL_BARRIER_SLOT,
  EVERYTHING = TILE_ORDER | BARRIER_SLOT,
  ROOT_STEPS = 4, /* depth of address sums; each may have two terms */
};

/* What an address may point to: workgroup memory is part of global memory. */
#define SPACES_GLOBAL (NORN_SPACE_GLOBAL | NORN_SPACE_WORKGROUP)

/* The bytes of an access, by the memory_width of its instruction. */
static const uint8_t access_bytes[] = {1, 2, 3, 4, 6, 8, 12, 16};

unsigned
norn_valhall_latency(const NornTarget *target, const NornInst *inst) {
  return norn_valhall_encoding_latency(norn_valhall_encoding(target, inst));
}

unsigned
norn_valhall_occupies(const NornTarget *target, const NornInst *inst, unsigned *unit) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  const NornIsa *isa = &norn_isa_valhall;
  *unit = encoding->unit;
  unsigned rate = *unit < isa->unit_count ? isa->units[*unit].rate : 0;
  if (!rate || *unit >= NORN_MAX_UNITS) {
    *unit = 0;
    return 0;
  }
  int64_t cost = norn_isa_evaluate(isa, encoding, encoding->cost, inst->payload);
  return ((unsigned)MAX(cost, 0) * isa->units[*unit].takes[*unit] * NORN_VALHALL_WARP + rate - 1) /
         rate;
}

/* The base of the address: the first source of two words. */
static NornRef
address_base(const NornIsaEncoding *encoding, const NornFunction *function, const NornInst *inst) {
  unsigned number = 0;
  for (unsigned k = 0; k < encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    if (operand->role == NORN_ISA_OPERAND_SOURCE && operand->words == 2) {
      NornRef base = norn_operands(function, inst)[number] & ~NORN_REF_LAST_USE;
      return base ? base : NORN_BASE_UNKNOWN;
    }
    number +=
        operand->role == NORN_ISA_OPERAND_SOURCE || operand->role == NORN_ISA_OPERAND_STAGING_READ;
  }
  return NORN_BASE_UNKNOWN;
}

/* The operands, as a bit set, that are terms of the 64-bit sum that an instruction computes. */
static unsigned
terms_of(const NornTarget *target, const NornInst *inst) {
  static const uint16_t parts[] = {NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_FIELD_SWIZZLE1};
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  unsigned terms = 0;
  switch (inst->op - NORN_OP_MACHINE) {
  case NORN_VALHALL_SHADDX_U64:
  case NORN_VALHALL_SHADDX_S64:
    return 1;
  case NORN_VALHALL_IADD_U64:
    for (unsigned k = 0; k < G_N_ELEMENTS(parts); k++)
      if (norn_isa_field_get(encoding, parts[k], inst->payload) == NORN_VALHALL_WIDEN_INTEGER_NONE)
        terms |= 1u << k;
    return terms;
  default:
    return 0;
  }
}

/* The value that a value is a copy of, as far as it can be followed. */
static NornRef
follow_moves(const NornTarget *target, const NornFunction *function, NornRef ref) {
  enum { STEPS = 8 };
  ref &= ~NORN_REF_LAST_USE;
  for (unsigned k = 0; k < STEPS; k++) {
    const NornInst *inst = norn_defining_inst(function, ref);
    NornRef source = 0;
    uint32_t constant;
    if (inst && inst->op == NORN_OP_COPY)
      source = norn_operands(function, inst)[0] & ~NORN_REF_LAST_USE;
    else if (inst && norn_is_machine(inst))
      norn_valhall_is_move(target, function, inst, &source, &constant);
    if (!source)
      break;
    ref = source;
  }
  return ref;
}

/* Whether the instruction assembles the address of constant data. */
static bool
is_data_address(const NornTarget *target, const NornFunction *function, const NornInst *inst) {
  if (inst->op != NORN_OP_COLLECT || inst->operand_count != 2)
    return false;
  const NornRef *words = norn_operands(function, inst);
  const NornInst *low = norn_defining_inst(function, follow_moves(target, function, words[0]));
  return low && low->flags & NORN_INST_DATA &&
         follow_moves(target, function, words[1]) ==
             norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W1);
}

/* The root of an address (NornMemoryAccess); NORN_ROOTS: a sum with more than one root, or possibly
 * so. */
static NornRef
find_root(const NornTarget *target, const NornFunction *function, NornRef address, unsigned steps) {
  NornRef root = 0, ref = address & ~NORN_REF_LAST_USE;
  if (norn_ref_kind(ref) == NORN_REF_UNIFORM) {
    const NornFau *fau = norn_module_fau_at(function->module, norn_ref_payload(ref));
    return fau && fau->is_noalias ? ref : 0;
  }
  if (norn_ref_kind(ref) == NORN_REF_SPECIAL)
    return norn_ref_payload(ref) == NORN_VALHALL_SPECIAL_WORKGROUP_LOCAL_POINTER_W0 ? ref : 0;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (inst && is_data_address(target, function, inst))
    return NORN_ROOT_DATA;
  unsigned terms = inst && norn_is_machine(inst) ? terms_of(target, inst) : 0;
  if (terms && !steps)
    return NORN_ROOTS;
  for (unsigned k = 0; terms >> k; k++) {
    if (!(terms >> k & 1))
      continue;
    NornRef other = find_root(target, function, norn_operands(function, inst)[k], steps - 1);
    root = root && other ? NORN_ROOTS : root | other;
  }
  return root;
}

/* The operation of an atomic access without a result (NornMemoryAccess.combine). */
static uint8_t
combination(const NornIsaEncoding *encoding, const NornInst *inst) {
  enum { WITH_OPERAND = 1, WITH_ONE = 64 };
  uint32_t operation =
      norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_OPERATION, inst->payload, 0);
  switch (encoding->instruction) {
  case NORN_VALHALL_ATOM_I32:
  case NORN_VALHALL_ATOM_I64:
    return (uint8_t)(WITH_OPERAND + operation);
  case NORN_VALHALL_ATOM1_I32:
  case NORN_VALHALL_ATOM1_I64:
    return (uint8_t)(WITH_ONE + operation);
  default:
    return 0;
  }
}

/* The memory of a load, store or atomic access. Data streamed to the next stage is in buffers that
 * nothing else in the program reads or writes. */
static void
describe_access(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                NornMemoryAccess *memory) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  NornRef root;
  uint32_t width = norn_isa_field_value(encoding, NORN_VALHALL_FIELD_MEMORY_WIDTH, inst->payload,
                                        G_N_ELEMENTS(access_bytes));
  *memory = norn_access_anywhere(SPACES_GLOBAL, encoding->flags & NORN_VALHALL_FLAG_LOAD,
                                 encoding->flags & NORN_VALHALL_FLAG_STORE);
  if (instruction == NORN_VALHALL_LD_TEX || instruction == NORN_VALHALL_LD_TEX_IMM)
    memory->reads = true;
  memory->base = address_base(encoding, function, inst);
  memory->address_bits = 64;
  memory->offset =
      (uint64_t)norn_isa_immediate_of_field(encoding, NORN_VALHALL_FIELD_OFFSET, inst->payload);
  if (width < G_N_ELEMENTS(access_bytes))
    memory->size = access_bytes[width];
  memory->combine = combination(encoding, inst);
  if (memory->combine && inst->operand_count > 1)
    memory->operand = norn_operands(function, inst)[0] & ~NORN_REF_LAST_USE;
  switch (norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_ACCESS, inst->payload, 0)) {
  case NORN_VALHALL_ACCESS_FORCE:
    memory->spaces = NORN_SPACE_THREAD;
    break;
  case NORN_VALHALL_ACCESS_ISTREAM:
  case NORN_VALHALL_ACCESS_ESTREAM:
    memory->spaces = NORN_SPACE_OUTPUT;
    break;
  default:
    root = find_root(target, function, memory->base, ROOT_STEPS);
    memory->root = root == NORN_ROOTS ? 0 : root;
  }
}

/* A varying load either changes the position kept by the interpolator, so that it must wait for
 * loads in flight, or uses it, so that it must come after loads that change it but need not wait
 * for them. */
static void
describe_varying(const NornIsaEncoding *encoding, const NornInst *inst, NornMemoryAccess *memory) {
  uint32_t format = norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_SOURCE_FORMAT, inst->payload,
                                          NORN_VALHALL_SOURCE_FORMAT_SRC_F32);
  uint32_t update = norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_UPDATE_MODE, inst->payload,
                                          NORN_VALHALL_UPDATE_MODE_RETRIEVE);
  if (format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT16 ||
      format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT32)
    return;
  *memory =
      norn_access_anywhere(NORN_SPACE_VARYING, true, update != NORN_VALHALL_UPDATE_MODE_RETRIEVE);
}

/* The order required for the tile buffer, and the slot of the coverage. */
static void
describe_tile(const NornInst *inst, NornMessage *message) {
  switch (inst->op - NORN_OP_MACHINE) {
  case NORN_VALHALL_ATEST:
    message->slots = FIRST_SLOT;
    message->wait_before = TILE_ORDER;
    message->wait_after = FIRST_SLOT;
    break;
  case NORN_VALHALL_ZS_EMIT:
    message->slots = FIRST_SLOT;
    message->wait_before = TILE_ORDER;
    break;
  default:
    message->wait_before = EVERYTHING;
    message->memory = norn_access_anywhere(NORN_SPACE_OUTPUT, true, true);
  }
}

/* A function of its own, since most instructions are not messages. */
static G_GNUC_NO_INLINE void
describe(const NornTarget *target, const NornFunction *function, const NornInst *inst,
         const NornIsaEncoding *encoding, NornMessage *message) {
  *message = (NornMessage){.slots = ANY_SLOT};
  if (inst->op == NORN_OP_MACHINE + NORN_VALHALL_BARRIER) {
    message->slots = BARRIER_SLOT;
    message->wait_after = EVERYTHING;
    message->waits_all = true;
  } else if (encoding->flags & NORN_VALHALL_FLAG_TILE) {
    describe_tile(inst, message);
  } else if (norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_UPDATE_MODE)) {
    describe_varying(encoding, inst, &message->memory);
  } else {
    describe_access(target, function, inst, &message->memory);
  }
}

bool
norn_valhall_describe_message(const NornTarget *target, const NornFunction *function,
                              const NornInst *inst, NornMessage *message) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  if (!(encoding->flags & NORN_VALHALL_FLAG_MESSAGE))
    return false;
  if (message)
    describe(target, function, inst, encoding, message);
  return true;
}

unsigned
norn_valhall_slot(const NornTarget *target, const NornInst *inst) {
  return norn_isa_field_value(norn_valhall_encoding(target, inst), NORN_VALHALL_FIELD_SLOT,
                              inst->payload, 0);
}

void
norn_valhall_set_slot(const NornTarget *target, NornInst *inst, unsigned slot) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  if (norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_SLOT))
    norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SLOT, &inst->payload, slot);
}

/* --- Helpers --- */

/* Helpers are needed for levels of detail computed from neighbors and for exchanges between
 * lanes. */
NornHelperUse
norn_valhall_helper_use(const NornTarget *target, const NornInst *inst) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  if (inst->op == NORN_OP_MACHINE + NORN_VALHALL_DISCARD_F32)
    return NORN_HELPERS_MADE;
  if (encoding->flags & NORN_VALHALL_FLAG_CROSSLANE)
    return NORN_HELPERS_NEEDED;
  if (!(encoding->flags & NORN_VALHALL_FLAG_TEXTURE) ||
      inst->op == NORN_OP_MACHINE + NORN_VALHALL_TEX_FETCH ||
      inst->op == NORN_OP_MACHINE + NORN_VALHALL_TEX_GATHER)
    return NORN_HELPERS_IGNORED;
  switch (norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_LOD_MODE, inst->payload,
                                NORN_VALHALL_LOD_MODE_COMPUTED)) {
  case NORN_VALHALL_LOD_MODE_ZERO:
  case NORN_VALHALL_LOD_MODE_EXPLICIT:
  case NORN_VALHALL_LOD_MODE_GRDESC:
    return NORN_HELPERS_IGNORED;
  default:
    return norn_isa_field_get_or(encoding, NORN_VALHALL_FIELD_DERIVATIVE_ENABLE, inst->payload, 0)
               ? NORN_HELPERS_IGNORED
               : NORN_HELPERS_NEEDED;
  }
}

/* --- Flow --- */

#define OTHER_FLOWS(ROW) ROW(NONE) ROW(RECONVERGE) ROW(DISCARD) ROW(END)

/* The meaning of each value of the field. */
static const NornFlow flows[] = {
#define WAIT(flow, slots) [NORN_VALHALL_FLOW_##flow] = {NORN_FLOW_WAIT, slots},
#define OTHER(flow) [NORN_VALHALL_FLOW_##flow] = {NORN_FLOW_##flow, 0},
    NORN_VALHALL_WAITS(WAIT) OTHER_FLOWS(OTHER)
#undef WAIT
#undef OTHER
};

static const uint8_t other_flows[] = {
#define OTHER(flow) [NORN_FLOW_##flow] = NORN_VALHALL_FLOW_##flow,
    OTHER_FLOWS(OTHER)
#undef OTHER
};

NornFlow
norn_valhall_flow(const NornTarget *target, const NornInst *inst) {
  uint32_t value = norn_isa_field_get(norn_valhall_encoding(target, inst), NORN_VALHALL_FIELD_FLOW,
                                      inst->payload);
  return value < G_N_ELEMENTS(flows) ? flows[value] : (NornFlow){NORN_FLOW_NONE, 0};
}

void
norn_valhall_set_flow(const NornTarget *target, NornInst *inst, NornFlow flow) {
  uint32_t value = other_flows[flow.kind];
  for (uint32_t k = 0; flow.kind == NORN_FLOW_WAIT && k < G_N_ELEMENTS(flows); k++)
    if (flows[k].wait && !(flow.wait & ~flows[k].wait)) {
      value = k;
      break;
    }
  norn_isa_field_set(norn_valhall_encoding(target, inst), NORN_VALHALL_FIELD_FLOW, &inst->payload,
                     value);
}

void
norn_valhall_build_nop(const NornTarget *target, NornBuilder *builder) {
  norn_build_machine(builder, NORN_VALHALL_NOP,
                     norn_valhall_encoding_of(target, NORN_VALHALL_NOP)->word, NORN_TYPE_VOID, NULL,
                     0);
}

/* --- Branches --- */

void
norn_valhall_invert_condition(const NornTarget *target, NornInst *inst) {
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  uint32_t sense = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_EQ, inst->payload);
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_EQ, &inst->payload, !sense);
}

/* BRANCHZ.eq 0x0: always taken. */
void
norn_valhall_make_branch(const NornTarget *target, NornFunction *function, uint32_t inst) {
  NornRef zero = norn_constant(function->module, 0);
  norn_inst_splice_operands(function, inst, 0, 0, &zero, 1);
  NornInst *self = norn_inst(function, inst);
  self->op = NORN_OP_MACHINE + NORN_VALHALL_BRANCHZ;
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, self);
  self->payload = encoding->word;
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_EQ, &self->payload, 1);
}
