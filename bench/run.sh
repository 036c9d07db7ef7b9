#!/bin/bash
# Runs the benchmarks and OpenMPI in turn, round after round, so that both see the same machine, and prints one table.
# bench/run.sh [--build=<build folder>] [--rounds=<n>] [--quick]     --quick: seconds, only to see that it works
# Without --build it uses build/bench and makes it if it is missing. Exits with 77 on a machine with one core.
set -eu

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD="" ROUNDS="" QUICK=""
for argument in "$@"; do
  case "$argument" in
    --build=*) BUILD=$(realpath "${argument#*=}") ;;
    --rounds=*) ROUNDS=${argument#*=} ;;
    --quick) QUICK=--quick ;;
    *) echo "run.sh: unknown option '$argument'; usage: run.sh [--build=<folder>] [--rounds=<n>] [--quick]" >&2; exit 2 ;;
  esac
done
[ -n "$ROUNDS" ] || ROUNDS=$([ -n "$QUICK" ] && echo 1 || echo 6)
[[ $ROUNDS =~ ^[1-9][0-9]*$ ]] || { echo "run.sh: --rounds=$ROUNDS: give a number from 1" >&2; exit 2; }
[ "$(nproc)" -ge 2 ] || { echo "run.sh: skipped: two ranks need two cores, there is $(nproc)" >&2; exit 77; }

if [ -z "$BUILD" ]; then
  BUILD="$REPO/build/bench"
  [ -x "$BUILD/bench/p2p_bench" ] || cmake -S "$REPO" -B "$BUILD" -DCMAKE_BUILD_TYPE=Release -DSOFTHCCL_BENCH=ON >/dev/null
  cmake --build "$BUILD" --parallel >/dev/null
fi
[ -x "$BUILD/bench/p2p_bench" ] ||
  { echo "run.sh: no $BUILD/bench/p2p_bench; configure with -DSOFTHCCL_BENCH=ON and build" >&2; exit 1; }

for name in $(env | grep -oE '^(SOFTHCCL|HCCL|ASCEND)_[A-Z_]*'); do unset "$name"; done
RESULTS=$(mktemp -d)
trap 'rm -rf "$RESULTS"' EXIT
SDK="$BUILD/bench/Ascend/cann-9.2.0"
OPERATOR="$SDK/opp/vendors/bench/lib64/libhccl_custom_p2p.so"

# quiet <command...>: the output is shown only when it fails.
quiet() {
  "$@" >"$RESULTS/log" 2>&1 || { cat "$RESULTS/log" >&2; echo "run.sh: failed: $*" >&2; exit 1; }
}

# Installs SDK and operator into the build folder, the way a user gets them.
install_operator() {
  local copy="$BUILD/bench/checkout"
  quiet cmake --install "$BUILD" --prefix "$SDK"
  if [ -f "$OPERATOR" ] && [ -z "$(find "$REPO/examples/04_custom_ops_p2p" "$REPO/include" -newer "$OPERATOR" -type f)" ]; then
    return
  fi
  rm -rf "$copy"
  mkdir -p "$copy"
  cp -r "$REPO"/{build.sh,cmake,scripts,examples} "$copy"
  quiet bash "$copy/build.sh" --vendor=bench --ops=p2p --custom_ops_path="$copy/examples/04_custom_ops_p2p" -p "$SDK"
  quiet "$copy/build_out/cann-hccl_custom_p2p_linux-$(uname -m).run" --install "--install-path=$SDK"
  touch "$OPERATOR"
}

machine_ticks() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat; }
own_ticks() { awk '{ print $14 + $15 + $16 + $17 }' "/proc/$$/stat"; }

# measure <name> <command...>: output to $RESULTS/<name>; the share of the machine that others used meanwhile to <name>.load.
measure() {
  local name=$1 machine own start
  shift
  machine=$(machine_ticks) own=$(own_ticks) start=$(date +%s%N)
  "$@" >"$RESULTS/$name" 2>"$RESULTS/log" || { cat "$RESULTS/log" >&2; echo "run.sh: failed: $*" >&2; exit 1; }
  awk -v m0="$machine" -v m1="$(machine_ticks)" -v o0="$own" -v o1="$(own_ticks)" -v t0="$start" -v t1="$(date +%s%N)" \
    -v hz="$(getconf CLK_TCK)" -v cores="$(nproc)" 'BEGIN {
      share = ((m1 - m0) - (o1 - o0)) / hz / ((t1 - t0) / 1e9 * cores); printf "%.3f\n", share < 0 ? 0 : share }' \
    >"$RESULTS/$name.load"
}

install_operator
export ASCEND_HOME_PATH="$SDK" ASCEND_OPP_PATH="$SDK/opp" LD_LIBRARY_PATH="$SDK/lib64"
repetitions=$([ -n "$QUICK" ] && echo 1 || echo 3)
for ((round = 1; round <= ROUNDS; ++round)); do
  measure "ours.$round" "$BUILD/bench/p2p_bench" --operator="$OPERATOR" $QUICK --benchmark_format=json \
    --benchmark_repetitions="$repetitions"
  if [ -x "$BUILD/bench/mpi_bench" ]; then
    measure "mpi.$round" mpirun --allow-run-as-root --oversubscribe --bind-to none -np 2 "$BUILD/bench/mpi_bench" \
      $QUICK --repetitions="$repetitions"
  fi
done
measure facts "$BUILD/bench/p2p_facts" --operator="$OPERATOR" $QUICK
measure exec "$BUILD/bench/exec_bench" --benchmark_format=json --benchmark_repetitions="$repetitions" \
  --benchmark_min_time="$([ -n "$QUICK" ] && echo 0.01 || echo 0.3)"
python3 "$REPO/bench/table.py" "$RESULTS"
