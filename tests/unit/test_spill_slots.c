/* The check of spill slots: correct slots pass, and each kind of error is reported. */
#include "check/spill_slots.h"
#include "ir_text.h"
#include "unit.h"

/* A value that is computed before a loop, one in the loop, and the code after it. */
static const char program[] = "shader compute @t workgroup(16, 1, 1) scratch(64) {\n"
                              "  fau n: i32 @ 0\n"
                              "entry:\n"
                              "  %a = lane_id\n"
                              "  %b = iadd.i32 %a, 1\n"
                              "  jump loop(%a)\n"
                              "loop(%p: i32):\n"
                              "  %c = iadd.i32 %p, 1\n"
                              "  %d = icmp.ult.i32 %c, fau.n\n"
                              "  br %d, loop(%c), done\n"
                              "done:\n"
                              "  %e = iadd.i32 %b, 1\n"
                              "  end\n"
                              "}\n";

/* Two nested loops; the outer one is left before its body. */
static const char nested[] = "shader compute @t workgroup(16, 1, 1) scratch(64) {\n"
                             "  fau n: i32 @ 0\n"
                             "entry:\n"
                             "  %a = lane_id\n"
                             "  jump outer\n"
                             "outer:\n"
                             "  %b = iadd.i32 %a, 1\n"
                             "  jump inner\n"
                             "inner:\n"
                             "  %c = icmp.ult.i32 %a, fau.n\n"
                             "  br %c, body, after\n"
                             "body:\n"
                             "  %d = iadd.i32 %a, 2\n"
                             "  jump inner\n"
                             "after:\n"
                             "  %e = icmp.ult.i32 %b, fau.n\n"
                             "  br %e, outer, done\n"
                             "done:\n"
                             "  end\n"
                             "}\n";

/* Accesses are "store a 0": the kind of access, the value at whose definition (or the block at
 * whose end) it is, and the slot. */
typedef struct Case {
  NornSpillSlot slots[2]; /* `block` is 1 for a parameter of the loop */
  const char *accesses;
  const char *complaint; /* NULL: it is correct */
  bool is_nested;        /* which of the two programs */
} Case;

#define START 16
#define VALUE(offset, size)                                                                        \
  { offset, size, 0 }
#define PARAMETER(offset, size)                                                                    \
  { offset, size, 1 }

static const Case cases[] = {
    {{VALUE(16, 4)}, "store a 0, fill e 0", NULL},
    {{VALUE(16, 4)}, "fill e 0", "a slot is read before it is written"},
    /* a value that only one path stores does not exist on the other */
    {{VALUE(16, 4)}, "store e 0, fill c 0", "a slot is read before it is written"},
    {{VALUE(16, 4), VALUE(20, 4)}, "store a 0, store b 1, fill d 0, fill e 1", NULL},
    {{VALUE(16, 4), VALUE(16, 4)}, "store a 0, fill b 0, store b 1, fill e 1", NULL},
    {{VALUE(16, 4), VALUE(18, 4)},
     "store a 0, store b 1, fill e 0",
     "bytes 16 to 19 are overwritten while they are still needed"},
    /* needed in the next iteration */
    {{VALUE(16, 4), VALUE(16, 4)},
     "store a 0, fill c 0, store d 1, fill done 1",
     "bytes 16 to 19 are overwritten while they are still needed"},
    /* the same, with a store in the block after the loop, where nothing is live */
    {{VALUE(16, 4), VALUE(16, 4)},
     "store a 0, fill c 0, store d 1, store e 1",
     "bytes 16 to 19 are overwritten while they are still needed"},
    {{PARAMETER(16, 4)}, "argument entry 0, argument loop 0, fill c 0", NULL},
    {{PARAMETER(16, 4)}, "argument entry 0, keep loop 0, fill d 0", NULL},
    {{PARAMETER(16, 4)}, "argument entry 0, fill c 0", "an argument is not stored"},
    {{PARAMETER(16, 4)}, "argument loop 0, fill c 0", "an argument is not stored"},
    /* the argument overwrites a value that is still read after the loop */
    {{PARAMETER(16, 4), VALUE(16, 4)},
     "store b 1, argument entry 0, keep loop 0, fill c 0, fill e 1",
     "bytes 16 to 19 are overwritten while they are still needed"},
    {{VALUE(12, 4)}, "store a 0, fill e 0", "the bytes from 12 are not reserved for spilling"},
    {{VALUE(64, 4)}, "store a 0, fill e 0", "the bytes from 64 are not reserved for spilling"},
    {{VALUE(28, 8)},
     "store a 0, fill e 0",
     "8 bytes at byte 28 cross a boundary between pieces of memory"},
    {{VALUE(24, 8)}, "store a 0, fill e 0", NULL},
    /* needed in the next iteration of the outer loop */
    {{VALUE(16, 4), VALUE(16, 4)},
     "store a 0, fill b 0, store d 1, fill body 1",
     "bytes 16 to 19 are overwritten while they are still needed",
     true},
    {{VALUE(16, 4), VALUE(20, 4)}, "store a 0, fill b 0, store d 1, fill body 1", NULL, true},
};

