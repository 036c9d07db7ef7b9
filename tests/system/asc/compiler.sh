#!/bin/bash
# What bisheng says about sources: errors on the right line of the right file, also in macros, included files and what it
# cannot lower itself; warnings of the compiler as for C++; dependency files, preprocessed text, options of others.
source "$(dirname "${BASH_SOURCE[0]}")/../tools/environment.sh"
set_system "${1:-}"
BISHENG="$ASCEND_HOME_PATH/bin/bisheng"
cd "$WORK" || fail "no folder $WORK"
export LC_ALL=C

# compiles <options...>; refuses <text> <options...>: standard error and output go to "out".
compiles() {
  "$BISHENG" "$@" >out 2>&1 || { code=$?; cat out; fail "bisheng $* ended with $code"; }
}
refuses() {
  local text=$1
  shift
  ! "$BISHENG" "$@" >out 2>&1 || fail "bisheng $* succeeded, expected '$text'"
  has out "$text"
}

cat >launch.h <<'C'
#pragma once
#include "acl/acl.h"
struct Args { int a; };
extern __global__ __aicpu__ uint32_t Kernel(void* args);
template <int N> inline void FromHeader(Args* args, aclrtStream stream) {
  Kernel<<<N, nullptr, stream>>>(args, sizeof(Args));
}
C

# Everything around <<<>>> at once, without a warning.
cat >good.asc <<'C'
#include <cstddef>
#include <vector>
#include "launch.h"
// Kernel<<<2, nullptr, s>>>(x) in a comment
#define ON(stream) 1, NULL, stream
#define LAUNCH(kernel, ...) kernel<<<ON(stream)>>>(__VA_ARGS__)
#define NAME \
  Kernel
namespace ns { template <typename T, int N> uint32_t Made(T*) { return N; } }
template <typename T> T Pick(T value) { return value; }
const char* const kText = "Kernel<<<2, nullptr, s>>>(x)" R"(Kernel<<<
2>>>())";
void Run(aclrtStream stream) {
  Args args = {1};
  std::vector<std::vector<std::vector<int>>> nested(3);
  Kernel<<<1, nullptr, stream>>>(&args, sizeof(args));
  LAUNCH(Kernel, &args, sizeof(args));
  LAUNCH((ns::Made<Args, 3>), &args, sizeof(args));
  NAME
    <<<1,
       nullptr, Pick<aclrtStream>(stream)>>>
    (&args, sizeof(args));
  ns::Made<Args, 4><<<(1 < 2 ? 1 : 2), nullptr, stream>>>(&args, sizeof(args));
  FromHeader<1>(&args, stream);
  static_assert(__LINE__ == 25, "lines are kept");
#if 0
  Broken<<<2, nullptr>>>();
#endif
  (void)kText;
  (void)(args.a << 1);
}
C
compiles -std=c++14 -Wall -Wextra -Werror -O1 -c good.asc -o good.o
compiles -std=c++17 -Wall -Wextra -Werror -g3 -c good.asc -o good.o
compiles -std=c++20 -c good.asc -o good.o

