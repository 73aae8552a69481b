/* See generate.h. The flow of control comes first, as a function of bare branches whose dominance
 * says which values a block may use; then blocks are filled in an order in which a block comes
 * after those that dominate it. The order of the text is another one. */
#include "generate.h"

#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include <norn/build.h>
#include <norn/builder.h>
#include <stdio.h>
#include <string.h>

#define MOST_BLOCKS 14
#define FEW_BLOCKS 9
#define MOST_TARGETS 4
#define MOST_PARAMETERS 3
#define MOST_OPERANDS 16
#define FUNCTIONS 3
#define INSTRUCTIONS 60 /* of a module in turn; some more at random */
#define MEMORY_BYTES 1024

typedef struct {
  NornRef ref;
  NornType type;
} Typed;

typedef struct {
  NornOp terminator;
  guint target_count, targets[MOST_TARGETS];
  guint parameter_count;
  NornType parameters[MOST_PARAMETERS];
  NornRef block;
  GArray *values; /* Typed: defined here */
  /* Of flows: */
  enum { ANY_BLOCK, EMPTY_BLOCK, FULL_BLOCK, BARRIER_BLOCK } kind;
  guint exit; /* the target that is on the shortest path to an end */
} Block;

typedef struct {
  const GArray *forms;
  guint64 state, next_form;
  NornModule *module;
  NornBuilder *builder;
  NornFunction *functions[FUNCTIONS]; /* the first one is the shader */
  guint function, function_count;
  Block blocks[MOST_BLOCKS];
  guint block, block_count;
  NornArena arena; /* holds the dominance */
  NornDominance *dominance;
  guint calls;
  guint second_color; /* its format + 1 */
  bool promises;      /* nsz, ninf, nnan and undefined values */
  bool is_flow;
  NornRef fuel, sum, mask; /* in a block of a flow: what its terminator may ask */
} Generator;

guint64
fuzz_draw(guint64 *state, guint64 below) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (*state * G_GUINT64_CONSTANT(0x2545F4914F6CDD1D) >> 16) % below;
}

static guint
draw(Generator *g, guint below) {
  return (guint)fuzz_draw(&g->state, below);
}

static guint64
draw_bits(Generator *g) {
  return fuzz_draw(&g->state, G_GUINT64_CONSTANT(1) << 32) << 32 |
         fuzz_draw(&g->state, G_GUINT64_CONSTANT(1) << 32);
}

/* --- Forms --- */

static bool
form_exists(const FuzzForm *form) {
  char *problem = norn_form_problem(form->op, form->type, form->source_type, form->modifier);
  g_free(problem);
  return !problem;
}

GArray *
fuzz_forms(void) {
  GArray *forms = g_array_new(FALSE, FALSE, sizeof(FuzzForm));
  for (guint op = 1; op < NORN_OP_COUNT; op++) {
    const NornOpInfo *info = &norn_ops[op];
    if (info->flags & NORN_OP_TERMINATOR || op == NORN_OP_CALL || op == NORN_OP_PRELOAD ||
        op == NORN_OP_LOOP_ENTRY)
      continue;
    guint modifiers = info->modifier ? norn_modifiers[info->modifier].count : 1;
    for (guint type = 0; type < NORN_TYPE_COUNT; type++)
      for (guint source = 0; source < NORN_TYPE_COUNT; source++)
        for (guint modifier = 0; modifier < modifiers; modifier++) {
          FuzzForm form = {(guint16)op, (guint8)type, (guint8)source, (guint8)modifier};
          if ((info->types ? norn_type_in(info->types, type) : !type) &&
              (info->source_types ? norn_type_in(info->source_types, source) : !source) &&
              form_exists(&form))
            g_array_append_val(forms, form);
        }
  }
  return forms;
}

/* --- Names --- */

/* A name or none; few enough that many stand for several things, and some that look like words of
 * the language or like names that the printer makes up. */
static const char *
draw_name(Generator *g, char out[64]) {
  static const char *const words[] = {
      "x",       "u7",    "fau", "nan", "true",    "inf",  "shader", "exact",
      "iadd",    "entry", "end", "r4",  "default", "b1",   "0",      "undefined_2",
      "_",       "x_1",   "007", "i32", "w4",      "0x10", "e",      "12345678901234567890",
      "a b-c.d", "x_2_1"};
  switch (draw(g, 5)) {
  case 0:
    return words[draw(g, G_N_ELEMENTS(words))];
  case 1:
    g_snprintf(out, 64, "v%u", draw(g, 1000));
    return out;
  case 2:
    g_snprintf(out, 64, "%u", draw(g, 50));
    return out;
  case 3:
    g_snprintf(out, 64, "a_rather_long_name_of_a_value_%u", draw(g, 100));
    return out;
  default:
    return NULL;
  }
}

static NornRef
name(Generator *g, NornRef value) {
  char text[64];
  const char *chosen = draw_name(g, text);
  return chosen ? norn_build_name(g->builder, value, chosen) : value;
}

/* --- Operands --- */

static const NornType plain_types[] = {
    NORN_TYPE_I1,  NORN_TYPE_I8,  NORN_TYPE_I16,  NORN_TYPE_I32,   NORN_TYPE_I64,   NORN_TYPE_F16,
    NORN_TYPE_F32, NORN_TYPE_F64, NORN_TYPE_V4I8, NORN_TYPE_V2I16, NORN_TYPE_V2F16, NORN_TYPE_W2,
    NORN_TYPE_W3,  NORN_TYPE_W4,  NORN_TYPE_W5,   NORN_TYPE_W6,    NORN_TYPE_W7,    NORN_TYPE_W8};

