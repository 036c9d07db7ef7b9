// Collects and runs.
#include "comm/call_group.h"

#include <system_error>
#include <thread>

#include "base/log.h"

namespace softhccl::comm {

using base::Code;
using base::Status;

namespace {

const char* KindName(CallGroup::Kind kind) {
  switch (kind) {
    case CallGroup::Kind::kCreate: return "creations of communicators";
    case CallGroup::Kind::kDestroy: return "destructions of communicators";
    case CallGroup::Kind::kPointToPoint: break;
  }
  return "point-to-point operations";
}

// An exception must not leave a thread.
Status RunCaught(const std::function<Status()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return base::Fail(Code::kInternal, "unexpected exception: {}", error.what());
  }
}

}  // namespace

CallGroup& CallGroup::OfThisThread() {
  static thread_local CallGroup group;
  return group;
}

Status CallGroup::Add(Kind kind, std::string call, const engine::Device& device, std::function<Status()> body) {
  if (!calls_.empty() && kind != kind_) {
    return base::Fail(Code::kInvalidParam,
                      "this group has {} already; {} belong in a group of their own (call HcclGroupEnd first)",
                      KindName(kind_), KindName(kind));
  }
  kind_ = kind;
  calls_.push_back(Call{std::move(call), &device, std::move(body)});
  return {};
}

Status CallGroup::End() {
  if (depth_ == 0) return base::Fail(Code::kNotSupported, "no group is open on this thread; call HcclGroupStart first");
  if (--depth_ > 0) return {};
  const std::vector<Call> calls = std::move(calls_);
  calls_.clear();
  std::vector<Status> results(calls.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    try {
      threads.emplace_back([&call = calls[i], &result = results[i]] {
        engine::DeviceTable::Adopt(call.device);
        result = RunCaught(call.body);
      });
    } catch (const std::system_error& error) {
      results[i] = base::Fail(Code::kUnavailable, "no thread could be made for it: {}", error.what());
    }
  }
  for (std::thread& thread : threads) thread.join();
  Status first;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (results[i].ok()) continue;
    Status told = Status(results[i].code(), fmt::format("call {} of {} ({} on device {}): {}", i + 1, calls.size(),
                                                        calls[i].name, calls[i].device->id(), results[i].message()));
    if (first.ok()) {
      first = std::move(told);
    } else {
      base::Log(base::LogLevel::kError, "HcclGroupEnd: " + told.message());
    }
  }
  return first;
}

}  // namespace softhccl::comm
