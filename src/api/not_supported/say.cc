// One warning per function and process; every call leaves its sentence for aclGetRecentErrMsg.
#include "api/not_supported/say.h"

#include <mutex>
#include <set>
#include <string>

#include "api/error_map.h"
#include "api/report.h"

namespace softhccl::api {
namespace {

// Printed the first time only.
Loudness HowLoud(const char* function) noexcept {
  static std::mutex mutex;
  static std::set<std::string>& called = *new std::set<std::string>;  // calls may come during exit
  try {
    const std::lock_guard lock(mutex);
    return called.insert(function).second ? Loudness::kError : Loudness::kProbe;
  } catch (const std::exception&) {  // out of memory
    return Loudness::kProbe;
  }
}

base::Status NotSupported(const char* function) {
  return base::Fail(base::Code::kNotSupported,
                    "this library does not implement {}; docs/compat.md lists what it does implement", function);
}

}  // namespace

int NotSupportedAcl(const char* function) noexcept {
  return ReportAcl(function, Guard([&] { return NotSupported(function); }), HowLoud(function));
}

int NotSupportedHccl(const char* function) noexcept {
  return static_cast<int>(ReportHccl(function, Guard([&] { return NotSupported(function); }), HowLoud(function)));
}

void SayNotSupported(const char* function) noexcept { static_cast<void>(NotSupportedAcl(function)); }

}  // namespace softhccl::api
