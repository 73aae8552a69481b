; Rules of the hardware are checked; --no-verify encodes code that breaks them.
; test fails: asm
; test: asm --no-verify
FADD.f32 r0, u0, u4
; expect:
; error: error-uniforms.s:4:18: 'u4': FADD.f32 breaks the rule uniform_slots: an instruction reads at most one 64-bit uniform slot, a message at most two
; expect:
; 8084000000c0a400
