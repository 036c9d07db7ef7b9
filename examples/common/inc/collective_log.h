// Messages for the person at the terminal, and the checks that turn a failing call into one line that names the call
// and its code. Used by the host parts and the kernels of the collective operators.
#ifndef HCCL_CUSTOM_COLLECTIVE_LOG_H
#define HCCL_CUSTOM_COLLECTIVE_LOG_H

#include <stdarg.h>
#include <stdio.h>

// Prints one line on standard error, whole even when several ranks print at once.
__attribute__((format(printf, 1, 2))) inline void CollectivePrintError(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  fprintf(stderr, "[hccl_custom] error: %s\n", text);
}

#define COLLECTIVE_ERROR(...) CollectivePrintError(__VA_ARGS__)

// For aclrt* calls: prints and returns HCCL_E_RUNTIME.
#define COLLECTIVE_CHECK_ACL(call)                                              \
  do {                                                                          \
    const int collectiveAclCode = static_cast<int>(call);                       \
    if (collectiveAclCode != 0) {                                               \
      COLLECTIVE_ERROR("%s failed with aclError %d", #call, collectiveAclCode); \
      return HCCL_E_RUNTIME;                                                    \
    }                                                                           \
  } while (0)

// For Hccl* calls: prints and passes the code on.
#define COLLECTIVE_CHECK_HCCL(call)                                                                  \
  do {                                                                                               \
    const HcclResult collectiveHcclCode = (call);                                                    \
    if (collectiveHcclCode != HCCL_SUCCESS) {                                                        \
      COLLECTIVE_ERROR("%s failed with HcclResult %d", #call, static_cast<int>(collectiveHcclCode)); \
      return collectiveHcclCode;                                                                     \
    }                                                                                                \
  } while (0)

// For Hcomm* calls in a kernel: prints with the operation's tag and returns the code.
#define COLLECTIVE_CHECK_HCOMM(tag, call)                                         \
  do {                                                                            \
    const int collectiveHcommCode = static_cast<int>(call);                       \
    if (collectiveHcommCode != 0) {                                               \
      COLLECTIVE_ERROR("%s: %s failed with %d", tag, #call, collectiveHcommCode); \
      return collectiveHcommCode;                                                 \
    }                                                                             \
  } while (0)

#endif  // HCCL_CUSTOM_COLLECTIVE_LOG_H
