/* The types of the tables that the generator makes from a description.
 *
 * Everything is constant data. Strings are in a single pool and are referred to by NornIsaText, so
 * that only encodings contain pointers. A field number identifies a field across the whole ISA
 * (NORN_VALHALL_FIELD_CLAMP); an encoding maps it to an index into its own fields, or to
 * NORN_ISA_NO_FIELD. Fixed fields are not included: they are part of the encoding's match bits.
 *
 * Invariants, maintained by the generator: fields of an encoding do not overlap; every bit of the
 * word is in exactly one of mask, fields, and ignored; texts of different values of a field differ.
 */
#ifndef NORN_ISA_TABLES_H
#define NORN_ISA_TABLES_H

#include "ir/machine.h"
#include <norn/isa.h>

/* A string in the pool: offset << 8 | length. It is zero-terminated there, and the pool is padded
 * so that 16 bytes can be read from any string. Length 0: nothing is printed. */
typedef uint32_t NornIsaText;
#define NORN_ISA_LONGEST_TEXT 0xFF
#define NORN_ISA_TEXT_ILLEGAL UINT32_MAX /* the value has no text: it is reserved */

#define NORN_ISA_NO_FIELD 0xFF
#define NORN_ISA_ANY_BANK 0xFF
#define NORN_ISA_NONE 0xFFFF
#define NORN_ISA_OPERAND_MODIFIERS 6
/* Maximum number of registers in a staging group. */
#define NORN_ISA_MAX_REGISTERS 64
/* Maximum number of parts between dots in a mnemonic. */
#define NORN_ISA_MNEMONIC_PARTS 3
/* Maximum number of lanes of a swizzle. */
#define NORN_ISA_LANES 4

/* Bits of a word to be concatenated: two runs of them, the lower one first. */
typedef struct {
  uint8_t low_shift, high_shift; /* the high run ends up above the low one */
  uint16_t low_mask, high_mask;  /* after the shift */
} NornIsaGather;

/* The position of each field, for packing and unpacking; of a split field, the lower part. */
typedef struct {
  uint8_t shifts[NORN_ISA_FIELDS];
  uint32_t masks[NORN_ISA_FIELDS]; /* after the shift; 0: no field */
} NornIsaFieldLayout;

/* A step of decoding: entry `first` + the gathered bits says how to continue. */
typedef struct {
  NornIsaGather bits;
  uint16_t first; /* index into isa->entries */
} NornIsaNode;

/* The first step for an architecture: one run of bits leads to a node. */
typedef struct {
  uint16_t first; /* index into isa->entries, which are node numbers here */
  uint16_t mask;
  uint8_t shift;
} NornIsaRoot;

/* An entry is the number of an encoding; the number of a node if this flag is set; or, if both
 * flags are set, the index in isa->entries of a list of encodings to try in order, which is
 * preceded by its length. */
#define NORN_ISA_ENTRY_NODE 0x8000
#define NORN_ISA_ENTRY_LIST 0x4000

/* Which parts of an operand the lanes use: lane i uses part index[i % count], of `bits` bits. With
 * `bits` 0 the lanes are used in place. */
typedef struct {
  uint8_t bits, count;
  uint8_t index[NORN_ISA_LANES];
} NornIsaSwizzle;

/* The type of the lanes of an instruction's sources, according to its name: "v2s16". A source whose
 * swizzle selects narrower parts extends them to this width, by their sign if they are signed. */
typedef enum {
  NORN_ISA_TYPE_UNKNOWN, /* the instruction's name contains no type; no lanes */
  NORN_ISA_TYPE_BITS,    /* "i32": integers whose sign does not matter */
  NORN_ISA_TYPE_UNSIGNED,
  NORN_ISA_TYPE_SIGNED,
  NORN_ISA_TYPE_FLOAT,
} NornIsaTypeClass;

typedef struct {
  uint8_t class; /* NornIsaTypeClass */
  uint8_t lanes;
  uint8_t bits; /* of a lane */
} NornIsaType;

