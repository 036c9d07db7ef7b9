#!/bin/bash
# The steps that the build script of an operator repository takes, in short: options for cmake, then the SDK's set_env.sh in the
# same shell, then the kernel half and the host half, then a package by CPack and makeself.
set -e
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CUSTOM_OPTION="-DCMAKE_INSTALL_PREFIX=$HERE/build_out -DBUILD_DEVICE_DIR=$HERE/build_device"
CANN_3RD_LIB_PATH="$HERE/third_party"
for argument in "$@"; do
  case "$argument" in
    --cann_3rd_lib_path=*) CANN_3RD_LIB_PATH=${argument#*=} ;;
    --enable-sign) CUSTOM_OPTION="$CUSTOM_OPTION -DENABLE_SIGN=true" ;;
    *) echo "build.sh: unknown option $argument"; exit 1 ;;
  esac
done
CUSTOM_OPTION="$CUSTOM_OPTION -DCANN_3RD_LIB_PATH=$CANN_3RD_LIB_PATH"
# shellcheck source=/dev/null
source "$ASCEND_HOME_PATH/set_env.sh" || echo 0
rm -rf "$HERE/build" "$HERE/build_out"
mkdir -p "$HERE/build" "$HERE/build_device"
# shellcheck disable=SC2086  # a list of words
(cd "$HERE/build_device" && cmake .. $CUSTOM_OPTION -DKERNEL_MODE=ON && cmake --build . --target custom_aicpu)
# shellcheck disable=SC2086
(cd "$HERE/build" && cmake .. $CUSTOM_OPTION && cmake --build . --target package)
