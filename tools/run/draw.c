/* Triangles: a vertex program, then a fragment program on the triangles that it outputs.
 *
 * Each program has its own description, parsed from the same text, and a session with its own
 * memory. A name that only the other program knows is skipped. The vertex program's results in
 * buffers and images are copied to the memory of the fragment program, which continues with them
 * if it knows them, too: everything that is printed, compared and saved is in that memory. */
#include "run/draw.h"
#include "run/declared.h"

#include <string.h>

/* Removes expected values that the vertex program does not know; the others start as zeros for
 * it, too. */
static void
keep_known(const Program *vertex, RunSpec *vertices) {
  for (guint i = vertices->expected->len; i--;)
    if (!run_is_known(vertex, vertices, vertices->expected->pdata[i]))
      g_ptr_array_remove_index(vertices->expected, i);
}

gboolean
run_draw_prepare(const Program *program, RunSpec *spec, RunSpec *vertices, GError **error) {
  const RunDraw *draw = &spec->draw;
  if (!draw->is_triangles) {
    run_spec_free(vertices);
    return run_spec_fail(spec, draw->location.line ? draw->location : spec->location, error,
                         "with a vertex shader, expected draw=triangles(3, 64x64)");
  }
  spec->vertices = vertices;
  vertices->draw = (RunDraw){.location = draw->location,
                             .stage = NORN_STAGE_VERTEX,
                             .size = {draw->vertices},
                             .instances = draw->instances,
                             .first_vertex = draw->first_vertex,
                             .first_instance = draw->first_instance,
                             .draw_id = draw->draw_id,
                             .view_index = draw->view_index};
  keep_known(program->vertex, vertices);
  return run_spec_complete(program->vertex, vertices, error);
}

typedef struct Triangles {
  const Program *program;
  Engine engine;
  Session *session;
  NornReport report;
} Triangles;

static bool
run_fragments(void *data, const NornLaunch *launch, GError **error) {
  Triangles *triangles = data;
  NornLaunch own = triangles->session->launch;
  triangles->session->launch = *launch;
  bool done =
      run_session_run_once(triangles->program, triangles->engine, triangles->session, error);
  triangles->session->launch = own;
  run_report_add(&triangles->report, &triangles->session->report);
  return done;
}

/* The bytes in a buffer of vertices that belong to `instance`; NULL if there are none. */
static const guint8 *
instance_bytes(const Session *vertices, gsize buffer, gsize bytes, guint instance) {
  return buffer == SIZE_MAX
             ? NULL
             : norn_memory_bytes(vertices->memory, buffer, NULL) + (gsize)instance * bytes;
}

static gboolean
tests_early(const Program *program) {
  const NornModule *module = program->module ? program->module : program->source;
  NornShaderInfo shader = {0};
  if (module)
    norn_module_shader_info(module, &shader);
  return shader.requires_early_tests;
}

static gboolean
draw_instances(Triangles *run, const Session *vertices, GError **error) {
  const RunDraw *draw = &run->session->spec->draw;
  const NornVertexState *state = &vertices->vertex;
  NornTriangles triangles = {.varying_stride = state->varying_stride,
                             .vertex_count = draw->vertices,
                             .is_strip = draw->is_strip,
                             .cull = (NornCullMode)draw->cull,
                             .depth_compare = (NornCompare)draw->depth_compare,
                             .tests_early = tests_early(run->program)};
  gboolean done = TRUE;
  for (guint i = 0; done && i < draw->instances; i++) {
    triangles.positions = (const float(*)[4])(const void *)instance_bytes(
        vertices, state->position_buffer, (gsize)draw->vertices * sizeof *triangles.positions, i);
    triangles.varyings = instance_bytes(vertices, state->varying_buffer,
                                        (gsize)draw->vertices * state->varying_stride, i);
    done = !triangles.positions ||
           norn_draw_triangles(&triangles, &run->session->launch, run_fragments, run, error);
  }
  return done;
}

/* Copies the vertex program's results to the fragments' memory. */
static gboolean
take_over(const Program *vertex, const Session *vertices, Session *session, GError **error) {
  const RunSpec *spec = session->spec, *own = vertices->spec;
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gsize left = norn_memory_find(vertices->memory, value->name), size, room;
    gsize buffer = norn_memory_find(session->memory, value->name);
    if (left == SIZE_MAX || run_value_is_attribute(own, value))
      continue;
    const guint8 *bytes = norn_memory_bytes(vertices->memory, left, &size);
    if (value->is_foreign) {
      if (!norn_memory_add(session->memory, value->name, 0, bytes, size, error))
        return FALSE;
      session->images[i] = value->image;
      session->images[i].buffer = norn_memory_find(session->memory, value->name);
    } else if (buffer != SIZE_MAX && !run_value_has_role(vertex, own, value)) {
      guint8 *own_bytes = norn_memory_bytes(session->memory, buffer, &room);
      memcpy(own_bytes, bytes, MIN(size, room));
    }
  }
  return TRUE;
}

gboolean
run_draw_run(const Program *program, Engine engine, Session *session, GError **error) {
  Session vertices = {0};
  Triangles triangles = {.program = program, .engine = engine, .session = session};
  gboolean done = run_session_init(program->vertex, session->spec->vertices, &vertices, error) &&
                  run_session_run(program->vertex, engine, &vertices, error) &&
                  take_over(program->vertex, &vertices, session, error) &&
                  draw_instances(&triangles, &vertices, error);
  run_report_add(&triangles.report, &vertices.report);
  session->report = triangles.report;
  run_session_clear(&vertices);
  return done;
}
