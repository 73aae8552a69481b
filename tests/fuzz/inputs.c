/* inputs FILE...: calls a libFuzzer entry point on each file; works with any compiler. */
#include <glib.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int
main(int argc, char **argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++) {
    g_autofree char *bytes = NULL;
    gsize size;
    g_autoptr(GError) error = NULL;
    if (!g_file_get_contents(argv[i], &bytes, &size, &error)) {
      fprintf(stderr, "%s\n", error->message);
      return 1;
    }
    LLVMFuzzerTestOneInput((const guint8 *)bytes, size);
  }
  return 0;
}
