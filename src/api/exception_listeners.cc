// The listeners of the process. They are called on a thread of the library that may block.
#include "api/exception_listeners.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "engine/runtime.h"

namespace softhccl::api {
namespace {

using engine::FailureReport;

struct ForBinary {
  aclrtOpExceptionCallback function;
  void* argument;
};

// Who wants to hear of failures. Any thread.
struct Listeners {
  std::mutex mutex;
  aclrtExceptionInfoCallback replaceable = nullptr;           // guarded by mutex: of aclrtSetExceptionInfoCallback
  std::vector<aclrtExceptionInfoCallback> registered;         // guarded by mutex
  std::map<std::string, aclrtExceptionInfoCallback> modules;  // guarded by mutex: of rtRegTaskFailCallbackByModule
  std::map<std::uint64_t, ForBinary> binaries;                // guarded by mutex: by handle, so never another one's
};

Listeners& TheListeners() {
  static auto* listeners = new Listeners;
  return *listeners;
}

// The failure that a pointer refers to is valid inside its callback only; a table keeps others from being followed.
struct LiveInfos {
  std::mutex mutex;
  std::map<const aclrtExceptionInfo*, const FailureReport*> live;  // guarded by mutex
};

LiveInfos& TheInfos() {
  static auto* infos = new LiveInfos;
  return *infos;
}

void Tell(const FailureReport& report) {
  std::vector<aclrtExceptionInfoCallback> all;
  ForBinary of_binary{nullptr, nullptr};
  {
    Listeners& listeners = TheListeners();
    const std::lock_guard lock(listeners.mutex);
    if (listeners.replaceable != nullptr) all.push_back(listeners.replaceable);
    all.insert(all.end(), listeners.registered.begin(), listeners.registered.end());
    for (const auto& module : listeners.modules) all.push_back(module.second);
    if (report.kernel != nullptr) {
      const auto found = listeners.binaries.find(report.kernel->info->binary_handle);
      if (found != listeners.binaries.end()) of_binary = found->second;
    }
  }
  rtExceptionInfo info{};
  info.report = &report;
  {
    const std::lock_guard lock(TheInfos().mutex);
    TheInfos().live[&info] = &report;
  }
  for (const auto callback : all) callback(&info);
  if (of_binary.function != nullptr) of_binary.function(&info, of_binary.argument);
  const std::lock_guard lock(TheInfos().mutex);
  TheInfos().live.erase(&info);
}

// Called with the lock held.
void Listen(const Listeners& listeners) {
  const bool nobody = listeners.replaceable == nullptr && listeners.registered.empty() && listeners.modules.empty() &&
                      listeners.binaries.empty();
  engine::Runtime::Get().failure_reports().SetSink(nobody ? engine::FailureReports::Sink() : Tell);
}

}  // namespace

void SetExceptionCallback(aclrtExceptionInfoCallback callback) {
  Listeners& listeners = TheListeners();
  const std::lock_guard lock(listeners.mutex);
  listeners.replaceable = callback;
  Listen(listeners);
}

void AddExceptionCallback(aclrtExceptionInfoCallback callback) {
  Listeners& listeners = TheListeners();
  const std::lock_guard lock(listeners.mutex);
  auto& registered = listeners.registered;
  if (std::find(registered.begin(), registered.end(), callback) == registered.end()) registered.push_back(callback);
  Listen(listeners);
}

bool RemoveExceptionCallback(aclrtExceptionInfoCallback callback) {
  Listeners& listeners = TheListeners();
  const std::lock_guard lock(listeners.mutex);
  const bool was_there = std::erase(listeners.registered, callback) != 0;
  Listen(listeners);
  return was_there;
}

void SetModuleCallback(const std::string& module, aclrtExceptionInfoCallback callback) {
  Listeners& listeners = TheListeners();
  const std::lock_guard lock(listeners.mutex);
  if (callback == nullptr) {
    listeners.modules.erase(module);
  } else {
    listeners.modules[module] = callback;
  }
  Listen(listeners);
}

void SetBinaryCallback(std::uint64_t binary, aclrtOpExceptionCallback callback, void* argument) {
  Listeners& listeners = TheListeners();
  const std::lock_guard lock(listeners.mutex);
  listeners.binaries[binary] = ForBinary{callback, argument};
  Listen(listeners);
}

const FailureReport* ReportOf(const aclrtExceptionInfo* info) {
  const std::lock_guard lock(TheInfos().mutex);
  const auto found = TheInfos().live.find(info);
  return found == TheInfos().live.end() ? nullptr : found->second;
}

}  // namespace softhccl::api
