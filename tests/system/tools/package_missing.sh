#!/bin/bash
# needs A16: the operator's library is installed and its kernel package is not: the sample must fail and say what is
# missing, instead of waiting for a kernel that never runs.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"

cp -r "$ASCEND_HOME_PATH/opp/vendors/cust" "$WORK/cust"
rm "$WORK/cust/aicpu/kernel/"*.tar.gz
# With a root that has no list: the SDK's own lists the package that is installed there.
LD_LIBRARY_PATH="$WORK/cust/lib64:$ASCEND_HOME_PATH/lib64" ASCEND_HOME_PATH="$WORK" SOFTHCCL_DEVICES=2 timeout -k 5 60 "$SYSTEM/send_recv" \
  >"$WORK/out" 2>&1 </dev/null
code=$?
[ "$code" -eq 1 ] || { cat "$WORK/out"; fail "exit code $code, expected 1"; }
has "$WORK/out" "libp2p_aicpu_kernel.so"
! grep -q "output: \[" "$WORK/out" || fail "a result was printed"

rm "$WORK/cust/aicpu/config/"*.json
LD_LIBRARY_PATH="$WORK/cust/lib64:$ASCEND_HOME_PATH/lib64" ASCEND_HOME_PATH="$WORK" SOFTHCCL_DEVICES=2 \
  timeout -k 5 60 "$SYSTEM/send_recv" >"$WORK/out" 2>&1 </dev/null
code=$?
[ "$code" -eq 1 ] || { cat "$WORK/out"; fail "exit code $code without a description, expected 1"; }
has "$WORK/out" "the kernel is not installed"
echo "missing packages are named"