# Errors of the driver: the line of the source, also through macros and included files.
printf '#include "launch.h"\n\nvoid f(aclrtStream s, Args* a) {\n  Kernel<<<4, nullptr, s>>>(a, 4);\n}\n' >blocks.asc
refuses "blocks.asc:4: error: the launch of Kernel asks for 4 blocks" -c blocks.asc
[ "$(wc -l <out)" = 1 ] || { cat out; fail "more than one line"; }
[ ! -e blocks.o ] || fail "an object was written in spite of an error"
printf '#define N 3\n#define GO(s) \\\n Kernel<<<N, nullptr, s>>>(a, 4)\n#include "launch.h"\nvoid f(aclrtStream s, Args* a) {\n  GO(s);\n}\n' >macro.asc
refuses "macro.asc:6: error: the launch of Kernel asks for 3 blocks" -c macro.asc
sed 's/Kernel<<<N/Kernel<<<5/' launch.h >launch5.h
printf '#include "launch5.h"\n' >included.asc
refuses "launch5.h:6: error: the launch of Kernel asks for 5 blocks" -c included.asc
printf '#include "launch.h"\n#define HALF <<<1, nullptr\nvoid f(aclrtStream s, Args* a) {\n  Kernel HALF;\n}\n' >half.asc
refuses "half.asc:4: error: no >>> ends the launch that begins here" -c half.asc
printf 'extern "C" __global__ __aicore__ void add(int x) {}\n' >core.asc
refuses "core.asc:1: error: add is a kernel for the AI core (__aicore__)" -c core.asc
printf '\n#include "kernel_operator.h"\n' >operator.asc
refuses "SoftHCCL cannot run" -c operator.asc
has out "operator.asc:2"
printf '#include "launch.h"\nvoid f(aclrtStream s, Args* a) {\n\n  Kernel<<<1, nullptr, s>>>(a, 4);\n}\n' >kernel.aicpu
refuses "kernel.aicpu:4: error: Kernel is launched in AICPU code" -c kernel.aicpu

# Errors of the host compiler: file and line of the source.
printf '#include "launch.h"\nvoid f(aclrtStream s, Args* a) {\n  Kernel<<<1,\n    nullptr, s>>>(a,\n    undeclared);\n}\n' >undeclared.asc
refuses "undeclared.asc:5:" -c undeclared.asc
has out "'undeclared' was not declared"
printf '#include "launch.h"\nuint32_t Two(void*, int);\nvoid f(aclrtStream s, Args* a) {\n  Two<<<1, nullptr, s>>>(a, 4);\n}\n' >two.asc
refuses "two.asc:4:" -c two.asc
printf '#include "launch.h"\nvoid f(aclrtStream s) {\n  Kernel<<<1, nullptr, s>>>(3, 4);\n}\n' >pointer.asc
refuses "pointer.asc:3:" -c pointer.asc
printf '#include "missing.h"\n' >missing.asc
refuses "missing.asc:1:" -c missing.asc

# Dependency files as the host compiler writes them.
compiles -c good.asc -o dir.o -MD -MT dir.o -MF dir.d
has dir.d "dir.o:"
has dir.d "launch.h"
compiles -MMD -c good.asc
has good.d "good.o: good.asc"
has good.d " launch.h"
compiles -MM good.asc
has out "good.o: good.asc launch.h"

# Preprocessed and assembler text; options of other processors; other names; what is no Ascend C.
compiles -E good.asc
has out 'softhccl_aicpu::Prepare("ns::Made<Args, 4>"'
compiles --npu-arch=dav-2201 --cce-aicore-arch=dav-c220 --asc-aicore-lang -S good.asc
[ -s good.s ] || fail "no good.s"
cp good.asc good.cpp
compiles -x asc -c good.cpp -o named.o
printf 'int main() { return 0; }\n' >plain.cc
compiles plain.cc -o plain && ./plain || fail "a plain program does not run"
refuses "names one output for 2 inputs" -c good.asc plain.cc -o both.o
refuses "option -o needs an argument" good.asc -o
compiles --version
has out "SoftHCCL bisheng"
compiles --host-compiler=g++ -c good.asc
refuses "nowhere/g++ cannot be run" --host-compiler=nowhere/g++ -c good.asc
"$ASCEND_HOME_PATH/tools/ccec_compiler/bin/bisheng" -c good.asc || fail "the link in tools/ccec_compiler does not work"
# The header of kernels is one for other compilers, too.
printf '#include "aicpu_api.h"\n__global__ __aicpu__ int Kernel(void*);\nint main() { AscendC::printf("%%d\\n", 7); }\n' >header.cc
for standard in c++11 c++14 c++20; do
  g++ "-std=$standard" -Wall -Wextra -Wpedantic -Werror "-I$ASCEND_HOME_PATH/asc/include/aicpu_api" header.cc -o header ||
    fail "aicpu_api.h does not compile as $standard"
done
[ "$(./header)" = 7 ] || fail "AscendC::printf does not print"
echo "asc_compiler: all as it should be"
