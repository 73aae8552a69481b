/* The module for a seed: which parts it has and in what proportion; see generator.h. */
#include "fuzz/generator.h"

/* --- Names --- */

/* A name or none. There are few, so that many name several things, and some look like words of
 * the language or like names that the printer generates. */
static const char *
draw_name(FuzzGenerator *g, char out[64]) {
  static const char *const words[] = {"x",    "u7",      "fau",   "nan",   "true",
                                      "inf",  "shader",  "exact", "iadd",  "end",
                                      "r4",   "default", "b1",    "0",     "undefined_2",
                                      "_",    "x_1",     "007",   "i32",   "w4",
                                      "0x10", "e",       "x_2_1", "entry", "12345678901234567890"};
  switch (fuzz_pick(g, 8)) {
  case 0:
    return words[fuzz_pick(g, G_N_ELEMENTS(words))];
  case 1:
    g_snprintf(out, 64, "v%u", fuzz_pick(g, 1000));
    return out;
  default:
    return NULL;
  }
}

/* --- Tangles --- */

/* Burns fuel and adds to the checksum that the lane is in this block, and which other lanes are. */
static void
observe_path(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  FuzzBlock *self = &g->blocks[g->block];
  NornRef zero = norn_build_bits(b, 0), one = norn_build_bits(b, 1);
  bool is_kept = g->keeping == FUZZ_STATE_SCRATCH;
  if (is_kept)
    self->fuel = norn_build_load_scratch(b, NORN_TYPE_I32, zero, 0);
  self->fuel = norn_build_isub(b, NORN_TYPE_I32, self->fuel, one);
  if (self->is_quiet) {
    self->sum = norn_build_iadd(b, NORN_TYPE_I32, self->sum, norn_build_bits(b, 1000 + g->block));
    return;
  }
  if (is_kept)
    norn_build_store_scratch(b, NORN_TYPE_I32, self->fuel, zero, 0);
  self->mask = norn_build_ballot(b, one);
  NornRef old = is_kept ? norn_build_load_scratch(b, NORN_TYPE_I32, zero, 4) : self->sum;
  old = norn_build_imul(b, NORN_TYPE_I32, old, norn_build_bits(b, 31));
  NornRef more = norn_build_xor(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                                norn_build_bits(b, 1000 * g->function + g->block));
  self->sum =
      norn_build_iadd(b, NORN_TYPE_I32, old, norn_build_iadd(b, NORN_TYPE_I32, self->mask, more));
  if (is_kept)
    norn_build_store_scratch(b, NORN_TYPE_I32, self->sum, zero, 4);
  fuzz_offer(g, self->mask, NORN_TYPE_I32);
  fuzz_offer(g, self->sum, NORN_TYPE_I32);
}

/* Initializes fuel and checksum. */
static void
begin_tangle(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  FuzzBlock *self = &g->blocks[0];
  guint iterations = g->function ? 3 + fuzz_pick(g, 5) : 3 + fuzz_pick(g, 20);
  NornRef more = norn_build_and(b, NORN_TYPE_I32, g->lane, norn_build_bits(b, fuzz_pick(g, 8)));
  self->fuel = norn_build_iadd(b, NORN_TYPE_I32, more, norn_build_bits(b, iterations));
  self->sum = norn_build_imul(b, NORN_TYPE_I32, g->lane,
                              norn_build_bits(b, fuzz_constant(g, NORN_TYPE_I32)));
  if (g->keeping != FUZZ_STATE_SCRATCH || g->function)
    return;
  norn_build_store_scratch(b, NORN_TYPE_I32, self->fuel, norn_build_bits(b, 0), 0);
  norn_build_store_scratch(b, NORN_TYPE_I32, self->sum, norn_build_bits(b, 0), 4);
}

static NornRef
bit_of_sum(FuzzGenerator *g, NornRef sum, guint mask) {
  NornBuilder *b = g->builder;
  NornRef bits = norn_build_lshr(b, NORN_TYPE_I32, sum, norn_build_bits(b, fuzz_pick(g, 24)));
  return norn_build_and(b, NORN_TYPE_I32, bits, norn_build_bits(b, mask));
}

static NornRef
is_not_zero(FuzzGenerator *g, NornRef word) {
  return norn_build_icmp(g->builder, NORN_INT_CONDITION_NE, NORN_TYPE_I32, word,
                         norn_build_bits(g->builder, 0));
}

