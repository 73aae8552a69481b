/* Every row of the operation table that computes something, in every type and modifier, compiled by
 * itself for Valhall: the results in memory in the simulator must equal the interpreter's, bit for
 * bit or as accurately as the row promises. Otherwise the compiler refuses the operation by name at
 * its line. The refused rows are listed in tests/rows/valhall-refused.txt, which must match
 * exactly.
 *
 * A row becomes a kernel that loads the operands of each invocation, corner cases and random
 * bits, executes the operation and stores the results. Operands come from registers, or one of
 * them is a constant or a uniform. Memory operations work on memory that only the invocation
 * uses. Operations between lanes run with all lanes active and with some. */
#include "fuzz/fuzz.h"
#include "ir/ir.h"
#include "ir/ops.h"
#include "ir/random.h"
#include "unit.h"
#include <math.h>
#include <norn/norn.h>
#include <stdio.h>
#include <string.h>

#define LEVELS 4
#define GROUPS 12 /* workgroups of 16 invocations */
#define COUNT (GROUPS * 16)
#define IN_BYTES 128 /* per invocation: four operands of 32 bytes */
#define OUT_BYTES 64
#define MEMORY_BYTES 64
/* The last workgroup's piece of memory is outside the buffer of the resource table. */
#define BUFFER_BYTES ((COUNT - 16) * MEMORY_BYTES)
#define HANDLE 0x03000005

/* How the kernel of a row is made. */
typedef struct Variant {
  int constant, uniform; /* index of the constant or uniform operand; -1: none */
  bool is_partial;       /* only some lanes execute it */
  bool flushes;          /* the shader's denormal mode */
} Variant;

/* --- Rows --- */

static const char *const other_rooms[] = {"tex", "image"};

static bool
computes(NornOp op) {
  const NornOpInfo *info = &norn_ops[op];
  if (info->flags & (NORN_OP_VERTEX | NORN_OP_FRAGMENT) || op == NORN_OP_UNDEF)
    return false;
  for (unsigned k = 0; k < G_N_ELEMENTS(other_rooms); k++)
    if (g_str_has_prefix(info->name, other_rooms[k]))
      return false;
  return true;
}

/* Calls `visit` for each row. */
static void
for_each_row(void (*visit)(const FuzzForm *row, gpointer data), gpointer data) {
  GArray *forms = fuzz_forms();
  for (guint k = 0; k < forms->len; k++)
    if (computes(g_array_index(forms, FuzzForm, k).op))
      visit(&g_array_index(forms, FuzzForm, k), data);
  g_array_unref(forms);
}

/* --- Kernels --- */

typedef enum { SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED, SPACE_SCRATCH, SPACE_BUFFER } Space;

static Space
space_of(NornOp op) {
  static const char *const suffixes[] = {".global", ".shared", ".scratch", ".buffer", ".constant"};
  for (unsigned k = 0; k < G_N_ELEMENTS(suffixes); k++)
    if (g_str_has_suffix(norn_ops[op].name, suffixes[k]))
      return MIN(SPACE_GLOBAL + k, SPACE_BUFFER);
  return SPACE_NONE;
}

/* The operand that is the address. */
static unsigned
address_operand(NornOp op) {
  bool is_store = g_str_has_prefix(norn_ops[op].name, "store");
  return (unsigned)is_store + (space_of(op) == SPACE_BUFFER);
}

static unsigned
operand_count(const FuzzForm *row) {
  if (row->op == NORN_OP_COLLECT)
    return norn_type_words(row->source_type);
  if (row->op == NORN_OP_VEC)
    return norn_types[row->type].lanes;
  return norn_operand_arity(row->op).fixed;
}

static unsigned
result_count(const FuzzForm *row) {
  return row->op == NORN_OP_SPLIT ? norn_type_words(row->source_type)
                                  : norn_result_arity(row->op).fixed;
}

static bool
is_value(const FuzzForm *row, unsigned k) {
  NornSignatureCursor cursor = norn_operand_cursor(row->op, row->type, row->source_type);
  norn_cursor_skip(&cursor, k);
  return norn_cursor_kind(&cursor) == NORN_LETTER_VALUE;
}

