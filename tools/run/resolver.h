/* Declarations shared by declared.c and locations.c: how values find what a shader in SPIR-V
 * declares. */
#ifndef NORN_TOOLS_RUN_RESOLVER_H
#define NORN_TOOLS_RUN_RESOLVER_H

#include "run/run.h"

typedef struct Resolver {
  const Program *program;
  RunSpec *spec;
  GArray *resources;   /* NornSpirvResource: what the shader reads */
  GPtrArray *varyings; /* for each resource, the value of that varying, or NULL */
  gboolean has_tables; /* the description specifies tables */
  GError **error;
} Resolver;

/* A value's name, split. */
typedef struct ElementName {
  char *base;
  guint64 element; /* 0 if it names none */
  gboolean has_element;
} ElementName;

static inline const NornSpirvResource *
run_resource_at(const Resolver *resolver, guint i) {
  return &g_array_index(resolver->resources, NornSpirvResource, i);
}

/* --- locations.c --- */

/* Whether both are locations of the same attribute, varying or color. */
gboolean run_is_same_resource(const NornSpirvResource *resource, const NornSpirvResource *other);

/* The element of an attribute, varying or color that has row `i` as a location. */
guint run_element_at(const GArray *resources, guint i);

/* Whether row `i` is a location of an attribute or varying, but not the first one. */
gboolean run_is_later_location(const GArray *resources, guint i);

/* Uses the value for the attribute or varying `like`, or for its element; FALSE with the
 * resolver's error if it does not fit. */
gboolean run_resolve_attribute(Resolver *resolver, const RunValue *value,
                               const NornSpirvResource *like, const ElementName *name);
gboolean run_resolve_varying(Resolver *resolver, RunValue *value, const NornSpirvResource *like,
                             const ElementName *name);

/* Replaces the values for varyings with a single value for all of them. */
gboolean run_put_varyings(Resolver *resolver);

#endif
