#!/bin/bash
# The article's flow from build.sh to make test, and everything a user can get wrong on the way.
source "$(dirname "${BASH_SOURCE[0]}")/flow_common.sh"

case_SetEnv_StrictShell_SetsEverything() {
  succeeds bash -euc "source $SDK/set_env.sh; source $SDK/set_env.sh
    echo \$ASCEND_HOME_PATH=\$ASCEND_TOOLKIT_HOME=\$ASCEND_OPP_PATH=\$LD_LIBRARY_PATH; type -p true >/dev/null"
  says "$SDK=$SDK=$SDK/opp=$SDK/lib64"
  [ -s "$SDK/conf/ascend_package_load.ini" ] && [ -z "$(tail -c1 "$SDK/conf/ascend_package_load.ini")" ] ||
    not_ok "ascend_package_load.ini does not end with a newline"
}

case_Build_BadArguments_OneClearLine() {
  fails_with "nothing to build" build
  fails_with "unknown option '--frob'" build --frob
  fails_with "--ops=<name> is missing" build --vendor=cust --custom_ops_path="$CHECKOUT/examples/04_custom_ops_p2p"
  fails_with "--vendor=a/b" build --vendor=a/b --ops=p2p --custom_ops_path="$CHECKOUT/examples"
  fails_with "no such folder" build --vendor=cust --ops=p2p --custom_ops_path="$WORK/nowhere"
  fails_with "no CMakeLists.txt" build --vendor=cust --ops=p2p --custom_ops_path="$CHECKOUT/examples"
  fails_with "set_env.sh" build_p2p
  fails_with "no SDK at '$WORK'" build_p2p -p "$WORK"
  fails_with "needs a value" build_p2p -p
  fails_with "option --output needs a value" build_p2p --output
  fails_with "--output=<folder> names no folder" build_p2p --output= -p "$SDK"
  touch "$WORK/file"
  fails_with "cannot make the folder $WORK/file/work/p2p; choose another --output" build_p2p --output="$WORK/file" -p "$SDK"
  succeeds build --help
  says "--custom_ops_path=<folder>"
}

case_Build_WrongOpsName_NamesTheRightOne() {
  OUTPUT=$(build --vendor=cust --ops=foo --custom_ops_path="$CHECKOUT/examples/04_custom_ops_p2p" -p "$SDK" 2>&1) &&
    not_ok "--ops=foo was accepted"
  says "its name is 'p2p'"
  says "libhccl_custom_p2p.so"
}

case_Build_CompilerError_ShowsItAndNamesTheLog() {
  cp -r "$CHECKOUT/examples/04_custom_ops_p2p" "$WORK/broken"
  echo "#error broken on purpose" >>"$WORK/broken/op_host/send.cc"
  OUTPUT=$(build --vendor=cust --ops=p2p --custom_ops_path="$WORK/broken" -p "$SDK" 2>&1) && not_ok "a broken project was built"
  says "broken on purpose"
  says "build_out/work/p2p/build.log"
}

# A step in the middle of staging or packing fails, and later ones would succeed.
case_Build_StagingStepFails_NoPackage() {
  local tool
  mkdir -p "$WORK/bin"
  for tool in install tar; do
    printf '#!/bin/bash\necho "%s: broken on purpose" >&2\nexit 7\n' "$tool" >"$WORK/bin/$tool"
    chmod 755 "$WORK/bin/$tool"
    OUTPUT=$(PATH="$WORK/bin:$PATH" build_p2p -p "$SDK" 2>&1 <&-) && not_ok "a broken $tool was not noticed"
    says "$tool: broken on purpose"
    says "staging the package failed"
    [ ! -e "$RUN" ] || not_ok "a package was made in spite of a broken $tool"
    rm "$WORK/bin/$tool"
  done
  # Breaks only the tar of make_run.sh, which packs opp.
  printf '#!/bin/bash\n[ "${*: -1}" != opp ] || exit 7\nexec %s "$@"\n' "$(command -v tar)" >"$WORK/bin/tar"
  chmod 755 "$WORK/bin/tar"
  OUTPUT=$(PATH="$WORK/bin:$PATH" build_p2p -p "$SDK" 2>&1 <&-) && not_ok "a broken tar was not noticed while packing"
  says "packing failed"
  [ ! -e "$RUN" ] || not_ok "a package was made in spite of a broken tar"
}

