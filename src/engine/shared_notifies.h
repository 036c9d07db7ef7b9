// Notifies under a name: what one exports by a key others import as a handle of their own. The notify goes when all who
// have a handle of it have destroyed theirs.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/status.h"

namespace softhccl::engine {

// Any thread. Created on first use, never destroyed.
class SharedNotifies {
 public:
  static SharedNotifies& Get();

  static bool IsImported(std::uint64_t handle) {
    return base::HandleBits{handle}.kind() == base::HandleKind::kImportedNotify;
  }

  // The key of a notify, which exists; the same key each time. With `checks_pids` only processes that Allow names may
  // import it. Errors: kInvalidParam for an imported one.
  base::Result<std::string> Export(std::uint64_t notify, bool checks_pids);
  // Errors: kInvalidParam when it was not exported.
  base::Status Allow(std::uint64_t notify, const std::vector<std::int32_t>& pids);
  // A new handle for the notify of `key`. Errors: kInvalidParam: not open, or this process is not allowed;
  // kNotSupported for one of another process; kUnavailable.
  base::Result<std::uint64_t> Import(const std::string& key);

  // The notify that `handle` stands for: itself, unless it is an import. Errors: kInvalidHandle for a stale import, and
  // for a notify that its maker has destroyed while others import it.
  base::Result<std::uint64_t> Resolve(std::uint64_t handle) const;
  // Gives a handle up. The notify to destroy now, if it was the last. Errors as of Resolve.
  base::Result<std::optional<std::uint64_t>> Release(std::uint64_t handle);

 private:
  struct Shared {
    std::string key;
    bool checks_pids = true;
    bool is_abandoned = false;  // by its maker
    std::uint32_t imports = 0;
    std::set<std::int32_t> pids;
  };

  SharedNotifies() = default;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Shared> shared_;                                // guarded by mutex_: by notify
  std::map<std::string, std::uint64_t> keys_;                             // guarded by mutex_: notify by open key
  base::Slab<std::uint64_t, base::HandleKind::kImportedNotify> imports_;  // contents guarded by mutex_: notify
  std::atomic<std::uint32_t> abandoned_{0};                               // how many of shared_ are
  std::uint64_t last_ = 0;                                                // guarded by mutex_
};

}  // namespace softhccl::engine
