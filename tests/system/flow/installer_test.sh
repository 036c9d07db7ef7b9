#!/bin/bash
# What the .run file does to an SDK beyond copying files: the list of packages, crashes in the middle, several operators,
# terminals, and users who are not root.
source "$(dirname "${BASH_SOURCE[0]}")/flow_common.sh"

case_Build_OnePackage_ForAllCases() {
  succeeds build_p2p -p "$SDK"
}

# installs|uninstalls: into $SDK, with standard input at its end.
installs() {
  OUTPUT=$("$RUN" --install --install-path="$SDK" 2>&1 </dev/null) || not_ok "--install failed"
}
uninstalls() {
  OUTPUT=$("$RUN" --uninstall --install-path="$SDK" 2>&1 </dev/null) || not_ok "--uninstall failed"
}
# list_is <text>: byte for byte, and nothing lies beside the list.
list_is() {
  printf '%s' "$1" | cmp - "$SDK/$LIST" || not_ok "the list is not as expected: $(cat "$SDK/$LIST")"
  [ "$(find "$SDK/conf" -mindepth 1 | wc -l)" -eq 1 ] || not_ok "more than the list in conf: $(ls "$SDK/conf")"
}
RECORD="name:aicpu_hccl_custom_p2p.tar.gz
install_path:2
optional:true
package_path:$KERNELS
"

case_Run_List_RecordComesAndGoesAndTheRestStays() {
  local other="name: other.tar.gz
install_path:2
optional:true
package_path:opp/x
" four="load_as_per_soc:false
"
  installs
  says "listed aicpu_hccl_custom_p2p.tar.gz in $(realpath "$SDK")/$LIST"
  grep -qxF load_as_per_soc:false "$SDK/$LIST" || not_ok "an empty list did not get the four keys"
  installs
  [ "$(grep -c '^name:aicpu_hccl_custom_p2p' "$SDK/$LIST")" -eq 1 ] || not_ok "listed twice"
  uninstalls
  list_is "
"
  # The form of the records that are there: three keys, or four; a missing newline at the end; blanks; carriage returns.
  printf '%s' "$other" >"$SDK/$LIST"; installs; list_is "$other$RECORD"; uninstalls; list_is "$other"
  printf '%s' "$other$four" >"$SDK/$LIST"; installs; list_is "$other$four$RECORD$four"; uninstalls; list_is "$other$four"
  printf 'x\n\n %s' "${other%$'\n'}" >"$SDK/$LIST"; installs; list_is "x

 $other$RECORD"
  printf '%s' "$RECORD$four # my own

$other" >"$SDK/$LIST"; installs; uninstalls; list_is " # my own

$other"
  printf 'name:aicpu_hccl_custom_p2p.tar.gz\r\ninstall_path:2\r\noptional:true\r\npackage_path: /opp//vendors/cust/aicpu/kernel/\r\n' >"$SDK/$LIST"
  installs
  [ "$(wc -l <"$SDK/$LIST")" -eq 4 ] || not_ok "a record with carriage returns was not recognised"
  uninstalls
  list_is ""
  # Another vendor's package of that name is left alone, and said.
  printf '%s' "${RECORD/vendors\/cust/vendors/acme}" >"$SDK/$LIST"
  installs
  says "warning: line 1 of $(realpath "$SDK")/$LIST lists another aicpu_hccl_custom_p2p.tar.gz, in opp/vendors/acme/aicpu/kernel"
  uninstalls
  list_is "${RECORD/vendors\/cust/vendors/acme}"
  rm "$SDK/$LIST"
  installs
  uninstalls
  list_is ""
  # Through a link the file that it leads to is edited; its mode stays.
  printf '%s' "$other" >"$WORK/real.ini" && chmod 604 "$WORK/real.ini" && ln -sf "$WORK/real.ini" "$SDK/$LIST"
  installs
  [ -L "$SDK/$LIST" ] && [ "$(stat -c %a "$WORK/real.ini")" = 604 ] || not_ok "the link or the mode of the list changed"
  printf '%s' "$other$RECORD" | cmp - "$WORK/real.ini" || not_ok "the linked list is wrong"
  uninstalls
  rm "$SDK/$LIST" && echo >"$SDK/$LIST"
}

# tool_with <name> <bash>: a tool of that name in $WORK/bin that runs these lines and then does its work.
tool_with() {
  mkdir -p "$WORK/bin"
  printf '#!/bin/bash\n%s\nexec %s "$@"\n' "$2" "$(command -v "$1")" >"$WORK/bin/$1"
  chmod 755 "$WORK/bin/$1"
}

