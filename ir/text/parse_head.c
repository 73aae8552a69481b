/* The part before a shader's instructions: the target of the module, the shader's stage, name and
 * attributes, and the declarations of uniforms and constant data. */
#include "ir/text/parser.h"
#include <norn/builder.h>
#include <norn/isa.h>

/* Skips the word at the cursor, in the same line, if it is `word`. */
static bool
accept_in_line(NornParser *p, const char *word) {
  norn_skip_blanks(&p->lexer);
  NornLexer before = p->lexer;
  if (norn_text_is(norn_take(&p->lexer, NORN_CHAR_WORD), word))
    return true;
  p->lexer = before;
  return false;
}

/* Promises about addresses: "noalias", "align(bytes)". */
static bool
parse_promises(NornParser *p, NornFau *fau) {
  uint64_t bytes = 0;
  fau->is_noalias = accept_in_line(p, "noalias");
  if (!accept_in_line(p, "align"))
    return true;
  NornLocation location = norn_parse_here(p);
  if (!norn_parse_expect(p, '(') ||
      !norn_parse_number(p, "the alignment", NORN_MAX_ALIGNMENT, &bytes) ||
      !norn_parse_expect(p, ')'))
    return false;
  if (!bytes || bytes & (bytes - 1)) {
    NORN_PARSE_FAULT(p, location, "the alignment %u is not a power of two", (unsigned)bytes);
    return false;
  }
  fau->alignment = (uint8_t)bytes;
  return true;
}

/* "name: type[count] @ word", and its promises. */
static bool
parse_fau(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  uint32_t name = norn_parse_name(p);
  if (!name)
    return norn_parse_expected(p, "the name of a uniform");
  if (norn_parse_find_fau(p, name)) {
    NORN_PARSE_FAULT(p, location, "the uniform %s is declared twice", norn_string(p->module, name));
    return false;
  }
  int type;
  uint64_t count = 1, word;
  if (!norn_parse_expect_start(p, ':', "':' and a type") || (type = norn_parse_type(p)) < 0)
    return false;
  if (type == NORN_TYPE_VOID || type == NORN_TYPE_I1) {
    NORN_PARSE_FAULT(p, location, "a uniform cannot be %s", norn_types[type].name);
    return false;
  }
  if (norn_accept(&p->lexer, '[')) {
    NornLocation count_location = norn_parse_here(p);
    if (!norn_parse_number(p, "the number of elements", NORN_FAU_WORDS, &count) ||
        !norn_parse_expect(p, ']'))
      return false;
    if (!count) {
      NORN_PARSE_FAULT(p, count_location, "the number of elements is zero");
      return false;
    }
  }
  if (!norn_parse_expect_start(p, '@', "'@' and the uniform word") ||
      !norn_parse_number(p, "the uniform word", NORN_FAU_WORDS - 1, &word))
    return false;
  /* Elements beyond the last word could not be printed. The uniform is declared anyway, for its
   * uses. */
  if (word + count * norn_type_words(type) > NORN_FAU_WORDS)
    NORN_PARSE_FAULT(p, location, "the uniform %s extends past the last of the %u words",
                     norn_string(p->module, name), NORN_FAU_WORDS);
  NornModule *module = p->module;
  if (module->fau_count == NORN_FAU_WORDS) {
    NORN_PARSE_FAULT(p, location, "more than %u uniforms", NORN_FAU_WORDS);
    return false;
  }
  NORN_GROW(module->faus, module->fau_capacity, (uint64_t)module->fau_count + 1);
  module->faus[module->fau_count++] = (NornFau){.name = name,
                                                .type = (uint8_t)type,
                                                .word = (uint32_t)word,
                                                .count = (uint32_t)count,
                                                .line = location.line,
                                                .column = location.column};
  return parse_promises(p, &module->faus[module->fau_count - 1]);
}

/* "type value, value, ...", one line of constant data. */
static bool
parse_data(NornParser *p) {
  NornModule *module = p->module;
  uint32_t first = module->data_size, end = first;
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  int type = norn_parse_type(p);
  if (type < 0)
    return false;
  unsigned bytes = norn_type_bits((NornType)type) / 8;
  if (!bytes || norn_types[type].class == NORN_CLASS_GROUP) {
    NORN_PARSE_FAULT(p, location, "constant data cannot be %s", norn_types[type].name);
    return false;
  }
  do {
    uint64_t bits;
    norn_skip_blanks(&p->lexer);
    location = norn_parse_here(p);
    NornText text = norn_parse_take_literal(p);
    if (!text.length)
      return norn_parse_expected(p, "a constant");
    if (!norn_parse_literal_bits(p, text, (NornType)type, location, &bits))
      return false;
    bits = GUINT64_TO_LE(bits);
    module->data_size = end; /* elements of less than a word are packed */
    if (!norn_module_append_data(module, &bits, bytes)) {
      NORN_PARSE_FAULT(p, location, "more than %u bytes of constant data", NORN_DATA_LIMIT);
      return false;
    }
    end += bytes;
  } while (norn_accept(&p->lexer, ','));
  return true;
}

