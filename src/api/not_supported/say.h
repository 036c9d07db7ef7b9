// What a declared function without implementation answers.
#pragma once

namespace softhccl::api {

// Warns that `function` is not supported, the first time it is called in this process, and keeps the sentence for
// aclGetRecentErrMsg. Never throws.
void SayNotSupported(const char* function) noexcept;

// The same, and the number to return: ACL_ERROR_RT_FEATURE_NOT_SUPPORT, HCCL_E_NOT_SUPPORT.
int NotSupportedAcl(const char* function) noexcept;
int NotSupportedHccl(const char* function) noexcept;

}  // namespace softhccl::api
