/* The verifier: a text for each rule with the error that it must find, and modules broken by
 * hand. */
#include "ir/builder.h"
#include "ir/ir.h"
#include "ir_text.h"
#include "unit.h"
#include <glib.h>
#include <norn/module.h>
#include <string.h>

/* A fragment shader with the condition %c. */
#define FRAGMENT(text) "shader fragment @t {\nentry:\n  %c = front_facing\n" text "}\n"
#define VERTEX(text) "shader vertex @t {\nentry:\n" text "  end\n}\n"
#define TARGET "target valhall 9\n"

static const struct {
  const char *text, *message;
} cases[] = {
    /* types */
    {BODY("  %a = iadd.i32 1, 2\n  %b = fadd.f32 %a, 1.0\n"),
     "t:4:3: fadd: operand 1, %a, is i32, expected f32"},
    {BODY("  %a = load.global.i32 1\n  %b = load.global.i32 %a\n"),
     "t:4:3: load.global: operand 1, %a, is i32, expected i64"},
    {BODY("  %a = zext.i32.i64 1\n"), "t:3:3: zext: i32 must be wider than i64"},
    {BODY("  %a = zext.i32.i32 1\n"), "t:3:3: zext: i32 must be wider than i32"},
    {BODY("  %a = trunc.i64.i32 1\n"), "t:3:3: trunc: i64 must be narrower than i32"},
    {BODY("  %a = bitcast.i64.i32 1\n"), "t:3:3: bitcast: i64 must be as wide as i32"},
    {BODY("  %a = sitofp.rte.v2f16.i32 1\n"),
     "t:3:3: sitofp: v2f16 must have as many lanes as i32"},
    {BODY("  %a = vec.v2f16.i16 1, 2\n"), "t:3:3: vec: v2f16 must have the same lanes as i16"},
    {BODY("  %a = vec.v4i8.i8 1, 2\n"), "t:3:3: vec: 2 operands for the 4 lanes of v4i8"},
    {BODY("  %a = collect.i32.w3 1, 2\n"), "t:3:3: collect: 2 operands for the 3 words of w3"},
    {BODY("  %g = collect.i32.w2 1, 2\n  %a = split.i32.w2 %g\n"),
     "t:4:3: split: 1 results for the 2 words of w2"},
    {BODY("  br u1, x, x\nx:\n"), "t:3:3: br: operand 1 is i1 and cannot be a uniform"},
    /* immediates */
    {BODY("  %a = shladd.u32.i64 1, 2, 7\n"), NULL},
    {BODY("  %a = shladd.u32.i64 1, 2, 8\n"),
     "t:3:3: shladd: operand 3, 8, is not between 0 and 7"},
    {BODY("  %s = iadd.i32 1, 1\n  %a = shladd.u32.i64 1, 2, %s\n"),
     "t:4:3: shladd: operand 3 must be a constant"},
    {BODY("  %a = extract.i8.v4i8 1, 3\n"), NULL},
    {BODY("  %a = extract.i8.v4i8 1, 4\n"), "t:3:3: extract: operand 2, 4, is not between 0 and 3"},
    {BODY("  %a = extract.i16.v2i16 1, 2\n"),
     "t:3:3: extract: operand 2, 2, is not between 0 and 1"},
    {BODY("  %a = preload.i32 64\n"), "t:3:3: preload: operand 1, 64, is not between 0 and 63"},
    {BODY("  %b = preload.i32 62\n  %a = preload.i32 63\n"), NULL},
    {BODY("  %a = iadd.i32 1, 1\n  %b = preload.i32 60\n"),
     "t:4:3: preload: allowed only at the start of the first block"},
    {HEAD "e:\n  jump f\nf:\n  %b = preload.i32 60\n  end\n}\n",
     "t:5:3: preload: allowed only at the start of the first block"},
    /* uniforms */
    {BODY("  %a = iadd.i64 u2, 1\n"), NULL},
    {BODY("  %a = iadd.i64 u3, 1\n"),
     "t:3:3: iadd: operand 1, u3, has 64 bits and must start at an even word"},
    {BODY("  %a = copy.w4 u124\n"), NULL},
    {BODY("  %a = copy.w4 u125\n"),
     "t:3:3: copy: operand 1, u125 of 4 words, extends past the last uniform word"},
    {HEAD "  fau a: i64 @ 1\ne:\n  end\n}\n",
     "t:2:7: the uniform a has 64 bits and must start at an even word"},
    {HEAD "  fau a: i32[4] @ 124\ne:\n  end\n}\n", NULL},
    {HEAD "  fau a: i32[4] @ 2, b: f32 @ 5\ne:\n  end\n}\n",
     "t:2:22: the uniforms a and b overlap"},
    /* the header */
    {"shader compute @t workgroup(1024, 1, 1) {\ne:\n  end\n}\n", NULL},
    {"shader compute @t workgroup(1025, 1, 1) {\ne:\n  end\n}\n",
     "t:1:1: workgroup size 1025, 1, 1, expected 1 to 1024 invocations"},
    {"shader compute @t workgroup(65535, 65535, 65535) {\ne:\n  end\n}\n",
     "t:1:1: workgroup size 65535, 65535, 65535, expected 1 to 1024 invocations"},
    {"shader compute @t workgroup(4, 0, 4) {\ne:\n  end\n}\n",
     "t:1:1: workgroup size 4, 0, 4, expected 1 to 1024 invocations"},
    {"shader vertex @t workgroup(4, 1, 1) {\ne:\n  end\n}\n",
     "t:1:1: only a compute shader can have workgroups"},
    {"shader vertex @t shared(4) {\ne:\n  end\n}\n",
     "t:1:1: only a compute shader can have workgroups"},
    {"shader vertex @t grid(4) {\ne:\n  end\n}\n",
     "t:1:1: only a compute shader can have workgroups"},
    {"shader vertex @t early_tests {\ne:\n  end\n}\n",
     "t:1:1: only a fragment shader can have early tests"},
    {"shader vertex @t by_sample {\ne:\n  end\n}\n",
     "t:1:1: only a fragment shader can run for each sample"},
    {"shader fragment @t early_tests {\ne:\n  store.depth 1.0\n  end\n}\n",
     "t:3:3: store.depth: not allowed in a shader with early tests"},
    {"shader fragment @t early_tests {\ne:\n  store.stencil 1\n  end\n}\n",
     "t:3:3: store.stencil: not allowed in a shader with early tests"},
    {"shader compute @t shared(32769) {\ne:\n  end\n}\n",
     "t:1:1: 32769 bytes of workgroup memory, expected at most 32768"},
    {HEAD "}\n", "t:1:1: the function has no blocks"},
    /* terminators */
    {HEAD "e:\n}\n", "t:2:1: the block is empty; it needs a terminator"},
    {HEAD "e:\n  %a = iadd.i32 1, 2\n}\n",
     "t:3:3: the block does not end in a terminator: iadd is not one"},
    {BODY("  jump x\nx:\n  end\n"), "t:5:3: end, a terminator, is not at the end of its block"},
    {HEAD "e:\n  jump e\n}\n",
     "t:3:3: jump branches to the first block, which must not have a predecessor"},
    {HEAD "e(%a: i32):\n  end\n}\n",
     "t:2:1: the first block of the shader must not have parameters"},
    /* arguments */
    {HEAD "e:\n  jump f\nf(%a: i32):\n  end\n}\n", "t:3:3: jump: 0 arguments for f, which takes 1"},
    {HEAD "e:\n  %x = iadd.i32 1, 2\n  jump f(%x, %x)\nf(%a: i32):\n  end\n}\n",
     "t:4:3: jump: 2 arguments for f, which takes 1"},
    {HEAD "e:\n  %x = iadd.i64 1, 2\n  jump f(%x)\nf(%a: i32):\n  end\n}\n",
     "t:4:3: jump: operand 2, %x, is i64, expected i32"},
    {BODY("  switch.i32 1, a, 2: a, 2: a\na:\n"), "t:3:3: switch: the case 2 is given twice"},
    {BODY("  switch.i32 1, a(7), 2: a(8), 3: a(9)\na(%p: i32):\n"), NULL},
    /* dominance */
    {BODY("  %a = iadd.i32 %b, 1\n  %b = iadd.i32 1, 1\n"),
     "t:3:3: iadd: the definition of %b does not dominate this use"},
    {BODY("  %a = iadd.i32 %a, 1\n"),
     "t:3:3: iadd: the definition of %a does not dominate this use"},
    {HEAD "e:\n  br true, l, r\nl:\n  %a = iadd.i32 1, 1\n  jump j\nr:\n  jump j\nj:\n"
          "  %b = iadd.i32 %a, 1\n  end\n}\n",
     "t:10:3: iadd: the definition of %a does not dominate this use"},
    {HEAD "e:\n  br true, l, r\nl:\n  %a = iadd.i32 1, 1\n  jump j(%a)\nr:\n  jump j(%a)\n"
          "j(%p: i32):\n  end\n}\n",
     "t:8:3: jump: the definition of %a does not dominate this use"},
    /* blocks in any order, irreducible loops, unreachable blocks */
    {HEAD "e:\n  jump b\nc:\n  %y = iadd.i32 %x, 1\n  end\nb:\n  %x = iadd.i32 1, 1\n  jump c\n}\n",
     NULL},
    {HEAD "e:\n  %x = iadd.i32 1, 1\n  br true, a(%x), b\na(%p: i32):\n  jump b\n"
          "b:\n  br false, a(%x), c\nc:\n  %y = iadd.i32 %x, 1\n  end\n}\n",
     NULL},
    {HEAD "e:\n  br true, a, b\na:\n  %x = iadd.i32 1, 1\n  jump b\nb:\n  br false, a, c\nc:\n"
          "  %y = iadd.i32 %x, 1\n  end\n}\n",
     "t:10:3: iadd: the definition of %x does not dominate this use"},
    {HEAD "e:\n  end\nu:\n  %x = iadd.i32 %y, 1\n  %y = iadd.i32 1, 1\n  jump u\n}\n",
     "t:5:3: iadd: the definition of %y does not dominate this use"},
    {HEAD "e:\n  jump d\nu:\n  %x = iadd.i32 1, 1\n  jump d\nd:\n  %y = iadd.i32 %x, 1\n  end\n}\n",
     "t:8:3: iadd: the definition of %x does not dominate this use"},
    /* functions */
    {BODY("  return.void\nx:\n"), "t:3:3: return: the shader itself must end with 'end'"},
    {BODY("") "function @f() -> i32 {\ne:\n  return.void\n}\n",
     "t:7:3: return: the type is void, but the function returns i32"},
    {BODY("") "function @f() -> i32 {\ne:\n  return.i32\n}\n",
     "t:7:3: return: the value is missing"},
    {BODY("  %a = call.i32 @f(1)\n") "function @f(%x: i32) -> f32 {\ne:\n  return.f32 1.0\n}\n",
     "t:3:3: call: @f returns f32, not i32"},
    {BODY("  %a = call.i32 @f()\n") "function @f(%x: i32) -> i32 {\ne:\n  return.i32 %x\n}\n",
     "t:3:3: call: 0 arguments for f, which takes 1"},
    {BODY("  call.void @f()\n") "function @f() -> void {\ne:\n  call.void @g()\n  return.void\n}\n"
                                "function @g() -> void {\ne:\n  call.void @f()\n  return.void\n}\n",
     "t:13:3: @f calls itself through @g; recursion is not supported"},
    {BODY("  call.void @f()\n") "function @f() -> void {\ne:\n  call.void @h()\n"
                                "  call.void @g()\n  return.void\n}\n"
                                "function @g() -> void {\ne:\n  call.void @f()\n  return.void\n}\n"
                                "function @h() -> void {\ne:\n  return.void\n}\n",
     "t:14:3: @f calls itself through @g; recursion is not supported"},
    {BODY("  call.void @f()\n") "function @f() -> void {\ne:\n  jump e\n}\n",
     "t:8:3: jump branches to the first block, which must not have a predecessor"},
    /* registers */
    {TARGET BODY("  %a@r4:r5 = iadd.i64 1, 2\n"), NULL},
    {TARGET BODY("  %a@r5:r6 = iadd.i64 1, 2\n"),
     "t:4:3: %a has several registers and must start at a multiple of 2, not r5"},
    {TARGET BODY("  %a@r63 = iadd.i32 1, 2\n"), NULL},
    {TARGET BODY("  %a@r64 = iadd.i32 1, 2\n"),
     "t:4:3: %a is not in r0 to r63, the registers of its type"},
    {TARGET BODY("  %a@r62:r65 = load.global.w4 0\n"),
     "t:4:3: %a is not in r0 to r63, the registers of its type"},
    {BODY("  %g = collect.i32.w2 1, 2\n  %a@r4, %b@r4 = split.i32.w2 %g\n"),
     "t:4:3: two results share a register"},
    {BODY("  %a@r4 = iadd.i32 1, 2\n  %b@r5 = iadd.i32 ^%a@r4, 1\n"), NULL},
    {BODY("  %a = iadd.i32 1, 2\n  %b = iadd.i32 ^%a, 1\n"),
     "t:4:3: iadd: operand 1, %a, is marked as a last use (^), but has no register"},
    {"target valhall 9\n" BODY("  %a = iadd.i32 1, 2\n  %b = FADD.f32 %a, ^%a\n"),
     "t:5:3: the machine instruction: operand 2, %a, is marked as a last use (^), but has no "
     "register"},
    /* outputs: rules for all paths */
    {FRAGMENT("  store.depth 1.0\n  br %c, a, b\na:\n  end\nb:\n  end\n"), NULL},
    {FRAGMENT("  br %c, a, b\na:\n  end\nb:\n  store.depth 1.0\n  end\n"),
     "t:6:3: end: a path reaches this point without store.depth, which other paths have; all paths "
     "must have it or none"},
    {FRAGMENT("  br %c, a, b\na:\n  jump b\nb:\n  store.stencil 1\n  end\n"), NULL},
    {FRAGMENT("  br %c, a, b\na:\n  store.stencil 1\n  jump b\nb:\n  end\n"),
     "t:9:3: end: a path reaches this point without store.stencil, which other paths have; all "
     "paths must have it or none"},
    {FRAGMENT("  br %c, a, b\na:\n  store.stencil 1\n  jump b\nb:\n  store.depth 0.5\n  end\n"),
     "t:10:3: end: a path reaches this point without store.stencil, which other paths have; all "
     "paths must have it or none"},
    {FRAGMENT("  br %c, a, b\na:\n  %t = undef.w4\n  store.second_color.f32.w4 %t\n  end\n"
              "b:\n  end\n"),
     "t:10:3: end: a path reaches this point without store.second_color, which other paths have; "
     "all paths must have it or none"},
    {FRAGMENT("  br %c, a, b\na:\n  store.coverage 1\n  end\nb:\n  end\n"), NULL},
    /* ... where nothing is written, on impossible paths, in loops */
    {FRAGMENT("  br %c, a, b\na:\n  terminate\nb:\n  store.depth 1.0\n  end\n"), NULL},
    {FRAGMENT("  br %c, a, b\na:\n  demote true\n  end\nb:\n  store.depth 1.0\n  end\n"), NULL},
    {FRAGMENT("  br %c, a, b\na:\n  demote %c\n  end\nb:\n  store.depth 1.0\n  end\n"),
     "t:7:3: end: a path reaches this point without store.depth, which other paths have; all paths "
     "must have it or none"},
    {FRAGMENT("  store.depth 1.0\n  end\na:\n  end\n"), NULL},
    {FRAGMENT("  jump a\na:\n  br %c, b, x\nb:\n  store.depth 1.0\n  jump a\nx:\n  end\n"),
     "t:11:3: end: a path reaches this point without store.depth, which other paths have; all "
     "paths must have it or none"},
    {FRAGMENT("  jump a\na:\n  store.depth 1.0\n  br %c, a, x\nx:\n  end\n"), NULL},
    /* ... across calls */
    {FRAGMENT("  call.void @f(%c)\n  end\n") "function @f(%a: i1) -> void {\ne:\n"
                                             "  store.depth 1.0\n  return.void\n}\n",
     NULL},
    {FRAGMENT(
         "  call.void @f(%c)\n  end\n") "function @f(%a: i1) -> void {\ne:\n  br %a, x, y\nx:\n"
                                        "  store.depth 1.0\n  jump y\ny:\n  return.void\n}\n",
     "t:5:3: end: a path reaches this point without store.depth, which other paths have; all paths "
     "must have it or none"},
    {FRAGMENT(
         "  store.depth 1.0\n  call.void @f(%c)\n  end\n") "function @f(%a: i1) -> void {\ne:\n"
                                                           "  end\n}\n",
     NULL},
    {FRAGMENT("  br %c, a, b\na:\n  call.void @f(%c)\n  end\nb:\n  store.depth 1.0\n"
              "  call.void @f(%c)\n  end\n") "function @f(%a: i1) -> void {\ne:\n  end\n}\n",
     "t:15:3: end: a path reaches this point without store.depth, which other paths have; all "
     "paths must have it or none"},
    {FRAGMENT("  br %c, a, b\na:\n  store.depth 1.0\n  call.void @f(%c)\n  end\nb:\n"
              "  call.void @f(%c)\n  end\n") "function @f(%a: i1) -> void {\ne:\n  end\n}\n",
     "t:15:3: end: a path reaches this point without store.depth, which other paths have; all "
     "paths must have it or none"},
    /* ... in a loop with two entries */
    {FRAGMENT("  br %c, p, q\np:\n  store.depth 1.0\n  jump a\nq:\n  jump b\na:\n"
              "  br %c, b, y\nb:\n  br %c, a, x\nx:\n  terminate\ny:\n  end\n"),
     "t:17:3: end: a path reaches this point without store.depth, which other paths have; all "
     "paths must have it or none"},
    /* colors have one format */
    {FRAGMENT("  %a = undef.w4\n  store.color.f32.w4 %a\n  store.color_if.f32.w4 %a, %c\n"
              "  store.color.s32.w4 %a, target:1\n  end\n"),
     NULL},
    {FRAGMENT("  %a = undef.w4\n  store.color.f32.w4 %a, target:1\n"
              "  store.color_if.s32.w4 %a, %c, target:1\n  end\n"),
     "t:6:3: store.color_if: other stores of this color have format f32; all must have the same"},
    {FRAGMENT("  %a = undef.w4\n  store.second_color.f32.w4 %a\n  store.second_color.u32.w4 %a\n"
              "  end\n"),
     "t:6:3: store.second_color: other stores of this color have format f32; all must have the "
     "same"},
    /* attributes hold one to four components */
    {VERTEX("  %a = load.attribute.f16.w2 0, 0\n  %b = load.attribute.f32.w4 0, 0\n"), NULL},
    {VERTEX("  %a = load.attribute.f16.w3 0, 0\n"),
     "t:3:3: load.attribute: w3 cannot hold one to four components of f16"},
    {VERTEX("  %a = load.attribute.s16.w4 0, 0\n"),
     "t:3:3: load.attribute: w4 cannot hold one to four components of s16"},
    {VERTEX("  %a = load.attribute.f32.i16 0, 0\n"),
     "t:3:3: load.attribute: i16 cannot hold one to four components of f32"},
    {TARGET HEAD "e:\n  jump f(1)\nf(%a@r3:r4: i64):\n  end\n}\n",
     "t:5:1: %a has several registers and must start at a multiple of 2, not r3"},
    /* what differs from an earlier instruction of the same form */
    {FRAGMENT("  %a = undef.w4\n  store.color.f32.w4 %a, target:1\n"
              "  store.color.s32.w4 %a, target:0\n  store.color.f32.w4 %a, target:0\n  end\n"),
     "t:7:3: store.color: other stores of this color have format s32; all must have the same"},
    {FRAGMENT("  %a = select.i32 %c, 1, 2\n  %b = select.i32 u1, 1, 2\n  end\n"),
     "t:5:3: select: operand 1 is i1 and cannot be a uniform"},
    {TARGET BODY("  %a = iadd.i64 1, 2\n  %b@r5:r6 = iadd.i64 1, 2\n"),
     "t:5:3: %b has several registers and must start at a multiple of 2, not r5"},
    /* several faults */
    {BODY("  %a = zext.i32.i32 1\n  %b = fadd.f32 %a, 1.0\n"),
     "t:3:3: zext: i32 must be wider than i32\n"
     "t:4:3: fadd: operand 1, %a, is i32, expected f32"},
};

