; Motion compensation: the average of two predictions (v2, v3) plus residuals of nine bits (v6),
; clipped.
; test: run --target vp1
; run: v2=i8[10, 100, 0, 127] v3=i8[20, 50, 1, 127] v4=-128 v6=i16[5, -100, -1, 255] v5=i8[0; 5] v8=i8[0; 5] vc0=i32[0]
vlrp rn 0x0 $v5 $v2d $v4
vadd9 $vc0 $v8 $v5 $v6 $v7
; expect:
; v5=i8[15, 75, 1, 127, 0]
; v8=i8[20, 0, 0, -1, 0]
; vc0=i32[-655350]
