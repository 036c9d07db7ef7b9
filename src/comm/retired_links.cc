// A snapshot of the streams tells when the last op that may know a link has been completed or skipped.
#include "comm/retired_links.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/handle.h"
#include "engine/open_work.h"
#include "engine/runtime.h"
#include "exec/slot_handle.h"

namespace softhccl::comm {
namespace {

// A stream's handle, and how many ops it must have completed.
using Goal = std::pair<std::uint64_t, std::uint64_t>;

struct Retired {
  std::vector<Goal> goals;
  bool may_be_issued = false;  // by a batch, kernel or graph; its streams are not among the goals yet
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

// A stream that is being destroyed still skips its ops; once its slot has another one, they are gone.
bool IsReached(const Goal& goal) {
  exec::Stream* stream = engine::Runtime::Get().scheduler().streams().At(base::HandleBits{goal.first}.index());
  return exec::HandleInSlot(*stream) != goal.first || stream->completed() >= goal.second;
}

void AddGoals(const std::vector<std::uint64_t>& users, std::vector<Goal>* goals) {
  for (const std::uint64_t user : users) {
    const exec::Stream* stream = engine::Runtime::Get().scheduler().streams().Lookup(user);
    if (stream == nullptr) continue;
    const std::uint64_t submitted = stream->submitted();
    if (stream->completed() != submitted) goals->emplace_back(user, submitted);
  }
}

bool MayBeIssued(const Retired& retired) {
  return engine::HasOpenWork() || std::any_of(retired.links.begin(), retired.links.end(),
                                              [](const auto& link) { return link != nullptr && link->is_held(); });
}

bool IsFree(Retired& retired) {
  if (retired.may_be_issued && !MayBeIssued(retired)) {
    AddGoals(AllStreams(), &retired.goals);
    retired.may_be_issued = false;
  }
  return !retired.may_be_issued && std::all_of(retired.goals.begin(), retired.goals.end(), IsReached);
}

}  // namespace

std::vector<std::uint64_t> AllStreams() {
  std::vector<std::uint64_t> all;
  engine::Runtime::Get().scheduler().streams().ForEach(
      [&](std::uint64_t handle, const exec::Stream&) { all.push_back(handle); });
  return all;
}

void RetireLinks(std::vector<std::unique_ptr<transport::Link>> links, const std::vector<std::uint64_t>& users) {
  Retired retired;
  bool was_held = false;  // by a graph, whose replays may be on any stream
  for (const auto& link : links) {
    was_held = was_held || (link != nullptr && link->was_held());
  }
  retired.links = std::move(links);
  // Before the goals: what ends in between has submitted its ops by then. Nobody who begins now finds the links.
  retired.may_be_issued = MayBeIssued(retired);
  AddGoals(was_held ? AllStreams() : users, &retired.goals);
  {
    const std::lock_guard lock(TheKeeper().mutex);
    TheKeeper().kept.push_back(std::move(retired));
  }
  FreeRetiredLinks();
}

void FreeRetiredLinks() {
  std::vector<Retired> freed;  // after the lock is gone
  Keeper& keeper = TheKeeper();
  const std::lock_guard lock(keeper.mutex);
  const auto ended =
      std::stable_partition(keeper.kept.begin(), keeper.kept.end(), [](Retired& one) { return !IsFree(one); });
  std::move(ended, keeper.kept.end(), std::back_inserter(freed));
  keeper.kept.erase(ended, keeper.kept.end());
}

}  // namespace softhccl::comm
