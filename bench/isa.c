/* Words and lines per second of packing, unpacking, disassembling and assembling.
 *
 *   bench-isa [OPTIONS] [ISA [ARCHITECTURE [WORDS]]]
 *
 *   --only NAME    one measurement: unpack, pack, print, print-random, assemble
 *   --once         one run of each instead of three, for counting instructions
 *   --write FILE   no measurement: writes that many legal words to a file
 *
 * The words are legal instructions, found by setting random fields of random encodings. `random`
 * lines are words of random bits, most of which are not instructions. Times are processor time of
 * one thread, the best of three runs. */
#include "isa/isa.h"
#include "bench/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 12 };

typedef struct {
  const NornIsa *isa;
  unsigned architecture;
  size_t total;  /* words processed in each run */
  unsigned runs; /* of which the best counts */
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
  for (unsigned i = 0; i < bench->runs; i++) {
    double start = bench_now();
    run(bench);
    double time = bench_now() - start;
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
    norn_isa_unpack(bench->isa, bench->architecture, bench->words[i], &bench->decoded[i]);
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

static const struct {
  const char *name;
  void (*run)(Bench *bench);
} measurements[] = {
    {"unpack", unpack},     {"pack", pack}, {"print", print}, {"print-random", print_random},
    {"assemble", assemble},
};

static bool
write_words(const Bench *bench, const char *path, size_t count) {
  uint64_t state = 88172645463325252;
  FILE *file = fopen(path, "wb");
  for (size_t i = 0; file && i < count; i++) {
    uint64_t word = GUINT64_TO_LE(legal_word(bench, &state));
    fwrite(&word, norn_isa_word_bytes(bench->isa), 1, file);
  }
  if (file && fclose(file) == 0)
    return true;
  perror(path);
  return false;
}

static bool
measure_all(Bench *bench, const char *only) {
  bool any = false;
  prepare(bench);
  printf("%s %s, %zu words, %.1f bytes of text each\n", norn_isa_name(bench->isa),
         norn_isa_architecture_name(bench->isa, bench->architecture), bench->total,
         (double)bench->text_length / WORDS);
  for (unsigned i = 0; i < G_N_ELEMENTS(measurements); i++) {
    if (only && strcmp(only, measurements[i].name) != 0)
      continue;
    measure(bench, measurements[i].name, measurements[i].run);
    any = true;
  }
  g_free(bench->words);
  g_free(bench->random);
  g_free(bench->decoded);
  g_free(bench->text);
  if (!any)
    fprintf(stderr, "unknown measurement '%s'\n", only);
  return any && bench->checksum != 0;
}

int
main(int argc, char **argv) {
  Bench bench = {.runs = 3};
  const char *only = NULL, *path = NULL;
  for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
    if (strcmp(argv[1], "--once") == 0) {
      bench.runs = 1;
    } else if (argc > 2 && (strcmp(argv[1], "--only") == 0 || strcmp(argv[1], "--write") == 0)) {
      *(argv[1][2] == 'o' ? &only : &path) = argv[2];
      argc--;
      argv++;
    } else {
      fprintf(stderr, "unexpected '%s'\n", argv[1]);
      return 2;
    }
  }
  const char *name = argc > 1 ? argv[1] : "valhall";
  bench.isa = norn_isa_find(name);
  if (!bench.isa) {
    fprintf(stderr, "unknown ISA '%s'\n", name);
    return 2;
  }
  int architecture = argc > 2 ? norn_isa_architecture(bench.isa, argv[2]) : 0;
  if (architecture < 0) {
    fprintf(stderr, "unknown architecture '%s'\n", argv[2]);
    return 2;
  }
  bench.architecture = (unsigned)architecture;
  guint64 total = 4000000;
  if (argc > 4 ||
      (argc == 4 && !g_ascii_string_to_unsigned(argv[3], 10, 1, G_MAXINT32, &total, NULL))) {
    fputs("usage: bench-isa [--once] [--only NAME] [--write FILE] [ISA [ARCHITECTURE [WORDS]]]\n",
          stderr);
    return 2;
  }
  bench.total = (total + WORDS - 1) / WORDS * WORDS;
  return path ? !write_words(&bench, path, total) : !measure_all(&bench, only);
}
