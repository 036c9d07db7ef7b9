#!/bin/bash
# A kernel that was built with AddressSanitizer, in a runtime that was not: the planted overflow must be found and
# named with its source line, when the sanitizer's library is preloaded as its manual asks.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"
library=$(realpath "$(g++ -print-file-name=libasan.so)")
[ -f "$library" ] || skip "the compiler has no libasan.so"

PROBE_FOLDER="$SYSTEM/probe_asan" LD_PRELOAD="$library" ASAN_OPTIONS=detect_leaks=0:exitcode=55 \
  timeout -k 5 120 "$SYSTEM/p2p_test" Kernel_Overflows_IsFoundByAsan >"$WORK/out" 2>&1 </dev/null
code=$?
[ "$code" -eq 55 ] || { cat "$WORK/out"; fail "exit code $code, expected the sanitizer's 55"; }
has "$WORK/out" "AddressSanitizer: heap-buffer-overflow"
has "$WORK/out" "ProbeOverflows"
has "$WORK/out" "probe_kernel.cc:"
echo "the overflow in the kernel was found"
