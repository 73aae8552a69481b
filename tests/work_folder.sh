# Sourced by tests of the command, which have NORN as their first argument: `norn` is the command, `work` an empty folder
# that goes at the end, `failed` how many checks failed.
norn=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}
