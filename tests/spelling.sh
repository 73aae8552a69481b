#!/usr/bin/env bash
# American spelling, the field's terms instead of private ones, and no two structures, enumerations or unions with the
# same name.
# Usage: spelling.sh SOURCE
set -u
cd "$1" || exit 1
words='afterwards|misspelt|learnt|towards|whilst|amongst|colou?rs?|neighbou?r\w*|centres?|behaviou?rs?|grey|honou?r\w*|favou?r\w*|modell\w*|labell\w*'
words+='|(initial|optim|recogn|serial|normal|final|minim|maxim|real|organ|special|general|summar|vector|material)is(e|es|ed|ing|ation|ations)'
allowed='^(colors?|neighbor(s|ing|hood)?|behaviors?|honor\w*|favor\w*)$'
private='definers?|evacuat(e|es|ed|ing)|parted'
mapfile -t files < <(find bench check compiler dev doc examples include ir isa passes report sim spirv tests tools README.md CONTRIBUTING.md \
  -type f ! -path tests/spelling.sh ! -path 'tests/oracle/*' ! -name '*.bin' | sort)
[ ${#files[@]} -ge 500 ] || { echo "found only ${#files[@]} files"; exit 1; }
failed=0
while IFS= read -r hit; do
  word=${hit##*:}
  [[ ${word,,} =~ $allowed ]] || { echo "$hit"; failed=1; }
done < <(grep -HnoiwE "$words" "${files[@]}")
grep -HnwiE "$private" "${files[@]}" && failed=1

# A line "FILE:NAME" for each tag and each typedef that ends a definition, in the layout of clang-format.
named=$(printf '%s\n' "${files[@]}" | grep -v '^tests/' | grep '\.[ch]$' |
  xargs grep -HoE '\b(struct|enum|union) \w+ \{|^\} [A-Z]\w*;|^typedef (struct|enum|union) \{.*\} \w+;' |
  sed -E 's/^([^:]*):.*\b(\w+)( \{|;)$/\1:\2/' | sort -u)
[ "$(wc -l <<<"$named")" -ge 300 ] || { echo "found only $(wc -l <<<"$named") structures"; exit 1; }
for name in $(cut -d: -f2 <<<"$named" | sort | uniq -d); do
  echo "two structures are called $name:" $(grep ":$name\$" <<<"$named" | cut -d: -f1)
  failed=1
done
exit "$failed"
