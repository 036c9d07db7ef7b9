// Messages, and checks that turn a failing call into one line that names it.
#ifndef SAMPLE_OP_LOG_H
#define SAMPLE_OP_LOG_H

#include <stdio.h>

#define OP_ERROR(format, ...) fprintf(stderr, "[sample_op] error: " format "\n", ##__VA_ARGS__)

// For aclrt... calls in functions that return HcclResult.
#define CHECK_ACL(call)                                     \
  do {                                                      \
    const int code_ = static_cast<int>(call);               \
    if (code_ != 0) {                                       \
      OP_ERROR("%s failed with aclError %d", #call, code_); \
      return HCCL_E_RUNTIME;                                \
    }                                                       \
  } while (0)

// For calls that answer HcclResult.
#define CHECK_HCCL(call)                                                        \
  do {                                                                          \
    const HcclResult code_ = (call);                                            \
    if (code_ != HCCL_SUCCESS) {                                                \
      OP_ERROR("%s failed with HcclResult %d", #call, static_cast<int>(code_)); \
      return code_;                                                             \
    }                                                                           \
  } while (0)

// For Hcomm... calls in the kernel.
#define CHECK_HCOMM(tag, call)                              \
  do {                                                      \
    const int code_ = static_cast<int>(call);               \
    if (code_ != 0) {                                       \
      OP_ERROR("%s: %s failed with %d", tag, #call, code_); \
      return code_;                                         \
    }                                                       \
  } while (0)

#endif  // SAMPLE_OP_LOG_H
