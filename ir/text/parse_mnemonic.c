/* The meaning of a mnemonic: according to the rows of norn/ops.def (name, then the suffixes of the
 * row) or to the machine. Results are cached in a small table, since modules use few different
 * mnemonics. */
#include "ir/hash.h"
#include "ir/text/parser.h"
#include <norn/nearest.h>
#include <string.h>

/* How many slots are probed before the last of them is evicted. */
#define PROBES 8

/* Splits "name.modifier.type.source" at the dots. */
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

/* Lists the types of the set, and suggests the one that may be meant. */
static void
list_types(GString *out, NornTypeSet set, NornText misspelled) {
  NornNearest nearest;
  norn_nearest_init(&nearest, misspelled.start, misspelled.length);
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    if (norn_type_in(set, type)) {
      g_string_append_printf(out, " %s", norn_types[type].name);
      norn_nearest_try(&nearest, norn_types[type].name);
    }
  g_autofree char *hint = norn_nearest_hint(&nearest);
  g_string_append(out, hint);
}

/* Parses a type suffix, which must be in the set, at the start of what is left of the mnemonic. */
static bool
decode_type(NornParser *p, NornText mnemonic, NornText *rest, const char *op_name, NornTypeSet set,
            uint8_t *type, NornLocation location) {
  size_t parsed = (size_t)(rest->start - mnemonic.start);
  NornText part = {rest->start, 0};
  int found = next_part(rest, &part) ? norn_find_type(part.start, part.length) : -1;
  if (found >= 0 && norn_type_in(set, (NornType)found)) {
    *type = (uint8_t)found;
    return true;
  }
  char quote[NORN_QUOTE_SIZE];
  GString *types = g_string_new(NULL);
  /* A type that is valid elsewhere is not a misspelling. */
  list_types(types, set, found < 0 ? part : (NornText){part.start, 0});
  if (part.length)
    NORN_PARSE_FAULT(p, location, "%s cannot have the type '%s' here, only one of%s", op_name,
                     norn_quote(quote, part.start, part.length), types->str);
  else
    NORN_PARSE_FAULT(p, location, "%.*s needs a type suffix, one of%s", (int)parsed, mnemonic.start,
                     types->str);
  g_string_free(types, TRUE);
  return false;
}

static bool
decode_modifier(NornParser *p, NornText *rest, const NornOpInfo *info, uint8_t *modifier,
                NornLocation location) {
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
  NornNearest nearest;
  norn_nearest_init(&nearest, part.start, part.length);
  for (unsigned i = 0; i < values->count; i++) {
    g_string_append_printf(texts, " %s", values->texts[i]);
    norn_nearest_try(&nearest, values->texts[i]);
  }
  g_autofree char *hint = norn_nearest_hint(&nearest);
  g_string_append(texts, hint);
  if (part.length)
    NORN_PARSE_FAULT(p, location, "%s cannot have the modifier '%s', only one of%s", info->name,
                     norn_quote(quote, part.start, part.length), texts->str);
  else
    NORN_PARSE_FAULT(p, location, "%s needs a modifier, one of%s", info->name, texts->str);
  g_string_free(texts, TRUE);
  return false;
}

/* Suggests an operation for a word that starts with no operation's name: compares the name, also
 * without its types. */
static char *
suggest_op(NornText text) {
  const char *dot = memchr(text.start, '.', text.length);
  NornNearest whole, stem;
  norn_nearest_init(&whole, text.start, text.length);
  norn_nearest_init(&stem, text.start, dot ? (size_t)(dot - text.start) : text.length);
  for (unsigned op = NORN_OP_NONE + 1; op < NORN_OP_COUNT; op++) {
    norn_nearest_try(&whole, norn_ops[op].name);
    norn_nearest_try(&stem, norn_ops[op].name);
  }
  return norn_nearest_hint(stem.name ? &stem : &whole);
}

