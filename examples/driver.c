/* A small driver: it accepts shaders in SPIR-V, as an application passes them, compiles them on a
 * pool of threads, caches the results by a hash of their inputs, lays the code out in memory as the
 * hardware requires, and fills descriptors. Nothing runs.
 *
 *   driver SHADER.spv ...
 *
 * Each file is requested twice, because pipelines share shaders; the second request waits for the
 * first or finds its result. doc/embedding.md explains the parts. */
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CODE_ALIGNMENT = 128, /* of entry points */
  CODE_PREFETCH = 16,   /* bytes that must be free after the end of code */
  HEAP_BYTES = 1 << 20,
  THREADS = 2,
  REQUESTS_A_FILE = 2,
};

static const char architecture[] = "10";

/* What a command stream would point to. The layout is this program's own: it has the contents of
 * the hardware's descriptors, but not their layout. */
typedef struct Descriptor {
  uint64_t code;              /* address */
  uint64_t constants;         /* address of the contents of uniform words */
  uint64_t preloaded;         /* registers to fill before the start */
  uint64_t resource_tables;   /* that must be bound, as bits */
  uint32_t thread_local_size; /* bytes for each thread */
  uint32_t workgroup_local_size;
  uint16_t uniform_words;
  uint8_t first_constant, constant_count; /* uniform words to fill with constants of the program */
  uint8_t stage;
  uint8_t half_registers;    /* 32 registers and twice the threads */
  uint8_t flushes_denormals; /* float mode */
  uint8_t has_side_effects;  /* must run even if nothing is drawn */
  uint8_t early_tests, forward_kill, by_sample, needs_helpers, may_discard; /* fragment shaders */
  uint8_t color_targets;
  uint32_t varying_stride; /* vertex shaders: bytes of a packet */
} Descriptor;

/* --- Memory that the hardware reads --- */

typedef struct Heap {
  GMutex mutex;
  uint8_t *bytes;
  size_t used;
  uint64_t address; /* of the first byte */
} Heap;

/* Puts code, or data for it, where it can be run from, with zeros after it. Returns its address, or
 * 0 if the heap is full. */
static uint64_t
heap_add(Heap *heap, GBytes *code) {
  size_t size, end;
  const void *words = g_bytes_get_data(code, &size);
  g_mutex_lock(&heap->mutex);
  size_t at = heap->used;
  end = (at + size + CODE_PREFETCH + CODE_ALIGNMENT - 1) / CODE_ALIGNMENT * CODE_ALIGNMENT;
  bool fits = end <= HEAP_BYTES;
  if (fits) {
    if (size) /* there may be no constants */
      memcpy(heap->bytes + at, words, size);
    heap->used = end;
  }
  g_mutex_unlock(&heap->mutex);
  return fits ? heap->address + at : 0;
}

/* --- The cache --- */

/* A requested shader, and its result. */
typedef struct Shader {
  char *key;
  bool is_ready; /* the rest is valid */
  GError *error;
  unsigned count; /* of programs: a vertex shader may have two */
  Descriptor programs[2];
  unsigned instructions[2];
} Shader;

typedef struct Driver {
  GMutex mutex; /* protects what follows */
  GCond ready;  /* signaled when a shader is */
  GHashTable *shaders;
  unsigned compiled, found;
  Heap heap;
} Driver;

static void
shader_free(gpointer data) {
  Shader *shader = data;
  g_clear_error(&shader->error);
  g_free(shader->key);
  g_free(shader);
}

/* The key is all that the code depends on: the shader, the options, the compiler itself. */
static char *
make_key(GBytes *spirv, const NornCompileOptions *options) {
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  gsize size;
  const void *bytes = g_bytes_get_data(spirv, &size);
  g_autofree char *rest =
      g_strdup_printf("norn %s, architecture %s, -O%u, contract %d, uniforms %d", norn_version(),
                      options->architecture, options->optimization_level, options->contract,
                      options->promote_uniforms);
  g_checksum_update(sum, bytes, (gssize)size);
  g_checksum_update(sum, (const guchar *)rest, -1);
  return g_strdup(g_checksum_get_string(sum));
}

