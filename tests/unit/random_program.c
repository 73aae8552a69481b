/* See random_program.h. The generator keeps the list of values that dominate the current
 * position. An operand is usually a recent value and occasionally any other, which determines
 * the register pressure. */
#include "random_program.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include <norn/module.h>

/* Kinds of memory, and the number of addresses of each that the program starts with. */
typedef enum { GLOBAL, BUFFER, SHARED, SCRATCH, SPACES } Space;
#define BASES 3

typedef struct Generator {
  GRand *random;
  const RandomProgram *shape;
  NornModule *module;
  NornFunction *function;
  GArray *values; /* uint32_t: all values that may be used */
  uint32_t block;
  int budget;
  NornRef bases[SPACES][BASES];
} Generator;

static const NornType TYPES[] = {NORN_TYPE_I32, NORN_TYPE_I64, NORN_TYPE_W2, NORN_TYPE_W3,
                                 NORN_TYPE_W4,  NORN_TYPE_W5,  NORN_TYPE_W8};

static unsigned
pick(Generator *generator, unsigned count) {
  return (unsigned)g_rand_int_range(generator->random, 0, (int)count);
}

static NornType
pick_type(Generator *generator) {
  if (!generator->shape->groups)
    return pick(generator, 4) ? NORN_TYPE_I32 : NORN_TYPE_I64;
  return pick(generator, 3) ? TYPES[pick(generator, 2)] : TYPES[pick(generator, 5)];
}

static uint32_t
emit(Generator *generator, NornOp op, NornType type, NornType source_type, const NornRef *operands,
     unsigned count) {
  NornBuilder builder = norn_builder_at_end(generator->function, generator->block);
  norn_build_op(&builder, op, 0, type, source_type, operands, count);
  generator->budget--;
  return norn_builder_last(&builder);
}

static void
offer(Generator *generator, uint32_t value) {
  g_array_append_val(generator->values, value);
}

static NornRef
make(Generator *generator, NornOp op, NornType type, NornType source_type, const NornRef *operands,
     unsigned count) {
  NornType result = op == NORN_OP_COLLECT ? source_type : type;
  uint32_t inst = emit(generator, op, type, source_type, operands, count);
  NornRef ref = norn_result(generator->function, inst, 0);
  if (norn_type_words(result) <= 4) /* wider groups are created for a single use, as for textures */
    offer(generator, norn_ref_payload(ref));
  return ref;
}

static NornRef find_operand(Generator *generator, NornType type, unsigned depth);

/* Computes a value of the type from other values. */
static NornRef
make_value(Generator *generator, NornType type, unsigned depth) {
  NornRef words[8];
  unsigned count = norn_type_words(type);
  if (type == NORN_TYPE_I32 || type == NORN_TYPE_I64) {
    words[0] = find_operand(generator, type, depth + 1);
    words[1] = find_operand(generator, type, depth + 1);
    return make(generator, pick(generator, 2) ? NORN_OP_IADD : NORN_OP_XOR, type, NORN_TYPE_VOID,
                words, 2);
  }
  for (unsigned k = 0; k < count; k++)
    words[k] = find_operand(generator, NORN_TYPE_I32, depth + 1);
  return make(generator, NORN_OP_COLLECT, NORN_TYPE_I32, type, words, count);
}

static NornRef
find_operand(Generator *generator, NornType type, unsigned depth) {
  unsigned len = generator->values->len;
  unsigned wanted = pick(generator, 8) ? generator->shape->pressure : len;
  unsigned window = MIN(len, wanted);
  for (unsigned tries = 0; tries < 12 && window; tries++) {
    unsigned back = 1 + pick(generator, window);
    uint32_t value = g_array_index(generator->values, uint32_t, len - back);
    if (norn_value(generator->function, value)->type == type)
      return norn_ref(NORN_REF_VALUE, value);
  }
  if (depth > 3 || !pick(generator, 4)) {
    if (type == NORN_TYPE_I32 || type == NORN_TYPE_I64)
      return norn_constant(generator->module, pick(generator, 100));
  }
  return make_value(generator, type, depth);
}