static NornType
draw_type(Generator *g) {
  if (g->is_flow)
    return NORN_TYPE_I32;
  return plain_types[draw(g, G_N_ELEMENTS(plain_types))];
}

/* Bits of the type: small numbers, edges of integers and floats, NaN with payloads, anything. */
static guint64
draw_constant(Generator *g, NornType type) {
  guint64 mask = norn_type_mask(type);
  const NornTypeInfo *info = &norn_types[type];
  guint mantissa = info->lane_bits == 16 ? 10 : info->lane_bits == 32 ? 23 : 52;
  guint64 one = 1, top = one << (norn_type_bits(type) - 1);
  switch (draw(g, info->class == NORN_CLASS_FLOAT ? 9 : 6)) {
  case 0:
    return draw(g, 4) & mask;
  case 1:
    return mask - draw(g, 4) % (mask < 4 ? 2 : 4);
  case 2:
    return (top - 2 + draw(g, 4)) & mask;
  case 3:
    return one << draw(g, norn_type_bits(type));
  case 4:
    return draw(g, 70000) & mask;
  case 5:
    return draw_bits(g) & mask;
  case 6: /* subnormal, least normal */
    return (draw(g, 2) ? top : 0) |
           (draw(g, 4) ? draw_bits(g) & ((one << mantissa) - 1) : one << mantissa);
  case 7: /* NaN and infinities */
    return (draw(g, 2) ? top : 0) | ((top - 1) & ~((one << mantissa) - 1)) |
           (draw(g, 2) ? draw_bits(g) & ((one << mantissa) - 1) : 0);
  default: { /* a decimal number; for packed types just bits */
    double value = ((double)draw(g, 2000001) - 1000000) / (draw(g, 2) ? 1000 : 7);
    if (info->lanes > 1)
      return draw_bits(g) & mask;
    return norn_constant_bits(g->module, norn_build_float(g->builder, type, value));
  }
  }
}

static NornRef
uniform(Generator *g, NornType type) {
  guint words = norn_type_words(type);
  guint word = draw(g, NORN_UNIFORM_WORDS - words + 1);
  return norn_build_uniform(g->builder, words == 2 ? word & ~1u : word);
}

/* Some value of the type that may be used here; 0 if there is none or it is not to be one. */
static NornRef
find_value(Generator *g, NornType type) {
  const NornDominance *dominance = g->dominance;
  NornRef found = 0;
  guint seen = 0, block = g->block;
  for (;;) {
    const GArray *values = g->blocks[block].values;
    for (guint i = 0; i < values->len; i++) {
      const Typed *typed = &g_array_index(values, Typed, i);
      if (typed->type == type && draw(g, ++seen) == 0)
        found = typed->ref;
    }
    if (dominance->position[block] == NORN_INDEX_NONE || dominance->idom[block] == block)
      return found;
    block = dominance->idom[block];
  }
}

static void
offer(Generator *g, NornRef ref, NornType type) {
  Typed typed = {ref, type};
  g_array_append_val(g->blocks[g->block].values, typed);
}

static NornRef
operand(Generator *g, NornType type) {
  NornRef found = draw(g, 4) ? find_value(g, type) : 0;
  if (found)
    return found;
  if (type != NORN_TYPE_I1 && draw(g, 6) == 0)
    return uniform(g, type);
  if (norn_type_bits(type) <= 64)
    return norn_build_bits(g->builder, draw_constant(g, type));
  NornInstSpec spec = norn_inst_spec(NORN_OP_COLLECT);
  NornRef words[8];
  for (guint k = 0; k < norn_type_words(type); k++)
    words[k] = operand(g, NORN_TYPE_I32);
  spec.type = NORN_TYPE_I32;
  spec.source_type = type;
  spec.list = words;
  spec.list_count = norn_type_words(type);
  NornRef made = norn_build(g->builder, &spec);
  offer(g, made, type);
  return made;
}

/* The constant that an immediate operand can be. */
static NornRef
immediate_operand(Generator *g, const FuzzForm *form, guint k) {
  NornOperandLimit limit = norn_operand_limit(form->op, form->type, form->source_type, k);
  guint64 value = draw_constant(g, NORN_TYPE_I32);
  if (limit.is_power_of_two)
    value = limit.minimum << draw(g, (guint)__builtin_ctzll(limit.maximum / limit.minimum) + 1);
  else if (limit.maximum < 2000)
    value = limit.minimum + draw(g, (guint)(limit.maximum - limit.minimum) + 1);
  return norn_build_bits(g->builder, value);
}

/* A place in memory, most of the time one that is there. */
static NornRef
address(Generator *g, NornType type) {
  if (draw(g, 20) == 0)
    return operand(g, type);
  if (type == NORN_TYPE_I64)
    return norn_build_uniform(g->builder, FUZZ_BUFFER_WORD);
  return norn_build_bits(g->builder, draw(g, MEMORY_BYTES / 64) * 32);
}

static bool
is_address(NornOp op, guint k) {
  return norn_ops[op].flags & NORN_OP_SPACES && k == norn_address_operand(op) &&
         !(norn_ops[op].flags & NORN_OP_BUFFERS);
}

/* --- Instructions --- */

/* The target whose colors have that format: a module has one format for each. */
static gint64
target_of(NornFormat format) {
  return (gint64)format;
}