/* --- Compiling --- */

static void
free_compiler(gpointer compiler) {
  norn_compiler_free(compiler);
}

/* The compiler of this thread, which keeps its memory from shader to shader. */
static NornCompiler *
own_compiler(void) {
  static GPrivate compilers = G_PRIVATE_INIT(free_compiler);
  if (!g_private_get(&compilers))
    g_private_set(&compilers, norn_compiler_new());
  return g_private_get(&compilers);
}

/* An application's shader is not trusted, so its cost is limited. */
static void
set_options(NornCompileOptions *options) {
  norn_compile_options_init(options);
  options->architecture = architecture;
  options->limits = (NornLimits){.work = 50000000, .memory = 256 << 20, .code = HEAP_BYTES};
}

static Descriptor
describe(const NornCompileInfo *info, uint64_t code, uint64_t constants) {
  const NornShaderInfo *shader = &info->shader;
  return (Descriptor){
      .code = code,
      .constants = constants,
      .preloaded = info->preloaded,
      .resource_tables = shader->unknown_handles ? UINT64_MAX : shader->tables,
      .thread_local_size = info->thread_local_size,
      .workgroup_local_size = info->workgroup_local_size,
      .uniform_words = (uint16_t)info->fau_words,
      .first_constant = (uint8_t)info->promoted_first,
      .constant_count = (uint8_t)info->promoted_count,
      .stage = (uint8_t)info->stage,
      .half_registers = info->threads == 2,
      .flushes_denormals = info->denormals == NORN_DENORMALS_FLUSH,
      .has_side_effects = shader->writes_memory,
      .early_tests = shader->early_tests,
      .forward_kill = shader->forward_kill,
      .by_sample = shader->runs_by_sample,
      .needs_helpers = shader->needs_helpers,
      .may_discard = shader->may_discard,
      .color_targets = shader->color_targets,
      .varying_stride = shader->varying_size ? shader->varying_size + 16 : 0,
  };
}

/* Compiles the programs of a module and puts them into the heap. */
static bool
compile(Driver *driver, const NornModule *module, Shader *shader) {
  NornCompileOptions options;
  set_options(&options);
  g_auto(NornVertexPrograms) programs = {0};
  if (norn_module_stage(module) == NORN_STAGE_VERTEX) {
    if (!norn_compiler_compile_vertex(own_compiler(), module, &options, &programs, &shader->error))
      return false;
  } else {
    programs.code[0] =
        norn_compiler_compile(own_compiler(), module, &options, &programs.info[0], &shader->error);
    programs.count = programs.code[0] != NULL;
  }
  for (unsigned i = 0; i < programs.count; i++) {
    const NornCompileInfo *info = &programs.info[i];
    g_autoptr(GBytes) words =
        g_bytes_new(info->constants, info->promoted_count * sizeof *info->constants);
    uint64_t address = heap_add(&driver->heap, programs.code[i]);
    uint64_t constants = heap_add(&driver->heap, words);
    if (!address || !constants) {
      g_set_error(&shader->error, NORN_ERROR, NORN_ERROR_LIMIT, "the heap for code is full");
      return false;
    }
    shader->programs[i] = describe(info, address, constants);
    shader->instructions[i] = info->instructions;
    shader->count++;
  }
  return shader->count > 0;
}

/* Reads and compiles the shader. The caller has cached it, so no other thread does the same. */
static void
make(Driver *driver, const char *path, GBytes *spirv, Shader *shader) {
  NornSpirvOptions options;
  norn_spirv_options_init(&options);
  gsize size;
  const void *bytes = g_bytes_get_data(spirv, &size);
  g_autoptr(NornModule) module =
      norn_module_from_spirv(bytes, size, path, &options, NULL, &shader->error);
  if (!module || !compile(driver, module, shader))
    shader->count = 0;
}

/* Returns the shader for that SPIR-V: the first to request it compiles it, while others wait. It
 * belongs to the driver. */
