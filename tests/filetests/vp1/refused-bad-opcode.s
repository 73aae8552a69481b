; test fails: asm --target vp1
vmul u rd fract 0x0 hi # s $v15 s 0x7
; expect:
; error: refused-bad-opcode.s:2:1: 'vmul u rd fract 0x0 hi # s $v15 s 0x7': vmul_u_bad breaks the rule bad: a bad opcode: the hardware mixes up its fields
