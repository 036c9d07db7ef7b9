#!/bin/bash
# From a fresh checkout to the output of the article, on a machine with no NPU and no CANN: installs what is missing,
# builds SoftHCCL, installs it as an SDK beside the sources and then does the article's steps to the letter. May be run
# again at any time; what is already there is not done twice.
set -eu

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$REPO"
VERSION=$(sed -n 's/^set(SOFTHCCL_CANN_VERSION "\([^"]*\)".*/\1/p' CMakeLists.txt)
PREFIX="$REPO/Ascend/cann-$VERSION"
LOG="$REPO/build/quickstart.log"
STEP=0
STEPS=8

usage() {
  cat <<'HELP'
Usage: ./quickstart.sh [--no-packages]

Builds SoftHCCL, installs it into ./Ascend/cann and runs the point-to-point example of the article.

  --no-packages  do not look for missing Debian packages
  -h, --help     this text
HELP
}

fail() {
  echo "quickstart.sh: error: $*" >&2
  exit 1
}

# now: milliseconds.
now() {
  date +%s%3N
}

begin() {
  STEP=$((STEP + 1))
  STARTED=$(now)
  printf '[%d/%d] %s ...' "$STEP" "$STEPS" "$1"
}

end() {
  local ms=$(($(now) - STARTED))
  printf ' %d.%d s\n' $((ms / 1000)) $((ms % 1000 / 100))
}

# quiet <what> <command...>: one step whose output matters only when it fails.
quiet() {
  local what=$1
  shift
  begin "$what"
  printf '\n== %s: %s\n' "$what" "$*" >>"$LOG"
  local mark
  mark=$(wc -l <"$LOG")
  if ! "$@" >>"$LOG" 2>&1; then
    echo " failed"
    tail -n +"$mark" "$LOG" | tail -n 60 >&2
    fail "$what failed; the last lines are above, everything is in $LOG"
  fi
  end
}

# shown <command>: one step of the article, with its output.
shown() {
  begin "$1"
  echo
  if ! eval "$1" </dev/null; then
    fail "'$1' failed (see above)"
  fi
  printf '      took'
  end
}

missing_packages() {
  local package
  while read -r package; do
    case "$package" in '' | '#'*) continue ;; esac
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done <scripts/packages.build.txt
}

# The lists of a fresh container are empty, so a failed installation is tried once more after an update.
apt_install() {
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  "${root[@]}" apt-get install -y --no-install-recommends "$@" ||
    { "${root[@]}" apt-get update && "${root[@]}" apt-get install -y --no-install-recommends "$@"; }
}

install_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "[packages] this is no Debian; make sure that you have what scripts/packages.build.txt lists"
    STEP=$((STEP + 1))
    return
  fi
  missing=$(missing_packages | paste -sd' ')
  if [ -z "$missing" ]; then
    begin "packages: all there"
    end
    return
  fi
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "packages are missing and there is neither root nor sudo; let root run: apt-get install $missing"
  fi
  # shellcheck disable=SC2086  # a list of words
  quiet "installing packages: $missing" apt_install $missing
}

link_sdk() {
  ln -sfn "cann-$VERSION" "$REPO/Ascend/cann"
}

install_sdk() {
  cmake --install build/release --prefix "$PREFIX" && link_sdk
}

article() {
  # Whatever SDK the shell had before must not mix in.
  unset ASCEND_HOME_PATH ASCEND_OPP_PATH ASCEND_CUSTOM_OPP_PATH
  echo "the article's steps:"
  echo "      source Ascend/cann/set_env.sh"
  # shellcheck source=/dev/null
  source Ascend/cann/set_env.sh
  shown 'bash build.sh --vendor=cust --ops=p2p --custom_ops_path=./examples/04_custom_ops_p2p'
  shown "./build_out/cann-hccl_custom_p2p_linux-$(uname -m).run --install"
  echo "      cd examples/04_custom_ops_p2p/testcase"
  cd examples/04_custom_ops_p2p/testcase
  shown 'make'
  shown 'make test'
}

main() {
  local packages=yes argument begun
  for argument in "$@"; do
    case "$argument" in
      -h | --help) usage; exit 0 ;;
      --no-packages) packages=no ;;
      *) fail "unknown option '$argument'; see --help" ;;
    esac
  done
  [ -n "$VERSION" ] || fail "CMakeLists.txt does not set SOFTHCCL_CANN_VERSION"
  case "$REPO" in
    *[[:space:]]*) fail "the path '$REPO' has blanks, which the scripts of operator projects cannot handle; move the checkout" ;;
  esac
  begun=$(now)
  mkdir -p build && : >"$LOG" || fail "cannot write $LOG"
  if [ "$packages" = yes ]; then install_packages; else STEPS=$((STEPS - 1)); fi
  quiet "configuring (Release)" cmake -G Ninja -S . -B build/release -DCMAKE_BUILD_TYPE=Release
  quiet "building" cmake --build build/release
  quiet "installing the SDK into ${PREFIX#"$REPO"/}" install_sdk
  article
  local seconds=$((($(now) - begun) / 1000))
  echo "quickstart.sh: all done in $seconds s. To go on: source $REPO/Ascend/cann/set_env.sh"
}

main "$@"
