#!/bin/bash
# The article's chapter 5, from build.sh over the list and the two commands of npu-smi to make test, on devices that verify
# packages and on devices that do not; the same with a package that is signed; and signed packages that are refused.
source "$(dirname "${BASH_SOURCE[0]}")/../flow/flow_common.sh"
SIGNED="$REPO/tests/system/signed"
# shellcheck source=tests/system/signed/authority.sh
source "$SIGNED/authority.sh"

KEYS="$WORK/keys"
TESTCASE="$CHECKOUT/examples/04_custom_ops_p2p/testcase"
STATE="$HOME/.local/state/softhccl/npu-smi.state"
DEVICES="0 1 2 3 4 5 6 7"
export MARKER="$WORK/marker"

# sample <NAME=VALUE...>: make test of the sample, with these variables.
sample() {
  (cd "$TESTCASE" && env "$@" timeout -k 5 120 make -s test)
}
sample_runs() {
  OUTPUT=$(sample "$@" 2>&1 <&-) || not_ok "make test failed: $*"
  says "rankId: 7, output: [ 6 6 6 6 6 6 6 6 ]"
}
# sample_is_refused <text> <NAME=VALUE...>: with the first two devices.
sample_is_refused() {
  local text=$1
  shift
  OUTPUT=$(sample SOFTHCCL_DEVICES=2 "$@" 2>&1 <&-) && not_ok "make test succeeded: $*"
  says "$text"
  says "package $(realpath "$SDK")/$KERNELS/aicpu_hccl_custom_p2p.tar.gz is refused"
  [[ $OUTPUT != *"output: ["* ]] || not_ok "a refused kernel gave a result"
}
# verification <mode> <devices>: the article's two commands.
verification() {
  local mode=$1 device
  shift
  for device in "$@"; do
    succeeds npu-smi set -t custom-op-secverify-enable -i "$device" -d 1
    succeeds npu-smi set -t custom-op-secverify-mode -i "$device" -d "$mode"
  done
}

case_Article_NothingSet_RunsUnsigned() {
  use_sdk
  cd "$CHECKOUT" || exit 1
  succeeds bash build.sh --vendor=cust --ops=p2p --custom_ops_path=./examples/04_custom_ops_p2p
  succeeds "./build_out/$RUN_NAME" --install
  # The .run file has written the record already; a reader of the article appends it all the same.
  cat >>"$SDK/$LIST" <<'RECORD'
name:aicpu_hccl_custom_p2p.tar.gz
install_path:2
optional:true
package_path:opp/vendors/cust/aicpu/kernel
RECORD
  succeeds make -C "$TESTCASE"
  sample_runs
  [ "$(command -v npu-smi)" = "$SDK/bin/npu-smi" ] || not_ok "npu-smi is $(command -v npu-smi)"
  succeeds npu-smi info
  [ "$(grep -c "Devices do not verify packages unless that is switched on" <<<"$OUTPUT")" -eq 1 ] || not_ok "not said once"
  succeeds npu-smi info -l
  says "Total Count                    : 8"
  succeeds npu-smi info -t custom-op-secverify-mode -i 0
  says "0 (off)"
  [ ! -e "$STATE" ] || not_ok "looking made $STATE"
}

case_Article_FaithfulDevices_NeedTheTwoCommands() {
  export SOFTHCCL_FAITHFUL=Ascend910B
  sample_is_refused "it is not signed, and NPU 0 verifies packages (custom-op-secverify-mode 1)"
  says "npu-smi set -t custom-op-secverify-enable -i 0 -d 1; npu-smi set -t custom-op-secverify-mode -i 0 -d 0"
  fails_with "the mode of NPU 0 is not configurable" npu-smi set -t custom-op-secverify-mode -i 0 -d 0
  # shellcheck disable=SC2086  # words
  verification 0 $DEVICES
  sample_runs
  sample_runs SOFTHCCL_FAITHFUL=Ascend910_93
  succeeds npu-smi set -t custom-op-secverify-enable -i 1 -d 0
  sample_is_refused "NPU 1 verifies packages"
  verification 0 1
  # In another state folder nothing was ever set.
  sample_is_refused "NPU 0 verifies packages" XDG_STATE_HOME="$WORK/state"
  unset SOFTHCCL_FAITHFUL
}

