/* Values for what a shader in SPIR-V declares, by name: each value without another meaning is
 * assigned to the resource, attribute, varying or color with its name.
 *
 * The description is completed here, before it is bound: values of resources get entries in the
 * tables, and colors the names of their targets. locations.c gives attributes their formats and
 * combines the values of varyings. Values that the driver knows are filled in if the description
 * does not specify them. */
#include "run/declared.h"
#include "run/resolver.h"

#include <string.h>

/* Marks a name as one of the shader's, if it also has another meaning. */
#define PREFIX "in."
/* After the name of a combined texture: its sampler. */
#define SAMPLER_SUFFIX ".sampler"
/* By NornSpirvResourceKind: what it is called, which values it accepts, and an example of one. */
static const struct {
  const char *noun;
  RunKind kind;
  const char *example;
} kinds[] = {
    [NORN_SPIRV_STORAGE_BUFFER] = {"storage buffer", RUN_LIST, "f32[0; 64]"},
    [NORN_SPIRV_UNIFORM_BUFFER] = {"uniform buffer", RUN_LIST, "f32[0; 64]"},
    [NORN_SPIRV_TEXTURE] = {"texture", RUN_IMAGE, "image@FILE.png"},
    [NORN_SPIRV_SAMPLER] = {"sampler", RUN_SAMPLER, "sampler(filter:linear)"},
    [NORN_SPIRV_STORAGE_IMAGE] = {"image", RUN_IMAGE, "image(rgba8unorm, 64x64)"},
    [NORN_SPIRV_PUSH_CONSTANT] = {"push constant", RUN_NUMBER, "1"},
    [NORN_SPIRV_SYSTEM_VALUE] = {"uniform", RUN_NUMBER, "1"},
    [NORN_SPIRV_ATTRIBUTE] = {"attribute", RUN_LIST, "f32[0, 1, 2]"},
    [NORN_SPIRV_VARYING] = {"varying", RUN_LIST, "f32[0, 1, 0]"},
    [NORN_SPIRV_COLOR] = {"color", RUN_IMAGE, "image(rgba8unorm, 64x64)"},
    [NORN_SPIRV_INPUT_ATTACHMENT] = {"input attachment", RUN_IMAGE, "image(rgba8unorm, 64x64)"},
};

/* Whether a resource is an output of a vertex shader, for which no value can be given. */
static gboolean
is_output(const NornSpirvResource *resource) {
  return resource->kind == NORN_SPIRV_VARYING && resource->written;
}

gboolean
run_shares_words(const NornSpirvResource *resource) {
  return resource->kind == NORN_SPIRV_PUSH_CONSTANT &&
         (resource->component || resource->bytes % sizeof(guint32));
}

static GArray *
list_resources(const NornSpirvInterface *interface) {
  GArray *resources = g_array_new(FALSE, FALSE, sizeof(NornSpirvResource));
  NornSpirvResource resource;
  for (guint i = 0; norn_spirv_interface_resource(interface, i, &resource); i++)
    if (*resource.name && !is_output(&resource))
      g_array_append_val(resources, resource);
  return resources;
}

/* A value's name without the prefix that says it is the shader's. */
static const char *
own_name(const char *name) {
  return g_str_has_prefix(name, PREFIX) ? name + strlen(PREFIX) : name;
}

const NornModule *
run_naming_module(const Program *program) {
  return program->module ? program->module : program->source;
}

/* Whether the value is a list of halves or bytes, and the push constant has such components, of
 * which several are in a word. */
static gboolean
lists_parts(const NornSpirvResource *resource, const RunValue *value) {
  const RunElement *element = run_element_of_type(resource->type);
  return resource->kind == NORN_SPIRV_PUSH_CONSTANT && value->kind == RUN_LIST && element &&
         element->size < sizeof(guint32) && value->element->size < sizeof(guint32);
}

