; A whole number that does not fit is not taken for a float.
; test fails: run --workgroup=1
; run: u0=u32[0] u4=-2147483649
MOV.i32 r0, u4
STORE.i32.slot0.wait0 @r0, u0, offset:0
NOP.end
; expect:
; error: error-large-uniform.s:3:18: u4: '-2147483649' is not a number of type i32 or f32
