; The selector `false` leaves the second source unchanged, whatever the condition register holds; bit 0 of the register flips its
; lowest bit. The zero flag says that the distance of v0 and the second source, v4 or v5, is the limit in v1.
; test: run --target vp1
; run: v0=i8[1; 16] v1=i8[2; 16] v4=i8[3; 16] v5=i8[9; 16] c0=-1 vc0=0 vc1=0
vcmpad 0x0 $vc0 $v0d (slct $c0 false $v4d)
vcmpad 0x0 $vc1 $v0d (slct $c0 sf $v4d)
; expect:
; vc0=i32[-65536]
