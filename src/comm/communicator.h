// A communicator: one rank's view of a group of ranks, and the owner of everything that operators acquire from it:
// threads, channels, the HcclBuffer, engine contexts. Control plane only; the data plane holds pointers to links and
// streams and never takes a communicator lock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "bootstrap/group.h"
#include "bootstrap/rank_table.h"
#include "comm/barrier.h"
#include "comm/contexts.h"
#include "comm/exchange_info.h"
#include "comm/memories.h"
#include "comm/objects.h"
#include "comm/rank_graph.h"
#include "comm/teams.h"
#include "comm/threads.h"
#include "comm/window.h"
#include "engine/runtime.h"
#include "exec/abort_domain.h"
#include "exec/host_wait.h"
#include "transport/link.h"
#include "transport/region.h"

namespace softhccl::comm {

// What a channel request asks for.
struct ChannelRequest {
  std::uint32_t remote_rank = 0;
  int protocol = -1;
  std::uint32_t notify_count = 0;
  std::vector<std::uint64_t> memories = {};  // handles of registered memory that the peer may reach
};

// Any thread. Acquire calls of one communicator are serialised.
class Communicator {
 public:
  static constexpr std::uint32_t kMaxChannelNotifies = 64;  // per channel
  static constexpr std::size_t kMaxTag = 255;
  static constexpr std::size_t kStagingWindow = 4 * 1024 * 1024;  // bytes of the HcclBuffer committed with a channel

  struct Options {
    std::string name;  // empty: the group's identifier
    std::uint64_t buffer_mib = 200;
    base::Nanos connect_limit = 0;
    double exec_timeout_s = 1836;             // of waits without a limit of their own; 0: for ever
    std::string algorithm;                    // told back, without effect
    std::uint64_t symmetric_stride_gib = 16;  // address range of a rank's symmetric windows
    std::vector<int> devices;                 // by rank; empty: where the ranks say they are when they join
    bool waits_for_all = true;                // creation returns when all ranks have come
    bool releases_device = false;             // destroying it resets its device once
    // Where the ranks live; null when nobody said.
    std::shared_ptr<const bootstrap::RankTable> table;
    // Made of a parent's ranks: their numbers there, by own rank. Empty: no parent.
    std::vector<std::uint32_t> parent_ranks;
  };

  // Joins the group as `rank`, and waits for the others if the options say so. A rank that fails before it has joined
  // tells the others.
  static base::Result<std::shared_ptr<Communicator>> Create(std::shared_ptr<bootstrap::Group> group, std::uint32_t rank,
                                                            std::uint32_t size, int device, Options options);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const std::string& name() const { return name_; }
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  int device() const { return device_; }
  exec::Party party() const { return {group_->domain(), rank_}; }
  const RankGraph& rank_graph() const { return graph_; }
  KeptArrays& kept_arrays() { return kept_arrays_; }
  const SymmetricWindows& windows() const { return windows_; }
  const transport::Region& buffer() const { return *buffer_; }
  const Options& options() const { return options_; }
  bootstrap::Group& group() const { return *group_; }

  enum class State { kReady, kSuspended, kAborted };
  State state() const;
  // While it is suspended nothing can be acquired (kSuspended). Errors: kInvalidParam when it is suspended already,
  // and for Resume when it is not; kRemote when it was aborted.
  base::Status Suspend();
  base::Status Resume();

  // Ok, or why nothing can be acquired any more.
  base::Status CheckUsable() const;
  CommThreads& threads() { return threads_; }
  EngineContexts& contexts() { return contexts_; }
  MemoryRegistry& memories() { return memories_; }
  ExchangeInfo& exchange_info() { return exchange_info_; }
  // Makes every byte of the own buffer 0.
  void ClearBuffer() { buffer_->Clear(); }

  // As CommThreads::Acquire, while the communicator is usable.
  base::Result<std::vector<std::uint64_t>> AcquireThreads(int engine, std::uint32_t count, std::uint32_t notifies);

  // One channel per request. Blocks until the peers have asked for theirs. Errors: kTimeout naming the ranks that did
  // not come (channels to the others are kept), kRemote when the communicator is aborted or destroyed meanwhile, or
  // when a peer has destroyed its own.
  base::Result<std::vector<std::uint64_t>> AcquireChannels(int engine, const std::vector<ChannelRequest>& requests);
  // The peer's buffer as this rank addresses it. Errors: kInvalidParam when the channel is not of this communicator.
  base::Result<transport::Window> PeerBuffer(std::uint64_t channel) const;
  // The channel, which must be of this communicator. Errors: kInvalidHandle, kInvalidParam.
  base::Result<Channel*> FindChannel(std::uint64_t channel) const;
  // The handles that AcquireChannels gave for these requests; 0 where there is none. Never blocks.
  std::vector<std::uint64_t> QueryChannels(int engine, const std::vector<ChannelRequest>& requests) const;
  // Destroys this end; the next acquire of the same channel waits until the peer has destroyed its own. Errors:
  // kNotFound when it is no channel of this communicator.
  base::Status DestroyChannel(std::uint64_t channel);
  // The buffer of any rank, without a channel. Errors: kInvalidParam, kRemote when the rank has left.
  base::Result<transport::Window> BufferOf(std::uint64_t rank);

  // As EngineContexts::Create, while the communicator is usable.
  base::Result<std::byte*> CreateContext(const std::string& tag, int engine, std::uint64_t size);
  base::Result<EngineContexts::Context> FindContext(const std::string& tag, int engine) const;