typedef enum {
  NORN_ISA_FIELD_ENUM,    /* a modifier: one of the named values */
  NORN_ISA_FIELD_CODE,    /* a code of an operand */
  NORN_ISA_FIELD_NUMBER,  /* an immediate */
  NORN_ISA_FIELD_DERIVED, /* computed from other fields by an expression */
  NORN_ISA_FIELD_BANK,    /* the bank shared by all codes of the instruction */
  NORN_ISA_FIELD_COUNT,   /* the number of registers listed for a staging operand */
} NornIsaFieldKind;

typedef enum {
  NORN_ISA_NOTATION_SUFFIX,   /* ".neg" after the operand or mnemonic, or a separate word */
  NORN_ISA_NOTATION_NEGATE,   /* "-x" */
  NORN_ISA_NOTATION_ABSOLUTE, /* "|x|" */
} NornIsaNotation;

typedef struct {
  uint16_t number; /* the field number */
  uint8_t kind;    /* NornIsaFieldKind */
  uint8_t position, width;
  uint8_t high_position, high_width; /* the upper part of a split field; width 0: not split */
  uint8_t notation;                  /* NornIsaNotation */
  bool overlay; /* shows bits of other fields; not counted among the bits of the word */
  bool has_default;
  bool implied;         /* printed even when it has its default */
  uint16_t enumeration; /* enum fields: the enum's number */
  uint32_t texts;       /* enum fields: index into isa->texts of the texts of all values */
  uint32_t amounts; /* index into isa->amounts, or UINT32_MAX: the amount of a value is the value */
  uint32_t swizzles;   /* index into isa->swizzles, or UINT32_MAX: not a swizzle */
  uint32_t expression; /* derived fields: index into isa->expressions ... */
  uint16_t table;      /* ... and the table of its values: index into isa->tables + 1, or 0 */
  uint32_t default_value;
  uint64_t allowed;  /* enum fields: bit v is set if value v is legal */
  uint64_t observed; /* ... if it is not, but occurs in code that runs on hardware: never emitted */
} NornIsaField;

typedef enum {
  NORN_ISA_OPERAND_DESTINATION,
  NORN_ISA_OPERAND_SOURCE,
  NORN_ISA_OPERAND_STAGING_READ,
  NORN_ISA_OPERAND_STAGING_WRITE,
  NORN_ISA_OPERAND_STAGING_BOTH,
  NORN_ISA_OPERAND_IMMEDIATE,
  NORN_ISA_OPERAND_TARGET,  /* a branch distance in instructions, relative to the next one */
  NORN_ISA_OPERAND_LIST,    /* one-bit fields: op_sel:[0,1] */
  NORN_ISA_OPERAND_WORD,    /* a positional modifier */
  NORN_ISA_OPERAND_LITERAL, /* fixed text */
} NornIsaOperandRole;

typedef struct {
  uint8_t role;  /* NornIsaOperandRole */
  uint8_t field; /* index of its field, or NORN_ISA_NO_FIELD (literals, lists) */
  uint8_t words; /* registers and sources: size in 32-bit words; staging: if constant, else 0 */
  uint8_t scale; /* immediates: the text shows the value shifted left by this */
  bool is_signed, decimal;
  bool wrapped; /* some modifier is written around the operand rather than after it */
  uint8_t modifier_count;
  uint8_t
      modifiers[NORN_ISA_OPERAND_MODIFIERS]; /* indices of fields, in text order; lists: the bits */
  uint16_t codes;      /* registers and sources: index into isa->code_tables */
  uint16_t name_table; /* number of the code names in effect, used to parse them */
  uint32_t texts;      /* ... and their index in isa->texts: one for each bank and code */
  uint32_t count;      /* staging: expression for the number of registers ... */
  uint16_t table;      /* ... and the table of its values: index into isa->tables + 1, or 0 */
  NornIsaText prefix;  /* immediates; literals: the text */
  NornIsaText name, title;
  uint32_t multiple;
  int64_t minimum, maximum; /* of an immediate, as in the text */
  uint32_t also; /* nonzero: numbers from here on are also accepted, up to `also` | field mask */
} NornIsaOperand;

