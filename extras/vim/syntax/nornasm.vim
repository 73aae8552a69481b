" Vim syntax of assembly as norn asm reads it: Valhall, GCN and VP1
if exists('b:current_syntax')
  finish
endif

syn match nornasmNumber /\<-\?\d\+\(\.\d\+\)\?\>\|\<0x[0-9A-Fa-f]\+\>/
syn match nornasmRegister /[@^]*\<[rusv]\d\+\>\|\<[sv]\[\d\+:\d\+\]/
syn match nornasmInstruction /^\s*[A-Za-z][A-Za-z0-9_]*\(\.[A-Za-z0-9_]\+\)*/
syn match nornasmLabel /^\s*[A-Za-z_]\w*:/
syn match nornasmDirective /^\s*\.[a-z]\+/
syn match nornasmModifier /\<[a-z_]\+\ze:/
syn match nornasmComment /;.*$\|\/\/.*$/

hi def link nornasmNumber Number
hi def link nornasmRegister Identifier
hi def link nornasmInstruction Statement
hi def link nornasmLabel Label
hi def link nornasmDirective PreProc
hi def link nornasmModifier Type
hi def link nornasmComment Comment
let b:current_syntax = 'nornasm'
