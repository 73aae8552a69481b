; Values that only occur in code of other compilers: the lowest byte shifts and selects a lane, the first half of a swizzle counts.
; test: run -q --workgroup=1
; run: grid=1 u0=i32[0; 8] u2=0x8421BEEF u3=0x7700FF04 u4=0x7700FF04 => u0=i32[0x421BEEF0, 0x8421BEEF, 0xBEEF, 0x8421, \
;      0xFFFF8421, 0xBEEF0000, 0x8421FF04, 0x7700BEEF]
MOV.i32 r5, u4
LSHIFT_OR.i32 r0, u2, r5.b02, 0x0
CLPER.i32 r1, u2, 0x0.b02
U16_TO_U32 r2, u2.h01
U16_TO_U32 r3, u2.h11
STORE.i128.slot0.wait0 @r0:r1:r2:r3, u0, offset:0
S16_TO_S32 r0, u2.h11
MKVEC.v2i16 r1, 0x0.h01, u2.h01
MKVEC.v2i16 r2, u3.h01, u2.h11
MKVEC.v2i16 r3, u2.h00, u3.h11
STORE.i128.slot0.end @r0:r1:r2:r3, u0, offset:16
; expect:
