/* Breakpoints and the prompt: where a run stops, and which commands are available there.
 * Commands are read from standard input, whether or not it is a terminal; when they end, the run
 * continues. */
#include "run/watch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RUN_ON (-1)
#define NOT_NUMBERED G_MAXUINT64
#define MEMORY_WORDS 16

typedef struct Breakpoint {
  char *text;      /* as it was given */
  guint64 line;    /* NOT_NUMBERED: it is not a line */
  guint64 address; /* NOT_NUMBERED: it is not an address */
  gboolean reached;
} Breakpoint;

struct Debugger {
  const Program *program;
  Session *session;
  const NornCodeMap *map;
  const Names *names;
  GArray *breakpoints;
  gint64 steps;      /* until the next stop, or RUN_ON */
  GHashTable *lines; /* warp -> line of its last step */
  gboolean at_terminal, is_watching, is_quiet, has_ended;
  char *last; /* the last command, which an empty line on a terminal repeats */
};

/* --- Breakpoints --- */

static gboolean
has_code(const Debugger *debugger) {
  return debugger->map || !debugger->program->module;
}

static gboolean
add_breakpoint(Debugger *debugger, const char *text, GError **error) {
  Breakpoint point = {.line = NOT_NUMBERED, .address = NOT_NUMBERED};
  guint64 number;
  if (g_str_has_prefix(text, "0x") &&
      g_ascii_string_to_unsigned(text + 2, 16, 0, G_MAXINT64, &number, NULL)) {
    point.address = number;
  } else if (g_ascii_isdigit(*text) &&
             g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT32, &number, NULL)) {
    point.line = number;
  } else if (!g_ascii_isalpha(*text) && *text != '%' && *text != '_') {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "breakpoint '%s': expected a line, an address such as 0x18, or the name of a value "
                "or a block",
                text);
    return FALSE;
  }
  if (point.address == NOT_NUMBERED && !debugger->program->module) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "breakpoint '%s': machine code has no lines and names, expected an address such as "
                "0x18",
                text);
    return FALSE;
  }
  if (point.address != NOT_NUMBERED && !has_code(debugger)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "breakpoint '%s': the interpreter has no addresses, expected a line or a name",
                text);
    return FALSE;
  }
  point.text = g_strdup(text);
  g_array_append_val(debugger->breakpoints, point);
  return TRUE;
}

static gboolean
is_name(const char *name, const char *other) {
  return name && other && !strcmp(name + (*name == '%'), other + (*other == '%'));
}

/* Whether the step begins a block of that name, or defines a value of that name. */
static gboolean
concerns_name(const Debugger *debugger, const NornObservation *at, const char *name) {
  const NornCodeInst *inst = debugger->map && at->is_machine_code
                                 ? norn_code_map_at(debugger->map, at->address / 8)
                                 : NULL;
  NornObservedValue value;
  if (is_name(inst ? inst->block : at->block, name))
    return TRUE;
  for (guint i = 0; inst && i < inst->left_count; i++)
    if (is_name(inst->left[i].name, name))
      return TRUE;
  for (guint i = 0; !inst && norn_observation_operand(at, i, &value); i++)
    if (value.role == NORN_OBSERVED_RESULT && is_name(value.name, name))
      return TRUE;
  return FALSE;
}

/* The breakpoint that a step reaches, or NULL. A line is reached if the previous step was on
 * another line. */
static Breakpoint *
reached_breakpoint(Debugger *debugger, const NornObservation *at) {
  guint line = watch_line(debugger->map, at);
  guint before = GPOINTER_TO_UINT(g_hash_table_lookup(debugger->lines, GUINT_TO_POINTER(at->warp)));
  g_hash_table_insert(debugger->lines, GUINT_TO_POINTER(at->warp), GUINT_TO_POINTER(line));
  for (guint i = 0; i < debugger->breakpoints->len; i++) {
    Breakpoint *point = &g_array_index(debugger->breakpoints, Breakpoint, i);
    if (point->line != NOT_NUMBERED      ? point->line == line && line != before
        : point->address != NOT_NUMBERED ? at->is_machine_code && point->address == at->address
                                         : concerns_name(debugger, at, point->text))
      return point;
  }
  return NULL;
}

