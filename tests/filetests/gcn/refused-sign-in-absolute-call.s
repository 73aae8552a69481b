; test fails: asm --target gcn --arch 1.4
v_min3_f32 v255, v0, v123, abs(neg(v0))
; expect:
; error: refused-sign-in-absolute-call.s:2:32: expected a source without a sign in an absolute value; to negate the absolute value, write -|SOURCE|
