/* The information on the code that the driver receives, recomputed from the words. */
#include "check/valhall/valhall.h"
#include <norn/valhall.h>

typedef struct Usage {
  uint64_t registers; /* read or written */
  uint64_t at_start;  /* read before being written, on some path */
  unsigned fau_words;
  bool blends;
} Usage;

/* The registers that are preloaded in the stage. */
static uint64_t
preloads_of(NornShaderStage stage) {
  uint64_t registers = 0;
#define ROW(row_stage, name, reg, bytes, always)                                                   \
  if (stage == NORN_STAGE_##row_stage)                                                             \
    registers |= norn_code_registers(reg, 1);
  NORN_VALHALL_PRELOADS(ROW)
#undef ROW
  return registers;
}

/* The registers that are preloaded whether the program requests them or not. */
static uint64_t
always_preloaded(NornShaderStage stage) {
  uint64_t registers = 0;
#define ROW(row_stage, name, reg, bytes, always)                                                   \
  if ((always) && stage == NORN_STAGE_##row_stage)                                                 \
    registers |= norn_code_registers(reg, 1);
  NORN_VALHALL_PRELOADS(ROW)
#undef ROW
  return registers;
}

/* Registers that are live at the start. Blocks are visited backward so that few iterations
 * suffice. */
static uint64_t
live_at_start(const NornCode *code) {
  uint64_t *live = g_new0(uint64_t, code->block_count);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = code->block_count; b--;) {
      const NornCodeBlock *block = &code->blocks[b];
      uint64_t now = 0;
      for (unsigned k = 0; k < block->successor_count; k++)
        now |= live[block->successors[k]];
      for (uint32_t i = block->end; i-- > block->first;)
        now = (now & ~norn_code_writes(&code->insts[i])) | norn_code_reads(&code->insts[i]);
      changed |= now != live[b];
      live[b] = now;
    }
  }
  uint64_t start = live[0];
  g_free(live);
  return start;
}

static void
note_instruction(const NornWordInst *inst, Usage *usage) {
  usage->registers |= norn_code_reads(inst);
  if (inst->kind != NORN_CODE_CALLS)
    usage->registers |= norn_code_writes(inst);
  usage->blends |= inst->instruction == NORN_VALHALL_BLEND;
  for (unsigned k = 0; k < inst->source_count; k++)
    if (inst->sources[k].kind == NORN_ISA_CODE_UNIFORM)
      usage->fau_words =
          MAX(usage->fau_words, (unsigned)inst->sources[k].number + inst->sources[k].words);
}

/* Whether an access to a spill slot, which the program did not have, stays within thread-local
 * memory. */
static bool
check_access(const NornCode *code, uint32_t index, GError **error) {
  const NornWordInst *inst = &code->insts[index];
  const NornCompileInfo *info = code->input->info;
  if (!inst->has_address || norn_code_selected(code, index) != NORN_CODE_NONE ||
      inst->sources[inst->address_source].kind != NORN_ISA_CODE_SPECIAL ||
      inst->sources[inst->address_source].number != NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0)
    return true;
  if (inst->memory.start >= code->input->scratch_size &&
      inst->memory.end <= info->thread_local_size)
    return true;
  return norn_code_error(
      code, index, error,
      "a spilled value is outside of the bytes %u to %u that are reported for spilling",
      code->input->scratch_size, info->thread_local_size);
}

static bool
refuse(GError **error, const char *what, uint64_t reported, uint64_t found) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s: %" G_GUINT64_FORMAT " reported, but the code has %" G_GUINT64_FORMAT, what,
              reported, found);
  return false;
}

static bool
check_preloads(const NornCode *code, const Usage *usage, GError **error) {
  uint64_t reported = code->input->info->preloaded;
  uint64_t missing = usage->at_start & ~reported;
  uint64_t unknown = reported & ~preloads_of(code->input->stage);
  uint64_t always = always_preloaded(code->input->stage) & ~reported;
  if (missing || unknown || always)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "r%d is %s",
                __builtin_ctzll(missing   ? missing
                                : unknown ? unknown
                                          : always),
                missing   ? "read before it is written, but not reported as preloaded"
                : unknown ? "reported as preloaded, but the hardware preloads nothing there"
                          : "always preloaded, but not reported as such");
  return !missing && !unknown && !always;
}

