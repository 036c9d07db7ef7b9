#!/bin/bash
# Packs a folder into one self-extracting file, with the command line of makeself as builds of custom operators use it.
# Own packer, so that such a build needs neither that tool nor the network.
# makeself.sh [options] <folder> <file.run> <label> <start script in the folder> [its arguments]
set -euo pipefail

fail() {
  echo "makeself.sh: error: $*" >&2
  exit 1
}

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HEADER="$HERE/makeself-header.sh"
HELP_FILE=""
LEVEL=6
FORMAT=gnu
TAR_OPTIONS=()
PROGRAM=gzip
while [[ ${1:-} == --* ]]; do
  case "$1" in
    --header | --help-header | --complevel | --tar-format | --tar-extra | --lsm | --target | --threads | --packaging-date)
      [ $# -ge 2 ] || fail "option $1 needs a value"
      case "$1" in
        --header) HEADER=$2 ;;
        --help-header) HELP_FILE=$2 ;;
        --complevel) LEVEL=$2 ;;
        --tar-format) FORMAT=$2 ;;
        --tar-extra) read -r -a TAR_OPTIONS <<<"$2" ;;
      esac
      shift
      ;;
    --pigz) PROGRAM=pigz ;;
    --gzip) PROGRAM=gzip ;;
    --bzip2) PROGRAM=bzip2 ;;
    --xz) PROGRAM=xz ;;
    # What is always so, or has no meaning for a package that is unpacked into a temporary folder.
    --sha256 | --nomd5 | --nocrc | --nooverwrite | --chown | --tar-quietly | --quiet | --nox11 | --nowait | --noprogress) ;;
    *) fail "option '$1' is not known here; this packer has what builds of custom operators use" ;;
  esac
  shift
done
[ $# -ge 4 ] || fail "usage: makeself.sh [options] <folder> <file.run> <label> <start script> [arguments]"
FOLDER=$1 OUTPUT=$2 LABEL=$3 SCRIPT=$4
shift 4
[ -d "$FOLDER" ] || fail "there is no folder $FOLDER"
[ -f "$HEADER" ] || fail "there is no header $HEADER"
[ -f "$FOLDER/$SCRIPT" ] || fail "the start script $SCRIPT is not in $FOLDER"
[[ $LEVEL =~ ^[1-9]$ ]] || fail "--complevel $LEVEL: use 1 to 9"
HELP=""
if [ -n "$HELP_FILE" ]; then
  [ -f "$HELP_FILE" ] || HELP_FILE="$FOLDER/$HELP_FILE"
  [ -f "$HELP_FILE" ] || fail "there is no help text ${HELP_FILE#"$FOLDER/"}"
  HELP=$(base64 -w0 <"$HELP_FILE")
fi
# pigz makes the same files as gzip.
if [ "$PROGRAM" = pigz ] && ! command -v pigz >/dev/null; then PROGRAM=gzip; fi
command -v "$PROGRAM" >/dev/null || fail "'$PROGRAM' is missing; install it"
UNPACK=$PROGRAM
[ "$PROGRAM" != pigz ] || UNPACK=gzip

# The result often lies in the folder that is packed, so it is put there last.
WORK=$(mktemp -d "${TMPDIR:-/tmp}/makeself.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
tar -C "$FOLDER" --sort=name --owner=0 --group=0 --format="$FORMAT" ${TAR_OPTIONS[@]+"${TAR_OPTIONS[@]}"} -cf - . |
  "$PROGRAM" "-$LEVEL" >"$WORK/payload" || fail "$FOLDER could not be packed"
SUM=$(sha256sum <"$WORK/payload")
LINES=$(($(wc -l <"$HEADER") + 1))
# quoted <text>: as one word of a shell.
quoted() {
  printf '%q' "$1"
}
ARGUMENTS=""
for argument in "$@"; do ARGUMENTS+=" $(quoted "$argument")"; done
while IFS= read -r line; do
  line=${line//@LABEL@/"$(quoted "$LABEL")"}
  line=${line//@SCRIPT@/"$(quoted "$SCRIPT")"}
  line=${line//@ARGUMENTS@/"$ARGUMENTS"}
  line=${line//@HELP@/"$HELP"}
  line=${line//@SHA256@/"${SUM%% *}"}
  line=${line//@PAYLOAD_LINE@/"$LINES"}
  line=${line//@UNPACK@/"$UNPACK"}
  printf '%s\n' "$line"
done <"$HEADER" >"$WORK/run"
cat "$WORK/payload" >>"$WORK/run"
chmod 755 "$WORK/run"
mv -f "$WORK/run" "$OUTPUT"