/* The values that an immediate operand is tried with. */
static unsigned
immediate_operand(const FuzzForm *row, uint64_t random) {
  switch (row->op) {
  case NORN_OP_FCLASS:
    return random % 1024;
  case NORN_OP_SWIZZLE:
    return random % 0x4000;
  case NORN_OP_EXTRACT:
    return random % norn_types[row->source_type].lanes;
  case NORN_OP_INSERT:
    return random % norn_types[row->type].lanes;
  case NORN_OP_BROADCAST:
    return random % 16;
  case NORN_OP_QUAD_BROADCAST:
    return random % 4;
  case NORN_OP_IREDUCE:
  case NORN_OP_FREDUCE:
    return 2u << random % 4;
  default:
    return random % 8;
  }
}

static void
append_load(GString *text, NornType type, const char *name, unsigned offset) {
  unsigned words = norn_type_words(type);
  if (type == NORN_TYPE_I1) {
    g_string_append_printf(text,
                           "  %%%sw = load.global.i32 %%from, offset:%u\n"
                           "  %%%sb = and.i32 %%%sw, 1\n  %%%s = icmp.ne.i32 %%%sb, 0\n",
                           name, offset, name, name, name, name);
  } else if (words <= 4) {
    g_string_append_printf(text, "  %%%s = load.global.%s %%from, offset:%u\n", name,
                           norn_types[type].name, offset);
  } else {
    for (unsigned k = 0; k < words; k++)
      g_string_append_printf(text, "  %%%s_%u = load.global.i32 %%from, offset:%u\n", name, k,
                             offset + 4 * k);
    g_string_append_printf(text, "  %%%s = collect.i32.%s", name, norn_types[type].name);
    for (unsigned k = 0; k < words; k++)
      g_string_append_printf(text, "%s%%%s_%u", k ? ", " : " ", name, k);
    g_string_append_c(text, '\n');
  }
}

static void
append_store(GString *text, NornType type, unsigned result) {
  unsigned words = norn_type_words(type), offset = 8 * result;
  if (type == NORN_TYPE_I1) {
    g_string_append_printf(text,
                           "  %%s%u = zext.i32.i1 %%r%u\n"
                           "  store.global.i32 %%s%u, %%to, offset:%u\n",
                           result, result, result, offset);
  } else if (words <= 4) {
    g_string_append_printf(text, "  store.global.%s %%r%u, %%to, offset:%u\n",
                           norn_types[type].name, result, offset);
  } else {
    for (unsigned k = 0; k < words; k++)
      g_string_append_printf(text, "%s%%s%u", k ? ", " : "  ", k);
    g_string_append_printf(text, " = split.i32.%s %%r%u\n", norn_types[type].name, result);
    for (unsigned k = 0; k < words; k++)
      g_string_append_printf(text, "  store.global.i32 %%s%u, %%to, offset:%u\n", k, 4 * k);
  }
}

/* Copies the invocation's memory to or from workgroup or thread-local memory. */
static void
append_copy(GString *text, Space space, bool is_back) {
  const char *local = space == SPACE_SHARED ? "shared" : "scratch";
  for (unsigned k = 0; k < MEMORY_BYTES / 16; k++)
    if (is_back)
      g_string_append_printf(text,
                             "  %%after%u = load.%s.w4 %%local, offset:%u\n"
                             "  store.global.w4 %%after%u, %%piece, offset:%u\n",
                             k, local, 16 * k, k, 16 * k);
    else
      g_string_append_printf(text,
                             "  %%before%u = load.global.w4 %%piece, offset:%u\n"
                             "  store.%s.w4 %%before%u, %%local, offset:%u\n",
                             k, 16 * k, local, k, 16 * k);
}