case_Signed_OwnAuthority_RunsWhereItIsTrusted() {
  authority trusted && gives trusted author rsa || { OUTPUT=$(cat "$KEYS/log"); not_ok "openssl failed"; }
  fails_with "--sign-cert=<pem> is missing" bash build.sh --vendor=cust --ops=p2p --sign-key="$KEYS/author.key" \
    --custom_ops_path=./examples/04_custom_ops_p2p
  succeeds bash build.sh --vendor=cust --ops=p2p --custom_ops_path=./examples/04_custom_ops_p2p \
    --sign-key="$KEYS/author.key" --sign-cert="$KEYS/author.pem"
  succeeds "./build_out/$RUN_NAME" --install --quiet
  sample_runs
  # shellcheck disable=SC2086
  verification 2 $DEVICES
  sample_is_refused "the certificate of CN = author leads to none that is trusted for customer packages; trusted are: none"
  succeeds softhccl trust add "$KEYS/trusted.pem"
  sample_runs
  sample_runs SOFTHCCL_FAITHFUL=Ascend910B
  succeeds softhccl trust list
  says "CN = trusted"
  succeeds softhccl verify cust/p2p
  says "CN = author"
  succeeds npu-smi info -t custom-op-secverify-mode -i 7
  says "2 (customer)"
}

# --- Signed packages that are refused, by device 0 and a program that loads one kernel ------------------------------

# marker_is <package>: installs it as the package of the operator marker.
marker_is() {
  cp "$1" "$SDK/opp/vendors/marker/aicpu/kernel/aicpu_marker.tar.gz"
  rm -f "$MARKER"
}
runs() {
  marker_is "$1"
  succeeds "$WORK/device_program" load "$SDK/opp/vendors/marker/aicpu/config/libmarker_kernel.json" Marker
  is_silent
  [ -e "$MARKER" ] || not_ok "$1 did not run"
}
# refuses <package> <text>: in one line, and without executing anything of it.
refuses() {
  marker_is "$1"
  fails_with "$2" timeout -k 5 60 "$WORK/device_program" load \
    "$SDK/opp/vendors/marker/aicpu/config/libmarker_kernel.json" Marker
  says "aicpu_marker.tar.gz is refused"
  [ ! -e "$MARKER" ] || not_ok "$1 was executed"
}
# signed <name of the signer> [options]: $WORK/<name>.signed
signed() {
  local name=$1
  shift
  succeeds softhccl sign --key "$KEYS/$name.key" --cert "$KEYS/$name.pem" "$@" "$WORK/marker.tar.gz" "$WORK/$name.signed"
}
# signed_by_openssl <name>: the same by hand, with a certificate that softhccl sign would not use.
signed_by_openssl() {
  succeeds openssl cms -sign -binary -nosmimecap -in "$WORK/text" -signer "$KEYS/$1.pem" -inkey "$KEYS/$1.key" \
    -outform DER -out "$WORK/cms"
  succeeds python3 -B "$SIGNED/containers.py" sign "$WORK/author.signed" "$WORK/cms" "$WORK/$1.signed"
}

case_Marker_Unsigned_RefusedAndSignedRuns() {
  local vendor="$SDK/opp/vendors/marker/aicpu" folder="$WORK/aicpu_kernels_device"
  mkdir -p "$vendor/config" "$vendor/kernel" "$folder"
  cp "$SIGNED/libmarker_kernel.json" "$vendor/config"
  printf 'name:aicpu_marker.tar.gz\ninstall_path:2\noptional:true\npackage_path:opp/vendors/marker/aicpu/kernel\n' >>"$SDK/$LIST"
  succeeds g++ -std=c++14 -fPIC -shared "$SIGNED/marker_kernel.cc" -o "$folder/libmarker_kernel.so"
  succeeds g++ -std=c++14 -pthread -isystem "$SDK/include" "$SIGNED/device_program.cc" -o "$WORK/device_program" \
    "-L$SDK/lib64" "-Wl,-rpath-link,$SDK/lib64" -lacl_rt
  tar -C "$WORK" -czf "$WORK/marker.tar.gz" aicpu_kernels_device
  cp "$folder/libmarker_kernel.so" "$folder/libsecond.so"
  tar -C "$WORK" -czf "$WORK/other.tar.gz" aicpu_kernels_device
  signed author
  refuses "$WORK/marker.tar.gz" "it is not signed, and NPU 0 verifies packages"
  runs "$WORK/author.signed"
  succeeds python3 -B "$SIGNED/containers.py" text "$WORK/author.signed" "$WORK/text"
  signed_by_openssl author
  runs "$WORK/author.signed"
}

