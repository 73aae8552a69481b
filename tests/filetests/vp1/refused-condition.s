; test fails: asm --target vp1
vadd s $v3 $vc4 $v1 $v2
; expect:
; error: refused-condition.s:2:12: '$vc4' is not a source of vadd; did you mean $v4?
