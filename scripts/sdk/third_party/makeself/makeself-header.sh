#!/bin/bash
# Self-extracting package. What follows this text is checked, unpacked into a temporary folder and given to its start
# script there, with the options of the command line; nothing of it stays in that folder.
set -eu
umask 022
LABEL=@LABEL@
SCRIPT=@SCRIPT@
SUM=@SHA256@

fail() {
  echo "${0##*/}: error: $*" >&2
  exit 1
}

payload() {
  tail -n +@PAYLOAD_LINE@ "$0"
}

show_help() {
  echo "Usage: ${0##*/} [options]    ($LABEL)"
  base64 -d <<<"@HELP@"
  cat <<HELP
Options of the package itself:
  --help            this text
  --check           check that the file is whole
  --list            list what is in it
  --extract=<path>  unpack into a folder and do nothing else
HELP
}

ACTION=run
EXTRACT=""
GIVEN=()
for argument in "$@"; do
  case "$argument" in
    -h | --help) ACTION=help ;;
    --check) ACTION=check ;;
    --list) ACTION=list ;;
    --extract=*) ACTION=extract EXTRACT=${argument#*=} ;;
    *) GIVEN+=("$argument") ;;
  esac
done
[ "$ACTION" != help ] || { show_help; exit 0; }
for tool in tail sha256sum tar @UNPACK@ mktemp; do
  command -v "$tool" >/dev/null || fail "'$tool' is missing; install it"
done
found=$(payload | sha256sum)
[ "${found%% *}" = "$SUM" ] ||
  fail "this file is damaged: the sha256 of its content is ${found%% *}, it should be $SUM; build or copy it again"
case "$ACTION" in
  check) echo "${0##*/}: whole, sha256 $SUM"; exit 0 ;;
  list) payload | @UNPACK@ -dc | tar -tf -; exit 0 ;;
  extract)
    mkdir -p "$EXTRACT" && payload | @UNPACK@ -dc | tar -xf - -C "$EXTRACT" || fail "cannot unpack into $EXTRACT"
    exit 0
    ;;
esac
folder=$(mktemp -d "${TMPDIR:-/tmp}/package.XXXXXX") || fail "cannot make a folder in ${TMPDIR:-/tmp}"
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
payload | @UNPACK@ -dc | tar -xf - -C "$folder" || fail "cannot unpack into $folder"
export USER_PWD="$PWD"
status=0
(cd "$folder" && bash "./$SCRIPT"@ARGUMENTS@ ${GIVEN[@]+"${GIVEN[@]}"}) || status=$?
exit "$status"
