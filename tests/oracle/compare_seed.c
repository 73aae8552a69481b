/* Comparison with the two earlier Valhall descriptions in XML.
 *
 * They name every instruction and its parts but specify most bits only through shorthand
 * elements, whose meaning is in the tables here: an element is an item at some bits, whose
 * values are those of an enum in the file. Sources take eight bits each from bit 0 on; one of 64
 * bits takes two places; the modifiers of a source depend on its number and the operation's
 * width. An item differs if the description has something else at its bits, lacks one of its
 * values or does not accept the value's name. Anything else in the description is noted as
 * added. */
#include "tests/oracle/compare_internal.h"
#include <libxml/parser.h>
#include <string.h>

typedef struct {
  CompareContext *context;
  const char *filename;
  GHashTable *enums; /* name -> xmlNode */
  bool old;          /* the description of 2021 */
} Seed;

/* One instruction being compared; facts that it lacks are taken from its group. */
typedef struct {
  Seed *seed;
  const xmlNode *instruction, *group; /* group: nullable */
  const NornIsaEncoding *encoding;
  uint64_t claimed; /* bits where items were */
  bool note;
  unsigned count;
  unsigned sources;
} SeedComparer;

/* Elements for a modifier at fixed bits. */
typedef struct {
  const char *element;
  unsigned position, width;
  const char *enumeration; /* of the file; NULL: a flag with the element's name */
} Shorthand;

static const Shorthand shorthands[] = {
    {"wide_indices", 8, 1, NULL},
    {"array_enable", 10, 1, NULL},
    {"texel_offset", 11, 1, NULL},
    {"shadow", 12, 1, NULL},
    {"force_delta_enable", 12, 1, NULL},
    {"lod_mode", 13, 3, "LOD mode"},
    {"lod_bias_disable", 13, 1, NULL},
    {"lod_clamp_disable", 14, 1, NULL},
    {"derivative_enable", 15, 1, NULL},
    {"integer_coordinates", 13, 1, NULL},
    {"fetch_component", 14, 2, "Fetch component"},
    {"write_mask", 22, 4, "Write mask"},
    {"atom_opc", 22, 4, "Atomic operation"},
    {"atom_opc_1", 22, 4, "Atomic operation with 1"},
    {"inactive_result", 22, 4, "Inactive result"},
    {"memory_access", 24, 2, "Memory access"},
    {"store_segment", 24, 2, "Store segment"},
    {"regfmt", 24, 3, "Register format"},
    {"source_format", 24, 4, "Source format"},
    {"vartex_register_width", 24, 2, "Varying texture register width"},
    {"register_type", 26, 2, "Register type"},
    {"vecsize", 28, 2, "Vector size"},
    {"dimension", 28, 2, "Dimension"},
    {"roundmode", 30, 2, "Round mode"},
    {"result_type", 30, 2, "Result type"},
    {"saturate", 30, 1, NULL},
    {"not_result", 30, 1, NULL},
    {"cmp", 32, 3, "Condition"},
    {"clamp", 32, 2, "Clamp"},
    {"lane_op", 32, 2, "Lane operation"},
    {"sample_and_update", 33, 3, "Sample and update mode"},
    {"conservative", 35, 1, NULL},
    {"subgroup", 36, 4, "Subgroup size"},
    {"update", 36, 2, "Update mode"},
    {"sample", 38, 2, "Sample mode"},
    {"skip", 39, 1, NULL},
    {"register_width", 46, 1, "Register width"},
    {"secondary_register_width", 47, 1, "Register width"},
};