static uint64_t
corner(NornType type, uint64_t random) {
  static const uint64_t ints[] = {0, 1, 2, 3, 7, UINT64_MAX, UINT64_MAX - 1, 0x80, 0x7F};
  static const uint32_t halves[] = {0,      0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00,
                                    0x0001, 0x8001, 0x0400, 0x03FF, 0x7BFF, 0xFBFF, 0x3800,
                                    0x4000, 0x7D01, 0x5BFF, 0xFE55, 0x4248, 0x4900};
  static const uint32_t singles[] = {
      0,          0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
      0x00000001, 0x80000001, 0x00800000, 0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F000000,
      0x40000000, 0x7F800001, 0x477FF000, 0x47800000, 0x4B000001, 0x4F000000, 0xCF000000,
      0x4F7FFFFF, 0xFFC12345, 0x40490FDB, 0x5F000000, 0xDF000000, 0x5F7FFFFF, 0x33800000};
  unsigned width = norn_types[type].lane_bits;
  uint64_t bits = random >> 8, mask = norn_type_mask(type);
  unsigned kind = random & 7;
  if (norn_types[type].class == NORN_CLASS_FLOAT && width <= 32) {
    if (kind < 3)
      return bits & mask;
    bool is_half = width == 16;
    uint64_t lane =
        is_half ? halves[bits % G_N_ELEMENTS(halves)] : singles[bits % G_N_ELEMENTS(singles)];
    if (kind == 3) /* of a common magnitude */
      lane = is_half ? (bits & 0x87FF) | 0x3800 : (bits & 0x81FFFFFF) | 0x3E000000;
    if (norn_types[type].lanes == 2)
      lane |= (uint64_t)halves[(bits >> 20) % G_N_ELEMENTS(halves)] << 16;
    return lane;
  }
  if (kind < 2)
    return bits & mask;
  if (kind < 4) /* few bits */
    return bits & mask & (bits >> 9) & (bits >> 19) & (bits >> 33);
  if (kind == 4)
    return (bits & mask) >> bits % width;
  uint64_t lane = ints[bits % G_N_ELEMENTS(ints)], value = 0;
  if (kind == 5)
    lane = UINT64_C(1) << (bits >> 5) % width;
  if (kind == 6)
    lane = (UINT64_C(1) << (width - 1)) - (bits >> 5) % 3;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    value |= (width >= 64 ? lane : lane & ((UINT64_C(1) << width) - 1)) << k * width % 64;
  return value & mask;
}

static void
append_operand(GString *text, const FuzzForm *row, const Variant *variant, unsigned k,
               uint64_t constant) {
  NornType type = fuzz_form_operand_type(row, k);
  uint64_t bits = constant;
  if (fuzz_form_is_immediate(row, k))
    g_string_append_printf(text, "%u", immediate_operand(row, bits));
  else if (variant->constant == (int)k) {
    if (type == NORN_TYPE_I1)
      g_string_append(text, bits & 1 ? "true" : "false");
    else
      g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "X", bits);
  } else if (variant->uniform == (int)k)
    g_string_append(text, "fau.c");
  else
    g_string_append_printf(text, "%%a%u", k);
}

/* Whether the operand can have that form. */
static bool
may_be_constant(const FuzzForm *row, unsigned k) {
  NornType type = fuzz_form_operand_type(row, k);
  return is_value(row, k) && norn_types[type].class != NORN_CLASS_GROUP && type != NORN_TYPE_VOID &&
         (space_of(row->op) == SPACE_NONE || k != address_operand(row->op));
}

static void
append_operands(GString *text, const FuzzForm *row, const Variant *variant, uint64_t constant) {
  Space space = space_of(row->op);
  for (unsigned k = 0; k < operand_count(row); k++) {
    g_string_append(text, k ? ", " : " ");
    if (fuzz_form_is_handle(row, k))
      g_string_append(text, "fau.handle");
    else if (space != SPACE_NONE && k == address_operand(row->op))
      g_string_append(text, space == SPACE_GLOBAL ? "%piece" : "%local");
    else
      append_operand(text, row, variant, k, constant);
  }
  if (norn_ops[row->op].flags & NORN_OP_HAS_OFFSET)
    g_string_append(text, ", offset:16");
}

