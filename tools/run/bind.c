/* Binds the values of a description to uniforms, buffers, images and resource tables, as
 * determined by the description, the stage or the name. */
#include "run/declared.h"

#include <string.h>

/* Binds the values of the description to the state of the session. */
typedef struct Binder {
  const Program *program;
  const RunSpec *spec;
  Session *session;
  GError **error;
} Binder;

/* --- Names with a meaning in a stage --- */

typedef enum {
  ROLE_NONE,
  ROLE_POSITION,
  ROLE_EXTRA,
  ROLE_OUTPUTS, /* varyings that vertices write */
  ROLE_INPUTS,  /* varyings that fragments read */
  ROLE_COLOR,
  ROLE_DEPTH,
  ROLE_STENCIL,
  ROLE_BLEND_SOURCE,
} Role;

static const struct {
  const char *name; /* if `numbers` is more than 1, a number follows */
  NornShaderStage stage;
  Role role;
  RunKind kind;
  guint numbers;
} roles[] = {
    {"position", NORN_STAGE_VERTEX, ROLE_POSITION, RUN_LIST, 1},
    {"extra", NORN_STAGE_VERTEX, ROLE_EXTRA, RUN_LIST, 1},
    {"varyings", NORN_STAGE_VERTEX, ROLE_OUTPUTS, RUN_LIST, 1},
    {"varyings", NORN_STAGE_FRAGMENT, ROLE_INPUTS, RUN_LIST, 1},
    {"color", NORN_STAGE_FRAGMENT, ROLE_COLOR, RUN_IMAGE, NORN_COLOR_TARGETS},
    {"depth", NORN_STAGE_FRAGMENT, ROLE_DEPTH, RUN_IMAGE, 1},
    {"stencil", NORN_STAGE_FRAGMENT, ROLE_STENCIL, RUN_IMAGE, 1},
    {"blend_source", NORN_STAGE_FRAGMENT, ROLE_BLEND_SOURCE, RUN_LIST, 2},
};

static Role
find_role(const Program *program, const RunSpec *spec, const RunValue *value, guint *number) {
  NornShaderStage stage = run_stage(program, spec);
  for (guint i = 0; !value->is_uniform && i < G_N_ELEMENTS(roles); i++) {
    gsize length = strlen(roles[i].name);
    const char *rest = value->name + length;
    guint64 index = 0;
    gboolean fits = roles[i].kind == value->kind ||
                    (roles[i].role == ROLE_INPUTS && value->kind == RUN_GRADIENTS);
    if (roles[i].stage != stage || !fits || strncmp(value->name, roles[i].name, length) != 0)
      continue;
    if (roles[i].numbers > 1 ? run_integer(rest, 1, &index) && index < roles[i].numbers : !*rest) {
      *number = (guint)index;
      return roles[i].role;
    }
  }
  return ROLE_NONE;
}

/* --- Uniforms --- */

typedef struct Uniform {
  NornType type;
  guint word, count;    /* of the first element, and of elements */
  gboolean is_declared; /* by a module; otherwise it is a word of bare code */
} Uniform;

/* Finds where a named value is stored if a module declares the name. */
static gboolean
find_declared(const Program *program, const char *name, Uniform *uniform) {
  const NornModule *module = run_naming_module(program);
  if (module && norn_module_find_fau(module, name, &uniform->type, &uniform->word, &uniform->count))
    return TRUE;
  uniform->type = NORN_TYPE_I64;
  uniform->count = 1;
  return run_find_address(program, name, &uniform->word);
}

/* The same; for bare code, also by the number of the word, as in "u12". */
static gboolean
find_uniform(const Program *program, const char *name, Uniform *uniform) {
  uniform->is_declared = find_declared(program, name, uniform);
  if (uniform->is_declared || program->module)
    return uniform->is_declared;
  guint64 number;
  if (*name != 'u' ||
      !g_ascii_string_to_unsigned(name + 1, 10, 0, NORN_FAU_WORDS - 1, &number, NULL))
    return FALSE;
  *uniform = (Uniform){NORN_TYPE_I32, (guint)number, 1, FALSE};
  return TRUE;
}

static void
set_words(Session *session, guint word, guint64 bits, gsize bytes) {
  session->uniforms[word] = (guint32)bits;
  if (bytes == 8 && word + 1 < NORN_FAU_WORDS)
    session->uniforms[word + 1] = (guint32)(bits >> 32);
}

