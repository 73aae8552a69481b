/* A driver's own small shader, written without the IR: it clears a render target to the color in
 * uniform words 0 to 3.
 *
 * Each row of the program is an instruction and its fields; norn_isa_pack makes the words, and
 * norn_isa_check checks them against the rules of the hardware. The example prints the disassembled
 * program. */
#include <norn/isa.h>
#include <norn/valhall.h>
#include <stdio.h>
#include <stdlib.h>

/* A field that is set by number, or from `text` if that is given. */
typedef struct {
  unsigned field;
  unsigned value;
  const char *text;
} Setting;

typedef struct {
  unsigned instruction;
  unsigned count;
  Setting settings[6];
} ShaderInstruction;

static const ShaderInstruction program[] = {
    {NORN_VALHALL_MOV_I32,
     2,
     {{NORN_VALHALL_FIELD_DESTINATION, 0, "r0"}, {NORN_VALHALL_FIELD_SOURCE0, 0, "u0"}}},
    {NORN_VALHALL_MOV_I32,
     2,
     {{NORN_VALHALL_FIELD_DESTINATION, 0, "r1"}, {NORN_VALHALL_FIELD_SOURCE0, 0, "u1"}}},
    {NORN_VALHALL_MOV_I32,
     2,
     {{NORN_VALHALL_FIELD_DESTINATION, 0, "r2"}, {NORN_VALHALL_FIELD_SOURCE0, 0, "u2"}}},
    {NORN_VALHALL_MOV_I32,
     3,
     {{NORN_VALHALL_FIELD_DESTINATION, 0, "r3"},
      {NORN_VALHALL_FIELD_SOURCE0, 0, "u3"},
      {NORN_VALHALL_FIELD_FLOW, NORN_VALHALL_FLOW_WAIT, NULL}}},
    {NORN_VALHALL_BLEND,
     5,
     {{NORN_VALHALL_FIELD_STAGING, 0, "r0"},
      {NORN_VALHALL_FIELD_SOURCE0, 0, "blend_descriptor_0.w0"},
      {NORN_VALHALL_FIELD_SOURCE2, 0, "r60"},
      {NORN_VALHALL_FIELD_REGISTER_FORMAT, NORN_VALHALL_REGISTER_FORMAT_F32, NULL},
      {NORN_VALHALL_FIELD_FLOW, NORN_VALHALL_FLOW_END, NULL}}},
};

/* Encodes a row; false if the architecture lacks the instruction or a field does not fit. */
static bool
encode(const NornIsa *isa, unsigned architecture, const ShaderInstruction *row, uint64_t *word) {
  NornIsaDecoded decoded;
  if (!norn_isa_decoded_init(isa, architecture, row->instruction, &decoded))
    return false;
  for (unsigned i = 0; i < row->count; i++) {
    const Setting *setting = &row->settings[i];
    bool set = setting->text
                   ? norn_isa_decoded_set_operand(isa, &decoded, setting->field, setting->text)
                   : norn_isa_decoded_set(&decoded, setting->field, setting->value);
    if (!set)
      return false;
  }
  if (!norn_isa_decoded_finish(isa, &decoded))
    return false;
  *word = norn_isa_pack(&decoded);
  return true;
}

int
main(void) {
  const NornIsa *isa = norn_isa_find("valhall");
  for (unsigned i = 0; i < sizeof program / sizeof program[0]; i++) {
    uint64_t word;
    GError *error = NULL;
    if (!encode(isa, NORN_VALHALL_ARCHITECTURE_9, &program[i], &word)) {
      fprintf(stderr, "row %u cannot be encoded\n", i);
      return EXIT_FAILURE;
    }
    if (!norn_isa_check(isa, NORN_VALHALL_ARCHITECTURE_9, word, &error)) {
      fprintf(stderr, "row %u: %s\n", i, error->message);
      g_error_free(error);
      return EXIT_FAILURE;
    }
    char text[NORN_ISA_LINE];
    norn_isa_print(isa, NORN_VALHALL_ARCHITECTURE_9, word, NORN_ISA_PRINT_OFFSETS, text);
    printf("%016" G_GINT64_MODIFIER "x  %s\n", word, text);
  }
  return EXIT_SUCCESS;
}
