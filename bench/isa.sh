#!/usr/bin/env bash
# Measures how fast words are unpacked, packed, printed and assembled, by the library's functions and by the command on
# a whole file. In addition to the time, it prints the number of instructions that the processor executes for each word,
# which does not depend on other load on the machine: callgrind counts them for a run on some words and for one on twice
# as many, and the difference excludes startup. Without valgrind, only times are printed.
#
#   isa.sh BENCH-ISA NORN [ISA [ARCHITECTURE [WORDS]]]
set -eu -o pipefail
bench=$1 norn=$2 isa=${3:-valhall} architecture=${4:-9} words=${5:-1000000}
counted=16384
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The number of instructions that a command executes.
count() {
  valgrind --tool=callgrind --callgrind-out-file="$work/profile" "$@" 2>&1 >/dev/null |
    awk '/Collected/ { print $4 }'
}
# The difference between two counts, per word.
difference() { awk -v a="$1" -v b="$2" -v n="$counted" 'BEGIN { print (b - a) / n }'; }
# The lowest processor time of three runs of a command, in seconds.
TIMEFORMAT='%U %S'
best() {
  for _ in 1 2 3; do { time "$@" >/dev/null; } 2>&1; done |
    awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }'
}
row() { # name, ns, instructions
  awk -v name="$1" -v ns="$2" -v instructions="$3" 'BEGIN {
    printf "%-14s %9.2f %9.2f %12s\n", name, 1e3 / ns, ns,
      instructions == "" ? "-" : sprintf("%.1f", instructions) }'
}
callgrind=$(command -v valgrind || true)

echo "$isa $architecture, $words words"
printf '%-14s %9s %9s %12s\n' '' million/s ns instructions
for what in unpack pack print print-random assemble; do
  ns=$("$bench" --only "$what" "$isa" "$architecture" "$words" | awk 'END { print $(NF - 1) }')
  instructions=
  if [ -n "$callgrind" ]; then
    instructions=$(difference \
      "$(count "$bench" --once --only "$what" "$isa" "$architecture" $counted)" \
      "$(count "$bench" --once --only "$what" "$isa" "$architecture" $((2 * counted)))")
  fi
  row "$what" "$ns" "$instructions"
done

for size in $words $counted $((2 * counted)); do
  "$bench" --write "$work/$size.bin" "$isa" "$architecture" "$size"
  "$norn" disasm --target "$isa" --arch "$architecture" "$work/$size.bin" -o "$work/$size.s"
done
run() { # verb, suffix
  local verb=("$norn" "$1" --target "$isa" --arch "$architecture" -o "$work/out")
  local seconds instructions=
  seconds=$(best "${verb[@]}" "$work/$words.$2")
  if [ -n "$callgrind" ]; then
    instructions=$(difference "$(count "${verb[@]}" "$work/$counted.$2")" \
      "$(count "${verb[@]}" "$work/$((2 * counted)).$2")")
  fi
  row "norn $1" "$(awk -v s="$seconds" -v n="$words" 'BEGIN { print s * 1e9 / n }')" "$instructions"
}
run disasm bin
run asm s
cmp "$work/$words.bin" <("$norn" asm --target "$isa" --arch "$architecture" "$work/$words.s" -o - \
  --emit bin)