static char *
kernel(const FuzzForm *row, const Variant *variant, uint64_t constant) {
  GString *text = g_string_new(NULL);
  Space space = space_of(row->op);
  g_string_append_printf(text,
                         "shader compute @row workgroup(16, 1, 1)%s%s {\n"
                         "  fau in: i64 @ 0, out: i64 @ 2, mem: i64 @ 4, handle: i32 @ 6",
                         space == SPACE_SHARED    ? " shared(1024)"
                         : space == SPACE_SCRATCH ? " scratch(64)"
                                                  : "",
                         variant->flushes ? " denormals(flush)" : "");
  if (variant->uniform >= 0)
    g_string_append_printf(
        text, ", c: %s @ 8",
        norn_types[fuzz_form_operand_type(row, (unsigned)variant->uniform)].name);
  g_string_append(text, "\nentry:\n  %id = global_id.x\n"
                        "  %from = shladd.u32.i64 fau.in, %id, 7\n"
                        "  %to = shladd.u32.i64 fau.out, %id, 6\n"
                        "  %piece = shladd.u32.i64 fau.mem, %id, 6\n");
  if (space == SPACE_SHARED)
    g_string_append(text, "  %lid = local_id.x\n  %local = shl.i32 %lid, 6\n");
  if (space == SPACE_SCRATCH)
    g_string_append(text, "  %local = and.i32 %id, 0\n");
  if (space == SPACE_BUFFER)
    g_string_append(text, "  %local = shl.i32 %id, 6\n");
  if (space == SPACE_SHARED || space == SPACE_SCRATCH)
    append_copy(text, space, false);
  for (unsigned k = 0; k < operand_count(row); k++) {
    char name[8];
    g_snprintf(name, sizeof name, "a%u", k);
    if (fuzz_form_operand_type(row, k) != NORN_TYPE_VOID && is_value(row, k))
      append_load(text, fuzz_form_operand_type(row, k), name, 32 * k % IN_BYTES);
  }
  if (variant->is_partial)
    g_string_append(text, "  %word = load.global.i32 %from, offset:124\n"
                          "  %bit = and.i32 %word, 3\n  %some = icmp.ne.i32 %bit, 0\n"
                          "  br %some, part, done\npart:\n");
  g_string_append(text, "  ");
  for (unsigned k = 0; k < result_count(row); k++)
    g_string_append_printf(text, "%s%%r%u", k ? ", " : "", k);
  char *name = fuzz_form_text(row);
  g_string_append_printf(text, "%s%s", result_count(row) ? " = " : "", name);
  g_free(name);
  append_operands(text, row, variant, constant);
  g_string_append_c(text, '\n');
  for (unsigned k = 0; k < result_count(row); k++)
    append_store(text, fuzz_form_result_type(row, k), k);
  if (variant->is_partial)
    g_string_append(text, "  jump done\ndone:\n");
  if (space == SPACE_SHARED || space == SPACE_SCRATCH)
    append_copy(text, space, true);
  g_string_append(text, "  end\n}\n");
  return g_string_free(text, FALSE);
}

/* --- Running --- */

typedef struct Data {
  uint8_t in[COUNT * IN_BYTES], out[COUNT * OUT_BYTES], memory[COUNT * MEMORY_BYTES];
  uint64_t uniform, constant;
} Data;

static void
fill(Data *data, const FuzzForm *row, uint64_t *random) {
  memset(data, 0, sizeof *data);
  for (unsigned i = 0; i < COUNT * MEMORY_BYTES / 8; i++) {
    uint64_t bits = norn_random_next(random);
    memcpy(data->memory + 8 * i, &bits, 8);
  }
  for (unsigned i = 0; i < COUNT; i++) {
    uint8_t *in = data->in + IN_BYTES * i;
    for (unsigned k = 0; k < IN_BYTES / 8; k++) {
      uint64_t bits = norn_random_next(random);
      memcpy(in + 8 * k, &bits, 8);
    }
    for (unsigned k = 0; k < operand_count(row) && k < 4; k++) {
      NornType type = fuzz_form_operand_type(row, k);
      if (type == NORN_TYPE_VOID || norn_type_bits(type) > 64)
        continue;
      uint64_t bits = corner(type, norn_random_next(random));
      memcpy(in + 32 * k, &bits, 8);
      /* Values for comparisons of equals, and for atomics that find the value they look for. */
      if (k && type == fuzz_form_operand_type(row, k - 1) && norn_random_next(random) % 8 == 0)
        memcpy(in + 32 * k, in + 32 * (k - 1), 8);
    }
    if (g_str_has_prefix(norn_ops[row->op].name, "cmpxchg") && i % 2)
      memcpy(in + 32 * (address_operand(row->op) + 1), data->memory + MEMORY_BYTES * i + 16, 8);
  }
  data->uniform = norn_random_next(random);
}

