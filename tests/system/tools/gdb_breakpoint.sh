#!/bin/bash
# A breakpoint in the kernel's ExecOp, only for rank 1: gdb must stop there, show the source line and print the
# parameters, although the library is loaded late and from memory.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"
need gdb

cat >"$WORK/commands" <<'GDB'
set breakpoint pending on
set pagination off
set confirm off
set debuginfod enabled off
break hccl_custom_p2p::ExecOp if param.opType == HCCL_CMD_RECEIVE
run
backtrace 3
info source
list
print param.bytes
print param.tag
delete
continue
GDB
SOFTHCCL_DEVICES=2 timeout -k 5 200 gdb -batch -x "$WORK/commands" "$SYSTEM/send_recv" >"$WORK/out" 2>&1 </dev/null ||
  { cat "$WORK/out"; fail "gdb ended with $?"; }
has "$WORK/out" "hccl_custom_p2p::ExecOp (param=..., thread="
has "$WORK/out" "exec_op.cc:"
has "$WORK/out" "int ExecOp(const OpParam& param, ThreadHandle thread)"
has "$WORK/out" "$(printf '$1 = 8')"
has "$WORK/out" "HcclRecvCustom#0 0->1"
has "$WORK/out" "rankId: 1, output: [ 0 0 ]"
echo "stopped in ExecOp of rank 1 with source and parameters"
