#!/bin/bash
# Takes one operator of examples/ the way of its README: build.sh, the installer, make, make test; 16 devices, and an HcclBuffer
# small enough that larger calls are cut. operator.sh <checkout> <system folder> <folder of examples/> <operator>
set -eu

CHECKOUT=$1 SYSTEM=$2 FOLDER=$3 OPERATOR=$4
SDK="$SYSTEM/Ascend/cann-9.2.0"
unset VENDOR MAKEFLAGS
export ASAN_OPTIONS="detect_leaks=0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# build.sh writes beside itself.
mkdir "$work/checkout"
cp -rL "$CHECKOUT"/{build.sh,cmake,scripts,examples} "$work/checkout"
cd "$work/checkout"
bash build.sh --vendor=cust "--ops=$OPERATOR" -p "$SDK" "--custom_ops_path=./examples/$FOLDER"
"./build_out/cann-hccl_custom_${OPERATOR}_linux-$(uname -m).run" --quiet "--install-path=$SDK"
# shellcheck source=/dev/null
set +u && source "$SDK/set_env.sh" && set -u
export SOFTHCCL_DEVICES=16 HCCL_BUFFSIZE=1
make -C "examples/$FOLDER/testcase" test | tee "$work/output"
[ "$(grep -c ' ranks: right$' "$work/output")" = 16 ] || { echo "operator.sh: not 16 right communicators" >&2; exit 1; }
