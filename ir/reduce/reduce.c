/* The reducer: delta debugging over the edits of edit.h.
 *
 * The module is kept as text; every candidate is a fresh copy of it. An edit is tried on all of its
 * sites at once, then on halves, quarters and so on down to single sites, from the last to the
 * first, so that uses are changed before definitions. A candidate that the test accepts becomes the
 * new module. The list of edits is repeated until none of them makes anything smaller; names are
 * removed last.
 *
 * No text is tested twice: a text that was seen before either was rejected or is larger than the
 * current one. The reducer thus terminates even if edits undo each other. */
#include "ir/reduce/edit.h"
#include <norn/reduce.h>
#include <string.h>

typedef struct Edit {
  const char *name;
  NornEditFunction run;
  unsigned variant;
} Edit;

/* Edits that remove the most come first. */
static const Edit edits[] = {
    {"remove calls", norn_edit_calls, 0},
    {"remove functions", norn_edit_unused_functions, 0},
    {"end blocks", norn_edit_ends, 0},
    {"remove unreachable blocks", norn_edit_unreachable, 0},
    {"follow first edges", norn_edit_edges, 0},
    {"follow last edges", norn_edit_edges, 1},
    {"remove unreachable blocks", norn_edit_unreachable, 0},
    {"remove unreachable blocks", norn_edit_unreachable, 1},
    {"remove unused values", norn_edit_erase, 0},
    {"remove instructions", norn_edit_erase, 1},
    {"remove cases", norn_edit_cases, 0},
    {"remove parameters", norn_edit_parameters, 0},
    {"forward arguments", norn_edit_parameters, 1},
    {"branch to unreachable blocks", norn_edit_connect, 0},
    {"bypass empty blocks", norn_edit_empty_blocks, 0},
    {"remove unreachable blocks", norn_edit_unreachable, 0},
    {"merge blocks", norn_edit_merges, 0},
    {"forward first operands", norn_edit_forward, 0},
    {"forward second operands", norn_edit_forward, 1},
    {"forward third operands", norn_edit_forward, 2},
    {"make operands 0", norn_edit_operands, 0},
    {"make operands 1", norn_edit_operands, 1},
    {"use older values", norn_edit_older_operands, 0},
    {"remove unused values", norn_edit_erase, 0},
    {"make types 32 bits wide", norn_edit_types, 0},
    {"make vectors scalar", norn_edit_types, 1},
    {"remove flags", norn_edit_flags, 0},
    {"make immediates 0", norn_edit_immediates, 0},
    {"halve immediates", norn_edit_immediates, 1},
    {"make modifiers the default", norn_edit_modifiers, 0},
    {"make constants 0", norn_edit_constants, 0},
    {"make constants 1", norn_edit_constants, 1},
    {"halve constants", norn_edit_constants, 2},
    {"make the workgroup one invocation", norn_edit_workgroup, 0},
    {"halve the workgroup", norn_edit_workgroup, 1},
    {"allow any grid", norn_edit_grid, 0},
    {"remove memory", norn_edit_memory, 0},
    {"halve memory", norn_edit_memory, 1},
    {"remove constant data", norn_edit_data, 0},
    {"halve constant data", norn_edit_data, 1},
    {"make float modes the default", norn_edit_float_mode, 0},
    {"remove early tests", norn_edit_early_tests, 0},
    {"remove by_sample", norn_edit_by_sample, 0},
    {"remove uniforms", norn_edit_faus, 0},
};

static const Edit naming = {"remove names", norn_edit_names, 0};

typedef struct Reducer {
  const NornReduceOptions *options;
  char *text;       /* of the smallest module so far */
  size_t length;    /* of the text */
  GHashTable *seen; /* checksums of the texts tested so far */
  NornReduceReport report;
  bool is_stopped;
} Reducer;

static NornModule *
copy_best(const Reducer *reducer) {
  return norn_module_parse(reducer->text, reducer->length, NULL, NULL);
}

/* Records the text; false if it was seen before. */
static bool
is_new(Reducer *reducer, const char *text, size_t length) {
  return g_hash_table_add(
      reducer->seen, g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length));
}

static void
count_module(const NornModule *module, NornReduceReport *report) {
  report->functions = module->function_count;
  report->blocks = report->instructions = 0;
  for (uint32_t i = 0; i < module->function_count; i++) {
    const NornFunction *function = module->functions[i];
    report->blocks += function->block_order_count;
    norn_for_each_block (function, block) {
      norn_for_each_inst (function, block, inst)
        report->instructions++;
    }
  }
}

