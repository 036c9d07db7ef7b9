#!/bin/bash
# Configures, builds and runs the project with CMake's languages ASC and AICPU, with Makefiles and with Ninja; a change of a
# header rebuilds what includes it. Then the same sources with bisheng alone, in the documented commands.
source "$(dirname "${BASH_SOURCE[0]}")/../tools/environment.sh"
set_system "${1:-}"
PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/project" && pwd)
unset CXX CXXFLAGS CC CFLAGS CMAKE_PREFIX_PATH CMAKE_GENERATOR
# shellcheck source=/dev/null
set +u && source "$ASCEND_HOME_PATH/set_env.sh" && set -u
cp -r "$PROJECT" "$WORK/project"

for generator in "Unix Makefiles" Ninja; do
  build="$WORK/build $generator"
  build=${build// /_}
  cmake -G "$generator" -S "$WORK/project" -B "$build" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "cmake ended with $?"; }
  has "$WORK/out" "The ASC compiler is $ASCEND_HOME_PATH/bin/bisheng (SoftHCCL bisheng"
  cmake --build "$build" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "the build ended with $?"; }
  timeout 120 "$build/shift_test" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "shift_test ended with $?"; }
  [ "$(grep -c ': right$' "$WORK/out")" = 4 ] || { cat "$WORK/out"; fail "not four right ranks"; }
  timeout 60 "$build/hello" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "hello ended with $?"; }
  has "$WORK/out" "hello from a kernel: 42"
  # Every source of the library includes this header.
  sleep 1.1
  touch "$WORK/project/shift.h"
  cmake --build "$build" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "the second build ended with $?"; }
  for source in shift.asc shift_kernel.aicpu main.cc; do has "$WORK/out" "$source.o"; done
  ! grep -q 'hello.asc.o' "$WORK/out" || fail "hello.asc was compiled again without need"
done

cd "$WORK" || fail "no folder $WORK"
sources="$WORK/project"
{
  bisheng -O2 "$sources/hello_kernel.aicpu" "--cce-aicpu-L$ASCEND_HOME_PATH/lib64/device/lib64" --cce-aicpu-laicpu_api \
    "-I$ASCEND_HOME_PATH/include/ascendc/aicpu_api" -c -o hello_kernel.o &&
    bisheng --npu-arch=dav-2201 "$sources/hello.asc" -c -o hello.o &&
    bisheng hello_kernel.o hello.o -o hello_by_hand &&
    bisheng -g -fPIC -shared --npu-arch=dav-2201 "$sources/hello.asc" "$sources/hello_kernel.aicpu" -o libhello.so &&
    bisheng --npu-arch=dav-2201 "$sources/hello.asc" "$sources/hello_kernel.aicpu" -o hello_at_once
} >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "the documented commands ended with $?"; }
for program in hello_by_hand hello_at_once; do
  timeout 60 "./$program" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "$program ended with $?"; }
  has "$WORK/out" "hello from a kernel: 42"
done
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'bisheng-*' -newer "$sources/hello.asc" -user "$(id -u)")" ] ||
  fail "bisheng left a folder behind"
echo "asc_project: right with Makefiles, Ninja and by hand"
