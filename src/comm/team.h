// Teams: ordered ranks of a communicator that kernels address as a group, with memory to synchronise in, windows and
// channels. What C programs hold of a team or window is the address of a structure in device memory, because kernels
// read it there; so it is looked up in a table and never dereferenced on trust. The structure is the interface's: who
// makes a team says how large it is and fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "transport/region.h"

namespace softhccl::comm {

// What the ranks of a team synchronise with.
struct TeamSyncCounts {
  std::uint32_t signals = 0;
  std::uint32_t counters = 0;
  std::uint32_t barriers = 0;

  // A word of 8 bytes for each signal and counter, and one for each member of each barrier; 64 bytes are the unit.
  std::size_t BytesFor(std::size_t members) const;
};

// Immutable but for its channels, which are guarded by the table.
struct Team {
  const void* owner = nullptr;  // the communicator's Teams
  std::string key;              // unique in the group, equal on all members
  std::string communicator;
  int device = -1;
  std::vector<std::uint32_t> ranks;      // of the communicator, by member
  std::uint32_t self = 0;                // this rank's place among them
  std::shared_ptr<const Team> world;     // null: it is a world team itself
  std::vector<std::uint32_t> world_ids;  // the members' places in the world team
  TeamSyncCounts counts;
  std::vector<std::shared_ptr<transport::Region>> sync;  // by member; empty when nothing was asked for
  std::shared_ptr<transport::Region> shadow;             // of the size of one; for this rank alone; may be null
  std::shared_ptr<transport::Region> entity;             // the structure, and what it points to
  std::shared_ptr<transport::Region> channels;           // handles, by member; null: none yet

  const Team& world_team() const { return world == nullptr ? *this : *world; }
  std::uint64_t handle() const { return reinterpret_cast<std::uint64_t>(entity->data()); }
};

// A piece of memory of every member of a world team. Immutable.
struct TeamWindow {
  std::string key;
  std::shared_ptr<const Team> team;
  std::vector<std::shared_ptr<transport::Region>> pieces;  // by member
  std::shared_ptr<transport::Region> entity;

  std::uint64_t handle() const { return reinterpret_cast<std::uint64_t>(entity->data()); }
};

// All teams and windows of the process, by handle. Any thread.
class TeamTable {
 public:
  static TeamTable& Get();

  void Add(std::shared_ptr<Team> team);
  void Add(std::shared_ptr<TeamWindow> window);
  // Errors: kInvalidHandle, saying what it is instead.
  base::Result<std::shared_ptr<Team>> FindTeam(std::uint64_t handle, const char* argument) const;
  base::Result<std::shared_ptr<TeamWindow>> FindWindow(std::uint64_t handle, const char* argument) const;
  // False when it was removed already.
  bool Remove(const Team& team);
  bool Remove(const TeamWindow& window);
  // What holds the team: sub-teams and windows.
  std::size_t UsersOf(const Team& team) const;
  // The teams and windows of one owner.
  std::vector<std::shared_ptr<Team>> TeamsOf(const void* owner) const;
  std::vector<std::shared_ptr<TeamWindow>> WindowsOf(const void* owner) const;
  // The owner is gone, and everything of it.
  void RemoveAllOf(const void* owner);
  // Errors: kInvalidParam when it has channels.
  base::Status CheckHasNoChannels(const Team& team) const;
  base::Status SetChannels(Team& team, std::shared_ptr<transport::Region> channels);

 private:
  // A handle that is gone. Its memory is not used again at once, so that the address stays a stale handle.
  struct Retired {
    std::shared_ptr<transport::Region> entity;
    const void* owner = nullptr;
  };
  void RetireLocked(Retired retired);
  static base::Status CheckHasNoChannelsLocked(const Team& team);
  std::string DescribeLocked(std::uint64_t handle, const char* wanted) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Team>> teams_;          // guarded by mutex_
  std::map<std::uint64_t, std::shared_ptr<TeamWindow>> windows_;  // guarded by mutex_
  std::deque<Retired> retired_;                                   // guarded by mutex_
};

}  // namespace softhccl::comm
