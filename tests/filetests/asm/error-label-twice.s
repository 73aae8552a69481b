; test fails: asm
here:
NOP
here:
NOP.end
; expect:
; error: error-label-twice.s:4:1: label 'here' is defined twice
