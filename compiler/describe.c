/* Lists the passes, and those that run at a level. */
#include "compiler/options.h"
#include "passes/pass.h"
#include <norn/compile.h>
#include <string.h>

/* The target with that name (NULL: the default), or NULL. */
static const NornTarget *
find_target(const char *name) {
  name = name ? name : NORN_DEFAULT_TARGET;
  const NornMachine *machine = norn_machine_find(name, strlen(name));
  return machine ? norn_target_find(machine) : NULL;
}

/* Whether the step is the pass or a group that contains it. */
static bool
is_part_of(const NornPass *pass, const NornPass *step) {
  bool is_part = pass == step;
  for (const NornGroupMember *member = step->members; member && member->pass != NORN_PASS_COUNT;
       member++)
    is_part |= pass == &norn_passes[member->pass];
  return is_part;
}

bool
norn_pass_is_optional(const NornTarget *target, const NornPass *pass) {
  bool any = false;
  for (const NornPipelineStep *step = target->pipeline; step->pass; step++) {
    if (!is_part_of(pass, step->pass))
      continue;
    if (!step->is_optional)
      return false;
    any = true;
  }
  return any;
}

bool
norn_pass_info(const char *target, unsigned index, NornPassInfo *info) {
  const NornTarget *found = find_target(target);
  const NornPass *pass = found ? norn_pass_at(found, index) : NULL;
  if (pass)
    *info = (NornPassInfo){
        pass->name,    norn_phase_name(pass->needs), norn_phase_name(pass->leaves),
        pass->summary, pass->members != NULL,        norn_pass_is_optional(found, pass)};
  return pass != NULL;
}

bool
norn_passes_check(const char *target, const char *names, GError **error) {
  const NornTarget *found = find_target(target);
  if (!found) {
    norn_refuse_target(target, error);
    return false;
  }
  for (;; names++) {
    size_t length = strcspn(names, ",");
    if (!norn_pass_find(found, names, length)) {
      norn_refuse_pass(found, names, length, error);
      return false;
    }
    names += length;
    if (!*names)
      return true;
  }
}

const char *
norn_pipeline_step(const char *target, unsigned optimization_level, unsigned index) {
  const NornTarget *found = find_target(target);
  for (const NornPipelineStep *step = found ? found->pipeline : NULL; step && step->pass; step++)
    if (step->level <= optimization_level && index-- == 0)
      return step->pass->name;
  return NULL;
}