/* Enums of the modifiers whose positions are in the files; others are flags or numbers. */
static const struct {
  const char *name, *enumeration;
} modifier_enums[] = {
    {"load_lane_8_bit", "Load lane (8-bit)"},
    {"load_lane_16_bit", "Load lane (16-bit)"},
    {"load_lane_24_bit", "Load lane (24-bit)"},
    {"load_lane_32_bit", "Load lane (32-bit)"},
    {"load_lane_48_bit", "Load lane (48-bit)"},
    {"load_lane_64_bit", "Load lane (64-bit)"},
    {"load_lane_96_bit", "Load lane (96-bit)"},
    {"load_lane_128_bit", "Load lane (128-bit)"},
    {"mux", "Mux"},
    {"nan_mode", "NaN mode"},
    {"memory_access", "Memory access"},
    {"dimension", "Dimension"},
    {"lod_mode", "LOD mode"},
};

/* ------------------------------------------------------------------------- XML */

static bool
is_element(const xmlNode *node, const char *name) {
  return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* The text of an attribute, or NULL. Attributes that contain entities count as missing. */
static const char *
attribute(const xmlNode *node, const char *name) {
  for (const xmlAttr *a = node->properties; a; a = a->next)
    if (!strcmp((const char *)a->name, name))
      return a->children && !a->children->next && a->children->type == XML_TEXT_NODE
                 ? (const char *)a->children->content
                 : "";
  return NULL;
}

static bool
is_true(const xmlNode *node, const char *name) {
  const char *text = attribute(node, name);
  return text && !strcmp(text, "true");
}

/* A number attribute of the instruction, or of its group. */
static bool
number(const xmlNode *node, const char *name, uint64_t *value) {
  const char *text = node ? attribute(node, name) : NULL;
  if (!text || !*text)
    return false;
  char *end;
  *value = g_ascii_strtoull(text, &end, 0);
  return !*end;
}

static bool
fact_number(const SeedComparer *comparer, const char *name, uint64_t *value) {
  return number(comparer->instruction, name, value) || number(comparer->group, name, value);
}

static const char *
fact(const SeedComparer *comparer, const char *name) {
  const char *text = attribute(comparer->instruction, name);
  return text || !comparer->group ? text : attribute(comparer->group, name);
}

/* ------------------------------------------------------------------------- findings */

static void differ(SeedComparer *comparer, const char *item, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void
differ(SeedComparer *comparer, const char *item, const char *format, ...) {
  comparer->count++;
  if (!comparer->note)
    return;
  va_list arguments;
  va_start(arguments, format);
  char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  norn_compare_note(comparer->seed->context, COMPARE_DIFFERENCE, comparer->encoding->name, item,
                    "%s", message);
  g_free(message);
}

static void
claim(SeedComparer *comparer, unsigned position, unsigned width) {
  comparer->claimed |= norn_isa_mask(width) << position;
  comparer->seed->context->result.compared++;
}

/* The enum field that holds the bit at `position`, or NULL. */
static const NornIsaField *
enum_field_at(const NornIsaEncoding *encoding, unsigned position) {
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind == NORN_ISA_FIELD_ENUM && position >= field->position &&
        position < (unsigned)field->position + field->width)
      return field;
  }
  return NULL;
}

/* ------------------------------------------------------------------------- items */

/* A value of an enum in the file must be legal at these bits, and its name must be accepted. If
 * it is not legal, it is added to *illegal. */
static void
compare_value(SeedComparer *comparer, const char *item, unsigned position, uint64_t values,
              unsigned value, const char *name, bool is_default, GString *illegal) {
  if (!(values >> value & 1)) {
    g_string_append_printf(illegal, "%s%s = %u", illegal->len ? ", " : "", name, value);
    return;
  }
  const NornIsaField *field = enum_field_at(comparer->encoding, position);
  if (!field)
    return; /* the only value there is */
  unsigned shift = position - field->position;
  int64_t code = norn_compare_enum_code(comparer->seed->context, field->enumeration, name);
  if (code < 0)
    differ(comparer, item, "%s is not accepted here", name);
  else if ((uint64_t)code >> shift != value)
    differ(comparer, item, "%s = %u, here %u", name, value, (unsigned)((uint64_t)code >> shift));
  else if (is_default && field->has_default && !shift && field->default_value != value)
    differ(comparer, item, "%s is the default, here %u is", name, field->default_value);
}

