/* norn-isa-gen SCHEMA DESCRIPTION header|tables OUTPUT */
#include "isa/gen/gen.h"
#include <libxml/parser.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv) {
  if (argc != 5 || (strcmp(argv[3], "header") != 0 && strcmp(argv[3], "tables") != 0)) {
    g_printerr("usage: norn-isa-gen SCHEMA DESCRIPTION header|tables OUTPUT\n");
    return 2;
  }
  Generator gen;
  gen_init(&gen, argv[2]);
  gen_load(&gen, argv[1]);
  gen_enums(&gen);
  gen_encodings(&gen);
  gen_decode_trees(&gen);
  GString *out = g_string_new(NULL);
  if (strcmp(argv[3], "header") == 0)
    gen_emit_header(&gen, out);
  else
    gen_emit_tables(&gen, out);
  int status = 0;
  FILE *file = fopen(argv[4], "w");
  bool written = file && fwrite(out->str, 1, out->len, file) == out->len;
  if (!file || fclose(file) != 0 || !written) {
    perror(argv[4]);
    status = 1;
  }
  g_string_free(out, TRUE);
  gen_clear(&gen);
  xmlCleanupParser();
  return status;
}