gboolean
run_find_bytes(const Program *program, const RunValue *value, NornSpirvResource *resource) {
  for (guint i = 0;
       program->interface && norn_spirv_interface_resource(program->interface, i, resource); i++)
    if ((run_shares_words(resource) || lists_parts(resource, value)) &&
        !strcmp(resource->name, own_name(value->name)))
      return TRUE;
  return FALSE;
}

gboolean
run_find_address(const Program *program, const char *name, guint *word) {
  NornSpirvResource resource;
  for (guint i = 0;
       program->interface && norn_spirv_interface_resource(program->interface, i, &resource); i++)
    if (resource.kind == NORN_SPIRV_STORAGE_BUFFER && resource.words &&
        !strcmp(resource.name, own_name(name))) {
      *word = resource.word;
      return TRUE;
    }
  return FALSE;
}

/* Splits "textures[2]". */
static ElementName
split_element(const char *text) {
  ElementName name = {g_strdup(text), 0, FALSE};
  gsize length = strlen(name.base);
  char *bracket = strchr(name.base, '[');
  if (bracket && length && name.base[length - 1] == ']') {
    name.base[length - 1] = 0;
    name.has_element = run_integer(bracket + 1, 4, &name.element) && bracket[1] != '-';
    if (name.has_element)
      *bracket = 0;
    else
      name.base[length - 1] = ']';
  }
  return name;
}

/* The same for a value's name, without its prefix and suffix. */
static ElementName
split_name(const RunValue *value) {
  g_autofree char *text = g_strdup(own_name(value->name));
  if (value->kind == RUN_SAMPLER && g_str_has_suffix(text, SAMPLER_SUFFIX))
    text[strlen(text) - strlen(SAMPLER_SUFFIX)] = 0;
  return split_element(text);
}

/* Adds everything that the program lets a description specify by name, as "src (texture)". */
static void
list_declared(const Program *program, GPtrArray *list) {
  g_autoptr(GArray) resources = program->interface ? list_resources(program->interface) : NULL;
  const NornModule *module = run_naming_module(program);
  const char *name;
  for (guint i = 0; resources && i < resources->len; i++) {
    const NornSpirvResource *resource = &g_array_index(resources, NornSpirvResource, i);
    gboolean is_combined =
        i && resource->kind == NORN_SPIRV_SAMPLER &&
        !strcmp(resource->name, g_array_index(resources, NornSpirvResource, i - 1).name);
    if (run_is_later_location(resources, i))
      continue;
    GString *text = g_string_new(resource->name);
    if (resource->kind == NORN_SPIRV_COLOR && resource->count > 1)
      g_string_append_printf(text, "[%u]", run_element_at(resources, i));
    g_string_append_printf(text, "%s (%s)", is_combined ? SAMPLER_SUFFIX : "",
                           kinds[resource->kind].noun);
    g_ptr_array_add(list, g_string_free(text, FALSE));
  }
  for (guint i = 0; !resources && module && (name = norn_module_fau_name(module, i)) != NULL; i++)
    g_ptr_array_add(list, g_strdup_printf("%s (uniform)", name));
}

char *
run_declared_text(const Program *program) {
  g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) listed = g_hash_table_new(g_str_hash, g_str_equal);
  GString *text = g_string_new(NULL);
  list_declared(program, list);
  if (program->other)
    list_declared(program->other, list);
  for (guint i = 0; i < list->len; i++)
    if (g_hash_table_add(listed, list->pdata[i])) /* both programs may declare it */
      g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)list->pdata[i]);
  if (!list->len)
    g_string_append(text, "nothing");
  return g_string_free(text, FALSE);
}

/* Whether row `i` is, or has, the color target with that name; *target becomes its number. */
static gboolean
find_target(const GArray *resources, guint i, const ElementName *name, guint64 *target) {
  const NornSpirvResource *resource = &g_array_index(resources, NornSpirvResource, i);
  *target = resource->location;
  if (strcmp(resource->name, name->base) != 0 || (!name->has_element && resource->count != 1))
    return FALSE;
  if (resource->kind == NORN_SPIRV_COLOR) /* each element has a row */
    return !name->has_element || run_element_at(resources, i) == name->element;
  *target += name->element;
  return resource->kind == NORN_SPIRV_INPUT_ATTACHMENT && name->element < resource->count;
}

