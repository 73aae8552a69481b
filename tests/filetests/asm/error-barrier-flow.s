; The flow of a barrier.
; test fails: asm
BARRIER.slot7.wait0
NOP.end
; expect:
; error: error-barrier-flow.s:3:1: 'BARRIER.slot7.wait0': BARRIER breaks the rule barrier_wait: a barrier needs the flow wait
