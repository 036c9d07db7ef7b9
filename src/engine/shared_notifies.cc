// Exports and imports of notifies.
#include "engine/shared_notifies.h"

#include <unistd.h>

#include "memory/shared_key.h"

namespace softhccl::engine {

using base::Code;
using base::FailResult;
using base::Status;

namespace {

constexpr char kKind[] = "notify";

}  // namespace

SharedNotifies& SharedNotifies::Get() {
  static auto* const notifies = new SharedNotifies;
  return *notifies;
}

base::Result<std::string> SharedNotifies::Export(std::uint64_t notify, bool checks_pids) {
  if (IsImported(notify)) {
    return FailResult(Code::kInvalidParam, "notify 0x{:x} was imported; export the one of aclrtCreateNotify", notify);
  }
  const std::lock_guard lock(mutex_);
  Shared& shared = shared_[notify];
  if (shared.key.empty()) {
    shared.key = memory::MakeSharedKey(kKind, ++last_);
    keys_[shared.key] = notify;
  }
  shared.checks_pids = checks_pids;
  return shared.key;
}

Status SharedNotifies::Allow(std::uint64_t notify, const std::vector<std::int32_t>& pids) {
  const std::lock_guard lock(mutex_);
  const auto found = shared_.find(notify);
  if (found == shared_.end()) {
    return base::Fail(Code::kInvalidParam, "notify 0x{:x} was not exported; call aclrtNotifyGetExportKey first",
                      notify);
  }
  found->second.pids.insert(pids.begin(), pids.end());
  return {};
}

base::Result<std::uint64_t> SharedNotifies::Import(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) {
    return tl::unexpected(memory::ExplainUnknownKey(kKind, key, "its notify was destroyed"));
  }
  Shared& shared = shared_.at(found->second);
  if (shared.checks_pids && shared.pids.count(::getpid()) == 0) {
    return FailResult(Code::kInvalidParam,
                      "process {} is not among the {} that may import this key; name it with aclrtNotifySetImportPid",
                      ::getpid(), shared.pids.size());
  }
  std::uint64_t handle = 0;
  std::uint64_t* const slot = imports_.Allocate(&handle);
  if (slot == nullptr) {
    return FailResult(Code::kUnavailable, "no handle of an imported notify left: {} are in use", imports_.live());
  }
  *slot = found->second;
  imports_.Publish(handle);
  ++shared.imports;
  return handle;
}

base::Result<std::uint64_t> SharedNotifies::Resolve(std::uint64_t handle) const {
  // Relaxed: a notify whose maker destroys it at the same time may be found or not.
  if (!IsImported(handle) && abandoned_.load(std::memory_order_relaxed) == 0) return handle;
  const std::lock_guard lock(mutex_);
  if (IsImported(handle)) {
    auto found = imports_.Get(handle, "notify");
    if (!found) return tl::unexpected(std::move(found).error());
    return **found;
  }
  const auto shared = shared_.find(handle);
  if (shared == shared_.end() || !shared->second.is_abandoned) return handle;
  return FailResult(Code::kInvalidHandle,
                    "notify 0x{:x} was destroyed; it lives on only for those who have imported it (SH-H002)", handle);
}

base::Result<std::optional<std::uint64_t>> SharedNotifies::Release(std::uint64_t handle) {
  auto notify = Resolve(handle);
  if (!notify) return tl::unexpected(std::move(notify).error());
  const std::lock_guard lock(mutex_);
  const auto found = shared_.find(*notify);
  if (found == shared_.end()) return std::optional(*notify);
  Shared& shared = found->second;
  if (IsImported(handle)) {
    if (imports_.Retire(handle)) {
      imports_.Recycle(handle);
      --shared.imports;
    }
  } else {
    keys_.erase(shared.key);
    shared.is_abandoned = true;
    abandoned_.fetch_add(1);
  }
  if (!shared.is_abandoned || shared.imports != 0) return std::optional<std::uint64_t>();
  abandoned_.fetch_sub(1);
  shared_.erase(found);
  return std::optional(*notify);
}

}  // namespace softhccl::engine
