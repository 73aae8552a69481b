/* Reporting of faults, with checks that keep it from reading beyond arrays. */
#include "ir/diagnostics.h"
#include "ir/verify/verifier.h"

const char *
norn_verify_inst_name(const NornInst *inst) {
  return norn_is_machine(inst) ? "the machine instruction" : norn_ops[inst->op].name;
}

bool
norn_verify_is_linked(const NornFunction *function, uint32_t block, uint32_t inst,
                      uint32_t previous) {
  return inst < function->inst_count && norn_inst(function, inst)->previous == previous &&
         norn_inst(function, inst)->block == block;
}

bool
norn_verify_has_operation(const NornModule *module, const NornInst *inst) {
  return norn_is_machine(inst) ? module->machine != NULL
                               : inst->op != NORN_OP_NONE && inst->op < NORN_OP_COUNT;
}

bool
norn_verify_has_runs(const NornFunction *function, const NornInst *inst) {
  return (uint64_t)inst->operand + inst->operand_count <= function->operand_count &&
         (uint64_t)inst->result + inst->result_count <= function->value_count;
}

bool
norn_verify_has_parameter_run(const NornFunction *function, const NornBlock *block) {
  return !block->parameter_count ||
         (uint64_t)block->parameter + block->parameter_count <= function->parameter_count;
}

/* Whether everything that the printer walks is within bounds. */
static bool
is_printable(const NornModule *module, const NornFunction *function) {
  for (uint32_t i = 0; i < function->block_order_count; i++) {
    uint32_t index = function->block_order[i], previous = NORN_INDEX_NONE;
    if (index >= function->block_count)
      return false;
    const NornBlock *block = norn_block(function, index);
    if (!norn_verify_has_parameter_run(function, block))
      return false;
    for (unsigned k = 0; k < block->parameter_count; k++)
      if (norn_block_parameter(function, index, k) >= function->value_count)
        return false;
    for (uint32_t at = block->first; at != NORN_INDEX_NONE; at = norn_inst(function, at)->next) {
      if (!norn_verify_is_linked(function, index, at, previous) ||
          !norn_verify_has_operation(module, norn_inst(function, at)) ||
          !norn_verify_has_runs(function, norn_inst(function, at)))
        return false;
      previous = at;
    }
  }
  return true;
}

/* The source of locations; NULL if the module is too broken for that. */
static NornLocations *
get_locations(NornVerifier *v) {
  if (v->locations)
    return v->locations;
  for (uint32_t i = 0; i < v->module->function_count && !v->is_broken; i++)
    v->is_broken = !is_printable(v->module, v->module->functions[i]);
  if (!v->is_broken)
    v->locations = norn_locations_new(v->module);
  return v->locations;
}

/* Reports a message at its location in the text, or else with the current block or instruction. */
static void
diagnose(NornVerifier *v, const char *message) {
  const NornFunction *function = v->function;
  uint32_t line = norn_line(function, v->block, v->inst);
  if (v->fau && v->fau->line)
    norn_diagnose(&v->diagnostics, v->fau->line, v->fau->column, "%s", message);
  else if (line)
    norn_diagnose(&v->diagnostics, line,
                  v->inst == NORN_INDEX_NONE ? 1 : MAX(norn_inst(function, v->inst)->column, 1),
                  "%s", message);
  else if (v->block == NORN_INDEX_NONE)
    norn_diagnose(&v->diagnostics, 0, 0, "@%s: %s", norn_string(v->module, function->name),
                  message);
  else if (get_locations(v))
    norn_diagnose(&v->diagnostics, 0, 0, "%s: %s",
                  norn_location(v->locations, function, v->block, v->inst), message);
  else
    norn_diagnose(&v->diagnostics, 0, 0, "@%s, block number %u: %s",
                  norn_string(v->module, function->name), v->block, message);
}

void
norn_verify_fault(NornVerifier *v, const char *format, ...) {
  if (norn_diagnostics_full(&v->diagnostics))
    return;
  va_list arguments;
  va_start(arguments, format);
  char *message = norn_format_message(format, arguments);
  va_end(arguments);
  diagnose(v, message);
  g_free(message);
}

const char *
norn_verify_value_name(NornVerifier *v, uint32_t value, char out[NORN_VERIFY_NAME_SIZE]) {
  uint32_t name = norn_value(v->function, value)->name;
  const char *shown =
      get_locations(v) ? norn_location_of_value(v->locations, v->function, value) : NULL;
  if (shown)
    g_strlcpy(out, shown, NORN_VERIFY_NAME_SIZE);
  else if (name)
    g_snprintf(out, NORN_VERIFY_NAME_SIZE, "%%%s", norn_string(v->module, name));
  else
    g_snprintf(out, NORN_VERIFY_NAME_SIZE, "value %u", value);
  return out;
}
