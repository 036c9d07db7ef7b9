#!/bin/bash
# Builds a custom operator project and packs it into a self-extracting installer, with the command line of the article:
# bash build.sh --vendor=cust --ops=p2p --custom_ops_path=./examples/04_custom_ops_p2p
# Needs an installed SDK (quickstart.sh makes one), cmake, make and a C++ compiler; no network.
set -euo pipefail

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VENDOR=""
OPS=""
PROJECT=""
PACKAGE_PATH=""
OUTPUT="$REPO/build_out"
SIGN_KEY=""
SIGN_CERT=""
SIGN_CRL=""

usage() {
  cat <<'HELP'
Usage: bash build.sh --vendor=<vendor> --ops=<name> --custom_ops_path=<folder> [-p <sdk>] [--output=<folder>]

Builds the custom operator project in <folder> and writes build_out/cann-hccl_custom_<name>_linux-<arch>.run.

  --vendor=<vendor>           folder below opp/vendors that the package installs into, for example cust
  --ops=<name>                name of the operator; must be the name in the project's CMakeLists.txt
  --custom_ops_path=<folder>  the project, for example ./examples/04_custom_ops_p2p
  -p, --package-path <sdk>    root of the SDK; default: $ASCEND_HOME_PATH, then the folder that holds $ASCEND_OPP_PATH
  --output=<folder>           where the .run file goes, made when missing; default: build_out beside build.sh
  --sign-key=<pem>            sign the kernel package with this private key (no passphrase) ...
  --sign-cert=<pem>           ... and this certificate; those between it and the trusted one may follow in the file
  --sign-crl=<file>           a revocation list that goes along
  -h, --help                  this text

Then: ./build_out/cann-hccl_custom_<name>_linux-<arch>.run --install
HELP
}

fail() {
  echo "build.sh: error: $*" >&2
  exit 1
}

# need_value <option> <value...>: refuses an option at the end of the line.
need_value() {
  [ $# -ge 2 ] && [ -n "$2" ] || fail "option $1 needs a value; see --help"
}

parse_arguments() {
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) usage; exit 0 ;;
      --vendor=*) VENDOR=${1#*=} ;;
      --ops=*) OPS=${1#*=} ;;
      --custom_ops_path=*) PROJECT=${1#*=} ;;
      --package-path=*) PACKAGE_PATH=${1#*=} ;;
      --output=*) OUTPUT=${1#*=} ;;
      --sign-key=*) SIGN_KEY=${1#*=} ;;
      --sign-cert=*) SIGN_CERT=${1#*=} ;;
      --sign-crl=*) SIGN_CRL=${1#*=} ;;
      -p | --package-path) need_value "$@"; PACKAGE_PATH=$2; shift ;;
      --vendor | --ops | --custom_ops_path | --output) need_value "$@"; set -- "$1=$2" "${@:3}"; continue ;;
      *) fail "unknown option '$1'; see --help" ;;
    esac
    shift
  done
}

check_name() {
  [ -n "$2" ] || fail "$1=<name> is missing; see --help"
  [[ $2 =~ ^[A-Za-z0-9][A-Za-z0-9_-]*$ ]] ||
    fail "$1=$2: a name has letters, digits, '_' and '-' and starts with a letter or digit"
}

check_arguments() {
  if [ -z "$VENDOR$OPS$PROJECT" ]; then
    fail "nothing to build: give --vendor=, --ops= and --custom_ops_path=; the SDK itself is built by quickstart.sh"
  fi
  check_name --vendor "$VENDOR"
  check_name --ops "$OPS"
  [ -n "$PROJECT" ] || fail "--custom_ops_path=<folder> is missing; see --help"
  [ -d "$PROJECT" ] || fail "--custom_ops_path=$PROJECT: there is no such folder"
  PROJECT=$(realpath "$PROJECT")
  [ -f "$PROJECT/CMakeLists.txt" ] || fail "--custom_ops_path=$PROJECT: no CMakeLists.txt there, so it is no project"
  [ -n "$SIGN_KEY" ] || [ -z "$SIGN_CERT$SIGN_CRL" ] || fail "--sign-key=<pem> is missing; see --help"
  [ -n "$SIGN_CERT" ] || [ -z "$SIGN_KEY" ] || fail "--sign-cert=<pem> is missing; see --help"
  [ -n "$OUTPUT" ] || fail "--output=<folder> names no folder; see --help"
  OUTPUT=$(realpath -m "$OUTPUT")
  case "$REPO$PROJECT$OUTPUT" in
    *[[:space:]]*)
      fail "the path of the checkout, the project or the output has blanks, which make cannot handle: $REPO, $PROJECT, $OUTPUT"
      ;;
  esac
}

find_sdk() {
  SDK=${PACKAGE_PATH:-${ASCEND_HOME_PATH:-}}
  if [ -z "$SDK" ] && [ -n "${ASCEND_OPP_PATH:-}" ]; then
    SDK=$(dirname "$ASCEND_OPP_PATH")
  fi
  [ -n "$SDK" ] || fail "no SDK: source <sdk>/set_env.sh first or pass -p <sdk>; quickstart.sh makes one"
  [ -f "$SDK/include/hccl/hccl_types.h" ] ||
    fail "no SDK at '$SDK' (no include/hccl/hccl_types.h): source set_env.sh of an installed SDK or pass -p <sdk>"
  SDK=$(cd "$SDK" && pwd)
}

