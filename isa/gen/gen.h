/* The generator: turns a description into constant C tables.
 *
 * It works directly on the XML tree. A row is resolved for one architecture through a scope: the
 * list of elements that may define or set something for it, innermost first (variant, instruction,
 * layouts, isa, each preceded by its refinements for that architecture). The result is built from
 * the run-time structures of isa/isa.h, pooled so that equal runs are stored once, and printed.
 * Errors report file and line, and end the program with status 1. */
#ifndef NORN_ISA_GEN_H
#define NORN_ISA_GEN_H

#include "isa/isa.h"
#include <libxml/tree.h>

/* An array of equal-sized elements in which equal runs share their storage. */
typedef struct {
  GArray *items;
  GHashTable *runs; /* GBytes -> index + 1 */
} Pool;

/* An encoding with indices into the pools instead of pointers. */
typedef struct {
  NornIsaEncoding encoding;
  uint32_t fields, layouts, operands, fixed, field_indices, modifiers, rules;
} GenEncoding;

/* The names of the codes of a code table, for operands of one size on some architectures. */
typedef struct {
  uint32_t texts;  /* index into the pool of texts */
  GArray *aliases; /* NornIsaToken: text, and the code in `first` */
  unsigned count;  /* of all banks */
  unsigned width;
} NameTable;

typedef struct {
  const char *file;
  xmlDoc *doc;
  xmlNode *root;
  GHashTable *children; /* children.c */
  const char *name;
  unsigned word_bits;
  GByteArray *strings;
  GHashTable *interned;                     /* string -> NornIsaText */
  GPtrArray *architectures, *units, *flags; /* xmlNode */
  GPtrArray *field_names;                   /* char * */
  GHashTable *field_numbers;                /* name -> number + 1 */
  GPtrArray *enum_nodes;                    /* xmlNode */
  GArray *enums, *enum_values;              /* NornIsaEnum, NornIsaEnumValue */
  GArray *names;                            /* NornIsaName */
  unsigned instruction_count;
  GArray *encoding_of; /* uint16_t [architecture][name] */
  GArray *encodings;   /* GenEncoding */
  GHashTable *encoding_index;
  GHashTable *known_tables; /* what a table was made from -> its number + 1 */
  GArray *name_tables;      /* NameTable */
  GArray *code_tables;      /* NornIsaCodeTable */
  Pool fields, layouts, operands, fixed, field_indices, modifiers, rule_lists, codes, texts,
      amounts, swizzles, expressions, rules, runs, tables, values, tree, nodes, entries;
  GArray *roots; /* NornIsaRoot */
} Generator;

/* generator.c: creates an empty generator for a file, and frees everything in it */

void gen_init(Generator *gen, const char *file);
void gen_clear(Generator *gen);

/* xml.c: reading, errors, attributes */

void gen_fail(const Generator *gen, const xmlNode *node, const char *format, ...)
    G_GNUC_PRINTF(3, 4) G_GNUC_NORETURN;
/* Reads the description and checks it against the schema. */
void gen_load(Generator *gen, const char *schema);
/* The number of the unit called `name`, and the bits of the flags whose names are in `list`. */
unsigned gen_unit(const Generator *gen, const xmlNode *node, const char *name);
uint32_t gen_flags(const Generator *gen, const xmlNode *node, const char *list);
/* Parses what a unit takes from the rates of others: pairs "UNIT:AMOUNT". */
void gen_unit_takes(const Generator *gen, const xmlNode *node, const char *list,
                    uint8_t takes[NORN_ISA_UNITS]);
bool gen_is(const xmlNode *node, const char *element);
const char *gen_attribute(const xmlNode *node, const char *name);
const char *gen_attribute_or(const xmlNode *node, const char *name, const char *fallback);
int64_t gen_number(const Generator *gen, const xmlNode *node, const char *text);
int64_t gen_number_attribute(const Generator *gen, const xmlNode *node, const char *name,
                             int64_t fallback);
bool gen_boolean_attribute(const xmlNode *node, const char *name);
/* The text inside an element, with runs of blanks collapsed; free it with g_free. */
char *gen_content(const xmlNode *node);
/* The architectures from `since` to `until` of `node`. */
unsigned gen_since(const Generator *gen, const xmlNode *node);
unsigned gen_until(const Generator *gen, const xmlNode *node);
bool gen_applies(const Generator *gen, const xmlNode *node, unsigned architecture);
NornIsaText gen_intern(Generator *gen, const char *string);

