; Labels, numbers and constants in any spelling; the printed text names locations and can be read again.
; test: asm
; The loop adds 1 to r1 until it is 3.
  MOV.i32 r1, 0x0
loop:
  IADD.u32 r1, r1, 0x01000000.b3 ; one
  ICMP_OR.u32.lt.m1 r2, r1, u0, 0x0
  BRANCHZ ^r2, loop
  BRANCHZ r1, offset:-3
  BRANCHZ.eq 0x0, out
  IADD_IMM.i32 r1, r1, #0xFFFFFFFF
  IADD_IMM.i32 r1, r1, #4294967295
out:
  NOP.end
; expect:
; c000000000c19100
; 01c4001c00c1a000
; 0180c08004c2f000
; 42fdffff07c01f00
; 01fdffff07c01f00
; c002000010c01f00
; 01ffffffffc11001
; 01ffffffffc11001
; 0000000000c00078