static NornRef
find_value(Generator *generator, NornType type) {
  NornRef ref = find_operand(generator, type, 0);
  if (norn_ref_kind(ref) == NORN_REF_VALUE)
    return ref;
  return make(generator, NORN_OP_COPY, type, NORN_TYPE_VOID, &ref, 1);
}

/* A truth value for a branch, with no other use. */
static NornRef
make_condition(Generator *generator) {
  NornRef words[2];
  for (unsigned k = 0; k < 2; k++)
    words[k] = find_operand(generator, NORN_TYPE_I32, 0);
  uint32_t inst = emit(generator, NORN_OP_ICMP, NORN_TYPE_I32, NORN_TYPE_VOID, words, 2);
  norn_inst(generator->function, inst)->modifier = (uint8_t)pick(generator, 4);
  return norn_result(generator->function, inst, 0);
}

static NornRef
combine(Generator *generator, NornOp op, NornType type, NornRef a, uint64_t constant) {
  NornRef operands[2] = {a, norn_constant(generator->module, constant)};
  uint32_t inst = emit(generator, op, type, NORN_TYPE_VOID, operands, 2);
  return norn_result(generator->function, inst, 0);
}

static NornRef
find_address(Generator *generator) {
  NornRef ref = find_value(generator, NORN_TYPE_I64);
  if (!generator->shape->executable)
    return ref;
  ref = combine(generator, NORN_OP_AND, NORN_TYPE_I64, ref, (RANDOM_PROGRAM_MEMORY - 1) & ~15);
  return combine(generator, NORN_OP_IADD, NORN_TYPE_I64, ref, RANDOM_PROGRAM_ADDRESS);
}

static void
split_group(Generator *generator) {
  NornType type = TYPES[1 + pick(generator, 6)];
  if (type == NORN_TYPE_I64)
    type = NORN_TYPE_W2;
  NornRef group = find_value(generator, type);
  unsigned count = norn_type_words(type);
  uint32_t inst = emit(generator, NORN_OP_SPLIT, NORN_TYPE_I32, type, &group, 1);
  for (unsigned k = 0; k < count; k++)
    if (pick(generator, 4))
      offer(generator, norn_ref_payload(norn_result(generator->function, inst, k)));
}

/* Memory accesses have at most four words. */
static NornType
memory_type(NornType type) {
  return norn_type_words(type) > 4 ? NORN_TYPE_W4 : type;
}

static void
store_value(Generator *generator, NornType type) {
  type = memory_type(type);
  NornRef operands[2] = {find_value(generator, type), find_address(generator)};
  emit(generator, NORN_OP_STORE_GLOBAL, type, NORN_TYPE_VOID, operands, 2);
}

/* --- accesses to the same bytes ------------------------------------------------------------------
 *
 * An address is a multiple of 16 up to 48 after the start of a window of its space, known only when
 * the program runs; offsets lead up to 32 bytes back and on. Windows of buffers and of global
 * memory are the same. */

typedef struct Operations {
  NornOp load, uload, sload, store, atomic, increment, exchange;
} Operations;

#define OPERATIONS(space)                                                                          \
  {                                                                                                \
    NORN_OP_LOAD_##space, NORN_OP_ULOAD_##space, NORN_OP_SLOAD_##space, NORN_OP_STORE_##space,     \
        NORN_OP_ATOMIC_##space, NORN_OP_ATOMIC_INC_##space, NORN_OP_CMPXCHG_##space                \
  }
static const Operations OF_SPACE[SPACES] = {
    [GLOBAL] = OPERATIONS(GLOBAL),
    [BUFFER] = OPERATIONS(BUFFER),
    [SHARED] = OPERATIONS(SHARED),
    [SCRATCH] = {NORN_OP_LOAD_SCRATCH, NORN_OP_ULOAD_SCRATCH, NORN_OP_SLOAD_SCRATCH,
                 NORN_OP_STORE_SCRATCH},
};

