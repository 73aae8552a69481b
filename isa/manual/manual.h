/* The reference manual, made from the tables: a single instruction as text or JSON, a search, and
 * everything as HTML.
 *
 * An encoding is first laid out as segments, from the highest bit to bit 0. Each is a fixed value,
 * a field, reserved zeros, or bits without meaning; text and HTML draw the same segments. */
#ifndef NORN_ISA_MANUAL_MANUAL_H
#define NORN_ISA_MANUAL_MANUAL_H

#include "isa/text.h"

#define PICTURE_BITS 32 /* bits per line of the picture */

typedef enum { SEGMENT_FIXED, SEGMENT_FIELD, SEGMENT_RESERVED, SEGMENT_IGNORED } SegmentKind;

typedef struct {
  SegmentKind kind;
  uint8_t position, width;
  const NornIsaField *field; /* SEGMENT_FIELD */
  const NornIsaFixed *fixed; /* SEGMENT_FIXED, nullable */
  uint32_t value;            /* SEGMENT_FIXED */
} Segment;

/* Finds the segments, highest first; `segments` has room for one per bit. Returns their number. */
unsigned norn_isa_collect_segments(const NornIsa *isa, const NornIsaEncoding *encoding,
                                   Segment *segments);

/* The label in the box of a segment's bits `high` - 1 to `low`. */
char *norn_isa_segment_label(const NornIsa *isa, const Segment *segment, unsigned high,
                             unsigned low);

/* The names of an enum field's legal values; the default is marked with `*`, and those that only
 * other compilers emit with `+`: "none=0* high=1 low=2+". */
void norn_isa_append_values(GString *out, const NornIsa *isa, const NornIsaField *field);

/* A description of an operand: "source, 64 bits: value to add". */
char *norn_isa_describe_operand(const NornIsa *isa, const NornIsaOperand *operand);

/* The syntax of an encoding: "FADD.f32[.clamp][.flow] dest, src0[.absneg], src1". */
char *norn_isa_describe_syntax(const NornIsa *isa, const NornIsaEncoding *encoding);

/* "9 to 14", or "9". */
char *norn_isa_describe_range(const NornIsa *isa, unsigned since, unsigned until);

/* The reasons for differing from a source, one per line: "source item: text". */
char **norn_isa_split_reasons(const NornIsa *isa, const NornIsaName *name);

/* Whether the architecture (-1: any) has the instruction or alias with this name number. A name
 * that none has is an alias whose name two instructions share; it stands for the other one. */
bool norn_isa_is_encoded(const NornIsa *isa, int architecture, unsigned index);

/* Whether an instruction or alias is called `word` in any syntax. */
bool norn_isa_is_called(const NornIsa *isa, unsigned index, const char *word);

/* Appends what an alias stands for, and the words it requires. */
void norn_isa_append_meaning(GString *out, const NornIsa *isa, const NornIsaName *name);

#endif
