#!/bin/bash
# gdb stops on the line of a launch in an .asc file and of a kernel in an .aicpu file, and shows the lines of these files.
source "$(dirname "${BASH_SOURCE[0]}")/../tools/environment.sh"
set_system "${1:-}"
need gdb
PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/project" && pwd)
cd "$WORK" || fail "no folder $WORK"
"$ASCEND_HOME_PATH/bin/bisheng" -g -O0 "$PROJECT/hello.asc" "$PROJECT/hello_kernel.aicpu" -o hello || fail "bisheng ended with $?"
launch=$(grep -n '<<<' "$PROJECT/hello.asc" | cut -d: -f1)
body=$(grep -n 'AscendC::printf' "$PROJECT/hello_kernel.aicpu" | cut -d: -f1)
cat >commands <<GDB
set pagination off
set confirm off
set debuginfod enabled off
break hello.asc:$launch
break hello_kernel.aicpu:$body
run
info source
frame
continue
print numbers[0]
frame
continue
GDB
timeout -k 5 200 gdb -batch -x commands ./hello >out 2>&1 </dev/null || { cat out; fail "gdb ended with $?"; }
has out "Current source file is $PROJECT/hello.asc"
has out "$launch	  Hello<<<1, nullptr, stream>>>(&args, sizeof(HelloArgs));"
has out "$body	  AscendC::printf(\"hello from a kernel: %d\\n\", numbers[0] + numbers[1]);"
has out '$1 = 40'
has out "hello from a kernel: 42"
echo "asc_debugger: stopped in both files"
