/* Legality: whether the target can do everything that a module requires, before any pass changes
 * it.
 *
 * The answer depends only on the form of an instruction (operation, types, modifier) and on the
 * module, so each form is checked once. A form is supported if the target selects it as it is, or
 * if the lower pass has an expansion for it. Unreachable code counts as well, so that the answer
 * does not depend on what optimization removes. */
#include "ir/text/locations.h"
#include "passes/lower/lower.h"

typedef struct Legality {
  const NornPassContext *context;
  uint64_t known[NORN_FORM_SLOTS]; /* keys of forms known to be supported */
} Legality;

bool
norn_unsupported_error(const NornPassContext *context, const NornFunction *function,
                       const NornInst *inst, const char *reason, GError **error) {
  const NornTarget *target = context->target;
  const NornOpInfo *info = &norn_ops[inst->op];
  const NornModifierInfo *modifier = &norn_modifiers[info->modifier];
  if (!reason && target->why_unsupported)
    reason = target->why_unsupported(target, context->module, inst);
  return norn_inst_error(
      function, inst, NORN_ERROR_UNSUPPORTED, error, "%s does not support '%s%s%s%s%s%s%s'%s%s",
      target->name, info->name, modifier->texts ? "." : "",
      modifier->texts ? modifier->texts[inst->modifier] : "", info->types ? "." : "",
      info->types ? norn_types[inst->type].name : "", info->source_types ? "." : "",
      info->source_types ? norn_types[inst->source_type].name : "", reason ? ": " : "",
      reason ? reason : "");
}

/* Whether the target supports the form; if not, *reason may say why. */
static bool
can_do(const NornPassContext *context, const NornFunction *function, const NornInst *inst,
       const char **reason) {
  const NornTarget *target = context->target;
  uint64_t flags = norn_ops[inst->op].flags;
  if (flags & NORN_OP_TERMINATOR || inst->op == NORN_OP_CALL)
    return true;
  bool rounds = !(flags & NORN_OP_ROUNDS) || !target->can_round ||
                target->can_round(target, context->module, inst);
  bool expands = !norn_lower_is_missing(target, inst) && norn_lower_expands(inst->op);
  bool expansion_rounds =
      norn_lower_can_round(context->module, inst->op, inst->type, inst->modifier);
  if (!rounds || (expands && !expansion_rounds))
    *reason = "this rounding mode is not supported";
  return rounds && (target->supports(target, function, inst) || (expands && expansion_rounds));
}

static bool
check_inst(Legality *legality, const NornFunction *function, const NornInst *inst, GError **error) {
  uint64_t key = norn_form_key(inst);
  uint64_t *known = &legality->known[norn_form_slot(key)];
  const char *reason = NULL;
  if (*known == key || norn_is_machine(inst))
    return true;
  *known = key;
  return can_do(legality->context, function, inst, &reason) ||
         norn_unsupported_error(legality->context, function, inst, reason, error);
}

static bool
check_function(Legality *legality, const NornFunction *function, GError **error) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (!check_inst(legality, function, norn_inst(function, index), error))
        return false;
  return true;
}

bool
norn_check_legality(NornPassContext *context, GError **error) {
  Legality legality = {.context = context};
  const NornModule *module = context->module;
  for (uint32_t i = 0; i < module->function_count; i++)
    if (!check_function(&legality, module->functions[i], error))
      return false;
  context->is_legal = true;
  return module->stage != NORN_STAGE_VERTEX || norn_check_vertex_part(context, error);
}