/* An expression that depends on few bits of the word, in any number of runs, has a table of its
 * values, indexed by these bits concatenated. */
typedef struct {
  uint16_t mask; /* after the shift */
  uint8_t shift;
} NornIsaRun;

typedef struct {
  uint32_t values; /* index into isa->values */
  uint16_t runs;   /* index into isa->runs */
  uint8_t run_count;
} NornIsaTable;

/* A field with an exact value, for the manual and for comparing descriptions. */
typedef struct {
  uint16_t number;
  uint8_t position, width, high_position, high_width;
  uint32_t value;
  NornIsaText text; /* the value's name, if it has one */
} NornIsaFixed;

/* What the IR knows about an instruction. */
typedef struct {
  NornMachineShape fixed;
  bool varies; /* results and operands depend on the word; `fixed` then has none */
} NornIsaShape;

struct NornIsaEncoding {
  /* Members needed for every word come first, in one cache line. */
  uint64_t mask, match;              /* fixed and reserved bits, and their values */
  uint64_t ignored;                  /* bits without meaning */
  const NornIsaFieldLayout *layouts; /* of the fields */
  bool split;                        /* some field is split */
  uint8_t field_count, operand_count;
  uint8_t bank;    /* the field of the bank that its codes share, or NORN_ISA_NO_FIELD */
  bool overlaid;   /* has overlay fields */
  uint64_t opcode; /* the bits of the mask that are fixed; the others are reserved */
  uint64_t word;   /* all fields at their defaults, registers and immediates zero */
  const NornIsaField *fields;
  const NornIsaOperand *operands;
  const NornIsaFixed *fixed;
  const uint8_t *field_indices; /* field number -> index, or NORN_ISA_NO_FIELD */
  const uint8_t *modifiers;     /* indices of the modifiers on the mnemonic, in text order */
  const uint16_t *rules;        /* indices into isa->rules */
  uint32_t flags;               /* NORN_<ISA>_FLAG_... */
  uint32_t cost; /* expression: how much of its unit's rate it takes; an instruction with one result
                    register, or a message, takes 1 */
  uint32_t required; /* bit i: field i is an enum without default, which the text must name */
  NornIsaText mnemonic, alternate; /* as printed */
  uint16_t instruction;
  uint16_t name;        /* index into isa->names: the instruction, or the alias */
  uint8_t unit;         /* number of the unit, or 0xFF */
  uint8_t target;       /* the operand that is a branch target, or NORN_ISA_NO_FIELD */
  uint8_t since, until; /* architectures with this encoding */
  uint8_t fixed_count, modifier_count, rule_count;
  uint8_t first_derived; /* index of the first derived field; all later ones are derived too */
  bool computed;         /* some field is derived or a count */
  NornIsaType type;
  NornIsaShape shape;
};

/* An instruction, or (after all of them) an alias. */
typedef struct {
  NornIsaText text;
  NornIsaText title, section;
  uint32_t description, reason; /* offsets of zero-terminated strings in the pool, 0: none */
  uint16_t instruction;         /* an alias: what it stands for */
  uint16_t with;        /* words that the modifiers must include: index into isa->texts ... */
  uint8_t with_count;   /* ... and how many */
  uint8_t since, until; /* first and last architecture */
} NornIsaName;

typedef enum {
  NORN_ISA_CODE_RESERVED,
  NORN_ISA_CODE_REGISTER,
  NORN_ISA_CODE_LAST, /* a register at its last use */
  NORN_ISA_CODE_UNIFORM,
  NORN_ISA_CODE_SPECIAL,
  NORN_ISA_CODE_SCALAR,
  NORN_ISA_CODE_CONSTANT,
} NornIsaCodeKind;