static void
draw_immediates(Generator *g, NornInstSpec *spec) {
  for (guint i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    if (!(norn_ops[spec->op].flags & norn_immediates[i].flag) || draw(g, 3) == 0)
      continue;
    gint64 minimum = norn_immediate_minimum(i), maximum = norn_immediate_maximum(i);
    if (i == NORN_IMMEDIATE_OFFSET && (draw(g, 10) || norn_ops[spec->op].flags & NORN_OP_VARYING))
      spec->immediates[i] = draw(g, MEMORY_BYTES / 64) * 32;
    else if (draw(g, 4) == 0)
      spec->immediates[i] = draw(g, 2) ? minimum : maximum;
    else
      spec->immediates[i] =
          minimum + (gint64)fuzz_draw(&g->state, (guint64)(maximum - minimum + 1));
  }
}

static void
build_form(Generator *g, const FuzzForm *form) {
  const NornOpInfo *info = &norn_ops[form->op];
  NornInstSpec spec = norn_inst_spec(form->op);
  NornRef operands[MOST_OPERANDS], list[MOST_OPERANDS], results[8];
  spec.type = form->type;
  spec.source_type = form->source_type;
  spec.modifier = form->modifier;
  spec.operands = operands;
  spec.list = list;
  spec.results = results;
  draw_immediates(g, &spec);
  if (info->flags & NORN_OP_OUTPUT && info->flags & NORN_OP_HAS_TARGET)
    spec.immediates[NORN_IMMEDIATE_TARGET] = target_of(form->modifier);
  NornInst payload = {0};
  payload.payload =
      norn_set_immediate(0, NORN_IMMEDIATE_COMPARE, spec.immediates[NORN_IMMEDIATE_COMPARE]);
  if (info->flags & NORN_OP_PARTS)
    *(norn_result_arity(form->op).is_repeated ? &spec.result_count : &spec.list_count) =
        norn_part_count(form->type, form->source_type);
  else if (norn_operand_arity(form->op).is_repeated)
    spec.list_count = norn_coordinate_operands(form->op, form->modifier, payload.payload);
  NornSignatureCursor cursor = norn_operand_cursor(form->op, form->type, form->source_type);
  for (unsigned fixed = norn_operand_arity(form->op).fixed; fixed; fixed--) {
    guint k = spec.operand_count;
    NornType type = norn_cursor_type(&cursor);
    bool is_immediate = norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE;
    norn_cursor_next(&cursor);
    operands[spec.operand_count++] = is_immediate              ? immediate_operand(g, form, k)
                                     : is_address(form->op, k) ? address(g, type)
                                                               : operand(g, type);
  }
  for (guint k = 0; k < spec.list_count; k++)
    list[k] = operand(g, norn_cursor_type(&cursor));
  /* Half of the modules promise nothing, so that their results are determined. */
  norn_builder_set_flags(g->builder, draw(g, 5)    ? 0
                                     : g->promises ? draw(g, 16)
                                                   : draw(g, 2) * NORN_INST_EXACT);
  norn_build(g->builder, &spec);
  norn_builder_set_flags(g->builder, 0);
  guint count = norn_result_count(form->op, form->type, spec.result_count);
  cursor = norn_result_cursor(form->op, form->type, form->source_type);
  for (guint k = 0; k < count; k++, norn_cursor_next(&cursor))
    offer(g, name(g, results[k]), norn_cursor_type(&cursor));
}

/* A call of a function after this one, so that none calls itself. */
static void
build_call(Generator *g) {
  if (g->function + 1 >= g->function_count || !g->calls)
    return;
  g->calls--;
  NornFunction *callee =
      g->functions[g->function + 1 + draw(g, g->function_count - g->function - 1)];
  NornInstSpec spec = norn_inst_spec(NORN_OP_CALL);
  NornRef list[MOST_PARAMETERS];
  spec.type = callee->result_type;
  spec.callee = callee;
  spec.list = list;
  spec.list_count = callee->blocks[0].parameter_count;
  for (guint k = 0; k < spec.list_count; k++)
    list[k] = operand(g, callee->values[norn_block_parameter(callee, 0, k)].type);
  NornRef result = norn_build(g->builder, &spec);
  if (result)
    offer(g, name(g, result), spec.type);
}

/* Whether the form can stand in the block: of the stage; on every path if on any; colors that have
 * no target are of one format in the module. */
static bool
is_allowed(Generator *g, const FuzzForm *form) {
  const NornOpInfo *info = &norn_ops[form->op];
  guint64 stages = info->flags & NORN_OP_STAGES;
  if ((!g->promises && form->op == NORN_OP_UNDEF) ||
      (stages && !(stages & (NORN_OP_COMPUTE << g->module->stage))) ||
      (info->flags & NORN_OP_ALL_PATHS && (g->block || g->function)))
    return false;
  bool has_one_format = info->flags & NORN_OP_OUTPUT && info->flags & NORN_OP_COLOR &&
                        !(info->flags & NORN_OP_HAS_TARGET);
  if (has_one_format && !g->second_color)
    g->second_color = 1u + form->modifier;
  return !has_one_format || g->second_color == 1u + form->modifier;
}

/* Forms in turn and at random, of those that the stage has. */
static void
build_instruction(Generator *g) {
  const FuzzForm *form;
  if (draw(g, 30) == 0) {
    build_call(g);
    return;
  }
  for (;;) {
    guint64 index = draw(g, 4) ? g->next_form++ : draw_bits(g);
    form = &g_array_index(g->forms, FuzzForm, index % g->forms->len);
    if (is_allowed(g, form))
      break;
  }
  /* A barrier that not all invocations reach would end most runs. */
  if (form->op != NORN_OP_BARRIER || g->block == 0 || draw(g, 3) == 0)
    build_form(g, form);
}

