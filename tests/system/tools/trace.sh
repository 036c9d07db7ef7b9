#!/bin/bash
# SOFTHCCL_TRACE: the sample writes a Chrome trace that check_trace.py can read and finds complete.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"

SOFTHCCL_DEVICES=4 SOFTHCCL_TRACE="$WORK/trace.json" timeout -k 5 120 "$SYSTEM/send_recv" \
  >"$WORK/out" 2>&1 </dev/null ||
  { cat "$WORK/out"; fail "the sample failed"; }
has "$WORK/out" "rankId: 3, output: [ 2 2 2 2 ]"
python3 "$(dirname "${BASH_SOURCE[0]}")/check_trace.py" "$WORK/trace.json" || fail "the trace is not as it should be"
