/* Edits of a module's properties other than its code: sizes, modes, uniforms, names. */
#include "ir/reduce/edit.h"
#include <string.h>

/* Reduces a number greater than `min` to `min` (variant 0) or to half of its value. */
static void
shrink_number(NornEditCursor *cursor, uint32_t *number, uint32_t min) {
  uint32_t smaller = cursor->variant ? MAX(*number / 2, min) : min;
  if (smaller < *number && norn_edit_takes(cursor))
    *number = smaller;
}

void
norn_edit_workgroup(NornEditCursor *cursor) {
  NornModule *module = cursor->module;
  for (unsigned axis = 0; axis < G_N_ELEMENTS(module->workgroup); axis++)
    if (module->stage == NORN_STAGE_COMPUTE)
      shrink_number(cursor, &module->workgroup[axis], 1);
}

void
norn_edit_grid(NornEditCursor *cursor) {
  if (cursor->module->grid_limit && norn_edit_takes(cursor))
    cursor->module->grid_limit = 0;
}

void
norn_edit_memory(NornEditCursor *cursor) {
  shrink_number(cursor, &cursor->module->shared_size, 0);
  shrink_number(cursor, &cursor->module->scratch_size, 0);
}

/* Sites: the constant data, which is shortened from its end in whole words. */
void
norn_edit_data(NornEditCursor *cursor) {
  uint32_t words = cursor->module->data_size / 4;
  shrink_number(cursor, &words, 0);
  cursor->module->data_size = words * 4;
}

void
norn_edit_float_mode(NornEditCursor *cursor) {
  NornModule *module = cursor->module;
  if (module->denormals != NORN_DENORMALS_PRESERVE && norn_edit_takes(cursor))
    module->denormals = NORN_DENORMALS_PRESERVE;
  if (module->rounding != NORN_ROUND_RTE && norn_edit_takes(cursor))
    module->rounding = NORN_ROUND_RTE;
}

void
norn_edit_early_tests(NornEditCursor *cursor) {
  if (cursor->module->tests_early && norn_edit_takes(cursor))
    cursor->module->tests_early = false;
}

void
norn_edit_by_sample(NornEditCursor *cursor) {
  if (cursor->module->runs_by_sample && norn_edit_takes(cursor))
    cursor->module->runs_by_sample = false;
}

/* Sites: declared uniforms, last first. Operands keep their words. */
void
norn_edit_faus(NornEditCursor *cursor) {
  NornModule *module = cursor->module;
  for (uint32_t i = module->fau_count; i-- > 0;) {
    if (!norn_edit_takes(cursor))
      continue;
    memmove(module->faus + i, module->faus + i + 1,
            (module->fau_count - i - 1) * sizeof *module->faus);
    module->fau_count--;
  }
}

/* One site: all names of values and blocks are removed; the printer numbers those without names. */
void
norn_edit_names(NornEditCursor *cursor) {
  bool any = false;
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    const NornFunction *function = cursor->module->functions[i];
    for (uint32_t k = 0; k < function->value_count; k++)
      any |= norn_value(function, k)->name != 0;
    for (uint32_t k = 0; k < function->block_count; k++)
      any |= norn_block(function, k)->name != 0;
  }
  if (!any || !norn_edit_takes(cursor))
    return;
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    for (uint32_t k = 0; k < function->value_count; k++)
      norn_value(function, k)->name = 0;
    for (uint32_t k = 0; k < function->block_count; k++)
      norn_block(function, k)->name = 0;
  }
}