/* A condition that sends lanes anywhere, sends all of them to one side, or is always the same.
 * Lanes without fuel take the exit. */
static NornRef
build_fuel_test(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  const FuzzBlock *self = &g->blocks[g->block];
  NornRef zero = norn_build_bits(b, 0), bit, condition;
  NornRef live = norn_build_icmp(b, NORN_INT_CONDITION_SGT, NORN_TYPE_I32, self->fuel, zero);
  guint kind = self->is_quiet ? 8 : fuzz_pick(g, 8);
  switch (kind) {
  case 0:
    return norn_build_bits(b, self->exit == 0);
  case 1:
    condition = is_not_zero(g, norn_build_xor(b, NORN_TYPE_I32, self->sum, self->sum));
    break;
  case 2:
  case 3:
    live = is_not_zero(g, norn_build_ballot(b, live));
    bit = kind == 2 ? self->mask : fuzz_operand(g, NORN_TYPE_I32);
    bit = norn_build_and(b, NORN_TYPE_I32, bit, norn_build_bits(b, 1u << fuzz_pick(g, 16)));
    condition = norn_build_and(b, NORN_TYPE_I1, live, is_not_zero(g, bit));
    break;
  default:
    condition = norn_build_and(b, NORN_TYPE_I1, live, is_not_zero(g, bit_of_sum(g, self->sum, 1)));
  }
  return self->exit ? condition : norn_build_not(b, NORN_TYPE_I1, condition);
}

/* The same for a switch, whose first target is the exit. */
static NornRef
build_fuel_selector(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  const FuzzBlock *self = &g->blocks[g->block];
  NornRef live =
      norn_build_icmp(b, NORN_INT_CONDITION_SGT, NORN_TYPE_I32, self->fuel, norn_build_bits(b, 0));
  return norn_build_select(b, NORN_TYPE_I32, live, bit_of_sum(g, self->sum, 7),
                           norn_build_bits(b, 77));
}

/* --- Terminators --- */

static NornRef
build_condition(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  const FuzzBlock *self = &g->blocks[g->block], *header = &g->blocks[self->loop];
  switch (self->test) {
  case FUZZ_TEST_FUEL:
    return build_fuel_test(g);
  case FUZZ_TEST_FULL:
    return norn_build_icmp(b, NORN_INT_CONDITION_EQ, NORN_TYPE_I32, self->mask,
                           norn_build_bits(b, (1u << g->lanes) - 1));
  case FUZZ_TEST_COUNT:
    return norn_build_icmp(b, NORN_INT_CONDITION_ULT, NORN_TYPE_I32,
                           self->tests_next ? header->next : header->counter, header->iterations);
  case FUZZ_TEST_NEVER: {
    NornRef few =
        norn_build_and(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), norn_build_bits(b, 31));
    return norn_build_icmp(b, NORN_INT_CONDITION_UGT, NORN_TYPE_I32, few,
                           norn_build_bits(b, 31 + fuzz_pick(g, 9)));
  }
  default: {
    NornRef found = fuzz_pick(g, 3) ? fuzz_find(g, NORN_TYPE_I1) : 0;
    if (found)
      return found;
    if (fuzz_pick(g, 12) == 0)
      return norn_build_bits(b, fuzz_pick(g, 2));
    return is_not_zero(g, norn_build_and(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                                         norn_build_bits(b, 1u << fuzz_pick(g, 5))));
  }
  }
}

/* The argument for a parameter of a block. */
static NornRef
build_argument(FuzzGenerator *g, guint target, guint parameter) {
  const FuzzBlock *self = &g->blocks[g->block], *to = &g->blocks[target];
  if (to->is_header && !parameter) {
    bool is_back = self->dominators >> target & 1;
    return is_back ? to->next : norn_build_bits(g->builder, 0);
  }
  if (g->keeping == FUZZ_STATE_PARAMETERS && parameter < 2)
    return parameter ? self->sum : self->fuel;
  return fuzz_operand(g, to->parameters[parameter]);
}

/* The arguments for a parameter that says whether the next one is defined, and for that next
 * one. */
static void
build_guarded(FuzzGenerator *g, NornType type, NornRef arguments[2]) {
  NornBuilder *b = g->builder;
  NornRef undefined = norn_build_undef(b, type), defined = fuzz_operand(g, type);
  NornRef condition = fuzz_find(g, NORN_TYPE_I1);
  guint kind = fuzz_pick(g, condition ? 3 : 2);
  arguments[0] = kind == 2 ? condition : norn_build_bits(b, kind);
  NornRef operands[3] = {condition, defined, undefined};
  arguments[1] = kind == 2 ? fuzz_build(g, NORN_OP_SELECT, type, operands, 3)
                 : kind    ? defined
                           : undefined;
}