/* "name: type @ word, ..." */
static bool
parse_fau_line(NornParser *p) {
  bool ok;
  do
    ok = parse_fau(p);
  while (ok && norn_accept(&p->lexer, ','));
  return ok;
}

/* The lines "fau ..." and "data ..." at the start of the shader. */
static void
parse_declarations(NornParser *p) {
  for (;;) {
    norn_skip_lines(&p->lexer);
    NornLexer before = p->lexer;
    if (before.at == before.end)
      return;
    NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
    bool is_fau = norn_text_is(word, "fau"), is_data = norn_text_is(word, "data");
    if ((!is_fau && !is_data) || norn_peek(&p->lexer) == ':' || norn_peek(&p->lexer) == '(') {
      p->lexer = before;
      return;
    }
    if (is_data && !norn_budget_continues(&p->budget, 1))
      return;
    bool ok = is_fau ? parse_fau_line(p) : parse_data(p);
    if (ok) {
      norn_skip_blanks(&p->lexer);
      ok = norn_peek(&p->lexer) == '\n' || norn_parse_expected(p, "',' or the end of the line");
    }
    if (!ok)
      norn_skip_line(&p->lexer);
    if (norn_diagnostics_full(&p->diagnostics))
      return;
  }
}

static bool
parse_stage(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLexer before = p->lexer;
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
  for (unsigned stage = 0; stage < NORN_STAGE_COUNT; stage++)
    if (norn_text_is(word, norn_stage_names[stage])) {
      p->module->stage = stage;
      return true;
    }
  p->lexer = before;
  return norn_parse_expected(p, "'compute', 'vertex' or 'fragment'");
}

/* "(x, y, z)" */
static bool
parse_workgroup(NornParser *p) {
  for (unsigned axis = 0; axis < 3; axis++) {
    uint64_t size;
    if (!norn_parse_expect_start(p, axis ? ',' : '(',
                                 "the three sizes of the workgroup, as in (8, 1, 1)") ||
        !norn_parse_number(p, "the workgroup size", UINT16_MAX, &size))
      return false;
    p->module->workgroup[axis] = (uint32_t)size;
  }
  return norn_parse_expect(p, ')');
}

/* "(count)" */
static bool
parse_grid(NornParser *p) {
  uint64_t count;
  if (!norn_parse_expect_start(p, '(',
                               "the maximum number of workgroups along an axis, as in (65535)") ||
      !norn_parse_number(p, "the number of workgroups", UINT32_MAX, &count))
    return false;
  p->module->grid_limit = (uint32_t)count;
  return norn_parse_expect(p, ')');
}

/* "(bytes)" */
static bool
parse_size(NornParser *p, uint32_t *size) {
  uint64_t bytes;
  if (!norn_parse_expect_start(p, '(', "'(' and the size in bytes") ||
      !norn_parse_number(p, "the size in bytes", UINT32_MAX, &bytes) || !norn_parse_expect(p, ')'))
    return false;
  *size = (uint32_t)bytes;
  return true;
}

/* "(word)", where the word is one of the texts. */
static bool
parse_mode(NornParser *p, const char *const *texts, unsigned count, unsigned *mode,
           const char *what) {
  if (!norn_parse_expect_start(p, '(', "'(' and a mode"))
    return false;
  NornLexer before = p->lexer;
  NornText word = norn_take_word(&p->lexer);
  for (unsigned i = 0; i < count; i++)
    if (norn_text_is(word, texts[i])) {
      *mode = i;
      return norn_parse_expect(p, ')');
    }
  p->lexer = before;
  return norn_parse_expected(p, what);
}

/* The attributes in a shader's head, in the order of `attribute_names`. */
typedef enum {
  ATTRIBUTE_WORKGROUP,
  ATTRIBUTE_SHARED,
  ATTRIBUTE_GRID,
  ATTRIBUTE_SCRATCH,
  ATTRIBUTE_DENORMALS,
  ATTRIBUTE_ROUNDING,
  ATTRIBUTE_EARLY_TESTS,
  ATTRIBUTE_BY_SAMPLE,
  ATTRIBUTE_COUNT
} Attribute;

