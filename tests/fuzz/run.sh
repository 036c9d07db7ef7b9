#!/bin/bash
# Fuzzes every parser for some seconds over the kept corpus, with the address sanitizer: run.sh <build folder> [seconds, 5].
# An input that breaks a parser is left in <build folder>/fuzz/<target>; add what it found to corpus/ when it is mended.
set -eu

[ $# -ge 1 ] || { echo "usage: run.sh <build folder> [seconds]" >&2; exit 2; }
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPO=$(cd "$HERE/../.." && pwd)
WORK=$(realpath -m "$1/fuzz")
SECONDS_EACH=${2:-5}
TARGETS=(rank_table topology descriptor package_list archive container)
mkdir -p "$WORK"

# The parsers and what they need, without a build system: it takes half a minute.
SOURCES=("$HERE/parsers_fuzz.cc" "$REPO"/src/base/*.cc "$REPO"/src/bootstrap/rank_table*.cc "$REPO"/src/comm/topology*.cc
  "$REPO"/src/package/*.cc)
FLAGS="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
compile() {
  # shellcheck disable=SC2086  # flags are words
  clang++-19 -std=c++20 -O1 -g1 $FLAGS "-I$REPO/src" "-I$REPO/include" -c "$1" -o "$WORK/objects/${1//\//_}.o"
}
export -f compile
export FLAGS REPO WORK
rm -rf "$WORK/objects" && mkdir -p "$WORK/objects"
printf '%s\0' "${SOURCES[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'compile "$0"'
# shellcheck disable=SC2086
clang++-19 $FLAGS "$WORK"/objects/*.o -o "$WORK/parsers_fuzz" -lfmt -larchive -ldl -pthread

for target in "${TARGETS[@]}"; do
  mkdir -p "$WORK/$target/found"
  if ! FUZZ_TARGET=$target "$WORK/parsers_fuzz" -max_total_time="$SECONDS_EACH" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$WORK/$target/" "$WORK/$target/found" "$HERE/corpus/$target" >"$WORK/$target/log" 2>&1; then
    tail -40 "$WORK/$target/log" >&2
    echo "run.sh: $target failed; the input is in $WORK/$target" >&2
    exit 1
  fi
  echo "$target: $(grep -oE 'Done [0-9]+ runs' "$WORK/$target/log" || echo 'no run counted')"
  grep -qE 'Done [1-9][0-9]{2,} runs' "$WORK/$target/log" || { echo "run.sh: $target: fewer than 100 runs" >&2; exit 1; }
done