char *
run_target_name(const Program *program, const char *text) {
  g_autoptr(GArray) resources = program->interface ? list_resources(program->interface) : NULL;
  ElementName name = split_element(text);
  char *target = NULL;
  guint64 number;
  for (guint i = 0; resources && !target && i < resources->len; i++)
    if (find_target(resources, i, &name, &number))
      target = g_strdup_printf("color%" G_GUINT64_FORMAT, number);
  g_free(name.base);
  return target;
}

/* Names the values after their targets: among given values, only images are for targets. */
static gboolean
name_targets(const Program *program, const RunSpec *spec, GPtrArray *values, gboolean are_given,
             GError **error) {
  for (guint i = 0; i < values->len; i++) {
    RunValue *value = values->pdata[i];
    g_autofree char *name =
        !are_given || value->kind == RUN_IMAGE ? run_target_name(program, value->name) : NULL;
    if (!name)
      continue;
    const RunValue *other = run_spec_find(values, name);
    if (other && other != value)
      return run_spec_fail(spec, value->location, error, "'%s' is %s, which is given twice",
                           value->name, name);
    g_free(value->name);
    value->name = g_steal_pointer(&name);
  }
  return TRUE;
}

gboolean
run_spec_name_targets(const Program *program, RunSpec *spec, GError **error) {
  return name_targets(program, spec, spec->values, TRUE, error) &&
         name_targets(program, spec, spec->expected, FALSE, error);
}

/* --- A single value --- */

static gboolean
takes(const NornSpirvResource *resource, RunKind kind) {
  return kinds[resource->kind].kind == kind ||
         (kind == RUN_GRADIENTS && resource->kind == NORN_SPIRV_VARYING) ||
         (kind == RUN_LIST && run_shares_words(resource));
}

static gboolean
fail_binding(const Resolver *resolver, const RunValue *value, const char *other) {
  return run_spec_fail(resolver->spec, value->location, resolver->error,
                       "'%s' has the same binding as '%s', expected only one of them", value->name,
                       other);
}

/* Adds a table entry for the value, unless another value already has it under another name of
 * the binding. */
static gboolean
add_entry(Resolver *resolver, const RunValue *value, guint32 handle) {
  GPtrArray *entries = resolver->spec->entries;
  for (guint i = 0; i < entries->len; i++) {
    const RunEntry *other = entries->pdata[i];
    if (other->handle == handle)
      return fail_binding(resolver, value, other->name);
  }
  RunEntry *entry = g_new0(RunEntry, 1);
  *entry = (RunEntry){g_strdup(value->name), value->location, handle, 0};
  g_ptr_array_add(entries, entry);
  return TRUE;
}

/* Makes an image a texel buffer if the shader declares one. */
static gboolean
shape_image(Resolver *resolver, RunValue *value, const NornSpirvResource *resource) {
  bool is_image =
      resource->kind == NORN_SPIRV_TEXTURE || resource->kind == NORN_SPIRV_STORAGE_IMAGE;
  NornImage as_buffer = value->image;
  guint64 bytes;
  if (!is_image || resource->dimension != NORN_DIMENSION_BUFFER)
    return TRUE;
  as_buffer.is_buffer = true;
  if (!norn_image_bytes(&as_buffer, &bytes))
    return run_spec_fail(resolver->spec, value->location, resolver->error,
                         "'%s' is a texel buffer, expected one row such as image(r32float, 64)",
                         value->name);
  value->image = as_buffer;
  return TRUE;
}

/* Whether the element in the name exists. */
static gboolean
check_element(const Resolver *resolver, const RunValue *value, const NornSpirvResource *resource,
              const ElementName *name) {
  guint64 element = name->element;
  return ((!resource->count || element < resource->count) && element < NORN_HANDLE_ENTRIES) ||
         run_spec_fail(resolver->spec, value->location, resolver->error,
                       "'%s' does not exist: the shader declares %u elements", value->name,
                       resource->count);
}