/* The text of a value, without blanks around it. */
static char *
value_name(const xmlNode *value) {
  xmlChar *content = xmlNodeGetContent(value);
  char *name = g_strstrip(g_strdup(content ? (const char *)content : ""));
  xmlFree(content);
  return name;
}

/* The first `limit` values of the file's enum must be those of the description at these bits. */
static void
compare_enum(SeedComparer *comparer, const char *item, unsigned position, unsigned width,
             const char *enumeration, unsigned limit) {
  claim(comparer, position, width);
  const xmlNode *node = g_hash_table_lookup(comparer->seed->enums, enumeration);
  if (!node)
    return;
  uint64_t values;
  if (!norn_compare_values(comparer->encoding, position, width, &values)) {
    differ(comparer, item, "%u:%u is not an enum here", position, width);
    return;
  }
  unsigned value = 0;
  GString *illegal = g_string_new(NULL);
  for (const xmlNode *child = node->children; child && value < limit; child = child->next) {
    if (is_element(child, "reserved"))
      value++;
    if (!is_element(child, "value"))
      continue;
    char *name = value_name(child);
    compare_value(comparer, item, position, values, value, name, is_true(child, "default"),
                  illegal);
    g_free(name);
    value++;
  }
  if (illegal->len)
    differ(comparer, item, "not allowed here: %s", illegal->str);
  g_string_free(illegal, TRUE);
}

/* A one-bit modifier named `name`, or whose name is not compared (NULL). */
static void
compare_flag(SeedComparer *comparer, const char *item, unsigned position, const char *name) {
  claim(comparer, position, 1);
  uint64_t values;
  if (!norn_compare_values(comparer->encoding, position, 1, &values))
    differ(comparer, item, "bit %u is not a modifier here", position);
  else if (values != 3)
    differ(comparer, item, "bit %u is always %u here", position, values == 2);
  else if (name)
    compare_value(comparer, item, position, values, 1, name, false, NULL);
}

static void
compare_fixed(SeedComparer *comparer, const char *item, unsigned position, unsigned width,
              uint64_t expected) {
  claim(comparer, position, width);
  uint64_t value;
  if (!norn_compare_fixed(comparer->encoding, position, width, &value))
    differ(comparer, item, "%u:%u is %" G_GUINT64_FORMAT ", here it varies", position, width,
           expected);
  else if (value != expected)
    differ(comparer, item, "%u:%u is %" G_GUINT64_FORMAT ", here %" G_GUINT64_FORMAT, position,
           width, expected, value);
}

/* A modifier with a single legal value. */
static void
compare_only_value(SeedComparer *comparer, const char *item, unsigned position, unsigned width,
                   unsigned expected) {
  claim(comparer, position, width);
  uint64_t values;
  if (!norn_compare_values(comparer->encoding, position, width, &values) ||
      values != UINT64_C(1) << expected)
    differ(comparer, item, "%u:%u is not always %u here", position, width, expected);
}

/* ------------------------------------------------------------------------- sources */

static bool
contains(const char *text, const char *part) {
  return strstr(text, part) != NULL;
}

/* Bits of one element of the operation, according to its name. */
static unsigned
element_bits(const SeedComparer *comparer, const xmlNode *source) {
  uint64_t size;
  if (number(source, "size", &size) && size <= 64)
    return (unsigned)size;
  const char *name = attribute(comparer->instruction, "name");
  const char *suffix = strrchr(name, '.');
  const char *type = suffix ? suffix : name;
  if (contains(type, "64"))
    return 64;
  if (contains(type, "v4"))
    return 8;
  if (contains(type, "v2") || contains(type, "V2") || contains(type, "f16"))
    return 16;
  return 32;
}

