/* Values for what a shader in SPIR-V declares at locations, by name: attributes get the formats
 * of their lists, and values of varyings are combined into the blocks of three vertices. The
 * interface has a row for each location; an array or matrix has several. */
#include "run/resolver.h"

#include <string.h>

/* Words in a location of varyings, and the number of possible locations. */
#define LOCATION_WORDS 4
#define LOCATIONS 256

/* --- Elements of arrays and matrices at locations --- */

gboolean
run_is_same_resource(const NornSpirvResource *resource, const NornSpirvResource *other) {
  return resource->kind == other->kind && !strcmp(resource->name, other->name);
}

guint
run_element_at(const GArray *resources, guint i) {
  const NornSpirvResource *resource = &g_array_index(resources, NornSpirvResource, i);
  guint before = 0, rows = 0;
  for (guint k = 0; k < resources->len; k++)
    if (run_is_same_resource(resource, &g_array_index(resources, NornSpirvResource, k))) {
      before += k < i;
      rows++;
    }
  return before / MAX(rows / MAX(resource->count, 1), 1);
}

gboolean
run_is_later_location(const GArray *resources, guint i) {
  const NornSpirvResource *resource = &g_array_index(resources, NornSpirvResource, i);
  gboolean is_whole =
      resource->kind == NORN_SPIRV_ATTRIBUTE || resource->kind == NORN_SPIRV_VARYING;
  for (guint k = 0; is_whole && k < i; k++)
    if (run_is_same_resource(resource, &g_array_index(resources, NornSpirvResource, k)))
      return TRUE;
  return FALSE;
}

/* Whether row `i` is a location of `like`, and of the element in the name. */
static gboolean
is_part(const GArray *resources, guint i, const NornSpirvResource *like, const ElementName *name) {
  return run_is_same_resource(&g_array_index(resources, NornSpirvResource, i), like) &&
         (!name->has_element || run_element_at(resources, i) == name->element);
}

/* --- Attributes and varyings --- */

/* The number of components of the attribute or varying with that name for a vertex, over all
 * locations. */
static guint32
count_components(const Resolver *resolver, const NornSpirvResource *like, const ElementName *name) {
  guint32 count = 0;
  for (guint i = 0; i < resolver->resources->len; i++)
    if (is_part(resolver->resources, i, like, name))
      count += run_resource_at(resolver, i)->components;
  return count;
}

/* The name of an attribute that already has that location, or NULL. */
static const char *
find_attribute(const Resolver *resolver, guint location) {
  const GPtrArray *attributes = resolver->spec->attributes;
  for (guint i = 0; i < attributes->len; i++) {
    const RunAttribute *attribute = attributes->pdata[i];
    if (attribute->index == location)
      return attribute->name;
  }
  return NULL;
}

/* Reports two values for one location: either of one attribute, or of two that share it. */
static gboolean
fail_location(const Resolver *resolver, const RunValue *value, const NornSpirvResource *resource,
              const char *other) {
  gboolean is_shared = FALSE;
  for (guint i = 0; i < resolver->resources->len; i++) {
    const NornSpirvResource *second = run_resource_at(resolver, i);
    is_shared |= second->kind == resource->kind && second->location == resource->location &&
                 !run_is_same_resource(second, resource);
  }
  if (!is_shared)
    return run_spec_fail(resolver->spec, value->location, resolver->error,
                         "'%s' is also given by '%s'", value->name, other);
  return run_spec_fail(resolver->spec, value->location, resolver->error,
                       "'%s' shares location %u with '%s', expected one list with both and "
                       "attribute%u=LIST(FORMAT)",
                       value->name, resource->location, other, resource->location);
}

gboolean
run_resolve_attribute(Resolver *resolver, const RunValue *value, const NornSpirvResource *like,
                      const ElementName *name) {
  const RunElement *element = value->element;
  guint32 stride = count_components(resolver, like, name) * element->size, offset = 0;
  NornChannelKind kind = element->is_float    ? NORN_CHANNEL_FLOAT
                         : element->is_signed ? NORN_CHANNEL_SINT
                                              : NORN_CHANNEL_UINT;
  gboolean is_float = like->type == NORN_TYPE_F32 || like->type == NORN_TYPE_F16;
  if (element->size > 4 || element->is_float != is_float)
    return run_spec_fail(resolver->spec, value->location, resolver->error,
                         "'%s' is an attribute of %s, but the list has type %s", value->name,
                         is_float ? "floats" : "integers", element->name);
  for (guint i = 0; i < resolver->resources->len; i++) {
    const NornSpirvResource *resource = run_resource_at(resolver, i);
    if (!is_part(resolver->resources, i, like, name))
      continue;
    const char *other = find_attribute(resolver, resource->location);
    if (other)
      return fail_location(resolver, value, resource, other);
    if (resource->component)
      return run_spec_fail(resolver->spec, value->location, resolver->error,
                           "'%s' begins at component %u of location %u, expected a list of all "
                           "components and attribute%u=LIST(FORMAT)",
                           value->name, resource->component, resource->location,
                           resource->location);
    RunAttribute *attribute = g_new0(RunAttribute, 1);
    *attribute = (RunAttribute){
        .name = g_strdup(value->name),
        .location = value->location,
        .index = resource->location,
        .format = {(guint8)resource->components, (guint8)(8 * element->size), kind},
        .offset = offset,
        .stride = stride,
    };
    g_ptr_array_add(resolver->spec->attributes, attribute);
    offset += resource->components * element->size;
  }
  return TRUE;
}

