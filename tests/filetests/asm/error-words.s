; Instructions begin at whole words.
; test fails: asm
NOP
.word 1
NOP
.word 2
; expect:
; error: error-words.s:5:1: an instruction at byte 12, expected a multiple of 8; 4 more bytes of data would fill the word
