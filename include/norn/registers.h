/* Running programs on machines that consist only of registers: the GCN vector ALU and the VP1
 * vector unit. A program runs once from its first word to its last; registers are set before the
 * run and read after it, by name.
 *
 * Names of "gcn": v0 to v255 (64 lanes of 32 bits), s0 to s105, vcc, m0, exec (scalars of 32 bits;
 * vcc and exec are two each), mode, scc, lds (16384 words), primitive_count and primitive (16
 * quads) for interpolation. At the start all lanes are on and MODE keeps subnormal numbers. Names
 * of "vp1": v0 to v31 and vx (16 components of 8 bits), va (16 of 28 bits, signed), vc0 to vc3, c0
 * to c3, tie_down, and the scalar unit's s2v_valid, factor (4 of 10 bits, signed), vcsrc (0 to 3),
 * vcpart (0 or 1), vcmode (0 to 7). scc, tie_down and s2v_valid are 0 or 1. A $ before a name is
 * allowed. Everything is zero at the start. */
#ifndef NORN_REGISTERS_H
#define NORN_REGISTERS_H

#include <glib.h>
#include <norn/error.h>
#include <stdbool.h>
#include <stddef.h>

NORN_BEGIN_DECLS

typedef struct NornRegisterMachine NornRegisterMachine;

/* A machine in its initial state, to be freed with norn_register_machine_free. `architecture` NULL
 * means the first one of the ISA. Fails with NORN_ERROR_UNSUPPORTED if there is no such machine. */
NornRegisterMachine *norn_register_machine_new(const char *isa, const char *architecture,
                                               GError **error);

/* Frees `machine` (nullable). */
void norn_register_machine_free(NornRegisterMachine *machine);

/* Whether `isa` has such a machine, as "gcn" and "vp1" do. */
bool norn_register_machine_exists(const char *isa);

/* How many elements the register `name` holds from its first lane on, 0 if there is no such
 * register. */
size_t norn_register_machine_lanes(const NornRegisterMachine *machine, const char *name);

/* The names of all registers, to be freed with g_strfreev. */
char **norn_register_machine_names(const NornRegisterMachine *machine);

/* How many elements belong to the register itself: like norn_register_machine_lanes, but 1 for
 * scalars. */
size_t norn_register_machine_own_lanes(const NornRegisterMachine *machine, const char *name);

/* The size of one element in bytes: 8 for vcc and exec, otherwise the size of one lane; 0 if there
 * is no such register. */
size_t norn_register_machine_element_bytes(const NornRegisterMachine *machine, const char *name);

/* Sets the first `count` elements of `bytes` bytes each (1, 2, 4 or 8, little-endian, without
 * gaps). An element that is wider than a lane occupies several registers; a narrower one is
 * zero-extended. Fails with NORN_ERROR_INVALID if there is no such register or the elements do not
 * fit. */
bool norn_register_machine_write(NornRegisterMachine *machine, const char *name,
                                 const void *elements, size_t count, size_t bytes, GError **error);

/* The reverse: reads `count` elements, truncated to `bytes` bytes each. */
bool norn_register_machine_read(const NornRegisterMachine *machine, const char *name,
                                void *elements, size_t count, size_t bytes, GError **error);

/* Runs a program of `size` bytes. Fails with NORN_ERROR_INVALID for a word that is not a legal
 * instruction and with NORN_ERROR_TRAP for one that does something illegal; the registers are then
 * as the instructions before it left them. */
bool norn_register_machine_run(NornRegisterMachine *machine, const void *code, size_t size,
                               GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NornRegisterMachine, norn_register_machine_free)

NORN_END_DECLS

#endif
