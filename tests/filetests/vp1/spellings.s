; The operand orders of the tables and of envytools.
; test: asm --target vp1 --emit hex
vmul s rn fract 0x1 hi $v14 s $v31 s $v22
vmul s rd int -0x2 lo # u $v12 u 0x3c
vmin s $vc2 $v10 $v26 $v25
vmin s $v10 $vc2 $v26 $v25
vmin u $v10 $v26 200
vand $v30 $vc2 not $v20 $v0
vbitop 0x6 $v1 $v2 $v3
vcmpad 0x9 $vc1 $v13d (slct $c0 b19a $v6d)
vcmpad 0x9 $vc1 $v13d $v6
vlrp4b u rn 0x1 $v24 $v17q $c2 b20 $vc0 zf
vlrp4b u rn 0x1 $v24 $v17q $c2 $c2 b20 $vc0 zf
vlrp2 s va rn -0x3 $v29 u xor $v27q $c3 $vc1 sf
vswz $v14 $v13 $v31 lo $v3
vshr s $v27 $vc1 $v11 0x3
mov $v6 $vc
vnop {0x123456}
; expect:
; 26ed7781
; d81e03a0
; 02b25688
; 02b25688
; 478656b8
; 1200f594
; 37860894
; c14c4b8f
; c14d4b8f
; 944ac4b6
; 944ac4b6
; b9ddeeb3
; 307e739b
; 19c0daae
; 000030bb
; 563412bf
