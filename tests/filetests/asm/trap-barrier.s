; One lane waits for others that have ended.
; test fails: run -q --workgroup 20
; run: grid=1 u0=5
BRANCHZ.reconverge r60, out
BARRIER.slot7.wait
out:
NOP.end
; expect:
; error: trap-barrier.s:3: trap at 0x8 (BARRIER.slot7.wait): only some lanes of the warp execute the barrier [barrier-diverged]
