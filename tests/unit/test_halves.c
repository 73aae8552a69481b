/* What the compiler assumes of halves of registers, compared with what the simulator computes:
 * which of them an instruction reads, and that an operand can be read from the other half. */
#include "compiler/valhall/code.h"
#include "ir/builder.h"
#include "ir_text.h"
#include "sim/valhall/alu.h"
#include "tests/words.h"
#include "unit.h"

enum { WORDS = 40, TRIES = 8, ARCHITECTURES = 6 };

/* An instruction with random modifiers, in a function. */
typedef struct Subject {
  const NornTarget *target;
  const NornIsaEncoding *encoding;
  NornFunction *function;
  uint32_t inst;
  unsigned sources;
  unsigned wide; /* bit k: source k has two words */
} Subject;

/* The number of cases found, so that the tests test something. */
typedef struct Found {
  unsigned unread; /* sources of which a half is not read */
  unsigned moved;  /* sources that are read from the upper half instead */
  unsigned stuck;  /* sources for which there is no such modifier */
} Found;

static uint32_t
execute(const Subject *subject, uint64_t sources[NORN_VALHALL_SOURCES]) {
  NornValhallOperation operation;
  NornValhallResult result;
  uint64_t word = norn_inst(subject->function, subject->inst)->payload;
  ck_assert(norn_valhall_decode(&norn_isa_valhall, subject->encoding, word, &operation, NULL));
  norn_valhall_execute(&operation, NORN_FTZ_PRESERVE, sources, &result);
  return (uint32_t)result.bits;
}

static void
randomize(const Subject *subject, uint64_t *state, uint64_t sources[NORN_VALHALL_SOURCES]) {
  for (unsigned k = 0; k < NORN_VALHALL_SOURCES; k++)
    sources[k] =
        subject->wide >> k & 1 ? norn_random_next(state) : (uint32_t)norn_random_next(state);
}

static uint32_t
bits_of(unsigned halves) {
  return (halves & NORN_LOWER_HALF ? 0xFFFFu : 0) | (halves & NORN_UPPER_HALF ? 0xFFFF0000u : 0);
}

static const char *
name_of(const Subject *subject) {
  return norn_isa_instruction_name(&norn_isa_valhall, subject->encoding->instruction);
}

/* Other bits in the halves of source k that are not read do not change the halves of the result. */
static void
check_unread(const Subject *subject, unsigned k, uint64_t *state, Found *found) {
  const NornInst *inst = norn_inst(subject->function, subject->inst);
  for (unsigned results = 1; results < 4; results++) {
    unsigned read = norn_valhall_halves_read(subject->target, inst, k, results);
    uint32_t unread = ~bits_of(read);
    found->unread += unread != 0;
    for (unsigned i = 0; i < TRIES && unread; i++) {
      uint64_t sources[NORN_VALHALL_SOURCES];
      randomize(subject, state, sources);
      uint32_t before = execute(subject, sources);
      sources[k] ^= (uint32_t)norn_random_next(state) & unread;
      uint32_t changed = (before ^ execute(subject, sources)) & bits_of(results);
      ck_assert_msg(!changed, "%s: source %u is read", name_of(subject), k);
    }
  }
}

/* If source k, of which only the lower half matters, can be read from the upper half, the lower
 * half of the result is the same for a source with exchanged halves. */
static void
check_upper(const Subject *subject, unsigned k, uint64_t *state, Found *found) {
  NornInst *inst = norn_inst(subject->function, subject->inst);
  uint64_t word = inst->payload;
  if (norn_valhall_halves_read(subject->target, inst, k, NORN_LOWER_HALF) != NORN_LOWER_HALF)
    return;
  if (!norn_valhall_read_upper(subject->target, subject->function, subject->inst, k)) {
    ck_assert(inst->payload == word);
    ck_assert(subject->encoding->instruction != NORN_VALHALL_MKVEC_V2I16);
    found->stuck++;
    return;
  }
  found->moved++;
  uint64_t moved = inst->payload;
  for (unsigned i = 0; i < TRIES; i++) {
    uint64_t sources[NORN_VALHALL_SOURCES];
    randomize(subject, state, sources);
    inst->payload = word;
    uint32_t before = execute(subject, sources);
    sources[k] = (uint32_t)(sources[k] << 16 | (norn_random_next(state) & 0xFFFF));
    inst->payload = moved;
    uint32_t changed = (before ^ execute(subject, sources)) & 0xFFFF;
    ck_assert_msg(!changed, "%s: source %u is not the upper half", name_of(subject), k);
  }
  inst->payload = word;
}

