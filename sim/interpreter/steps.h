/* What the files that execute steps share: access to operands and results, and each other's
 * functions for the table in operations.c. */
#ifndef NORN_SIM_INTERPRETER_STEPS_H
#define NORN_SIM_INTERPRETER_STEPS_H

#include "sim/common/image.h"
#include "sim/interpreter/program.h"

/* The lanes in which operand k has no defined value. */
static inline unsigned
norn_step_undefined(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned k) {
  return warp->undefined[norn_step_operand(run, step, k)];
}

/* Operand k in all lanes. */
static inline const uint64_t *
norn_step_lanes(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned k) {
  return norn_warp_slot(warp, norn_step_operand(run, step, k));
}

static inline void
norn_warp_set_undefined(NornWarp *warp, uint32_t slot, unsigned active, unsigned undefined) {
  warp->undefined[slot] = (uint16_t)((warp->undefined[slot] & ~active) | (undefined & active));
}

/* Result k, to be written in the active lanes; it counts as defined there. */
static inline uint64_t *
norn_step_define(const NornRun *run, NornWarp *warp, const NornStep *step, unsigned k,
                 unsigned active) {
  uint32_t slot = norn_step_result(run, step, k);
  norn_warp_set_undefined(warp, slot, active, 0);
  return norn_warp_slot(warp, slot);
}

/* Traps if operand k is undefined in an active lane; `what` names it. */
bool norn_step_check_defined(const NornRun *run, const NornWarp *warp, const NornStep *step,
                             unsigned k, unsigned active, const char *what, GError **error);

/* What an atomic access leaves where `old` was. */
uint64_t norn_atomic_combine(NornAtomic atomic, uint64_t old, uint64_t operand, unsigned width);

/* A channel of an image of that kind as a component of a type of 16 or 32 bits, and back. */
uint32_t norn_component_narrow(NornType type, NornChannelKind kind, uint32_t bits);
uint32_t norn_component_widen(NornType type, NornChannelKind kind, uint32_t bits);

/* Components of 16 or 32 bits in the slots of a value, 16-bit ones two to a slot. */
void norn_warp_put_components(NornWarp *warp, uint32_t slot, unsigned lane, unsigned bits,
                              unsigned count, const uint32_t *components);
uint32_t norn_warp_get_component(const NornWarp *warp, uint32_t slot, unsigned lane, unsigned bits,
                                 unsigned index);

/* Sends lanes along an edge of the program. */
void norn_warp_take_edge(NornRun *run, NornWarp *warp, uint32_t edge, unsigned lanes);

/* Where an invocation of the current workgroup stands in the whole grid. */
void norn_run_position(const NornRun *run, uint32_t index, uint32_t position[3]);

/* Fragment programs: prepares the lanes of a warp; writes the outputs of lanes that end. */
void norn_fragment_start(const NornRun *run, NornWarp *warp);
void norn_fragment_finish(const NornRun *run, const NornWarp *warp, unsigned lanes);

/* The operation that an operation repeats or tests with, or NORN_OP_NONE. */
NornOp norn_step_combiner(const NornInst *inst);

/* memory.c */
bool norn_step_load(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                    GError **error);
bool norn_step_load_signed(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                           GError **error);
bool norn_step_store(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                     GError **error);
bool norn_step_atomic(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                      GError **error);
bool norn_step_buffer_size(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                           GError **error);

/* lanes.c: ballot and votes; reading another lane; reductions and scans; derivatives.
 */
bool norn_step_vote(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                    GError **error);
bool norn_step_exchange(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                        GError **error);
bool norn_step_combine(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                       GError **error);
bool norn_step_derivative(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                          GError **error);

/* texture.c */
bool norn_step_texture(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                       GError **error);
bool norn_step_query_lod(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                         GError **error);
bool norn_step_fetch(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                     GError **error);
bool norn_step_image_store(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                           GError **error);
bool norn_step_image_atomic(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                            GError **error);
bool norn_step_texture_size(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                            GError **error);
bool norn_step_texture_count(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                             GError **error);

/* graphics.c */
bool norn_step_load_attribute(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                              GError **error);
bool norn_step_vertex_output(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                             GError **error);
bool norn_step_load_varying(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                            GError **error);
bool norn_step_fragment_input(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                              GError **error);
bool norn_step_point_coord(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                           GError **error);
bool norn_step_fragment_output(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                               GError **error);
bool norn_step_demote(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                      GError **error);
bool norn_step_load_tile(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                         GError **error);
bool norn_step_store_tile(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                          GError **error);
bool norn_step_blend_source(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                            GError **error);

/* machine.c */
bool norn_step_machine(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                       GError **error);
bool norn_step_machine_branch(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                              GError **error);
bool norn_step_preload(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                       GError **error);

void norn_machine_step_free(NornMachineStep *machine);

/* Decodes the machine instruction of a step. The error has no place. */
bool norn_program_decode_machine(NornProgram *program, const NornLaunch *launch, NornStep *step,
                                 GError **error);

/* How many machine instructions after it the step jumps over, without ending its block: those that
 * would call a blend shader. */
uint32_t norn_machine_step_jumped_over(const NornMachineStep *machine);

#endif