/* A loop often passes the same values to its next iteration and to the code after it: returns a
 * value of that type among those for the next iteration (or of the header), or 0. */
static NornRef
find_carried(FuzzGenerator *g, const NornRef *of_iteration, guint parameter) {
  const FuzzBlock *self = &g->blocks[g->block], *header = &g->blocks[self->loop];
  NornType type = g->blocks[self->targets[1]].parameters[parameter];
  const NornRef *from = self->tests_next ? of_iteration : header->parameter_values;
  NornRef found = 0;
  guint seen = 0;
  for (guint i = 0; i < header->parameter_count && fuzz_pick(g, 4); i++) {
    bool is_loose = i && header->guards >> (i - 1) & 1;
    if (header->parameters[i] == type && !is_loose && fuzz_pick(g, ++seen) == 0)
      found = from[i];
  }
  return found;
}

/* Builds the arguments of an edge. of_iteration: if the edge leaves a loop, the arguments of the
 * edge to its header, otherwise NULL. */
static void
build_arguments(FuzzGenerator *g, guint target, const NornRef *of_iteration, NornRef *arguments) {
  const FuzzBlock *to = &g->blocks[target];
  for (guint i = 0; i < to->parameter_count; i++) {
    NornType type = to->parameters[i];
    if (to->guards >> i & 1) {
      build_guarded(g, to->parameters[i + 1], arguments + i);
      i++;
      continue;
    }
    arguments[i] = of_iteration ? find_carried(g, of_iteration, i) : 0;
    bool enters = to->is_header && i && norn_types[type].class != NORN_CLASS_GROUP;
    if (!arguments[i] && enters && fuzz_pick(g, 3) == 0)
      arguments[i] = norn_build_bits(g->builder, fuzz_pick(g, 2));
    if (!arguments[i])
      arguments[i] = build_argument(g, target, i);
  }
}

static void
build_switch(FuzzGenerator *g, NornInstSpec *spec, NornRef *operands, NornCase *cases,
             const NornBranch *branches) {
  static const NornType types[] = {NORN_TYPE_I8, NORN_TYPE_I16, NORN_TYPE_I32, NORN_TYPE_I64};
  const FuzzBlock *self = &g->blocks[g->block];
  bool is_fuelled = self->test == FUZZ_TEST_FUEL;
  spec->type = is_fuelled ? NORN_TYPE_I32 : types[fuzz_pick(g, 4)];
  if (is_fuelled) {
    operands[0] = build_fuel_selector(g);
  } else {
    NornRef operand = fuzz_operand(g, spec->type);
    operands[0] = norn_build_and(g->builder, spec->type, operand, norn_build_bits(g->builder, 7));
  }
  spec->operand_count = 1;
  spec->branch_count = 1;
  spec->cases = cases;
  gint64 value = fuzz_pick(g, 4) ? -1 : (gint64)fuzz_pick(g, 60) - 100;
  for (guint k = 1; k < self->target_count; k++) {
    value += 1 + fuzz_pick(g, 2);
    value += value == 77;
    cases[spec->case_count++] = (NornCase){value, branches[k]};
  }
}

static void
build_terminator(FuzzGenerator *g) {
  const FuzzBlock *self = &g->blocks[g->block];
  NornInstSpec spec = norn_inst_spec(self->terminator);
  NornRef arguments[FUZZ_TARGETS][FUZZ_PARAMETERS], operands[1];
  NornBranch branches[FUZZ_TARGETS];
  NornCase cases[FUZZ_TARGETS];
  for (guint k = 0; k < self->target_count; k++) {
    const FuzzBlock *target = &g->blocks[self->targets[k]];
    bool leaves = k && self->test == FUZZ_TEST_COUNT;
    build_arguments(g, self->targets[k], leaves ? arguments[0] : NULL, arguments[k]);
    branches[k] = (NornBranch){target->block, target->parameter_count, arguments[k]};
  }
  spec.operands = operands;
  spec.branches = branches;
  spec.branch_count = self->target_count;
  if (spec.op == NORN_OP_BR) {
    operands[spec.operand_count++] = build_condition(g);
    norn_builder_set_flags(g->builder, fuzz_pick(g, 4) ? 0 : NORN_INST_DIVERGENT);
  } else if (spec.op == NORN_OP_SWITCH) {
    build_switch(g, &spec, operands, cases, branches);
  } else if (spec.op == NORN_OP_RETURN) {
    spec.type = g->result_types[g->function];
    if (spec.type != NORN_TYPE_VOID)
      operands[spec.operand_count++] = fuzz_operand(g, spec.type);
  }
  norn_build(g->builder, &spec);
  norn_builder_set_flags(g->builder, 0);
}

