; test fails: asm
here:
BRANCHZ r0, there
; expect:
; error: error-label.s:3:13: label 'there' is not defined
