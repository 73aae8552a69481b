/* Registers of a warp, and the traps for reading or writing them. */
#include "sim/valhall/warp.h"
#include "ir/assert.h"
#include "sim/common/launch.h"
#include "sim/valhall/completion.h"
#include "sim/valhall/in_flight.h"
#include "sim/valhall/mixed.h"
#include "sim/valhall/preload.h"
#include <norn/isa.h>
#include <string.h>

static const char *
trap_name(NornValhallTrap kind) {
  static const char *const names[] = {
#define TRAP(id, name, meaning) name,
      NORN_VALHALL_TRAPS(TRAP)
#undef TRAP
  };
  NORN_ASSERT(kind < G_N_ELEMENTS(names));
  return names[kind];
}

/* The address of an instruction, and its assembly. */
static void
append_location(const NornValhallSimWarp *warp, GString *out) {
  char text[NORN_ISA_LINE], *comment;
  norn_isa_print(warp->run->isa, warp->run->architecture, warp->instruction->word,
                 NORN_ISA_PRINT_NO_VERIFY, text);
  if ((comment = strstr(text, " ;")))
    *comment = 0;
  g_string_append_printf(out, "0x%x (%s)", warp->instruction->index * 8, text);
}

void
norn_valhall_set_error(const NornValhallSimWarp *warp, int lane, NornErrorCode code,
                       const char *event, const char *message, GError **error) {
  GString *text = g_string_new(warp->run->location);
  if (!warp->run->location) {
    g_string_append_printf(text, "%s at ", event);
    append_location(warp, text);
  }
  if (lane >= 0)
    g_string_append_printf(text, "%sinvocation %u (lane %d)", warp->run->location ? "" : ", ",
                           warp->thread[lane] - 1, lane);
  if (lane >= 0 || !warp->run->location)
    g_string_append(text, ": ");
  g_string_append(text, message);
  g_set_error_literal(error, NORN_ERROR, code, text->str);
  g_string_free(text, TRUE);
}

bool
norn_valhall_trap(const NornValhallSimWarp *warp, int lane, NornValhallTrap kind, GError **error,
                  const char *format, ...) {
  va_list arguments;
  GString *message = g_string_new(NULL);
  va_start(arguments, format);
  g_string_append_vprintf(message, format, arguments);
  va_end(arguments);
  g_string_append_printf(message, " [%s]", trap_name(kind));
  norn_valhall_set_error(warp, lane, NORN_ERROR_TRAP, "trap", message->str, error);
  g_string_free(message, TRUE);
  return false;
}

/* --- Registers --- */

/* The slot whose message has that register's bit set in `masks`, or -1. */
static int
slot_of(const uint64_t masks[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP], unsigned lane, uint64_t bit) {
  for (int slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (masks[slot][lane] & bit)
      return slot;
  return -1;
}

/* Whether no message in flight writes `reg`. */
static inline bool
check_free(NornValhallSimWarp *warp, unsigned reg, unsigned lane, const char *verb,
           GError **error) {
  if (!(warp->in_flight[lane] & NORN_VALHALL_REGISTER_BIT(reg)))
    return true;
  int slot = slot_of(warp->written, lane, NORN_VALHALL_REGISTER_BIT(reg));
  return norn_valhall_trap(
      warp, (int)lane, NORN_VALHALL_TRAP_REGISTER_IN_FLIGHT, error,
      "r%u is %s while a message that writes it is in flight; wait for slot %d "
      "first",
      reg, verb, slot);
}

/* Reads register `reg` with the mask of its undefined bits. */
static bool
read_register(NornValhallSimWarp *warp, unsigned reg, unsigned lane, uint32_t *value,
              uint32_t *undefined, GError **error) {
  uint8_t defined = warp->defined[reg][lane];
  *value = warp->registers[reg][lane];
  *undefined = 0;
  if (!check_free(warp, reg, lane, "read", error))
    return false;
  if (defined == 0xF)
    return true;
  if (warp->discarded[lane] & NORN_VALHALL_REGISTER_BIT(reg))
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_LAST_USED, error,
                             "r%u is read after its last use", reg);
  if (!defined && !norn_launch_preloads(warp->run->launch, reg) &&
      norn_valhall_may_preload(warp->run->launch, reg))
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_NOT_PRELOADED, error,
                             "r%u is read, but the preload mask does not include it", reg);
  if (!defined &&
      !(norn_valhall_is_mixed(warp, reg, lane) && norn_valhall_mixes(warp->instruction)))
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_UNDEFINED_REGISTER, error,
                             "r%u is read but undefined", reg);
  for (unsigned byte = 0; byte < 4; byte++)
    if (!(defined >> byte & 1))
      *undefined |= UINT32_C(0xFF) << 8 * byte;
  return true;
}