START_TEST(texts) {
  check_verified(parse_text(cases[_i].text), cases[_i].message);
}
END_TEST

#define GOOD                                                                                       \
  HEAD "e:\n  %a = iadd.i32 1, 2\n  %b = iadd.i32 %a, 3\n  jump f(%b)\nf(%p: i32):\n  end\n}\n"

/* Errors in a program that cannot be written as text: instruction 1 is "%b = iadd". */
START_TEST(broken_references) {
  NornModule *module = parse_text(GOOD);
  NornFunction *function = module->functions[0];
  norn_operands(function, norn_inst(function, 1))[0] = norn_ref(NORN_REF_VALUE, 77);
  check_verified(module, "t:4:3: iadd: operand 1 is not a valid reference (0x1000004d)");

  module = parse_text(GOOD);
  function = module->functions[0];
  norn_operands(function, norn_inst(function, 1))[0] = 0;
  check_verified(module, "t:4:3: iadd: operand 1 is not a valid reference (0x00000000)");

  module = parse_text(GOOD);
  function = module->functions[0];
  norn_operands(function, norn_inst(function, 1))[1] |= NORN_REF_LAST_USE;
  check_verified(module, "t:4:3: iadd: operand 2 is not a valid reference (0xa0000002)");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->operand = 1000;
  check_verified(module, "t:4:3: iadd: operands or results are out of bounds");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->op = 1000;
  check_verified(module, "t:4:3: operation 1000 does not exist");

  module = parse_text(GOOD);
  norn_value(module->functions[0], 1)->def = 0;
  check_verified(module, "t:4:3: iadd: result 1 (%b) does not belong to it or has no type");

  module = parse_text(GOOD);
  norn_value(module->functions[0], 1)->index = 1;
  check_verified(module, "t:4:3: iadd: result 1 (%b) does not belong to it or has no type");

  module = parse_text(GOOD);
  norn_value(module->functions[0], norn_block_parameter(module->functions[0], 1, 0))->index = 1;
  check_verified(module, "t:6:1: parameter 1 does not belong to the block or has no type");
}
END_TEST

