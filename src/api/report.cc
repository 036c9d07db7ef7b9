// Recent messages per thread, and the line that is printed: it ends with the id that `softhccl explain` knows.
#include "api/report.h"

#include <deque>

#include "api/error_map.h"
#include "base/log.h"
#include "engine/faithful.h"
#include "engine/invocation.h"

namespace softhccl::api {
namespace {

constexpr std::size_t kKept = 32;  // messages a thread may leave unread

struct Recent {
  std::deque<std::string> messages;  // newest first
  std::string handed_out;
};

Recent& ThreadRecent() {
  static thread_local Recent recent;
  return recent;
}

void Say(const char* call, const base::Status& status, const char* name, int number, Loudness loudness) noexcept {
  try {
    std::string text = fmt::format("{}: {} [{} {}]", call, status.message(), name, number);
    if (!CarriesId(text)) text += fmt::format(" ({})", ExplainingId(status));
    base::Log(loudness == Loudness::kError ? base::LogLevel::kError : base::LogLevel::kDebug, text);
    Recent& recent = ThreadRecent();
    recent.messages.push_front(std::move(text));
    if (recent.messages.size() > kKept) recent.messages.pop_back();
  } catch (const std::exception&) {  // out of memory; nothing may cross the border to C
  }
}

}  // namespace

aclError ReportAcl(const char* call, const base::Status& status, Loudness loudness) noexcept {
  return status.ok() ? ACL_SUCCESS : ReportAclAs(call, status, ToAclError(status.code()), loudness);
}

namespace {

thread_local aclError t_last_runtime_error = ACL_SUCCESS;

// 107xxx, 207xxx and 507xxx are the families of rt_error_codes.h.
bool IsOfRuntimeLayer(aclError error) { return error % 100000 / 1000 == 7; }

}  // namespace

aclError LastRuntimeError() noexcept { return t_last_runtime_error; }
void ClearLastRuntimeError() noexcept { t_last_runtime_error = ACL_SUCCESS; }

aclError ReportAclAs(const char* call, const base::Status& status, aclError error, Loudness loudness) noexcept {
  if (IsOfRuntimeLayer(error)) t_last_runtime_error = error;
  Say(call, status, AclErrorName(error), error, loudness);
  return error;
}

aclError ReportKnownAcl(const char* call, const base::Status& status) noexcept {
  return ReportAcl(call, status, Loudness::kProbe);
}

HcclResult ReportHccl(const char* call, const base::Status& status, Loudness loudness) noexcept {
  if (status.ok()) return HCCL_SUCCESS;
  const HcclResult result = ToHcclResult(status.code());
  Say(call, status, HcclResultName(result), static_cast<int>(result), loudness);
  return result;
}

HcclResult ReportHcclAs(const char* call, const base::Status& status, HcclResult result) noexcept {
  Say(call, status, HcclResultName(result), static_cast<int>(result), Loudness::kError);
  return result;
}

const char* TakeRecentMessages() {
  Recent& recent = ThreadRecent();
  if (recent.messages.empty()) return nullptr;
  recent.handed_out.clear();
  for (const std::string& message : recent.messages) {
    if (!recent.handed_out.empty()) recent.handed_out += '\n';
    recent.handed_out += message;
  }
  recent.messages.clear();
  return recent.handed_out.c_str();
}

base::Status RefuseForProduct(const char* call) {
  if (!engine::IsFaithful()) return {};
  return engine::CheckFunction(call, engine::CurrentInvocation() != nullptr, engine::FaithfulProduct());
}

base::Status RequirePointer(const void* pointer, const char* argument) {
  if (pointer != nullptr) return {};
  return base::Fail(base::Code::kNullPointer, "{} is null; pass a valid pointer", argument);
}

}  // namespace softhccl::api
