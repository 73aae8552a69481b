/* Accesses of different invocations to the same bytes that are not ordered by a barrier. */
#ifndef NORN_SIM_COMMON_RACES_H
#define NORN_SIM_COMMON_RACES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { NORN_ACCESS_READ, NORN_ACCESS_WRITE, NORN_ACCESS_ATOMIC } NornAccessKind;

typedef struct NornRaces NornRaces;

/* The earlier access of a race. */
typedef struct NornRace {
  uint32_t thread;
  NornAccessKind kind;
  bool is_of_workgroup; /* of the same workgroup, so that a barrier would order the two */
  size_t byte; /* the first byte that both access, relative to the start of the later access */
} NornRace;

NornRaces *norn_races_new(void);
void norn_races_free(NornRaces *races); /* nullable */

/* A workgroup starts: its accesses are not ordered with those of others, and its own memory is
 * new. */
void norn_races_start_workgroup(NornRaces *races);

/* All invocations of the workgroup have reached a barrier. */
void norn_races_pass_barrier(NornRaces *races);

/* Notes an access of invocation `thread` (in the grid) to `size` bytes; `is_shared`: of
 * workgroup memory. False, and *race, if it races. */
bool norn_races_note(NornRaces *races, const uint8_t *bytes, size_t size, NornAccessKind kind,
                     bool is_shared, uint32_t thread, NornRace *race);

/* Describes a race: what the later access, of kind `kind`, does at `address`, what the earlier
 * one does, and what would order them. `invocation` is the number of the earlier access's thread
 * in messages. Free the result with g_free. */
char *norn_race_describe(const NornRace *race, NornAccessKind kind, uint64_t address,
                         uint32_t invocation);

#endif
