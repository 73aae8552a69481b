/* SPIR-V's grammar as tables, made from its machine-readable files by spirv/gen: the instructions,
 * their operands, and the names of enumerants. */
#ifndef NORN_SPIRV_GRAMMAR_H
#define NORN_SPIRV_GRAMMAR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* How the words of an operand are read. */
typedef enum {
  NORN_SPIRV_RESULT_TYPE,
  NORN_SPIRV_RESULT,
  NORN_SPIRV_ID,
  NORN_SPIRV_LITERAL, /* one word */
  NORN_SPIRV_STRING,
  NORN_SPIRV_NUMBER,  /* as many words as its type requires */
  NORN_SPIRV_SPEC_OP, /* an opcode; its operands follow */
  NORN_SPIRV_LITERAL_AND_ID,
  NORN_SPIRV_ID_AND_LITERAL,
  NORN_SPIRV_TWO_IDS,
  NORN_SPIRV_VALUE, /* an enumerant; its parameters follow */
  NORN_SPIRV_MASK,  /* bits of enumerants; their parameters follow, lowest bit first */
} NornSpirvClass;

typedef struct NornSpirvOperand {
  uint8_t kind;
  char quantifier; /* 1, ? or * */
} NornSpirvOperand;

/* The positions of the result type and the result among the words of an instruction; 0: it has
 * none. */
typedef struct NornSpirvShape {
  uint8_t type, result;
  uint8_t min_words; /* minimum number of words */
} NornSpirvShape;

typedef struct NornSpirvInstruction {
  const char *name;
  uint16_t opcode, operand, operand_count; /* index into norn_spirv_operands */
  NornSpirvShape shape;
} NornSpirvInstruction;

typedef struct NornSpirvKind {
  const char *name;
  uint8_t class;                       /* NornSpirvClass */
  uint16_t enumerant, enumerant_count; /* index into norn_spirv_enumerants */
} NornSpirvKind;

typedef struct NornSpirvEnumerant {
  const char *name;
  uint32_t value;
  uint16_t parameter, parameter_count; /* index into norn_spirv_operands */
} NornSpirvEnumerant;

extern const NornSpirvInstruction norn_spirv_instructions[]; /* sorted by opcode */
extern const uint16_t norn_spirv_instruction_rows[];         /* by opcode: 1 + its row, or 0 */
extern const unsigned norn_spirv_instruction_rows_count;
extern const NornSpirvInstruction norn_spirv_glsl_instructions[]; /* of GLSL.std.450 */
extern const unsigned norn_spirv_glsl_instructions_count;
extern const NornSpirvKind norn_spirv_kinds[];
extern const unsigned norn_spirv_kind_count;
extern const NornSpirvEnumerant norn_spirv_enumerants[];
extern const NornSpirvOperand norn_spirv_operands[];

/* The row of an opcode, or NULL. */
const NornSpirvInstruction *norn_spirv_find_instruction(unsigned opcode);

/* The name of an instruction of GLSL.std.450, or NULL. */
const char *norn_spirv_glsl_name(unsigned number);

/* The name of an enumerant of a kind in the grammar, such as "Capability"; NULL if there is no such
 * value. */
const char *norn_spirv_enumerant_name(const char *kind, uint32_t value);

/* The instruction of `count` words (at least one) in assembler syntax, truncated if it is long;
 * free it with g_free. */
char *norn_spirv_disassemble(const uint32_t *words, unsigned count);

#endif
