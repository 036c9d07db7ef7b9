#!/bin/bash
# The first command of the README, as somebody runs it who has just cloned the repository: in a fresh clone of what is
# committed, with an almost empty environment and no input, twice, because it may be repeated. Prints how long both took.
# When ccache is there it supplies the objects, to save time; the result is the same without.
# quickstart_test.sh
set -u

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
CHECKOUT="$WORK/checkout"
LINES="Found 8 NPU device(s) available
rankId: 1, output: [ 0 0 0 0 0 0 0 0 ]
rankId: 3, output: [ 2 2 2 2 2 2 2 2 ]
rankId: 5, output: [ 4 4 4 4 4 4 4 4 ]
rankId: 7, output: [ 6 6 6 6 6 6 6 6 ]"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

git -C "$REPO" rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "skipped: $REPO is no git checkout"; exit 77; }
git clone -q "$REPO" "$CHECKOUT" || fail "cannot clone $REPO"
mkdir "$WORK/home"
CACHE=()
if command -v ccache >/dev/null; then
  CACHE=(CMAKE_CXX_COMPILER_LAUNCHER=ccache "CCACHE_DIR=$(ccache -k cache_dir)" "CCACHE_BASEDIR=$WORK" CCACHE_NOHASHDIR=1)
fi

cd "$CHECKOUT" || exit 1
for run in first second; do
  begun=$(date +%s%3N)
  env -i HOME="$WORK/home" PATH=/usr/sbin:/usr/bin:/sbin:/bin "${CACHE[@]}" ./quickstart.sh --no-packages \
    </dev/null >"$WORK/out" 2>"$WORK/err" || { cat "$WORK/out" "$WORK/err"; fail "the $run run ended with an error"; }
  took=$(($(date +%s%3N) - begun))
  [ "$(grep -E '^(Found|rankId:)' "$WORK/out")" = "$LINES" ] ||
    { cat "$WORK/out" "$WORK/err"; fail "the $run run did not print exactly the article's lines"; }
  tail -n 1 "$WORK/out" | grep -qE "^quickstart.sh: all done in [0-9]+ s\. To go on: source $CHECKOUT/Ascend/cann/set_env.sh$" ||
    { cat "$WORK/out"; fail "the $run run has another last line"; }
  [ ! -s "$WORK/err" ] || { cat "$WORK/err"; fail "the $run run printed on standard error"; }
  printf 'the %s run took %d.%d s\n' "$run" $((took / 1000)) $((took % 1000 / 100))
done
[ -z "$(git status --porcelain)" ] || fail "files that git does not ignore: $(git status --porcelain)"
[ -z "$(find "$WORK/home" -mindepth 1)" ] || fail "left in the home folder: $(find "$WORK/home" -mindepth 1 | paste -sd' ')"