Debugger *
debugger_new(const Program *program, Session *session, const NornCodeMap *map, const Names *names,
             char **breakpoints, gboolean step, GError **error) {
  Debugger *debugger = g_new0(Debugger, 1);
  debugger->program = program;
  debugger->session = session;
  debugger->map = map;
  debugger->names = names;
  debugger->breakpoints = g_array_new(FALSE, FALSE, sizeof(Breakpoint));
  debugger->lines = g_hash_table_new(NULL, NULL);
  debugger->is_quiet = feof(stdin); /* the commands already ended in an earlier run */
  debugger->steps = step && !debugger->is_quiet ? 0 : RUN_ON;
  debugger->at_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  for (guint i = 0; breakpoints && breakpoints[i]; i++)
    if (!add_breakpoint(debugger, breakpoints[i], error)) {
      debugger_free(debugger);
      return NULL;
    }
  debugger->is_watching = TRUE;
  return debugger;
}

/* Lists the breakpoints that the finished run never reached, if it was watched to its end. */
static void
tell_not_reached(const Debugger *debugger) {
  const Program *program = debugger->program;
  const char *what = !program->varying_code                  ? ""
                     : debugger->map == program->varying_map ? " by the program for varyings"
                                                             : " by the program for positions";
  for (guint i = 0; i < debugger->breakpoints->len; i++) {
    const Breakpoint *point = &g_array_index(debugger->breakpoints, Breakpoint, i);
    if (!point->reached)
      printf("breakpoint %s was not reached%s\n", point->text, what);
  }
}

void
debugger_free(Debugger *debugger) {
  if (!debugger)
    return;
  if (debugger->is_watching && !debugger->is_quiet && !debugger->has_ended)
    tell_not_reached(debugger);
  for (guint i = 0; i < debugger->breakpoints->len; i++)
    g_free(g_array_index(debugger->breakpoints, Breakpoint, i).text);
  g_array_free(debugger->breakpoints, TRUE);
  g_hash_table_destroy(debugger->lines);
  g_free(debugger->last);
  g_free(debugger);
}

/* --- Commands --- */

/* Executes a command on the step; returns FALSE if the run is to continue. */
typedef gboolean (*CommandFunction)(Debugger *debugger, const NornObservation *at, char **words);

/* The lanes that a command refers to: number `word`, otherwise all lanes that execute the step. */
static gboolean
parse_lanes(const NornObservation *at, const char *word, unsigned *lanes) {
  guint64 lane;
  *lanes = at->active;
  if (!word)
    return TRUE;
  if (!g_ascii_string_to_unsigned(word, 10, 0, NORN_OBSERVED_LANES - 1, &lane, NULL)) {
    printf("'%s' is not a lane from 0 to %d\n", word, NORN_OBSERVED_LANES - 1);
    return FALSE;
  }
  *lanes = 1u << lane;
  return TRUE;
}

static void
print_value(const char *name, const NornObservedValue *value, NornType type, unsigned lanes) {
  GString *out = g_string_new(name);
  g_string_append(out, " =");
  watch_append_lanes(out, value, type, lanes);
  g_string_append(out, lanes & value->lanes ? "" : " in none of the lanes");
  puts(out->str);
  g_string_free(out, TRUE);
}

static gboolean
print_command(Debugger *debugger, const NornObservation *at, char **words) {
  NornObservedValue value;
  unsigned lanes;
  if (!words[1]) {
    puts("print: expected a value (%x), a register (r4) or a uniform word (u2)");
    return TRUE;
  }
  const RunElement *element = words[2] ? run_element_find(words[2]) : NULL;
  const char *lane = element ? words[3] : words[2];
  if (!parse_lanes(at, lane, &lanes))
    return TRUE;
  if (names_find(debugger->names, at, words[1], &value) ||
      norn_observation_find(at, words[1], &value))
    print_value(value.name, &value, element ? element->type : value.type, lanes);
  else
    printf("'%s' does not exist here or is no longer in a register\n", words[1]);
  return TRUE;
}

static gboolean
registers_command(Debugger *debugger, const NornObservation *at, char **words) {
  unsigned lanes, shown = 0;
  if (!parse_lanes(at, words[1], &lanes))
    return TRUE;
  for (guint reg = 0; reg < 64; reg++) {
    char name[8];
    NornObservedValue value;
    unsigned defined = 0;
    g_snprintf(name, sizeof name, "r%u", reg);
    if (!norn_observation_find(at, name, &value))
      continue;
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++)
      defined |= value.defined[0][lane] ? 1u << lane : 0;
    guint first = lanes ? (guint)g_bit_nth_lsf(lanes, -1) : 0;
    const NornCodeValue *source = names_of_register(debugger->names, at, first, reg);
    g_autofree char *label =
        source ? g_strdup_printf("%s %%%s", name, source->name) : g_strdup(name);
    if (lanes & defined) {
      print_value(label, &value,
                  source && source->words == 1 ? names_type(debugger->names, source) : value.type,
                  lanes);
      shown++;
    }
  }
  if (!shown)
    puts(at->is_machine_code ? "no register holds anything" : "the IR has no registers");
  return TRUE;
}