# quiet <what> <command...>: runs a command; its output is kept and shown only when it fails.
quiet() {
  local what=$1
  shift
  echo "build.sh: $what"
  # In a condition, bash would ignore that a step of a function fails and go on with the next one.
  local status=0
  set +e
  (set -e; "$@") >>"$LOG" 2>&1
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    cat "$LOG" >&2
    fail "$what failed; the output is above and in $LOG"
  fi
}

check_ops_name() {
  local manifest="$WORK/host/custom_ops.txt" name files
  [ -f "$manifest" ] || fail "$PROJECT/CMakeLists.txt does not call custom_ops_project(<name>) of cmake/custom_ops.cmake"
  name=$(sed -n 's/^ops //p' "$manifest")
  files=$(sed '/^ops /d; s/.* //' "$manifest" | paste -sd' ' | sed 's/ /, /g')
  [ "$name" = "$OPS" ] ||
    fail "--ops=$OPS does not match the project $PROJECT: its name is '$name' and it installs $files; use --ops=$name"
}

# configure_part <host|kernel> <cmake options...>
configure_part() {
  local part=$1
  shift
  cmake -G "Unix Makefiles" -S "$PROJECT" -B "$WORK/$part" -DCMAKE_BUILD_TYPE=Release \
    -DCUSTOM_OPS_CMAKE="$REPO/cmake/custom_ops.cmake" -DCUSTOM_OPS_PART="$part" -DCUSTOM_OPS_VENDOR="$VENDOR" \
    -DASCEND_CANN_PACKAGE_PATH="$SDK" "$@"
}

build_parts() {
  local device_cxx="$SDK/toolkit/toolchain/hcc/bin/aarch64-target-linux-gnu-g++"
  [ -x "$device_cxx" ] || device_cxx=c++
  quiet "configuring the host library" configure_part host
  check_ops_name
  quiet "building the host library" cmake --build "$WORK/host" --parallel
  quiet "configuring the kernel" configure_part kernel -DCMAKE_SYSTEM_NAME=Linux \
    "-DCMAKE_SYSTEM_PROCESSOR=$(uname -m)" "-DCMAKE_CXX_COMPILER=$device_cxx"
  quiet "building the kernel" cmake --build "$WORK/kernel" --parallel
}

# Copies what both parts list into the tree of the package; the kernel libraries go into their archive.
stage_package() {
  local part folder file root="$WORK/package/opp/vendors/$VENDOR" device="$WORK/aicpu_kernels_device"
  mkdir -p "$device" "$root/aicpu/kernel"
  for part in host kernel; do
    while read -r folder file; do
      case "$folder" in
        ops) ;;
        kernel) install -m 750 "$WORK/$part/stage/$file" "$device/$file" ;;
        lib64) install -D -m 755 "$WORK/$part/stage/$file" "$root/$folder/$file" ;;
        *) install -D -m 644 "$WORK/$part/stage/$file" "$root/$folder/$file" ;;
      esac
    done <"$WORK/$part/custom_ops.txt"
  done
  # The loader compares every file with this list.
  (cd "$device" && sha256sum -- * | sed 's/^\([0-9a-f]*\)  \(.*\)$/\2=\1/' >"$WORK/bin_hash.cfg")
  install -m 750 "$WORK/bin_hash.cfg" "$device/bin_hash.cfg"
  tar -C "$WORK" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - aicpu_kernels_device |
    gzip -n >"$root/aicpu/kernel/aicpu_hccl_custom_$OPS.tar.gz"
}

sign_package() {
  "$SDK/bin/softhccl" sign --key "$SIGN_KEY" --cert "$SIGN_CERT" ${SIGN_CRL:+--crl "$SIGN_CRL"} \
    "$WORK/package/opp/vendors/$VENDOR/aicpu/kernel/aicpu_hccl_custom_$OPS.tar.gz"
}

main() {
  parse_arguments "$@"
  check_arguments
  find_sdk
  local tool
  for tool in cmake make tar gzip sha256sum; do
    command -v "$tool" >/dev/null || fail "'$tool' is missing; install it (scripts/packages.build.txt lists what is needed)"
  done
  WORK="$OUTPUT/work/$OPS"
  LOG="$WORK/build.log"
  local run
  run="$OUTPUT/cann-hccl_custom_${OPS}_linux-$(uname -m).run"
  rm -rf "$WORK" "$run"
  mkdir -p "$WORK" 2>/dev/null || fail "cannot make the folder $WORK; choose another --output=<folder>"
  : >"$LOG"
  echo "build.sh: SDK $SDK"
  build_parts
  quiet "staging the package" stage_package
  [ -z "$SIGN_KEY" ] || quiet "signing the kernel package" sign_package
  quiet "packing" bash "$REPO/scripts/package/make_run.sh" "$WORK/package" "$VENDOR" "$OPS" "$run"
  [ "$PWD" != "$REPO" ] || run=${run/#"$REPO"/.}
  echo "build.sh: done: ${run#./}; install it with $run --install"
}

main "$@"
