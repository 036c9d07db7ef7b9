#!/bin/bash
# From a fresh checkout to the output of the article, on a machine with no NPU and no CANN: installs what is missing,
# builds SoftHCCL, installs it as an SDK beside the sources and then does the article's steps to the letter. May be run
# again at any time; what is already there is not done twice.
set -eu

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$REPO"
VERSION=$(sed -n 's/^set(SOFTHCCL_CANN_VERSION "\([^"]*\)".*/\1/p' CMakeLists.txt)
PREFIX="$REPO/Ascend/cann-$VERSION"
NAME=quickstart.sh
LOG="$REPO/build/quickstart.log"
STEPS=8
# shellcheck source=scripts/steps.sh
source "$REPO/scripts/steps.sh"

usage() {
  cat <<'HELP'
Usage: ./quickstart.sh [--no-packages]

Builds SoftHCCL, installs it into ./Ascend/cann and runs the point-to-point example of the article.

  --no-packages  do not look for missing Debian packages
  -h, --help     this text
HELP
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
  if [ "$packages" = yes ]; then install_packages scripts/packages.build.txt; else STEPS=$((STEPS - 1)); fi
  quiet "configuring (Release)" cmake -G Ninja -S . -B build/release -DCMAKE_BUILD_TYPE=Release
  quiet "building" cmake --build build/release
  quiet "installing the SDK into ${PREFIX#"$REPO"/}" install_sdk
  article
  local seconds=$((($(now) - begun) / 1000))
  echo "quickstart.sh: all done in $seconds s. To go on: source $REPO/Ascend/cann/set_env.sh"
}

main "$@"
