#!/bin/bash
# signed_test.sh as a user who is not root and has nothing but a folder of their own: the SDK, the sources and the home are
# in it. ordinary_user_test.sh --build=<build folder>
set -eu
REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
BUILD=$(realpath "${1#--build=}")
ID=12345  # of nobody on this machine

[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || { echo "skipped: not root, so the test beside it is one"; exit 77; }
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
mkdir -p "$WORK/repo/tests/system" "$WORK/tmp" "$WORK/home"
cp -rL "$REPO"/{build.sh,cmake,scripts,examples} "$WORK/repo"
cp -r "$REPO"/tests/system/{flow,signed} "$WORK/repo/tests/system"
cmake --install "$BUILD" --prefix "$WORK/sdk" >"$WORK/install.log" || { cat "$WORK/install.log"; exit 1; }
chown -R $ID:$ID "$WORK"
setpriv --reuid=$ID --regid=$ID --clear-groups env HOME="$WORK/home" TMPDIR="$WORK/tmp" \
  bash "$WORK/repo/tests/system/signed/signed_test.sh" "--sdk=$WORK/sdk"
