#!/usr/bin/env bash
# Assembles and disassembles 200,000 lines of GCN with `norn` and with LLVM's llvm-mc, and prints
# the processor time of each (best of three) and the ratios. Fails if one is below 2 or the words
# differ.
#
#   llvm.sh NORN ORACLE     ORACLE: a table of generation, text, bytes (tests/oracle/gcn-vop3.tsv)
set -eu
norn=$(realpath "$1") oracle=$(realpath "$2")
command -v llvm-mc >/dev/null || { echo "llvm-mc is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Lines that this llvm-mc also knows, repeated.
awk -F'\t' '$1 == "1.4" { print $2 }' "$oracle" >all.s
llvm-mc -arch=amdgcn -mcpu=gfx900 -filetype=obj all.s -o /dev/null 2>&1 |
  sed -n 's/^all\.s:\([0-9]*\):[0-9]*: error.*/\1d/p' | sort -u >refused.sed
sed -f refused.sed all.s >once.s
while [ "$(cat lines.s 2>/dev/null | wc -l)" -lt 200000 ]; do cat once.s >>lines.s; done
sed -i '200000q' lines.s

TIMEFORMAT='%U %S'
best() {
  for _ in 1 2 3; do { time "$@" >/dev/null; } 2>&1; done |
    awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }'
}
report() {
  awk -v what="$1" -v ours="$2" -v theirs="$3" 'BEGIN {
    ratio = theirs / (ours > 0 ? ours : 0.001)
    printf "%-12s norn %.3f s, llvm-mc %.3f s, %.1f times as fast\n", what, ours, theirs, ratio
    exit ratio < 2 }'
}

"$norn" asm --target gcn --arch 1.4 lines.s -o ours.bin
llvm-mc -arch=amdgcn -mcpu=gfx900 -filetype=obj lines.s -o theirs.o
llvm-objcopy -O binary -j .text theirs.o theirs.bin
cmp ours.bin theirs.bin
od -An -v -tx1 -w8 ours.bin | sed 's/ / 0x/g' >words.txt

asm=$(best "$norn" asm --target gcn --arch 1.4 lines.s -o ours.bin)
llvm_asm=$(best llvm-mc -arch=amdgcn -mcpu=gfx900 -filetype=obj lines.s -o theirs.o)
disasm=$(best "$norn" disasm --target gcn --arch 1.4 --alternate ours.bin -o ours.s)
llvm_disasm=$(best llvm-mc -arch=amdgcn -mcpu=gfx900 -disassemble words.txt -o theirs.s)
cmp ours.s lines.s
status=0
report assemble "$asm" "$llvm_asm" || status=1
report disassemble "$disasm" "$llvm_disasm" || status=1
exit $status