/* An output that all paths must have; in turn they are far between. */
static void
build_path_output(Generator *g) {
  for (;;) {
    const FuzzForm *form = &g_array_index(g->forms, FuzzForm, draw(g, g->forms->len));
    if (!(norn_ops[form->op].flags & NORN_OP_ALL_PATHS) || !is_allowed(g, form))
      continue;
    build_form(g, form);
    return;
  }
}

/* Stores something, so that runs can be told apart. */
static void
build_store(Generator *g) {
  NornInstSpec spec = norn_inst_spec(NORN_OP_STORE_GLOBAL);
  spec.type = draw(g, 2) ? NORN_TYPE_I32 : draw(g, 2) ? NORN_TYPE_I64 : NORN_TYPE_F32;
  NornRef value = find_value(g, spec.type);
  NornRef operands[2] = {value, norn_build_uniform(g->builder, FUZZ_BUFFER_WORD)};
  if (!value)
    return;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = draw(g, FUZZ_BUFFER_BYTES / 8) * 8;
  norn_build(g->builder, &spec);
}

/* --- Flow of control --- */

/* The condition of a branch in a flow: one that sends lanes anywhere, all of them to one side, or
 * is always the same. Lanes without fuel take the exit. */
static NornRef
build_flow_condition(Generator *g) {
  NornBuilder *b = g->builder;
  NornRef zero = norn_build_bits(b, 0), one = norn_build_bits(b, 1), condition;
  const Block *self = &g->blocks[g->block];
  if (self->kind == FULL_BLOCK)
    return norn_build_icmp(b, NORN_INT_CONDITION_EQ, NORN_TYPE_I32, g->mask,
                           norn_build_bits(b, (1u << g->module->workgroup[0]) - 1));
  NornRef live = norn_build_icmp(b, NORN_INT_CONDITION_SGT, NORN_TYPE_I32, g->fuel, zero);
  NornRef bit;
  guint kind = draw(g, 8);
  switch (kind) {
  case 0:
    return norn_build_bits(b, self->exit == 0);
  case 1:
    bit = norn_build_xor(b, NORN_TYPE_I32, g->sum, g->sum);
    condition = norn_build_icmp(b, NORN_INT_CONDITION_NE, NORN_TYPE_I32, bit, zero);
    break;
  case 2:
  case 3:
    live =
        norn_build_icmp(b, NORN_INT_CONDITION_NE, NORN_TYPE_I32, norn_build_ballot(b, live), zero);
    bit = kind == 2 ? g->mask : operand(g, NORN_TYPE_I32);
    bit = norn_build_and(b, NORN_TYPE_I32, bit, norn_build_bits(b, 1u << draw(g, 16)));
    bit = norn_build_icmp(b, NORN_INT_CONDITION_NE, NORN_TYPE_I32, bit, zero);
    condition = norn_build_and(b, NORN_TYPE_I1, live, bit);
    break;
  default:
    bit = norn_build_lshr(b, NORN_TYPE_I32, g->sum, norn_build_bits(b, draw(g, 24)));
    bit = norn_build_and(b, NORN_TYPE_I32, bit, one);
    bit = norn_build_icmp(b, NORN_INT_CONDITION_NE, NORN_TYPE_I32, bit, zero);
    condition = norn_build_and(b, NORN_TYPE_I1, live, bit);
  }
  return self->exit ? condition : norn_build_not(b, NORN_TYPE_I1, condition);
}

/* The same for a switch, whose first target is the exit. */
static NornRef
build_flow_selector(Generator *g) {
  NornBuilder *b = g->builder;
  NornRef live =
      norn_build_icmp(b, NORN_INT_CONDITION_SGT, NORN_TYPE_I32, g->fuel, norn_build_bits(b, 0));
  NornRef bits = norn_build_lshr(b, NORN_TYPE_I32, g->sum, norn_build_bits(b, draw(g, 24)));
  bits = norn_build_and(b, NORN_TYPE_I32, bits, norn_build_bits(b, 3));
  return norn_build_select(b, NORN_TYPE_I32, live, bits, norn_build_bits(b, 77));
}

static void
build_terminator(Generator *g) {
  const Block *self = &g->blocks[g->block];
  NornInstSpec spec = norn_inst_spec(self->terminator);
  NornRef arguments[MOST_TARGETS][MOST_PARAMETERS], operands[1];
  NornBranch branches[MOST_TARGETS];
  NornCase cases[MOST_TARGETS];
  for (guint k = 0; k < self->target_count; k++) {
    const Block *target = &g->blocks[self->targets[k]];
    for (guint i = 0; i < target->parameter_count; i++)
      arguments[k][i] = operand(g, target->parameters[i]);
    branches[k] = (NornBranch){target->block, target->parameter_count, arguments[k]};
  }
  spec.operands = operands;
  spec.branches = branches;
  spec.branch_count = self->target_count;
  if (spec.op == NORN_OP_BR) {
    operands[spec.operand_count++] =
        g->is_flow ? build_flow_condition(g) : operand(g, NORN_TYPE_I1);
    norn_builder_set_flags(g->builder, draw(g, 4) ? 0 : NORN_INST_DIVERGENT);
  } else if (spec.op == NORN_OP_SWITCH) {
    static const NornType types[] = {NORN_TYPE_I8, NORN_TYPE_I16, NORN_TYPE_I32, NORN_TYPE_I64};
    spec.type = g->is_flow ? NORN_TYPE_I32 : types[draw(g, 4)];
    operands[spec.operand_count++] = g->is_flow ? build_flow_selector(g) : operand(g, spec.type);
    spec.branch_count = 1;
    spec.cases = cases;
    gint64 first = g->is_flow ? -1 : (gint64)draw(g, 60) - 10;
    for (guint k = 1; k < self->target_count; k++)
      cases[spec.case_count++] = (NornCase){first += 1 + draw(g, g->is_flow ? 2 : 9), branches[k]};
  } else if (spec.op == NORN_OP_RETURN) {
    spec.type = g->functions[g->function]->result_type;
    if (spec.type != NORN_TYPE_VOID)
      operands[spec.operand_count++] = operand(g, spec.type);
  }
  norn_build(g->builder, &spec);
  norn_builder_set_flags(g->builder, 0);
}

