/* Words and lines per second of packing, unpacking, disassembling and assembling.
 *
 *   bench-isa [ISA [ARCHITECTURE [WORDS]]]
 *
 * The words are legal instructions, found by setting random fields of random encodings; `random`
 * lines are words of random bits, most of which are no instruction. Times are processor time of one
 * thread, the best of three runs. */
#include "isa/isa.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 1 << 12, RUNS = 3 };

typedef struct {
  const NornIsa *isa;
  unsigned architecture;
  size_t total; /* words to go through in each run */
  uint64_t *words, *random;
  NornIsaDecoded *decoded;
  char *text;
  size_t text_length;
  uint64_t checksum; /* keeps the compiler from dropping the work */
} Bench;

static uint64_t
next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static double
seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A legal word of a random instruction. */
static uint64_t
legal_word(const Bench *bench, uint64_t *state) {
  for (;;) {
    unsigned instruction = (unsigned)(next_random(state) % norn_isa_instruction_count(bench->isa));
    const NornIsaEncoding *encoding =
        norn_isa_encoding(bench->isa, bench->architecture, instruction);
    if (!encoding)
      continue;
    for (unsigned attempt = 0; attempt < 64; attempt++) {
      uint64_t word = encoding->word;
      for (unsigned i = 0; i < encoding->field_count; i++) {
        const NornIsaField *field = &encoding->fields[i];
        if (next_random(state) % 2 || field->kind == NORN_ISA_FIELD_DERIVED)
          continue;
        word &= ~norn_isa_insert(field, UINT64_MAX);
        word |= norn_isa_insert(field, next_random(state));
      }
      word = norn_isa_derive(bench->isa, encoding, word);
      if (norn_isa_check(bench->isa, bench->architecture, word, NULL))
        return word;
    }
  }
}

static void
unpack(Bench *bench) {
  for (size_t i = 0; i < bench->total; i++) {
    NornIsaDecoded *decoded = &bench->decoded[i % WORDS];
    norn_isa_unpack(bench->isa, bench->architecture, bench->words[i % WORDS], decoded);
    bench->checksum += decoded->values[0];
  }
}

static void
pack(Bench *bench) {
  for (size_t i = 0; i < bench->total; i++)
    bench->checksum += norn_isa_pack(&bench->decoded[i % WORDS]);
}

static void
print(Bench *bench) {
  char line[NORN_ISA_LINE];
  for (size_t i = 0; i < bench->total; i++)
    bench->checksum +=
        norn_isa_print(bench->isa, bench->architecture, bench->words[i % WORDS], 0, line);
}

static void
print_random(Bench *bench) {
  char line[NORN_ISA_LINE];
  for (size_t i = 0; i < bench->total; i++)
    bench->checksum +=
        norn_isa_print(bench->isa, bench->architecture, bench->random[i % WORDS], 0, line);
}

static void
assemble(Bench *bench) {
  NornIsaAssembleOptions options = {.architecture = bench->architecture};
  for (size_t i = 0; i < bench->total; i += WORDS) {
    GError *error = NULL;
    GBytes *bytes =
        norn_isa_assemble(bench->isa, bench->text, bench->text_length, "bench", &options, &error);
    if (!bytes) {
      fprintf(stderr, "%s\n", error->message);
      exit(1);
    }
    bench->checksum += g_bytes_get_size(bytes);
    g_bytes_unref(bytes);
  }
}

static void
measure(Bench *bench, const char *name, void (*run)(Bench *)) {
  double best = 1e30;
  for (unsigned i = 0; i < RUNS; i++) {
    double start = seconds();
    run(bench);
    double time = seconds() - start;
    best = time < best ? time : best;
  }
  printf("%-16s %8.2f million/s  %7.2f ns\n", name, (double)bench->total / best * 1e-6,
         best * 1e9 / (double)bench->total);
}

static void
prepare(Bench *bench) {
  uint64_t state = 88172645463325252;
  bench->words = g_new(uint64_t, WORDS);
  bench->random = g_new(uint64_t, WORDS);
  bench->decoded = g_new(NornIsaDecoded, WORDS);
  GString *text = g_string_new(NULL);
  for (unsigned i = 0; i < WORDS; i++) {
    char line[NORN_ISA_LINE];
    bench->words[i] = legal_word(bench, &state);
    bench->random[i] = next_random(&state);
    if (norn_isa_word_bytes(bench->isa) == 4)
      bench->random[i] &= UINT32_MAX;
    norn_isa_print(bench->isa, bench->architecture, bench->words[i], 0, line);
    g_string_append(text, line);
    g_string_append_c(text, '\n');
  }
  bench->text_length = text->len;
  bench->text = g_string_free(text, FALSE);
}

int
main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "valhall";
  Bench bench = {.isa = norn_isa_find(name)};
  if (!bench.isa) {
    fprintf(stderr, "there is no ISA '%s'\n", name);
    return 1;
  }
  int architecture = argc > 2 ? norn_isa_architecture(bench.isa, argv[2]) : 0;
  if (architecture < 0) {
    fprintf(stderr, "there is no architecture '%s'\n", argv[2]);
    return 1;
  }
  bench.architecture = (unsigned)architecture;
  size_t total = argc > 3 ? strtoull(argv[3], NULL, 10) : 4000000;
  bench.total = (total + WORDS - 1) / WORDS * WORDS;
  prepare(&bench);
  printf("%s %s, %zu words, %.1f bytes of text each\n", name,
         norn_isa_architecture_name(bench.isa, bench.architecture), bench.total,
         (double)bench.text_length / WORDS);
  measure(&bench, "unpack", unpack);
  measure(&bench, "pack", pack);
  measure(&bench, "print", print);
  measure(&bench, "print random", print_random);
  measure(&bench, "assemble", assemble);
  g_free(bench.words);
  g_free(bench.random);
  g_free(bench.decoded);
  g_free(bench.text);
  return bench.checksum == 0;
}
