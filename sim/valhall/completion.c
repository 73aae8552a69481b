/* Messages that complete later than they are issued. */
#include "sim/valhall/completion.h"
#include "ir/random.h"

/* On average, one message in this many instructions completes on its own. */
#define INSTRUCTIONS_A_COMPLETION 3

void
norn_valhall_complete(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion) {
  if (!warp->run->random) {
    completion->finish(warp, completion);
    return;
  }
  if (!warp->completions)
    warp->completions = g_array_new(FALSE, FALSE, sizeof *completion);
  g_array_append_vals(warp->completions, completion, 1);
}

static void
finish_at(NornValhallSimWarp *warp, guint index) {
  NornValhallSimCompletion completion =
      g_array_index(warp->completions, NornValhallSimCompletion, index);
  g_array_remove_index_fast(warp->completions, index);
  completion.finish(warp, &completion);
}

/* Each search starts at a random position. */
void
norn_valhall_finish_messages(NornValhallSimWarp *warp, unsigned lanes, unsigned slots) {
  guint count = warp->completions ? warp->completions->len : 0;
  for (guint left = count; left; left--) {
    guint at = norn_random_below(&warp->run->random, warp->completions->len);
    for (guint i = 0; i < warp->completions->len; i++, at = (at + 1) % warp->completions->len) {
      const NornValhallSimCompletion *completion =
          &g_array_index(warp->completions, NornValhallSimCompletion, at);
      if (lanes >> completion->lane & 1 && slots >> completion->instruction->slot & 1)
        break;
      if (i + 1 == warp->completions->len)
        return;
    }
    finish_at(warp, at);
  }
}

void
norn_valhall_finish_some(NornValhallSimWarp *warp) {
  if (warp->completions && warp->completions->len &&
      norn_random_below(&warp->run->random, INSTRUCTIONS_A_COMPLETION) == 0)
    finish_at(warp, norn_random_below(&warp->run->random, warp->completions->len));
}