/* --- Blocks --- */

/* Creates the blocks with their parameters, in an order that differs from that of their numbers. */
static void
make_blocks(FuzzGenerator *g) {
  guint order[FUZZ_BLOCKS];
  bool is_mixed = fuzz_pick(g, 2);
  for (guint i = 0; i < g->block_count; i++) {
    guint place = i > 1 && is_mixed ? 1 + fuzz_pick(g, i) : i;
    order[i] = order[place];
    order[place] = i;
  }
  for (guint i = 0; i < g->block_count; i++) {
    char text[64];
    FuzzBlock *self = &g->blocks[order[i]];
    g->block = order[i];
    if (i == 0 && g->function) {
      self->block = g->entries[g->function];
      for (guint k = 0; k < g->argument_counts[g->function]; k++)
        fuzz_offer(g, g->argument_values[g->function][k], g->arguments[g->function][k]);
      continue;
    }
    self->block = norn_build_block(g->builder, draw_name(g, text));
    for (guint k = 0; k < self->parameter_count; k++) {
      NornRef value =
          norn_build_parameter(g->builder, self->block, self->parameters[k], draw_name(g, text));
      self->parameter_values[k] = value;
      if (!k || !(self->guards >> (k - 1) & 1))
        fuzz_offer(g, value, self->parameters[k]);
      if (self->is_header && k == 0)
        self->counter = value;
      if (g->keeping == FUZZ_STATE_PARAMETERS && k < 2)
        *(k ? &self->sum : &self->fuel) = value;
    }
  }
}

/* The start of a counted loop's header. If all lanes execute the same iterations, the trip count
 * is uniform. Some loops have a test of their first iteration. */
static void
begin_loop(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  FuzzBlock *self = &g->blocks[g->block];
  static const guint masks[] = {0, 1, 1, 3, 3, 3, 7, 5};
  guint mask = masks[fuzz_pick(g, G_N_ELEMENTS(masks))];
  self->next = norn_build_iadd(b, NORN_TYPE_I32, self->counter, norn_build_bits(b, 1));
  if (self->is_uniform)
    self->iterations = fuzz_pick(g, 2) ? norn_build_bits(b, fuzz_pick(g, 5))
                                       : norn_build_uniform(b, FUZZ_FREE_WORD + fuzz_pick(g, 4));
  else
    self->iterations =
        norn_build_and(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), norn_build_bits(b, mask));
  fuzz_offer(g, self->next, NORN_TYPE_I32);
  if (fuzz_pick(g, 4) == 0) {
    NornIntCondition condition = fuzz_pick(g, 2) ? NORN_INT_CONDITION_EQ : NORN_INT_CONDITION_NE;
    fuzz_offer(g,
               norn_build_icmp(b, condition, NORN_TYPE_I32, self->counter, norn_build_bits(b, 0)),
               NORN_TYPE_I1);
  }
}

static void
begin_function(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  fuzz_find_lane(g);
  fuzz_find_windows(g);
  fuzz_offer(g, g->lane, NORN_TYPE_I32);
  fuzz_declare_variables(g);
  if (g->keeping != FUZZ_STATE_NONE)
    begin_tangle(g);
  if (!g->function)
    fuzz_fill_memory(g);
  fuzz_offer(g, g->local, NORN_TYPE_I32);
  for (guint k = 0; k < 4; k++)
    fuzz_offer(g, norn_build_load_global(b, NORN_TYPE_I32, g->window, 4 * fuzz_pick(g, 64)),
               NORN_TYPE_I32);
}

/* Marks the block with a rank that decides which entry of a loop is its header, mostly close to
 * others, and with any hints, which only affect how code is generated. */
static void
mark_block(FuzzGenerator *g) {
  guint rank = fuzz_pick(g, 4) ? fuzz_pick(g, 5) : fuzz_pick(g, 65536);
  norn_build_loop_entry(g->builder, rank, rank % 3 ? 0 : rank % 2048, rank % 4 == 3,
                        (NornUnroll)(rank % NORN_UNROLL_COUNT));
}