case_Run_ListThatCannotBeReadToItsEnd_StaysAsItIs() {
  local other="name:other.tar.gz
install_path:2
optional:true
package_path:opp/x
" read_error='[[ "$*" != *package_load* ]] || { head -c 20 "${@: -1}"; exit 4; }'
  printf '%s' "$other" >"$SDK/$LIST"
  tool_with sed "$read_error"
  PATH="$WORK/bin:$PATH" installs
  says "warning: cannot replace $(realpath "$SDK")/$LIST; a card needs these lines there:
$RECORD"
  list_is "$other"
  tool_with awk "$read_error"
  PATH="$WORK/bin:$PATH" installs
  says "warning: cannot read $(realpath "$SDK")/$LIST, so it stays as it is"
  says "warning: a card needs a record of aicpu_hccl_custom_p2p.tar.gz there"
  list_is "$other"
  rm "$WORK/bin/awk" "$WORK/bin/sed"
  installs
  list_is "$other$RECORD"
  tool_with sed "$read_error"
  PATH="$WORK/bin:$PATH" uninstalls
  says "warning: cannot replace $(realpath "$SDK")/$LIST; remove the record of aicpu_hccl_custom_p2p.tar.gz yourself"
  list_is "$other$RECORD"
  rm "$WORK/bin/sed"
  installs
  tool_with awk "$read_error"
  PATH="$WORK/bin:$PATH" uninstalls
  says "warning: remove the record of aicpu_hccl_custom_p2p.tar.gz yourself"
  list_is "$other$RECORD"
  rm "$WORK/bin/awk" "$SDK/$LIST"
  # Without a tool that lies: what cannot be read at all.
  mkdir "$SDK/$LIST"
  installs
  says "warning: cannot re"
  [ -z "$(find "$SDK/conf" -mindepth 2)" ] || not_ok "something was put into a folder of the list's name"
  uninstalls
  rmdir "$SDK/$LIST" && echo >"$SDK/$LIST"
  is_clean "$SDK/opp"
}

# Nobody else may change the SDK between the first file and the last line of the list.
case_Run_OtherInstallers_AreKeptOutToTheEnd() {
  local tool action
  for tool in mv sed rmdir; do
    tool_with "$tool" "flock -n '$SDK/opp' true && echo free >>'$WORK/lock' || echo held >>'$WORK/lock'"
  done
  for action in installs uninstalls; do
    : >"$WORK/lock"
    PATH="$WORK/bin:$PATH" "$action"
    grep -q held "$WORK/lock" && ! grep -q free "$WORK/lock" || not_ok "$action held: $(paste -sd' ' "$WORK/lock")"
  done
  rm -r "$WORK/bin"
  flock -n "$SDK/opp" true || not_ok "the lock outlives the installer"
}

# tool_that <name> <condition>: a tool of that name in $WORK/bin that kills everything, as a crash would, when the
# condition holds, and does its work otherwise. crashes: installs with such tools.
tool_that() {
  tool_with "$1" "if $2; then kill -9 0; fi"
}
crashes() {
  PATH="$WORK/bin:$PATH" setsid -w "$RUN" --install "--install-path=$SDK" >"$WORK/out" 2>&1 </dev/null && not_ok "was not killed"
  rm -rf "$TMPDIR"/hccl_custom_*
}

case_Run_KilledWhileEditingTheList_LeavesItWhole() {
  local tool
  echo "name:precious" >"$SDK/$LIST"
  for tool in sync mv; do
    tool_that "$tool" '[[ "$*" == *package_load* ]]'
    crashes
    [ "$(cat "$SDK/$LIST")" = "name:precious" ] || not_ok "a crash in $tool changed the list"
    rm -f "$WORK/bin/$tool"
    [ "$(find "$SDK/conf" -name '*.part' | wc -l)" -eq 1 ] || not_ok "a crash in $tool left: $(ls -A "$SDK/conf")"
    if [ "$tool" = sync ]; then
      installs
      list_is "name:precious
$RECORD"
    fi
    uninstalls
    list_is "name:precious
"
  done
  echo >"$SDK/$LIST"
}

