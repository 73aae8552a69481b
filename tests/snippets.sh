#!/usr/bin/env bash
# snippets.sh DOCUMENT EXAMPLE...: every line of C in the document is in one of the examples, whether or not it is indented.
set -u
document=$1
shift
lines=$(awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$document" | sed 's/^ *//' | grep -vxF -e '' -e '...')
[ -n "$lines" ] || { echo "$document: has no C"; exit 1; }
missing=$(grep -vxF -f <(sed 's/^ *//' "$@") <<<"$lines")
[ -z "$missing" ] && exit 0
printf '%s: not in the examples:\n%s\n' "$document" "$missing"
exit 1