/* What each block ends in and where it leads: any block but the first. */
static void
draw_flow(Generator *g) {
  g->block_count = 1 + draw(g, FEW_BLOCKS);
  for (guint i = 0; i < g->block_count; i++) {
    Block *self = &g->blocks[i];
    self->values = g_array_new(FALSE, FALSE, sizeof(Typed));
    self->parameter_count = i && draw(g, 2) ? draw(g, MOST_PARAMETERS + 1) : 0;
    for (guint k = 0; k < self->parameter_count; k++)
      self->parameters[k] = draw_type(g);
    guint way = g->block_count == 1 || (i + 1 == g->block_count && draw(g, 4)) ? 9 : draw(g, 10);
    self->target_count = way < 3 ? 1 : way < 7 ? 2 : way < 8 ? 1 + draw(g, MOST_TARGETS) : 0;
    self->terminator = way < 3 ? NORN_OP_JUMP : way < 7 ? NORN_OP_BR : NORN_OP_SWITCH;
    if (way >= 8)
      self->terminator = draw(g, 12) == 0 ? NORN_OP_UNREACHABLE
                         : g->function    ? NORN_OP_RETURN
                         : g->module->stage == NORN_STAGE_FRAGMENT && draw(g, 3) == 0
                             ? NORN_OP_TERMINATE
                             : NORN_OP_END;
    for (guint k = 0; k < self->target_count; k++) /* forward most of the time */
      self->targets[k] = draw(g, 3) && i + 1 < g->block_count
                             ? i + 1 + draw(g, g->block_count - i - 1)
                             : 1 + draw(g, g->block_count - 1);
  }
}

/* --- Flows --- */

/* How far each block is from an end, MOST_BLOCKS if it cannot come to one; sets the exits. */
static void
measure_flow(Generator *g, guint *distance) {
  for (guint i = 0; i < g->block_count; i++)
    distance[i] = g->blocks[i].target_count ? MOST_BLOCKS : 0;
  for (guint round = 0; round < g->block_count; round++)
    for (guint i = 0; i < g->block_count; i++) {
      Block *self = &g->blocks[i];
      for (guint k = 0; k < self->target_count; k++)
        if (distance[self->targets[k]] + 1 < distance[i]) {
          distance[i] = distance[self->targets[k]] + 1;
          self->exit = k;
        }
    }
}

/* Lets every block come to an end, and the first target of each switch lead there. */
static void
open_exits(Generator *g) {
  guint distance[MOST_BLOCKS], last = g->block_count - 1;
  measure_flow(g, distance);
  for (guint i = g->block_count; i-- > 0;) {
    Block *self = &g->blocks[i];
    if (distance[i] < MOST_BLOCKS || self->kind == FULL_BLOCK || self->kind == BARRIER_BLOCK)
      continue;
    self->targets[0] = last;
    measure_flow(g, distance);
  }
  for (guint i = 0; i < g->block_count; i++) {
    Block *self = &g->blocks[i];
    if (self->terminator != NORN_OP_SWITCH)
      continue;
    guint target = self->targets[self->exit];
    self->targets[self->exit] = self->targets[0];
    self->targets[0] = target;
    self->exit = 0;
  }
}

/* A block that asks whether all lanes are there, one with a barrier for that case, and the next. */
static void
draw_barrier(Generator *g) {
  guint at = 1 + draw(g, g->block_count - 3);
  for (guint i = 0; i < g->block_count; i++)
    for (guint k = 0; k < g->blocks[i].target_count; k++)
      g->blocks[i].targets[k] += g->blocks[i].targets[k] == at + 1;
  for (guint i = at; i < at + 2; i++) {
    Block *self = &g->blocks[i];
    self->kind = i == at ? FULL_BLOCK : BARRIER_BLOCK;
    self->terminator = i == at ? NORN_OP_BR : NORN_OP_JUMP;
    self->target_count = i == at ? 2 : 1;
    self->targets[0] = i + 1;
    self->targets[1] = i + 2;
  }
  g->blocks[at + 1].parameter_count = 0;
}

/* Loops of all kinds: forward edges, mostly to blocks that are near, and edges anywhere; many
 * blocks that only jump. */
