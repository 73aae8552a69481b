" Vim syntax of Norn's IR (doc/ir.md)
if exists('b:current_syntax')
  finish
endif

syn match nornNumber /\<-\?\d\+\(\.\d\+\)\?\(e[+-]\?\d\+\)\?\>\|\<0x[0-9A-Fa-f]\+\>/
syn keyword nornConstant true false inf nan
syn match nornType /\<\(void\|w[2-8]\|[iuf]\d\+\|v\d[iusf]\d\+\)\>/
syn match nornOperation /\(^\s\+\|=\s*\)\@<=[a-z][a-z0-9_]*\(\.[a-z0-9_]\+\)*\>/
syn match nornInstruction /\(^\s\+\|=\s*\)\@<=[A-Z][A-Z0-9_]*\(\.[a-z0-9_]\+\)*\>/
syn match nornUniform /\<fau\.\w\+\|\<u\d\+\>/
syn match nornLabel /^\s*\w\+\(([^)]*)\)\?:/ contains=nornValue,nornType
syn match nornDeclaration /^\s*\(shader\|function\|target\|fau\|data\)\>/
syn match nornAttribute /\<\(workgroup\|shared\|scratch\|denormals\|rounding\)\ze(/
syn keyword nornAttribute early_tests
syn keyword nornFlag exact nsz ninf nnan divergent coarse nowrap finite
syn match nornImmediate /\<[a-z_]\+\ze:-\?[0-9a-z]/
syn match nornValue /%\w\+/
syn match nornGlobal /@\w\+/
syn match nornDirective /\<\(run\|test\|test fails\|expect\):/ contained
syn match nornComment /;.*$/ contains=nornDirective

hi def link nornNumber Number
hi def link nornConstant Constant
hi def link nornType Type
hi def link nornOperation Statement
hi def link nornInstruction Statement
hi def link nornUniform Special
hi def link nornLabel Label
hi def link nornDeclaration Keyword
hi def link nornAttribute Keyword
hi def link nornFlag StorageClass
hi def link nornImmediate Identifier
hi def link nornValue Identifier
hi def link nornGlobal Function
hi def link nornDirective PreProc
hi def link nornComment Comment
let b:current_syntax = 'norn'
