/* A row of the description on one architecture, while it becomes an encoding; shared by the files
 * that resolve rows. */
#ifndef NORN_ISA_GEN_ROW_H
#define NORN_ISA_GEN_ROW_H

#include "isa/gen/gen.h"

/* A row on one architecture, and the encoding it becomes. */
typedef struct EncodingRow {
  Generator *gen;
  unsigned architecture;
  const xmlNode *alias, *variant, *instruction; /* alias and variant are nullable */
  const xmlNode *row;                           /* the innermost of these, for messages */
  const xmlNode *expression;                    /* where the expression being read stands */
  unsigned alternative; /* which of the alternatives that the alias requires, from 1; no alias: 0 */
  GPtrArray *scope;     /* innermost first */
  GHashTable *settings; /* field name -> value text (both owned) */
  GArray *fields, *operands, *fixed, *modifiers, *rules;
  GPtrArray *field_names;
  NornIsaEncoding encoding;
  const xmlNode *bank; /* the code table whose bank field is in use */
} EncodingRow;

/* row_scope.c */

const char *gen_row_scope_attribute(const EncodingRow *row, const char *name);
void gen_row_build_scope(EncodingRow *row);
/* The innermost definition of an attribute of the field or operand called `name`. */
const char *gen_row_definition(const EncodingRow *row, const char *element, const char *name,
                               const char *attribute);
bool gen_row_is_defined(const EncodingRow *row, const char *element, const char *name);
/* Whether a listed name should be ignored: it is defined, but not for this architecture. */
bool gen_row_is_absent(const EncodingRow *row, const char *element, const char *name);
/* As gen_row_definition(), for an operand, which may extend another. */
const char *gen_row_operand_attribute(const EncodingRow *row, const char *name,
                                      const char *attribute);
int64_t gen_row_operand_number(const EncodingRow *row, const char *name, const char *attribute,
                               int64_t fallback);
bool gen_row_operand_flag(const EncodingRow *row, const char *name, const char *attribute);
/* The operand whose code or number is the field `field`, or NULL. */
const char *gen_row_operand_of_field(const EncodingRow *row, const char *field);
void gen_row_append_names(GPtrArray *list, const char *text);
/* The row's own list, then those of the layouts, nearest first. A refinement replaces its host. */
GPtrArray *gen_row_joined_list(const EncodingRow *row, const char *attribute);
/* The lists of all hosts combined. */
GPtrArray *gen_row_united_list(const EncodingRow *row, const char *attribute);

/* row_fields.c */

void gen_row_parse_position(const EncodingRow *row, const char *name, const char *at,
                            NornIsaField *field);
/* Claims the bits of a field; fields must not share bits. */
void gen_row_claim(EncodingRow *row, const char *name, uint64_t bits, bool is_fixed);
uint8_t gen_row_find_field(const EncodingRow *row, const char *name);
bool gen_row_is_set(const EncodingRow *row, const char *name);
/* Adds a modifier: a field with an enum. */
uint8_t gen_row_add_modifier(EncodingRow *row, const char *name);
/* Adds a numeric field, with the amounts of its enum, if any. */
uint8_t gen_row_add_number(EncodingRow *row, const char *name, const char *at,
                           NornIsaFieldKind kind);
void gen_row_read_settings(EncodingRow *row);
const xmlNode *gen_row_code_node(const EncodingRow *row, const char *operand);
void gen_row_add_settings(EncodingRow *row);
/* Compiles an expression of the row's fields; `node` contains it, for messages. */
uint32_t gen_row_expression(EncodingRow *row, const xmlNode *node, const char *text);

/* row_operands.c */

void gen_row_add_operands(EncodingRow *row, GPtrArray *names);
/* Adds the counts of staging operands; the names are those passed to gen_row_add_operands(). */
void gen_row_add_counts(EncodingRow *row, GPtrArray *names);
void gen_row_add_bank(EncodingRow *row);
/* Records what kinds of fields there are. */
void gen_row_add_kinds(EncodingRow *row);
/* Adds tables for values that follow from few bits of the word. */
void gen_row_add_tables(EncodingRow *row);

/* row.c */

void gen_row_resolve(EncodingRow *row);

#endif