/* The numbers of a list that give the uniform: words, if its type has no numbers of its own. *count
 * is set to how many. */
static const RunElement *
uniform_element(const Uniform *uniform, guint *count) {
  static const guint8 words[] = {
#define TYPE(id, text, lane_bits, lanes, class) (lane_bits) * (lanes) / 32,
      NORN_TYPES(TYPE)
#undef TYPE
  };
  const RunElement *element = run_element_of_type(uniform->type);
  *count = uniform->count * (element ? 1 : words[uniform->type]);
  return element ? element : run_element_of_type(NORN_TYPE_I32);
}

gboolean
run_fail_name(const Program *program, const RunSpec *spec, const RunValue *value, const char *where,
              GError **error) {
  g_autofree char *declared = run_declared_text(program);
  gboolean are_two = program->other != NULL;
  gboolean has_names = program->interface || (are_two && program->other->interface);
  return run_spec_fail(
      spec, value->location, error, "the program%s no %s '%s'%s%s%s",
      are_two ? "s declare" : " declares", has_names ? "resource" : "uniform", value->name, where,
      !run_naming_module(program)
          ? "; machine code has only u0, u1 and so on, and the names of the module in --runs=FILE"
      : are_two ? "; they declare "
                : "; it declares ",
      run_naming_module(program) ? declared : "");
}

/* Adds the value's name to what is wrong with its number, and frees that. Returns FALSE. */
static gboolean
fail_number(const Binder *binder, const RunValue *value, GError *problem) {
  run_spec_fail(binder->spec, value->location, binder->error, "%s: %s", value->name,
                problem->message);
  g_error_free(problem);
  return FALSE;
}

static gboolean
bind_number(const Binder *binder, const RunValue *value) {
  Uniform uniform;
  guint count;
  guint64 bits;
  GError *problem = NULL;
  if (!find_uniform(binder->program, value->name, &uniform))
    return run_fail_name(binder->program, binder->spec, value, "", binder->error);
  const RunElement *element = uniform_element(&uniform, &count);
  if (count > 1)
    return run_spec_fail(binder->spec, value->location, binder->error,
                         "'%s' is an array of %u elements of type %s, expected a list such as "
                         "%s=%s[%s; %u]",
                         value->name, count, element->name, value->name, element->name,
                         value->number, count);
  /* A word of bare code may hold either kind of number. */
  if (!(uniform.is_declared ? run_number : run_either_number)(value->number, element, &bits,
                                                              &problem))
    return fail_number(binder, value, problem);
  set_words(binder->session, uniform.word, bits, element->size);
  return TRUE;
}

/* Converts bytes of a value to words, the lowest first. */
static void
copy_words(guint32 *words, const guint8 *bytes, gsize size) {
  memcpy(words, bytes, size);
  for (gsize i = 0; i < (size + sizeof *words - 1) / sizeof *words; i++)
    words[i] = GUINT32_FROM_LE(words[i]);
}

/* Whether a list is the contents of a uniform, rather than of memory that its address points to:
 * even a list of a single number may be an array with one element. */
static gboolean
fills_array(const RunValue *value, const Uniform *uniform) {
  guint count;
  uniform_element(uniform, &count);
  return count > 1 || (uniform->type != NORN_TYPE_I64 && value->bytes->len == value->element->size);
}

static gboolean
fill_array(const Binder *binder, const RunValue *value, const Uniform *uniform) {
  guint count;
  const RunElement *element = uniform_element(uniform, &count);
  if (value->element->type != element->type || value->bytes->len != (gsize)count * element->size)
    return run_spec_fail(binder->spec, value->location, binder->error,
                         "'%s' is an array of %u element%s of type %s, expected a list of the "
                         "same number and type, found %u of type %s",
                         value->name, count, count > 1 ? "s" : "", element->name,
                         value->bytes->len / value->element->size, value->element->name);
  /* Each element begins a word of its own. */
  guint words = element->size == 8 ? 2 : 1;
  for (guint i = 0; i < count && uniform->word + i * words < NORN_FAU_WORDS; i++) {
    guint64 bits = 0;
    memcpy(&bits, (const guint8 *)value->bytes->data + (gsize)i * element->size, element->size);
    set_words(binder->session, uniform->word + i * words, GUINT64_FROM_LE(bits), element->size);
  }
  return TRUE;
}