/* A value other than `value` for the buffer whose address is in that word, under any of the
 * names of its binding; NULL if there is none. */
static const RunValue *
find_buffer(const Resolver *resolver, guint word, const RunValue *value) {
  guint found;
  for (guint i = 0; i < resolver->spec->values->len; i++) {
    const RunValue *other = resolver->spec->values->pdata[i];
    if (other != value && run_find_address(resolver->program, other->name, &found) && found == word)
      return other;
  }
  return NULL;
}

static gboolean
resolve_resource(Resolver *resolver, RunValue *value, const NornSpirvResource *resource,
                 const ElementName *name) {
  if (resource->words) { /* its address is in uniform words */
    const RunValue *other = find_buffer(resolver, resource->word, value);
    return !other || fail_binding(resolver, value, other->name);
  }
  return check_element(resolver, value, resource, name) &&
         add_entry(resolver, value, resource->handle + (guint32)name->element) &&
         shape_image(resolver, value, resource);
}

/* Whether the name says which target of an array is meant; values with such names have been
 * renamed to their target by now. */
static gboolean
check_target(const Resolver *resolver, const RunValue *value, const NornSpirvResource *resource,
             const ElementName *name) {
  const char *noun = kinds[resource->kind].noun, *example = kinds[resource->kind].example;
  return check_element(resolver, value, resource, name) &&
         (name->has_element || resource->count == 1 ||
          run_spec_fail(resolver->spec, value->location, resolver->error,
                        "'%s' is an array of %ss, expected one of its elements, as in %s[0]=%s",
                        value->name, noun, resource->name, example));
}

static gboolean
resolve_as(Resolver *resolver, RunValue *value, const NornSpirvResource *resource,
           const ElementName *name) {
  switch (resource->kind) {
  case NORN_SPIRV_ATTRIBUTE:
    return check_element(resolver, value, resource, name) &&
           run_resolve_attribute(resolver, value, resource, name);
  case NORN_SPIRV_VARYING:
    return check_element(resolver, value, resource, name) &&
           run_resolve_varying(resolver, value, resource, name);
  case NORN_SPIRV_COLOR:
  case NORN_SPIRV_INPUT_ATTACHMENT:
    return check_target(resolver, value, resource, name);
  case NORN_SPIRV_PUSH_CONSTANT:
  case NORN_SPIRV_SYSTEM_VALUE:
    return TRUE;
  default:
    return resolve_resource(resolver, value, resource, name);
  }
}

/* Reports a value whose name belongs to something that takes other kinds of values. */
static gboolean
fail_kind(const Resolver *resolver, const RunValue *value, const NornSpirvResource *resource) {
  const char *noun = kinds[resource->kind].noun;
  return run_spec_fail(resolver->spec, value->location, resolver->error,
                       "'%s' is %s %s, expected a value such as %s", value->name,
                       strchr("ai", *noun) ? "an" : "a", noun, kinds[resource->kind].example);
}

gboolean
run_is_known(const Program *program, const RunSpec *spec, const RunValue *value) {
  NornType type;
  guint word, count;
  NornSpirvResource resource;
  gboolean found = run_value_is_bound(program, spec, value) ||
                   norn_module_find_fau(program->module, value->name, &type, &word, &count);
  ElementName name = split_name(value);
  for (guint i = 0; !found && program->interface &&
                    norn_spirv_interface_resource(program->interface, i, &resource);
       i++)
    found = !is_output(&resource) && !strcmp(resource.name, name.base);
  g_free(name.base);
  return found;
}

static void
mark_foreign(const Program *program, RunSpec *spec) {
  for (guint i = 0; program->other && i < spec->values->len; i++) {
    RunValue *value = spec->values->pdata[i];
    value->is_foreign =
        !run_is_known(program, spec, value) && run_is_known(program->other, spec, value);
  }
}