static bool
ask(Reducer *reducer, const char *text) {
  NornReduceReport *report = &reducer->report;
  const NornReduceOptions *options = reducer->options;
  if (options->try_limit && report->tried >= options->try_limit)
    reducer->is_stopped = true;
  if (reducer->is_stopped)
    return false;
  NornReduceAnswer answer = options->test(text, options->test_data);
  report->tried++;
  reducer->is_stopped = answer == NORN_REDUCE_STOP;
  return answer == NORN_REDUCE_ACCEPT;
}

/* Tests a candidate and keeps it if it is accepted. */
static bool
judge(Reducer *reducer, const NornModule *candidate) {
  size_t length;
  char *text = norn_module_print(candidate, &length);
  bool is_good =
      is_new(reducer, text, length) && norn_module_verify(candidate, NULL) && ask(reducer, text);
  if (is_good) {
    reducer->report.accepted++;
    count_module(candidate, &reducer->report);
    g_free(reducer->text);
    reducer->text = text;
    reducer->length = length;
  } else {
    g_free(text);
  }
  if (reducer->options->progress)
    reducer->options->progress(&reducer->report, reducer->options->progress_data);
  return is_good;
}

/* Applies the edit to a run of its sites in a copy. Returns the number of sites; *is_good says
 * whether the copy was accepted. An empty run only counts. */
static uint32_t
apply(Reducer *reducer, const Edit *edit, uint32_t first, uint32_t end, bool *is_good) {
  NornEditCursor cursor = {
      .module = copy_best(reducer), .first = first, .end = end, .variant = edit->variant};
  if (!cursor.module)
    return 0;
  edit->run(&cursor);
  *is_good = first < end && judge(reducer, cursor.module);
  norn_module_free(cursor.module);
  return cursor.site;
}

/* Tries the edit on runs of `size` sites, from the last to the first. Returns the number of sites
 * that remain. */
static uint32_t
apply_runs(Reducer *reducer, const Edit *edit, uint32_t count, uint32_t size, bool *any) {
  for (uint32_t end = count; end && !reducer->is_stopped;) {
    uint32_t first = end > size ? end - size : 0;
    bool is_good = false;
    apply(reducer, edit, first, end, &is_good);
    *any |= is_good;
    if (is_good)
      count = apply(reducer, edit, 0, 0, &is_good);
    end = MIN(first, count);
  }
  return count;
}

/* Runs the edit; returns whether it made the module smaller. */
static bool
run_edit(Reducer *reducer, const Edit *edit) {
  bool any = false, is_good;
  reducer->report.edit = edit->name;
  uint32_t count = apply(reducer, edit, 0, 0, &is_good);
  for (uint32_t size = count; size && count && !reducer->is_stopped; size /= 2)
    count = apply_runs(reducer, edit, count, size, &any);
  return any;
}

static bool
run_edits(Reducer *reducer) {
  bool any = false;
  for (unsigned i = 0; i < G_N_ELEMENTS(edits) && !reducer->is_stopped; i++)
    any |= run_edit(reducer, &edits[i]);
  return any;
}

/* The original module itself must pass the test. */
static bool
accept_original(Reducer *reducer, const NornModule *module, GError **error) {
  if (!norn_module_verify(module, error))
    return false;
  reducer->text = norn_module_print(module, &reducer->length);
  reducer->report.edit = "check";
  count_module(module, &reducer->report);
  is_new(reducer, reducer->text, reducer->length);
  if (ask(reducer, reducer->text))
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s: the module does not show the bug to reduce", module->filename);
  return false;
}

NornModule *
norn_reduce(const NornModule *module, const NornReduceOptions *options, NornReduceReport *report,
            GError **error) {
  Reducer reducer = {.options = options};
  reducer.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  NornModule *result = NULL;
  if (accept_original(&reducer, module, error)) {
    while (run_edits(&reducer))
      ;
    run_edit(&reducer, &naming);
    result = norn_module_parse(reducer.text, reducer.length, module->filename, error);
  }
  if (report)
    *report = reducer.report;
  g_hash_table_unref(reducer.seen);
  g_free(reducer.text);
  return result;
}
