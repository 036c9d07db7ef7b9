#!/bin/bash
# A project made by `softhccl new` is packed, installed, and passes its own test; it is taken out again; what can go wrong on
# the way is one clear line.
source "$(dirname "${BASH_SOURCE[0]}")/../tools/environment.sh"
set_system "${1:-}"
export ASAN_OPTIONS="detect_leaks=0"
unset VENDOR MAKEFLAGS CXX
# An SDK of its own: operators are installed into it.
mkdir "$WORK/Ascend"
cp -a "$SYSTEM/Ascend/cann-9.2.0" "$WORK/Ascend"
SDK="$WORK/Ascend/cann-9.2.0"
rm -rf "$SDK/opp/vendors"
unset ASCEND_HOME_PATH LD_LIBRARY_PATH
# shellcheck source=/dev/null
set +u && source "$SDK/set_env.sh" && set -u
cd "$WORK" || fail "no folder $WORK"

# runs <command...>; refuses <text> <command...>: the output goes to "out".
runs() {
  "$@" >out 2>&1 || { code=$?; cat out; fail "$* ended with $code"; }
}
refuses() {
  local text=$1
  shift
  ! "$@" >out 2>&1 || fail "$* succeeded, expected '$text'"
  has out "$text"
  [ "$(wc -l <out)" = 1 ] || { cat out; fail "$*: more than one line"; }
}

list="$SDK/conf/ascend_package_load.ini"
runs softhccl verify
has out "no operators in $SDK/opp/vendors, so there is nothing to verify"
refuses "there is no operator acme" softhccl verify acme
cp "$list" kept.ini && echo nonsense >>"$list"
! softhccl verify >out 2>&1 || fail "verify did not read the list of an SDK without operators"
has out "nonsense: expected key:value"
cp kept.ini "$list"
runs softhccl new my_op --vendor=acme
has out "HcclMyOpCustom, vendor acme"
! grep -rq 'sample_op\|SampleOp\|SAMPLE_OP\|sample_vendor' my_op || fail "a name of the template is left"
[ -z "$(find my_op -name '*sample*')" ] || fail "a file name of the template is left"
for file in inc op_host op_kernel_aicpu scripts testcase CMakeLists.txt README.md cmake/custom_ops.cmake; do
  [ -e "my_op/$file" ] || fail "my_op/$file is missing"
done
runs softhccl pack my_op
run="my_op/build_out/cann-hccl_custom_my_op_linux-$(uname -m).run"
[ -x "$run" ] || fail "no $run"
runs softhccl install my_op
for file in include/hccl_custom_my_op.h lib64/libhccl_custom_my_op.so aicpu/config/libmy_op_aicpu_kernel.json \
  aicpu/kernel/aicpu_hccl_custom_my_op.tar.gz; do
  [ -f "$SDK/opp/vendors/acme/$file" ] || fail "opp/vendors/acme/$file was not installed"
