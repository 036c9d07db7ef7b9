// The register of blocked host calls.
#include "exec/host_wait.h"

#include <algorithm>
#include <utility>

namespace softhccl::exec {
namespace {

struct Register {
  std::mutex mutex;
  std::vector<std::shared_ptr<HostWait>> waits;  // guarded by mutex
  std::atomic<std::uint64_t> changes{0};
};

Register& TheRegister() {
  static auto* waits = new Register;  // threads may end after static destruction
  return *waits;
}

}  // namespace

ScopedHostWait::ScopedHostWait(Scheduler& scheduler, Party who, std::string call, std::string detail)
    : blocked_(BlockedCall::kUntimed), scheduler_(scheduler), wait_(std::make_shared<HostWait>()) {
  wait_->who = std::move(who);
  wait_->call = std::move(call);
  wait_->detail = std::move(detail);
  wait_->since = scheduler.Now();
  Register& all = TheRegister();
  const std::lock_guard lock(all.mutex);
  all.waits.push_back(wait_);
  all.changes.fetch_add(1);
}

ScopedHostWait::~ScopedHostWait() {
  Register& all = TheRegister();
  const std::lock_guard lock(all.mutex);
  std::erase(all.waits, wait_);
  all.changes.fetch_add(1);
}

base::Status ScopedHostWait::Look(const std::vector<std::uint32_t>& missing) {
  base::Status ended;
  bool is_changed = false;
  {
    const std::lock_guard lock(wait_->mutex);
    is_changed = wait_->targets != missing;
    if (is_changed) wait_->targets = missing;
    wait_->looks.fetch_add(1);
    ended = wait_->ended;
  }
  if (is_changed) {
    TheRegister().changes.fetch_add(1);
    scheduler_.PokeWatch();  // it sleeps while nothing waits
  }
  return ended;
}

std::vector<std::shared_ptr<HostWait>> HostWaits() {
  Register& all = TheRegister();
  const std::lock_guard lock(all.mutex);
  return all.waits;
}

std::uint64_t HostWaitChanges() { return TheRegister().changes.load(); }

}  // namespace softhccl::exec
