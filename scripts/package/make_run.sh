#!/bin/bash
# Packs a tree with opp/vendors/<vendor>/... into one self-extracting file: a shell header with the sha256 of what
# follows, then a tar.gz. Own packer, so that neither makeself nor the network is needed.
# make_run.sh <tree> <vendor> <ops> <output.run>
set -euo pipefail

[ $# -eq 4 ] || { echo "usage: make_run.sh <tree> <vendor> <ops> <output.run>" >&2; exit 2; }
TREE=$1 VENDOR=$2 OPS=$3 OUTPUT=$4
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

SCRIPT_PATH="opp/vendors/$VENDOR/scripts/install.sh"
mkdir -p "$(dirname "$TREE/$SCRIPT_PATH")"
# Each installed copy of the script knows its files, so that it can remove exactly these.
FILES=$({ cd "$TREE" && find opp -type f ! -name '*.sha256'; echo "$SCRIPT_PATH"; } | sort -u | sed 's/.*/  "&"/')
{
  sed '/^@FILES@$/,$d' "$HERE/install.sh.in"
  printf '%s\n' "$FILES"
  sed '1,/^@FILES@$/d' "$HERE/install.sh.in"
} | sed "s|@OPS@|$OPS|g; s|@VENDOR@|$VENDOR|g" >"$TREE/$SCRIPT_PATH"
chmod 755 "$TREE/$SCRIPT_PATH"
# What is installed can be checked: cd <sdk> && sha256sum -c opp/vendors/<vendor>/scripts/<ops>.sha256
MANIFEST="opp/vendors/$VENDOR/scripts/$OPS.sha256"
(cd "$TREE" && find opp -type f ! -path "$MANIFEST" -print0 | sort -z | xargs -0 sha256sum) >"$TREE.sha256"
mv -f "$TREE.sha256" "$TREE/$MANIFEST"

PAYLOAD="$OUTPUT.payload"
trap 'rm -f "$PAYLOAD" "$OUTPUT.part"' EXIT
tar -C "$TREE" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - opp | gzip -n >"$PAYLOAD"
SUM=$(sha256sum <"$PAYLOAD")
LINES=$(($(wc -l <"$HERE/run_header.sh.in") + 1))
sed "s|@OPS@|$OPS|g; s|@SCRIPT@|$SCRIPT_PATH|g; s|@SHA256@|${SUM%% *}|g; s|@PAYLOAD_LINE@|$LINES|g" \
  "$HERE/run_header.sh.in" >"$OUTPUT.part"
cat "$PAYLOAD" >>"$OUTPUT.part"
chmod 755 "$OUTPUT.part"
mv -f "$OUTPUT.part" "$OUTPUT"