# A crash after each number of files: the operator is refused until the .run file ran again, and then all is of the new
# version. A crash before the commit leaves the old one.
case_Run_KilledBetweenTwoFiles_IsNeverHalfOldHalfNew() {
  local vendor="$SDK/opp/vendors/cust" count
  installs
  succeeds make_program
  for count in 1 2 4 7; do
    installs
    echo old >>"$vendor/include/hccl_custom_p2p.h"
    echo gone >"$vendor/include/gone.h"
    echo "0  opp/vendors/cust/include/gone.h" >>"$vendor/scripts/p2p.sha256"
    tool_that mv "echo >>$WORK/moves; [ \$(wc -l <$WORK/moves) -eq $count ]"
    : >"$WORK/moves"
    crashes
    rm "$WORK/bin/mv"
    if [ "$count" -gt 1 ]; then
      [ -d "$vendor/.p2p.installing" ] || not_ok "no mark after $count moves"
      OUTPUT=$(SOFTHCCL_DEVICES=2 use_program 2>&1 </dev/null) && not_ok "a half installed operator ran after $count moves"
      says "is being installed into"
    else
      grep -q "^old$" "$vendor/include/hccl_custom_p2p.h" || not_ok "a crash before the commit changed a file"
    fi
    installs
    [ "$count" -eq 1 ] || says "finishing an installation of 'p2p' that was interrupted"
    [ ! -e "$vendor/include/gone.h" ] || not_ok "a file of the old version is left"
    has_files "$SDK" cust
    OUTPUT=$(SOFTHCCL_DEVICES=2 use_program 2>&1 </dev/null) || not_ok "does not run after $count moves and another run"
    says "output: [ 0 0 ]"
  done
  uninstalls
  is_clean "$SDK/opp"
}

# What a crash leaves is looked at as critically as any other file.
case_Run_RecordsOfAnInterruptedInstallation_DoNotLeadOutOfTheVendor() {
  local vendor="$SDK/opp/vendors/cust"
  mkdir -p "$SDK/opp/vendors/acme" && echo precious >"$SDK/opp/vendors/acme/file"
  installs
  tool_that mv '[[ "$*" == *installing/opp* ]]'
  crashes
  rm "$WORK/bin/mv"
  printf '%s\n' opp/vendors/acme/file opp/vendors/cust/../acme/file ../../file >"$vendor/.p2p.installing/obsolete"
  mkdir -p "$vendor/.p2p.installing/opp/vendors/acme" && echo bad >"$vendor/.p2p.installing/opp/vendors/acme/file"
  installs
  says "finishing an installation of 'p2p' that was interrupted"
  [ "$(cat "$SDK/opp/vendors/acme/file")" = precious ] || not_ok "a file of another vendor was touched"
  rm -r "$SDK/opp/vendors/acme"
  has_files "$SDK" cust
  uninstalls
}

case_Run_KilledBeforeTheCommit_LeavesNothingForGood() {
  local action
  for action in installs uninstalls; do
    tool_that mv '[[ "$*" == *.p2p.new* ]]'
    crashes
    rm "$WORK/bin/mv"
    [ -d "$SDK/opp/vendors/cust/.p2p.new" ] || not_ok "the crash left nothing to remove"
    "$action"
    [ ! -e "$SDK/opp/vendors/cust/.p2p.new" ] || not_ok "$action left the copy of the interrupted one"
  done
  is_clean "$SDK/opp"
}

case_Run_SdkOfAnotherName_IsUsedAsItIs() {
  local root="$WORK/my-sdk"
  mkdir -p "$root/include/hccl" "$root/conf" && touch "$root/include/hccl/hccl_types.h"
  succeeds "$RUN" --install "--install-path=$root"
  has_files "$root" cust
  grep -qxF "name:aicpu_hccl_custom_p2p.tar.gz" "$root/$LIST" || not_ok "not listed there"
  [ ! -e "$root/cann" ] || not_ok "made a folder cann in an SDK"
  succeeds "$RUN" --uninstall "--install-path=$root"
  is_clean "$root/opp"
  rm -r "$root"
}

# The sample, built and run against the installed operator.
make_program() {
  g++ -std=c++14 -D_GLIBCXX_USE_CXX11_ABI=0 -pthread "$CHECKOUT/examples/04_custom_ops_p2p/testcase/main.cc" \
    -o "$WORK/send_recv" "-I$SDK/include" "-I$SDK/opp/vendors/cust/include" -Wl,--copy-dt-needed-entries \
    "-Wl,-rpath-link,$SDK/lib64" "-L$SDK/lib64" -lacl_rt "-L$SDK/opp/vendors/cust/lib64" -lhccl_custom_p2p
}
use_program() {
  (use_sdk && LD_LIBRARY_PATH="$SDK/opp/vendors/cust/lib64:$LD_LIBRARY_PATH" timeout -k 5 60 "$WORK/send_recv")
}

