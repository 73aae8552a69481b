; test fails: run -q
; run: grid=1 u0=i32[1; 16]
BRANCHZ.eq 0x0, offset:1000
NOP.end
; expect:
; error: trap-branch.s:2: trap at 0x0 (BRANCHZ.eq 0x0, offset:1000), invocation 0 (lane 0): branches out of the program, to instruction 1001 [branch-target]
