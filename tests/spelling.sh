#!/usr/bin/env bash
# American spelling, and the field's words instead of private ones. Usage: spelling.sh SOURCE
set -u
cd "$1" || exit 1
words='colou?rs?|neighbou?r\w*|centres?|behaviou?rs?|grey|honou?r\w*|favou?r\w*|modell\w*|labell\w*'
words+='|(initial|optim|recogn|serial|normal|final|minim|maxim|real|organ|special|general|summar|vector|material)is(e|es|ed|ing|ation|ations)'
allowed='^(colors?|neighbor(s|ing|hood)?|behaviors?|honor\w*|favor\w*)$'
private='definers?|evacuat(e|es|ed|ing)|peel(s|ed|ing)?|parted'
mapfile -t files < <(find bench check compiler dev doc examples include ir isa passes sim tests tools README.md CONTRIBUTING.md \
  -type f ! -path tests/spelling.sh ! -path 'tests/oracle/*' ! -name '*.bin' | sort)
[ ${#files[@]} -ge 500 ] || { echo "found only ${#files[@]} files"; exit 1; }
failed=0
while IFS= read -r hit; do
  word=${hit##*:}
  [[ ${word,,} =~ $allowed ]] || { echo "$hit"; failed=1; }
done < <(grep -HnoiwE "$words" "${files[@]}")
grep -HnwiE "$private" "${files[@]}" && failed=1
exit "$failed"
