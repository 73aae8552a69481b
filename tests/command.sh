#!/usr/bin/env bash
# The command on bad calls and bad input: exit status, one clear error with its place, nothing written.
#   command.sh NORN EXAMPLES
set -u
norn=$(realpath "$1")
examples=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0

# expect STATUS PATTERN COMMAND...: the command must exit so, and print to standard error one line that matches (none
# for an empty pattern).
expect() {
  local status=$1 pattern=$2
  shift 2
  "$@" >out.txt 2>err.txt </dev/null
  local got=$?
  if [ "$got" -ne "$status" ]; then
    printf 'FAILED: %s\n  exit status %s instead of %s\n' "$*" "$got" "$status"
    sed 's/^/  /' err.txt | head -20
  elif [ -n "$pattern" ] && ! grep -qE -- "$pattern" err.txt; then
    printf 'FAILED: %s\n  standard error has no line like %s:\n' "$*" "$pattern"
    sed 's/^/  /' err.txt | head -20
  elif [ "$status" -eq 0 ] && [ -s err.txt ]; then
    printf 'FAILED: %s\n  printed to standard error:\n' "$*"
    sed 's/^/  /' err.txt | head -20
  else
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
}

absent() {
  if ls "$1"* >/dev/null 2>&1; then
    printf 'FAILED: %s was written\n' "$1"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

kernel() { sed "$1" "$examples/saxpy.norn" >"$2"; }

# Calls
expect 2 'usage' "$norn"
expect 0 '' "$norn" --help
expect 0 '' "$norn" --version
expect 2 "no verb 'frobnicate'" "$norn" frobnicate
expect 2 'expected one input' "$norn" compile
expect 2 'Unknown option' "$norn" compile --frobnicate "$examples/saxpy.norn"
expect 2 "cannot emit 'elf'" "$norn" compile --emit elf "$examples/saxpy.norn"
expect 2 'no optimization level 7' "$norn" compile -O7 "$examples/saxpy.norn"
expect 2 "no pass 'frobnicate'" "$norn" compile --dump-after frobnicate "$examples/saxpy.norn"
for verb in compile opt passes asm disasm run isa test; do
  expect 0 '' "$norn" "$verb" --help
done

# Files
expect 1 'missing.norn: cannot open: No such file' "$norn" compile missing.norn
expect 1 'cannot read: Is a directory' "$norn" compile "$folder"
expect 1 'cannot create: No such file' "$norn" compile "$examples/saxpy.norn" -o missing/out.bin
expect 0 '' "$norn" compile "$examples/saxpy.norn" -o out.bin
expect 1 'cannot write: No space left' "$norn" compile "$examples/saxpy.norn" --emit bin -o /dev/full

# IR text
kernel '/^body:/,$d' truncated.norn
expect 1 '^error: truncated.norn:[0-9]+:[0-9]+: ' "$norn" compile truncated.norn -o bad.bin
kernel 's/fma\.f32/frobnicate.f32/' unknown.norn
expect 1 "^error: unknown.norn:[0-9]+:[0-9]+: .*frobnicate" "$norn" compile unknown.norn -o bad.bin
kernel 's/fma\.f32 fau.a/fma.f32 %px/' mismatch.norn
expect 1 '^error: mismatch.norn:[0-9]+:' "$norn" compile mismatch.norn -o bad.bin
kernel 's/%yv$/%zv/' undefined.norn
expect 1 '^error: undefined.norn:[0-9]+:[0-9]+: .*%zv' "$norn" compile undefined.norn -o bad.bin
kernel '/jump done/d' unterminated.norn
expect 1 '^error: unterminated.norn:[0-9]+:' "$norn" compile unterminated.norn -o bad.bin
kernel 's/^  end/  store.global.f32 %r, %py\n  end/' dominance.norn
expect 1 '^error: dominance.norn:[0-9]+:.*dominate' "$norn" compile dominance.norn -o bad.bin
kernel 's/%i, 2/%i, 9/' range.norn
expect 1 '^error: range.norn:[0-9]+:.*9' "$norn" compile range.norn -o bad.bin
head -c 100M /dev/zero | tr '\0' 'x' >garbage.norn
expect 1 '^error: garbage.norn:1:' "$norn" compile garbage.norn -o bad.bin
head -c 1M /dev/urandom >random.norn
expect 1 '^error: random.norn:[0-9]+:' "$norn" compile random.norn -o bad.bin
: >empty.norn
expect 1 '^error: empty.norn:1:1: ' "$norn" compile empty.norn -o bad.bin
expect 1 "frobnicate" "$norn" compile --target frobnicate "$examples/saxpy.norn" -o bad.bin
expect 1 "'?8'?" "$norn" compile --arch 8 "$examples/saxpy.norn" -o bad.bin
absent bad.bin

# Binaries and assembly
printf 'abc' >odd.bin
expect 1 'odd.bin: .*8' "$norn" disasm odd.bin
expect 1 'odd.bin: .*8' "$norn" run odd.bin
printf 'FADD.f32 r0, r1\n' >short.s
expect 1 '^error: short.s:1:[0-9]+: ' "$norn" asm short.s -o bad.bin
expect 1 '^error: garbage.norn:1:' "$norn" asm garbage.norn -o bad.bin
absent bad.bin

# Runs
expect 1 "command line>:1:15: expected .*] "$norn" run "$examples/saxpy.norn" grid=1 x=f32[1
expect 1 "'?zz'?" "$norn" run "$examples/saxpy.norn" grid=1 zz=1

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
