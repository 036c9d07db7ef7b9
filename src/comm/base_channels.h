// Channels between endpoints, without a communicator. Both sides create their end whenever they like; the second one
// connects both.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "comm/endpoint.h"
#include "comm/objects.h"

namespace softhccl::comm {

// What a description of a channel asks for.
struct BaseChannelRequest {
  std::string remote;  // identity of the other endpoint
  std::string name;
  int role = -1;           // HcommSocketRole
  std::uint32_t port = 0;  // kListenPort when nothing is said
  std::uint32_t notify_count = 0;
  std::vector<std::uint64_t> memories;  // handles the other side may reach
};

// Any thread.
class BaseChannels {
 public:
  static BaseChannels& Get();

  // How far a channel is, as HcommChannelGetStatus answers.
  enum class State : std::int32_t { kReady = 0, kWaiting = 1, kFailed = 2, kTimedOut = 3 };

  // One end per request, or none. `limit` ns until an end that nobody answers counts as timed out.
  base::Result<std::vector<std::uint64_t>> Create(const std::shared_ptr<Endpoint>& endpoint, int engine,
                                                  const std::vector<BaseChannelRequest>& requests, base::Nanos limit);
  // Errors: kInvalidHandle, kInvalidParam when it is a communicator's.
  base::Result<State> StateOf(std::uint64_t handle, const std::string& argument) const;
  base::Status Destroy(std::uint64_t handle, const std::string& argument);
  std::size_t CountOf(const Endpoint* endpoint) const;

  // Memory was imported by `endpoint`, or is imported no more: its channels to the exporter reach it, or do not.
  void AddWindow(const Endpoint& endpoint, const std::string& exporter, const transport::Window& window);
  void RemoveWindow(const Endpoint& endpoint, const std::string& exporter, const transport::Window& window);

 private:
  struct End {
    std::shared_ptr<Endpoint> endpoint;
    std::string wanted;  // what the other end must offer: see KeyOf
    std::string own;
    int role = -1;
    std::string offer;
    std::vector<std::uint64_t> memories;
    std::string remote;
    base::Nanos deadline = 0;
    State state = State::kWaiting;
  };

  static std::string KeyOf(const std::string& from, const std::string& to, const BaseChannelRequest& request);
  base::Result<std::uint64_t> CreateLocked(const std::shared_ptr<Endpoint>& endpoint, int engine,
                                           const BaseChannelRequest& request, base::Nanos deadline);
  void DestroyLocked(std::uint64_t handle);
  // Connects `handle` with the oldest end that waits for it.
  void PairLocked(std::uint64_t handle);
  // Makes the link of `handle` to the other end.
  static base::Status Connect(std::uint64_t handle, const End& end, const std::string& other_offer);
  base::Result<const End*> FindLocked(std::uint64_t handle, const std::string& argument) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, End> ends_;   // guarded by mutex_, by channel handle
  std::vector<std::uint64_t> waiting_;  // guarded by mutex_: oldest first
};

}  // namespace softhccl::comm