/* The architecture that is currently tested; a test runs in one thread. */
static const char *architecture;

static bool
run(const NornModule *module, GBytes *code, const NornCompileInfo *info, Data *data,
    GError **error) {
  NornMemory *memory = norn_memory_new();
  bool done =
      norn_memory_add(memory, "in", 0, data->in, sizeof data->in, error) &&
      norn_memory_add(memory, "out", 0, data->out, sizeof data->out, error) &&
      norn_memory_add(memory, "memory", 0x40000000, data->memory, BUFFER_BYTES, error) &&
      norn_memory_add(memory, "rest", 0x40000000 + BUFFER_BYTES, data->memory + BUFFER_BYTES,
                      sizeof data->memory - BUFFER_BYTES, error);
  uint32_t uniforms[NORN_FAU_WORDS] = {
      [6] = HANDLE, [8] = (uint32_t)data->uniform, [9] = (uint32_t)(data->uniform >> 32)};
  for (unsigned k = 0; done && k < 3; k++) {
    uniforms[2 * k] = (uint32_t)norn_memory_address(memory, k);
    uniforms[2 * k + 1] = (uint32_t)(norn_memory_address(memory, k) >> 32);
  }
  NornResource resource = {.handle = HANDLE, .buffer = 2};
  NornLaunch launch = {.memory = memory,
                       .grid = {GROUPS, 1, 1},
                       .workgroup = {16, 1, 1},
                       .uniforms = uniforms,
                       .uniform_count = G_N_ELEMENTS(uniforms),
                       .resources = &resource,
                       .resource_count = 1,
                       .shared_bytes = 1024,
                       .scratch_bytes = 256,
                       .info = info};
  if (code)
    norn_launch_fill_uniforms(&launch, info, uniforms);
  done = done && (code ? norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code),
                                               architecture, &launch, NULL, error)
                       : norn_interpret(module, &launch, NULL, error));
  if (done) {
    memcpy(data->out, norn_memory_bytes(memory, 1, NULL), sizeof data->out);
    memcpy(data->memory, norn_memory_bytes(memory, 2, NULL), BUFFER_BYTES);
    memcpy(data->memory + BUFFER_BYTES, norn_memory_bytes(memory, 3, NULL),
           sizeof data->memory - BUFFER_BYTES);
  }
  norn_memory_free(memory);
  return done;
}

/* --- Accuracy --- */

static double
as_double(uint64_t bits, unsigned width) {
  if (width == 32) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, 4);
    return value;
  }
  unsigned exponent = bits >> 10 & 31, mantissa = bits & 0x3FF;
  double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? ldexp(1024 + mantissa, (int)exponent - 25)
                                : ldexp(mantissa, -24);
  return bits & 0x8000 ? -value : value;
}

/* The number of floats of the type between two floats. */
static double
distance(uint64_t a, uint64_t b, unsigned width) {
  int64_t sign = INT64_C(1) << (width - 1);
  int64_t x = (int64_t)a & (sign - 1), y = (int64_t)b & (sign - 1);
  x = (int64_t)a & sign ? -x : x;
  y = (int64_t)b & sign ? -y : y;
  return (double)(x > y ? x - y : y - x);
}

static bool
is_subnormal(uint64_t bits, unsigned width) {
  double min = width == 32 ? 0x1p-126 : 0x1p-14;
  return fabs(as_double(bits, width)) < min && as_double(bits, width) != 0;
}