static NornRef
make_base(Generator *generator, Space space) {
  NornType type = space == GLOBAL ? NORN_TYPE_I64 : NORN_TYPE_I32;
  uint64_t window = space == GLOBAL ? RANDOM_PROGRAM_ADDRESS + 256 : space == BUFFER ? 256 : 64;
  NornRef ref = combine(generator, NORN_OP_AND, type, find_value(generator, type), 48);
  return combine(generator, NORN_OP_IADD, type, ref, window);
}

/* The operands of an access except for the values: handle and address; *offset is the rest. */
static unsigned
find_place(Generator *generator, Space space, unsigned alignment, NornRef *operands,
           int64_t *offset) {
  NornType type = space == GLOBAL ? NORN_TYPE_I64 : NORN_TYPE_I32;
  unsigned count = 0;
  NornRef base = pick(generator, 6) ? generator->bases[space][pick(generator, BASES)]
                                    : make_base(generator, space);
  *offset = ((int64_t)pick(generator, 64 / alignment) - 32 / (int)alignment) * alignment;
  if (!pick(generator, 4)) {
    int64_t change = 4 * ((int64_t)pick(generator, 16) - 8);
    base = combine(generator, NORN_OP_IADD, type, base, (uint64_t)change & norn_type_mask(type));
    *offset -= change;
  } else if (space != GLOBAL && !pick(generator, 8)) {
    base = combine(generator, NORN_OP_IADD, type, base, 0x80000000);
    *offset += *offset < 0 ? INT64_C(0x80000000) : -INT64_C(0x80000000);
  }
  if (space == BUFFER)
    operands[count++] =
        norn_constant(generator->module, RANDOM_PROGRAM_HANDLES[pick(generator, 2)]);
  operands[count++] = base;
  return count;
}

/* An access with these operands; its result, if any, may be used. */
static void
make_access(Generator *generator, NornOp op, NornType type, NornType source_type,
            const NornRef *operands, unsigned count, int64_t offset) {
  bool has_result = norn_ops[op].results[0];
  uint32_t inst = emit(generator, op, type, source_type, operands, count);
  NornInst *self = norn_inst(generator->function, inst);
  self->payload = norn_set_immediate(0, NORN_IMMEDIATE_OFFSET, offset);
  if (norn_ops[op].modifier == NORN_MODIFIER_ATOMIC)
    self->modifier = (uint8_t)pick(generator, NORN_ATOMIC_COUNT);
  if (has_result)
    offer(generator, norn_ref_payload(norn_result(generator->function, inst, 0)));
}

static void
access_load(Generator *generator, Space space, NornType type) {
  static const NornType narrow[] = {NORN_TYPE_I8, NORN_TYPE_I16};
  NornRef operands[2];
  int64_t offset;
  if (pick(generator, 3)) {
    unsigned count = find_place(generator, space, 4, operands, &offset);
    make_access(generator, OF_SPACE[space].load, type, NORN_TYPE_VOID, operands, count, offset);
    return;
  }
  NornType source = narrow[pick(generator, 2)];
  NornOp op = pick(generator, 2) ? OF_SPACE[space].uload : OF_SPACE[space].sload;
  unsigned count = find_place(generator, space, norn_type_bits(source) / 8, operands, &offset);
  make_access(generator, op, NORN_TYPE_I32, source, operands, count, offset);
}

static void
access_store(Generator *generator, Space space, NornType type) {
  static const NornType narrow[] = {NORN_TYPE_I8, NORN_TYPE_I16};
  NornRef operands[3];
  int64_t offset;
  unsigned alignment = 4;
  operands[0] = find_value(generator, type);
  if (type == NORN_TYPE_I32 && pick(generator, 2)) {
    type = narrow[pick(generator, 2)];
    alignment = norn_type_bits(type) / 8;
    uint32_t inst = emit(generator, NORN_OP_TRUNC, type, NORN_TYPE_I32, operands, 1);
    operands[0] = norn_result(generator->function, inst, 0);
  }
  unsigned count = find_place(generator, space, alignment, operands + 1, &offset);
  make_access(generator, OF_SPACE[space].store, type, NORN_TYPE_VOID, operands, 1 + count, offset);
}