START_TEST(broken_lists) {
  NornModule *module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->next = 0;
  check_verified(module, "t:2:1: the list of instructions is broken");

  module = parse_text(GOOD);
  norn_block(module->functions[0], 0)->last = 1;
  check_verified(module, "t:2:1: the list of instructions is broken");

  module = parse_text(GOOD);
  module->functions[0]->block_order[1] = 0;
  check_verified(module, "t:1:1: the order of blocks is broken");

  module = parse_text(GOOD);
  module->functions[0]->block_order_count = 1;
  check_verified(module, "t:5:3: jump branches to a block that was removed");

  module = parse_text(GOOD);
  module->functions[0]->parameters[0] = 0;
  check_verified(module, "t:6:1: parameter 1 does not belong to the block or has no type");
}
END_TEST

START_TEST(broken_forms) {
  NornModule *module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->type = NORN_TYPE_F32;
  check_verified(module, "t:4:3: iadd does not exist for f32");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->type = 200;
  check_verified(module, "t:4:3: iadd does not exist for this type");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 2)->flags = NORN_INST_EXACT;
  check_verified(module, "t:5:3: jump takes no flags");

  module = norn_module_new(NORN_STAGE_COMPUTE, "a b");
  check_verified(module, "@a b: the shader's name 'a b' must consist of letters, digits and '_'\n"
                         "@a b: the function has no blocks");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->operand_count = 1;
  check_verified(module, "t:4:3: iadd: 1 operand, expected 2");

  module = parse_text(GOOD);
  norn_operands(module->functions[0], norn_inst(module->functions[0], 2))[0] =
      norn_constant(module, 1);
  check_verified(module, "t:5:3: jump: 0 blocks, expected 1");

  module = parse_text(GOOD);
  norn_operands(module->functions[0], norn_inst(module->functions[0], 1))[1] =
      norn_constant(module, UINT64_C(1) << 32);
  check_verified(module, "t:4:3: iadd: operand 2, 0x100000000, is out of range for i32");

  module = parse_text(BODY("  switch.i8 1, a, 2: a\na:\n"));
  norn_set_operand(module->functions[0], 0, 2, norn_constant(module, 300));
  check_verified(module, "t:3:3: switch: operand 3, 0x12C, is out of range for i8");

  module = parse_text(BODY("  br true, a, a\na:\n"));
  NornRef third = norn_operand(module->functions[0], 0, 2);
  norn_inst_splice_operands(module->functions[0], 0, 3, 0, &third, 1);
  check_verified(module, "t:3:3: br: 3 blocks, expected 2");

  module = parse_text(BODY("  call.void @f()\n") "function @f() -> void {\ne:\n  return.void\n}\n");
  norn_set_operand(module->functions[0], 0, 0, norn_ref(NORN_REF_FUNCTION, 0));
  check_verified(module, "t:3:3: call: operand 1 must be a function of the module\n"
                         "t:3:3: @t calls itself through @t; recursion is not supported");

  const char *machine = TARGET BODY("  %a = iadd.i32 1, 2\n  %b = FADD.f32 %a, %a\n");
  module = parse_text(machine);
  norn_set_operand(module->functions[0], 1, 0, norn_constant(module, UINT64_C(1) << 32));
  check_verified(module, "t:5:3: operand 1 cannot be a constant of that size");

  module = parse_text(machine);
  norn_value(module->functions[0], 1)->type = NORN_TYPE_I64;
  check_verified(module, "t:5:3: result 1 has 2 words, expected 1");

  module = parse_text(machine);
  NornRef value = norn_operand(module->functions[0], 1, 0);
  norn_inst_splice_operands(module->functions[0], 1, 2, 0, &value, 1);
  check_verified(module, "t:5:3: 3 operands, expected 2");

  module = parse_text(GOOD);
  norn_inst_erase(module->functions[0], 0);
  check_verified(module, "t:4:3: iadd: %a is not defined");

  /* unreachable instructions may not use values of a deleted block either */
  module = parse_text(HEAD "e:\n  end\na(%x: i32):\n  jump b\nb:\n  %y = iadd.i32 %x, 1\n"
                           "  jump a(%y)\n}\n");
  bool remove[3] = {false, true, false};
  norn_blocks_remove(module->functions[0], remove);
  norn_inst_erase(module->functions[0], norn_block(module->functions[0], 2)->last);
  NornBuilder end = norn_builder_at_end(module->functions[0], 2);
  norn_build_end(&end);
  check_verified(module, "t:7:3: iadd: the definition of %x does not dominate this use");
}
END_TEST

