/* The VP1 vector unit: its state and one instruction at a time.
 *
 * The state is a plain struct that the caller owns, so a test or a fuzzer can set any part of
 * it. Scalar registers and the scalar-to-vector path belong to another execution unit of the
 * same processor; the part that the vector unit sees ($c and the s2v inputs) is included in the
 * state here. */
#ifndef NORN_SIM_VP1_EXECUTE_H
#define NORN_SIM_VP1_EXECUTE_H

#include <norn/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

#define NORN_VP1_LANES 16

/* What the scalar unit passes in the same bundle. Without such an instruction (valid is false),
 * the factors keep their last values and the vector unit chooses its own condition mask. */
typedef struct {
  bool valid;
  int16_t factor[4]; /* signed 10-bit; in mask mode bits 1-8 of a pair hold the 16 mask bits */
  uint8_t vcsrc;     /* which $vc register gives the mask, 0-3 */
  uint8_t vcpart;    /* 0: its sign flags, 1: its zero flags */
  uint8_t vcmode;    /* how the mask is spread over the components, 0-7 */
} NornVp1ScalarInput;

typedef struct {
  uint8_t v[32][NORN_VP1_LANES];
  uint32_t vc[4];             /* bit i: sign flag of component i; bit 16 + i: its zero flag */
  int32_t va[NORN_VP1_LANES]; /* -2^27 .. 2^27 - 1 */
  uint8_t vx[NORN_VP1_LANES];
  uint16_t c[4]; /* scalar condition registers */
  bool tie_down; /* $uccfg: round to nearest takes ties down */
  NornVp1ScalarInput s2v;
} NornVp1State;

/* Executes the words of a little-endian program one after the other. Fails with
 * NORN_ERROR_INVALID at a word that is not an instruction, with the state that the preceding
 * words left. Opcodes that the hardware decodes by accident ("bad" opcodes) run as they do on
 * hardware. */
bool norn_vp1_run(NornVp1State *state, const void *code, size_t size, GError **error);

G_END_DECLS

#endif
