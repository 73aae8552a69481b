#!/usr/bin/env bash
# norn help: every verb and every option that --help shows is in its manual page and in the completion of each shell.
# Usage: help.sh NORN
set -u
. "$(dirname "$0")/work_folder.sh"
cd "$work" || exit 1

# Shells that are not installed are skipped.
has() { command -v "$1" >/dev/null; }

"$norn" help --man-pages pages || fail "man pages"
for shell in bash zsh fish; do "$norn" help --format "$shell" -o "norn.$shell" || fail "completion of $shell"; done
bash -n norn.bash || fail "bash refuses its completion"
has zsh && { zsh -n norn.zsh || fail "zsh refuses its completion"; }
has fish && { fish --no-execute norn.fish || fail "fish refuses its completion"; }

"$norn" help >verbs.txt
cmp -s verbs.txt <("$norn" --help) || fail "norn help is not norn --help"
mapfile -t verbs < <(sed -nE 's/^  ([a-z]+) +.*/\1/p' verbs.txt)
[ "${#verbs[@]}" -ge 14 ] || fail "only these verbs: ${verbs[*]}"

# A page without the sequences that a terminal shows as bold.
page() { sed -e 's/\\-/-/g' -e 's/\\f[A-Z]//g' "pages/$1.1"; }

# The completions that bash offers for the words.
complete_bash() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _norn
  printf '%s\n' "${COMPREPLY[@]}"
}
# shellcheck disable=SC1091
. ./norn.bash

[ "$(complete_bash norn sta)" = stats ] || fail "bash does not complete the verb 'sta'"
[ "$(complete_bash norn help sta)" = stats ] || fail "bash does not complete the verb behind help"
[ "$(complete_bash norn compile --emit a)" = asm ] || fail "bash does not complete --emit a"
[ "$(complete_bash norn compile --emit = a)" = asm ] || fail "bash does not complete --emit=a"
printf 'shader compute @x workgroup(1, 1, 1) {\nentry:\n  end\n}\n' >only.norn
[ "$(complete_bash norn compile on)" = only.norn ] || fail "bash does not complete a file"
[ "$(complete_bash norn compile -o on)" = only.norn ] || fail "bash does not complete the output"

page norn >command.txt
for verb in "${verbs[@]}"; do
  "$norn" "$verb" --help >help.txt 2>&1 || fail "norn $verb --help"
  cmp -s help.txt <("$norn" help "$verb") || fail "norn help $verb is not norn $verb --help"
  grep -qx "$verb" command.txt || fail "norn.1 lacks the verb $verb"
  page "norn-$verb" >page.txt
  [ "$(complete_bash norn "$verb")" = "$verb" ] || fail "bash lacks the verb $verb"
  grep -q "'$verb:" norn.zsh || fail "zsh lacks the verb $verb"
  grep -q "use_subcommand -a $verb " norn.fish || fail "fish lacks the verb $verb"
  complete_bash norn "$verb" --  >bash.txt
  sed -n "/^    $verb)/,/;;$/p" norn.zsh >zsh.txt
  grep "subcommand_from $verb'" norn.fish >fish.txt
  sed -n '/^Options:/,$p' help.txt | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' >options.txt
  grep -qx -- --help options.txt || fail "norn $verb has no options"
  while IFS= read -r option; do
    grep -qE "(^|, )$option(\$|[=[])" page.txt || fail "norn-$verb.1 lacks $option"
    grep -qx -- "$option" bash.txt || fail "bash lacks $option of $verb"
    grep -qE "(^| )[^[]*$option[]=}[]" zsh.txt || fail "zsh lacks $option of $verb"
    grep -qE -- " -l ${option#--} " fish.txt || fail "fish lacks $option of $verb"
  done <options.txt
  if has groff; then
    warnings=$(groff -man -Tutf8 -ww "pages/norn-$verb.1" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "norn-$verb.1: $warnings"
  fi
  [ -s "pages/norn-$verb.1" ] || fail "norn-$verb.1 is empty"
done

# Wrong calls.
refuse() {
  local pattern=$1
  shift
  "$norn" "$@" >out.txt 2>err.txt && fail "norn $*: not refused"
  grep -q -- "$pattern" err.txt || { fail "norn $*: no '$pattern'"; cat err.txt; }
}
refuse "unknown verb 'compil'; did you mean compile" compil
refuse "unknown verb 'statts'; did you mean stats" help statts
refuse "unknown verb 'frobnicate'; .norn help" frobnicate
refuse "Unknown option --ouput=x; did you mean --output?" compile --ouput=x
refuse "--no-verify takes no value, found 'false'" opt --no-verify=false only.norn
refuse "unknown format 'jsn', expected text or json; did you mean json?" passes --format jsn
refuse "unknown pass 'slect'; did you mean select?" opt -p slect only.norn
refuse "unexpected argument 'x'" help compile x
refuse "unexpected argument 'run'" help --format bash run
refuse "for the other formats" help -o out.txt run
refuse "cannot make this folder" help --man-pages only.norn/pages
[ "$failed" -eq 0 ]
