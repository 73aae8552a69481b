#!/bin/bash
# Shards count from 1 in all commands that have them.
# Usage: shards.sh COMMAND..., each to be followed by I/N.
failed=0
for command in "$@"; do
  for shard in 0/4 5/4 1/ 1/4x; do
    said=$($command "$shard" 2>&1)
    status=$?
    [ "$status" -eq 2 ] && [[ $said == *"expected a shard such as 1/4 to 4/4, found '$shard'"* ]] ||
      { echo "$command $shard exits with $status: $said"; failed=1; }
  done
  $command 4/4 >/dev/null || { echo "$command 4/4 fails"; failed=1; }
done
exit "$failed"
