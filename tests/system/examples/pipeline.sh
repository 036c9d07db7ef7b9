#!/bin/bash
# The pipeline on the installed point-to-point operator, with 1 to 16 stages. pipeline.sh <checkout> <system folder>
set -eu

SDK="$2/Ascend/cann-9.2.0"
unset VENDOR MAKEFLAGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$1"/examples/{11_pipeline,common} "$work"
# shellcheck source=/dev/null
set +u && source "$SDK/set_env.sh" && set -u
SOFTHCCL_DEVICES=16 make -C "$work/11_pipeline" test | tee "$work/output"
[ "$(grep -c ': right$' "$work/output")" = 16 ] || { echo "pipeline.sh: not 16 right pipelines" >&2; exit 1; }