has_what_it_installed() {
  OUTPUT=$(cd "$SDK" && sha256sum --quiet -c "opp/vendors/cust/scripts/$1.sha256" 2>&1) || not_ok "files of $1 are missing or differ"
}
case_Run_TwoOperatorsOfOneVendor_DoNotDisturbEachOther() {
  local vendor="$SDK/opp/vendors/cust" other="$WORK/q2q" run="$CHECKOUT/build_out/cann-hccl_custom_q2q_linux-$(uname -m).run"
  cp -r "$CHECKOUT/examples/04_custom_ops_p2p" "$other"
  sed -i 's/custom_ops_project(p2p)/custom_ops_project(q2q)/' "$other/CMakeLists.txt"
  succeeds build --vendor=cust --ops=q2q --custom_ops_path="$other" -p "$SDK"
  installs
  succeeds "$run" --install "--install-path=$SDK"
  [ "$(grep -c '^name:' "$SDK/$LIST")" -eq 2 ] || not_ok "not both are listed"
  grep -q '^OPS=q2q$' "$vendor/scripts/install.sh" || not_ok "the script is not that of the last operator"
  uninstalls
  [ -f "$vendor/scripts/install.sh" ] || not_ok "the other operator's script was removed"
  [ -f "$vendor/lib64/libhccl_custom_q2q.so" ] && [ ! -e "$vendor/lib64/libhccl_custom_p2p.so" ] || not_ok "wrong library removed"
  # Header and description have the same names in both, so they go with the second of the two.
  has_what_it_installed q2q
  installs
  # A file that only the old version of the one had, and that the other has too.
  echo common >"$vendor/include/common.h"
  (cd "$SDK" && sha256sum opp/vendors/cust/include/common.h | tee -a "$vendor/scripts/p2p.sha256" >>"$vendor/scripts/q2q.sha256")
  installs
  [ -f "$vendor/include/common.h" ] || not_ok "an update removed a file of the other operator"
  succeeds "$run" --uninstall "--install-path=$SDK"
  has_what_it_installed p2p
  [ ! -e "$vendor/include/common.h" ] || not_ok "nobody has the file any more"
  succeeds bash "$vendor/scripts/install.sh" --uninstall
  is_clean "$SDK/opp"
  [ "$(grep -c '^name:' "$SDK/$LIST")" -eq 0 ] || not_ok "records are left"
}

case_Run_Terminal_AsksAndNothingElseDoes() {
  installs
  # The older file is told from the newer one by its time.
  touch -d 2001-01-01 "$SDK/opp/vendors/cust/include/hccl_custom_p2p.h"
  OUTPUT=$(script -qec "$RUN --install --install-path=$SDK" /dev/null <<<n 2>&1) && not_ok "'n' installed"
  says "replace 5 files? [y/N]"
  says "cancelled, nothing was changed"
  [ "$(stat -c %Y "$SDK/opp/vendors/cust/include/hccl_custom_p2p.h")" -lt 1000000000 ] || not_ok "'n' replaced a file"
  OUTPUT=$(yes | timeout 60 "$RUN" --install --install-path="$SDK" 2>&1) || not_ok "a pipe did not install"
  [[ $OUTPUT != *"[y/N]"* ]] || not_ok "asked a pipe"
  OUTPUT=$(script -qec "$RUN --install --install-path=$SDK" /dev/null <<<y 2>&1) || not_ok "'y' did not install"
  says "installed in"
  uninstalls
}

# As an ordinary user: the SDK belongs to them, or to root and cannot be written.
case_Run_WithoutRoot_Works() {
  [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || { echo "    skipped: not root, so every case is one"; return; }
  local as=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$WORK/nobody" TMPDIR="$WORK/nobody")
  mkdir -p "$WORK/nobody/Ascend" && cp -a "$WORK/Ascend/cann-9.2.0" "$WORK/nobody/Ascend/cann-1" && cp "$RUN" "$WORK/nobody/p2p.run"
  chown -R 65534:65534 "$WORK/nobody" && chmod 711 "$WORK"
  succeeds "${as[@]}" "$WORK/nobody/p2p.run" --install "--install-path=$WORK/nobody/Ascend/cann-1"
  says "listed aicpu_hccl_custom_p2p.tar.gz in $WORK/nobody/Ascend/cann-1/$LIST"
  has_files "$WORK/nobody/Ascend/cann-1" cust
  succeeds "${as[@]}" "$WORK/nobody/p2p.run" --uninstall "--install-path=$WORK/nobody/Ascend/cann-1"
  is_clean "$WORK/nobody/Ascend/cann-1/opp"
  chmod 000 "$WORK/nobody/Ascend/cann-1/$LIST"
  succeeds "${as[@]}" "$WORK/nobody/p2p.run" --install "--install-path=$WORK/nobody/Ascend/cann-1"
  says "warning: cannot read $WORK/nobody/Ascend/cann-1/$LIST, so it stays as it is"
  [ "$(wc -c <"$WORK/nobody/Ascend/cann-1/$LIST")" -eq 1 ] || not_ok "an unreadable list was changed"
  OUTPUT=$("${as[@]}" "$WORK/nobody/p2p.run" --install "--install-path=$SDK" 2>&1 </dev/null) && not_ok "wrote into root's SDK"
  says "error: cannot make the folder $SDK/opp/vendors/cust"
  is_clean "$SDK/opp"
  rm -r "$WORK/nobody"
}

run_cases
