// The store for ranks that share an address space: a map and a condition variable.
#include <condition_variable>
#include <map>
#include <mutex>

#include "bootstrap/store.h"

namespace softhccl::bootstrap {
namespace {

class InProcessStore final : public Store {
 public:
  void Set(const std::string& key, std::string value) override {
    std::lock_guard lock(mutex_);
    values_[key] = std::move(value);
    changed_.notify_all();
  }

  void Remove(const std::string& key) override {
    std::lock_guard lock(mutex_);
    values_.erase(key);
  }

  bool CompareAndSet(const std::string& key, const std::optional<std::string>& expected, std::string desired) override {
    std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    const bool is_expected = found == values_.end() ? !expected : expected == found->second;
    if (!is_expected) return false;
    values_[key] = std::move(desired);
    changed_.notify_all();
    return true;
  }

  base::Result<std::string> Get(const std::string& key, base::Nanos deadline) override {
    const std::chrono::steady_clock::time_point limit{std::chrono::nanoseconds(deadline)};
    std::unique_lock lock(mutex_);
    const auto there = [&] { return values_.count(key) != 0 || !interrupted_.ok(); };
    if (!changed_.wait_until(lock, limit, there)) {
      return base::FailResult(base::Code::kTimeout, "nobody has published {}", key);
    }
    if (!interrupted_.ok()) return tl::unexpected(interrupted_);
    return values_.at(key);
  }

  void Interrupt(const base::Status& reason) override {
    std::lock_guard lock(mutex_);
    interrupted_ = base::Status(base::Code::kRemote, reason.message());
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;  // guarded by mutex_
  base::Status interrupted_;                   // guarded by mutex_
};

}  // namespace

std::shared_ptr<Store> MakeInProcessStore() { return std::make_shared<InProcessStore>(); }

}  // namespace softhccl::bootstrap
