; test fails: asm --target vp1
vmin u $v1 $v2 0x100
; expect:
; error: refused-range.s:2:16: '0x100' is out of range: 0 to 255