/* The modifiers of source number `number`, which determines their positions. */
static void
compare_source_modifiers(SeedComparer *comparer, const xmlNode *source, unsigned index) {
  static const unsigned neg_at[] = {38, 36, 34}, swizzle_at[] = {28, 26, 24}, widen_at[] = {36, 26},
                        lane_at[] = {38, 36};
  unsigned bits = element_bits(comparer, source);
  char item[32];
  if (is_true(source, "absneg") && index < 3) {
    g_snprintf(item, sizeof item, "src%u.absneg", index);
    compare_flag(comparer, item, neg_at[index], "neg");
    compare_flag(comparer, item, neg_at[index] + 1, "abs");
  }
  if (is_true(source, "swizzle") && index < 3) {
    g_snprintf(item, sizeof item, "src%u.swizzle", index);
    compare_enum(comparer, item, swizzle_at[index], 2, bits == 16 ? "Swizzles (16-bit)" : "Widen",
                 4);
  }
  if (is_true(source, "widen") && index < 2) {
    char name[32];
    g_snprintf(item, sizeof item, "src%u.widen", index);
    g_snprintf(name, sizeof name, "Swizzles (%u-bit)", bits);
    compare_enum(comparer, item, widen_at[index], 4, name, 16);
  }
  if (is_true(source, "lanes") && index == 1)
    compare_enum(comparer, "src1.lanes", 26, 4, "Lanes (8-bit)", 16);
  if (is_true(source, "halfswizzle") && index == 0)
    compare_enum(comparer, "src0.halfswizzle", 36, 4, "Half-swizzles (8-bit)", 16);
  if (is_true(source, "not"))
    compare_flag(comparer, "src2.not", 35, "not");
  if (is_true(source, "combine"))
    compare_enum(comparer, "src0.combine", 37, 3, "Combine", 8);
  g_snprintf(item, sizeof item, "src%u.lane", index);
  uint64_t place;
  if (is_true(source, "lane") && index < 2)
    compare_enum(comparer, item, lane_at[index], 2, "Lane (8-bit)", 4);
  else if (number(source, "lane", &place) && place == 28)
    compare_enum(comparer, item, 28, bits == 8 ? 2 : 1,
                 bits == 8 ? "Lane (8-bit)" : "Lane (16-bit)", 4);
  else if (number(source, "lane", &place) && place == 37)
    compare_enum(comparer, item, 37, 2, "Lane (32-bit)", 4);
}

static void
compare_source(SeedComparer *comparer, const xmlNode *source, unsigned index, unsigned place) {
  char item[16];
  g_snprintf(item, sizeof item, "src%u", index);
  if (place > 3) {
    differ(comparer, item, "there is no room for it");
    return;
  }
  claim(comparer, 8 * place, 8);
  const NornIsaOperand *operand = norn_compare_operand(comparer->encoding, 8 * place, 8);
  uint64_t size;
  if (!operand || operand->role != NORN_ISA_OPERAND_SOURCE)
    differ(comparer, item, "%u:8 is not a source here", 8 * place);
  else if (number(source, "size", &size) && size == 64 && operand->words != 2)
    differ(comparer, item, "has 64 bits, here %u", operand->words * 32u);
  compare_source_modifiers(comparer, source, index);
}

/* ------------------------------------------------------------------------- other items */

static bool
has_role(const NornIsaEncoding *encoding, unsigned position, unsigned role, unsigned other) {
  const NornIsaOperand *operand = norn_compare_operand(encoding, position, 6);
  return operand && (operand->role == role || operand->role == other);
}

static void
compare_staging(SeedComparer *comparer, const xmlNode *staging, unsigned index) {
  bool written = is_true(staging, "write"), read = is_true(staging, "read");
  const char *flags = attribute(staging, "flags");
  bool second = written && !read && flags && !strcmp(flags, "false");
  unsigned position = second ? 16 : 40;
  char item[16];
  g_snprintf(item, sizeof item, "sr%u", index);
  claim(comparer, position, 6);
  unsigned role = read && written ? NORN_ISA_OPERAND_STAGING_BOTH
                  : read          ? NORN_ISA_OPERAND_STAGING_READ
                                  : NORN_ISA_OPERAND_STAGING_WRITE;
  if (!has_role(comparer->encoding, position, role, role))
    differ(comparer, item, "no staging group that is %s at %u:6 here",
           read && written ? "read and written"
           : read          ? "read"
                           : "written",
           position);
}

