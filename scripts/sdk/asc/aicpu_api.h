// What AICPU kernels may use beside the C and C++ libraries. Here a kernel is ordinary code of the process.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The words that mark kernels. The compiler driver (bisheng) knows them itself; other compilers may skip them.
#ifndef __global__
#define __global__
#endif
#ifndef __aicpu__
#define __aicpu__
#endif

namespace AscendC {

// Prints to the standard output of the process, at once.
__attribute__((format(printf, 1, 2))) inline void printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
}

// What the kernel has stored is visible to others before what it stores afterwards.
inline void DataStoreBarrier() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// How a kernel's assertion ends: with a line on the standard error output, and the process with it.
[[noreturn]] inline void EndAtAssertion(const char* condition, const char* file, int line) {
  fprintf(stderr, "%s:%d: a kernel asserts what is not so: %s\n", file, line, condition);
  abort();
}

}  // namespace AscendC

// In place of the C library's macro, so that it works in kernels compiled with NDEBUG, too.
#undef assert
#define assert(condition) ((condition) ? (void)0 : AscendC::EndAtAssertion(#condition, __FILE__, __LINE__))