static const Shader *
request(Driver *driver, const char *path, GBytes *spirv) {
  NornCompileOptions options;
  set_options(&options);
  g_autofree char *key = make_key(spirv, &options);
  g_mutex_lock(&driver->mutex);
  Shader *shader = g_hash_table_lookup(driver->shaders, key);
  if (shader) {
    driver->found++;
    while (!shader->is_ready)
      g_cond_wait(&driver->ready, &driver->mutex);
    g_mutex_unlock(&driver->mutex);
    return shader;
  }
  shader = g_new0(Shader, 1);
  shader->key = g_steal_pointer(&key);
  g_hash_table_insert(driver->shaders, shader->key, shader);
  driver->compiled++;
  g_mutex_unlock(&driver->mutex);

  make(driver, path, spirv, shader);

  g_mutex_lock(&driver->mutex);
  shader->is_ready = true;
  g_cond_broadcast(&driver->ready);
  g_mutex_unlock(&driver->mutex);
  return shader;
}

/* --- The application --- */

/* A request for a shader, for one of the threads. */
typedef struct Job {
  const char *path;
  const Shader *shader; /* NULL until it is done, or if the file cannot be read */
  GError *error;
} Job;

static void
run_job(gpointer data, gpointer user_data) {
  Job *job = data;
  char *text;
  gsize size;
  if (!g_file_get_contents(job->path, &text, &size, &job->error))
    return;
  g_autoptr(GBytes) spirv = g_bytes_new_take(text, size);
  g_autofree char *name = g_path_get_basename(job->path);
  job->shader = request(user_data, name, spirv);
}

static void
print_program(const char *name, const Descriptor *program, unsigned instructions) {
  printf("%s: %s, %u instructions, preload %#" G_GINT64_MODIFIER "x"
         ", %u uniform words",
         name, norn_stage_name((NornShaderStage)program->stage), instructions, program->preloaded,
         program->uniform_words);
  if (program->constant_count)
    printf(" (%u for constants)", program->constant_count);
  if (program->half_registers)
    printf(", half the registers");
  if (program->varying_stride)
    printf(", packets of %u bytes", program->varying_stride);
  if (program->workgroup_local_size)
    printf(", %u bytes a workgroup", program->workgroup_local_size);
  printf("%s%s%s\n", program->has_side_effects ? ", writes memory" : "",
         program->early_tests ? ", early tests" : "", program->may_discard ? ", discards" : "");
}

/* Prints the result of a request; false if it failed. */
static bool
print_job(const Job *job) {
  g_autofree char *name = g_path_get_basename(job->path);
  const GError *error = job->shader ? job->shader->error : job->error;
  if (error) {
    printf("%s: refused\n", name);
    fprintf(stderr, "%s\n", error->message);
    return false;
  }
  for (unsigned i = 0; i < job->shader->count; i++)
    print_program(name, &job->shader->programs[i], job->shader->instructions[i]);
  return true;
}

int
main(int argc, char **argv) {
  unsigned files = (unsigned)argc - 1, count = files * REQUESTS_A_FILE;
  Driver driver = {.heap = {.bytes = g_malloc0(HEAP_BYTES), .address = 0x10000000}};
  driver.shaders = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, shader_free);
  g_autofree Job *jobs = g_new0(Job, MAX(count, 1));

  GThreadPool *pool = g_thread_pool_new(run_job, &driver, THREADS, TRUE, NULL);
  for (unsigned i = 0; i < count; i++) {
    jobs[i].path = argv[1 + i % files];
    g_thread_pool_push(pool, &jobs[i], NULL);
  }
  g_thread_pool_free(pool, FALSE, TRUE); /* waits for all jobs */

  bool done = true;
  for (unsigned i = 0; i < count; i++) {
    if (i < files)
      done = print_job(&jobs[i]) && done;
    done = done && jobs[i].shader == jobs[i % files].shader;
    g_clear_error(&jobs[i].error);
  }
  printf("%u compiled, %u found in the cache\n", driver.compiled, driver.found);
  g_hash_table_unref(driver.shaders);
  g_free(driver.heap.bytes);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