  // As those of SymmetricWindows; besides, channels accept addresses in the peers' windows.
  base::Result<std::uint64_t> RegisterWindow(std::byte* data, std::size_t size);
  base::Status DeregisterWindow(std::uint64_t handle);
  // As those of Teams, likewise.
  base::Result<std::shared_ptr<Team>> CreateTeam(const Teams::Request& request);
  base::Status DestroyTeam(const std::shared_ptr<Team>& team);
  base::Result<std::shared_ptr<TeamWindow>> RegisterTeamWindow(const std::shared_ptr<const Team>& team,
                                                               memory::Space space, std::byte* data, std::size_t size,
                                                               std::size_t entity_bytes);
  base::Status DeregisterTeamWindow(const std::shared_ptr<TeamWindow>& window);

  // As Barriers::Queue, while the communicator is usable.
  base::Status QueueBarrier(exec::Stream& stream, const void* call_site);

  // Exclusive use by one kernel launch. Blocks the calling kernel thread while another launch holds it. Errors:
  // kInvalidParam when this launch holds it already, kRemote when the communicator was aborted or destroyed.
  base::Status Acquire(engine::LaunchContext& launch);
  // No effect when this launch does not hold it.
  void ReleaseBy(engine::LaunchContext& launch);
  // From here on every call is refused, and blocked ones end. False while a kernel holds the communicator.
  bool BeginShutdown();
  // Ends what is pending and gives everything back. Called once, after BeginShutdown, before the last reference goes.
  void Shutdown();

 private:
  Communicator(std::shared_ptr<bootstrap::Group> group, std::uint32_t rank, std::uint32_t size, int device,
               Options options);

  base::Status Prepare();
  base::Status JoinGroup();
  base::Status MakeGraph(const std::vector<int>& devices);
  using ChannelId = std::tuple<int, std::uint32_t, int, std::uint32_t>;  // engine, peer, protocol, occurrence
  struct PendingChannel;
  base::Result<PendingChannel> OfferChannel(const ChannelId& id, const ChannelRequest& request);
  base::Status ConnectChannel(PendingChannel* pending, base::Nanos deadline);
  base::Status ConnectAll(std::vector<PendingChannel>* pending, base::Nanos deadline, exec::ScopedHostWait& wait);
  base::Status AwaitConfirmations(const std::vector<PendingChannel>& pending, base::Nanos deadline,
                                  exec::ScopedHostWait& wait) const;
  base::Status CheckPeer(std::uint32_t rank) const;
  base::Status MissingEnds(const std::vector<PendingChannel>& pending) const;
  // The streams of its threads, channels and barriers. Under mutex_.
  std::vector<exec::Stream*> OwnStreams() const;
  base::Status CheckNotSuspended() const;
  void WithdrawOffer(PendingChannel* pending);
  base::Result<std::uint64_t> PublishEnd(PendingChannel* pending);
  // Appended to a channel's key when that end is connected.
  static constexpr const char* kConnected = "/connected";
  // Where every rank tells the id of its buffer.
  static std::string BufferKey(std::uint32_t rank);
  // `generation`: how often this end was destroyed before.
  std::string ChannelKey(const ChannelId& id, std::uint32_t from, std::uint32_t generation) const;
  std::uint32_t GenerationOf(const ChannelId& id) const;
  // The channel of every request: its peer, protocol and place among equal ones.
  static std::vector<ChannelId> Identify(int engine, const std::vector<ChannelRequest>& requests);
  // Lets ops on the link name addresses in the peer's windows.
  void AddWindows(std::uint32_t peer, transport::Link* link) const;
  void TellChannels(const std::function<void(std::uint32_t peer, transport::Link& link)>& news) const;
  void AddWindowsToChannels() const;
  // `pieces` of `ranks`, one each.
  void RemoveFromChannels(const std::vector<std::uint32_t>& ranks, const std::vector<transport::Window>& pieces) const;
  // The existing channel, or 0; warns when it has less than is asked for.
  std::uint64_t FindExisting(const ChannelId& id, const ChannelRequest& request) const;

  const std::shared_ptr<bootstrap::Group> group_;
  const std::uint32_t rank_;
  const std::uint32_t size_;
  const int device_;
  const Options options_;
  const std::string name_;
  const base::Nanos connect_limit_;
  std::atomic<bool> suspended_{false};
  std::shared_ptr<transport::Region> buffer_;
  RankGraph graph_;  // set before anybody sees the communicator
  KeptArrays kept_arrays_;
  SymmetricWindows windows_;
  Teams teams_;

  std::mutex acquire_mutex_;  // serialises acquire calls; held while they block
  mutable std::mutex mutex_;
  std::map<ChannelId, std::uint64_t> channels_;   // guarded by mutex_
  std::map<ChannelId, std::uint32_t> destroyed_;  // guarded by mutex_: how often this end was destroyed
  std::map<std::uint32_t, std::shared_ptr<transport::Region>> buffers_;  // guarded by mutex_, by rank
  std::vector<std::unique_ptr<transport::Link>> destroyed_links_;        // guarded by mutex_: threads may use them yet
  CommThreads threads_;
  EngineContexts contexts_;
  MemoryRegistry memories_;
  ExchangeInfo exchange_info_;
  Barriers barriers_;

  mutable std::mutex lock_mutex_;
  std::condition_variable lock_free_;
  std::string lock_holder_name_;       // guarded by lock_mutex_: for reports
  const void* lock_holder_ = nullptr;  // guarded by lock_mutex_: the launch context that holds the communicator
  bool shut_down_ = false;             // guarded by lock_mutex_
};

}  // namespace softhccl::comm