/* Whether `found` is as close to `expected` as the row promises. */
static bool
is_near(const FuzzForm *row, unsigned width, uint64_t a, uint64_t b, uint64_t expected,
        uint64_t found) {
  double x = as_double(a, width), y = as_double(b, width);
  double wanted = as_double(expected, width), got = as_double(found, width), places;
  bool is_single = width == 32;
  if (expected == found)
    return true;
  switch (row->op) {
  case NORN_OP_FDIV:
    if (is_single && !(fabs(y) >= 0x1p-126 && fabs(y) <= 0x1p126))
      return true;
    places = 2.5;
    break;
  case NORN_OP_FRCP:
    if (is_single && (is_subnormal(a, width) || (is_subnormal(expected, width) && got == 0)))
      return is_subnormal(a, width) ? isinf(got) && signbit(got) == signbit(x) : true;
    places = 1;
    break;
  case NORN_OP_FSQRT:
  case NORN_OP_FRSQ:
  case NORN_OP_FLOG2:
    if (is_single && is_subnormal(a, width) &&
        got == (row->op == NORN_OP_FSQRT  ? x * 0
                : row->op == NORN_OP_FRSQ ? copysign(INFINITY, x)
                                          : -INFINITY))
      return true;
    places = row->op == NORN_OP_FRSQ ? 2 : 3;
    if (row->op == NORN_OP_FLOG2 && x >= 0.5 && x <= 2 && fabs(got - wanted) <= 0x1p-21)
      return true;
    break;
  case NORN_OP_FEXP2:
    if (is_subnormal(expected, width) && found == 0)
      return true;
    places = 3 + 2 * fabs(x);
    break;
  case NORN_OP_FPOW:
    if (is_single && is_subnormal(a, width))
      return true;
    if (is_subnormal(expected, width) && got == 0)
      return true;
    places = 16 + fabs(y * log2(x));
    break;
  case NORN_OP_FSIN:
  case NORN_OP_FCOS:
    if (!(fabs(x) <= G_PI))
      return isnan(got) == isnan(wanted);
    return fabs(got - wanted) <= 0x1p-11;
  default:
    return false;
  }
  if (isnan(wanted) || isnan(got))
    return isnan(wanted) && isnan(got);
  return distance(expected, found, width) <= places + 1;
}

static bool
is_right(const FuzzForm *row, const Variant *variant, const Data *inputs, unsigned invocation,
         const uint8_t *expected, const uint8_t *found) {
  if (memcmp(expected, found, OUT_BYTES) == 0)
    return true;
  if (row->op < NORN_OP_FADD || row->op > NORN_OP_FFREXP || norn_types[row->type].lane_bits > 32)
    return false;
  unsigned width = norn_types[row->type].lane_bits;
  uint64_t mask = (UINT64_C(1) << width) - 1, operands[2], words[2];
  for (unsigned k = 0; k < 2; k++)
    memcpy(&operands[k], inputs->in + IN_BYTES * invocation + 32 * k, 8);
  if (variant->constant >= 0 && variant->constant < 2)
    operands[variant->constant] = inputs->constant;
  if (variant->uniform >= 0 && variant->uniform < 2)
    operands[variant->uniform] = inputs->uniform;
  memcpy(&words[0], expected, 8);
  memcpy(&words[1], found, 8);
  for (unsigned k = 0; k < norn_types[row->type].lanes; k++) {
    unsigned shift = k * width;
    if (!is_near(row, width, operands[0] >> shift & mask, operands[1] >> shift & mask,
                 words[0] >> shift & mask, words[1] >> shift & mask))
      return false;
  }
  return true;
}

/* --- The sweep --- */

typedef struct Sweep {
  GString *refused, *failures;
  uint64_t random;
  unsigned every, count, rows, kernels, failed;
} Sweep;

