#!/bin/bash
# needs A26: with a /dev/shm of 64 MB, as in a container, the sample with 8 ranks works, and so does a full buffer.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"
[ "$(id -u)" -eq 0 ] || skip "only root can mount a small /dev/shm"
need unshare
unshare -m true 2>/dev/null || skip "a mount namespace is not allowed here"

timeout -k 5 300 unshare -m bash -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && df -m /dev/shm | tail -1 &&
  "$0/send_recv" && "$0/p2p_test" Sizes_FullDefaultBuffer_Arrives' "$SYSTEM" >"$WORK/out" 2>&1 </dev/null ||
  { cat "$WORK/out"; fail "exit code $?"; }
has "$WORK/out" "rankId: 7, output: [ 6 6 6 6 6 6 6 6 ]"
has "$WORK/out" "Sizes_FullDefaultBuffer_Arrives: passed"
echo "64 MB of /dev/shm are enough"
