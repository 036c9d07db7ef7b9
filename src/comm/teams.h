// The teams of one rank of a communicator: how they come to be and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "comm/meeting.h"
#include "comm/team.h"
#include "transport/link.h"

namespace softhccl::comm {

// Any thread. Calls that wait for other ranks are serialised, and all members make them in the same order.
class Teams {
 public:
  // What it needs of its communicator. The members of `party` are all ranks.
  struct Owner {
    MeetingParty party;
    std::string name;
    int device = -1;
  };

  explicit Teams(Owner owner) : owner_(std::move(owner)) {}
  ~Teams() { Close(); }
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  struct Request {
    std::shared_ptr<const Team> world;  // null: this becomes a world team
    std::vector<std::uint32_t> ranks;   // of the communicator, this one among them
    TeamSyncCounts counts;
    std::size_t entity_bytes = 0;  // of the structure that the handle is the address of
  };
  // Collective over the ranks of the request. The structure is all 0. Errors: kInvalidParam when the ranks do not fit
  // each other or the world team, or when members ask for different counts (on all members); kOutOfMemory; kTimeout
  // naming the missing ranks; kRemote.
  base::Result<std::shared_ptr<Team>> Create(const Request& request);
  // Collective: when it returns no member uses the team. The handle is stale whatever the answer is. Errors:
  // kInvalidHandle, kAgain while sub-teams or windows need it (the handle stays good), kTimeout.
  base::Status Destroy(const std::shared_ptr<Team>& team);

  // Collective over the world team `team`; each member brings memory of any size. Errors: kInvalidParam for memory that
  // is not what `space` says; those of Create.
  base::Result<std::shared_ptr<TeamWindow>> Register(const std::shared_ptr<const Team>& team, memory::Space space,
                                                     std::byte* data, std::size_t size, std::size_t entity_bytes);
  // Collective: when it returns no member uses the window. Errors: kInvalidHandle, kTimeout.
  base::Status Deregister(const std::shared_ptr<TeamWindow>& window);

  // What of `rank` this rank may reach by them: memory to synchronise in, and windows.
  std::vector<transport::Window> PiecesOf(std::uint32_t rank) const;
  // The same of one team or window, by member; none for a team that synchronises with nothing.
  static std::vector<transport::Window> PiecesOf(const Team& team);
  static std::vector<transport::Window> PiecesOf(const TeamWindow& window);
  // Makes all handles stale. Before the communicator goes.
  void Close();

 private:
  base::Status CheckRanks(const Request& request) const;
  // The team as far as it can be made without the others.
  base::Result<std::shared_ptr<Team>> Prepare(const Request& request) const;
  base::Status Complete(const std::map<std::uint32_t, std::string>& parts, Team* team) const;
  MeetingParty PartyOf(const std::vector<std::uint32_t>& ranks) const;
  // The n-th meeting of its kind has a key of its own.
  std::string NextKey(const std::string& kind);
  base::Result<std::shared_ptr<transport::Region>> Allocate(std::size_t bytes, const char* purpose) const;

  const Owner owner_;
  std::mutex collective_mutex_;                // held while a collective call blocks
  std::map<std::string, std::uint64_t> made_;  // guarded by collective_mutex_: meetings that took place, by kind
};

}  // namespace softhccl::comm