done
runs softhccl list
has out "acme/my_op: host library, kernel package, listed"
runs softhccl verify acme/my_op
has out "ok   digests: bin_hash.cfg agrees with every file"
has out "ok   description: names HcclLaunchMyOpAicpuKernel"
has out "ok   list: conf/ascend_package_load.ini names it"
runs timeout 300 make -C my_op/testcase test
[ "$(grep -c 'HcclMyOpCustom, [1-8] ranks: right$' out)" = 8 ] || { cat out; fail "not eight right communicators"; }
# Parts that do not agree: not listed, a description for something else, a damaged archive.
part="$SDK/opp/vendors/acme/aicpu"
sed -i.kept 's/aicpu_hccl_custom_my_op/aicpu_hccl_custom_other/' "$list"
! softhccl verify acme >out 2>&1 || fail "verify did not miss the record"
has out "BAD  list: $list does not name it"
mv "$list.kept" "$list"
sed -i.kept 's/^install_path:2/install_path:3/' "$list"
! softhccl verify acme >out 2>&1 || fail "verify took a record of another kind of package for that of the kernels"
has out "BAD  list: $list does not name it"
runs softhccl list
has out "acme/my_op: host library, kernel package, NOT LISTED"
mv "$list.kept" "$list"
sed -i.kept 's/libmy_op_aicpu_kernel.so/libother.so/' "$part/config/libmy_op_aicpu_kernel.json"
! softhccl verify >out 2>&1 || fail "verify did not miss the description"
has out "BAD  description: no JSON file in aicpu/config names a library of"
mv "$part/config/libmy_op_aicpu_kernel.json.kept" "$part/config/libmy_op_aicpu_kernel.json"
cp "$part/kernel/aicpu_hccl_custom_my_op.tar.gz" kept.tar.gz
printf 'x' | dd of="$part/kernel/aicpu_hccl_custom_my_op.tar.gz" bs=1 seek=200 conv=notrunc 2>dd.log
! softhccl verify acme/my_op >out 2>&1 || fail "verify did not see the damage"
has out "BAD  archive:"
cp kept.tar.gz "$part/kernel/aicpu_hccl_custom_my_op.tar.gz"
runs softhccl verify
refuses "there is no operator acme/none" softhccl verify acme/none
# The same project by the build script, and by name of the package.
runs bash "$SDK/share/softhccl/pack/build.sh" --vendor=acme --ops=my_op --custom_ops_path=my_op --output=elsewhere -p "$SDK"
runs softhccl install --uninstall "elsewhere/$(basename "$run")"
[ ! -e "$SDK/opp/vendors/acme/lib64" ] || fail "the operator is still installed"
runs softhccl pack my_op --vendor=other --output=third
runs softhccl install third --to "$SDK"
[ -f "$SDK/opp/vendors/other/lib64/libhccl_custom_my_op.so" ] || fail "not installed for the other vendor"

refuses "is there already and not empty" softhccl new my_op
refuses "the name 'My-Op' cannot be used" softhccl new My-Op
refuses "the name 'a__b' cannot be used" softhccl new a__b
refuses "the vendor 'a/b' cannot be used" softhccl new other --vendor=a/b
refuses "there is no folder nowhere" softhccl pack nowhere
refuses "has no CMakeLists.txt" softhccl pack my_op/inc
mkdir plain
printf '# custom_ops_project(no)\nproject(plain CXX)\n' >plain/CMakeLists.txt
refuses "does not call custom_ops_project(<name>)" softhccl pack plain
# The vendor is that of the project's list, which is read as the loader reads it.
cp -r my_op listed
list="listed/scripts/ascend_package_load.ini"
sed -i 's/^package_path:.*/package_path: \/opp\/\/vendors\/acme2\/aicpu\/kernel\r/' "$list"
runs softhccl pack listed
[ -d listed/build_out/work/my_op/package/opp/vendors/acme2 ] || fail "the vendor is not that of the list"
echo nonsense >>"$list"
refuses "$WORK/$list: line 5: nonsense: expected key:value" softhccl pack listed
sed -i '/nonsense/d; s/^package_path:.*/package_path:opp\/kernel/' "$list"
refuses "$WORK/$list: no record has a package_path below opp/vendors/<vendor>" softhccl pack listed
refuses "there is no file or folder nowhere.run" softhccl install nowhere.run
refuses "holds no .run file; make one with softhccl pack" softhccl install plain
refuses "no SDK at $WORK/plain (given)" softhccl install my_op --to "$WORK/plain"
refuses "no SDK at $WORK/plain (ASCEND_HOME_PATH)" env ASCEND_HOME_PATH="$WORK/plain" softhccl pack my_op
cp "$run" third/a.run
refuses "holds 2 .run files, name one of them" softhccl install third
runs softhccl pack --help
has out "scripts/ascend_package_load.ini"
echo "new_project: made, packed, installed, right, removed"
