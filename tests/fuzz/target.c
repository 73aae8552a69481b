#include "target.h"

#include "ir/diagnostics.h"
#include "ir/ir.h"
#include <norn/isa.h>
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the process with the reason where `holds` is false; libFuzzer then keeps the input. */
static void
require(gboolean holds, const char *promise) {
  if (holds)
    return;
  fprintf(stderr, "broken promise: %s\n", promise);
  abort();
}

/* An error must be one, and say something. */
static void
require_error(const GError *error) {
  require(error != NULL && error->domain == NORN_ERROR && *error->message,
          "a refusal comes with an error");
}

/* As if it had been built, not read. */
static void
forget_lines(NornModule *module) {
  for (uint32_t i = 0; i < module->fau_count; i++)
    module->faus[i].line = 0;
  for (uint32_t i = 0; i < module->function_count; i++) {
    NornFunction *function = module->functions[i];
    function->line = 0;
    for (uint32_t block = 0; block < function->block_count; block++)
      function->blocks[block].line = 0;
    for (uint32_t inst = 0; inst < function->inst_count; inst++)
      function->insts[inst].line = 0;
  }
}

/* The verifier, which said `message` with lines, must say the same of a module without them. */
static void
require_same_faults(NornModule *module, const char *message) {
  GError *error = NULL;
  forget_lines(module);
  require(!norn_module_verify(module, &error), "a module is as wrong without lines");
  g_auto(GStrv) with = g_strsplit(message, "\n", -1);
  g_auto(GStrv) without = g_strsplit(error->message, "\n", -1);
  require(g_strv_length(with) == g_strv_length(without), "no fault depends on lines");
  for (guint i = 0; with[i]; i++) {
    const char *text = strstr(with[i], ": ");
    require(text && g_str_has_suffix(without[i], text), "a fault is the same without lines");
    require(*without[i] == '@' || i == NORN_DIAGNOSTICS_LIMIT, "a fault names its function");
  }
  g_error_free(error);
}

static gboolean
run_ir(const guint8 *bytes, gsize size) {
  GError *error = NULL;
  NornModule *module = norn_module_parse((const char *)bytes, size, "input", &error);
  if (!module) {
    require_error(error);
    g_error_free(error);
    return FALSE;
  }
  gboolean valid = norn_module_verify(module, &error);
  g_autofree char *faults = NULL;
  if (!valid) {
    require_error(error);
    faults = g_strdup(error->message);
    g_clear_error(&error);
  }
  size_t length, again_length;
  g_autofree char *text = norn_module_print(module, &length);
  NornModule *again = norn_module_parse(text, length, "printed", &error);
  require(again != NULL, "what is printed parses");
  g_autofree char *text_again = norn_module_print(again, &again_length);
  require(length == again_length && !memcmp(text, text_again, length),
          "printing, parsing and printing give the same text");
  require(norn_module_verify(again, NULL) == valid, "a printed module is as valid as its original");
  if (faults)
    require_same_faults(module, faults);
  norn_module_free(again);
  norn_module_free(module);
  return valid;
}

/* Whether the text is assembly of the ISA; what was made of it comes back from its disassembly. */
static gboolean
assembles(const NornIsa *isa, const guint8 *bytes, gsize size, gboolean no_verify) {
  GError *error = NULL;
  const NornIsaAssembleOptions options = {.no_verify = no_verify}, checked = {0};
  GBytes *code = norn_isa_assemble(isa, (const char *)bytes, size, "input", &options, &error);
  if (!code) {
    require_error(error);
    g_error_free(error);
    return FALSE;
  }
  gsize code_size;
  const void *data = g_bytes_get_data(code, &code_size);
  const NornIsaDisassembleOptions print_options = {0};
  size_t length;
  g_autofree char *text = norn_isa_disassemble(isa, data, code_size, &print_options, &length);
  GBytes *again = norn_isa_assemble(isa, text, length, "printed", &checked, &error);
  require(again && g_bytes_equal(code, again), "disassembly assembles to the same bytes");
  g_bytes_unref(again);
  g_bytes_unref(code);
  return TRUE;
}

static gboolean
run_assembler(const guint8 *bytes, gsize size) {
  gboolean valid = FALSE;
  const NornIsa *isa;
  for (unsigned i = 0; (isa = norn_isa_at(i)); i++) {
    gboolean checked = assembles(isa, bytes, size, FALSE);
    gboolean unchecked = assembles(isa, bytes, size, TRUE);
    require(unchecked || !checked, "what keeps the rules also assembles without them");
    valid = valid || checked;
  }
  return valid;
}

static gboolean
run_disassembler(const guint8 *bytes, gsize size) {
  const NornIsa *isa;
  for (unsigned i = 0; (isa = norn_isa_at(i)); i++)
    for (unsigned architecture = 0; architecture < norn_isa_architecture_count(isa);
         architecture++) {
      const NornIsaDisassembleOptions print_options = {.architecture = architecture};
      const NornIsaAssembleOptions options = {.architecture = architecture};
      size_t length;
      g_autofree char *text = norn_isa_disassemble(isa, bytes, size, &print_options, &length);
      GBytes *code = norn_isa_assemble(isa, text, length, "printed", &options, NULL);
      require(code && g_bytes_get_size(code) == size &&
                  !memcmp(g_bytes_get_data(code, NULL), bytes, size),
              "any bytes disassemble to text that assembles to them");
      g_bytes_unref(code);
    }
  return TRUE;
}

const FuzzTarget fuzz_targets[] = {
    {"ir", "IR text gives an error or a module that prints to itself", run_ir},
    {"assembler", "assembly gives an error or words that print to themselves", run_assembler},
    {"disassembler", "any bytes disassemble, and back", run_disassembler},
    {NULL},
};