typedef struct {
  uint8_t kind;    /* NornIsaCodeKind */
  uint8_t bank;    /* the bank it requires, or NORN_ISA_ANY_BANK */
  uint16_t number; /* register, uniform word; special: the code including its bank */
  uint32_t value;  /* constants: the bit pattern */
  uint32_t flags;  /* of what the instructions that read it are: NORN_<ISA>_FLAG_... */
} NornIsaCode;

typedef struct {
  NornIsaText name;
  uint8_t width, bank_width;
  uint16_t bank;  /* field number of the bank, or NORN_ISA_NONE */
  uint32_t first; /* index into isa->codes: entry bank << width | code */
} NornIsaCodeTable;

/* A possible meaning of a word in the text. A code that is written the same in every table that
 * contains it has the owner NORN_ISA_NONE; whether an operand accepts it then depends on the
 * operand's texts. */
typedef struct {
  uint16_t owner; /* an enum's number, 0x8000 | name table, or NORN_ISA_NONE */
  uint8_t since, until;
  uint32_t code; /* the value, or bank << width | code */
} NornIsaMeaning;

typedef struct {
  NornIsaText text;
  uint32_t hash;  /* norn_isa_hash() of the text */
  uint32_t first; /* index into isa->meanings */
  uint32_t count;
} NornIsaToken;

/* A mnemonic and everything it can mean; the reader uses the first meaning that fits. */
typedef struct {
  NornIsaText text;
  uint32_t hash;
  uint16_t first, count; /* isa->name_lists */
} NornIsaMnemonic;

typedef struct {
  NornIsaText name, title;
  uint32_t first, count; /* isa->enum_values */
  bool swizzles;         /* the values select parts of an operand */
} NornIsaEnum;

typedef struct {
  NornIsaText name, title;
  uint32_t code;
  int32_t amount;
  uint8_t since, until;
  NornIsaSwizzle swizzle; /* if the enum's values select parts */
} NornIsaEnumValue;

typedef struct {
  NornIsaText name, title;
} NornIsaLabel;

#define NORN_ISA_UNITS 8

/* Part of a core that executes instructions. */
typedef struct {
  NornIsaText name, title;
  uint16_t rate; /* cost per cycle that a core executes, in instructions of a single thread; 0: no
                    limit */
  uint8_t takes[NORN_ISA_UNITS]; /* for each unit: how much of its rate a cost of 1 takes */
} NornIsaUnit;

typedef struct {
  NornIsaText name, message;
  uint32_t expression; /* must be nonzero */
} NornIsaRule;

/* Expressions are sequences of words: operation | argument << 8, ending with END. */
typedef enum {
  NORN_ISA_EXPRESSION_END,
  NORN_ISA_EXPRESSION_CONSTANT, /* the next word */
  NORN_ISA_EXPRESSION_AMOUNT,   /* of field `argument` */
  NORN_ISA_EXPRESSION_CODE,     /* its raw value */
  NORN_ISA_EXPRESSION_NOT,
  NORN_ISA_EXPRESSION_NEGATE,
  NORN_ISA_EXPRESSION_ADD,
  NORN_ISA_EXPRESSION_SUBTRACT,
  NORN_ISA_EXPRESSION_MULTIPLY,
  NORN_ISA_EXPRESSION_DIVIDE, /* division by zero gives 0 */
  NORN_ISA_EXPRESSION_REMAINDER,
  NORN_ISA_EXPRESSION_AND,
  NORN_ISA_EXPRESSION_OR,
  NORN_ISA_EXPRESSION_SHIFT_LEFT,
  NORN_ISA_EXPRESSION_SHIFT_RIGHT,
  NORN_ISA_EXPRESSION_EQUAL,
  NORN_ISA_EXPRESSION_UNEQUAL,
  NORN_ISA_EXPRESSION_LESS,
  NORN_ISA_EXPRESSION_LESS_EQUAL,
  NORN_ISA_EXPRESSION_GREATER,
  NORN_ISA_EXPRESSION_GREATER_EQUAL,
  NORN_ISA_EXPRESSION_LOGICAL_AND,
  NORN_ISA_EXPRESSION_LOGICAL_OR,
  NORN_ISA_EXPRESSION_SELECT, /* condition, then, else */
} NornIsaExpressionOperation;
#define NORN_ISA_EXPRESSION_STACK 16

