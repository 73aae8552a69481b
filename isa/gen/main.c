/* norn-isa-gen SCHEMA DESCRIPTION header|tables OUTPUT */
#include "ir/gen/output.h"
#include "isa/gen/gen.h"
#include <libxml/parser.h>
#include <string.h>

int
main(int argc, char **argv) {
  static const char usage[] = "norn-isa-gen SCHEMA DESCRIPTION header|tables OUTPUT";
  if (!generator_takes(argc, argv, 4, usage))
    return GENERATOR_USAGE;
  bool is_header = !strcmp(argv[3], "header");
  if (!is_header && strcmp(argv[3], "tables") != 0) {
    g_printerr("norn-isa-gen: expected header or tables, found '%s'\nusage: %s\n", argv[3], usage);
    return GENERATOR_USAGE;
  }
  Generator gen;
  gen_init(&gen, argv[2]);
  gen_load(&gen, argv[1]);
  gen_enums(&gen);
  gen_encodings(&gen);
  gen_decode_trees(&gen);
  GString *out = g_string_new(NULL);
  if (is_header)
    gen_emit_header(&gen, out);
  else
    gen_emit_tables(&gen, out);
  FILE *file = generator_open(argv[4]);
  fputs(out->str, file);
  int status = generator_close(file, argv[4]);
  g_string_free(out, TRUE);
  gen_clear(&gen);
  xmlCleanupParser();
  return status;
}
