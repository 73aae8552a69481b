; test fails: asm --target vp1
vadd s $v32 $v1 $v2
; expect:
; error: refused-register.s:2:8: '$v32' is not a destination of vadd; expected $v0 to $v31
