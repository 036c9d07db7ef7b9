#!/bin/bash
# Builds a repository whose script and CMake files expect a packer and build functions that they would download: set_env.sh
# leads them to the SDK's. Then takes the package apart, damages it, and installs it.
source "$(dirname "${BASH_SOURCE[0]}")/../tools/environment.sh"
set_system "${1:-}"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
unset CXX CXXFLAGS CC CFLAGS CMAKE_PREFIX_PATH CMAKE_GENERATOR CUSTOM_OPTION CANN_3RD_LIB_PATH
export TMPDIR="$WORK/tmp"
mkdir -p "$TMPDIR"
cp -r "$HERE/repository" "$WORK/repository"
cp "$HERE"/../asc/project/shift* "$WORK/repository"
cd "$WORK/repository" || fail "no folder $WORK/repository"
# Whoever tries to reach something, fails at once.
export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9

# runs <command...>; refuses <text> <command...>: the output goes to "$WORK/out".
runs() {
  "$@" >"$WORK/out" 2>&1 || { code=$?; cat "$WORK/out"; fail "$* ended with $code"; }
}
refuses() {
  local text=$1
  shift
  ! "$@" >"$WORK/out" 2>&1 || fail "$* succeeded, expected '$text'"
  has "$WORK/out" "$text"
}

runs bash build.sh
run="$WORK/repository/build_out/shift.run"
[ -x "$run" ] || fail "no $run"
[ ! -e third_party ] || fail "something was put into the repository's third_party"

# The kernel package: one folder, everything with a digest, for its owner and group only.
tar -tvzf build_device/signatures/aicpu_hccl_custom_shift.tar.gz >"$WORK/out" || fail "no kernel package"
for file in bin_hash.cfg libshift_aicpu_kernel.so shift.h; do has "$WORK/out" "aicpu_kernels_device/$file"; done
[ "$(grep -c '^-rwxr-x---' "$WORK/out")" = 3 ] || { cat "$WORK/out"; fail "not three files of mode 750"; }
mkdir unpacked
tar -C unpacked -xzf build_device/signatures/aicpu_hccl_custom_shift.tar.gz
sed 's/\(.*\)=\(.*\)/\2  \1/' unpacked/aicpu_kernels_device/bin_hash.cfg >digests
[ "$(wc -l <digests)" = 2 ] || fail "bin_hash.cfg has not two lines"
(cd unpacked/aicpu_kernels_device && sha256sum --quiet -c ../../digests) || fail "bin_hash.cfg has a wrong digest"

# The package as a program.
runs "$run" --help
has "$WORK/out" 'A LABEL WITH BLANKS'
has "$WORK/out" '"quotes", $dollars and \backslashes stay'
runs "$run" --check
runs "$run" --list
has "$WORK/out" "./opp/vendors/foreign/lib64/libhccl_custom_shift.so"
! grep -q 'shift.run' "$WORK/out" || fail "the package is in itself"
runs "$run" "--extract=$WORK/extracted"
[ -f "$WORK/extracted/opp/vendors/foreign/include/shift.h" ] || fail "nothing was extracted"
mkdir "$WORK/target"
runs "$run" --install --quiet "--install-path=$WORK/target"
printf 'argument <%s>\n' --from-package "two words" --install --quiet "--install-path=$WORK/target" | cmp - "$WORK/out" ||
  fail "the script got other arguments"
[ -f "$WORK/target/opp/vendors/foreign/lib64/libhccl_custom_shift.so" ] || fail "nothing was installed"
"$run" --fail >/dev/null 2>&1
[ $? = 7 ] || fail "the script's exit code is lost"
cp "$run" "$WORK/damaged.run"
printf 'x' | dd of="$WORK/damaged.run" bs=1 seek=$(($(stat -c %s "$run") - 50)) conv=notrunc 2>/dev/null
refuses "this file is damaged" "$WORK/damaged.run" --check
refuses "this file is damaged" "$WORK/damaged.run" --install "--install-path=$WORK/target"
[ -z "$(find "$TMPDIR" -mindepth 1)" ] || fail "left behind: $(find "$TMPDIR" -mindepth 1 | paste -sd' ')"

# A folder of the user's own stays in use; signing is refused; the packer says what it does not know.
mkdir -p own/makeself
ln -s "$ASCEND_HOME_PATH/third_party/cann-cmake" own/cann-cmake
printf '#!/bin/bash\necho "the own packer"; exit 9\n' >own/makeself/makeself.sh
refuses "the own packer" bash build.sh "--cann_3rd_lib_path=$PWD/own"
rm -rf build_device
refuses "does not sign while it builds" bash build.sh --enable-sign
makeself="$ASCEND_HOME_PATH/third_party/makeself/makeself.sh"
refuses "option '--lzma' is not known" bash "$makeself" --lzma a b c d
refuses "usage: makeself.sh" bash "$makeself" --gzip a b
refuses "there is no folder nowhere" bash "$makeself" nowhere b c d
refuses "the start script d is not in own" bash "$makeself" own b c d
refuses "--complevel 12: use 1 to 9" bash "$makeself" --complevel 12 . b c build.sh
echo "foreign_repository: built, packed, taken apart and installed"
