; test fails: asm --target vp1
vlrp rn 0 $v1 $v2d $v3d
; expect:
; error: refused-no-pair.s:2:20: '$v3d' cannot be a source of vlrp: expected $v3
