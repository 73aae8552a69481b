; Misspelled modifiers and operands suggest the nearest ones; numbers beyond the last register suggest none.
; test fails: asm
FADD.f32.clmp_0_1 r0, r1, r2
FADD.f32 r0, r1.ngg, r2
LOAD.i32.unsinged.slot0 @r0, r2, offset:0
FADD.f32 r0, r1, rr2
FADD.f32 r0, r1, r64
FADD.f32 r0, r1, v[3]
; expect:
; error: error-near.s:3:10: 'clmp_0_1' is not a modifier here; FADD.f32 takes: rtp rtn rtz sticky clamp_0_inf clamp_m1_1 clamp_0_1 wait0 wait1 wait01 wait2 wait02 wait12 wait012 wait0126 wait reconverge discard end; did you mean clamp_0_1?
; error: error-near.s:4:17: 'ngg' is not a modifier here; FADD.f32 takes: neg abs h0 h1; did you mean neg?
; error: error-near.s:5:10: 'unsinged' is not a modifier here; LOAD.i32 takes: istream estream force d0 unsigned slot0 slot1 slot2 wait0 wait1 wait01 wait2 wait02 wait12 wait012 wait0126 wait reconverge discard end; did you mean unsigned?
; error: error-near.s:6:18: 'rr2' is not a source of FADD.f32; did you mean r2?
; error: error-near.s:7:18: 'r64' is not a source of FADD.f32; expected r0 to r63
; error: error-near.s:8:18: 'v[3]' is not a source of FADD.f32