static void
compare_immediate(SeedComparer *comparer, const xmlNode *immediate) {
  uint64_t start, size;
  const char *name = attribute(immediate, "name");
  if (!number(immediate, "start", &start) || !number(immediate, "size", &size) || start > 63 ||
      !size || size > 32 || !name)
    return;
  claim(comparer, (unsigned)start, (unsigned)size);
  const NornIsaOperand *operand =
      norn_compare_operand(comparer->encoding, (unsigned)start, (unsigned)size);
  if (!operand ||
      (operand->role != NORN_ISA_OPERAND_IMMEDIATE && operand->role != NORN_ISA_OPERAND_TARGET))
    differ(comparer, name, "%u:%u is not an immediate here", (unsigned)start, (unsigned)size);
  else if (operand->is_signed != is_true(immediate, "signed"))
    differ(comparer, name, "is %s, not here", operand->is_signed ? "unsigned" : "signed");
  else if (strcmp(name, "constant")) {
    const char *prefix = norn_isa_string(comparer->seed->context->isa, operand->prefix);
    if (strncmp(prefix, name, strlen(name)) || prefix[strlen(name)] != ':')
      differ(comparer, name, "is called %s here", prefix);
  }
}

static void
compare_modifier(SeedComparer *comparer, const xmlNode *modifier) {
  uint64_t start, size;
  const char *name = attribute(modifier, "name");
  if (!number(modifier, "start", &start) || !number(modifier, "size", &size) || start > 63 ||
      !size || size > 6 || !name)
    return; /* an implied one has no bits */
  for (unsigned i = 0; i < G_N_ELEMENTS(modifier_enums); i++)
    if (!strcmp(name, modifier_enums[i].name)) {
      compare_enum(comparer, name, (unsigned)start, (unsigned)size, modifier_enums[i].enumeration,
                   1u << size);
      return;
    }
  if (size == 1)
    compare_flag(comparer, name, (unsigned)start, name);
}

static void
compare_shorthand(SeedComparer *comparer, const xmlNode *element) {
  const char *name = (const char *)element->name;
  if (is_true(element, "pseudo"))
    return;
  if (!strcmp(name, "sr_count")) {
    claim(comparer, 33, 3);
    if (!strcmp(norn_compare_item(comparer->seed->context, comparer->encoding, 33), "reserved"))
      differ(comparer, name, "33:3 is reserved here");
    return;
  }
  if (!strcmp(name, "slot")) { /* the files' texts reserve the last value, 7, for BARRIER */
    bool barrier = !strcmp(attribute(comparer->instruction, "name"), "BARRIER");
    if (barrier)
      compare_only_value(comparer, name, 30, 3, 7);
    else
      compare_enum(comparer, name, 30, 3, "Slot", 3);
    return;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(shorthands); i++) {
    const Shorthand *shorthand = &shorthands[i];
    if (strcmp(name, shorthand->element))
      continue;
    if (shorthand->enumeration)
      compare_enum(comparer, name, shorthand->position, shorthand->width, shorthand->enumeration,
                   is_true(element, "int_only") ? 6 : 1u << shorthand->width);
    else
      compare_flag(comparer, name, shorthand->position, name);
  }
}