/* Runs of operands, results and parameters that end one beyond the last, and numbers that are one
 * too large or that nothing has. */
START_TEST(broken_bounds) {
  NornModule *module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->operand = module->functions[0]->operand_count - 1;
  check_verified(module, "t:4:3: iadd: operands or results are out of bounds");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->result = module->functions[0]->value_count;
  check_verified(module, "t:4:3: iadd: operands or results are out of bounds");

  module = parse_text(GOOD);
  norn_block(module->functions[0], 1)->parameter = module->functions[0]->parameter_count;
  check_verified(module, "t:6:1: the parameters are out of bounds");

  /* which does not matter for a block without parameters */
  module = parse_text(GOOD);
  norn_block(module->functions[0], 0)->parameter = 1000;
  check_verified(module, NULL);

  module = parse_text(GOOD);
  module->functions[0]->block_order[1] = module->functions[0]->block_count;
  check_verified(module, "t:1:1: the order of blocks is broken");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->block = 1;
  check_verified(module, "t:2:1: the list of instructions is broken");

  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->op = NORN_OP_NONE;
  check_verified(module, "t:4:3: operation 0 does not exist");

  /* a machine instruction without a machine */
  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->op = NORN_OP_MACHINE;
  check_verified(module, "t:4:3: operation 1024 does not exist");
}
END_TEST

