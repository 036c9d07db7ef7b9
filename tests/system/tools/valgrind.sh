#!/bin/bash
# The article's test program under valgrind: the right output, no error report at all.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"
need valgrind

SOFTHCCL_DEVICES=2 timeout -k 5 300 valgrind --error-exitcode=99 --fair-sched=yes "$SYSTEM/send_recv" \
  >"$WORK/out" 2>"$WORK/err" </dev/null
code=$?
[ "$code" -eq 0 ] || { cat "$WORK/out" "$WORK/err"; fail "exit code $code"; }
has "$WORK/out" "rankId: 1, output: [ 0 0 ]"
has "$WORK/err" "ERROR SUMMARY: 0 errors"
! grep -v '^==' "$WORK/err" || fail "something else was printed on standard error"
echo "valgrind found no errors"