/* The highest register + 1. A register that is reported as preloaded need not be read, and the
 * inputs of a blend shader count in its caller. */
static bool
check_registers(const NornCode *code, const Usage *usage, GError **error) {
  const NornCompileInfo *info = code->input->info;
  uint64_t may = usage->registers | info->preloaded;
  if (usage->blends)
    may |= NORN_VALHALL_BLEND_CLOBBERS | norn_code_registers(NORN_VALHALL_PRELOAD_SAMPLE, 1);
  unsigned min = usage->registers ? 64 - (unsigned)__builtin_clzll(usage->registers) : 0;
  unsigned max = may ? 64 - (unsigned)__builtin_clzll(may) : 0;
  if (info->registers < min || info->registers > max)
    return refuse(error, "registers", info->registers, min);
  unsigned threads = usage->registers & ~NORN_VALHALL_SMALL_FILE ? 1 : 2;
  return info->threads == threads || refuse(error, "threads", info->threads, threads);
}

static bool
check_words(const NornCode *code, const Usage *usage, GError **error) {
  const NornCompileInfo *info = code->input->info;
  unsigned words = MAX(usage->fau_words, info->load_first + info->load_count);
  if (info->promoted_count)
    words = MAX(words, info->promoted_first + info->promoted_count);
  if (info->fau_words != words)
    return refuse(error, "uniform words", info->fau_words, words);
  return info->instructions == code->count ||
         refuse(error, "instructions", info->instructions, code->count);
}

/* Checks that constant data follows the code and the zeros that hardware may fetch, that all of
 * it is aligned, and that it is reported if it is read. */
static bool
check_data(const NornCode *code, bool reads_data, GError **error) {
  enum { ZEROS = 16, ALIGNMENT = 128 };
  const NornCompileInfo *info = code->input->info;
  unsigned size = reads_data ? code->input->packed->module->data_size : 0;
  unsigned offset = size ? code->count * (unsigned)sizeof(uint64_t) + ZEROS : 0;
  offset += (ALIGNMENT - offset % ALIGNMENT) % ALIGNMENT;
  if (info->data_size != size)
    return refuse(error, "bytes of constant data", info->data_size, size);
  return info->data_offset == offset ||
         refuse(error, "offset of constant data", info->data_offset, offset);
}

/* The memory that the program itself requests, its workgroup and its mode. */
static bool
check_module(const NornCode *code, GError **error) {
  const NornCompileInfo *info = code->input->info;
  const NornModule *module = code->input->packed->module;
  if (info->thread_local_size < code->input->scratch_size)
    return refuse(error, "bytes of thread-local memory", info->thread_local_size,
                  code->input->scratch_size);
  if (info->workgroup_local_size != module->shared_size)
    return refuse(error, "bytes of workgroup memory", info->workgroup_local_size,
                  module->shared_size);
  for (unsigned k = 0; k < 3; k++)
    if (info->workgroup_size[k] != module->workgroup[k])
      return refuse(error, "invocations of a workgroup along an axis", info->workgroup_size[k],
                    module->workgroup[k]);
  if (info->grid_limit != module->grid_limit)
    return refuse(error, "maximum number of workgroups along an axis", info->grid_limit,
                  module->grid_limit);
  return info->denormals == module->denormals ||
         refuse(error, "denormal mode", info->denormals, module->denormals);
}

bool
norn_check_reported(const NornCode *code, GError **error) {
  Usage usage = {.at_start = live_at_start(code)};
  bool reads_data = false;
  for (uint32_t i = 0; i < code->count; i++) {
    reads_data |= code->insts[i].is_data;
    note_instruction(&code->insts[i], &usage);
    if (!check_access(code, i, error))
      return false;
  }
  return check_preloads(code, &usage, error) && check_registers(code, &usage, error) &&
         check_words(code, &usage, error) && check_data(code, reads_data, error) &&
         check_module(code, error);
}
