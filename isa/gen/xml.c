/* Reading a description: parsing, schema validation, attributes, errors with file and line. */
#include "isa/gen/gen.h"
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void
gen_fail(const Generator *gen, const xmlNode *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *whole = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  char *message = norn_shorten_message(whole);
  g_free(whole);
  g_printerr("%s:%ld: %s\n", gen->file, node ? xmlGetLineNo((xmlNode *)node) : 1L, message);
  g_free(message);
  exit(1);
}

/* The problems found in a file. The parser stops after the first ones: an unexpected character may
 * make as many as there are characters after it, each with a message as long. */
#define SHOWN_PROBLEMS 20

typedef struct {
  const char *file;
  unsigned count;
  long line; /* of the last problem */
} Problems;

static void
report(void *data, xmlErrorPtr error) {
  Problems *problems = data;
  if (problems->count++ >= SHOWN_PROBLEMS) {
    if (error->domain == XML_FROM_PARSER && error->ctxt)
      xmlStopParser(error->ctxt);
    return;
  }
  /* A message without a line continues the previous one. */
  if (error->line)
    problems->line = error->line;
  g_autofree char *whole = g_utf8_make_valid(error->message, -1);
  g_autofree char *message = norn_shorten_message(whole);
  g_strchomp(g_strdelimit(message, "\n", ' '));
  g_printerr("%s:%ld: %s\n", error->file ? error->file : problems->file, MAX(problems->line, 1),
             message);
}

static void
validate(Generator *gen, const char *schema) {
  Problems problems = {.file = schema};
  xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewParserCtxt(schema);
  xmlRelaxNGSetParserStructuredErrors(parser, report, &problems);
  xmlRelaxNG *grammar = xmlRelaxNGParse(parser);
  xmlRelaxNGFreeParserCtxt(parser);
  problems.file = gen->file;
  if (!grammar)
    exit(1);
  xmlRelaxNGValidCtxt *context = xmlRelaxNGNewValidCtxt(grammar);
  xmlRelaxNGSetValidStructuredErrors(context, report, &problems);
  int result = xmlRelaxNGValidateDoc(context, gen->doc);
  xmlRelaxNGFreeValidCtxt(context);
  xmlRelaxNGFree(grammar);
  if (result != 0)
    exit(1);
}

static void
collect(Generator *gen) {
  for (xmlNode *node = gen->root->children; node; node = node->next) {
    if (gen_is(node, "architecture"))
      g_ptr_array_add(gen->architectures, node);
    else if (gen_is(node, "unit"))
      g_ptr_array_add(gen->units, node);
    else if (gen_is(node, "flag"))
      g_ptr_array_add(gen->flags, node);
  }
  if (gen->architectures->len > 32 || gen->flags->len > 32 || gen->units->len > NORN_ISA_UNITS)
    gen_fail(gen, gen->root, "more than 32 architectures or flags, or %d units", NORN_ISA_UNITS);
}

static unsigned
find_label(const Generator *gen, const xmlNode *node, const GPtrArray *labels, const char *what,
           const char *name) {
  for (unsigned i = 0; i < labels->len; i++)
    if (strcmp(gen_attribute(labels->pdata[i], "name"), name) == 0)
      return i;
  gen_fail(gen, node, "unknown %s '%s'", what, name);
}

unsigned
gen_unit(const Generator *gen, const xmlNode *node, const char *name) {
  return find_label(gen, node, gen->units, "unit", name);
}

uint32_t
gen_flags(const Generator *gen, const xmlNode *node, const char *list) {
  uint32_t flags = 0;
  g_auto(GStrv) names = g_strsplit(list, " ", -1);
  for (char **name = names; *name; name++)
    if (**name)
      flags |= 1u << find_label(gen, node, gen->flags, "flag", *name);
  return flags;
}

void
gen_unit_takes(const Generator *gen, const xmlNode *node, const char *list,
               uint8_t takes[NORN_ISA_UNITS]) {
  g_auto(GStrv) pairs = g_strsplit(list, " ", -1);
  for (char **pair = pairs; *pair; pair++) {
    char *colon = strchr(*pair, ':');
    guint64 amount;
    if (!colon || !g_ascii_string_to_unsigned(colon + 1, 10, 1, UINT8_MAX, &amount, NULL))
      gen_fail(gen, node, "expected UNIT:AMOUNT, found '%s'", *pair);
    *colon = 0;
    takes[gen_unit(gen, node, *pair)] = (uint8_t)amount;
  }
}

