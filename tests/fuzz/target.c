/* What the entry points of the fuzzers do with their bytes; see target.h. */
#include "target.h"

#include "ir/diagnostics.h"
#include "ir/ir.h"
#include <norn/isa.h>
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 4

/* Ends the process with the reason if `holds` is false; libFuzzer then keeps the input. */
static void
require(gboolean holds, const char *promise) {
  if (holds)
    return;
  fprintf(stderr, "broken promise: %s\n", promise);
  abort();
}

/* An error must be set and have a message. */
static void
require_error(const GError *error) {
  require(error != NULL && error->domain == NORN_ERROR && *error->message,
          "a refusal comes with an error");
}

/* Removes line numbers, as if the module had been built instead of parsed. */
static void
forget_lines(NornModule *module) {
  for (uint32_t i = 0; i < module->fau_count; i++)
    module->faus[i].line = 0;
  for (uint32_t i = 0; i < module->function_count; i++) {
    NornFunction *function = module->functions[i];
    function->line = 0;
    for (uint32_t block = 0; block < function->block_count; block++)
      norn_block(function, block)->line = 0;
    for (uint32_t inst = 0; inst < function->inst_count; inst++)
      norn_inst(function, inst)->line = 0;
  }
}

/* The verifier, which reported `message` with lines, must report the same for a module without
 * lines. */
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

/* The first byte of an input on instruction sets selects the instruction set and the
 * architecture; the target uses the rest. */
typedef struct {
  const NornIsa *isa;
  unsigned architecture;
  unsigned rest;
} Machine;

static Machine
choose_machine(unsigned choice) {
  unsigned count = 0;
  while (norn_isa_at(count))
    count++;
  const NornIsa *isa = norn_isa_at(choice % count);
  unsigned architectures = norn_isa_architecture_count(isa);
  choice /= count;
  return (Machine){isa, choice % architectures, choice / architectures};
}

/* Whether the text is assembly of the machine; if so, its words must survive disassembly and
 * assembly. */
static gboolean
assembles(const Machine *machine, const guint8 *bytes, gsize size, gboolean no_verify) {
  GError *error = NULL;
  const NornIsa *isa = machine->isa;
  const NornIsaAssembleOptions checked = {.architecture = machine->architecture};
  NornIsaAssembleOptions options = checked;
  options.no_verify = no_verify;
  GBytes *code = norn_isa_assemble(isa, (const char *)bytes, size, "input", &options, &error);
  if (!code) {
    require_error(error);
    g_error_free(error);
    return FALSE;
  }
  gsize code_size;
  const void *data = g_bytes_get_data(code, &code_size);
  const NornIsaDisassembleOptions print_options = {.architecture = machine->architecture};
  size_t length;
  g_autofree char *text = norn_isa_disassemble(isa, data, code_size, &print_options, &length);
  GBytes *again = norn_isa_assemble(isa, text, length, "printed", &checked, &error);
  require(again && g_bytes_equal(code, again), "disassembly assembles to the same bytes");
  g_bytes_unref(again);
  g_bytes_unref(code);
  return TRUE;
}

/* The first byte selects the machine, the rest is assembly. */
static gboolean
run_assembler(const guint8 *bytes, gsize size) {
  if (!size)
    return FALSE;
  const Machine machine = choose_machine(bytes[0]);
  gboolean checked = assembles(&machine, bytes + 1, size - 1, FALSE);
  gboolean unchecked = assembles(&machine, bytes + 1, size - 1, TRUE);
  require(unchecked || !checked, "what keeps the rules also assembles without them");
  return checked;
}

/* The first byte selects the machine, the rest are words. */
static gboolean
run_disassembler(const guint8 *bytes, gsize size) {
  if (!size)
    return FALSE;
  const Machine machine = choose_machine(*bytes++);
  const NornIsaDisassembleOptions print_options = {.architecture = machine.architecture};
  const NornIsaAssembleOptions options = {.architecture = machine.architecture};
  size_t length;
  size--;
  g_autofree char *text = norn_isa_disassemble(machine.isa, bytes, size, &print_options, &length);
  GBytes *code = norn_isa_assemble(machine.isa, text, length, "printed", &options, NULL);
  require(code && g_bytes_get_size(code) == size &&
              (!size || !memcmp(g_bytes_get_data(code, NULL), bytes, size)),
          "any bytes disassemble to text that assembles to them");
  g_bytes_unref(code);
  return TRUE;
}

/* --- Running machine code --- */

#define STEP_LIMIT 5000
#define BUFFER_BYTES 4096

/* Whether a run succeeded; otherwise its error must be a valid one. */
static gboolean
ended_well(gboolean done, GError *error) {
  if (!done)
    require_error(error);
  g_clear_error(&error);
  return done;
}