static void
print_slot(const NornObservation *at, guint slot, unsigned lanes) {
  uint64_t written = 0, read = 0;
  for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++) {
    uint64_t w, r;
    norn_observation_in_flight(at, slot, lane, &w, &r);
    written |= lanes >> lane & 1 ? w : 0;
    read |= lanes >> lane & 1 ? r : 0;
  }
  if (!(written | read))
    return;
  printf("slot %u:", slot);
  for (guint reg = 0; reg < 64; reg++)
    if ((written | read) >> reg & 1)
      printf(" r%u %s", reg, written >> reg & 1 ? "written" : "read");
  putchar('\n');
}

static gboolean
slots_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)debugger;
  unsigned lanes;
  uint64_t written, read, any = 0;
  if (!parse_lanes(at, words[1], &lanes))
    return TRUE;
  for (guint slot = 0; slot < NORN_OBSERVED_SLOTS; slot++) {
    print_slot(at, slot, lanes);
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++) {
      norn_observation_in_flight(at, slot, lane, &written, &read);
      any |= lanes >> lane & 1 ? written | read : 0;
    }
  }
  if (!any)
    puts("no message with registers is in flight");
  return TRUE;
}

/* The bytes that a command refers to by that name: those of a buffer, or local memory. */
static const guint8 *
find_memory(const Debugger *debugger, const NornObservation *at, const char *name, gsize *size) {
  NornMemory *memory = debugger->session->memory;
  gsize buffer = norn_memory_find(memory, name);
  if (buffer != SIZE_MAX)
    return norn_memory_bytes(memory, buffer, size);
  guint lane = at->active ? (guint)g_bit_nth_lsf(at->active, -1) : 0;
  *size = !strcmp(name, "shared")    ? at->shared_bytes
          : !strcmp(name, "scratch") ? at->scratch_bytes
                                     : 0;
  return !strcmp(name, "shared") ? at->shared : at->scratch[lane];
}

static gboolean
memory_command(Debugger *debugger, const NornObservation *at, char **words) {
  guint64 first = 0, count = MEMORY_WORDS;
  gsize size = 0;
  const guint8 *bytes = words[1] ? find_memory(debugger, at, words[1], &size) : NULL;
  const RunValue *value = NULL;
  for (guint i = 0; words[1] && i < debugger->session->spec->values->len && !value; i++) {
    const RunValue *candidate = debugger->session->spec->values->pdata[i];
    value = !strcmp(candidate->name, words[1]) && candidate->element ? candidate : NULL;
  }
  const RunElement *element = value ? value->element : run_element_find("u32");
  if (!bytes || !size) {
    printf("memory: expected the name of a buffer, shared or scratch, found '%s'\n",
           words[1] ? words[1] : "");
    return TRUE;
  }
  if ((words[2] && !g_ascii_string_to_unsigned(words[2], 10, 0, size, &first, NULL)) ||
      (words[2] && words[3] && !g_ascii_string_to_unsigned(words[3], 10, 1, size, &count, NULL))) {
    printf("memory: expected the index of an element and a number of elements within %s\n",
           words[1]);
    return TRUE;
  }
  first = MIN(first, size / element->size);
  count = MIN(count, size / element->size - first);
  g_autofree char *list =
      run_list_format(element, bytes + first * element->size, count * element->size);
  printf("%s[%" G_GUINT64_FORMAT "...] = %s\n", words[1], first, list);
  return TRUE;
}

static gboolean
lanes_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)debugger, (void)words;
  GString *out = g_string_new("active: ");
  watch_append_set(out, at->active);
  g_string_append(out, "; alive: ");
  watch_append_set(out, at->alive);
  g_string_append(out, "; helpers: ");
  watch_append_set(out, at->helpers);
  g_string_append_printf(out, "; workgroup %u,%u,%u, lane 0 is invocation %u", at->workgroup[0],
                         at->workgroup[1], at->workgroup[2], at->invocation[0]);
  puts(out->str);
  g_string_free(out, TRUE);
  return TRUE;
}

static gboolean
where_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)words;
  GString *out = g_string_new(NULL);
  watch_append_step(out, debugger->program, debugger->map, at);
  fputs(out->str, stdout);
  g_string_free(out, TRUE);
  return TRUE;
}

static gboolean
step_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)at;
  guint64 count = 1;
  if (words[1] && !g_ascii_string_to_unsigned(words[1], 10, 1, G_MAXINT64, &count, NULL)) {
    printf("expected a number of steps, found '%s'\n", words[1]);
    return TRUE;
  }
  debugger->steps = (gint64)count;
  return FALSE;
}

