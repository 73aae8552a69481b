/* See contents.h. The ids are the names of static single assignment on registers: what was in one
 * at the start, the instruction that wrote it (a plain move passes on the id), or "what it holds at
 * the start of this block" where paths disagree. So an id's definition dominates where it is, and
 * all registers that have it hold what the last execution of the definition made.
 *
 * Where paths disagree is found in iterations: each goes through the blocks in reverse postorder.
 * Where what leads to a block disagrees, it gets an id of its own, for good; if that is found at an
 * edge that leads back, another iteration follows. */
#include "check/valhall/contents.h"
#include <string.h>

/* Ids of 32 bits: a kind and a number. */
#define START UINT32_C(0)             /* + register */
#define WRITTEN UINT32_C(0x100)       /* + 16 * instruction + word; up to the next kind */
#define UNIFORM UINT32_C(0x60000000)  /* + word */
#define SPECIAL UINT32_C(0x61000000)  /* + code */
#define CONSTANT UINT32_C(0x62000000) /* + number of the constant */
#define BLOCK UINT32_C(0x80000000)    /* + 64 * block + register */

static uint32_t
constant_content(const NornContents *contents, uint32_t bits) {
  gpointer key = GUINT_TO_POINTER(bits);
  unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(contents->constants, key));
  if (!number) {
    number = g_hash_table_size(contents->constants) + 1;
    g_hash_table_insert(contents->constants, key, GUINT_TO_POINTER(number));
  }
  return number < 1 << 24 ? CONSTANT + number : NORN_CONTENT_UNKNOWN;
}

static uint32_t
written_content(uint32_t inst, unsigned word) {
  return inst < (UNIFORM - WRITTEN) / 16 && word < 16 ? WRITTEN + 16 * inst + word
                                                      : NORN_CONTENT_UNKNOWN;
}

static uint32_t
block_content(uint32_t block, unsigned reg) {
  return block < 1 << 24 ? BLOCK + NORN_VALHALL_REGISTERS * block + reg : NORN_CONTENT_UNKNOWN;
}

bool
norn_content_is_of(uint32_t content, uint32_t inst) {
  return content >= WRITTEN && content < UNIFORM && (content - WRITTEN) / 16 == inst;
}

bool
norn_content_is_of_block(uint32_t content, uint32_t block, unsigned reg) {
  return content == block_content(block, reg) && content != NORN_CONTENT_UNKNOWN;
}

bool
norn_content_is_at(const NornContents *contents, uint32_t content, uint32_t block) {
  const uint32_t *registers = norn_contents_at(contents, block);
  bool found = content >= UNIFORM && content < BLOCK;
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS && !found; reg++)
    found = registers[reg] == content;
  return found;
}

/* The content of a word of a source. */
static uint32_t
content_of_source(const NornContents *contents, const uint32_t *registers,
                  const NornCodeSource *source, unsigned word) {
  switch (source->kind) {
  case NORN_ISA_CODE_REGISTER:
  case NORN_ISA_CODE_LAST:
    return registers[source->number + word];
  case NORN_ISA_CODE_UNIFORM:
    return UNIFORM + source->number + word;
  case NORN_ISA_CODE_CONSTANT:
    return constant_content(contents, word ? 0 : source->value);
  default:
    return SPECIAL + source->number + word;
  }
}

uint64_t
norn_content_of_address(const NornContents *contents, const uint32_t *registers,
                        const NornCodeSource *source) {
  uint32_t low = content_of_source(contents, registers, source, 0);
  uint32_t high = content_of_source(contents, registers, source, 1);
  return low == NORN_CONTENT_UNKNOWN || high == NORN_CONTENT_UNKNOWN ? NORN_FOOTPRINT_ANYWHERE
                                                                     : norn_base(low, high);
}

void
norn_contents_step(const NornContents *contents, uint32_t *registers, uint32_t index) {
  const NornWordInst *inst = &contents->code->insts[index];
  uint32_t bits, content = NORN_CONTENT_UNKNOWN;
  bool is_known = true;
  if (norn_code_is_pair_move(inst)) {
    uint32_t words[2];
    for (unsigned k = 0; k < 2; k++)
      words[k] = content_of_source(contents, registers, &inst->sources[0], k);
    memcpy(registers + inst->destination.first, words, sizeof words);
    return;
  }
  if (norn_code_is_move(inst))
    content = content_of_source(contents, registers, &inst->sources[0], 0);
  else if (norn_code_is_constant(inst, &bits))
    content = constant_content(contents, bits);
  else
    is_known = inst->kind == NORN_CODE_CALLS;
  unsigned word = 0;
  for (uint64_t left = norn_code_writes(inst); left; left &= left - 1)
    registers[__builtin_ctzll(left)] = is_known ? content : written_content(index, word++);
}

/* Goes on from one block to another, which is not reached yet or comes later; whether they
 * disagree where they must not. */
