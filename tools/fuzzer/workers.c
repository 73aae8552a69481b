/* The processes that check modules. Worker w of n handles every n-th seed of the plan, in order,
 * and writes each result to a pipe. So the parent knows which module ended a worker, records
 * that with the worker's current attempt, which is in shared memory, and starts another worker
 * after that module. Results are passed on in the order of seeds, so the report does not depend
 * on the number of workers. */
#include "common/interrupt.h"
#include "fuzzer/fuzzer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processor time for one module; a module that takes longer hangs. */
#define SECONDS_A_MODULE 60

/* What a worker attempts after its last module. */
#define AFTER_LAST "after its last module"

/* The texts of a result, and its features. */
#define PARTS 5

/* What a worker writes before them. */
typedef struct Header {
  guint64 number, runs;
  guint32 verdict, lengths[PARTS];
} Header;

typedef struct Worker {
  pid_t process;
  int pipe;
  guint64 next;         /* the number in the plan that it works on */
  FuzzAttempt *attempt; /* shared with the process */
  GByteArray *input;
  bool is_done;
} Worker;

typedef struct WorkerPool {
  const FuzzPlan *plan;
  guint64 count; /* number of modules in this shard, files included */
  Worker *workers;
  GHashTable *waiting; /* number to FuzzResult, until the results before it are available */
  guint64 reported;
} WorkerPool;

/* The file with that number in the plan, NULL if it is a seed. */
static const FuzzFile *
file_of(const FuzzPlan *plan, guint64 number) {
  return number < plan->files->len ? plan->files->pdata[number] : NULL;
}

static guint64
seed_of(const FuzzPlan *plan, guint64 number) {
  const FuzzFile *file = file_of(plan, number);
  return file ? file->seed : plan->first + plan->shard + (number - plan->files->len) * plan->shards;
}

/* --- In the worker --- */

static void
send_bytes(int file, const void *bytes, gsize size) {
  if (!tool_write_all(file, bytes, size))
    _exit(0); /* the parent has ended */
}

static void
send_result(int file, guint64 number, const FuzzResult *result) {
  const void *parts[PARTS] = {result->message, result->command, result->reduce, result->expected,
                              result->features};
  Header header = {.number = number, .runs = result->runs, .verdict = result->verdict};
  for (guint i = 0; i < PARTS - 1; i++)
    header.lengths[i] = parts[i] ? (guint32)strlen(parts[i]) : 0;
  header.lengths[PARTS - 1] = (guint32)(result->feature_count * sizeof *result->features);
  send_bytes(file, &header, sizeof header);
  for (guint i = 0; i < PARTS; i++)
    send_bytes(file, parts[i], header.lengths[i]);
}

static void
work(const WorkerPool *pool, const Worker *worker, int file) {
  const FuzzPlan *plan = pool->plan;
  guint64 number = worker->next;
  signal(SIGPROF, SIG_DFL);
  for (; number < pool->count; number += plan->jobs) {
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS_A_MODULE}};
    FuzzResult result;
    if (plan->deadline && g_get_monotonic_time() > plan->deadline)
      break;
    setitimer(ITIMER_PROF, &limit, NULL);
    const FuzzInput input = {plan->forms, plan->compiles, seed_of(plan, number),
                             file_of(plan, number), plan->wants_features};
    fuzz_check(&input, worker->attempt, &result);
    send_result(file, number, &result);
    fuzz_result_clear(&result);
  }
  snprintf(worker->attempt->what, sizeof worker->attempt->what, "%s", AFTER_LAST);
}

/* --- In the parent --- */

static gboolean
start(WorkerPool *pool, guint index, GError **error) {
  Worker *worker = &pool->workers[index];
  int ends[2];
  if (pipe(ends) < 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "cannot create a pipe: %s", g_strerror(errno));
    return FALSE;
  }
  fflush(NULL);
  worker->attempt->what[0] = '\0';
  worker->process = fork();
  if (worker->process < 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "cannot create a process: %s", g_strerror(errno));
    close(ends[0]);
    close(ends[1]);
    return FALSE;
  }
  if (!worker->process) {
    interrupt_release();
    close(ends[0]);
    work(pool, worker, ends[1]);
    exit(0); /* not _exit, so that LeakSanitizer checks for memory that the modules have leaked */
  }
  close(ends[1]);
  worker->pipe = ends[0];
  return TRUE;
}

static void
result_free(gpointer data) {
  fuzz_result_clear(data);
  g_free(data);
}

static void
pass_on(const WorkerPool *pool, guint64 number, const FuzzResult *result) {
  const FuzzPlan *plan = pool->plan;
  plan->report(seed_of(plan, number), file_of(plan, number), result, plan->data);
}

/* Reports all results that are not preceded by a missing one. */
static void
report(WorkerPool *pool) {
  gpointer found;
  while ((found = g_hash_table_lookup(pool->waiting, &pool->reported))) {
    pass_on(pool, pool->reported, found);
    g_hash_table_remove(pool->waiting, &pool->reported);
    pool->reported++;
  }
}

static void
note(WorkerPool *pool, guint64 number, const FuzzResult *result) {
  g_hash_table_insert(pool->waiting, g_memdup2(&number, sizeof number),
                      g_memdup2(result, sizeof *result));
  report(pool);
}