/* Replaces parameters that may be undefined with a defined value where they are. */
static void
open_parameters(FuzzGenerator *g) {
  const FuzzBlock *self = &g->blocks[g->block];
  for (guint k = 0; !self->is_empty && !self->is_quiet && k + 1 < self->parameter_count; k++)
    if (self->guards >> k & 1) {
      NornType type = self->parameters[k + 1];
      NornRef operands[3] = {self->parameter_values[k], self->parameter_values[k + 1],
                             fuzz_operand(g, type)};
      fuzz_offer(g, fuzz_build(g, NORN_OP_SELECT, type, operands, 3), type);
    }
}

/* Adds the set of lanes that are here to a word of the window. */
static void
watch_lanes(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  NornRef sum = norn_build_load_global(b, NORN_TYPE_I32, g->window, FUZZ_WINDOW - 4);
  NornRef mask = norn_build_ballot(b, norn_build_bits(b, 1));
  sum = norn_build_imul(b, NORN_TYPE_I32, sum, norn_build_bits(b, 31));
  sum = norn_build_iadd(b, NORN_TYPE_I32, sum, mask);
  norn_build_store_global(b, NORN_TYPE_I32, sum, g->window, FUZZ_WINDOW - 4);
}

static void
fill_block(FuzzGenerator *g, guint block, guint statements) {
  FuzzBlock *self = &g->blocks[block];
  g->block = block;
  norn_builder_set_block(g->builder, self->block);
  if (block && fuzz_pick(g, 4) < g->marks)
    mark_block(g);
  open_parameters(g);
  if (!block)
    begin_function(g);
  if (self->is_header)
    begin_loop(g);
  if (!self->is_empty) {
    if (g->keeping != FUZZ_STATE_NONE)
      observe_path(g);
    else if (g->watches && !self->is_quiet && g->stage != NORN_STAGE_VERTEX)
      watch_lanes(g);
    if (!block && g->burst)
      fuzz_burst(g, g->burst);
    for (guint left = self->is_quiet ? 0 : statements; left; left--)
      fuzz_statement(g);
  }
  if (!self->target_count && !g->function && !self->is_empty) {
    if (self->sum)
      fuzz_observe(g, (FuzzValue){self->sum, NORN_TYPE_I32});
    fuzz_fold(g, g->burst ? 100 : 8);
  }
  build_terminator(g);
}

/* Sorts blocks after those that dominate them, which have fewer dominators; unreachable ones
 * last. */
static void
fill_blocks(FuzzGenerator *g, guint statements) {
  for (guint dominators = 1; dominators <= 64; dominators++)
    for (guint i = 0; i < g->block_count; i++)
      if ((guint)__builtin_popcountll(g->blocks[i].dominators) == dominators)
        fill_block(g, i, fuzz_pick(g, 2 * statements + 1));
  for (guint i = 0; i < g->block_count; i++)
    g_array_unref(g->blocks[i].values);
}

static void
generate_function(FuzzGenerator *g, guint function) {
  g->function = function;
  g->calls = 2;
  norn_builder_set_function(g->builder, g->functions[function]);
  guint kind = fuzz_pick(g, 8), size = function ? 8 : 4 + fuzz_pick(g, 24);
  if (g->keeping != FUZZ_STATE_NONE)
    fuzz_draw_tangle(g, 4 + fuzz_pick(g, function ? 6 : 12));
  else
    fuzz_draw_nest(g, kind ? size : 0);
  make_blocks(g);
  fill_blocks(g, 1 + g->statements / g->block_count);
}

/* --- The module --- */

static void
declare_functions(FuzzGenerator *g) {
  g->function_count = fuzz_pick(g, 3) ? 1 : 2 + fuzz_pick(g, FUZZ_FUNCTIONS - 1);
  for (guint i = 1; i < g->function_count; i++) {
    char text[64];
    g_snprintf(text, sizeof text, "%s%u", fuzz_pick(g, 2) ? "f" : "", i);
    g->result_types[i] = fuzz_pick(g, 4) ? fuzz_pick_type(g) : NORN_TYPE_VOID;
    g->functions[i] = norn_module_add_function(g->module, text, g->result_types[i]);
    norn_builder_set_function(g->builder, g->functions[i]);
    g->entries[i] = norn_build_block(g->builder, draw_name(g, text));
    g->argument_counts[i] = fuzz_pick(g, 4);
    for (guint k = 0; k < g->argument_counts[i]; k++) {
      g->arguments[i][k] = fuzz_pick_type(g);
      g->argument_values[i][k] =
          norn_build_parameter(g->builder, g->entries[i], g->arguments[i][k], draw_name(g, text));
    }
  }
}

