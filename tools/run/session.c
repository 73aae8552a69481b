/* One run of a program: its launch, and its execution in an engine. */
#include "run/draw.h"
#include "run/watch.h"

#include <stdio.h>
#include <string.h>

/* The greatest number of invocations that divides `count` and fits into a workgroup. */
static guint32
group_size(guint32 count) {
  guint32 size = MIN(count, 1024);
  while (size > 1 && count % size)
    size--;
  return MAX(size, 1);
}

static void
set_draw(const RunDraw *draw, Session *session) {
  NornLaunch *launch = &session->launch;
  if (draw->stage == NORN_STAGE_VERTEX) {
    guint32 size = group_size(draw->size[0]);
    session->vertex.first_vertex = draw->first_vertex;
    session->vertex.draw_id = draw->draw_id;
    session->vertex.view_index = draw->view_index;
    launch->vertex = &session->vertex;
    memcpy(launch->grid, (guint32[3]){draw->size[0] / size, draw->instances, 1},
           sizeof launch->grid);
    memcpy(launch->workgroup, (guint32[3]){size, 1, 1}, sizeof launch->workgroup);
    return;
  }
  NornFragmentState *fragment = &session->fragment;
  fragment->width = draw->size[0];
  fragment->height = draw->size[1];
  fragment->samples = draw->samples;
  fragment->primitive_id = draw->primitive_id;
  fragment->view_index = draw->view_index;
  fragment->back_facing = draw->back_facing;
  memcpy(fragment->depth, draw->depth, sizeof fragment->depth);
  launch->fragment = fragment;
  memcpy(launch->grid,
         (guint32[3]){(draw->size[0] + 3) / 4, (draw->size[1] + 3) / 4,
                      draw->by_sample ? draw->samples : 1},
         sizeof launch->grid);
  memcpy(launch->workgroup, (guint32[3]){4, 4, 1}, sizeof launch->workgroup);
}

gboolean
run_session_init(const Program *program, const RunSpec *spec, Session *session, GError **error) {
  session->spec = spec;
  session->memory = norn_memory_new();
  session->images = g_new0(NornImage, spec->values->len + 1);
  session->resources = g_new0(NornResource, spec->entries->len + 1);
  session->vertex = (NornVertexState){
      .position_buffer = SIZE_MAX, .extra_buffer = SIZE_MAX, .varying_buffer = SIZE_MAX};
  session->fragment = (NornFragmentState){.varying_buffer = SIZE_MAX};
  if (!run_session_bind(program, spec, session, error) ||
      !run_bind_blend_shaders(program, session, error))
    return FALSE;
  NornLaunch *launch = &session->launch;
  launch->stage = run_stage(program, spec);
  launch->memory = session->memory;
  launch->uniforms = session->uniforms;
  launch->uniform_count = NORN_FAU_WORDS;
  launch->shared_bytes = program->info.workgroup_local_size;
  launch->scratch_bytes = program->info.thread_local_size;
  session->info = program->info;
  session->info.stage = launch->stage;
  launch->info = program->code ? &session->info : NULL;
  launch->step_limit = program->step_limit;
  launch->check_races = program->check_races;
  launch->unmapped_is_zero = program->is_random;
  launch->seed = program->seed;
  launch->memory_limit = program->limits ? program->limits->memory : 0;
  memcpy(launch->grid, spec->grid, sizeof launch->grid);
  memcpy(launch->workgroup, program->workgroup, sizeof launch->workgroup);
  session->vertex.writes_varyings = program->writes_varyings;
  if (spec->draw.location.line)
    set_draw(&spec->draw, session);
  return TRUE;
}

/* The column where the text of a line begins, after blanks; 1 if there is no such line. */
static guint
first_column(GBytes *input, guint line) {
  gsize size;
  const char *text = tool_text(input, &size), *end = text + size;
  while (text && --line && (text = memchr(text, '\n', (gsize)(end - text))))
    text++;
  guint column = 1;
  for (; text && text < end && (*text == ' ' || *text == '\t'); text++)
    column++;
  return column;
}

