; test fails: asm --target vp1
vlrp rn 0 $v1 $v2 $v3
; expect:
; error: refused-pair.s:2:15: '$v2' cannot be a source of vlrp: expected $v2d