static void
draw_loops(Generator *g) {
  guint count = g->block_count = 4 + draw(g, MOST_BLOCKS - 3), last = count - 1;
  for (guint i = 0; i < count; i++) {
    Block *self = &g->blocks[i];
    self->values = g_array_new(FALSE, FALSE, sizeof(Typed));
    self->kind = i && i < last && draw(g, 3) == 0 ? EMPTY_BLOCK : ANY_BLOCK;
    self->parameter_count = 0;
    if (i && draw(g, self->kind == EMPTY_BLOCK ? 6 : 2) == 0)
      self->parameter_count = draw(g, MOST_PARAMETERS + 1);
    for (guint k = 0; k < self->parameter_count; k++)
      self->parameters[k] = NORN_TYPE_I32;
    guint shape = draw(g, 20);
    bool ends = i == last || (shape == 19 && i && self->kind != EMPTY_BLOCK);
    self->terminator = ends ? g->function ? NORN_OP_RETURN : NORN_OP_END
                       : self->kind == EMPTY_BLOCK || shape < 3 ? NORN_OP_JUMP
                       : shape < 17                             ? NORN_OP_BR
                                                                : NORN_OP_SWITCH;
    self->target_count = ends                                 ? 0
                         : self->terminator == NORN_OP_JUMP   ? 1
                         : self->terminator == NORN_OP_SWITCH ? 2 + draw(g, MOST_TARGETS - 1)
                                                              : 2;
    for (guint k = 0; k < self->target_count; k++)
      self->targets[k] = draw(g, 5) < 3 ? i + 1 + draw(g, MIN(3, last - i)) : 1 + draw(g, last);
  }
  if (draw(g, 2))
    draw_barrier(g);
  open_exits(g);
}

/* The state of a lane is in its scratch memory, since it must come through blocks that do nothing:
 * how many blocks it may still run through freely, and a checksum of where it has been with whom.
 */
enum { FUEL = 0, SUM = 4 };

static void
begin_flow(Generator *g) {
  NornBuilder *b = g->builder;
  NornRef zero = norn_build_bits(b, 0), lane = norn_build_local_index(b);
  NornRef more = norn_build_and(b, NORN_TYPE_I32, lane, norn_build_bits(b, draw(g, 8)));
  NornRef fuel = norn_build_iadd(b, NORN_TYPE_I32, more, norn_build_bits(b, 3 + draw(g, 20)));
  NornRef sum =
      norn_build_imul(b, NORN_TYPE_I32, lane, norn_build_bits(b, draw_bits(g) & UINT32_MAX));
  norn_build_store_scratch(b, NORN_TYPE_I32, fuel, zero, FUEL);
  norn_build_store_scratch(b, NORN_TYPE_I32, sum, zero, SUM);
  offer(g, lane, NORN_TYPE_I32);
}

/* Adds to the checksum that the lane is in this block, which others are, and some value. */
static void
observe(Generator *g) {
  NornBuilder *b = g->builder;
  NornRef zero = norn_build_bits(b, 0);
  g->fuel = norn_build_load_scratch(b, NORN_TYPE_I32, zero, FUEL);
  g->fuel = norn_build_isub(b, NORN_TYPE_I32, g->fuel, norn_build_bits(b, 1));
  norn_build_store_scratch(b, NORN_TYPE_I32, g->fuel, zero, FUEL);
  g->mask = norn_build_ballot(b, norn_build_bits(b, 1));
  NornRef old = norn_build_load_scratch(b, NORN_TYPE_I32, zero, SUM);
  old = norn_build_imul(b, NORN_TYPE_I32, old, norn_build_bits(b, 31));
  NornRef more = norn_build_xor(b, NORN_TYPE_I32, operand(g, NORN_TYPE_I32),
                                norn_build_bits(b, 1000 * g->function + g->block));
  g->sum = norn_build_iadd(b, NORN_TYPE_I32, old, norn_build_iadd(b, NORN_TYPE_I32, g->mask, more));
  norn_build_store_scratch(b, NORN_TYPE_I32, g->sum, zero, SUM);
  offer(g, g->mask, NORN_TYPE_I32);
  offer(g, g->sum, NORN_TYPE_I32);
}

static void
fill_flow_block(Generator *g, guint block) {
  Block *self = &g->blocks[block];
  NornBuilder *b = g->builder;
  g->block = block;
  norn_builder_set_block(b, self->block);
  if (self->kind != EMPTY_BLOCK) {
    if (!block && !g->function)
      begin_flow(g);
    observe(g);
    if (draw(g, 4) == 0)
      build_call(g);
    if (self->kind == BARRIER_BLOCK)
      norn_build_barrier(b, NORN_SCOPE_WORKGROUP);
  }
  if (self->terminator == NORN_OP_END) {
    NornRef at = norn_build_shladd(b, NORN_EXTEND_U32, norn_build_uniform(b, FUZZ_BUFFER_WORD),
                                   norn_build_local_index(b), 2);
    norn_build_store_global(b, NORN_TYPE_I32, g->sum, at, 0);
  }
  build_terminator(g);
}

/* The dominance of the flow drawn, by a function that has nothing else. */
static NornDominance *
flow_dominance(Generator *g) {
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "flow");
  NornBuilder *builder = norn_builder_new(module);
  NornRef blocks[MOST_BLOCKS];
  for (guint i = 0; i < g->block_count; i++)
    blocks[i] = norn_build_block(builder, NULL);
  for (guint i = 0; i < g->block_count; i++) {
    NornInstSpec spec = norn_inst_spec(g->blocks[i].terminator);
    NornBranch branches[MOST_TARGETS];
    for (guint k = 0; k < g->blocks[i].target_count; k++)
      branches[k] = norn_branch(blocks[g->blocks[i].targets[k]]);
    spec.branches = branches;
    spec.branch_count = g->blocks[i].target_count;
    norn_builder_set_block(builder, blocks[i]);
    norn_build(builder, &spec);
  }
  NornDominance *dominance = norn_dominance_new(&g->arena, module->functions[0]);
  norn_builder_free(builder);
  norn_module_free(module);
  return dominance;
}