gboolean
run_resolve_varying(Resolver *resolver, RunValue *value, const NornSpirvResource *like,
                    const ElementName *name) {
  guint32 components = count_components(resolver, like, name);
  gboolean fits = value->bytes->len == (gsize)3 * components * sizeof(guint32) ||
                  (value->kind == RUN_LIST && value->bytes->len == components * sizeof(guint32));
  if (!fits || value->element->size != sizeof(guint32))
    return run_spec_fail(resolver->spec, value->location, resolver->error,
                         "'%s' is a varying of %u components, expected %s", value->name, components,
                         value->kind == RUN_GRADIENTS
                             ? "three numbers for each"
                             : "a list of 32-bit numbers of one vertex or of three");
  for (guint i = 0; i < resolver->resources->len; i++) {
    const RunValue *other = resolver->varyings->pdata[i];
    if (!is_part(resolver->resources, i, like, name))
      continue;
    if (other)
      return run_spec_fail(resolver->spec, value->location, resolver->error,
                           "'%s' is also given by '%s'", value->name, other->name);
    resolver->varyings->pdata[i] = value;
  }
  return TRUE;
}

/* --- Varyings --- */

/* Component `k` of a value for varyings at three vertices, from a value that was given. */
static void
take_given(const RunSpec *spec, const RunValue *value, guint k, guint components,
           guint32 corners[3]) {
  const guint32 *words = (const guint32 *)(const void *)value->bytes->data;
  gboolean is_one = value->bytes->len == components * sizeof(guint32);
  for (guint vertex = 0; vertex < 3; vertex++)
    corners[vertex] = words[is_one ? k : vertex * components + k];
  if (value->kind != RUN_GRADIENTS)
    return;
  gdouble numbers[3];
  for (guint i = 0; i < 3; i++)
    numbers[i] = run_element_double(value->element, (const guint8 *)(words + 3 * k + i));
  corners[0] = words[3 * k];
  for (guint i = 0; i < 2; i++)
    corners[i + 1] =
        (guint32)norn_float_bits(NORN_TYPE_F32, numbers[0] + numbers[i + 1] * spec->draw.size[i]);
}

/* The same for a value that was not given: it spans the screen, 0 to 1 from left to right and
 * from top to bottom, then 0, 1. */
static void
take_usual(const NornSpirvResource *resource, guint k, guint32 corners[3]) {
  gboolean smooth = resource->type == NORN_TYPE_F32 || resource->type == NORN_TYPE_F16;
  for (guint vertex = 0; vertex < 3; vertex++)
    corners[vertex] = (guint32)norn_float_bits(NORN_TYPE_F32, smooth && !resource->flat &&
                                                                  (k == 3 || vertex == k + 1));
}

/* The number of components for a vertex of a value that was given. */
static guint32
count_given(const Resolver *resolver, const RunValue *value) {
  guint32 count = 0;
  for (guint i = 0; i < resolver->resources->len; i++)
    if (resolver->varyings->pdata[i] == value)
      count += run_resource_at(resolver, i)->components;
  return count;
}

gboolean
run_put_varyings(Resolver *resolver) {
  guint32 locations = 0, components = 0, corners[3];
  gboolean is_given = FALSE;
  for (guint i = 0; i < resolver->resources->len; i++) {
    const NornSpirvResource *resource = run_resource_at(resolver, i);
    is_given = is_given || resolver->varyings->pdata[i];
    if (resource->kind == NORN_SPIRV_VARYING && resource->location < LOCATIONS)
      locations = MAX(locations, resource->location + 1);
  }
  const RunValue *whole = run_spec_find(resolver->spec->values, "varyings");
  if (!locations || (whole && !is_given) || resolver->spec->draw.is_triangles)
    return TRUE;
  if (whole)
    return run_spec_fail(resolver->spec, whole->location, resolver->error,
                         "varyings are given both by name and all at once");
  gsize stride = (gsize)locations * LOCATION_WORDS;
  RunValue *value =
      run_value_new("varyings", RUN_LIST, run_element_find("f32"), 3 * stride * sizeof(guint32));
  if (!value)
    return run_spec_fail(resolver->spec, resolver->spec->location, resolver->error,
                         "not enough memory for the varyings");
  value->location = resolver->spec->location;
  value->is_made = TRUE;
  guint32 *words = (guint32 *)(void *)value->bytes->data;
  const RunValue *last = NULL;
  for (guint i = 0; i < resolver->resources->len; i++) {
    const NornSpirvResource *resource = run_resource_at(resolver, i);
    if (resource->kind != NORN_SPIRV_VARYING || resource->location >= LOCATIONS)
      continue;
    const RunValue *given = resolver->varyings->pdata[i];
    components = given == last ? components : 0;
    last = given;
    for (guint k = 0; k < resource->components && resource->component + k < LOCATION_WORDS; k++) {
      if (given)
        take_given(resolver->spec, given, components + k, count_given(resolver, given), corners);
      else
        take_usual(resource, k, corners);
      for (guint vertex = 0; vertex < 3; vertex++)
        words[vertex * stride + resource->location * LOCATION_WORDS + resource->component + k] =
            corners[vertex];
    }
    components += resource->components;
  }
  for (guint i = 0; i < resolver->resources->len; i++)
    if (resolver->varyings->pdata[i])
      g_ptr_array_remove(resolver->spec->values, resolver->varyings->pdata[i]);
  g_ptr_array_add(resolver->spec->values, value);
  return TRUE;
}
