/* What the target provides to the passes that work on Valhall machine code: registers, messages,
 * flow, branches, encoding. These functions are fields of its NornTarget; passes/target.h documents
 * them. */
#ifndef NORN_COMPILER_VALHALL_CODE_H
#define NORN_COMPILER_VALHALL_CODE_H

#include "isa/isa.h"
#include "passes/pass.h"
#include <norn/valhall.h>

/* The source code of the first uniform word of a page, and the number of words per page. An
 * instruction reads only one page. Table constants count as the first page. */
enum { NORN_VALHALL_UNIFORM_CODE = 128, NORN_VALHALL_PAGE_WORDS = 64 };

/* The encoding of an instruction on the target's architecture, or NULL if it is not available. */
static inline const NornIsaEncoding *
norn_valhall_encoding_of(const NornTarget *target, unsigned instruction) {
  return norn_isa_name_encoding(&norn_isa_valhall, target->architecture, instruction);
}

/* The encoding of a machine instruction of the IR. */
static inline const NornIsaEncoding *
norn_valhall_encoding(const NornTarget *target, const NornInst *inst) {
  return norn_valhall_encoding_of(target, inst->op - NORN_OP_MACHINE);
}

/* registers.c */
/* The operand of the encoding for source k of the IR instruction, or NULL. */
const NornIsaOperand *norn_valhall_operand(const NornIsaEncoding *encoding, uint64_t word,
                                           unsigned k);
NornRegisterSet norn_valhall_always_preloaded(NornShaderStage stage);
bool norn_valhall_fixed_registers(const NornTarget *target, const NornFunction *function,
                                  const NornInst *inst, NornFixedRegisters *fixed);
NornRef norn_valhall_build_move(const NornTarget *target, NornBuilder *builder, NornType type,
                                NornRef source);
NornRef norn_valhall_build_xor(const NornTarget *target, NornBuilder *builder, NornType type,
                               NornRef a, NornRef b);
/* The 64-bit sum of an operand, read as `part`, and the word `zero`. */
NornRef norn_valhall_build_pair(const NornTarget *target, NornBuilder *builder, NornRef operand,
                                unsigned part, NornRef zero);
/* Whether adding that float to 0 leaves its bits unchanged in every mode. */
bool norn_valhall_sum_is_same(uint32_t constant);
bool norn_valhall_is_move(const NornTarget *target, const NornFunction *function,
                          const NornInst *inst, NornRef *source, uint32_t *constant);
/* Whether it makes a pair of that constant, of 32 bits, and 0. */
bool norn_valhall_is_constant_pair(const NornTarget *target, const NornFunction *function,
                                   const NornInst *inst, uint32_t *constant);
bool norn_valhall_compares(const NornTarget *target, const NornInst *inst);
bool norn_valhall_is_xor(const NornTarget *target, const NornFunction *function,
                         const NornInst *inst, NornRef sources[2]);

void norn_valhall_build_spill(const NornTarget *target, NornBuilder *builder, NornRef value,
                              unsigned offset);
NornRef norn_valhall_build_fill(const NornTarget *target, NornBuilder *builder, NornType type,
                                unsigned offset);

/* halves.c */
unsigned norn_valhall_halves_read(const NornTarget *target, const NornInst *inst, unsigned k,
                                  unsigned results);
NornRef norn_valhall_build_halves(const NornTarget *target, NornBuilder *builder, NornType type,
                                  NornRef low, NornRef high);
NornRef norn_valhall_build_upper(const NornTarget *target, NornBuilder *builder, NornType type,
                                 NornRef halves);
bool norn_valhall_read_upper(const NornTarget *target, NornFunction *function, uint32_t inst,
                             unsigned k);

/* messages.c */
unsigned norn_valhall_latency(const NornTarget *target, const NornInst *inst);
unsigned norn_valhall_occupies(const NornTarget *target, const NornInst *inst, unsigned *unit);
bool norn_valhall_describe_message(const NornTarget *target, const NornFunction *function,
                                   const NornInst *inst, NornMessage *message);
unsigned norn_valhall_slot(const NornTarget *target, const NornInst *inst);
void norn_valhall_set_slot(const NornTarget *target, NornInst *inst, unsigned slot);
NornFlow norn_valhall_flow(const NornTarget *target, const NornInst *inst);
void norn_valhall_set_flow(const NornTarget *target, NornInst *inst, NornFlow flow);
void norn_valhall_build_nop(const NornTarget *target, NornBuilder *builder);
void norn_valhall_invert_condition(const NornTarget *target, NornInst *inst);
void norn_valhall_make_branch(const NornTarget *target, NornFunction *function, uint32_t inst);
NornHelperUse norn_valhall_helper_use(const NornTarget *target, const NornInst *inst);

/* encode.c */
bool norn_valhall_encode(const NornPassContext *context, const NornFunction *function,
                         uint32_t inst, int64_t distance, uint64_t *word, GError **error);

#endif
