; test fails: asm --target vp1
vlrp rn 0 $v1 $v2q $v3
; expect:
; error: refused-quad.s:2:15: '$v2q' cannot be a source of vlrp: expected $v2d
