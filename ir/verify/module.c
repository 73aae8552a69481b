/* The module: its header, uniform words, calls, and outputs on whole paths. */
#include "ir/analysis/path_outputs.h"
#include "ir/verify/verifier.h"

/* Maximum bytes of memory shared by a workgroup: what every driver of the hardware grants. */
#define SHARED_LIMIT 32768

/* Appends the callees of function `index` to `callees`. */
static void
collect_callees(NornArena *arena, const NornModule *module, uint32_t index,
                NornIndexList *callees) {
  const NornFunction *function = module->functions[index];
  uint32_t first = callees->count;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst) {
      if (norn_inst(function, inst)->op != NORN_OP_CALL ||
          !norn_inst(function, inst)->operand_count)
        continue;
      NornRef ref = norn_operand(function, inst, 0);
      uint32_t callee = norn_ref_payload(ref);
      if (norn_ref_kind(ref) != NORN_REF_FUNCTION)
        continue;
      if (callees->count > first && callees->items[callees->count - 1] == callee)
        continue;
      norn_list_push(arena, callees, callee);
    }
  }
}

/* Sets the location of the next fault to the first call of `callee` in a function. */
static void
go_to_call(NornVerifier *v, const NornFunction *function, uint32_t callee) {
  v->function = function;
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst) {
      if (norn_inst(function, inst)->op != NORN_OP_CALL ||
          !norn_inst(function, inst)->operand_count ||
          norn_operand(function, inst, 0) != norn_ref(NORN_REF_FUNCTION, callee))
        continue;
      v->block = block;
      v->inst = inst;
      return;
    }
  }
}

/* Finds cycles of calls by a depth-first walk with an explicit stack. Fills in the order of the
 * functions, callees before callers. */
static void
check_recursion(NornVerifier *v, uint32_t *order) {
  const NornModule *module = v->module;
  uint32_t count = module->function_count, depth = 0, done = 0;
  NornArenaMark mark = norn_arena_mark(&v->arena);
  NornIndexList callees = {0};
  uint32_t *first = NORN_NEW(&v->arena, uint32_t, (size_t)count + 1);
  uint32_t *next = NORN_NEW(&v->arena, uint32_t, count);
  uint32_t *stack = NORN_NEW(&v->arena, uint32_t, count);
  enum { NEW, OPEN, DONE };
  uint8_t *state = NORN_NEW0(&v->arena, uint8_t, count);
  for (uint32_t i = 0; i < count; i++) {
    first[i] = callees.count;
    collect_callees(&v->arena, module, i, &callees);
  }
  first[count] = callees.count;
  for (uint32_t root = 0; root < count; root++) {
    if (state[root] != NEW)
      continue;
    stack[depth++] = root;
    state[root] = OPEN;
    next[root] = first[root];
    while (depth) {
      uint32_t i = stack[depth - 1];
      if (next[i] == first[i + 1]) {
        state[i] = DONE;
        order[done++] = i;
        depth--;
        continue;
      }
      uint32_t callee = callees.items[next[i]++];
      if (state[callee] == OPEN) {
        go_to_call(v, module->functions[i], callee);
        norn_verify_fault(v, "@%s calls itself through @%s; recursion is not supported",
                          norn_string(module, module->functions[callee]->name),
                          norn_string(module, module->functions[i]->name));
      } else if (state[callee] == NEW) {
        state[callee] = OPEN;
        next[callee] = first[callee];
        stack[depth++] = callee;
      }
    }
  }
  norn_arena_release(&v->arena, mark);
}

/* Checks that outputs of property ALL_PATHS are stored on every path to an end, or on none. */
static void
check_path_outputs(NornVerifier *v, const uint32_t *order) {
  NornMissingOutput missing;
  if (!v->has_path_outputs || !norn_find_missing_output(&v->arena, v->module, order, &missing))
    return;
  v->function = v->module->functions[missing.function];
  v->block = missing.block;
  v->inst = norn_block(v->function, missing.block)->last;
  norn_verify_fault(v,
                    "end: a path reaches this point without %s, which other paths have; all paths "
                    "must have it or none",
                    norn_ops[missing.op].name);
}

/* Checks rules that involve several functions. */
static void
check_calls(NornVerifier *v) {
  uint32_t *order = NORN_NEW0(&v->arena, uint32_t, v->module->function_count);
  check_recursion(v, order);
  if (!v->diagnostics.count)
    check_path_outputs(v, order);
}

