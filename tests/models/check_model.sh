#!/bin/sh
# Checks one variant of a Promela model and compares the verdict with the expected one. A search that was cut short
# proves nothing, so it fails whatever it says.
# usage: check_model.sh <spin> <cc> <model> <work folder> <expected pattern> <mode> [-D...]
set -eu
spin=$1 cc=$2 model=$3 work=$4 expected=$5 mode=$6
shift 6

if [ ! -x "$spin" ] || [ ! -x "$cc" ]; then
  echo "skipped: needs spin and a C compiler (Debian: apt install spin gcc)"
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$spin" -a "$@" "$model"
[ -f pan.c ] || { echo "spin refused $model"; exit 1; }

case $mode in
  assertions) build=-DSAFETY run= ;;
  liveness) build=-DMODEL_HAS_LTL run=-a ;;
  liveness-only) build=-DMODEL_HAS_LTL run='-a -A' ;; # -A: assertions are not looked at
  *) echo "unknown mode $mode: say assertions, liveness or liveness-only"; exit 1 ;;
esac
# COLLAPSE: the states of the largest variant fit into 1 GB.
"$cc" -O2 -w $build -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c
./pan -m10000 -w22 $run >verdict 2>&1 || true
grep -v -e unreached -e '^\s*[^ ]*\.pml:' -e '^$' verdict

if grep -q -e "max search depth too small" -e "out of memory" -e "memory exceeded" -e aborting verdict; then
  echo "FAILED: the search did not finish"
  exit 1
fi
if ! grep -q "errors: " verdict; then
  echo "FAILED: the checker gave no verdict"
  exit 1
fi
if [ "$expected" = "errors: 0" ] && grep -q "Search not completed" verdict; then
  echo "FAILED: the search did not finish"
  exit 1
fi
if ! grep -q -e "$expected" verdict; then
  echo "FAILED: expected \"$expected\""
  exit 1
fi
rm -f pan pan.? # a trail is kept for spin -t