/* Whether a last use may drop `reg`, that is, no message in flight reads or writes it. */
static bool
check_last_use(NornValhallSimWarp *warp, unsigned reg, unsigned lane, GError **error) {
  if (slot_of(warp->read, lane, NORN_VALHALL_REGISTER_BIT(reg)) < 0)
    return check_free(warp, reg, lane, "dropped", error);
  return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_STAGED_LAST_USE, error,
                           "r%u is marked as last used while a message in flight reads it", reg);
}

bool
norn_valhall_read_registers(NornValhallSimWarp *warp, unsigned source, unsigned lane,
                            uint64_t *value, uint64_t *undefined, GError **error) {
  const NornValhallSimSource *s = &warp->instruction->source[source];
  NORN_ASSERT(source < warp->instruction->source_count && s->kind == NORN_VALHALL_SOURCE_REGISTER &&
              s->reg + s->words <= NORN_VALHALL_REGISTERS);
  *undefined = 0;
  *value = 0;
  for (unsigned i = 0; i < s->words; i++) {
    uint32_t word = 0, mask = 0;
    bool is_read = s->words_read >> i & 1;
    if (is_read && !read_register(warp, s->reg + i, lane, &word, &mask, error))
      return false;
    if (s->last_use && !check_last_use(warp, s->reg + i, lane, error))
      return false;
    *value |= (uint64_t)word << 32 * i;
    *undefined |= (uint64_t)mask << 32 * i;
  }
  return true;
}

bool
norn_valhall_read_defined(NornValhallSimWarp *warp, unsigned source, unsigned lane, uint64_t *value,
                          GError **error) {
  uint64_t undefined;
  if (!norn_valhall_read_source(warp, source, lane, value, &undefined, error))
    return false;
  undefined &= norn_valhall_needed_bits(&warp->instruction->operation, source);
  if (undefined)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_UNDEFINED_BITS, error,
                             "bits 0x%" G_GINT64_MODIFIER "x of source %u are undefined", undefined,
                             source);
  return true;
}

void
norn_valhall_lose_registers(NornValhallSimWarp *warp, unsigned lane, uint64_t registers) {
  for (uint64_t left = registers; left; left &= left - 1) {
    unsigned reg = (unsigned)__builtin_ctzll(left);
    warp->defined[reg][lane] = 0;
    norn_valhall_unmix(warp, reg, lane);
  }
  warp->discarded[lane] &= ~registers;
}

void
norn_valhall_drop_last_uses(NornValhallSimWarp *warp, unsigned lane) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  for (unsigned k = 0; instruction->has_last_use && k < instruction->source_count; k++) {
    const NornValhallSimSource *source = &instruction->source[k];
    for (unsigned i = 0; source->last_use && i < source->words; i++) {
      warp->defined[source->reg + i][lane] = 0;
      norn_valhall_unmix(warp, source->reg + i, lane);
      warp->discarded[lane] |= NORN_VALHALL_REGISTER_BIT(source->reg + i);
      warp->some_discarded |= NORN_VALHALL_REGISTER_BIT(source->reg + i);
    }
  }
}

/* Writes the bytes in `mask` and makes them defined, except for those that are undefined. */
static bool
write_register(NornValhallSimWarp *warp, unsigned reg, unsigned lane, uint32_t value, uint32_t mask,
               uint32_t undefined, GError **error) {
  if (!check_free(warp, reg, lane, "written", error))
    return false;
  warp->discarded[lane] &= ~NORN_VALHALL_REGISTER_BIT(reg);
  if (mask == UINT32_MAX && !undefined) {
    warp->registers[reg][lane] = value;
    warp->defined[reg][lane] = 0xF;
    return true;
  }
  uint8_t bytes = 0, poison = 0;
  for (unsigned byte = 0; byte < 4; byte++) {
    bytes |= (uint8_t)((mask >> 8 * byte & 0xFF ? 1u : 0u) << byte);
    poison |= (uint8_t)((mask & undefined) >> 8 * byte & 0xFF ? 1u << byte : 0u);
  }
  for (unsigned byte = 0; byte < 4; byte++)
    if (poison >> byte & 1)
      warp->mixed[reg][lane][byte] = 0;
  warp->registers[reg][lane] = (warp->registers[reg][lane] & ~mask) | (value & mask);
  warp->defined[reg][lane] = (uint8_t)((warp->defined[reg][lane] | bytes) & ~poison);
  return true;
}