/* Extracts complete results from a worker's output. */
static void
take_results(WorkerPool *pool, Worker *worker) {
  Header header;
  GByteArray *input = worker->input;
  while (input->len >= sizeof header) {
    memcpy(&header, input->data, sizeof header);
    gsize size = sizeof header;
    for (guint i = 0; i < PARTS; i++)
      size += header.lengths[i];
    if (input->len < size)
      return;
    char *texts[PARTS], *at = (char *)input->data + sizeof header;
    for (guint i = 0; i < PARTS - 1; at += header.lengths[i++])
      texts[i] = header.lengths[i] ? g_strndup(at, header.lengths[i]) : NULL;
    note(pool, header.number,
         &(FuzzResult){(FuzzVerdict)header.verdict, texts[0], texts[1], texts[2], texts[3],
                       header.runs, g_memdup2(at, header.lengths[PARTS - 1]),
                       header.lengths[PARTS - 1] / sizeof(guint32)});
    g_byte_array_remove_range(input, 0, (guint)size);
    worker->next = header.number + pool->plan->jobs;
  }
}

/* A worker's pipe has ended: either it is done, or a module has ended it, or it failed when it was
 * done, as LeakSanitizer makes it fail. The last is an error, because no module can be named. */
static gboolean
finish(WorkerPool *pool, guint index, GError **error) {
  Worker *worker = &pool->workers[index];
  int status = 0;
  close(worker->pipe);
  g_byte_array_set_size(worker->input, 0);
  while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
    continue;
  worker->is_done = interrupt_came() || (WIFEXITED(status) && !WEXITSTATUS(status));
  if (worker->is_done)
    return TRUE;
  bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
  g_autofree char *end =
      hangs ? g_strdup_printf("took more than %u seconds", SECONDS_A_MODULE)
      : WIFSIGNALED(status)
          ? g_strdup_printf("ended the process: %s", g_strsignal(WTERMSIG(status)))
          : g_strdup_printf("ended the process with status %d", WEXITSTATUS(status));
  if (!strcmp(worker->attempt->what, AFTER_LAST)) {
    worker->is_done = true;
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO,
                "a worker failed " AFTER_LAST ", perhaps because of a memory leak: %s", end);
    return FALSE;
  }
  FuzzResult result = {FUZZ_CRASHED,
                       .message = g_strdup_printf("%s: %s", worker->attempt->what, end)};
  fuzz_result_take(&result, worker->attempt);
  note(pool, worker->next, &result);
  worker->next += pool->plan->jobs;
  return start(pool, index, error);
}

/* Reads the available input. FALSE with an error if a worker cannot be replaced. */
static gboolean
read_pipe(WorkerPool *pool, guint index, GError **error) {
  guint8 bytes[65536];
  Worker *worker = &pool->workers[index];
  gssize size = read(worker->pipe, bytes, sizeof bytes);
  if (size < 0 && errno == EINTR)
    return TRUE;
  if (size <= 0)
    return finish(pool, index, error);
  g_byte_array_append(worker->input, bytes, (guint)size);
  take_results(pool, worker);
  return TRUE;
}

static gboolean
wait_for_workers(WorkerPool *pool, GError **error) {
  guint jobs = pool->plan->jobs;
  g_autofree struct pollfd *files = g_new0(struct pollfd, jobs);
  for (guint left = jobs; left && !interrupt_came();) {
    for (guint i = 0; i < jobs; i++)
      files[i] = (struct pollfd){pool->workers[i].is_done ? -1 : pool->workers[i].pipe, POLLIN, 0};
    if (poll(files, jobs, -1) < 0 && errno != EINTR)
      return FALSE;
    left = 0;
    for (guint i = 0; i < jobs; i++) {
      if (files[i].revents && !read_pipe(pool, i, error))
        return FALSE;
      left += !pool->workers[i].is_done;
    }
  }
  return TRUE;
}

/* Ends the workers that are still running after an interruption. */
static void
end_workers(WorkerPool *pool) {
  for (guint i = 0; i < pool->plan->jobs; i++) {
    Worker *worker = &pool->workers[i];
    if (worker->pipe < 0 || worker->is_done)
      continue;
    kill(worker->process, SIGKILL);
    while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR)
      continue;
    close(worker->pipe);
  }
}

/* Results that remain if time was over before some module, which leaves a gap in the order of
 * seeds. */
static int
compare_numbers(gconstpointer a, gconstpointer b) {
  const guint64 *const *x = a, *const *y = b;
  return (**x > **y) - (**x < **y);
}

static void
report_rest(WorkerPool *pool) {
  guint count;
  g_autofree gpointer *keys = g_hash_table_get_keys_as_array(pool->waiting, &count);
  qsort(keys, count, sizeof *keys, compare_numbers);
  for (guint i = 0; i < count; i++) {
    guint64 number = *(guint64 *)keys[i];
    pass_on(pool, number, g_hash_table_lookup(pool->waiting, keys[i]));
  }
}

gboolean
fuzz_run(const FuzzPlan *plan, GError **error) {
  gsize shared = plan->jobs * sizeof(FuzzAttempt);
  FuzzAttempt *attempts =
      mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (attempts == MAP_FAILED) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "cannot allocate shared memory: %s",
                g_strerror(errno));
    return FALSE;
  }
  WorkerPool pool = {.plan = plan, .workers = g_new0(Worker, plan->jobs)};
  pool.count = plan->files->len + (plan->count - plan->shard + plan->shards - 1) / plan->shards;
  pool.waiting = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, result_free);
  gboolean done = TRUE;
  for (guint i = 0; i < plan->jobs; i++) {
    pool.workers[i] =
        (Worker){.next = i, .attempt = attempts + i, .pipe = -1, .input = g_byte_array_new()};
    done = done && start(&pool, i, error);
  }
  done = done && wait_for_workers(&pool, error);
  end_workers(&pool);
  report_rest(&pool);
  for (guint i = 0; i < plan->jobs; i++)
    g_byte_array_unref(pool.workers[i].input);
  g_hash_table_unref(pool.waiting);
  g_free(pool.workers);
  munmap(attempts, shared);
  return done;
}