static void
compare_child(SeedComparer *comparer, const xmlNode *child, unsigned *place, unsigned *staging) {
  uint64_t size;
  if (child->type != XML_ELEMENT_NODE || is_true(child, "pseudo"))
    return;
  if (is_element(child, "src")) {
    compare_source(comparer, child, comparer->sources++, *place);
    *place += number(child, "size", &size) && size == 64 ? 2 : 1;
  } else if (is_element(child, "sr")) {
    compare_staging(comparer, child, (*staging)++);
  } else if (is_element(child, "imm")) {
    compare_immediate(comparer, child);
  } else if (is_element(child, "va_mod") || is_element(child, "mod")) {
    compare_modifier(comparer, child);
  } else if (is_element(child, "dest")) {
    if (!norn_compare_operand(comparer->encoding, 40, 6))
      differ(comparer, "dest", "there is no destination here");
  } else {
    compare_shorthand(comparer, child);
  }
}

/* The position of the secondary opcode, which depends on the opcode and the sources. */
static void
compare_opcode2(SeedComparer *comparer, uint64_t opcode, uint64_t opcode2, bool lanes) {
  unsigned position = MAX(16, 8 * comparer->sources), width = 4;
  switch (opcode) {
  case 0x90:
    position = 16;
    width = 5;
    break;
  case 0x60:
  case 0x61:
  case 0x68:
  case 0x69:
  case 0x6A:
  case 0x120:
    position = 27;
    width = 3;
    break;
  case 0x66:
  case 0x67:
  case 0x76:
  case 0x77:
    position = 37;
    width = 2;
    break;
  default:
    if (comparer->sources == 3 && lanes)
      width = 2;
    if (opcode >= 0xB4 && (opcode <= 0xB6 || opcode == 0x1B7))
      compare_fixed(comparer, "opcode2", 32, 1, opcode2 >> 8 & 1);
  }
  if (position + width > 64)
    differ(comparer, "opcode2", "there is no room for it");
  else
    compare_fixed(comparer, "opcode2", position, width, opcode2 & norn_isa_mask(width));
}

static bool
second_source_has_lanes(const xmlNode *parent) {
  unsigned index = 0;
  for (const xmlNode *child = parent->children; child; child = child->next)
    if (is_element(child, "src") && index++ == 1)
      return is_true(child, "widen") || is_true(child, "lanes") || is_true(child, "swizzle");
  return false;
}

static void
compare_facts(SeedComparer *comparer) {
  const NornIsa *isa = comparer->seed->context->isa;
  const xmlNode *parent = comparer->group ? comparer->group : comparer->instruction;
  uint64_t opcode = 0, value;
  if (fact_number(comparer, "opcode", &opcode))
    compare_fixed(comparer, "opcode", 48, 9, opcode);
  if (fact_number(comparer, "opcode2", &value))
    compare_opcode2(comparer, opcode, value, second_source_has_lanes(parent));
  if (fact_number(comparer, "dests", &value) && value == 1 &&
      !has_role(comparer->encoding, 40, NORN_ISA_OPERAND_DESTINATION, NORN_ISA_OPERAND_DESTINATION))
    differ(comparer, "dest", "there is no destination here");
  const char *unit = fact(comparer, "unit");
  const char *own = comparer->encoding->unit == 0xFF
                        ? ""
                        : norn_isa_string(isa, isa->units[comparer->encoding->unit].name);
  if (unit && g_ascii_strcasecmp(unit, own))
    differ(comparer, "unit", "runs in %s, here in %s", unit, own);
}

/* ------------------------------------------------------------------------- instructions */

static void
note_added(SeedComparer *comparer) {
  const NornIsaEncoding *encoding = comparer->encoding;
  CompareContext *context = comparer->seed->context;
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    uint64_t bits = norn_isa_insert(field, UINT64_MAX);
    bool common = field->position == 59 || field->position == 46; /* flow, destination mask */
    if (field->kind == NORN_ISA_FIELD_ENUM && !common && !(bits & comparer->claimed))
      norn_compare_note(
          context, COMPARE_ADDED, encoding->name,
          norn_isa_string(context->isa, context->isa->field_names[field->number].name), "%u:%u",
          field->position, field->width);
  }
}

