// Definitions of entry points without implementation. They have no parameters: callers keep theirs in registers and on
// their own stack, nobody reads them, and the declarations need not be repeated. For that reason a file that uses these
// macros must not include the public headers.
#pragma once

#include "api/not_supported/say.h"

#define SOFTHCCL_NOT_SUPPORTED_ACL(name) \
  extern "C" int name() { return softhccl::api::NotSupportedAcl(#name); }
#define SOFTHCCL_NOT_SUPPORTED_HCCL(name) \
  extern "C" int name() { return softhccl::api::NotSupportedHccl(#name); }
// int32_t of the data plane and of libraries whose only failure is -1.
#define SOFTHCCL_NOT_SUPPORTED_MINUS_ONE(name) \
  extern "C" int name() {                      \
    softhccl::api::SayNotSupported(#name);     \
    return -1;                                 \
  }
#define SOFTHCCL_NOT_SUPPORTED_ZERO(name)  \
  extern "C" void* name() {                \
    softhccl::api::SayNotSupported(#name); \
    return nullptr;                        \
  }
#define SOFTHCCL_NOT_SUPPORTED_FLOAT(name) \
  extern "C" float name() {                \
    softhccl::api::SayNotSupported(#name); \
    return 0;                              \
  }
#define SOFTHCCL_NOT_SUPPORTED_VOID(name) \
  extern "C" void name() { softhccl::api::SayNotSupported(#name); }
