/* libFuzzer's entry for the generator of instruction set tables: any XML description results in
 * tables or an error.
 *
 * The generator is a program that exits at the first error. It is compiled with exit() replaced
 * by the function below, which returns here instead. Memory that it had not freed by then is
 * leaked, so this is run without a leak check. */
#define _GNU_SOURCE /* memfd_create */
#include "isa/gen/gen.h"
#include <libxml/parser.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
void fuzz_exit(int status) G_GNUC_NORETURN;

static jmp_buf failed;

void
fuzz_exit(int status) {
  longjmp(failed, status + 1);
}

static void
drop_message(const char *message) {
  (void)message;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  g_set_printerr_handler(drop_message);
  return 0;
}

static void
generate(Generator *gen) {
  gen_load(gen, FUZZ_SCHEMA);
  gen_enums(gen);
  gen_encodings(gen);
  gen_decode_trees(gen);
  GString *out = g_string_new(NULL);
  gen_emit_header(gen, out);
  gen_emit_tables(gen, out);
  g_string_free(out, TRUE);
}

int
LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size) {
  static Generator gen; /* preserved across longjmp */
  int file = memfd_create("description", 0);
  if (file < 0 || write(file, bytes, size) != (gssize)size)
    return -1;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", file);
  gen_init(&gen, path);
  if (setjmp(failed) == 0)
    generate(&gen);
  gen_clear(&gen);
  xmlSetStructuredErrorFunc(NULL, NULL);
  close(file);
  return 0;
}
