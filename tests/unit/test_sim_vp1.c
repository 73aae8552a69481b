/* The VP1 simulator against recorded states: every field of every state must come out exactly. */
#include "sim/vp1.h"
#include "unit.h"

#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

static uint8_t
hex_digit(char c) {
  ck_assert(g_ascii_isxdigit(c));
  return (uint8_t)g_ascii_xdigit_value(c);
}

static void
read_vector(const char *text, uint8_t *vector) {
  ck_assert_uint_eq(strlen(text), 2 * NORN_VP1_LANES);
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    vector[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
}

static void
read_accumulator(JsonArray *array, int32_t *va) {
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    va[i] = (int32_t)json_array_get_int_element(array, i);
}

static void
read_conditions(JsonArray *array, uint32_t *vc) {
  for (unsigned i = 0; i < 4; i++)
    vc[i] = (uint32_t)json_array_get_int_element(array, i);
}

static void
read_scalar_input(JsonObject *object, NornVp1ScalarInput *s2v) {
  JsonArray *factors = json_object_get_array_member(object, "factor");
  s2v->valid = json_object_get_int_member(object, "valid") != 0;
  s2v->vcsrc = (uint8_t)json_object_get_int_member(object, "vcsrc");
  s2v->vcpart = (uint8_t)json_object_get_int_member(object, "vcpart");
  s2v->vcmode = (uint8_t)json_object_get_int_member(object, "vcmode");
  for (unsigned i = 0; i < 4; i++)
    s2v->factor[i] = (int16_t)json_array_get_int_element(factors, i);
}

static void
read_state(JsonObject *object, NornVp1State *state) {
  JsonArray *vectors = json_object_get_array_member(object, "v");
  JsonArray *conditions = json_object_get_array_member(object, "c");
  memset(state, 0, sizeof *state);
  state->tie_down = json_object_get_int_member(object, "tiernd_down") != 0;
  read_scalar_input(json_object_get_object_member(object, "s2v"), &state->s2v);
  read_conditions(json_object_get_array_member(object, "vc"), state->vc);
  read_accumulator(json_object_get_array_member(object, "va"), state->va);
  read_vector(json_object_get_string_member(object, "vx"), state->vx);
  for (unsigned i = 0; i < 4; i++)
    state->c[i] = (uint16_t)json_array_get_int_element(conditions, i);
  for (unsigned i = 0; i < 32; i++)
    read_vector(json_array_get_string_element(vectors, i), state->v[i]);
}

/* Lays what changed over the state before. */
static void
read_changes(JsonObject *out, NornVp1State *state) {
  JsonObject *vectors = json_object_get_object_member(out, "v");
  GList *names = json_object_get_members(vectors);
  if (json_object_has_member(out, "vc"))
    read_conditions(json_object_get_array_member(out, "vc"), state->vc);
  if (json_object_has_member(out, "va"))
    read_accumulator(json_object_get_array_member(out, "va"), state->va);
  for (GList *name = names; name; name = name->next) {
    unsigned index = (unsigned)strtoul(name->data, NULL, 10);
    ck_assert_uint_lt(index, 32);
    read_vector(json_object_get_string_member(vectors, name->data), state->v[index]);
  }
  g_list_free(names);
}

static void
check_state(const char *word, const NornVp1State *state, const NornVp1State *expected) {
  for (unsigned i = 0; i < 32; i++)
    ck_assert_msg(!memcmp(state->v[i], expected->v[i], NORN_VP1_LANES), "%s: $v%u differs", word,
                  i);
  for (unsigned i = 0; i < 4; i++)
    ck_assert_msg(state->vc[i] == expected->vc[i], "%s: $vc%u is %08x, not %08x", word, i,
                  state->vc[i], expected->vc[i]);
  for (unsigned i = 0; i < NORN_VP1_LANES; i++)
    ck_assert_msg(state->va[i] == expected->va[i], "%s: $va[%u] is %d, not %d", word, i,
                  state->va[i], expected->va[i]);
  ck_assert_msg(!memcmp(state->vx, expected->vx, NORN_VP1_LANES), "%s: $vx differs", word);
}

START_TEST(recorded_states_come_out_exactly) {
  char *text = NULL;
  GError *error = NULL;
  unsigned count = 0;
  ck_assert_msg(
      g_file_get_contents(NORN_TEST_DIR "/oracle/vp1-execution.jsonl", &text, NULL, &error), "%s",
      error ? error->message : "");
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    NornVp1State state, expected;
    JsonNode *root;
    JsonObject *object;
    if (!**line)
      continue;
    root = json_from_string(*line, &error);
    ck_assert_msg(root != NULL, "%s", error ? error->message : "");
    object = json_node_get_object(root);
    const char *word = json_object_get_string_member(object, "word");
    read_state(object, &state);
    expected = state;
    read_changes(json_object_get_object_member(object, "out"), &expected);
    ck_assert(norn_vp1_execute(&state, (uint32_t)strtoul(word, NULL, 16), &error));
    check_state(word, &state, &expected);
    json_node_unref(root);
    count++;
  }
  ck_assert_uint_eq(count, 1280);
  g_strfreev(lines);
  g_free(text);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("vp1 simulator");
  TCase *tcase = tcase_create("recorded");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, recorded_states_come_out_exactly);
  suite_add_tcase(suite, tcase);
  return suite;
}
