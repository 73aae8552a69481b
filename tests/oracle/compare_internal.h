/* Shared by the comparisons: looking things up in the description, and collecting differences. */
#ifndef NORN_TESTS_ORACLE_COMPARE_INTERNAL_H
#define NORN_TESTS_ORACLE_COMPARE_INTERNAL_H

#include "isa/isa.h"
#include "tests/oracle/compare.h"

typedef struct {
  const NornIsa *isa;
  const char *source;     /* the name by which reasons call the file: "arm", "seed", "seed2021" */
  unsigned architecture;  /* being compared */
  GHashTable *names;      /* text -> GArray of indices into isa->names */
  GHashTable *tokens;     /* text -> NornIsaToken */
  GPtrArray *findings;    /* in the order found */
  GHashTable *finding_of; /* text -> its finding */
  NornIsaComparison result;
} CompareContext;

typedef enum { COMPARE_DIFFERENCE, COMPARE_ADDED } CompareKind;

/* Notes a finding on the name `name` (an index into isa->names, or -1 for none). `item` is what
 * reasons call the item. The same finding on several architectures is reported once. */
void norn_compare_note(CompareContext *context, CompareKind kind, int name, const char *item,
                       const char *format, ...) G_GNUC_PRINTF(5, 6);

/* The instructions and aliases called `text`: indices into isa->names, or NULL. */
const GArray *norn_compare_names(const CompareContext *context, const char *text);
/* The encoding of a name on the architecture being compared, or NULL. */
const NornIsaEncoding *norn_compare_encoding(const CompareContext *context, unsigned name);
/* The code of the value called `text` in an enum, or -1. */
int64_t norn_compare_enum_code(const CompareContext *context, unsigned enumeration,
                               const char *text);
/* The code (bank << width | code) that `text` represents in an operand, or -1. */
int64_t norn_compare_operand_code(const CompareContext *context, const NornIsaOperand *operand,
                                  const char *text);

/* The possible values of the bits `position` to `position + width - 1` of a legal instruction,
 * as far as fixed bits and enums determine them: bit v of the result for value v. Width is at
 * most 6. False if another kind of field is there, which may hold any value. */
bool norn_compare_values(const NornIsaEncoding *encoding, unsigned position, unsigned width,
                         uint64_t *values);
/* The value of bits that are all fixed or reserved; false if some are neither. */
bool norn_compare_fixed(const NornIsaEncoding *encoding, unsigned position, unsigned width,
                        uint64_t *value);
/* The field at exactly these bits, or NULL. */
const NornIsaField *norn_compare_field(const NornIsaEncoding *encoding, unsigned position,
                                       unsigned width);
/* The operand whose bits are exactly these, or NULL. */
const NornIsaOperand *norn_compare_operand(const NornIsaEncoding *encoding, unsigned position,
                                           unsigned width);
/* The name of what is at a bit: a field, a fixed field, or "reserved". */
const char *norn_compare_item(const CompareContext *context, const NornIsaEncoding *encoding,
                              unsigned position);

/* The value of the fixed field with a number; UINT32_MAX if the encoding does not fix it. */
uint32_t norn_compare_set_value(const NornIsaEncoding *encoding, unsigned number);
/* Notes a difference between two texts, and counts them as compared. */
void norn_compare_texts(CompareContext *context, const NornIsaEncoding *encoding, const char *item,
                        const char *own, const char *theirs);
/* Reads a reference of one ISA line by line. `text` is cut into lines, which `read` may change. */
bool norn_compare_lines(CompareContext *context, const NornIsa *isa, const char *filename,
                        char *text, void (*read)(void *data, char *line), void *data,
                        GError **error);

/* The comparisons. `text` is zero-terminated; unless it is constant, it is cut into lines. */
bool norn_compare_field_table(CompareContext *context, const char *filename, char *text,
                              GError **error);
bool norn_compare_valhall_xml(CompareContext *context, const char *filename, const char *text,
                              size_t length, GError **error);

/* The references of GCN VOP3 (Markdown) and of the VP1 vector unit (reStructuredText). */
bool norn_compare_gcn_reference(CompareContext *context, const char *filename, char *text,
                                GError **error);
bool norn_compare_vp1_reference(CompareContext *context, const char *filename, char *text,
                                GError **error);

#endif