/* How a fragment shader is run. */
static void
draw_fragments(FuzzGenerator *g) {
  static const guint8 samples[] = {1, 1, 1, 2, 4, 8, 16};
  g->samples = 1;
  if (g->stage != NORN_STAGE_FRAGMENT)
    return;
  g->is_by_sample = fuzz_pick(g, 4) == 0;
  g->samples = samples[fuzz_pick(g, G_N_ELEMENTS(samples))];
  if (g->is_by_sample)
    g->samples = fuzz_pick(g, 4) ? 4 : 2;
  g->is_back_facing = fuzz_pick(g, 4) == 0;
  g->calls_blends = fuzz_pick(g, 4) == 0;
  /* Blend shaders are not compiled, so this form does not exist where code is generated. */
  for (guint i = 0; i < g->forms->len && !g->is_blending; i++)
    g->is_blending = g_array_index(g->forms, FuzzForm, i).op == NORN_OP_BLEND_SOURCE;
  g->is_blending = g->is_blending && fuzz_pick(g, 4) == 0;
}

/* The proportions of the module's parts. */
static void
draw_shares(FuzzGenerator *g) {
  static const guint8 shares[][2] = {{4, 20}, {24, 2}, {10, 10}, {2, 4}};
  guint kind = fuzz_pick(g, G_N_ELEMENTS(shares));
  g->memory_share = shares[kind][0];
  g->form_share = shares[kind][1];
  g->statements = 10 + fuzz_pick(g, 40);
  g->reach = fuzz_pick(g, 3) ? 4 : 40;
  g->burst = fuzz_pick(g, 6) ? 0 : 20 + fuzz_pick(g, 80);
  g->reads_constants = fuzz_pick(g, 4) == 0;
  guint kind_of_flow = fuzz_pick(g, 6);
  g->keeping = kind_of_flow < 4    ? FUZZ_STATE_NONE
               : kind_of_flow == 4 ? FUZZ_STATE_SCRATCH
                                   : FUZZ_STATE_PARAMETERS;
  g->scratch = fuzz_pick(g, 3) ? 0 : 4 * (4 + fuzz_pick(g, 20));
  if (g->keeping == FUZZ_STATE_SCRATCH)
    g->scratch = MAX(g->scratch, 12);
  static const guint8 sizes[] = {16, 16, 16, 16, 16, 16, 1, 5, 20, 32};
  g->lanes = sizes[fuzz_pick(g, G_N_ELEMENTS(sizes))];
  g->groups = 1 + (fuzz_pick(g, 8) == 0);
  draw_fragments(g);
  g->uses_shared = g->stage == NORN_STAGE_COMPUTE && fuzz_pick(g, 2);
  g->is_contracted = fuzz_pick(g, 4) == 0;
  g->watches = fuzz_pick(g, 6) == 0;
  g->writes_images = fuzz_pick(g, 5) == 0;
  g->has_variables = fuzz_pick(g, 3) == 0;
  g->marks = fuzz_pick(g, 4) ? 0 : 1 + fuzz_pick(g, 4);
}

static bool
is_access(const FuzzForm *form) {
  return norn_ops[form->op].flags & NORN_OP_SPACES;
}

/* Whether passes have rewrite rules for it: simple arithmetic, but no float conversions. */
static bool
is_folded(const FuzzForm *form) {
  static const NornOp ops[] = {
      NORN_OP_IADD, NORN_OP_ISUB, NORN_OP_IMUL, NORN_OP_INEG,  NORN_OP_NOT,
      NORN_OP_AND,  NORN_OP_OR,   NORN_OP_XOR,  NORN_OP_SHL,   NORN_OP_LSHR,
      NORN_OP_ASHR, NORN_OP_ICMP, NORN_OP_FCMP, NORN_OP_FADD,  NORN_OP_FSUB,
      NORN_OP_FMUL, NORN_OP_FMA,  NORN_OP_FNEG, NORN_OP_FABS,  NORN_OP_FMIN,
      NORN_OP_FMAX, NORN_OP_ZEXT, NORN_OP_SEXT, NORN_OP_TRUNC, NORN_OP_SELECT};
  for (guint i = 0; i < G_N_ELEMENTS(ops); i++)
    if (ops[i] == form->op)
      return true;
  return false;
}

