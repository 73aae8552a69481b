# Sourced by tests of the command, which have NORN as their first argument. Defines `norn`, the command; `work`, an empty
# folder that is removed at the end; and `failed`, the number of failed checks.
norn=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}