static void
check_faus(NornVerifier *v) {
  const NornModule *module = v->module;
  uint32_t owner[NORN_FAU_WORDS] = {0};
  for (uint32_t i = 0; i < module->fau_count; i++) {
    const NornFau *fau = &module->faus[i];
    const char *name = norn_string(module, fau->name);
    unsigned words = norn_type_words(fau->type);
    uint64_t end = fau->word + (uint64_t)words * fau->count;
    v->fau = fau;
    for (uint32_t k = 0; k < i; k++)
      if (module->faus[k].name == fau->name) {
        norn_verify_fault(v, "the uniform %s is declared twice", name);
        break;
      }
    if (!words || !fau->count || fau->type == NORN_TYPE_I1) {
      norn_verify_fault(v, "the uniform %s has no size", name);
      continue;
    }
    if (end > NORN_FAU_WORDS) {
      norn_verify_fault(v, "the uniform %s extends past the last of the %u words", name,
                        NORN_FAU_WORDS);
      continue;
    }
    if (fau->is_noalias && fau->type != NORN_TYPE_I64)
      norn_verify_fault(v, "the uniform %s is noalias, so it must be an address of type i64", name);
    if (fau->alignment && fau->type != NORN_TYPE_I64)
      norn_verify_fault(v, "the uniform %s is aligned, so it must be an address of type i64", name);
    if (words == 2 && fau->word % 2)
      norn_verify_fault(v, "the uniform %s has 64 bits and must start at an even word", name);
    for (uint64_t word = fau->word; word < end; word++) {
      if (owner[word]) {
        norn_verify_fault(v, "the uniforms %s and %s overlap",
                          norn_string(module, module->faus[owner[word] - 1].name), name);
        break;
      }
      owner[word] = i + 1;
    }
  }
  v->fau = NULL;
}

static void
check_header(NornVerifier *v) {
  const NornModule *module = v->module;
  v->function = module->functions[0];
  v->block = v->inst = NORN_INDEX_NONE;
  const uint32_t *workgroup = module->workgroup;
  uint64_t size = 1;
  for (unsigned axis = 0; axis < 3; axis++)
    size = size > NORN_WORKGROUP_LIMIT ? size : size * workgroup[axis];
  if (size < 1 || size > NORN_WORKGROUP_LIMIT)
    norn_verify_fault(v, "workgroup size %u, %u, %u, expected 1 to %u invocations", workgroup[0],
                      workgroup[1], workgroup[2], NORN_WORKGROUP_LIMIT);
  else if (module->stage != NORN_STAGE_COMPUTE &&
           (size > 1 || module->grid_limit || module->shared_size))
    norn_verify_fault(v, "only a compute shader can have workgroups");
  if (module->tests_early && module->stage != NORN_STAGE_FRAGMENT)
    norn_verify_fault(v, "only a fragment shader can have early tests");
  if (module->runs_by_sample && module->stage != NORN_STAGE_FRAGMENT)
    norn_verify_fault(v, "only a fragment shader can run for each sample");
  if (module->shared_size > SHARED_LIMIT)
    norn_verify_fault(v, "%u bytes of workgroup memory, expected at most %u", module->shared_size,
                      SHARED_LIMIT);
  if (module->scratch_size > NORN_SCRATCH_LIMIT)
    norn_verify_fault(v, "%u bytes of thread-local memory, expected at most %u",
                      module->scratch_size, NORN_SCRATCH_LIMIT);
  const char *name = norn_string(module, module->name);
  if (!*name || name[strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_")])
    norn_verify_fault(v, "the shader's name '%s' must consist of letters, digits and '_'", name);
  check_faus(v);
  GHashTable *names = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < module->function_count; i++) {
    v->function = module->functions[i];
    if (i && !g_hash_table_add(names, GUINT_TO_POINTER(v->function->name)))
      norn_verify_fault(v, "@%s is defined twice", norn_string(module, v->function->name));
  }
  g_hash_table_unref(names);
}

bool
norn_module_verify(const NornModule *module, GError **error) {
  NornVerifier v = {.module = module, .block = NORN_INDEX_NONE, .inst = NORN_INDEX_NONE};
  v.diagnostics.filename = module->filename;
  if (module->fault)
    norn_diagnose(&v.diagnostics, 0, 0, "%s", module->fault);
  check_header(&v);
  bool is_sound = true;
  for (uint32_t i = 0; i < module->function_count; i++) {
    v.function = module->functions[i];
    is_sound &= norn_verify_structure(&v);
  }
  if (is_sound) {
    for (uint32_t i = 0; i < module->function_count && !norn_diagnostics_full(&v.diagnostics); i++)
      norn_verify_function(&v, module->functions[i], i == 0);
    if (module->function_count > 1 || v.has_path_outputs)
      check_calls(&v);
  }
  norn_locations_free(v.locations);
  norn_arena_free(&v.arena);
  return norn_diagnostics_finish(&v.diagnostics, NORN_ERROR_INVALID, error);
}