bool
norn_valhall_write_destination(NornValhallSimWarp *warp, unsigned lane,
                               const NornValhallResult *result, uint64_t undefined,
                               GError **error) {
  for (unsigned i = 0; i < warp->instruction->destination.count; i++)
    if (!write_register(warp, warp->instruction->destination.first + i, lane,
                        (uint32_t)(result->bits >> 32 * i), (uint32_t)(result->mask >> 32 * i),
                        (uint32_t)(undefined >> 32 * i), error))
      return false;
  return true;
}

/* --- All lanes at once --- */

/* A byte for each lane: all ones if it is active. */
typedef union LaneBytes {
  uint8_t lane[NORN_VALHALL_WARP];
  uint64_t word[2];
} LaneBytes;

#define BYTE_EACH UINT64_C(0x0101010101010101)

/* Expands eight bits to eight bytes, 0xFF for a 1. */
static inline uint64_t
spread(unsigned bits) {
  uint64_t each = bits * BYTE_EACH & UINT64_C(0x8040201008040201);
  return ((each + UINT64_C(0x7F7F7F7F7F7F7F7F)) >> 7 & BYTE_EACH) * 0xFF;
}

static inline LaneBytes
active_bytes(const NornValhallSimWarp *warp) {
  LaneBytes bytes;
  bytes.word[0] = GUINT64_TO_LE(spread(warp->active & 0xFF));
  bytes.word[1] = GUINT64_TO_LE(spread(warp->active >> 8));
  return bytes;
}

bool
norn_valhall_is_ready(const NornValhallSimWarp *warp) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  uint64_t touched = instruction->reads | instruction->drops | instruction->writes;
  if (warp->some_in_flight & touched || warp->some_read & instruction->drops)
    return false;
  LaneBytes active = active_bytes(warp);
  uint64_t lacking = 0;
  for (uint64_t left = instruction->reads; left; left &= left - 1) {
    LaneBytes defined;
    memcpy(&defined, warp->defined[__builtin_ctzll(left)], sizeof defined);
    lacking |= (defined.word[0] ^ 0xF * BYTE_EACH) & active.word[0];
    lacking |= (defined.word[1] ^ 0xF * BYTE_EACH) & active.word[1];
  }
  return !lacking;
}

void
norn_valhall_drop_registers(NornValhallSimWarp *warp, uint64_t registers) {
  LaneBytes active = active_bytes(warp);
  warp->some_discarded |= registers;
  for (uint64_t left = registers; left; left &= left - 1) {
    LaneBytes defined;
    unsigned reg = (unsigned)__builtin_ctzll(left);
    memcpy(&defined, warp->defined[reg], sizeof defined);
    defined.word[0] &= ~active.word[0];
    defined.word[1] &= ~active.word[1];
    memcpy(warp->defined[reg], &defined, sizeof defined);
    norn_valhall_for_each_active(warp, lane) {
      norn_valhall_unmix(warp, reg, lane);
    }
  }
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    warp->discarded[lane] |= warp->active >> lane & 1 ? registers : 0;
}

/* The register is written in the active lanes, so it no longer counts as dropped there. */
static void
take_back(NornValhallSimWarp *warp, unsigned reg) {
  uint64_t bit = NORN_VALHALL_REGISTER_BIT(reg);
  if (!(warp->some_discarded & bit))
    return;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    warp->discarded[lane] &= warp->active >> lane & 1 ? ~bit : UINT64_MAX;
  if (warp->active == 0xFFFF)
    warp->some_discarded &= ~bit;
}

void
norn_valhall_write_warp(NornValhallSimWarp *warp, unsigned reg, const uint64_t *values,
                        unsigned shift, uint32_t mask) {
  LaneBytes active = active_bytes(warp), defined;
  uint32_t *restrict lanes = warp->registers[reg];
  unsigned bytes = 0;
  if (!mask)
    return;
  take_back(warp, reg);
  if (mask == UINT32_MAX && warp->active == (1u << NORN_VALHALL_WARP) - 1) {
    for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
      lanes[lane] = (uint32_t)(values[lane] >> shift);
    memset(warp->defined[reg], 0xF, sizeof warp->defined[reg]);
    return;
  }
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++) {
    uint32_t written = warp->active >> lane & 1 ? mask : 0;
    lanes[lane] = (lanes[lane] & ~written) | ((uint32_t)(values[lane] >> shift) & written);
  }
  for (unsigned byte = 0; byte < 4; byte++)
    bytes |= (mask >> 8 * byte & 0xFF ? 1u : 0u) << byte;
  memcpy(&defined, warp->defined[reg], sizeof defined);
  defined.word[0] |= bytes * BYTE_EACH & active.word[0];
  defined.word[1] |= bytes * BYTE_EACH & active.word[1];
  memcpy(warp->defined[reg], &defined, sizeof defined);
}

