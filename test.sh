#!/bin/bash
# Builds SoftHCCL in every form that is tested and passes all tests: style, layers, headers, unit, conformance, system
# and model tests, then unit, conformance and system tests again under AddressSanitizer with UndefinedBehaviorSanitizer
# and under ThreadSanitizer. May be run again at any time.
set -eu

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$REPO"
NAME=test.sh
LOG="$REPO/build/test.log"
# shellcheck source=scripts/steps.sh
source "$REPO/scripts/steps.sh"

usage() {
  cat <<'HELP'
Usage: ./test.sh [--fast] [--no-packages]

  --fast         style, layers and the fast suite only (about a minute after the first build)
  --no-packages  do not look for missing Debian packages
  -h, --help     this text
HELP
}

sources() {
  git ls-files '*.h' '*.cc' '*.c' 2>/dev/null || find src include examples tests bench -name '*.h' -o -name '*.cc'
}

check_format() {
  # shellcheck disable=SC2046  # a list of files without blanks
  clang-format-19 --dry-run -Werror $(sources)
}

# suite <preset> <label>: the tests of that label, as many at once as there are cores.
suite() {
  ctest --test-dir "build/$1" --output-on-failure --no-tests=error -L "$2" -j "$(nproc)"
}

# How many tests passed so far, from the log.
count_passed() {
  grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed' "$LOG" || true
}

main() {
  local packages=yes fast=no argument begun
  for argument in "$@"; do
    case "$argument" in
      -h | --help) usage; exit 0 ;;
      --fast) fast=yes ;;
      --no-packages) packages=no ;;
      *) fail "unknown option '$argument'; see --help" ;;
    esac
  done
  case "$REPO" in
    *[[:space:]]*) fail "the path '$REPO' has blanks, which the scripts of operator projects cannot handle; move the checkout" ;;
  esac
  STEPS=13
  [ "$fast" = no ] || STEPS=6
  begun=$(now)
  mkdir -p build && : >"$LOG" || fail "cannot write $LOG"
  if [ "$packages" = yes ]; then
    install_packages scripts/packages.build.txt scripts/packages.test.txt
  else
    STEPS=$((STEPS - 1))
  fi
  quiet "format" check_format
  quiet "layers" python3 scripts/check_layers.py
  quiet "configuring" cmake --preset dev
  quiet "building" cmake --build --preset dev
  quiet "fast suite" suite dev fast
  if [ "$fast" = no ]; then
    quiet "slow suite: system, models, flow" suite dev slow
    for preset in asan tsan; do
      quiet "$preset: configuring" cmake --preset "$preset"
      quiet "$preset: building" cmake --build --preset "$preset"
      quiet "$preset: tests" suite "$preset" sanitize
    done
  fi
  echo "test.sh: all passed: $(count_passed) tests in $((($(now) - begun) / 1000)) s"
}

main "$@"