static gboolean
simulate_valhall(const guint8 *bytes, gsize size, const char *architecture, unsigned stage) {
  NornMemory *memory = norn_memory_new();
  GError *error = NULL;
  require(norn_memory_add(memory, "data", 0, NULL, BUFFER_BYTES, NULL), "there is memory");
  guint64 address = norn_memory_address(memory, 0);
  const guint32 uniforms[] = {(guint32)address, (guint32)(address >> 32), 1, 0x3F800000, 0, 64};
  const NornVertexState vertex = {
      .position_buffer = 0, .extra_buffer = SIZE_MAX, .varying_buffer = SIZE_MAX};
  const NornFragmentState fragment = {.varying_buffer = 0, .varying_stride = 64, .samples = 1};
  const NornLaunch launch = {
      .stage = (NornShaderStage)stage,
      .memory = memory,
      .grid = {1, 1, 1},
      .workgroup = {4, 4, 1},
      .uniforms = uniforms,
      .uniform_count = G_N_ELEMENTS(uniforms),
      .vertex = &vertex,
      .fragment = &fragment,
      .shared_bytes = 256,
      .scratch_bytes = 64,
      .step_limit = STEP_LIMIT,
  };
  gboolean done = norn_simulate_valhall(bytes, size, architecture, &launch, NULL, &error);
  norn_memory_free(memory);
  return ended_well(done, error);
}

static gboolean
run_registers(const guint8 *bytes, gsize size, const char *isa, const char *architecture) {
  GError *error = NULL;
  NornRegisterMachine *machine = norn_register_machine_new(isa, architecture, &error);
  gboolean done = machine && norn_register_machine_run(machine, bytes, size, &error);
  norn_register_machine_free(machine);
  return ended_well(done, error);
}

/* The first byte selects the machine and the stage, the rest are words. */
static gboolean
run_simulator(const guint8 *bytes, gsize size) {
  if (!size)
    return FALSE;
  const Machine machine = choose_machine(bytes[0]);
  const char *architecture = norn_isa_architecture_name(machine.isa, machine.architecture);
  if (norn_register_machine_exists(norn_isa_name(machine.isa)))
    return run_registers(bytes + 1, size - 1, norn_isa_name(machine.isa), architecture);
  return simulate_valhall(bytes + 1, size - 1, architecture, machine.rest % NORN_STAGE_COUNT);
}

/* --- Compiling IR --- */

/* A valid module compiles, or is refused. `choice` selects the options. */
static gboolean
compiles(NornModule *module, unsigned choice) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.optimization_level = choice % LEVELS;
  options.effort = 2;
  options.chaos = choice / LEVELS % 32;
  options.target = "valhall";
  options.vertex_part =
      norn_compile_splits_vertices(module, &options) ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
  GError *error = NULL;
  GBytes *code = norn_compile(module, &options, NULL, &error);
  if (code)
    g_bytes_unref(code);
  else
    require(strstr(error->message, "after pass '") == NULL, "no pass breaks a module");
  return ended_well(code != NULL, error);
}

/* The first byte selects the compile options, the rest is IR text. */
static gboolean
run_compiler(const guint8 *bytes, gsize size) {
  if (!size)
    return FALSE;
  NornModule *module = norn_module_parse((const char *)bytes + 1, size - 1, "input", NULL);
  gboolean valid = module && norn_module_verify(module, NULL);
  valid = valid && compiles(module, bytes[0]);
  norn_module_free(module);
  return valid;
}

/* The first byte selects how to read and compile, the rest is SPIR-V. */
static gboolean
run_spirv(const guint8 *bytes, gsize size) {
  if (!size)
    return FALSE;
  NornSpirvOptions options;
  NornSpirvInterface *interface = NULL;
  GError *error = NULL;
  norn_spirv_options_init(&options);
  options.validate = bytes[0] & 1;
  options.abi.buffer_addresses = bytes[0] & 2;
  options.abi.image_words = bytes[0] & 4;
  NornModule *module =
      norn_module_from_spirv(bytes + 1, size - 1, "input", &options, &interface, &error);
  gboolean valid = ended_well(module != NULL, error);
  if (valid) {
    require(norn_module_verify(module, NULL), "what is read from SPIR-V keeps the rules of the IR");
    compiles(module, bytes[0] / 4);
  }
  norn_spirv_interface_free(interface);
  norn_module_free(module);
  return valid;
}

const FuzzTarget fuzz_targets[] = {
    {"ir", "IR text gives an error or a module that prints to itself", run_ir},
    {"compiler", "IR text that is right compiles or is refused", run_compiler},
    {"spirv", "SPIR-V gives an error or a module that compiles or is refused", run_spirv},
    {"assembler", "assembly gives an error or words that print to themselves", run_assembler},
    {"disassembler", "any bytes disassemble, and back", run_disassembler},
    {"simulator", "any words run to their end or to an error", run_simulator},
    {NULL},
};