/* Stores only the bytes of a push constant, which may share words with others. */
static gboolean
bind_bytes(const Binder *binder, const RunValue *value, const NornSpirvResource *resource) {
  const RunElement *element = run_element_of_type(resource->type);
  gboolean is_one = element && element->size == resource->bytes;
  guint64 bits = 0;
  const guint8 *bytes = (const guint8 *)&bits;
  GError *problem = NULL;
  if (value->kind == RUN_NUMBER && is_one) {
    if (!run_number(value->number, element, &bits, &problem))
      return fail_number(binder, value, problem);
    bits = GUINT64_TO_LE(bits);
  } else if (value->kind == RUN_LIST && value->bytes->len == resource->bytes &&
             (!element || value->element->type == resource->type)) {
    bytes = value->bytes->data;
  } else {
    return run_spec_fail(binder->spec, value->location, binder->error,
                         "'%s' has %u bytes, expected %sa list of %s", value->name, resource->bytes,
                         is_one ? "a number or " : "", element ? element->name : "the same size");
  }
  for (guint32 i = 0; i < resource->bytes; i++) {
    guint32 at = resource->component + i, shift = at % sizeof(guint32) * 8;
    guint32 *word = &binder->session->uniforms[resource->word + at / sizeof *word];
    *word = (*word & ~(0xFFu << shift)) | (guint32)bytes[i] << shift;
  }
  return TRUE;
}

/* --- Memory --- */