/* The first block of a callable function is there already, with the function's parameters. */
static void
take_entry(Generator *g) {
  const NornFunction *self = g->functions[g->function];
  g->blocks[0].block = norn_ref(NORN_REF_BLOCK, 0);
  for (guint k = 0; k < self->blocks[0].parameter_count; k++) {
    guint32 value = norn_block_parameter(self, 0, k);
    offer(g, norn_ref(NORN_REF_VALUE, value), self->values[value].type);
  }
}

/* Blocks in an order that is not that of their numbers but for the first. */
static void
make_blocks(Generator *g) {
  guint order[MOST_BLOCKS];
  for (guint i = 0; i < g->block_count; i++) {
    guint place = i > 1 ? 1 + draw(g, i) : i;
    order[i] = order[place];
    order[place] = i;
  }
  for (guint i = 0; i < g->block_count; i++) {
    char text[64];
    Block *self = &g->blocks[order[i]];
    g->block = order[i];
    if (i == 0 && g->function) {
      take_entry(g);
      continue;
    }
    self->block = norn_build_block(g->builder, draw_name(g, text));
    for (guint k = 0; k < self->parameter_count; k++)
      offer(g,
            norn_build_parameter(g->builder, self->block, self->parameters[k], draw_name(g, text)),
            self->parameters[k]);
  }
}

static void
fill_block(Generator *g, guint block, guint instructions) {
  g->block = block;
  norn_builder_set_block(g->builder, g->blocks[block].block);
  for (guint i = 0; i < instructions; i++)
    build_instruction(g);
  if (!block && !g->function && g->module->stage == NORN_STAGE_FRAGMENT && draw(g, 2))
    build_path_output(g);
  for (guint i = draw(g, 3); i; i--)
    build_store(g);
  build_terminator(g);
}

static void
generate_function(Generator *g, guint function) {
  g->function = function;
  g->calls = 2;
  norn_builder_set_function(g->builder, g->functions[function]);
  if (g->is_flow)
    draw_loops(g);
  else
    draw_flow(g);
  g->dominance = flow_dominance(g);
  make_blocks(g);
  guint each = INSTRUCTIONS / (g->block_count * (function ? 4 : 1)) + 1;
  for (guint i = 0; i < g->dominance->order_count; i++)
    if (g->is_flow)
      fill_flow_block(g, g->dominance->order[i]);
    else
      fill_block(g, g->dominance->order[i], 1 + draw(g, 2 * each));
  for (guint i = 0; i < g->block_count; i++) {
    if (g->dominance->position[i] == NORN_INDEX_NONE && g->is_flow)
      fill_flow_block(g, i);
    else if (g->dominance->position[i] == NORN_INDEX_NONE)
      fill_block(g, i, draw(g, each));
    g_array_unref(g->blocks[i].values);
  }
  norn_arena_free(&g->arena);
}

/* --- The module --- */

static void
declare_uniforms(Generator *g) {
  guint word = 2;
  if (draw(g, 8))
    norn_module_add_fau(g->module, "x", NORN_TYPE_I64, FUZZ_BUFFER_WORD, 1);
  for (guint i = draw(g, 6); i; i--) {
    char text[64];
    NornType type = plain_types[1 + draw(g, G_N_ELEMENTS(plain_types) - 1)];
    guint words = norn_type_words(type), count = 1 + (draw(g, 3) ? 0 : draw(g, 4));
    word += draw(g, 3);
    word += words == 2 && word % 2;
    if (word + words * count > NORN_UNIFORM_WORDS)
      return;
    g_snprintf(text, sizeof text, "%s%u", draw(g, 2) ? "n" : "u", i);
    norn_module_add_fau(g->module, text, type, word, count);
    word += words * count;
  }
}

static void
declare_functions(Generator *g) {
  g->functions[0] = g->module->functions[0];
  g->function_count = draw(g, 3) ? 1 : 1 + draw(g, FUNCTIONS);
  for (guint i = 1; i < g->function_count; i++) {
    char text[64];
    g_snprintf(text, sizeof text, "%s%u", draw(g, 2) ? "f" : "", i);
    g->functions[i] =
        norn_module_add_function(g->module, text, draw(g, 4) ? draw_type(g) : NORN_TYPE_VOID);
    norn_builder_set_function(g->builder, g->functions[i]);
    NornRef entry = norn_build_block(g->builder, draw_name(g, text));
    for (guint k = draw(g, MOST_PARAMETERS + 1); k; k--)
      norn_build_parameter(g->builder, entry, draw_type(g), draw_name(g, text));
  }
}

NornModule *
fuzz_generate(const GArray *forms, guint64 seed) {
  Generator g = {.forms = forms,
                 .state = (seed + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15),
                 .next_form = seed * (INSTRUCTIONS / 3)};
  g.module = norn_module_new(draw(&g, NORN_STAGE_COUNT), draw(&g, 2) ? "m" : "0_shader");
  g.builder = norn_builder_new(g.module);
  g.promises = draw(&g, 2);
  bool is_compute = g.module->stage == NORN_STAGE_COMPUTE;
  if (is_compute)
    norn_module_set_workgroup(g.module, 1 + draw(&g, 20), 1 + draw(&g, 2), 1 + draw(&g, 2));
  norn_module_set_memory(g.module, is_compute && draw(&g, 4) ? MEMORY_BYTES : 0,
                         draw(&g, 4) ? MEMORY_BYTES : 0);
  norn_module_set_float_mode(g.module, draw(&g, NORN_DENORMALS_COUNT), draw(&g, NORN_ROUND_COUNT));
  declare_uniforms(&g);
  declare_functions(&g);
  for (guint i = 0; i < g.function_count; i++)
    generate_function(&g, i);
  norn_builder_free(g.builder);
  return g.module;
}