static const char *const attribute_names[ATTRIBUTE_COUNT] = {
    [ATTRIBUTE_WORKGROUP] = "workgroup",
    [ATTRIBUTE_SHARED] = "shared",
    [ATTRIBUTE_GRID] = "grid",
    [ATTRIBUTE_SCRATCH] = "scratch",
    [ATTRIBUTE_DENORMALS] = "denormals",
    [ATTRIBUTE_ROUNDING] = "rounding",
    [ATTRIBUTE_EARLY_TESTS] = "early_tests",
    [ATTRIBUTE_BY_SAMPLE] = "by_sample",
};

static bool
parse_attribute_value(NornParser *p, Attribute attribute) {
  NornModule *module = p->module;
  const NornModifierInfo *rounds = &norn_modifiers[NORN_MODIFIER_ROUND];
  unsigned mode = 0;
  switch (attribute) {
  case ATTRIBUTE_WORKGROUP:
    return parse_workgroup(p);
  case ATTRIBUTE_GRID:
    return parse_grid(p);
  case ATTRIBUTE_SHARED:
    return parse_size(p, &module->shared_size);
  case ATTRIBUTE_SCRATCH:
    return parse_size(p, &module->scratch_size);
  case ATTRIBUTE_DENORMALS:
    if (!parse_mode(p, norn_denormals_names, 2, &mode, "'preserve' or 'flush'"))
      return false;
    module->denormals = mode;
    return true;
  case ATTRIBUTE_EARLY_TESTS:
    module->tests_early = true;
    return true;
  case ATTRIBUTE_BY_SAMPLE:
    module->runs_by_sample = true;
    return true;
  default:
    if (!parse_mode(p, rounds->texts, rounds->count, &mode, "a rounding mode"))
      return false;
    module->rounding = mode;
    return true;
  }
}

/* Parses one attribute of the shader; `seen` has a bit for each attribute that came before. */
static bool
parse_attribute(NornParser *p, unsigned *seen) {
  NornLexer before = p->lexer;
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  NornText word = norn_take_word(&p->lexer);
  for (unsigned attribute = 0; attribute < ATTRIBUTE_COUNT; attribute++) {
    if (!norn_text_is(word, attribute_names[attribute]))
      continue;
    if (*seen >> attribute & 1)
      NORN_PARSE_FAULT(p, location, "'%s' is given twice", attribute_names[attribute]);
    *seen |= 1u << attribute;
    return parse_attribute_value(p, attribute);
  }
  p->lexer = before;
  return norn_parse_expected(p, "'workgroup', 'grid', 'shared', 'scratch', 'denormals', "
                                "'rounding', 'early_tests', 'by_sample' or '{'");
}

bool
norn_parse_target(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  NornText name = norn_take(&p->lexer, NORN_CHAR_WORD);
  const NornMachine *machine = norn_machine_find(name.start, name.length);
  if (!name.length)
    return norn_parse_expected(p, "the name of a target");
  if (!machine) {
    g_autofree char *message = norn_isa_unknown_target(name.start, name.length);
    NORN_PARSE_FAULT(p, location, "%s", message);
    return false;
  }
  norn_skip_blanks(&p->lexer);
  location = norn_parse_here(p);
  NornText architecture = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  p->module->machine = machine->find_architecture(machine, architecture.start, architecture.length);
  if (!architecture.length)
    return norn_parse_expected(p, "an architecture of the target");
  if (!p->module->machine) {
    g_autofree char *message =
        norn_isa_unknown_architecture(machine->isa, architecture.start, architecture.length);
    NORN_PARSE_FAULT(p, location, "%s", message);
    return false;
  }
  return norn_parse_end_of_line(p);
}

bool
norn_parse_shader_head(NornParser *p) {
  if (!parse_stage(p))
    return false;
  uint32_t name = norn_parse_sigil_name(p, '@', "the shader's name, as in @main");
  if (!name)
    return false;
  p->module->name = p->function->name = name;
  p->function->line = p->lexer.line;
  unsigned seen = 0;
  while (!norn_accept(&p->lexer, '{'))
    if (!parse_attribute(p, &seen))
      return false;
  if (!norn_parse_end_of_line(p))
    return false;
  parse_declarations(p);
  return true;
}