static unsigned
compare_encoding(Seed *seed, const xmlNode *instruction, const xmlNode *group,
                 const NornIsaEncoding *encoding, bool note) {
  SeedComparer comparer = {seed, instruction, group, encoding, 0, note, 0, 0};
  unsigned place = 0, staging = 0;
  const xmlNode *parent = group ? group : instruction;
  for (const xmlNode *child = parent->children; child; child = child->next)
    compare_child(&comparer, child, &place, &staging);
  compare_facts(&comparer);
  if (note)
    note_added(&comparer);
  return comparer.count;
}

/* Compares with the best matching name, on the first architecture that has one. */
static void
compare_instruction(Seed *seed, const xmlNode *instruction, const xmlNode *group) {
  CompareContext *context = seed->context;
  const char *text = attribute(instruction, "name");
  const GArray *names = text ? norn_compare_names(context, text) : NULL;
  const NornIsaEncoding *best = NULL;
  unsigned least = UINT_MAX;
  for (unsigned architecture = 0; !best && architecture < 2; architecture++) {
    context->architecture = architecture;
    for (unsigned i = 0; names && i < names->len; i++) {
      const NornIsaEncoding *encoding =
          norn_compare_encoding(context, g_array_index(names, unsigned, i));
      unsigned count =
          encoding ? compare_encoding(seed, instruction, group, encoding, false) : UINT_MAX;
      if (count < least) {
        least = count;
        best = encoding;
      }
    }
    if (best)
      compare_encoding(seed, instruction, group, best, true);
  }
  if (!best)
    norn_compare_note(context, COMPARE_DIFFERENCE, -1, text ? text : "", "is missing");
}

/* ------------------------------------------------------------------------- whole file */

/* The code table of sources: that of the first source of the first instruction that has one. */
static const NornIsaOperand *
source_operand(const CompareContext *context) {
  for (unsigned i = 0; i < context->isa->instruction_count; i++) {
    const NornIsaEncoding *encoding = norn_compare_encoding(context, i);
    for (unsigned j = 0; encoding && j < encoding->operand_count; j++)
      if (encoding->operands[j].role == NORN_ISA_OPERAND_SOURCE && encoding->operands[j].words == 1)
        return &encoding->operands[j];
  }
  return NULL;
}

/* The table of constants: entry i has code 192 + i. */
static void
compare_constants(CompareContext *context, const xmlNode *table) {
  const NornIsaOperand *operand = source_operand(context);
  unsigned code = 192;
  for (const xmlNode *child = table->children; operand && child && code < 224;
       child = child->next) {
    if (!is_element(child, "constant"))
      continue;
    char *text = value_name(child);
    const NornIsa *isa = context->isa;
    const NornIsaCode *own = &isa->codes[isa->code_tables[operand->codes].first + code];
    context->result.compared++;
    if (own->kind != NORN_ISA_CODE_CONSTANT || own->value != g_ascii_strtoull(text, NULL, 0))
      norn_compare_note(context, COMPARE_DIFFERENCE, -1, "constants", "code %u is %s, here 0x%08X",
                        code, text, own->value);
    g_free(text);
    code++;
  }
}

/* The values of an enum of special sources: value i has code 224 + i * step in the page. */
static void
compare_special(CompareContext *context, const xmlNode *node, unsigned page, unsigned step,
                const char *suffix) {
  const NornIsaOperand *operand = source_operand(context);
  unsigned value = 0;
  for (const xmlNode *child = node->children; operand && child; child = child->next) {
    if (is_element(child, "value")) {
      char *name = value_name(child);
      char *text = g_strconcat(name, suffix, NULL);
      int64_t expected = page << 8 | (224 + value * step);
      context->result.compared++;
      if (norn_compare_operand_code(context, operand, text) != expected)
        norn_compare_note(context, COMPARE_DIFFERENCE, -1, "sources",
                          "%s is not code %u of page %u here", text, 224 + value * step, page);
      g_free(text);
      g_free(name);
    }
    if (is_element(child, "value") || is_element(child, "reserved"))
      value++;
  }
}