/* --- One form --- */

/* Loads a value of each type, so that not all operands are constants. */
static void
load_values(Generator *g) {
  for (guint i = 0; i < G_N_ELEMENTS(plain_types); i++) {
    NornType type = plain_types[i];
    if (!norn_type_in(norn_ops[NORN_OP_LOAD_GLOBAL].types, type))
      continue;
    NornInstSpec spec = norn_inst_spec(NORN_OP_LOAD_GLOBAL);
    NornRef address = norn_build_uniform(g->builder, FUZZ_BUFFER_WORD);
    spec.type = type;
    spec.operands = &address;
    spec.operand_count = 1;
    spec.immediates[NORN_IMMEDIATE_OFFSET] = 16 * i;
    offer(g, norn_build(g->builder, &spec), type);
  }
  NornRef words[2] = {find_value(g, NORN_TYPE_I32), norn_build_bits(g->builder, 5)};
  NornInstSpec spec = norn_inst_spec(NORN_OP_ICMP);
  spec.type = NORN_TYPE_I32;
  spec.operands = words;
  spec.operand_count = 2;
  offer(g, norn_build(g->builder, &spec), NORN_TYPE_I1);
}

static void
store_to(Generator *g, NornRef value, NornType type, gint64 offset) {
  NornInstSpec spec = norn_inst_spec(NORN_OP_STORE_GLOBAL);
  NornRef operands[2] = {value, norn_build_uniform(g->builder, FUZZ_BUFFER_WORD)};
  spec.type = type;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = offset;
  norn_build(g->builder, &spec);
}

/* Stores a value of any type: truth values as numbers, large groups word by word. */
static void
store_result(Generator *g, Typed result, gint64 offset) {
  NornRef words[8] = {result.ref};
  NornInstSpec spec = norn_inst_spec(NORN_OP_SPLIT);
  spec.type = NORN_TYPE_I32;
  spec.source_type = result.type;
  spec.operands = &result.ref;
  spec.operand_count = 1;
  spec.results = words;
  if (result.type == NORN_TYPE_I1) {
    spec.op = NORN_OP_ZEXT;
    store_to(g, norn_build(g->builder, &spec), NORN_TYPE_I32, offset);
  } else if (norn_type_words(result.type) <= 4) {
    store_to(g, result.ref, result.type, offset);
  } else {
    spec.result_count = norn_type_words(result.type);
    norn_build(g->builder, &spec);
    for (guint k = 0; k < spec.result_count; k++)
      store_to(g, words[k], NORN_TYPE_I32, offset + 4 * k);
  }
}

/* A stage that the operation is for. */
static NornShaderStage
draw_stage(Generator *g, NornOp op) {
  guint64 stages = norn_ops[op].flags & NORN_OP_STAGES;
  for (;;) {
    NornShaderStage stage = draw(g, NORN_STAGE_COUNT);
    if (!stages || stages & (NORN_OP_COMPUTE << stage))
      return stage;
  }
}

NornModule *
fuzz_generate_form(const FuzzForm *form, guint64 seed) {
  Generator g = {.state = (seed + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15),
                 .function_count = 1,
                 .block_count = 1,
                 .promises = true};
  NornShaderStage stage = draw_stage(&g, form->op);
  g.module = norn_module_new(stage, "form");
  g.functions[0] = g.module->functions[0];
  g.builder = norn_builder_new(g.module);
  if (stage == NORN_STAGE_COMPUTE)
    norn_module_set_workgroup(g.module, 16, 1, 1);
  norn_module_set_memory(g.module, stage == NORN_STAGE_COMPUTE ? MEMORY_BYTES : 0, MEMORY_BYTES);
  norn_module_set_float_mode(g.module, draw(&g, NORN_DENORMALS_COUNT),
                             draw(&g, 2) ? NORN_ROUND_RTE : draw(&g, NORN_ROUND_COUNT));
  g.blocks[0] = (Block){.terminator = NORN_OP_END,
                        .values = g_array_new(FALSE, FALSE, sizeof(Typed)),
                        .block = norn_build_block(g.builder, NULL)};
  g.dominance = flow_dominance(&g);
  norn_builder_set_block(g.builder, g.blocks[0].block);
  load_values(&g);
  guint before = g.blocks[0].values->len;
  build_form(&g, form);
  for (guint i = before; i < g.blocks[0].values->len; i++)
    store_result(&g, g_array_index(g.blocks[0].values, Typed, i), 32 * (i - before));
  build_terminator(&g);
  g_array_unref(g.blocks[0].values);
  norn_arena_free(&g.arena);
  norn_builder_free(g.builder);
  return g.module;
}

NornModule *
fuzz_generate_flow(guint64 seed) {
  Generator g = {.is_flow = true, .state = (seed + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15)};
  g.module = norn_module_new(NORN_STAGE_COMPUTE, "flow");
  g.builder = norn_builder_new(g.module);
  norn_module_set_workgroup(g.module, draw(&g, 4) ? FUZZ_FLOW_LANES : 1 + draw(&g, 15), 1, 1);
  norn_module_set_memory(g.module, 0, SUM + 4);
  declare_functions(&g);
  for (guint i = 0; i < g.function_count; i++)
    generate_function(&g, i);
  norn_builder_free(g.builder);
  return g.module;
}
