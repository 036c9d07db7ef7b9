#!/bin/bash
# reduce_objects_test.sh <nm> <object>...: no object of the reductions for special processors defines a symbol that the
# linker may take for the same one of another object (weak or unique), and each defines its entry.
set -eu
NM=$1
shift
entries=0
for object in "$@"; do
  case "$object" in *reduce_avx*) ;; *) continue ;; esac
  symbols=$("$NM" --defined-only "$object")
  if shared=$(grep -E ' [WVu] ' <<<"$symbols"); then
    echo "$object: may end up in code for every processor:" >&2
    echo "$shared" >&2
    exit 1
  fi
  grep -q 'T .*FillAvx' <<<"$symbols" || { echo "$object: no FillAvx..." >&2; exit 1; }
  entries=$((entries + 1))
done
if [ "$(uname -m)" = x86_64 ] && [ "$entries" -lt 4 ]; then
  echo "only $entries objects of special processors among $*" >&2
  exit 1
fi
