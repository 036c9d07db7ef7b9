// The border to C: catches what must not cross it, turns a Status into the vendor's number, prints it once, and keeps
// the text for aclGetRecentErrMsg. Only this folder knows both sides.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "acl/acl_base_rt.h"
#include "base/status.h"
#include "hccl/hccl_types.h"

namespace softhccl::api {

// How loud a failure is. A probe is a call whose failure is part of normal use (HcclEngineCtxGet).
enum class Loudness { kError, kProbe };

// The number for `status`; a failure is logged with the name of the call and remembered for the calling thread. When
// the host is out of memory the text is lost, the number is not.
aclError ReportAcl(const char* call, const base::Status& status, Loudness loudness = Loudness::kError) noexcept;
HcclResult ReportHccl(const char* call, const base::Status& status, Loudness loudness = Loudness::kError) noexcept;
// The same without printing: the failure was reported when it happened.
aclError ReportKnownAcl(const char* call, const base::Status& status) noexcept;

// The same with a number that no reason of ours stands for (initialise twice, a bad configuration file).
aclError ReportAclAs(const char* call, const base::Status& status, aclError error,
                     Loudness loudness = Loudness::kError) noexcept;

// The same for HCCL, with a number that somebody else decided (a callback of the user).
HcclResult ReportHcclAs(const char* call, const base::Status& status, HcclResult result) noexcept;

// The number of the last failure of this thread that the runtime layer decided (not an argument check), 0 when there is
// none.
aclError LastRuntimeError() noexcept;
void ClearLastRuntimeError() noexcept;

// The remembered texts of this thread, newest first, and forgets them; null when there are none. Valid until the next
// call on this thread.
const char* TakeRecentMessages();

// Runs `body`, which returns a Status, and maps what escapes.
template <typename Body>
base::Status Guard(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return base::Status(base::Code::kOutOfMemory, "the host is out of memory");
  } catch (const std::exception& error) {
    return base::Status(base::Code::kInternal, std::string("unexpected exception: ") + error.what());
  }
}

template <typename Body>
aclError CallAcl(const char* call, Body&& body) {
  return ReportAcl(call, Guard(std::forward<Body>(body)));
}

// In faithful mode: kNotSupported when the product that is imitated does not have the function `call`.
base::Status RefuseForProduct(const char* call);

template <typename Body>
HcclResult CallHccl(const char* call, Body&& body, Loudness loudness = Loudness::kError) {
  return ReportHccl(call, Guard([&]() -> base::Status {
                      SOFTHCCL_RETURN_IF_ERROR(RefuseForProduct(call));
                      return std::forward<Body>(body)();
                    }),
                    loudness);
}

// kNullPointer naming the argument when `pointer` is null.
base::Status RequirePointer(const void* pointer, const char* argument);

}  // namespace softhccl::api

// Leaves the enclosing body with kNullPointer when `argument` is null.
#define SOFTHCCL_REQUIRE(argument) SOFTHCCL_RETURN_IF_ERROR(::softhccl::api::RequirePointer(argument, #argument))

// Leaves the enclosing body with the error of `result`; otherwise declares `name` as its value.
#define SOFTHCCL_ASSIGN(name, result)                          \
  auto name##_result = (result);                               \
  if (!name##_result) return std::move(name##_result).error(); \
  auto& name = *name##_result