/* Flow, which every instruction has; in 2021 only the upper half of its values was named. */
static void
compare_flow(CompareContext *context, const xmlNode *node, unsigned first) {
  const NornIsaEncoding *encoding = NULL;
  for (unsigned i = 0; !encoding && i < context->isa->instruction_count; i++)
    encoding = norn_compare_encoding(context, i);
  const NornIsaField *flow = encoding ? enum_field_at(encoding, 59) : NULL;
  unsigned value = first;
  for (const xmlNode *child = node->children; flow && child; child = child->next) {
    if (is_element(child, "value")) {
      char *name = value_name(child);
      context->result.compared++;
      if (norn_compare_enum_code(context, flow->enumeration, name) != value)
        norn_compare_note(context, COMPARE_DIFFERENCE, -1, "flow", "%s is not %u here", name,
                          value);
      g_free(name);
    }
    if (is_element(child, "value") || is_element(child, "reserved"))
      value++;
  }
}

static void
compare_common(Seed *seed) {
  static const struct {
    const char *name;
    unsigned page, step;
    const char *suffix;
  } specials[] = {
      {"FAU special page 0", 0, 2, ".w0"}, {"FAU special page 1", 1, 2, ".w0"},
      {"FAU special page 3", 3, 2, ".w0"}, {"Thread storage pointers", 1, 1, ""},
      {"Thread identification", 3, 1, ""},
  };
  CompareContext *context = seed->context;
  context->architecture = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS(specials); i++) {
    const xmlNode *node = g_hash_table_lookup(seed->enums, specials[i].name);
    if (node)
      compare_special(context, node, specials[i].page, specials[i].step, specials[i].suffix);
  }
  const xmlNode *flow = g_hash_table_lookup(seed->enums, seed->old ? "Action" : "Flow");
  if (flow)
    compare_flow(context, flow, seed->old ? 8 : 0);
}

static void
compare_root(Seed *seed, const xmlNode *root) {
  for (const xmlNode *node = root->children; node; node = node->next)
    if (is_element(node, "enum") && attribute(node, "name"))
      g_hash_table_insert(seed->enums, (char *)attribute(node, "name"), (void *)node);
  seed->old = g_hash_table_contains(seed->enums, "Action");
  seed->context->source = seed->old ? "seed2021" : "seed";
  compare_common(seed);
  for (const xmlNode *node = root->children; node; node = node->next) {
    if (is_element(node, "lut"))
      compare_constants(seed->context, node);
    if (is_element(node, "ins"))
      compare_instruction(seed, node, NULL);
    if (!is_element(node, "group"))
      continue;
    for (const xmlNode *child = node->children; child; child = child->next)
      if (is_element(child, "ins"))
        compare_instruction(seed, child, node);
  }
}

bool
norn_compare_valhall_xml(CompareContext *context, const char *filename, const char *text,
                         size_t length, GError **error) {
  xmlParserCtxt *parser = xmlNewParserCtxt();
  xmlDoc *document = xmlCtxtReadMemory(parser, text, (int)length, filename, NULL,
                                       XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;
  bool done = root && is_element(root, "valhall");
  if (done) {
    Seed seed = {context, filename, g_hash_table_new(g_str_hash, g_str_equal), false};
    compare_root(&seed, root);
    g_hash_table_unref(seed.enums);
  } else if (root) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX,
                "%s:%ld:1: the root element is '%s', expected 'valhall'", filename,
                xmlGetLineNo(root), (const char *)root->name);
  } else {
    const xmlError *last = xmlCtxtGetLastError(parser);
    g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s:%d:%d: %s", filename,
                last ? last->line : 1, last ? last->int2 : 1,
                last && last->message ? g_strchomp(last->message) : "no XML");
  }
  xmlFreeDoc(document);
  xmlFreeParserCtxt(parser);
  return done;
}