void
gen_load(Generator *gen, const char *schema) {
  Problems problems = {.file = gen->file};
  xmlSetStructuredErrorFunc(&problems, report);
  gen->doc = xmlReadFile(gen->file, NULL, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_BIG_LINES);
  if (!gen->doc || problems.count)
    exit(1);
  validate(gen, schema);
  xmlSetStructuredErrorFunc(NULL, NULL);
  gen->root = xmlDocGetRootElement(gen->doc);
  gen_index_children(gen, gen->root);
  gen->name = gen_attribute(gen->root, "name");
  gen->word_bits = (unsigned)gen_number_attribute(gen, gen->root, "word", 64);
  collect(gen);
}

bool
gen_is(const xmlNode *node, const char *element) {
  return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, element) == 0;
}

const char *
gen_attribute(const xmlNode *node, const char *name) {
  for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
    if (strcmp((const char *)attribute->name, name) == 0)
      return attribute->children ? (const char *)attribute->children->content : "";
  }
  return NULL;
}

const char *
gen_attribute_or(const xmlNode *node, const char *name, const char *fallback) {
  const char *value = gen_attribute(node, name);
  return value ? value : fallback;
}

int64_t
gen_number(const Generator *gen, const xmlNode *node, const char *text) {
  char *end;
  errno = 0;
  int64_t value = g_ascii_strtoll(text, &end, 0);
  if (*end || end == text || errno)
    gen_fail(gen, node, "'%s' is not a number", text);
  return value;
}

int64_t
gen_number_attribute(const Generator *gen, const xmlNode *node, const char *name,
                     int64_t fallback) {
  const char *text = gen_attribute(node, name);
  return text ? gen_number(gen, node, text) : fallback;
}

bool
gen_boolean_attribute(const xmlNode *node, const char *name) {
  return g_strcmp0(gen_attribute(node, name), "true") == 0;
}

char *
gen_content(const xmlNode *node) {
  xmlChar *content = xmlNodeGetContent(node);
  GString *folded = g_string_new(NULL);
  for (const char *c = (const char *)content; *c; c++) {
    if (!g_ascii_isspace(*c))
      g_string_append_c(folded, *c);
    else if (folded->len && folded->str[folded->len - 1] != ' ')
      g_string_append_c(folded, ' ');
  }
  xmlFree(content);
  if (folded->len && folded->str[folded->len - 1] == ' ')
    g_string_truncate(folded, folded->len - 1);
  return g_string_free(folded, FALSE);
}

static unsigned
architecture_attribute(const Generator *gen, const xmlNode *node, const char *attribute,
                       unsigned fallback) {
  const char *name = gen_attribute(node, attribute);
  if (!name)
    return fallback;
  for (unsigned i = 0; i < gen->architectures->len; i++) {
    if (strcmp(gen_attribute(gen->architectures->pdata[i], "name"), name) == 0)
      return i;
  }
  gen_fail(gen, node, "%s: unknown architecture '%s'", attribute, name);
}

unsigned
gen_since(const Generator *gen, const xmlNode *node) {
  return architecture_attribute(gen, node, "since", 0);
}

unsigned
gen_until(const Generator *gen, const xmlNode *node) {
  return architecture_attribute(gen, node, "until", gen->architectures->len - 1);
}

bool
gen_applies(const Generator *gen, const xmlNode *node, unsigned architecture) {
  return gen_since(gen, node) <= architecture && architecture <= gen_until(gen, node);
}

NornIsaText
gen_intern(Generator *gen, const char *string) {
  if (!string || !*string)
    return 0;
  gpointer found = g_hash_table_lookup(gen->interned, string);
  if (found)
    return GPOINTER_TO_UINT(found);
  size_t length = strlen(string);
  if (gen->strings->len + length > UINT32_MAX >> 8)
    gen_fail(gen, gen->root, "more than %u bytes of names and titles", UINT32_MAX >> 8);
  NornIsaText text = gen->strings->len << 8 | (length > 255 ? 255 : (unsigned)length);
  g_byte_array_append(gen->strings, (const guint8 *)string, (guint)length + 1);
  g_hash_table_insert(gen->interned, g_strdup(string), GUINT_TO_POINTER(text));
  return text;
}

unsigned
gen_field_number(Generator *gen, const char *name) {
  gpointer found = g_hash_table_lookup(gen->field_numbers, name);
  if (found)
    return GPOINTER_TO_UINT(found) - 1;
  char *copy = g_strdup(name);
  g_ptr_array_add(gen->field_names, copy);
  g_hash_table_insert(gen->field_numbers, copy, GUINT_TO_POINTER(gen->field_names->len));
  return gen->field_names->len - 1;
}
