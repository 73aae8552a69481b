; test fails: asm --target vp1
vadd $v3 $v1 $v2
; expect:
; error: refused-missing-sign.s:2:6: '$v3': expected 's' or 'u'
