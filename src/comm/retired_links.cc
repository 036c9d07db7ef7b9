// A snapshot of the streams tells when the last op that may know a link has been completed or skipped.
#include "comm/retired_links.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "engine/runtime.h"

namespace softhccl::comm {
namespace {

// A stream's handle, and how many ops it must have completed.
using Goal = std::pair<std::uint64_t, std::uint64_t>;

struct Retired {
  std::vector<Goal> goals;
  std::vector<std::unique_ptr<transport::Link>> links;
};

struct Keeper {
  std::mutex mutex;
  std::vector<Retired> kept;  // guarded by mutex
};

Keeper& TheKeeper() {
  static auto* keeper = new Keeper;  // links may be used during static destruction
  return *keeper;
}

bool IsReached(const Goal& goal) {
  const exec::Stream* stream = engine::Runtime::Get().scheduler().streams().Lookup(goal.first);
  return stream == nullptr || stream->completed() >= goal.second;
}

}  // namespace

void RetireLinks(std::vector<std::unique_ptr<transport::Link>> links, const std::vector<std::uint64_t>& users) {
  Retired retired;
  for (const std::uint64_t user : users) {
    const exec::Stream* stream = engine::Runtime::Get().scheduler().streams().Lookup(user);
    if (stream != nullptr) retired.goals.emplace_back(user, stream->submitted());
  }
  retired.links = std::move(links);
  std::vector<Retired> freed;  // after the lock is gone
  Keeper& keeper = TheKeeper();
  const std::lock_guard lock(keeper.mutex);
  keeper.kept.push_back(std::move(retired));
  const auto ended = std::stable_partition(keeper.kept.begin(), keeper.kept.end(), [](const Retired& one) {
    return !std::all_of(one.goals.begin(), one.goals.end(), IsReached);
  });
  std::move(ended, keeper.kept.end(), std::back_inserter(freed));
  keeper.kept.erase(ended, keeper.kept.end());
}

}  // namespace softhccl::comm