static gboolean
resolve_value(Resolver *resolver, RunValue *value) {
  NornType type;
  guint word, count;
  if (value->is_uniform || value->is_foreign ||
      run_value_is_bound(resolver->program, resolver->spec, value) ||
      norn_module_find_fau(resolver->program->module, value->name, &type, &word, &count))
    return TRUE;
  ElementName name = split_name(value);
  const NornSpirvResource *other = NULL;
  for (guint i = 0; i < resolver->resources->len; i++) {
    const NornSpirvResource *resource = run_resource_at(resolver, i);
    if (strcmp(resource->name, name.base) != 0)
      continue;
    if (takes(resource, value->kind)) {
      gboolean done = resolve_as(resolver, value, resource, &name);
      g_free(name.base);
      return done;
    }
    other = other ? other : resource;
  }
  g_free(name.base);
  return other ? fail_kind(resolver, value, other)
               : run_fail_name(resolver->program, resolver->spec, value, "", resolver->error);
}

/* --- Missing values --- */

static gboolean
has_entry(const RunSpec *spec, const NornSpirvResource *resource) {
  for (guint i = 0; i < spec->entries->len; i++) {
    guint32 handle = ((RunEntry *)spec->entries->pdata[i])->handle;
    if (handle - resource->handle < MAX(resource->count, 1) ||
        (!resource->count &&
         handle >> NORN_HANDLE_TABLE_SHIFT == resource->handle >> NORN_HANDLE_TABLE_SHIFT))
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_attribute(const RunSpec *spec, guint32 index) {
  for (guint i = 0; i < spec->attributes->len; i++)
    if (((RunAttribute *)spec->attributes->pdata[i])->index == index)
      return TRUE;
  return FALSE;
}

/* Adds a sampler that interpolates between texels and levels, as is suitable for pictures. */
static gboolean
add_sampler(Resolver *resolver, const NornSpirvResource *resource) {
  g_autofree char *name = g_strconcat(resource->name, SAMPLER_SUFFIX, NULL);
  RunValue *value = run_value_new(name, RUN_SAMPLER, NULL, 0);
  value->location = resolver->spec->location;
  value->sampler = (NornSampler){.magnify = NORN_FILTER_LINEAR,
                                 .minify = NORN_FILTER_LINEAR,
                                 .mip = NORN_MIP_LINEAR,
                                 .compare = NORN_COMPARE_LESS_EQUAL,
                                 .maximum_lod = RUN_HIGHEST_LOD};
  g_ptr_array_add(resolver->spec->values, value);
  for (guint32 k = 0; k < MAX(resource->count, 1); k++)
    add_entry(resolver, value, resource->handle + k);
  return TRUE;
}

/* The first element of an input attachment whose color target has no image; its count if all
 * have one. */
static guint32
find_missing_attachment(const Resolver *resolver, const NornSpirvResource *resource) {
  guint32 element = 0;
  for (; element < resource->count; element++) {
    g_autofree char *target = g_strdup_printf("color%u", resource->location + element);
    if (!run_spec_find(resolver->spec->values, target))
      break;
  }
  return element;
}

/* The name of what has no value: for an array that may have some values, of the element; to be
 * freed with g_free. */
static char *
name_missing(const Resolver *resolver, const NornSpirvResource *resource) {
  if (resource->kind == NORN_SPIRV_INPUT_ATTACHMENT && resource->count > 1)
    return g_strdup_printf("%s[%u]", resource->name, find_missing_attachment(resolver, resource));
  gboolean has_other = FALSE;
  guint own = 0;
  for (guint i = 0; resource->kind == NORN_SPIRV_ATTRIBUTE && i < resolver->resources->len; i++) {
    const NornSpirvResource *other = run_resource_at(resolver, i);
    own = other == resource ? i : own;
    has_other |=
        run_is_same_resource(other, resource) && has_attribute(resolver->spec, other->location);
  }
  return has_other
             ? g_strdup_printf("%s[%u]", resource->name, run_element_at(resolver->resources, own))
             : g_strdup(resource->name);
}

/* Whether a value is given for a buffer whose address is in uniform words. */
static gboolean
has_address(const Resolver *resolver, const NornSpirvResource *resource) {
  const char *name = run_uniform_at(resolver->program->module, resource->word);
  return !name || run_spec_find(resolver->spec->values, name) ||
         find_buffer(resolver, resource->word, NULL);
}

/* Handles a resource without a value. */
static gboolean
check_given(Resolver *resolver, const NornSpirvResource *resource) {
  const RunSpec *spec = resolver->spec;
  gboolean is_given = TRUE;
  if (resource->kind == NORN_SPIRV_SAMPLER)
    return resolver->has_tables || has_entry(spec, resource) || add_sampler(resolver, resource);
  if (resource->kind == NORN_SPIRV_ATTRIBUTE)
    is_given = has_attribute(spec, resource->location);
  else if (resource->kind == NORN_SPIRV_INPUT_ATTACHMENT)
    is_given = find_missing_attachment(resolver, resource) == resource->count;
  else if (resource->kind == NORN_SPIRV_STORAGE_BUFFER && resource->words)
    is_given = has_address(resolver, resource);
  else if (resource->kind < NORN_SPIRV_PUSH_CONSTANT && !resource->words)
    is_given = resolver->has_tables || has_entry(spec, resource);
  g_autofree char *name = is_given ? NULL : name_missing(resolver, resource);
  return is_given || run_spec_fail(spec, spec->location, resolver->error,
                                   "the %s '%s' has no value, expected one such as %s%s=%s",
                                   kinds[resource->kind].noun, name,
                                   run_spec_find(spec->values, name) ? PREFIX : "", name,
                                   kinds[resource->kind].example);
}

const char *
run_uniform_at(const NornModule *module, guint word) {
  const char *name;
  NornType type;
  guint first, count;
  for (guint i = 0; (name = norn_module_fau_name(module, i)) != NULL; i++)
    if (norn_module_find_fau(module, name, &type, &first, &count) && first == word)
      return name;
  return NULL;
}

/* Adds a list of words for a uniform that only the driver knows, if none is given. */
static gboolean
add_words(Resolver *resolver, const NornSpirvResource *resource, const guint32 *words,
          guint count) {
  RunSpec *spec = resolver->spec;
  const char *name = run_uniform_at(resolver->program->module, resource->word);
  if (!name || run_spec_find(spec->values, name))
    return TRUE;
  RunValue *value = run_value_new(name, count > 1 ? RUN_LIST : RUN_NUMBER, run_element_find("i32"),
                                  count * sizeof *words);
  value->location = spec->location;
  value->is_made = TRUE;
  value->is_uniform = TRUE;
  value->number = g_strdup_printf("%u", words[0]);
  for (guint i = 0; i < count; i++)
    ((guint32 *)(void *)value->bytes->data)[i] = GUINT32_TO_LE(words[i]);
  g_ptr_array_add(spec->values, value);
  return TRUE;
}

/* What the driver knows about an image: its size, or its number of levels or samples. */
static gboolean
add_image_words(Resolver *resolver, const NornSpirvResource *resource, const NornImage *image,
                NornDimension dimension) {
  if (g_str_has_suffix(resource->name, "_levels"))
    return add_words(resolver, resource, &image->levels, 1);
  if (g_str_has_suffix(resource->name, "_samples"))
    return add_words(resolver, resource, &image->samples, 1);
  guint32 words[] = {image->width, image->height, image->depth};
  if (dimension == NORN_DIMENSION_CUBE_ARRAY)
    words[2] = image->layers / 6;
  else if (dimension == NORN_DIMENSION_1D_ARRAY || dimension == NORN_DIMENSION_2D_ARRAY ||
           dimension == NORN_DIMENSION_2D_MS_ARRAY)
    words[resource->words - 1] = image->layers;
  return add_words(resolver, resource, words, resource->words);
}

/* The image that the driver's value describes, and its shape; NULL if there is none. */
static const NornImage *
image_of(const Resolver *resolver, const NornSpirvResource *resource, NornDimension *dimension) {
  for (guint i = 0; resource->count && i < resolver->resources->len; i++) {
    const NornSpirvResource *image = run_resource_at(resolver, i);
    bool is_image = image->kind == NORN_SPIRV_TEXTURE || image->kind == NORN_SPIRV_STORAGE_IMAGE;
    const RunValue *value = is_image && image->handle == resource->handle
                                ? run_spec_find(resolver->spec->values, image->name)
                                : NULL;
    *dimension = image->dimension;
    if (value && value->kind == RUN_IMAGE)
      return &value->image;
  }
  return NULL;
}

/* The value of a uniform that the driver knows. */
static gboolean
add_system_value(Resolver *resolver, const NornSpirvResource *resource) {
  RunSpec *spec = resolver->spec;
  if (!strcmp(resource->name, "num_workgroups"))
    return add_words(resolver, resource, spec->grid, 3);
  if (!strcmp(resource->name, "first_vertex"))
    return add_words(resolver, resource, &spec->draw.first_vertex, 1);
  if (!strcmp(resource->name, "first_instance"))
    return add_words(resolver, resource, &spec->draw.first_instance, 1);
  NornDimension dimension;
  const NornImage *image = image_of(resolver, resource, &dimension);
  if (image)
    return add_image_words(resolver, resource, image, dimension);
  if (!g_str_has_suffix(resource->name, "_size"))
    return TRUE;
  g_autofree char *buffer = g_strndup(resource->name, strlen(resource->name) - strlen("_size"));
  guint word;
  const RunValue *value = run_find_address(resolver->program, buffer, &word)
                              ? find_buffer(resolver, word, NULL)
                              : run_spec_find(spec->values, buffer);
  return !value || !value->bytes || add_words(resolver, resource, &value->bytes->len, 1);
}

/* Without a grid: enough workgroups to have an invocation for each texel of the largest image
 * that the shader writes. */
static void
cover_images(Resolver *resolver) {
  RunSpec *spec = resolver->spec;
  const uint32_t *workgroup = resolver->program->workgroup;
  if (spec->grid_location.line ||
      norn_module_stage(resolver->program->module) != NORN_STAGE_COMPUTE)
    return;
  for (guint i = 0; i < resolver->resources->len; i++) {
    const NornSpirvResource *resource = run_resource_at(resolver, i);
    const RunValue *value = resource->kind == NORN_SPIRV_STORAGE_IMAGE && resource->written
                                ? run_spec_find(spec->values, resource->name)
                                : NULL;
    if (!value || value->kind != RUN_IMAGE)
      continue;
    const guint32 size[] = {value->image.width, value->image.height,
                            MAX(value->image.depth, value->image.layers)};
    for (guint axis = 0; axis < 3; axis++)
      spec->grid[axis] =
          MAX(spec->grid[axis], (size[axis] + workgroup[axis] - 1) / MAX(workgroup[axis], 1));
  }
}

gboolean
run_spec_resolve(const Program *program, RunSpec *spec, GError **error) {
  mark_foreign(program, spec);
  if (!program->interface)
    return TRUE;
  Resolver resolver = {
      program, spec, list_resources(program->interface), NULL, spec->entries->len > 0, error};
  guint given = spec->values->len;
  gboolean done = TRUE;
  resolver.varyings = g_ptr_array_new();
  g_ptr_array_set_size(resolver.varyings, (gint)resolver.resources->len);
  for (guint i = 0; done && i < given; i++)
    done = resolve_value(&resolver, spec->values->pdata[i]);
  cover_images(&resolver);
  done = done && run_put_varyings(&resolver);
  for (guint i = 0; done && i < resolver.resources->len; i++) {
    const NornSpirvResource *resource = run_resource_at(&resolver, i);
    done = check_given(&resolver, resource) &&
           (resource->kind != NORN_SPIRV_SYSTEM_VALUE || add_system_value(&resolver, resource));
  }
  g_array_unref(resolver.resources);
  g_ptr_array_unref(resolver.varyings);
  return done;
}
