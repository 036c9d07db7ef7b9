#!/bin/bash
# needs A13: link flags must not take a library away quietly. A program that is linked in any of the ways below runs, or
# its linker says what is missing; it never calls a function that is not there.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"
need g++
source_file="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/link_order.cc"
worked=0
refused=0

# try <name> <must work|may be refused> <flags and libraries...>
try() {
  local name=$1 wanted=$2 code
  shift 2
  if ! g++ -std=c++14 -Wall -Wextra -Werror -isystem "$ASCEND_HOME_PATH/include" "$source_file" \
    -o "$WORK/program" "-L$ASCEND_HOME_PATH/lib64" "-Wl,-rpath-link,$ASCEND_HOME_PATH/lib64" "$@" >"$WORK/out" 2>&1; then
    [ "$wanted" = "may be refused" ] || { cat "$WORK/out"; fail "$name: does not link"; }
    grep -qE "undefined reference|DSO missing" "$WORK/out" || { cat "$WORK/out"; fail "$name: fails for another reason"; }
    refused=$((refused + 1))
    return
  fi
  SOFTHCCL_DEVICES=1 timeout -k 5 60 "$WORK/program" >"$WORK/out" 2>&1 </dev/null
  code=$?
  [ "$code" -eq 0 ] || { cat "$WORK/out"; fail "$name: exit code $code"; }
  has "$WORK/out" "worked"
  worked=$((worked + 1))
}

for flag in -Wl,--as-needed -Wl,--no-as-needed -Wl,-Bsymbolic -Wl,-z,now; do
  try "$flag hcomm acl_rt" "must work" "$flag" -lhcomm -lacl_rt
  try "$flag hccl hcomm ascendcl" "must work" "$flag" -DCOLLECTIVE -lhccl -lhcomm -lascendcl
  has "$WORK/out" "HcclAllReduce answered"
  try "$flag hccl only, with what it needs" "must work" "$flag" -Wl,--copy-dt-needed-entries -DCOLLECTIVE -lhccl
  try "$flag hcomm only, with what it needs" "must work" "$flag" -Wl,--copy-dt-needed-entries -lhcomm
  try "$flag hccl only" "may be refused" "$flag" -lhccl
  try "$flag hcomm only" "may be refused" "$flag" -lhcomm
  try "$flag acl_rt only" "may be refused" "$flag" -lacl_rt
done
try "libraries before the program's own" "may be refused" -Wl,--as-needed -Wl,--push-state -lhcomm -Wl,--pop-state -lacl_rt
try "dlopen" "must work" -DDLOPEN -DCOLLECTIVE -ldl
[ "$refused" -gt 0 ] || fail "no way of linking was refused; then the linker finds libraries that the test did not name"
echo "$worked ways of linking work, $refused are refused by the linker"
