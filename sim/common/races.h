/* Accesses of different invocations to the same bytes that no barrier orders. */
#ifndef NORN_SIM_COMMON_RACES_H
#define NORN_SIM_COMMON_RACES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { NORN_ACCESS_READ, NORN_ACCESS_WRITE, NORN_ACCESS_ATOMIC } NornAccessKind;

typedef struct NornRaces NornRaces;

/* The access that another one races with. */
typedef struct NornRace {
  uint32_t thread;
  NornAccessKind kind;
  bool is_of_workgroup; /* of the same one, so that a barrier would order the two */
  size_t byte; /* the first byte that both touch, counted from the start of the later access */
} NornRace;

NornRaces *norn_races_new(void);
void norn_races_free(NornRaces *races); /* nullable */

/* A workgroup starts: nothing orders what it does and what others did, and its own memory is new.
 */
void norn_races_start_workgroup(NornRaces *races);

/* All invocations of the workgroup have come to a barrier. */
void norn_races_pass_barrier(NornRaces *races);

/* Notes an access of invocation `thread` (of the grid) to `size` bytes; `is_shared`: of workgroup
 * memory. False if it races, with *race. */
bool norn_races_note(NornRaces *races, const uint8_t *bytes, size_t size, NornAccessKind kind,
                     bool is_shared, uint32_t thread, NornRace *race);

/* Says of a race what the later access, of that kind, does at `address`, what the other one does,
 * and what would order them; `invocation` is the number that the other one's thread has in
 * messages. To be freed with g_free. */
char *norn_race_describe(const NornRace *race, NornAccessKind kind, uint64_t address,
                         uint32_t invocation);

#endif
