/* Encodes allocated code as words and appends them to the context's code, little-endian.
 *
 * Pseudo operations must already be in place and jumps must lead to the next block; neither is
 * code. A branch offset counts instructions from the one after the branch. */
#include "check/waits.h"
#include "ir/analysis/convergence.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include "passes/machine_code.h"
#include "passes/pass.h"
#include <string.h>

/* Whether an instruction that is not a machine instruction needs no code. */
static bool
is_in_place(const NornFunction *function, const NornInst *inst, uint32_t next_block) {
  uint16_t result = inst->result_count ? norn_value(function, inst->result)->reg : 0;
  switch (inst->op) {
  case NORN_OP_JUMP:
    return norn_ref_payload(norn_operands(function, inst)[0]) == next_block;
  case NORN_OP_END:
  case NORN_OP_UNREACHABLE:
  case NORN_OP_PRELOAD:
  case NORN_OP_LOOP_ENTRY:
    return true;
  case NORN_OP_COPY:
  case NORN_OP_COLLECT:
  case NORN_OP_SPLIT:
    for (unsigned k = 0; k < inst->operand_count; k++) {
      NornRef ref = norn_operands(function, inst)[k];
      if (norn_ref_kind(ref) != NORN_REF_VALUE ||
          norn_value(function, norn_ref_payload(ref))->reg != result + k)
        return false;
    }
    return true;
  default:
    return false;
  }
}

static bool
refuse(const NornFunction *function, const NornInst *inst, GError **error) {
  return norn_inst_error(function, inst, NORN_ERROR_INVALID, error,
                         "'%s' has no machine code, and its registers do not make it a no-op",
                         norn_ops[inst->op].name);
}

/* The address of each block in words; *size is set to the number of words. */
static bool
assign_addresses(const NornFunction *function, uint32_t *addresses, uint32_t *size,
                 GError **error) {
  *size = 0;
  for (uint32_t i = 0; i < function->block_order_count; i++) {
    uint32_t block = function->block_order[i];
    uint32_t next =
        i + 1 < function->block_order_count ? function->block_order[i + 1] : NORN_INDEX_NONE;
    addresses[block] = *size;
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_machine(inst))
        ++*size;
      else if (!is_in_place(function, inst, next))
        return refuse(function, inst, error);
    }
  }
  return true;
}

/* Whether the code stays within its size limit with this many more words. */
static bool
check_size(const NornPassContext *context, uint32_t words, GError **error) {
  uint64_t limit = context->options->limits.code;
  uint64_t bytes = context->code->len + (uint64_t)words * context->target->instruction_bytes;
  if (norn_function_reads_data(context->module->functions[0]))
    bytes = norn_data_offset(bytes) + context->module->data_size;
  if (!limit || bytes <= limit)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "%s: %" G_GUINT64_FORMAT " bytes of code, expected at most %" G_GUINT64_FORMAT,
              context->module->filename, bytes, limit);
  return false;
}

/* Appends the function's words, `size` of them, to the code. */
static bool
encode_all(NornPassContext *context, const NornFunction *function, const uint32_t *addresses,
           uint32_t size, GError **error) {
  uint32_t address = 0;
  unsigned bytes = context->target->instruction_bytes;
  guint first = context->code->len;
  g_byte_array_set_size(context->code, first + size * bytes);
  guint8 *at = context->code->data + first;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, index) {
      uint64_t word;
      int64_t distance = 0;
      NornEdge edge = {0};
      if (!norn_is_machine(norn_inst(function, index)))
        continue;
      address++;
      if (index == norn_block(function, block)->last && norn_next_edge(function, index, &edge))
        distance = (int64_t)addresses[edge.block] - address;
      else if (norn_inst(function, index)->flags & NORN_INST_DATA)
        distance = norn_data_offset((uint64_t)size * bytes) - (int64_t)address * bytes;
      if (!context->target->encode(context, function, index, distance, &word, error))
        return false;
      word = GUINT64_TO_LE(word);
      memcpy(at, &word, bytes);
      at += bytes;
    }
  }
  return true;
}

/* Notes the registers and uniform words of one instruction. */
static void
note_usage(const NornFunction *function, const NornInst *inst, NornRegisterSet *registers,
           unsigned *uniforms) {
  norn_regs_add(registers, norn_registers_read(function, inst));
  norn_regs_add(registers, norn_registers_written(function, inst));
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) != NORN_REF_UNIFORM)
      continue;
    NornMachineShape shape;
    norn_inst_shape(function->module, inst, &shape);
    unsigned end = norn_ref_payload(ref) + shape.operand_words[k];
    if (shape.operand_is_low >> k & 1) /* the other word of the pair is also read */
      end = (end + 1) & ~1u;
    *uniforms = MAX(*uniforms, end);
  }
}

/* The number of threads that run at a time with these registers. */
static unsigned
threads_with(const NornTarget *target, NornRegisterSet registers) {
  const NornOccupancy *occupancy = target->occupancies;
  while (norn_regs_any(norn_regs_without(registers, occupancy->registers)) && occupancy[1].threads)
    occupancy++;
  return occupancy->threads;
}

/* Notes how many iterations to expect of loops. */
static void
note_loops(const NornFunction *function, const uint32_t *addresses, NornCompileInfo *info) {
  norn_for_each_block (function, block) {
    NornLoopHints hints = norn_loop_hints(function, block);
    if ((hints.iterations || hints.is_rest) && info->expected_count < NORN_EXPECTED_LOOPS)
      info->expected[info->expected_count++] =
          (NornExpectedLoop){addresses[block], hints.is_rest ? 0 : hints.iterations};
  }
}

/* Reports what the driver must know about the code. */
static void
report(const NornPassContext *context, const NornFunction *function, const uint32_t *addresses) {
  const NornModule *module = function->module;
  NornCompileInfo *info = context->info;
  const NornTarget *target = context->target;
  NornRegisterSet registers = NORN_NO_REGISTERS, preloaded = NORN_NO_REGISTERS;
  unsigned uniforms = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_machine(inst))
        note_usage(function, inst, &registers, &uniforms);
      else if (inst->op == NORN_OP_PRELOAD)
        norn_regs_add(&preloaded, norn_registers_written(function, inst));
    }
  norn_regs_add(&registers, preloaded);
  note_loops(function, addresses, info);
  info->registers = norn_regs_end(registers);
  info->threads = threads_with(target, registers);
  if (target->always_preloaded)
    norn_regs_add(&preloaded, target->always_preloaded(module->stage));
  info->preloaded = preloaded.words[0];
  uniforms = MAX(uniforms, info->load_first + info->load_count);
  info->fau_words =
      MAX(uniforms, info->promoted_count ? info->promoted_first + info->promoted_count : 0);
  info->thread_local_size = module->scratch_size;
  info->workgroup_local_size = module->shared_size;
  info->grid_limit = module->grid_limit;
  if (norn_function_reads_data(function)) {
    info->data_offset = norn_data_offset(context->code->len);
    info->data_size = module->data_size;
  }
}

bool
norn_pass_pack(NornPassContext *context, NornFunction *function, GError **error) {
  uint32_t *addresses = NORN_NEW(&context->arena, uint32_t, function->block_count);
  uint32_t size;
  bool ok = assign_addresses(function, addresses, &size, error) &&
            check_size(context, size, error) &&
            (!context->options->verify || norn_check_waits(context->target, function, error)) &&
            encode_all(context, function, addresses, size, error);
  if (ok && context->info)
    report(context, function, addresses);
  return ok;
}