static void
access_atomic(Generator *generator, Space space) {
  const Operations *operations = &OF_SPACE[space];
  const NornOp ops[3] = {operations->increment, operations->atomic, operations->exchange};
  NornType type = pick(generator, 3) ? NORN_TYPE_I32 : NORN_TYPE_I64;
  unsigned values = pick(generator, 3), alignment = norn_type_bits(type) / 8;
  NornRef operands[4];
  int64_t offset;
  unsigned count = find_place(generator, space, alignment, operands, &offset);
  if (offset % alignment || space == SCRATCH)
    return;
  for (unsigned k = 0; k < values; k++)
    operands[count + k] = find_value(generator, type);
  make_access(generator, ops[values], type, NORN_TYPE_VOID, operands, count + values, offset);
}

static void
access_statement(Generator *generator) {
  Space space = (Space)pick(generator, SPACES);
  NornType type = memory_type(pick_type(generator));
  unsigned kind = pick(generator, 20);
  if (kind < 9) {
    access_load(generator, space, type);
  } else if (kind < 18) {
    access_store(generator, space, type);
  } else if (kind < 19) {
    access_atomic(generator, space);
  } else {
    NornOp op = pick(generator, 2) ? NORN_OP_FENCE : NORN_OP_BARRIER;
    uint32_t inst = emit(generator, op, NORN_TYPE_VOID, NORN_TYPE_VOID, NULL, 0);
    norn_inst(generator->function, inst)->modifier = (uint8_t)pick(generator, 3);
  }
}

/* The initial contents of thread-local memory are undefined, so all of it is stored first. */
static void
store_scratch(Generator *generator) {
  for (unsigned k = 0; k < generator->module->scratch_size; k += 4) {
    const NornRef operands[2] = {norn_constant(generator->module, 0x01010101 * (k / 4)),
                                 norn_constant(generator->module, k)};
    emit(generator, NORN_OP_STORE_SCRATCH, NORN_TYPE_I32, NORN_TYPE_VOID, operands, 2);
  }
}

/* The start of the program: its addresses, computed from words that it loads. */
static void
begin_memory(Generator *generator) {
  generator->module->shared_size = RANDOM_PROGRAM_SHARED;
  generator->module->scratch_size = 244; /* not a multiple of the size of a piece */
  for (unsigned k = 0; k < 4; k++) {
    NornRef address = norn_constant(generator->module, RANDOM_PROGRAM_ADDRESS + 16 * k);
    make(generator, NORN_OP_LOAD_GLOBAL, k % 2 ? NORN_TYPE_I64 : NORN_TYPE_I32, NORN_TYPE_VOID,
         &address, 1);
  }
  store_scratch(generator);
  for (Space space = 0; space < SPACES; space++)
    for (unsigned k = 0; k < BASES; k++)
      generator->bases[space][k] = make_base(generator, space);
}

/* The end of the program: workgroup and thread-local memory is copied to where it can be
 * observed. */
static void
end_memory(Generator *generator) {
  static const NornType word = NORN_TYPE_I32;
  for (Space space = SHARED; space <= SCRATCH; space++)
    for (unsigned k = 32; k < 160; k += 4) {
      NornRef operands[2] = {norn_constant(generator->module, k)};
      uint32_t inst = emit(generator, OF_SPACE[space].load, word, NORN_TYPE_VOID, operands, 1);
      operands[0] = norn_result(generator->function, inst, 0);
      operands[1] =
          norn_constant(generator->module, RANDOM_PROGRAM_ADDRESS + 512u * (4 + space) + k);
      emit(generator, NORN_OP_STORE_GLOBAL, word, NORN_TYPE_VOID, operands, 2);
    }
}