static gboolean
is_entry(const RunSpec *spec, const char *name) {
  for (guint i = 0; i < spec->entries->len; i++)
    if (!strcmp(((RunEntry *)spec->entries->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
is_attribute(const RunSpec *spec, const char *name) {
  for (guint i = 0; i < spec->attributes->len; i++)
    if (!strcmp(((RunAttribute *)spec->attributes->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
is_named(const RunSpec *spec, const char *name) {
  return is_entry(spec, name) || is_attribute(spec, name);
}

gboolean
run_value_has_role(const Program *program, const RunSpec *spec, const RunValue *value) {
  guint number;
  return find_role(program, spec, value, &number) != ROLE_NONE;
}

gboolean
run_value_is_bound(const Program *program, const RunSpec *spec, const RunValue *value) {
  return run_value_has_role(program, spec, value) || is_named(spec, value->name);
}

gboolean
run_value_is_attribute(const RunSpec *spec, const RunValue *value) {
  return is_attribute(spec, value->name) && !is_entry(spec, value->name);
}

/* Adds a buffer of the value's bytes; *buffer gets its number. */
static gboolean
add_buffer(const Binder *binder, const RunValue *value, gsize *buffer) {
  NornMemory *memory = binder->session->memory;
  GError *problem = NULL;
  if (!norn_memory_add(memory, value->name, 0, value->bytes->data, value->bytes->len, &problem)) {
    run_spec_fail(binder->spec, value->location, binder->error, "%s", problem->message);
    g_error_free(problem);
    return FALSE;
  }
  *buffer = norn_memory_find(memory, value->name);
  return TRUE;
}

/* Converts values at the top left and their increase from pixel to pixel to three vertices'
 * blocks. */
static gboolean
expand_gradients(const Binder *binder, const RunValue *value, gsize *buffer) {
  const RunSpec *spec = binder->spec;
  gsize count = value->bytes->len / sizeof(guint32) / 3;
  if (value->bytes->len % (3 * sizeof(guint32)))
    return run_spec_fail(spec, value->location, binder->error,
                         "expected three numbers for each varying: the value at the top left and "
                         "its increases to the right and down");
  g_autofree guint32 *blocks = g_try_new(guint32, 3 * count + 1);
  if (!blocks)
    return run_spec_fail(spec, value->location, binder->error,
                         "not enough memory for the gradients");
  const guint8 *given = value->bytes->data;
  for (gsize i = 0; i < count; i++) {
    gdouble numbers[3];
    for (guint k = 0; k < 3; k++)
      numbers[k] = run_element_double(value->element, given + (3 * i + k) * sizeof(guint32));
    blocks[i] = GUINT32_TO_LE((guint32)norn_float_bits(NORN_TYPE_F32, numbers[0]));
    for (guint k = 0; k < 2; k++)
      blocks[(k + 1) * count + i] = GUINT32_TO_LE((guint32)norn_float_bits(
          NORN_TYPE_F32, numbers[0] + numbers[k + 1] * spec->draw.size[k]));
  }
  RunValue expanded = *value;
  RunBytes bytes = {.data = (guint8 *)blocks, .len = (guint)(3 * count * sizeof(guint32))};
  expanded.bytes = &bytes;
  return add_buffer(binder, &expanded, buffer);
}

/* The bytes in each of the `count` blocks of a buffer. */
static gboolean
block_stride(const Binder *binder, const RunValue *value, gsize buffer, guint64 count,
             const char *what, guint32 *stride) {
  gsize size;
  norn_memory_bytes(binder->session->memory, buffer, &size);
  *stride = count ? (guint32)(size / count) : 0;
  if (!count || size % count == 0)
    return TRUE;
  return run_spec_fail(binder->spec, value->location, binder->error,
                       "'%s' has %" G_GSIZE_FORMAT
                       " bytes, expected a multiple of %" G_GUINT64_FORMAT ", the number of %s",
                       value->name, size, count, what);
}

static gboolean
bind_role(const Binder *binder, const RunValue *value, Role role, guint number, gsize buffer,
          const NornImage *image) {
  const RunSpec *spec = binder->spec;
  NornFragmentState *fragment = &binder->session->fragment;
  NornVertexState *vertex = &binder->session->vertex;
  switch (role) {
  case ROLE_POSITION:
    vertex->position_buffer = buffer;
    break;
  case ROLE_EXTRA:
    vertex->extra_buffer = buffer;
    break;
  case ROLE_OUTPUTS:
    vertex->varying_buffer = buffer;
    return block_stride(binder, value, buffer, (guint64)spec->draw.size[0] * spec->draw.instances,
                        "vertices of all instances", &vertex->varying_stride);
  case ROLE_INPUTS:
    fragment->varying_buffer = buffer;
    return block_stride(binder, value, buffer, 3, "vertices", &fragment->varying_stride);
  case ROLE_COLOR:
    fragment->targets[number] = image;
    break;
  case ROLE_DEPTH:
    fragment->depth_target = image;
    break;
  case ROLE_STENCIL:
    fragment->stencil_target = image;
    break;
  case ROLE_BLEND_SOURCE:
    fragment->is_blend_shader = true;
    if (value->bytes->len > sizeof fragment->blend_source[number])
      return run_spec_fail(spec, value->location, binder->error,
                           "'%s' has %u bytes, expected at most 16", value->name,
                           value->bytes->len);
    copy_words(fragment->blend_source[number], value->bytes->data, value->bytes->len);
    break;
  case ROLE_NONE:
    break;
  }
  return TRUE;
}

static gboolean
bind_buffer(const Binder *binder, const RunValue *value, NornImage *image) {
  const RunSpec *spec = binder->spec;
  Uniform uniform = {.is_declared = FALSE};
  guint number = 0;
  gsize buffer = 0;
  Role role = find_role(binder->program, spec, value, &number);
  gboolean is_uniform = !role && find_uniform(binder->program, value->name, &uniform);
  if (uniform.is_declared && value->kind == RUN_LIST && fills_array(value, &uniform))
    return fill_array(binder, value, &uniform);
  if (uniform.is_declared && uniform.type != NORN_TYPE_I64)
    return run_spec_fail(spec, value->location, binder->error,
                         "'%s' is not an address, so it cannot be a buffer", value->name);
  if (!role && !is_uniform && !is_named(spec, value->name))
    return run_fail_name(binder->program, spec, value, ", and no table or attribute names it",
                         binder->error);
  if (value->kind == RUN_GRADIENTS && role != ROLE_INPUTS)
    return run_spec_fail(spec, value->location, binder->error,
                         "gradients are only for the varyings of a fragment shader");
  if (value->kind == RUN_GRADIENTS ? !expand_gradients(binder, value, &buffer)
                                   : !add_buffer(binder, value, &buffer))
    return FALSE;
  *image = value->image;
  image->buffer = buffer;
  if (is_uniform)
    set_words(binder->session, uniform.word, norn_memory_address(binder->session->memory, buffer),
              8);
  return bind_role(binder, value, role, number, buffer, image);
}

/* --- Tables and attributes --- */

static gboolean
find_value(const Binder *binder, const char *name, RunLocation location, guint *index) {
  const RunSpec *spec = binder->spec;
  for (*index = 0; *index < spec->values->len; ++*index) {
    const RunValue *value = spec->values->pdata[*index];
    if (!strcmp(value->name, name))
      return value->kind != RUN_NUMBER ||
             run_spec_fail(spec, location, binder->error, "'%s' is a number, expected a buffer",
                           name);
  }
  return run_spec_fail(spec, location, binder->error, "'%s' has no value before =>", name);
}

static gboolean
bind_tables(const Binder *binder) {
  const RunSpec *spec = binder->spec;
  Session *session = binder->session;
  for (guint i = 0; i < spec->entries->len; i++) {
    const RunEntry *entry = spec->entries->pdata[i];
    guint index;
    if (!find_value(binder, entry->name, entry->location, &index))
      return FALSE;
    const RunValue *value = spec->values->pdata[index];
    session->resources[i] = (NornResource){
        .handle = entry->handle,
        .buffer = norn_memory_find(session->memory, entry->name),
        .stride = entry->stride,
        .image = value->kind == RUN_IMAGE ? &session->images[index] : NULL,
        .sampler = value->kind == RUN_SAMPLER ? &value->sampler : NULL,
    };
  }
  session->launch.resources = session->resources;
  session->launch.resource_count = spec->entries->len;
  return TRUE;
}

static gboolean
bind_attributes(const Binder *binder) {
  const RunSpec *spec = binder->spec;
  Session *session = binder->session;
  guint count = 0;
  for (guint i = 0; i < spec->attributes->len; i++) {
    const RunAttribute *attribute = spec->attributes->pdata[i];
    count = MAX(count, attribute->index + 1);
  }
  session->attributes = g_new0(NornAttribute, count + 1); /* channels 0: does not exist */
  for (guint i = 0; i < spec->attributes->len; i++) {
    const RunAttribute *attribute = spec->attributes->pdata[i];
    guint index;
    if (!find_value(binder, attribute->name, attribute->location, &index))
      return FALSE;
    /* Instances are counted from 0: as in drivers, the buffer's start is moved to the first one. */
    guint64 skipped = attribute->divisor ? spec->draw.first_instance : 0;
    session->attributes[attribute->index] =
        (NornAttribute){norn_memory_find(session->memory, attribute->name),
                        attribute->offset + skipped * attribute->stride, attribute->stride,
                        attribute->divisor, attribute->format};
  }
  session->vertex.attributes = session->attributes;
  session->vertex.attribute_count = count;
  return TRUE;
}

/* --- Binding everything --- */

void
run_note_uniforms(const Program *program, const RunSpec *spec) {
  gboolean is_file = strcmp(spec->file, RUN_COMMAND_LINE) != 0;
  g_autofree char *place =
      is_file ? g_strdup_printf("%s:%u: ", spec->file, spec->location.line) : g_strdup("");
  const NornModule *module = program->interface ? NULL : run_naming_module(program);
  const char *name;
  for (guint i = 0; module && (name = norn_module_fau_name(module, i)); i++) {
    NornType type;
    guint word, count;
    if (run_spec_find(spec->values, name) ||
        !norn_module_find_fau(module, name, &type, &word, &count))
      continue;
    gboolean is_list = count > 1 || type == NORN_TYPE_I64;
    tool_note("%sthe uniform '%s' has no value and is 0; set it with %s=%s", place, name, name,
              is_list ? "TYPE[VALUE, ...]" : "VALUE");
  }
}

gboolean
run_session_bind(const Program *program, const RunSpec *spec, Session *session, GError **error) {
  const Binder binder = {program, spec, session, error};
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    NornSpirvResource resource;
    gboolean done = TRUE;
    if (value->is_foreign)
      continue;
    if (!run_value_is_bound(program, spec, value) && run_find_bytes(program, value, &resource))
      done = bind_bytes(&binder, value, &resource);
    else if (value->kind == RUN_NUMBER)
      done = bind_number(&binder, value);
    else if (value->kind != RUN_SAMPLER)
      done = bind_buffer(&binder, value, &session->images[i]);
    else if (!is_named(spec, value->name))
      done = run_fail_name(program, spec, value, ", and no table names it", error);
    if (!done)
      return FALSE;
  }
  return bind_tables(&binder) && bind_attributes(&binder);
}