# The SDK is found by each of its three ways; the last build is the one that the following cases install.
case_Build_EachWayToTheSdk_Works() {
  succeeds build_p2p -p "$SDK"
  succeeds env ASCEND_OPP_PATH="$SDK/opp" bash "$CHECKOUT/build.sh" --vendor=acme --ops=p2p \
    --custom_ops_path="$CHECKOUT/examples/04_custom_ops_p2p"
  (cd "$CHECKOUT" && use_sdk && bash build.sh --vendor=cust --ops=p2p --custom_ops_path=./examples/04_custom_ops_p2p) \
    >"$WORK/out" 2>&1 <&- || { OUTPUT=$(cat "$WORK/out"); not_ok "the article's command failed"; }
  [ -x "$RUN" ] || not_ok "no $RUN"
}

# The folder is not there, its path is relative, and so is the project's; what is printed can be typed as it stands.
case_Build_OutputRelativeAndMissing_IsMade() {
  local made="made/for/this/$RUN_NAME"
  mkdir -p "$WORK/cwd" && ln -s "$CHECKOUT/examples" "$WORK/cwd/projects"
  cd "$WORK/cwd" || return
  succeeds build --vendor=cust --ops=p2p --custom_ops_path=projects/04_custom_ops_p2p --output made/for/this -p "$SDK"
  [ -x "$made" ] || not_ok "no $WORK/cwd/$made"
  says "install it with $WORK/cwd/$made --install"
  cd "$CHECKOUT" || return
  succeeds build_p2p -p "$SDK"
  says "done: build_out/$RUN_NAME; install it with ./build_out/$RUN_NAME --install"
  cd "$WORK" || return
}

case_Run_HelpAndBadOptions_OneClearLine() {
  succeeds "$RUN" --help
  says "--install-path=<path>"
  fails_with "unknown option '--upgrade'" "$RUN" --upgrade
  fails_with "where to?" "$RUN" --install
  fails_with "is not absolute" "$RUN" --install-path=somewhere
  fails_with "has blanks" "$RUN" "--install-path=$WORK/with blank/Ascend/cann"
}

case_Run_TamperedPayload_IsRefused() {
  cp "$RUN" "$WORK/tampered.run"
  printf 'x' | dd of="$WORK/tampered.run" bs=1 seek=$(($(stat -c %s "$RUN") - 100)) conv=notrunc 2>/dev/null
  fails_with "this file is damaged" "$WORK/tampered.run" "--install-path=$WORK/Ascend/cann-tampered"
  head -c -1000 "$RUN" >"$WORK/tampered.run"
  fails_with "this file is damaged" "$WORK/tampered.run" "--install-path=$WORK/Ascend/cann-tampered"
  [ ! -e "$WORK/Ascend/cann-tampered" ] || not_ok "something was installed"
}

case_Run_InstallReinstallUninstall_ExactlySixFiles() {
  (use_sdk && "$RUN" --install) >"$WORK/out" 2>&1 <&- || not_ok "--install failed: $(cat "$WORK/out")"
  has_files "$SDK" cust
  grep -q "replaces" "$WORK/out" && not_ok "said that it replaces something"
  [ "$(tar -tzf "$SDK/opp/vendors/cust/aicpu/kernel/aicpu_hccl_custom_p2p.tar.gz" | paste -sd' ')" = \
    "aicpu_kernels_device/ aicpu_kernels_device/bin_hash.cfg aicpu_kernels_device/libp2p_aicpu_kernel.so" ] || not_ok "wrong content of the kernel package"
  OUTPUT=$( (use_sdk && "$RUN" --install) 2>&1 <&-) || not_ok "reinstalling failed"
  says "replaces $SDK/opp/vendors/cust/lib64/libhccl_custom_p2p.so"
  has_files "$SDK" cust
  OUTPUT=$( (use_sdk && "$RUN" --quiet) 2>&1 <&-) || not_ok "--quiet failed"
  is_silent
  echo "the user's own" >"$SDK/opp/vendors/cust/include/own.h"
  OUTPUT=$( (use_sdk && "$RUN" --uninstall) 2>&1 <&-) || not_ok "--uninstall failed"
  [ "$(find "$SDK/opp" -type f)" = "$SDK/opp/vendors/cust/include/own.h" ] || not_ok "removed too much or too little"
  rm -r "$SDK/opp/vendors"
  is_clean "$SDK/opp"
  is_clean "$TMPDIR"
}