case_Certificate_ForeignExpiredRevoked_Refused() {
  authority foreign && gives foreign stranger ec && gives trusted revoked ec &&
    gives trusted expired ec -startdate 20200101000000Z -enddate 20210101000000Z &&
    gives trusted early ec -startdate 20900101000000Z -enddate 20910101000000Z ||
    { OUTPUT=$(cat "$KEYS/log"); not_ok "openssl failed"; }
  signed stranger
  refuses "$WORK/stranger.signed" "the certificate of CN = stranger leads to none that is trusted for customer packages; trusted are: CN = trusted"
  # Whose kind it is stands in the header, and only says where to look.
  signed author --kind community
  refuses "$WORK/author.signed" "it is signed as a community package, and custom-op-secverify-mode 2 of NPU 0 does not accept these"
  signed author
  fails_with "the certificate of CN = expired has expired on 2021-01-01" softhccl sign --key "$KEYS/expired.key" \
    --cert "$KEYS/expired.pem" "$WORK/marker.tar.gz" "$WORK/expired.signed"
  signed_by_openssl expired
  refuses "$WORK/expired.signed" "the certificate of CN = expired has expired on 2021-01-01"
  signed_by_openssl early
  refuses "$WORK/early.signed" "the certificate of CN = early is valid from 2090-01-01"
  signed revoked
  runs "$WORK/revoked.signed"
  ask trusted -revoke "$KEYS/revoked.pem" && ask trusted -gencrl -out "$KEYS/trusted.crl" || not_ok "openssl failed"
  succeeds softhccl trust add "$KEYS/trusted.crl"
  refuses "$WORK/revoked.signed" "the certificate of CN = revoked was revoked by its issuer"
  runs "$WORK/author.signed"
}

case_Container_Altered_Refused() {
  local size at text
  size=$(stat -c %s "$WORK/author.signed")
  while read -r at text; do
    succeeds python3 -B "$SIGNED/containers.py" flip "$WORK/author.signed" "$at" "$WORK/altered"
    refuses "$WORK/altered" "$text"
  done <<'PLACES'
0x000 it is not signed
0x100 the sha256 of its header is wrong
0x478 the sha256 of its header is wrong
0x588 its header speaks of a file of
0x590 its header lacks one of the marks
0x594 two version counters differ
0x598 its kind of certificate is
0x800 something is hidden between its parts
0x2018 the sha256 of its tar.gz is wrong
0x2180 the sha256 of its tar.gz is wrong
-1 something is hidden behind its ini block
PLACES
  head -c $((size - 16)) "$WORK/author.signed" >"$WORK/altered"
  refuses "$WORK/altered" "its header speaks of a file of $size bytes, it has $((size - 16))"
  head -c 4096 "$WORK/author.signed" >"$WORK/altered"
  refuses "$WORK/altered" "4096 bytes"
  # Whoever knows the container makes every number in it right, and cannot sign it.
  succeeds python3 -B "$SIGNED/containers.py" exchange "$WORK/author.signed" "$WORK/other.tar.gz" "$WORK/altered"
  refuses "$WORK/altered" "its signature does not fit it"
  printf 'not DER' >"$WORK/cms"
  succeeds python3 -B "$SIGNED/containers.py" sign "$WORK/author.signed" "$WORK/cms" "$WORK/altered"
  refuses "$WORK/altered" "its signature cannot be read"
}

# --- Jobs ------------------------------------------------------------------------------------------------------------

case_Info_RunningJob_ShownWithCpuAndMemory() {
  local line="" pid="" cpu="" memory="" name="" job tries
  coproc JOB { exec "$WORK/device_program" work 64; }
  job=$JOB_PID
  read -r line <&"${JOB[0]}" && [ "$line" = ready ] || not_ok "the job did not start: $line"
  # It may get no time within the tenth of a second in which it is watched.
  for tries in {1..50}; do
    succeeds npu-smi info
    read -r pid cpu memory name <<<"$(grep -E "^ *$job " <<<"$OUTPUT")"
    [ "${cpu:-0}" -eq 0 ] || break
  done
  [ "${pid:-}" = "$job" ] && [ "$name" = device_program ] || not_ok "no row of process $job"
  [ "${cpu:-0}" -gt 0 ] || not_ok "a busy job used no CPU in $tries looks"
  [ "${memory%.*}" -ge 64 ] && [ "${memory%.*}" -lt 128 ] || not_ok "$memory MiB for 64"
  eval "exec ${JOB[1]}>&-"
  wait "$job" || not_ok "the job failed"
  succeeds npu-smi info
  ! grep -E "^ *$job " <<<"$OUTPUT" || not_ok "the job is over and still shown"
}

case_End_NothingElseWasWritten() {
  is_clean "$TMPDIR"
  [ "$(cd "$HOME" && find . -type f | sed 's/[0-9a-f]\{16\}\././' | sort | paste -sd' ')" = \
    "./.config/softhccl/certificates/customer/.crl ./.config/softhccl/certificates/customer/.pem ./.local/state/softhccl/npu-smi.state" ] ||
    not_ok "in the home: $(cd "$HOME" && find . -type f)"
}

run_cases
