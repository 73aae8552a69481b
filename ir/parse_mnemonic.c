/* What a mnemonic means: by the rows of norn/ops.def (name, then the suffixes the row has) or by
 * the machine. Answers are kept in a small table, since few different mnemonics make up a module.
 */
#include "ir/hash.h"
#include "ir/parser.h"
#include <string.h>

/* How many slots are tried before the last of them is given up. */
#define PROBES 8
/* Longer mnemonics are not looked for among the last ones. */
#define LAST_LENGTH 32

/* Splits "name.modifier.type.source" by the rows. */
static const char *
next_part(NornText *rest, NornText *part) {
  if (!rest->length || *rest->start != '.')
    return NULL;
  const char *start = rest->start + 1;
  size_t length = 0;
  while (length + 1 < rest->length && start[length] != '.')
    length++;
  *part = (NornText){start, length};
  rest->start += length + 1;
  rest->length -= length + 1;
  return start;
}

static uint16_t
find_op(NornText text) {
  uint16_t best = NORN_OP_NONE;
  size_t best_length = 0;
  for (uint16_t op = 1; op < NORN_OP_COUNT; op++) {
    const char *name = norn_ops[op].name;
    if (name[0] != text.start[0])
      continue;
    size_t length = strlen(name);
    if (length <= text.length && length > best_length && !memcmp(name, text.start, length) &&
        (length == text.length || text.start[length] == '.')) {
      best = op;
      best_length = length;
    }
  }
  return best;
}

static void
list_types(GString *out, NornTypeSet set) {
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    if (norn_type_in(set, type))
      g_string_append_printf(out, " %s", norn_types[type].name);
}

/* Takes a type suffix from the set. */
static bool
decode_type(NornParser *p, NornText *rest, const char *op_name, NornTypeSet set, uint8_t *type,
            NornPlace place) {
  NornText part = {rest->start, 0};
  int found = next_part(rest, &part) ? norn_find_type(part.start, part.length) : -1;
  if (found >= 0 && norn_type_in(set, (NornType)found)) {
    *type = (uint8_t)found;
    return true;
  }
  char quote[NORN_QUOTE_SIZE];
  GString *types = g_string_new(NULL);
  list_types(types, set);
  if (part.length)
    NORN_PARSE_FAULT(p, place, "%s cannot have \"%s\" here, only one of the types%s", op_name,
                     norn_quote(quote, part.start, part.length), types->str);
  else
    NORN_PARSE_FAULT(p, place, "%s needs a type suffix, one of%s", op_name, types->str);
  g_string_free(types, TRUE);
  return false;
}

static bool
decode_modifier(NornParser *p, NornText *rest, const NornOpInfo *info, uint8_t *modifier,
                NornPlace place) {
  const NornModifierInfo *values = &norn_modifiers[info->modifier];
  NornText part = {rest->start, 0};
  if (next_part(rest, &part))
    for (unsigned i = 0; i < values->count; i++)
      if (norn_text_is(part, values->texts[i])) {
        *modifier = (uint8_t)i;
        return true;
      }
  char quote[NORN_QUOTE_SIZE];
  GString *texts = g_string_new(NULL);
  for (unsigned i = 0; i < values->count; i++)
    g_string_append_printf(texts, " %s", values->texts[i]);
  if (part.length)
    NORN_PARSE_FAULT(p, place, "%s cannot have \"%s\", only one of%s", info->name,
                     norn_quote(quote, part.start, part.length), texts->str);
  else
    NORN_PARSE_FAULT(p, place, "%s needs a suffix, one of%s", info->name, texts->str);
  g_string_free(texts, TRUE);
  return false;
}

static bool
decode_generic(NornParser *p, NornText text, NornMnemonic *mnemonic, NornPlace place) {
  char quote[NORN_QUOTE_SIZE];
  uint16_t op = find_op(text);
  if (op == NORN_OP_NONE) {
    NORN_PARSE_FAULT(p, place, "unknown operation \"%s\"",
                     norn_quote(quote, text.start, text.length));
    return false;
  }
  const NornOpInfo *info = &norn_ops[op];
  size_t length = strlen(info->name);
  NornText rest = {text.start + length, text.length - length};
  mnemonic->op = op;
  if (info->modifier && !decode_modifier(p, &rest, info, &mnemonic->modifier, place))
    return false;
  if (info->types && !decode_type(p, &rest, info->name, info->types, &mnemonic->type, place))
    return false;
  if (info->source_types &&
      !decode_type(p, &rest, info->name, info->source_types, &mnemonic->source_type, place))
    return false;
  if (rest.length)
    NORN_PARSE_FAULT(p, place, "%s has a suffix too many: \"%s\"", info->name,
                     norn_quote(quote, rest.start, rest.length));
  return !rest.length;
}