/* Adds the position in the source to the start of an error that begins with the address of an
 * instruction, if the map knows it. */
static void
name_place(const Program *program, const NornCodeMap *map, GError *error) {
  guint address;
  const NornCodeInst *inst = map && sscanf(error->message, "%*[a-z ]0x%x (", &address) == 1
                                 ? norn_code_map_at(map, address / 8)
                                 : NULL;
  if (inst && inst->line && program->interface)
    g_prefix_error(&error, "%s:%u: ", run_source_name(program), inst->line);
  else if (inst && inst->line)
    g_prefix_error(&error, "%s:%u:%u: ", program->path, inst->line,
                   first_column(program->input, inst->line));
}

/* Runs code, or interprets the module if there is none, watched as the command line requests, or
 * by the session's observer number `part`. */
static gboolean
run_watched(const Program *program, GBytes *bytes, const NornCodeMap *map, unsigned part,
            Session *session, GError **error) {
  GError *problem = NULL;
  if (session->observers[part].observe)
    session->launch.observer = &session->observers[part];
  Watch *watch = watch_new(program, session, map, &problem);
  if (problem) {
    g_propagate_error(error, problem);
    return FALSE;
  }
  gsize size = 0;
  const void *code = bytes ? g_bytes_get_data(bytes, &size) : NULL;
  gboolean done =
      bytes ? norn_simulate_valhall(code, size, program->architecture ? program->architecture : "9",
                                    &session->launch, &session->report, error)
            : norn_interpret(program->module, &session->launch, &session->report, error);
  session->launch.observer = NULL;
  watch_free(watch);
  if (!done && error)
    name_place(program, map, *error);
  return done;
}

/* Adds the counts of the other program, or run. Invocations and warps are not added for the two
 * programs of vertices, since they run both. */
static void
add_report(NornReport *report, const NornReport *other) {
  report->instructions += other->instructions;
  report->thread_instructions += other->thread_instructions;
  report->messages += other->messages;
  report->contractible += other->contractible;
  for (guint i = 0; i < NORN_UNIT_COUNT; i++)
    report->unit_instructions[i] += other->unit_instructions[i];
}

void
run_report_add(NornReport *report, const NornReport *other) {
  add_report(report, other);
  report->invocations += other->invocations;
  report->warps += other->warps;
}

gboolean
run_session_run(const Program *program, Engine engine, Session *session, GError **error) {
  return session->spec->draw.is_triangles ? run_draw_run(program, engine, session, error)
                                          : run_session_run_once(program, engine, session, error);
}

gboolean
run_session_run_once(const Program *program, Engine engine, Session *session, GError **error) {
  if (engine == ENGINE_INTERPRETER)
    return run_watched(program, NULL, NULL, 0, session, error);
  norn_launch_fill_uniforms(&session->launch, &program->info, session->uniforms);
  if (!run_watched(program, program->code, program->map, 0, session, error))
    return FALSE;
  if (!program->varying_code)
    return TRUE;
  NornReport first = session->report;
  session->vertex.writes_varyings = true;
  session->launch.scratch_bytes = program->varying_info.thread_local_size;
  session->launch.info = &program->varying_info;
  norn_launch_fill_uniforms(&session->launch, &program->varying_info, session->uniforms);
  gboolean done =
      run_watched(program, program->varying_code, program->varying_map, 1, session, error);
  add_report(&session->report, &first);
  return done;
}

void
run_session_clear(Session *session) {
  norn_memory_free(session->memory);
  g_free(session->images);
  g_free(session->resources);
  g_free(session->attributes);
  for (guint i = 0; i < NORN_COLOR_TARGETS; i++)
    g_clear_pointer(&session->blend_code[i], g_bytes_unref);
}
