; The flow of a barrier.
; test fails: run -q
; run: grid=1 u0=5
BARRIER.slot7
NOP.end
; expect:
; error: trap-barrier-flow.s:3: trap at 0x0 (BARRIER.slot7): the barrier needs the flow wait [barrier-flow]