/* The string of a text. */
static inline const char *
gen_string(const Generator *gen, NornIsaText text) {
  return (const char *)gen->strings->data + (text >> 8);
}

unsigned gen_field_number(Generator *gen, const char *name);

/* children.c: the children of elements */

GHashTable *gen_children_new(void);
/* Indexes all children of `parent`. */
void gen_index_children(Generator *gen, const xmlNode *parent);
/* Child number `index`, in file order, among those that are `element` and called `name` (NULL: any
 * name); NULL past the last. */
const xmlNode *gen_child_at(const Generator *gen, const xmlNode *parent, const char *element,
                            const char *name, unsigned index);

/* pool.c */

void gen_pool_init(Pool *pool, size_t size);
void gen_pool_clear(Pool *pool);
uint32_t gen_pool_add(Pool *pool, const void *items, unsigned count);

/* gather.c: gathering bits */

/* The lowest run of set bits. */
uint64_t gen_lowest_run(uint64_t bits);
/* How to gather `bits` of a word; false if they are not at most two runs of at most 16 bits in
 * total. */
bool gen_gather(uint64_t bits, NornIsaGather *gather);
/* Reduces the bits to at most `max_runs` runs by filling gaps, the smallest first. */
uint64_t gen_fill_gaps(uint64_t bits, unsigned max_runs);
/* A word whose gathered bits are `index`. */
uint64_t gen_scatter(uint64_t bits, unsigned index);

/* names.c: enums and code tables */

void gen_enums(Generator *gen);
int gen_enum_number(const Generator *gen, const char *name);
/* The code of the value called `name` on an architecture, or -1. */
int64_t gen_enum_code(const Generator *gen, unsigned enumeration, const char *name,
                      unsigned architecture);
/* Parses a type, such as "v2s16"; false if it is not one. */
bool gen_type(const char *text, NornIsaType *type);
/* The value with code `code`, or NULL. */
const NornIsaEnumValue *gen_enum_value(const Generator *gen, unsigned enumeration, uint32_t code,
                                       unsigned architecture);
/* The number of the code table `node` on an architecture. */
unsigned gen_code_table(Generator *gen, const xmlNode *node, unsigned architecture);
/* The number of the code table's names for operands of `words` words, of the given kinds (NULL:
 * all). */
unsigned gen_name_table(Generator *gen, const xmlNode *node, unsigned architecture, unsigned words,
                        const char *kinds);
/* The code with the text `text`, or -1. */
int64_t gen_code_called(Generator *gen, const xmlNode *node, unsigned architecture,
                        const char *text);
void gen_tokens(Generator *gen, GArray **tokens, GArray **meanings);

/* expression.c */

/* Resolves a name in an expression: sets *index to a field and returns true, or sets *constant and
 * returns false. */
typedef bool (*GenLookup)(void *data, const char *name, bool raw, uint32_t *index,
                          int64_t *constant);
/* Compiles `text` and returns its index among the expressions. */
uint32_t gen_expression(Generator *gen, const xmlNode *node, const char *text, GenLookup lookup,
                        void *data);

/* tables.c */

/* The number + 1 of the table of an expression's values, given its fields, or 0 if it depends on
 * too many bits. */
uint16_t gen_value_table(Generator *gen, const GArray *fields, uint32_t expression);

/* resolve.c */

void gen_encodings(Generator *gen);

/* decode.c */

void gen_decode_trees(Generator *gen);

/* emit_header.c */

void gen_emit_header(Generator *gen, GString *out);

/* emit_tables.c */

void gen_emit_tables(Generator *gen, GString *out);
/* Prints an array of numbers of 1, 2 or 4 bytes. */
void gen_emit_numbers(GString *out, const char *type, const char *name, const GArray *array);

/* emit_hash_tables.c: both functions return the size of their table */

unsigned gen_emit_tokens(Generator *gen, GString *out);
unsigned gen_emit_mnemonics(Generator *gen, GString *out);

#endif
