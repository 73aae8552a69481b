; test fails: asm --target gcn --arch 1.4
v_min3_f32 v255, v0, v123, |-v0|
; expect:
; error: refused-sign-in-absolute.s:2:29: expected a source without a sign in an absolute value; to negate the absolute value, write -|SOURCE|