static GArray *
find_forms(const GArray *forms, bool (*belongs)(const FuzzForm *form)) {
  GArray *found = g_array_new(FALSE, FALSE, sizeof(FuzzForm));
  for (guint i = 0; i < forms->len; i++) {
    FuzzForm form = g_array_index(forms, FuzzForm, i);
    if (belongs(&form))
      g_array_append_val(found, form);
  }
  return found;
}

/* What the module runs on. */
static char *
describe_run(const FuzzGenerator *g) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(
      text,
      "data=u32[(0, 1, 2, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x3F800000, 0xBF800000, "
      "0x7F800000, 0xFF800000, 0x7FC00000, 3, 0x80000001, 0x00800000, 0x7F7FFFFF, 0x12345678, "
      "0xDEADBEEF, 0x40490FDB, 5, 0xCF000000, 0xFFFF, 0x7C017E01, 0x33333333, 9, 0x00FF00FF); %u] "
      "sums=u32[0; 40] k=u32[(3, 2, 1, 4, 0xFFFFFFFF, 0x80, 0x3F800000, 0x40000000, 0, "
      "0x3C00BC00, 7, 0x80000000, 0x01020304, 0x7FFF8000, 31); 4] constants=u32[(1, 0x89ABCDEF, "
      "0x3F000000, 0xFFFFFFFE); 64] table0=data table1=constants",
      (fuzz_lanes(g) * FUZZ_WINDOW / 4 + 24) / 25);
  fuzz_describe_stage(g, text);
  fuzz_describe_textures(g, text);
  fuzz_describe_images(g, text);
  return g_string_free(text, FALSE);
}

/* Constant data of a few words, at least 16 bytes. */
static void
add_data(FuzzGenerator *g) {
  guint32 words[64];
  guint count = 4 + fuzz_pick(g, G_N_ELEMENTS(words) - 3);
  for (guint k = 0; k < count; k++)
    words[k] = GUINT32_TO_LE(fuzz_pick(g, G_MAXINT32));
  norn_module_add_data(g->module, words, count * sizeof *words);
  g->data_bytes = count * sizeof *words;
}

static NornModule *
generate(const FuzzForms *forms, guint64 seed, bool dares, char **run) {
  FuzzGenerator g = {
      .state = fuzz_state(seed, 0), .next_form = seed * 16, .constants = 1, .dares = dares};
  NornDenormals denormals = fuzz_pick(&g, NORN_DENORMALS_COUNT);
  NornRound rounding = fuzz_pick(&g, 2) ? NORN_ROUND_RTE : fuzz_pick(&g, NORN_ROUND_COUNT);
  g.rounding = rounding;
  g.forms = forms->of[denormals][rounding];
  g.accesses = find_forms(g.forms, is_access);
  g.folded = find_forms(g.forms, is_folded);
  g.image_accesses = find_forms(g.forms, fuzz_is_image_access);
  g.stage = seed % 2 ? NORN_STAGE_COMPUTE : seed % 4 ? NORN_STAGE_VERTEX : NORN_STAGE_FRAGMENT;
  g.module = norn_module_new(g.stage, fuzz_pick(&g, 2) ? "m" : "0_shader");
  g.builder = norn_builder_new(g.module);
  g.functions[0] = NULL;
  draw_shares(&g);
  g.has_tables = seed % 7 == 3;
  if (g.stage == NORN_STAGE_COMPUTE) {
    norn_module_set_workgroup(g.module, g.lanes, 1, 1);
    norn_module_set_grid_limit(g.module, seed % 3 ? g.groups : 0);
  }
  norn_module_set_float_mode(g.module, denormals, rounding);
  NornRef data = norn_module_add_fau(g.module, "data", NORN_TYPE_I64, FUZZ_DATA_WORD, 1);
  NornRef sums = norn_module_add_fau(g.module, "sums", NORN_TYPE_I64, FUZZ_SUMS_WORD, 1);
  norn_module_set_noalias(g.module, data, seed % 3 == 0);
  norn_module_set_noalias(g.module, sums, seed % 3 == 0);
  if (seed % 5 < 3)
    norn_module_set_alignment(g.module, data, 1u << seed % 5 * 2);
  norn_module_add_fau(g.module, "k", NORN_TYPE_I32, FUZZ_FREE_WORD, 60);
  if (g.has_tables)
    add_data(&g);
  declare_functions(&g);
  for (guint i = 0; i < g.function_count; i++)
    generate_function(&g, i);
  /* Sometimes spill slots are near the end of the range of offsets, or where offsets would wrap
   * around. */
  guint unused = fuzz_pick(&g, 24) ? 0 : 32640 + 4 * fuzz_pick(&g, 8400);
  norn_module_set_memory(g.module, fuzz_shared_bytes(&g), g.scratch + unused);
  *run = describe_run(&g);
  norn_builder_free(g.builder);
  g_array_unref(g.accesses);
  g_array_unref(g.folded);
  g_array_unref(g.image_accesses);
  return g.module;
}