static void
statement(Generator *generator) {
  NornType type = pick_type(generator);
  NornRef operand;
  if (generator->shape->memory && pick(generator, 4)) {
    access_statement(generator);
    return;
  }
  switch (pick(generator, 8)) {
  case 0:
    store_value(generator, type);
    break;
  case 1:
    operand = find_address(generator);
    make(generator, NORN_OP_LOAD_GLOBAL, memory_type(type), NORN_TYPE_VOID, &operand, 1);
    break;
  case 2:
    if (generator->shape->groups) {
      split_group(generator);
      break;
    }
    /* fall through */
  case 3:
    operand = find_value(generator, type);
    make(generator, NORN_OP_COPY, type, NORN_TYPE_VOID, &operand, 1);
    break;
  default:
    make_value(generator, type, 0);
  }
}

static void
terminate(Generator *generator, NornOp op, const NornRef *operands, unsigned count) {
  emit(generator, op, NORN_TYPE_VOID, NORN_TYPE_VOID, operands, count);
}

/* Jumps to a block with arguments for all of its parameters. */
static void
jump_to(Generator *generator, uint32_t block) {
  NornRef operands[16];
  unsigned count = norn_block(generator->function, block)->parameter_count;
  for (unsigned k = 0; k < count; k++) {
    uint32_t parameter = norn_block_parameter(generator->function, block, k);
    operands[k + 1] = find_operand(generator, norn_value(generator->function, parameter)->type, 0);
  }
  operands[0] = norn_ref(NORN_REF_BLOCK, block);
  terminate(generator, NORN_OP_JUMP, operands, count + 1);
}

static uint32_t
block_with_parameters(Generator *generator) {
  uint32_t block = norn_block_create(generator->function, 0);
  for (unsigned k = pick(generator, 4); k--;)
    norn_block_add_parameter(generator->function, block, pick_type(generator), 0);
  return block;
}

static void
enter(Generator *generator, uint32_t block) {
  generator->block = block;
  for (unsigned k = 0; k < norn_block(generator->function, block)->parameter_count; k++)
    offer(generator, norn_block_parameter(generator->function, block, k));
}

static void region(Generator *generator, unsigned depth);

static void
branch_statement(Generator *generator, unsigned depth) {
  NornFunction *function = generator->function;
  NornRef condition = make_condition(generator);
  uint32_t then_block = norn_block_create(function, 0);
  uint32_t else_block = pick(generator, 2) ? norn_block_create(function, 0) : NORN_INDEX_NONE;
  uint32_t join = block_with_parameters(generator);
  unsigned count = norn_block(function, join)->parameter_count, used = 3;
  NornRef operands[16] = {condition, norn_ref(NORN_REF_BLOCK, then_block)};
  operands[2] = norn_ref(NORN_REF_BLOCK, else_block == NORN_INDEX_NONE ? join : else_block);
  for (unsigned k = 0; k < count && else_block == NORN_INDEX_NONE; k++) {
    NornType type = norn_value(function, norn_block_parameter(function, join, k))->type;
    operands[used++] = find_operand(generator, type, 0);
  }
  terminate(generator, NORN_OP_BR, operands, used);
  unsigned known = generator->values->len;
  generator->block = then_block;
  region(generator, depth + 1);
  jump_to(generator, join);
  g_array_set_size(generator->values, known);
  if (else_block != NORN_INDEX_NONE) {
    generator->block = else_block;
    region(generator, depth + 1);
    jump_to(generator, join);
    g_array_set_size(generator->values, known);
  }
  enter(generator, join);
}

/* The condition for one more iteration: the counter, less one, is not zero, and another
 * condition. */