/* A word with its encoding, as checked by the rules of the hardware. */
typedef struct {
  const NornIsa *isa;
  const NornIsaEncoding *encoding;
  uint64_t word;
  uint8_t architecture;
} NornIsaInstance;

typedef struct {
  const char *name;
  const char *message; /* what must be true: "all FAU sources are on one page" */
} NornIsaHardwareRule;

/* What `check` below returns for a broken rule: its number, and the operand that breaks it. */
#define NORN_ISA_BROKEN(rule, operand) ((int)((rule) | (operand) << 8))
#define NORN_ISA_BROKEN_RULE(broken) ((unsigned)(broken)&0xFF)
#define NORN_ISA_BROKEN_OPERAND(broken) ((unsigned)(broken) >> 8)

/* The rules of one ISA. `check` returns the first rule broken, as NORN_ISA_BROKEN(), or -1. */
typedef struct {
  const NornIsaHardwareRule *rules;
  unsigned count;
  int (*check)(const NornIsaInstance *instance);
} NornIsaRuleTable;

struct NornIsa {
  const char *name, *title;
  const char *strings;
  uint8_t word_bits;
  uint8_t mnemonic_parts; /* the maximum number of parts between dots in a mnemonic */
  bool dotted;   /* modifiers follow the mnemonic with dots, else they are after the operands */
  bool commas;   /* commas between operands, else blanks */
  bool any_case; /* names match regardless of case */
  bool alternate_lower; /* the alternate syntax is in lower case */
  NornIsaText filler;   /* a word after the operands that has no effect; 0: none */
  uint8_t architecture_count, unit_count, flag_count;
  uint16_t enum_count, instruction_count, alias_count, encoding_count;
  const NornIsaLabel *architectures, *flags, *field_names;
  const NornIsaUnit *units;
  const NornIsaEnum *enums;
  const NornIsaEnumValue *enum_values;
  const NornIsaName *names;         /* instructions, then aliases */
  const NornIsaEncoding *encodings; /* the last one is followed by one that matches no word */
  const NornIsaEncoding *const *const *encoding_of; /* [architecture][name], or NULL */
  const NornIsaCodeTable *code_tables;
  const NornIsaCode *codes;
  const NornIsaText *texts;
  const NornIsaRun *runs;
  const NornIsaTable *tables;
  const uint8_t *values; /* of tables */
  const int32_t *amounts;
  const NornIsaSwizzle *swizzles;
  const uint32_t *expressions;
  const NornIsaRule *rules;
  const NornIsaToken *tokens; /* hash tables with linear probing; text 0: free */
  const NornIsaMeaning *meanings;
  const NornIsaMnemonic *mnemonics;
  const uint16_t *name_lists; /* indices into names */
  uint32_t token_mask, mnemonic_mask;
  /* Flags that are not specific to an ISA, by their names in the description: "message", "branch",
   * "barrier"; reads: "load", "atomic", "tile"; writes: "store", "atomic", "tile". */
  uint32_t message_flag, branch_flag, barrier_flag, read_flags, write_flags;
  /* For each architecture, an operand that accepts any 32-bit source, or NULL. */
  const NornIsaOperand *const *sources;
  const NornIsaNode *nodes;
  const uint16_t *entries;
  const NornIsaRoot *roots;               /* of each architecture */
  const NornIsaRuleTable *hardware_rules; /* nullable */
};

#endif
