// Messages for the person at the terminal, and the checks that turn a failing call into one line that names the call
// and its code. Used by the host part and by the kernel.
#ifndef HCCL_CUSTOM_P2P_LOG_H
#define HCCL_CUSTOM_P2P_LOG_H

#include <stdarg.h>
#include <stdio.h>

// Prints one line on standard error, whole even when several ranks print at once.
__attribute__((format(printf, 1, 2))) inline void P2pPrintError(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  fprintf(stderr, "[hccl_custom_p2p] error: %s\n", text);
}

#define P2P_ERROR(...) P2pPrintError(__VA_ARGS__)

// For aclrt* calls: prints and returns HCCL_E_RUNTIME.
#define P2P_CHECK_ACL(call)                                       \
  do {                                                            \
    const int p2pAclCode = static_cast<int>(call);                \
    if (p2pAclCode != 0) {                                        \
      P2P_ERROR("%s failed with aclError %d", #call, p2pAclCode); \
      return HCCL_E_RUNTIME;                                      \
    }                                                             \
  } while (0)

// For Hccl* calls: prints and passes the code on.
#define P2P_CHECK_HCCL(call)                                                           \
  do {                                                                                 \
    const HcclResult p2pHcclCode = (call);                                             \
    if (p2pHcclCode != HCCL_SUCCESS) {                                                 \
      P2P_ERROR("%s failed with HcclResult %d", #call, static_cast<int>(p2pHcclCode)); \
      return p2pHcclCode;                                                              \
    }                                                                                  \
  } while (0)

// For Hcomm* calls in the kernel: prints with the operation's tag and returns the code.
#define P2P_CHECK_HCOMM(tag, call)                                  \
  do {                                                              \
    const int p2pHcommCode = static_cast<int>(call);                \
    if (p2pHcommCode != 0) {                                        \
      P2P_ERROR("%s: %s failed with %d", tag, #call, p2pHcommCode); \
      return p2pHcommCode;                                          \
    }                                                               \
  } while (0)

#endif  // HCCL_CUSTOM_P2P_LOG_H
