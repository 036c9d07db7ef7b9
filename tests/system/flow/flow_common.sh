# Sourced by tests, which define functions case_<name> and then call run_cases: a copy of the sources
# and of the SDK in a temporary folder, and the words in which cases are written. Nothing outside that folder changes.
# <test> --build=<build folder of SoftHCCL> | --sdk=<installed SDK>   [--only=<case>]
# shellcheck shell=bash
set -u

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPO=$(cd "$HERE/../../.." && pwd)
TEST=$(basename "$0")
BUILD="" SDK_SOURCE="" ONLY=""
for argument in "$@"; do
  case "$argument" in
    --build=*) BUILD=$(realpath "${argument#*=}") ;;
    --sdk=*) SDK_SOURCE=$(realpath "${argument#*=}") ;;
    --only=*) ONLY=${argument#*=} ;;
    *) echo "$TEST: unknown option $argument" >&2; exit 2 ;;
  esac
done
[ -n "$BUILD$SDK_SOURCE" ] || { echo "usage: $TEST --build=<folder> | --sdk=<folder> [--only=<case>]" >&2; exit 2; }

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export HOME="$WORK/home" TMPDIR="$WORK/tmp"
unset ASCEND_HOME_PATH ASCEND_OPP_PATH ASCEND_CUSTOM_OPP_PATH LD_LIBRARY_PATH VENDOR MAKEFLAGS CXX CXXFLAGS
unset XDG_STATE_HOME XDG_CONFIG_HOME "${!SOFTHCCL_@}"
# Small buffers, so that the test of the full buffer is quick.
export HCCL_BUFFSIZE=1
SDK="$WORK/Ascend/cann"
CHECKOUT="$WORK/checkout"
RUN_NAME="cann-hccl_custom_p2p_linux-$(uname -m).run"
RUN="$CHECKOUT/build_out/$RUN_NAME"
VENDOR_FILES="include/hccl_custom_p2p.h lib64/libhccl_custom_p2p.so aicpu/config/libp2p_aicpu_kernel.json
  aicpu/kernel/aicpu_hccl_custom_p2p.tar.gz scripts/install.sh scripts/p2p.sha256"
LIST="conf/ascend_package_load.ini"
KERNELS="opp/vendors/cust/aicpu/kernel"
FAILED=0
OUTPUT=""

prepare() {
  mkdir -p "$HOME" "$TMPDIR" "$CHECKOUT" "$WORK/Ascend"
  cp -r "$REPO"/{build.sh,cmake,scripts,examples} "$CHECKOUT"
  rm -rf "$CHECKOUT/build_out"
  if [ -n "$BUILD" ]; then
    cmake --install "$BUILD" --prefix "$WORK/Ascend/cann-9.2.0" >"$WORK/install.log" || { cat "$WORK/install.log"; exit 1; }
  else
    cp -a "$SDK_SOURCE/." "$WORK/Ascend/cann-9.2.0"
    rm -rf "$WORK/Ascend/cann-9.2.0/opp/vendors"
  fi
  ln -s cann-9.2.0 "$SDK"
}

not_ok() {
  echo "    FAILED: $*"
  [ -z "$OUTPUT" ] || sed 's/^/    | /' <<<"$OUTPUT"
  FAILED=$((FAILED + 1))
}

# succeeds <command...>; fails_with <text> <command...>: run with a closed stdin; the output goes to OUTPUT.
succeeds() {
  OUTPUT=$("$@" 2>&1 <&-) || not_ok "$* ended with $?"
}
fails_with() {
  local text=$1
  shift
  if OUTPUT=$("$@" 2>&1 <&-); then
    not_ok "$* succeeded, expected '$text'"
  elif ! grep -qF -- "$text" <<<"$OUTPUT"; then
    not_ok "$*: the message lacks '$text'"
  elif [ "$(wc -l <<<"$OUTPUT")" -ne 1 ]; then
    not_ok "$*: more than one line"
  fi
}
says() {
  [[ $OUTPUT == *"$1"* ]] || not_ok "the output lacks '$1'"
}
is_silent() {
  [ -z "$OUTPUT" ] || not_ok "expected no output"
}

build() {
  bash "$CHECKOUT/build.sh" "$@"
}
build_p2p() {
  build --vendor=cust --ops=p2p --custom_ops_path="$CHECKOUT/examples/04_custom_ops_p2p" "$@"
}
use_sdk() {
  # shellcheck source=/dev/null
  source "$SDK/set_env.sh"
}
# has_files <root of the SDK> <vendor>
has_files() {
  local file
  for file in $VENDOR_FILES; do
    [ -f "$1/opp/vendors/$2/$file" ] || not_ok "missing: opp/vendors/$2/$file"
  done
  [ "$(find "$1/opp" -type f | wc -l)" -eq 6 ] || not_ok "not exactly six files: $(find "$1/opp" -type f | paste -sd' ')"
  OUTPUT=$(cd "$1" && sha256sum --quiet -c "opp/vendors/$2/scripts/p2p.sha256" 2>&1) || not_ok "installed files differ"
}
is_clean() {
  [ -z "$(find "$1" -mindepth 1)" ] || not_ok "left behind: $(find "$1" -mindepth 1 | paste -sd' ')"
}

# run_cases: all of the test's, or the one of --only.
run_cases() {
  local name
  prepare
  for name in $(grep -oE '^case_[A-Za-z_]+' "$0"); do
    [ -z "$ONLY" ] || [ "case_$ONLY" = "$name" ] || continue
    echo "${name#case_}"
    OUTPUT=""
    "$name"
  done
  [ "$FAILED" -eq 0 ] || { echo "$TEST: $FAILED checks failed"; exit 1; }
  echo "$TEST: all passed"
}