NornModule *
fuzz_generate(const FuzzForms *forms, guint64 seed, char **run) {
  bool dares = seed % 2 == 0 && seed / 2 % 12 < 2;
  NornModule *module = generate(forms, seed, dares, run);
  if (!dares || norn_module_verify(module, NULL))
    return module;
  norn_module_free(module);
  g_free(*run);
  return generate(forms, seed, false, run);
}

/* --- One form --- */

/* A stage that has the operation. */
static NornShaderStage
draw_stage(FuzzGenerator *g, NornOp op) {
  guint64 stages = norn_ops[op].flags & NORN_OP_STAGES;
  for (;;) {
    NornShaderStage stage = fuzz_pick(g, NORN_STAGE_COUNT);
    if (!stages || stages & (NORN_OP_COMPUTE << stage))
      return stage;
  }
}

/* Loads a value of each type, so that not all operands are constants. */
static void
load_values(FuzzGenerator *g) {
  for (NornType type = NORN_TYPE_VOID + 1; type < NORN_TYPE_COUNT; type++)
    if (norn_type_in(norn_ops[NORN_OP_LOAD_GLOBAL].types, type))
      fuzz_offer(g, norn_build_load_global(g->builder, type, g->window, 16 * type), type);
  NornRef word = fuzz_find(g, NORN_TYPE_I32);
  fuzz_offer(g,
             norn_build_icmp(g->builder, NORN_INT_CONDITION_ULT, NORN_TYPE_I32, word,
                             norn_build_bits(g->builder, 5)),
             NORN_TYPE_I1);
}

NornModule *
fuzz_generate_form(const FuzzForm *form, NornDenormals denormals, NornRound rounding,
                   guint64 seed) {
  FuzzGenerator g = {.state = fuzz_state(seed, 2),
                     .block_count = 1,
                     .reach = 1000,
                     .lanes = NORN_SUBGROUP_LANES,
                     .samples = 1,
                     .constants = 1};
  g.stage = draw_stage(&g, form->op);
  g.module = norn_module_new(g.stage, "form");
  g.builder = norn_builder_new(g.module);
  bool is_compute = g.stage == NORN_STAGE_COMPUTE;
  if (is_compute)
    norn_module_set_workgroup(g.module, 16, 1, 1);
  norn_module_set_memory(g.module, is_compute ? 1024 : 0, 1024);
  norn_module_set_float_mode(g.module, denormals, rounding);
  g.blocks[0] = (FuzzBlock){.values = g_array_new(FALSE, FALSE, sizeof(FuzzValue)),
                            .dominators = 1,
                            .block = norn_build_block(g.builder, NULL)};
  norn_builder_set_block(g.builder, g.blocks[0].block);
  g.window = norn_build_uniform(g.builder, FUZZ_DATA_WORD);
  load_values(&g);
  guint before = g.blocks[0].values->len;
  NornRef operands[FUZZ_OPERANDS] = {0};
  guint64 spaces = norn_ops[form->op].flags & NORN_OP_SPACES;
  guint count = spaces ? norn_address_operand(form->op) + 1 : 0;
  if (spaces && fuzz_pick(&g, 3))
    operands[count - 1] = spaces & NORN_OP_GLOBAL ? g.window : norn_build_bits(g.builder, 32);
  fuzz_build_form(&g, form, operands, count, 32 * fuzz_pick(&g, 8));
  for (guint i = before; i < g.blocks[0].values->len; i++)
    fuzz_observe(&g, g_array_index(g.blocks[0].values, FuzzValue, i));
  norn_build_end(g.builder);
  g_array_unref(g.blocks[0].values);
  norn_builder_free(g.builder);
  return g.module;
}
