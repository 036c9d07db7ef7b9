# Sourced by the scripts of this folder: `set_system <folder>` gives them the environment of the installed SDK, `fail`
# and `skip` end them with the words and the exit codes that ctest shows (77 means skipped).
set -u

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

need() {
  command -v "$1" >/dev/null || skip "$1 is not installed"
}

set_system() {
  [ -d "${1:-}/Ascend/cann" ] || fail "usage: $(basename "$0") <folder of install_system.sh>"
  SYSTEM=$(realpath "$1")
  unset "${!SOFTHCCL_@}" "${!HCCL_@}"
  export ASCEND_HOME_PATH="$SYSTEM/Ascend/cann" PROBE_FOLDER="$SYSTEM/probe"
  export LD_LIBRARY_PATH="$ASCEND_HOME_PATH/opp/vendors/cust/lib64:$ASCEND_HOME_PATH/lib64"
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
}

# has <file> <text>: a fixed text that must be there; the file is shown when it is not.
has() {
  grep -qF -- "$2" "$1" || { cat "$1"; fail "the output lacks '$2'"; }
}
