; test fails: asm --target vp1
vmul s rd int 0x0 lo # u $v12 u 0x3
; expect:
; error: refused-immediate.s:2:33: '0x3' is not a multiple of 4