/* The instruction that defines the value with that name, or that ends the block with that name. */
static uint32_t
find_inst(const NornFunction *function, const char *name) {
  norn_for_each_block (function, block) {
    if (!strcmp(norn_string(function->module, norn_block(function, block)->name), name))
      return norn_block(function, block)->last;
    norn_for_each_inst (function, block, inst)
      if (norn_inst(function, inst)->result_count &&
          !strcmp(norn_string(function->module,
                              norn_value(function, norn_inst(function, inst)->result)->name),
                  name))
        return inst;
  }
  ck_abort_msg("there is no %s", name);
}

static unsigned
read_accesses(const NornFunction *function, const char *text, NornSpillAccess *accesses) {
  static const char *const kinds[] = {[NORN_SPILL_FILL] = "fill",
                                      [NORN_SPILL_STORE] = "store",
                                      [NORN_SPILL_STORE_ARGUMENT] = "argument",
                                      [NORN_SPILL_KEEP] = "keep"};
  char **parts = g_strsplit(text, ", ", -1);
  unsigned count = g_strv_length(parts);
  for (unsigned k = 0; k < count; k++) {
    char **words = g_strsplit(parts[k], " ", 3);
    unsigned kind = 0;
    while (strcmp(kinds[kind], words[0]))
      kind++;
    accesses[k] = (NornSpillAccess){(NornSpillAccessKind)kind, find_inst(function, words[1]),
                                    (uint32_t)(words[2][0] - '0')};
    g_strfreev(words);
  }
  g_strfreev(parts);
  return count;
}

START_TEST(test_slots) {
  const Case *row = &cases[_i];
  GError *error = NULL;
  NornModule *module = parse_text(row->is_nested ? nested : program);
  const NornFunction *function = module->functions[0];
  const NornTarget target = {.spill_piece_bytes = 16};
  NornSpillAccess accesses[8];
  NornSpillSlot slots[2];
  unsigned count = read_accesses(function, row->accesses, accesses);
  unsigned slot_count = row->slots[1].size ? 2 : 1;
  for (unsigned k = 0; k < slot_count; k++) {
    slots[k] = row->slots[k];
    slots[k].block = row->slots[k].block ? function->block_order[1] : NORN_INDEX_NONE;
  }
  bool is_right =
      norn_check_spill_slots(&target, function, slots, slot_count, accesses, count, START, &error);
  ck_assert_msg(is_right == !row->complaint, "%s: %s", row->accesses,
                error ? error->message : "no complaint");
  ck_assert_msg(is_right || strstr(error->message, row->complaint), "%s: %s", row->accesses,
                is_right ? "" : error->message);
  g_clear_error(&error);
  norn_module_free(module);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("spill_slots");
  TCase *tests = tcase_create("slots");
  tcase_add_loop_test(tests, test_slots, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, tests);
  return suite;
}