/* --- Messages --- */

/* Whether the instruction's group includes register `index`, which depends on its modifiers. */
static inline bool
check_staging(const NornValhallSimWarp *warp, const NornValhallSimGroup *group, unsigned index,
              unsigned lane, GError **error) {
  return index < group->count ||
         norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_ILLEGAL_INSTRUCTION, error,
                           "needs more than %u staging registers", group->count);
}

bool
norn_valhall_read_staging(NornValhallSimWarp *warp, unsigned index, unsigned lane, unsigned bytes,
                          uint32_t *value, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  if (!check_staging(warp, &instruction->staging_read, index, lane, error))
    return false;
  unsigned reg = instruction->staging_read.first + index;
  uint32_t undefined;
  if (!read_register(warp, reg, lane, value, &undefined, error))
    return false;
  if (bytes & ~warp->defined[reg][lane])
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_UNDEFINED_BITS, error,
                             "bits 0x%x of staging register r%u are undefined", undefined, reg);
  warp->read[instruction->slot][lane] |= NORN_VALHALL_REGISTER_BIT(reg);
  warp->some_read |= NORN_VALHALL_REGISTER_BIT(reg);
  return true;
}

bool
norn_valhall_write_staging(NornValhallSimWarp *warp, unsigned index, unsigned lane, unsigned bytes,
                           uint32_t value, GError **error) {
  if (!check_staging(warp, &warp->instruction->staging_write, index, lane, error))
    return false;
  unsigned reg = warp->instruction->staging_write.first + index;
  if (!check_free(warp, reg, lane, "written", error))
    return false;
  warp->registers[reg][lane] = value;
  warp->defined[reg][lane] = (uint8_t)bytes;
  norn_valhall_unmix(warp, reg, lane);
  warp->discarded[lane] &= ~NORN_VALHALL_REGISTER_BIT(reg);
  warp->pending[lane] |= NORN_VALHALL_REGISTER_BIT(reg);
  return true;
}

void
norn_valhall_finish_issue(NornValhallSimWarp *warp, unsigned lane) {
  warp->written[warp->instruction->slot][lane] |= warp->pending[lane];
  warp->in_flight[lane] |= warp->pending[lane];
  warp->some_in_flight |= warp->pending[lane];
  warp->pending[lane] = 0;
}

int
norn_valhall_slot_in_flight(const NornValhallSimWarp *warp, unsigned lane) {
  for (int slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (warp->last_message[slot][lane] > warp->waited[slot][lane])
      return slot;
  return -1;
}

/* Makes the unions exact. */
static void
unite_lanes(NornValhallSimWarp *warp) {
  warp->some_in_flight = warp->some_read = 0;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    warp->some_in_flight |= warp->in_flight[lane];
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
      warp->some_read |= warp->read[slot][lane];
}

void
norn_valhall_wait_for_slots(NornValhallSimWarp *warp, unsigned slots) {
  norn_valhall_finish_accesses(warp, slots);
  norn_valhall_finish_messages(warp, warp->active, slots);
  norn_valhall_for_each_active(warp, lane) {
    warp->in_flight[lane] = 0;
    warp->waits_seen[lane] |= (uint8_t)slots;
    for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
      if (slots >> slot & 1) {
        warp->written[slot][lane] = warp->read[slot][lane] = 0;
        warp->waited[slot][lane] = warp->message;
      }
      warp->in_flight[lane] |= warp->written[slot][lane];
    }
  }
  unite_lanes(warp);
}

/* --- Control flow --- */

bool
norn_valhall_branch_lane(NornValhallSimWarp *warp, unsigned lane, int64_t target, GError **error) {
  if (target < 0 || target >= warp->run->instruction_count)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_BRANCH_TARGET, error,
                             "branches out of the program, to instruction %" G_GINT64_FORMAT,
                             target);
  warp->pc[lane] = (uint32_t)target;
  return true;
}