static NornRef
make_loop_condition(Generator *generator, uint32_t header, NornRef *counter) {
  uint32_t old = norn_block_parameter(generator->function, header, 0);
  *counter = combine(generator, NORN_OP_ISUB, NORN_TYPE_I32, norn_ref(NORN_REF_VALUE, old), 1);
  NornRef operands[2] = {*counter, norn_constant(generator->module, 0)};
  uint32_t inst = emit(generator, NORN_OP_ICMP, NORN_TYPE_I32, NORN_TYPE_VOID, operands, 2);
  norn_inst(generator->function, inst)->modifier = NORN_INT_CONDITION_NE;
  operands[0] = norn_result(generator->function, inst, 0);
  if (pick(generator, 2))
    return operands[0];
  operands[1] = make_condition(generator);
  inst = emit(generator, NORN_OP_AND, NORN_TYPE_I1, NORN_TYPE_VOID, operands, 2);
  return norn_result(generator->function, inst, 0);
}

/* header(counter, parameters): ...; br header(arguments), exit(arguments) */
static void
loop_statement(Generator *generator, unsigned depth) {
  NornFunction *function = generator->function;
  uint32_t header = norn_block_create(function, 0);
  norn_block_add_parameter(function, header, NORN_TYPE_I32, 0);
  for (unsigned k = pick(generator, 4); k--;)
    norn_block_add_parameter(function, header, pick_type(generator), 0);
  jump_to(generator, header);
  NornRef *first =
      norn_operands(function, norn_inst(function, norn_block(function, generator->block)->last));
  first[1] = norn_constant(generator->module, 1 + pick(generator, 4));
  enter(generator, header);
  region(generator, depth + 1);
  uint32_t exit = block_with_parameters(generator);
  NornRef counter, operands[16];
  operands[0] = make_loop_condition(generator, header, &counter);
  uint32_t targets[2] = {header, exit};
  unsigned used = 1;
  for (unsigned i = 0; i < 2; i++) {
    operands[used++] = norn_ref(NORN_REF_BLOCK, targets[i]);
    for (unsigned k = 0; k < norn_block(function, targets[i])->parameter_count; k++) {
      NornType type = norn_value(function, norn_block_parameter(function, targets[i], k))->type;
      operands[used++] = i == 0 && k == 0 ? counter : find_operand(generator, type, 0);
    }
  }
  terminate(generator, NORN_OP_BR, operands, used);
  enter(generator, exit);
}

static void
region(Generator *generator, unsigned depth) {
  unsigned statements = 2 + pick(generator, depth ? 8 : 12);
  while (statements-- && generator->budget > 0) {
    unsigned kind = pick(generator, 10);
    if (kind < 2 && depth < generator->shape->depth)
      branch_statement(generator, depth);
    else if (kind < 3 && depth < generator->shape->depth)
      loop_statement(generator, depth);
    else
      statement(generator);
  }
}

NornModule *
random_program(GRand *random, const RandomProgram *shape) {
  Generator generator = {
      .random = random,
      .shape = shape,
      .module = norn_module_new(NORN_STAGE_COMPUTE, "random"),
      .values = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .budget = (int)shape->instructions,
  };
  generator.function = generator.module->functions[0];
  generator.block = norn_block_create(generator.function, 0);
  for (unsigned k = 0; k < 3; k++) {
    NornRef reg = norn_constant(generator.module, 60 + k);
    make(&generator, shape->executable ? NORN_OP_COPY : NORN_OP_PRELOAD, NORN_TYPE_I32,
         NORN_TYPE_VOID, &reg, 1);
  }
  if (shape->memory)
    begin_memory(&generator);
  while (generator.budget > 0)
    region(&generator, 0);
  if (shape->memory)
    end_memory(&generator);
  unsigned len = generator.values->len;
  for (unsigned k = 0; k < 6 && k < len; k++) {
    unsigned at = pick(&generator, len);
    uint32_t value = g_array_index(generator.values, uint32_t, at);
    NornType type = norn_value(generator.function, value)->type;
    store_value(&generator, type);
  }
  terminate(&generator, NORN_OP_END, NULL, 0);
  g_array_free(generator.values, TRUE);
  return generator.module;
}