static bool
decode_generic(NornParser *p, NornText text, NornMnemonic *mnemonic, NornLocation location) {
  char quote[NORN_QUOTE_SIZE];
  uint16_t op = find_op(text);
  if (op == NORN_OP_NONE) {
    g_autofree char *hint = suggest_op(text);
    NORN_PARSE_FAULT(p, location, "unknown operation '%s'%s",
                     norn_quote(quote, text.start, text.length), hint);
    return false;
  }
  const NornOpInfo *info = &norn_ops[op];
  size_t length = strlen(info->name);
  NornText rest = {text.start + length, text.length - length};
  mnemonic->op = op;
  if (info->modifier && !decode_modifier(p, &rest, info, &mnemonic->modifier, location))
    return false;
  if (info->types &&
      !decode_type(p, text, &rest, info->name, info->types, &mnemonic->type, location))
    return false;
  if (info->source_types && !decode_type(p, text, &rest, info->name, info->source_types,
                                         &mnemonic->source_type, location))
    return false;
  if (rest.length)
    NORN_PARSE_FAULT(p, location, "%s has an unexpected suffix: '%s'", info->name,
                     norn_quote(quote, rest.start, rest.length));
  return !rest.length;
}

bool
norn_parse_machine_fault(NornParser *p, NornLocation location, NornMachineText *text) {
  location.column += (uint32_t)text->position;
  NORN_PARSE_FAULT(p, location, "%s",
                   text->problem ? text->problem : "not an instruction of the target");
  g_free(text->problem);
  return false;
}

static bool
decode_machine(NornParser *p, NornText text, NornMnemonic *mnemonic, NornLocation location) {
  const NornMachine *machine = p->module->machine;
  if (!machine) {
    char quote[NORN_QUOTE_SIZE];
    NORN_PARSE_FAULT(p, location,
                     "the machine instruction '%s' needs a 'target' line before the shader",
                     norn_quote(quote, text.start, text.length));
    return false;
  }
  NornMachineText whole = {.start = text.start, .length = text.length};
  uint16_t instruction;
  if (!machine->parse_mnemonic(machine, &whole, &instruction, &mnemonic->payload))
    return norn_parse_machine_fault(p, location, &whole);
  mnemonic->op = NORN_OP_MACHINE + instruction;
  return true;
}

static G_GNUC_NO_INLINE bool
decode(NornParser *p, NornMnemonic *mnemonic, NornLocation location) {
  NornText text = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  if (!text.length)
    return norn_parse_expected(p, "an operation");
  if (g_ascii_isupper(*text.start))
    return decode_machine(p, text, mnemonic, location);
  if (!decode_generic(p, text, mnemonic, location))
    return false;
  mnemonic->signature = norn_signature(mnemonic->op, mnemonic->type, mnemonic->source_type);
  return true;
}

/* The slot of a mnemonic, or an empty one, possibly after evicting another mnemonic. */
static inline NornMnemonic *
find_slot(NornParser *p, NornText text, uint64_t first, uint64_t last) {
  uint64_t hash = ((first ^ last << 1) * NORN_HASH_FACTOR) >> 56;
  NornMnemonic *slot = NULL;
  for (unsigned i = 0; i < PROBES; i++) {
    slot = &p->mnemonics[(hash + i) % NORN_MNEMONIC_SLOTS];
    if (slot->first == first && slot->last == last && slot->text.length == text.length &&
        (text.length <= 16 || !memcmp(slot->text.start, text.start, text.length)))
      return slot;
    if (!slot->text.length)
      return slot;
  }
  slot->text.length = 0;
  return slot;
}

/* No byte below '.' is part of a mnemonic, so the text before the first such byte is the whole
 * mnemonic if it is in the table. */
const NornMnemonic *
norn_parse_mnemonic(NornParser *p, NornLocation location) {
  const char *start = p->lexer.at, *at = start;
  uint64_t ends = 0;
  for (; !ends && p->lexer.end - at >= 8; at += 8)
    ends = norn_bytes_below(GUINT64_FROM_LE(norn_hash_load(at, 8)), '.');
  NornMnemonic *slot = &p->mnemonics[NORN_MNEMONIC_SLOTS];
  NornText text = {start, 0};
  uint64_t first = 0, last = 0;
  if (ends) {
    text.length = (size_t)(at - 8 - start) + norn_first_byte(ends);
    first = GUINT64_FROM_LE(norn_hash_load(start, 8));
    if (text.length < 8)
      first &= norn_bytes_before(ends);
    else
      last = norn_hash_load(start + text.length - 8, 8);
    slot = find_slot(p, text, first, last);
    if (slot->text.length) {
      p->lexer.at += text.length;
      return slot;
    }
  }
  NornMnemonic fresh = {.first = first, .last = last};
  if (!decode(p, &fresh, location))
    return NULL;
  if (p->lexer.at == start + text.length)
    fresh.text = text;
  *slot = fresh;
  return slot;
}