bool
norn_parse_machine_fault(NornParser *p, NornPlace place, size_t position, char *problem) {
  place.column += (uint32_t)position;
  NORN_PARSE_FAULT(p, place, "%s", problem ? problem : "not in the machine's language");
  g_free(problem);
  return false;
}

static bool
decode_machine(NornParser *p, NornText text, NornMnemonic *mnemonic, NornPlace place) {
  const NornMachine *machine = p->module->machine;
  if (!machine) {
    char quote[NORN_QUOTE_SIZE];
    NORN_PARSE_FAULT(p, place,
                     "the machine instruction \"%s\" needs a \"target\" line before the shader",
                     norn_quote(quote, text.start, text.length));
    return false;
  }
  size_t position = 0;
  char *problem = NULL;
  uint16_t instruction;
  if (!machine->parse_mnemonic(machine, p->module->architecture, text.start, text.length,
                               &instruction, &mnemonic->payload, &position, &problem))
    return norn_parse_machine_fault(p, place, position, problem);
  mnemonic->op = NORN_OP_MACHINE + instruction;
  return true;
}

/* Words with dots between them. */
static NornText
take_mnemonic(NornLexer *lexer) {
  NornText text = {lexer->at, 0};
  do
    norn_take_name(lexer);
  while (norn_peek(lexer) == '.' && lexer->at++);
  text.length = (size_t)(lexer->at - text.start);
  return text;
}

/* The entry of `last_mnemonics` for a text. */
static uint8_t *
last_slot(NornParser *p, NornText text) {
  uint64_t bits = (unsigned char)*text.start;
  if (text.length >= 8)
    bits = norn_hash_load(text.start, 8) ^ norn_hash_load(text.start + text.length - 8, 8) << 1;
  else if (text.length >= 4)
    bits = norn_hash_load(text.start, 4) << 32 | norn_hash_load(text.start + text.length - 4, 4);
  return &p->last_mnemonics[bits * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

/* Takes a mnemonic met before with a blank after it; NULL, and nothing is taken, if none is found
 * so. */
static const NornMnemonic *
accept_last_mnemonic(NornParser *p) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  NornText text = {p->lexer.at, 0};
  const char *limit = text.start + MIN(p->lexer.end - text.start, LAST_LENGTH);
  for (const char *at = text.start; limit - at >= 8; at += 8) {
    uint64_t bytes = GUINT64_FROM_LE(norn_hash_load(at, 8)) ^ ones * ' ';
    uint64_t blanks = (bytes - ones) & ~bytes & ones * 0x80;
    if (!blanks)
      continue;
    text.length = (size_t)(at - text.start) + ((unsigned)__builtin_ctzll(blanks) >> 3);
    if (!text.length)
      return NULL;
    const NornMnemonic *slot = &p->mnemonics[*last_slot(p, text)];
    if (slot->text.length != text.length ||
        !norn_same_bytes(slot->text.start, text.start, text.length))
      return NULL;
    p->lexer.at += text.length;
    return slot;
  }
  return NULL;
}

const NornMnemonic *
norn_parse_mnemonic(NornParser *p, NornPlace place) {
  const NornMnemonic *last = accept_last_mnemonic(p);
  if (last)
    return last;
  NornText text = take_mnemonic(&p->lexer);
  if (!text.length) {
    norn_parse_expected(p, "an operation");
    return NULL;
  }
  uint32_t hash = norn_hash(p->module->strings.seed, text.start, text.length);
  NornMnemonic *slot = NULL;
  for (unsigned i = 0; i < PROBES; i++) {
    slot = &p->mnemonics[(hash / 16 + i) % NORN_MNEMONIC_SLOTS];
    if (!slot->text.length)
      break;
    if (slot->hash == hash && slot->text.length == text.length &&
        norn_same_bytes(slot->text.start, text.start, text.length)) {
      *last_slot(p, text) = (uint8_t)(slot - p->mnemonics);
      return slot;
    }
  }
  NornMnemonic fresh = {.text = text, .hash = hash};
  bool ok = g_ascii_isupper(*text.start) ? decode_machine(p, text, &fresh, place)
                                         : decode_generic(p, text, &fresh, place);
  if (!ok)
    return NULL;
  if (fresh.op < NORN_OP_MACHINE)
    fresh.signature = norn_signature(fresh.op, fresh.type, fresh.source_type);
  *slot = fresh;
  return slot;
}
