#!/bin/bash
# Makes what the system tests run against, once per build folder: the SDK installed from it, the point-to-point operator
# built with build.sh and installed with its .run package, and the test programs compiled against both. Does nothing
# when none of its inputs has changed. With CXXFLAGS=-fsanitize=... in the environment everything is built with that.
# install_system.sh <build folder> <system folder>
set -eu

[ $# -eq 2 ] || { echo "usage: install_system.sh <build folder> <system folder>" >&2; exit 2; }
REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=$(realpath "$1")
SYSTEM=$(realpath -m "$2")
SDK="$SYSTEM/Ascend/cann"
OPP="$SDK/opp/vendors/cust"
STAMP="$SYSTEM/inputs.sha256"
read -r -a FLAGS <<<"${CXXFLAGS:-}"
unset ASCEND_HOME_PATH ASCEND_OPP_PATH ASCEND_CUSTOM_OPP_PATH LD_LIBRARY_PATH VENDOR MAKEFLAGS
# The tools of the build are sanitized programs in no build; a leak of a compiler is not what is looked for.
export ASAN_OPTIONS="detect_leaks=0"

inputs() {
  [ -f "$BUILD/lib64/libsofthccl.so" ] || { echo "install_system.sh: build $BUILD first" >&2; exit 1; }
  echo "flags ${CXXFLAGS:-}"
  find "$BUILD/lib64" "$BUILD/bin" -type f -print0 | sort -z | xargs -0 sha256sum
  (cd "$REPO" && find build.sh cmake include scripts examples/04_custom_ops_p2p tests/system/p2p/*.cc \
    tests/system/p2p/*.h tests/system/probe tests/system/install_system.sh -type f -print0 |
    sort -z | xargs -0 sha256sum)
}

install_sdk() {
  cmake --install "$BUILD" --prefix "$SYSTEM/Ascend/cann-9.2.0" >"$SYSTEM/install.log"
  ln -s cann-9.2.0 "$SDK"
}

# In a copy of the checkout: build.sh writes beside itself, and other tests run it, too. With -g, as somebody builds who
# wants to use a debugger; the code is the same.
install_operator() {
  mkdir "$SYSTEM/checkout"
  cp -rL "$REPO"/{build.sh,cmake,scripts,examples} "$SYSTEM/checkout"
  CXXFLAGS="-g ${CXXFLAGS:-}" bash "$SYSTEM/checkout/build.sh" --vendor=cust --ops=p2p -p "$SDK" \
    --custom_ops_path="$SYSTEM/checkout/examples/04_custom_ops_p2p"
  "$SYSTEM/checkout/build_out/cann-hccl_custom_p2p_linux-$(uname -m).run" --quiet \
    "--install-path=$SYSTEM/Ascend/cann-9.2.0"
}

# build_program <output> <sources...>: as the article's Makefile does it.
build_program() {
  local output=$1
  shift
  g++ -std=c++14 -Wall -Wextra -Werror -O1 -g -pthread -D_GLIBCXX_USE_CXX11_ABI=0 "${FLAGS[@]}" \
    -isystem "$SDK/include" "-I$OPP/include" "-I$REPO/tests/system/probe" "$@" -o "$output" \
    -Wl,--copy-dt-needed-entries "-L$SDK/lib64" "-L$OPP/lib64" "-Wl,-rpath-link,$SDK/lib64" -lacl_rt -lhccl_custom_p2p
}

# build_probe <name> <flags...>: the misbehaving kernels as a listed package of a vendor; $SYSTEM/<name> leads there.
build_probe() {
  local name=$1 source="$REPO/tests/system/probe"
  local folder="$SDK/opp/vendors/$name"
  shift
  mkdir -p "$folder/aicpu/config" "$folder/aicpu/kernel" "$folder/aicpu_kernels_device"
  g++ -std=c++14 -Wall -Wextra -Werror -O1 -g -fPIC -shared -fvisibility=hidden "$@" -isystem "$SDK/include" \
    "$source/probe_kernel.cc" -o "$folder/aicpu_kernels_device/libprobe_kernel.so" "-L$SDK/lib64/device/lib64" \
    -lccl_kernel
  cp "$source/libprobe_kernel.json" "$folder/aicpu/config"
  tar -C "$folder" -czf "$folder/aicpu/kernel/aicpu_$name.tar.gz" aicpu_kernels_device
  printf 'name:%s\ninstall_path:2\noptional:true\npackage_path:%s\nload_as_per_soc:false\n' \
    "aicpu_$name.tar.gz" "opp/vendors/$name/aicpu/kernel" >>"$SDK/conf/ascend_package_load.ini"
  ln -s "Ascend/cann/opp/vendors/$name" "$SYSTEM/$name"
}

NOW=$(inputs)
if [ "$NOW" = "$(cat "$STAMP" 2>/dev/null || true)" ]; then
  echo "install_system.sh: $SYSTEM is up to date"
  exit 0
fi
rm -rf "$SYSTEM"
mkdir -p "$SYSTEM/Ascend"
install_sdk
install_operator
build_program "$SYSTEM/send_recv" "$REPO/examples/04_custom_ops_p2p/testcase/main.cc"
build_program "$SYSTEM/p2p_test" "$REPO"/tests/system/p2p/*.cc
build_probe probe "${FLAGS[@]}"
build_probe probe_asan -fsanitize=address
printf '%s' "$NOW" >"$STAMP"
echo "install_system.sh: made $SYSTEM"
