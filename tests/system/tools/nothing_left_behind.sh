#!/bin/bash
# needs A07 and A27: 100 runs, 20 of them killed in the middle, leave no file and no process, and none of them disturbs
# the next one.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
set_system "${1:-}"
# Names that carry ours or the vendor's; other programs may use these folders meanwhile.
files() {
  find /dev/shm /tmp -maxdepth 1 \( -iname '*hccl*' -o -iname '*ascend*' -o -iname '*cann*' -o -iname 'vm_*' \) \
    -user "$(id -un)" | sort
}

export TMPDIR="$WORK/tmp"
mkdir "$TMPDIR"
files >"$WORK/before"
shm_before=$(find /dev/shm -mindepth 1 | wc -l)
for ((i = 0; i < 100; ++i)); do
  if ((i % 5 == 4)); then
    "$SYSTEM/p2p_test" ReceiverIsLate_SevenSeconds_Succeeds >"$WORK/killed" 2>&1 </dev/null &
    victim=$!
    sleep "0.$((i % 10))5"
    kill -9 "$victim" || { cat "$WORK/killed"; fail "run $i ended by itself"; }
    wait "$victim" 2>/dev/null
  else
    timeout -k 5 60 "$SYSTEM/send_recv" >"$WORK/out" 2>&1 </dev/null || { cat "$WORK/out"; fail "run $i failed"; }
    has "$WORK/out" "rankId: 7, output: [ 6 6 6 6 6 6 6 6 ]"
  fi
done
files >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "files were left behind"
[ "$(find /dev/shm -mindepth 1 | wc -l)" -le "$shm_before" ] || fail "/dev/shm has more files than before"
[ -z "$(find "$TMPDIR" -mindepth 1)" ] || fail "left in TMPDIR: $(find "$TMPDIR" -mindepth 1)"
[ -z "$(pgrep -f "^$SYSTEM/(p2p_test|send_recv)")" ] || fail "processes were left behind"
echo "100 runs, 20 killed: nothing left behind"