case_Run_InstallPath_RulesOfTheTarget() {
  local root="$WORK/elsewhere"
  succeeds "$RUN" --install "--install-path=$root/Ascend/cann-1/"
  has_files "$root/Ascend/cann-1" cust
  succeeds bash "$root/Ascend/cann-1/opp/vendors/cust/scripts/install.sh" --uninstall
  is_clean "$root/Ascend/cann-1/opp"
  succeeds "$RUN" --install "--install-path=$root"
  says "so the target is $root/cann"
  has_files "$root/cann" cust
  succeeds "$RUN" --uninstall "--install-path=$root" --quiet
  is_silent
  is_clean "$root/cann/opp"
  succeeds env ASCEND_CUSTOM_OPP_PATH="$root/custom" ASCEND_OPP_PATH="$SDK/opp" "$RUN"
  has_files "$root/custom/cann" cust
  touch "$WORK/file"
  OUTPUT=$("$RUN" "--install-path=$WORK/file/Ascend/cann" 2>&1) && not_ok "installed below a file"
  says "cannot make the folder"
  is_clean "$TMPDIR"
}

case_Test_ArticleAndMore_RightOutput() {
  (use_sdk && "$RUN" --install --quiet) <&- || not_ok "--install failed"
  local folder="$CHECKOUT/examples/04_custom_ops_p2p/testcase"
  fails_with "ASCEND_HOME_PATH is not set" make -sC "$folder" 2>&1
  OUTPUT=$( (use_sdk && cd "$folder" && make) 2>&1 <&-) || not_ok "make failed"
  OUTPUT=$( (use_sdk && cd "$folder" && rm send_recv && VENDOR=elsewhere make) 2>&1 <&-) || not_ok "make obeyed VENDOR of the environment"
  OUTPUT=$( (use_sdk && cd "$folder" && make VENDOR=elsewhere) 2>&1 <&-) && not_ok "make did not obey VENDOR of its command line"
  says "opp/vendors/elsewhere"
  OUTPUT=$( (use_sdk && cd "$folder" && timeout 120 make test) 2>&1 <&-) || not_ok "make test failed"
  says "Found 8 NPU device(s) available
rankId: 1, output: [ 0 0 0 0 0 0 0 0 ]
rankId: 3, output: [ 2 2 2 2 2 2 2 2 ]
rankId: 5, output: [ 4 4 4 4 4 4 4 4 ]
rankId: 7, output: [ 6 6 6 6 6 6 6 6 ]"
  succeeds env ASCEND_HOME_PATH="$SDK" make -sC "$folder" clean
  [ ! -e "$folder/send_recv" ] || not_ok "make clean left send_recv"
}

case_Test_OperatorCases_Pass() {
  local opp="$SDK/opp/vendors/cust" program="$WORK/p2p_operator_test"
  succeeds g++ -std=c++14 -Wall -Wextra -Werror -D_GLIBCXX_USE_CXX11_ABI=0 -pthread -isystem "$SDK/include" \
    "-I$opp/include" "$REPO/tests/system/flow/p2p_operator_test.cc" -o "$program" -Wl,--copy-dt-needed-entries \
    "-Wl,-rpath-link,$SDK/lib64" "-L$SDK/lib64" -lacl_rt "-L$opp/lib64" -lhccl_custom_p2p
  OUTPUT=$( (use_sdk && LD_LIBRARY_PATH="$opp/lib64:$LD_LIBRARY_PATH" timeout 120 "$program") 2>&1 <&-) || not_ok "$program failed"
  says "p2p_operator_test: passed"
  says "send of 2097156 bytes does not fit the 2097152 bytes of the HcclBuffer; raise HCCL_BUFFSIZE"
  says "remoteRank equals own rank"
}

case_Sdk_DeviceLinksAndShims_Resolve() {
  local link
  for link in lib64/libascendcl.so lib64/device/lib64/libccl_kernel.so devlib/device/libccl_kernel.so; do
    [ -f "$SDK/$link" ] || not_ok "$link leads nowhere"
    OUTPUT=$(ldd "$SDK/$link" 2>&1)
    ! grep "not found" <<<"$OUTPUT" || not_ok "$link has dependencies that are not found"
  done
  succeeds "$SDK/toolkit/toolchain/hcc/bin/aarch64-target-linux-gnu-g++" --version
  [ -d "$SDK/bin" ] && [ -d "$SDK/opp" ] || not_ok "bin or opp is missing"
}

run_cases