static gboolean
continue_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)at, (void)words;
  debugger->steps = RUN_ON;
  return FALSE;
}

static gboolean
break_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)at;
  GError *error = NULL;
  if (words[1] && !add_breakpoint(debugger, words[1], &error)) {
    puts(error->message);
    g_error_free(error);
  }
  for (guint i = 0; !words[1] && i < debugger->breakpoints->len; i++)
    puts(g_array_index(debugger->breakpoints, Breakpoint, i).text);
  return TRUE;
}

static gboolean
delete_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)at;
  for (guint i = 0; words[1] && i < debugger->breakpoints->len; i++) {
    Breakpoint *point = &g_array_index(debugger->breakpoints, Breakpoint, i);
    if (strcmp(point->text, words[1]))
      continue;
    g_free(point->text);
    g_array_remove_index(debugger->breakpoints, i);
    return TRUE;
  }
  printf("delete: unknown breakpoint '%s'\n", words[1] ? words[1] : "");
  return TRUE;
}

static gboolean
quit_command(Debugger *debugger, const NornObservation *at, char **words) {
  (void)at, (void)words;
  debugger->has_ended = TRUE;
  return FALSE;
}

static const struct {
  const char *name, *arguments, *summary;
  CommandFunction run;
} commands[] = {
    {"step", "[N]", "execute one step, or N steps", step_command},
    {"continue", "", "continue to the next breakpoint", continue_command},
    {"break", "[LINE|ADDRESS|NAME]", "add a breakpoint; without argument: list them",
     break_command},
    {"delete", "LINE|ADDRESS|NAME", "remove a breakpoint", delete_command},
    {"print", "NAME [TYPE] [LANE]", "a value (%x), a register (r4), a uniform word (u2)",
     print_command},
    {"registers", "[LANE]", "all registers that hold a value", registers_command},
    {"memory", "NAME [FIRST [COUNT]]", "a buffer's elements; shared and scratch as words",
     memory_command},
    {"slots", "[LANE]", "registers of messages in flight", slots_command},
    {"lanes", "", "which lanes execute, are alive, are helpers", lanes_command},
    {"where", "", "the next step", where_command},
    {"quit", "", "end the run", quit_command},
    {"help", "", "this list; the first letter of a command is enough", NULL},
};

/* --- The prompt --- */

static void
print_help(void) {
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
    printf("%-9s %-21s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
}

/* Runs one command; FALSE if the run is to continue. */
static gboolean
run_command(Debugger *debugger, const NornObservation *at, char **words) {
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
    if (!g_str_has_prefix(commands[i].name, words[0]))
      continue;
    if (commands[i].run)
      return commands[i].run(debugger, at, words);
    print_help();
    return TRUE;
  }
  printf("unknown command '%s'; help lists the commands\n", words[0]);
  return TRUE;
}

/* The words of the next command; NULL at the end of the input. */
static char **
read_command(Debugger *debugger) {
  char line[512];
  if (debugger->at_terminal)
    fputs("(norn) ", stdout);
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin))
    return NULL;
  g_strstrip(line);
  if (!*line && debugger->at_terminal && debugger->last)
    g_strlcpy(line, debugger->last, sizeof line);
  g_free(debugger->last);
  debugger->last = g_strdup(line);
  char **words = g_strsplit_set(line, " \t", -1);
  guint used = 0;
  for (guint i = 0; words[i]; i++) {
    if (*words[i])
      words[used++] = words[i];
    else
      g_free(words[i]);
  }
  words[used] = NULL;
  return words;
}

/* Reads commands until one of them continues the run. */
static void
prompt(Debugger *debugger, const NornObservation *at) {
  gboolean asks = TRUE;
  where_command(debugger, at, NULL);
  while (asks) {
    g_auto(GStrv) words = read_command(debugger);
    asks = words && (!words[0] || run_command(debugger, at, words));
    if (!words) {
      debugger->is_quiet = TRUE;
      debugger->steps = RUN_ON;
    }
  }
}

gboolean
debugger_observe(Debugger *debugger, const NornObservation *at) {
  if (debugger->is_quiet)
    return TRUE;
  if (at->phase == NORN_OBSERVE_TRAP) {
    printf("%s\n", at->trap);
    prompt(debugger, at);
    return TRUE;
  }
  if (at->phase != NORN_OBSERVE_BEFORE)
    return TRUE;
  Breakpoint *point = reached_breakpoint(debugger, at);
  if (point) {
    point->reached = TRUE;
    printf("breakpoint %s\n", point->text);
  }
  if (debugger->steps > 0)
    debugger->steps--;
  if (point || debugger->steps == 0)
    prompt(debugger, at);
  return !debugger->has_ended;
}
