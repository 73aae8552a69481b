/* norn stats --run: what programs execute, and how long that takes according to the timing
 * model. */
#include "run/run.h"
#include "stats/stats.h"

#include <string.h>

/* In instructions of invocations; an endless loop ends after seconds. */
enum { STEP_LIMIT = 1000000000 };

typedef struct Recorder {
  NornTimingModel *model;
  guint64 run; /* number of the run, so that its warps are distinct */
} Recorder;

static bool
record(const NornObservation *at, gpointer user_data) {
  Recorder *recorder = user_data;
  if (at->phase == NORN_OBSERVE_BEFORE)
    norn_timing_step(recorder->model, recorder->run << 32 | at->warp, at->address);
  return true;
}

static gboolean
run_once(const Program *program, RunSpec *spec, Recorder *recorders, GError **error) {
  Session session = {0};
  for (guint i = 0; i < 2; i++)
    if (recorders[i].model)
      session.observers[i] = (NornObserver){record, &recorders[i]};
  gboolean done = run_spec_complete(program, spec, error) &&
                  run_session_init(program, spec, &session, error) &&
                  run_session_run(program, ENGINE_SIMULATOR, &session, error);
  run_session_clear(&session);
  if (!done)
    g_prefix_error(error, "%s:%u: ", spec->file, spec->location.line);
  return done;
}

static gboolean
run_specs(const Program *program, GPtrArray *specs, StatsProgram **programs, guint count,
          NornInstructionTiming **rows, GError **error) {
  Recorder recorders[2] = {{NULL, 0}, {NULL, 0}};
  GBytes *codes[2] = {program->code, program->varying_code};
  NornMachineCode code = {0};
  gboolean done = tool_find_isa(program->info.target, program->info.architecture, &code.isa,
                                &code.architecture, error);
  for (guint i = 0; done && i < count; i++) {
    code.words = g_bytes_get_data(codes[i], &code.size);
    recorders[i].model = norn_timing_new(&code, error);
    done = recorders[i].model != NULL;
  }
  for (guint run = 0; done && run < specs->len; run++) {
    recorders[0].run = recorders[1].run = run;
    done = run_once(program, specs->pdata[run], recorders, error);
  }
  for (guint i = 0; i < count; i++) {
    if (done) {
      NornTiming *timing = &programs[i]->timing;
      norn_timing_run(recorders[i].model, 0, timing);
      rows[i] = g_memdup2(timing->instructions, timing->instruction_count * sizeof *rows[i]);
      timing->instructions = NULL;
      programs[i]->executed = TRUE;
    }
    norn_timing_free(recorders[i].model);
  }
  return done;
}

gboolean
stats_run(const char *file, const ToolTarget *target, StatsProgram **programs, guint program_count,
          NornInstructionTiming **rows, GError **error) {
  Program program = {.path = file,
                     .workgroup = RUN_USUAL_WORKGROUP,
                     .quiet = TRUE,
                     .step_limit = STEP_LIMIT,
                     .limits = &target->options.limits,
                     .target = target};
  program.input = tool_read(file, error);
  if (!program.input)
    return FALSE;
  gsize size;
  const char *text = tool_text(program.input, &size);
  gboolean done = TRUE;
  g_autoptr(GPtrArray) specs =
      g_str_has_suffix(file, ".norn") ? run_spec_collect(text, size, file, error) : NULL;
  if (specs && specs->len) {
    program.module = run_program_parse(&program, &program.interface, error);
    if (program.module)
      norn_module_workgroup(program.module, program.workgroup);
    done = program.module && run_program_compile(&program, &target->options, error) &&
           run_specs(&program, specs, programs, program_count, rows, error);
  }
  run_program_clear(&program);
  return done && (specs || !g_str_has_suffix(file, ".norn"));
}
