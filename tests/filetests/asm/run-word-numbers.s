; Numbers for words of code: whole ones of either sign, and fractions as floats.
; test: run --workgroup=1
; run: u0=u32[0] u4=4294967295 => u0=u32[0xFFFFFFFF]
; run: u0=u32[0] u4=-2147483648 => u0=u32[0x80000000]
; run: u0=u32[0] u4=4294967296.0 => u0=u32[0x4F800000]
; run: u0=u32[0] u4=1e3 => u0=u32[0x447A0000]
; run: u0=u32[0] u4=-inf => u0=u32[0xFF800000]
MOV.i32 r0, u4
STORE.i32.slot0.wait0 @r0, u0, offset:0
NOP.end
; expect:
; u0=u32[4294967295]
; u0=u32[2147483648]
; u0=u32[1333788672]
; u0=u32[1148846080]
; u0=u32[4286578688]