/* A fault in the first function at an instruction without a line, and one of several faults in the
 * second function, which is then too broken to be printed. */
START_TEST(broken_elsewhere) {
  for (unsigned fault = 0; fault <= 5; fault++) {
    NornModule *module = parse_text(
        HEAD "e:\n  call.void @f()\n  %a = iadd.i32 1, 2\n  end\n}\n"
             "function @f() -> void {\ne:\n  jump f(1)\nf(%p: i32):\n  return.void\n}\n");
    NornFunction *function = module->functions[1];
    norn_value(module->functions[0], 0)->index = 1;
    norn_inst(module->functions[0], 1)->line = 0;
    if (fault == 1)
      function->block_order[1] = function->block_count;
    else if (fault == 2)
      function->parameter_count = 0;
    else if (fault == 3)
      function->parameters[0] = function->value_count;
    else if (fault == 4)
      norn_inst(function, 0)->operand = 1000;
    else if (fault == 5)
      norn_inst(function, 0)->op = 1000;
    GError *error = NULL;
    ck_assert(!norn_module_verify(module, &error));
    const char *start = fault ? "@t, block number 0: iadd: result 1 (%a) does not belong to it"
                              : "@t, block e, '%a = iadd.i32 1, 2': iadd: result 1 (%a) does not";
    ck_assert_msg(g_str_has_prefix(error->message, start), "%u: %s", fault, error->message);
    g_error_free(error);
    norn_module_free(module);
  }
}
END_TEST

