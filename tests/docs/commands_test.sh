#!/bin/bash
# Runs the commands of README.md and docs/debugging.md as they are written, in a copy of the checkout with an SDK that is
# installed from a build folder, and compares the report that both show with what is printed.
# commands_test.sh <build folder>
set -u

[ $# -eq 1 ] || { echo "usage: commands_test.sh <build folder>" >&2; exit 2; }
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPO=$(cd "$HERE/../.." && pwd)
BUILD=$(realpath "$1")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
CHECKOUT="$WORK/checkout"
SDK="$CHECKOUT/Ascend/cann"
FAILED=0
unset ASCEND_HOME_PATH ASCEND_OPP_PATH ASCEND_CUSTOM_OPP_PATH VENDOR MAKEFLAGS CXX CXXFLAGS
# A variable that is unset would stop the documents' own line, which is for shells of people.
export LD_LIBRARY_PATH="" PYTHONDONTWRITEBYTECODE=1 HOME="$WORK"

not_ok() {
  echo "FAILED: $*"
  FAILED=$((FAILED + 1))
}

# run_blocks <document> <blocks to leave out>: the output goes to $WORK/out.
run_blocks() {
  python3 "$HERE/shell_blocks.py" "$REPO/$1" "$2" >"$WORK/script.sh"
  if ! (cd "$CHECKOUT" && timeout 300 bash "$WORK/script.sh") >"$WORK/out" 2>&1 </dev/null; then
    not_ok "the commands of $1 failed; the last lines:"
    tail -n 30 "$WORK/out"
  fi
}

says() {
  grep -qF -- "$1" "$WORK/out" || not_ok "$2: the output lacks '$1'"
}

# What differs from run to run: seconds, the name of a communicator; and the order of equals.
normalised() {
  sed -E 's/[0-9]+\.[0-9] s/N s/g; s/communicator [^ ;)]+/communicator NAME/g' | sort
}

mkdir -p "$CHECKOUT"
cp -r "$REPO"/{build.sh,cmake,scripts,examples} "$CHECKOUT"
cmake --install "$BUILD" --prefix "$CHECKOUT/Ascend/cann-9.2.0" >"$WORK/install.log" || { cat "$WORK/install.log"; exit 1; }
ln -s cann-9.2.0 "$SDK"

echo "README.md"
run_blocks README.md 1
says "rankId: 7, output: [ 6 6 6 6 6 6 6 6 ]" README.md
says "Found 4 NPU device(s) available" README.md
[ -f "$SDK/opp/vendors/mine/lib64/libhccl_custom_p2p.so" ] || not_ok "README.md: the own operator was not installed"

echo "the report"
opp="$SDK/opp/vendors/cust"
g++ -std=c++14 -Wall -Wextra -Werror -D_GLIBCXX_USE_CXX11_ABI=0 -pthread -isystem "$SDK/include" "-I$opp/include" \
  "$HERE/both_send.cc" -o "$WORK/both_send" -Wl,--copy-dt-needed-entries "-Wl,-rpath-link,$SDK/lib64" "-L$SDK/lib64" \
  -lacl_rt "-L$opp/lib64" -lhccl_custom_p2p || exit 1
(ASCEND_HOME_PATH="$SDK" LD_LIBRARY_PATH="$opp/lib64:$SDK/lib64" timeout 60 "$WORK/both_send" 2>"$WORK/report" >"$WORK/out") ||
  not_ok "both_send: $(cat "$WORK/out" "$WORK/report")"
for document in README.md docs/debugging.md; do
  if ! diff <(python3 "$HERE/shell_blocks.py" --text "$REPO/$document" "deadlock:" | normalised) <(normalised <"$WORK/report"); then
    not_ok "$document shows another report than the one that is printed (>)"
    cat "$WORK/report"
  fi
done

if command -v gdb >/dev/null && command -v valgrind >/dev/null; then
  echo "docs/debugging.md"
  run_blocks docs/debugging.md 0
  says "hccl_custom_p2p::ExecOp (param=" docs/debugging.md
  says "\$1 = 32" docs/debugging.md
  if grep -q "ERROR: AddressSanitizer" "$WORK/out"; then not_ok "the article's program has an error under AddressSanitizer"; fi
  [ -s "$CHECKOUT/examples/04_custom_ops_p2p/testcase/trace.json" ] || not_ok "docs/debugging.md: no trace.json"
else
  echo "docs/debugging.md: not run, gdb or valgrind is missing"
fi

[ "$FAILED" -eq 0 ] || { echo "commands_test.sh: $FAILED checks failed"; exit 1; }
echo "commands_test.sh: all passed"