static bool
merge(NornContents *contents, const uint32_t *registers, uint32_t block, bool *own) {
  uint32_t *entry = contents->entry + (size_t)block * NORN_VALHALL_REGISTERS;
  bool is_new = !contents->is_reached[block], changed = false;
  contents->is_reached[block] = true;
  own += (size_t)block * NORN_VALHALL_REGISTERS;
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++) {
    if (!own[reg] && !is_new && entry[reg] != registers[reg])
      own[reg] = changed = true;
    entry[reg] = own[reg] ? block_content(block, reg) : registers[reg];
  }
  return changed;
}

/* Goes through all blocks once. Whether some edge that leads back disagrees. */
static bool
run_round(NornContents *contents, const GArray *order, bool *own) {
  const NornCode *code = contents->code;
  bool changed = false;
  memset(contents->is_reached, 0, code->block_count * sizeof *contents->is_reached);
  contents->is_reached[0] = true;
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++)
    contents->entry[reg] = own[reg] ? block_content(0, reg) : START + reg;
  bool *is_done = g_new0(bool, code->block_count);
  for (guint i = order->len; i-- > 0;) {
    uint32_t registers[NORN_VALHALL_REGISTERS], block = g_array_index(order, uint32_t, i);
    const NornCodeBlock *self = &code->blocks[block];
    is_done[block] = true;
    memcpy(registers, norn_contents_at(contents, block), sizeof registers);
    for (uint32_t inst = self->first; inst < self->end; inst++)
      norn_contents_step(contents, registers, inst);
    for (unsigned k = 0; k < self->successor_count; k++)
      changed |=
          merge(contents, registers, self->successors[k], own) && is_done[self->successors[k]];
  }
  g_free(is_done);
  return changed;
}

/* Goes through the block's sums, whose terms are known. */
static void
find_roots_of_block(NornContents *contents, uint32_t block) {
  const NornCodeBlock *self = &contents->code->blocks[block];
  uint32_t registers[NORN_VALHALL_REGISTERS];
  uint64_t bases[NORN_CODE_SOURCES];
  memcpy(registers, norn_contents_at(contents, block), sizeof registers);
  for (uint32_t index = self->first; index < self->end; index++) {
    const NornWordInst *inst = &contents->code->insts[index];
    unsigned terms = norn_roots_terms(inst), first = inst->destination.first;
    for (unsigned k = 0; terms >> k; k++)
      bases[k] =
          terms >> k & 1 ? norn_content_of_address(contents, registers, &inst->sources[k]) : 0;
    norn_contents_step(contents, registers, index);
    if (inst->is_data)
      norn_roots_enter_data(&contents->roots, registers[first]);
    if (terms && inst->destination.count == 2)
      norn_roots_enter_sum(&contents->roots, terms, bases,
                           norn_base(registers[first], registers[first + 1]));
  }
}

static uint32_t
word_of_source(const NornCodeSource *source, unsigned word, gpointer contents) {
  return content_of_source(contents, NULL, source, word);
}

/* A definition dominates what has its id, so it comes before it in the order. */
static void
find_roots(NornContents *contents, const GArray *order) {
  norn_roots_init(&contents->roots, contents->code->input, word_of_source, contents);
  for (guint i = order->len; norn_roots_matter(&contents->roots) && i-- > 0;)
    find_roots_of_block(contents, g_array_index(order, uint32_t, i));
}

/* The blocks that the first one leads to, in postorder. */
static GArray *
find_postorder(const NornCode *code) {
  GArray *order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  GArray *path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint8_t *next = g_new0(uint8_t, code->block_count); /* the successor to go to, + 1; 0: not seen */
  uint32_t block = 0;
  g_array_append_val(path, block);
  next[0] = 1;
  while (path->len) {
    block = g_array_index(path, uint32_t, path->len - 1);
    if (next[block] > code->blocks[block].successor_count) {
      g_array_append_val(order, block);
      g_array_set_size(path, path->len - 1);
      continue;
    }
    uint32_t successor = code->blocks[block].successors[next[block]++ - 1];
    if (next[successor])
      continue;
    next[successor] = 1;
    g_array_append_val(path, successor);
  }
  g_array_free(path, TRUE);
  g_free(next);
  return order;
}

void
norn_contents_init(NornContents *contents, const NornCode *code) {
  size_t count = (size_t)code->block_count * NORN_VALHALL_REGISTERS;
  *contents = (NornContents){.code = code,
                             .entry = g_new0(uint32_t, count),
                             .is_reached = g_new0(bool, code->block_count),
                             .constants = g_hash_table_new(NULL, NULL)};
  bool *own = g_new0(bool, count);
  GArray *order = find_postorder(code);
  while (run_round(contents, order, own))
    ;
  find_roots(contents, order);
  g_array_free(order, TRUE);
  g_free(own);
}

void
norn_contents_clear(NornContents *contents) {
  norn_roots_clear(&contents->roots);
  g_free(contents->entry);
  g_free(contents->is_reached);
  g_hash_table_destroy(contents->constants);
}
