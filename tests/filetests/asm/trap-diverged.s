; A branch that diverges without reconverge.
; test fails: run -q
; run: grid=1 u0=i32[1; 16]
BRANCHZ r60, others
MOV.i32 r1, u0
others:
NOP.end
; expect:
; error: trap-diverged.s:3: trap at 0x0 (BRANCHZ r60, offset:1), invocation 1 (lane 1): the lanes diverge without the flow reconverge [divergence]