/* Without a text, the function and block are the location. */
START_TEST(places_without_text) {
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "main");
  check_verified(module, "@main: the function has no blocks");
  module = norn_module_new(NORN_STAGE_COMPUTE, "main");
  norn_block_create(module->functions[0], norn_intern(module, "start", 5));
  module->functions[0]->block_order[0] = 1;
  check_verified(module, "@main: the order of blocks is broken");
  module = norn_module_new(NORN_STAGE_COMPUTE, "main");
  norn_block_create(module->functions[0], norn_intern(module, "start", 5));
  check_verified(module, "@main, block start: the block is empty; it needs a terminator");

  module = parse_text(GOOD);
  NornFunction *function = module->functions[0];
  norn_inst_erase(function, 0);
  norn_inst(function, 1)->line = 0;
  check_verified(module, "@t, block e, '%b = iadd.i32 %undefined_0, 3': iadd: %a is not defined");

  /* too broken to be printed */
  module = parse_text(GOOD);
  function = module->functions[0];
  norn_inst(function, 1)->next = 0;
  norn_block(function, 0)->line = 0;
  check_verified(module, "@t, block number 0: the list of instructions is broken");
  module = parse_text(GOOD);
  norn_inst(module->functions[0], 1)->op = 1000;
  norn_inst(module->functions[0], 1)->line = 0;
  check_verified(module, "@t, block number 0: operation 1000 does not exist");
  module = parse_text(GOOD);
  module->functions[0]->parameters[0] = 77;
  norn_block(module->functions[0], 1)->line = 0;
  check_verified(module,
                 "@t, block number 1: parameter 1 does not belong to the block or has no type");
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("ir_verify");
  TCase *tcase = tcase_create("verify");
  tcase_add_loop_test(tcase, texts, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, broken_references);
  tcase_add_test(tcase, broken_lists);
  tcase_add_test(tcase, broken_forms);
  tcase_add_test(tcase, broken_bounds);
  tcase_add_test(tcase, broken_elsewhere);
  tcase_add_test(tcase, places_without_text);
  suite_add_tcase(suite, tcase);
  return suite;
}