static void
check_word(Subject *subject, uint64_t word, uint64_t *state, Found *found) {
  NornBuilder builder = norn_builder_at_end(subject->function, 0);
  NornRef operands[NORN_VALHALL_SOURCES];
  subject->sources = subject->wide = 0;
  const NornIsaOperand *operand;
  while ((operand = norn_valhall_operand(subject->encoding, word, subject->sources))) {
    bool is_wide = norn_isa_operand_words(&norn_isa_valhall, subject->encoding, operand, word) == 2;
    subject->wide |= (unsigned)is_wide << subject->sources;
    operands[subject->sources++] =
        norn_build_undef(&builder, is_wide ? NORN_TYPE_I64 : NORN_TYPE_I32);
  }
  NornRef result = norn_build_machine(&builder, subject->encoding->instruction, word, NORN_TYPE_I32,
                                      operands, subject->sources);
  subject->inst = norn_value(subject->function, norn_ref_payload(result))->def;
  for (unsigned k = 0; k < subject->sources; k++) {
    check_unread(subject, k, state, found);
    check_upper(subject, k, state, found);
  }
}

/* Whether the word computes its result from sources of the same invocation. */
static bool
is_computed(const NornIsaEncoding *encoding, uint64_t word) {
  NornValhallOperation operation;
  return norn_valhall_decode(&norn_isa_valhall, encoding, word, &operation, NULL) &&
         operation.row->function && !norn_valhall_is_exchange(&operation);
}

/* Whether the simulator computes the instruction from sources to one register. */
static bool
is_tested(const NornIsaEncoding *encoding) {
  unsigned results = 0;
  bool is_simple = norn_valhall_is_operation(encoding->instruction);
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    bool is_result = operand->role == NORN_ISA_OPERAND_DESTINATION;
    is_simple &= (is_result && operand->words == 1) || operand->role == NORN_ISA_OPERAND_SOURCE;
    results += is_result;
  }
  return is_simple && results == 1;
}

START_TEST(halves_are_read_as_assumed) {
  const NornIsa *isa = &norn_isa_valhall;
  g_autofree char *text = g_strdup_printf("target valhall %u\n" BODY(""), 9 + (unsigned)_i);
  NornModule *module = parse_text(text);
  NornMachine machine = *module->machine;
  NornTarget target;
  norn_target_bind(norn_target_find(&machine), &machine, &target);
  Subject subject = {.target = &target, .function = module->functions[0]};
  Found found = {0};
  for (unsigned number = 0; number < isa->instruction_count; number++) {
    subject.encoding = norn_isa_name_encoding(isa, machine.architecture, number);
    if (!subject.encoding || !is_tested(subject.encoding))
      continue;
    uint64_t state = number + 1, word;
    for (unsigned i = 0; i < unit_effort(100 * WORDS) / 100 + 1; i++)
      if (words_legal(isa, machine.architecture, subject.encoding, &state, &word) &&
          is_computed(subject.encoding, word))
        check_word(&subject, word, &state, &found);
  }
  ck_assert_uint_gt(found.unread, 100);
  ck_assert_uint_gt(found.moved, 20);
  ck_assert_uint_gt(found.stuck, 5);
  norn_module_free(module);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("halves");
  TCase *tests = tcase_create("halves");
  tcase_add_loop_test(tests, halves_are_read_as_assumed, 0, ARCHITECTURES);
  suite_add_tcase(suite, tests);
  return suite;
}