static void note_failure(Sweep *sweep, const char *text, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void
note_failure(Sweep *sweep, const char *text, const char *format, ...) {
  va_list arguments;
  if (sweep->failed++ >= 40)
    return;
  va_start(arguments, format);
  g_string_append_printf(sweep->failures, "v%s: ", architecture);
  g_string_append_vprintf(sweep->failures, format, arguments);
  va_end(arguments);
  g_string_append_c(sweep->failures, '\n');
  if (g_getenv("NORN_TEST_VERBOSE"))
    g_string_append(sweep->failures, text);
}

static unsigned
line_of(const char *text, const char *name) {
  char *place = g_strrstr(text, name);
  unsigned line = 1;
  for (const char *at = text; at < place; at++)
    line += *at == '\n';
  return line;
}

/* Whether the error has the location and the operation: "row:LINE:3: valhall does not support
 * 'NAME'". */
static bool
is_refusal(const char *message, const char *text, const char *name) {
  char *expected =
      g_strdup_printf("row:%u:3: valhall does not support '%s'", line_of(text, name), name);
  bool is_one = g_str_has_prefix(message, expected);
  g_free(expected);
  return is_one;
}

/* Compiles and runs the kernel at one level; false if it was refused. */
static bool
check_kernel(Sweep *sweep, const FuzzForm *row, const Variant *variant, const char *text,
             const Data *inputs, const Data *expected, unsigned level) {
  GError *error = NULL;
  char *name = fuzz_form_text(row);
  Data *found = g_memdup2(inputs, sizeof *inputs);
  NornModule *module = norn_module_parse(text, strlen(text), "row", &error);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.optimization_level = level;
  options.effort = 2;
  options.architecture = architecture;
  NornCompileInfo info;
  GBytes *code = norn_compile(module, &options, &info, &error);
  bool compiles = code != NULL;
  sweep->kernels++;
  if (!compiles) {
    if (!is_refusal(error->message, text, name)) {
      note_failure(sweep, text, "%s at -O%u: %s", name, level, error->message);
      compiles = true;
    }
  } else if (!run(NULL, code, &info, found, &error)) {
    note_failure(sweep, text, "%s at -O%u (operand %d constant, %d uniform%s): %s", name, level,
                 variant->constant, variant->uniform, variant->is_partial ? ", some lanes" : "",
                 error->message);
  } else {
    for (unsigned i = 0; i < COUNT; i++) {
      const uint8_t *out = expected->out + OUT_BYTES * i, *got = found->out + OUT_BYTES * i;
      const uint8_t *memory = expected->memory + MEMORY_BYTES * i;
      bool is_same = memcmp(memory, found->memory + MEMORY_BYTES * i, MEMORY_BYTES) == 0;
      if (is_same && is_right(row, variant, inputs, i, out, got))
        continue;
      const uint64_t *a = (const void *)(inputs->in + IN_BYTES * i);
      const uint64_t *x = (const void *)out, *y = (const void *)got;
      note_failure(sweep, text,
                   "%s at -O%u%s (operand %d constant, %d uniform 0x%" G_GINT64_MODIFIER
                   "x%s): invocation %u, 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER
                   "x 0x%" G_GINT64_MODIFIER "x: 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER
                   "x, not 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER "x%s",
                   name, level, variant->flushes ? " flushing" : "", variant->constant,
                   variant->uniform, inputs->uniform, variant->is_partial ? ", some lanes" : "", i,
                   a[0], a[4], a[8], y[0], y[1], x[0], x[1], is_same ? "" : "; memory differs");
      break;
    }
  }
  g_clear_error(&error);
  if (code)
    g_bytes_unref(code);
  norn_module_free(module);
  g_free(found);
  g_free(name);
  return compiles;
}

static bool
check_variant(Sweep *sweep, const FuzzForm *row, const Variant *variant, bool all_levels) {
  GError *error = NULL;
  Data inputs, expected;
  fill(&inputs, row, &sweep->random);
  inputs.constant = norn_random_next(&sweep->random);
  if (variant->constant >= 0)
    inputs.constant =
        corner(fuzz_form_operand_type(row, (unsigned)variant->constant), inputs.constant);
  char *text = kernel(row, variant, inputs.constant);
  expected = inputs;
  bool compiles = true;
  NornModule *module = norn_module_parse(text, strlen(text), "row", &error);
  if (!module || !run(module, NULL, NULL, &expected, &error)) {
    note_failure(sweep, text, "interpreter: %s\n%s", error->message, text);
    g_error_free(error);
  } else {
    unsigned only = (unsigned)(norn_random_next(&sweep->random) % LEVELS);
    for (unsigned level = 0; level < LEVELS; level++)
      if (all_levels || level == only)
        compiles = check_kernel(sweep, row, variant, text, &inputs, &expected, level) && compiles;
  }
  if (module)
    norn_module_free(module);
  g_free(text);
  return compiles;
}

static void
check_row(const FuzzForm *row, gpointer user_data) {
  Sweep *sweep = user_data;
  const char *only = g_getenv("NORN_TEST_ROW");
  char *name = fuzz_form_text(row);
  Variant plain = {-1, -1, false, false};
  bool is_convergent = norn_ops[row->op].flags & NORN_OP_CONVERGENT;
  if ((only && !strstr(name, only)) || sweep->count++ % sweep->every) {
    g_free(name);
    return;
  }
  sweep->rows++;
  if (!check_variant(sweep, row, &plain, true)) {
    g_string_append_printf(sweep->refused, "%s\n", name);
    g_free(name);
    return;
  }
  for (unsigned k = 0; k < operand_count(row) && k < 4; k++) {
    if (!may_be_constant(row, k))
      continue;
    check_variant(sweep, row, &(Variant){(int)k, -1, false, false}, false);
    if (fuzz_form_operand_type(row, k) != NORN_TYPE_I1)
      check_variant(sweep, row, &(Variant){-1, (int)k, false, false}, false);
  }
  if (is_convergent && row->op != NORN_OP_BARRIER)
    check_variant(sweep, row, &(Variant){-1, -1, true, false}, true);
  if (norn_types[row->type].class == NORN_CLASS_FLOAT ||
      norn_types[row->source_type].class == NORN_CLASS_FLOAT)
    check_variant(sweep, row, &(Variant){-1, -1, false, true}, false);
  g_free(name);
}

/* The refused rows must be those in the list. */
static void
check_refused(Sweep *sweep) {
  char *expected = NULL;
  GError *error = NULL;
  char *path = g_build_filename(NORN_TEST_DIR, "rows", "valhall-refused.txt", NULL);
  if (g_getenv("NORN_TEST_BLESS"))
    ck_assert(g_file_set_contents(path, sweep->refused->str, -1, &error));
  ck_assert_msg(g_file_get_contents(path, &expected, NULL, &error), "%s: %s", path,
                error ? error->message : "");
  char **was = g_strsplit(expected, "\n", -1), **is = g_strsplit(sweep->refused->str, "\n", -1);
  for (unsigned k = 0; was[k]; k++)
    if (*was[k] && !g_strv_contains((const char *const *)is, was[k]))
      note_failure(sweep, "", "%s compiles now: take it off %s", was[k], path);
  for (unsigned k = 0; is[k]; k++)
    if (*is[k] && !g_strv_contains((const char *const *)was, is[k]))
      note_failure(sweep, "", "%s is refused", is[k]);
  g_strfreev(was);
  g_strfreev(is);
  g_free(expected);
  g_free(path);
}

/* All architectures refuse what one of them refuses. Later ones have fewer instructions; part of
 * the rows suffices to test them. */
START_TEST(rows) {
  static const struct {
    const char *name;
    unsigned every;
  } architectures[] = {{"9", 1}, {"10", 16}, {"11", 16}, {"12", 16}, {"13", 16}, {"14", 5}};
  const char *only = g_getenv("NORN_TEST_ARCH"), *seed = g_getenv("NORN_TEST_SEED");
  bool is_quick = g_getenv("NORN_TEST_QUICK");
  architecture = only ? only : architectures[_i].name;
  Sweep sweep = {.refused = g_string_new(NULL),
                 .failures = g_string_new(NULL),
                 .random =
                     UINT64_C(88172645463325252) + (seed ? g_ascii_strtoull(seed, NULL, 0) : 0),
                 .every = architectures[_i].every * (is_quick ? 80 : NORN_TEST_STRIDE)};
  for_each_row(check_row, &sweep);
  ck_assert_msg(sweep.rows, "no row has '%s' in its name", g_getenv("NORN_TEST_ROW"));
  if (sweep.every == 1 && !g_getenv("NORN_TEST_ROW"))
    check_refused(&sweep);
  if (sweep.failed)
    fprintf(stderr, "%s", sweep.failures->str);
  unsigned failed = sweep.failed;
  if (g_getenv("NORN_TEST_VERBOSE"))
    fprintf(stderr, "%u rows, %u kernels\n", sweep.rows, sweep.kernels);
  g_string_free(sweep.refused, TRUE);
  g_string_free(sweep.failures, TRUE);
  ck_assert_msg(failed == 0, "%u failures", failed);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("compile_rows");
  TCase *tcase = tcase_create("rows");
  tcase_set_timeout(tcase, 300);
  tcase_add_loop_test(tcase, rows, 0, 6);
  suite_add_tcase(suite, tcase);
  return suite;
}
