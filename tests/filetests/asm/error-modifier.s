; test fails: asm
FROUND.f32.rtn.clamp_m1_1 r2, r2
; expect:
; error: error-modifier.s:2:16: 'clamp_m1_1' is not a modifier here; FROUND.f32 takes: rtp rtn rtz rtna wait0 wait1 wait01 wait2 wait02 wait12 wait012 wait0126 wait reconverge discard end
