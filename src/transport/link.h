// A link moves bytes and records between two ranks. Operations of one stream on one link take effect in order, and a
// write followed by a record makes the data visible before the record. Every data-plane primitive is made of the
// verbs below; a transport implements them once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "exec/abort_domain.h"
#include "exec/op.h"
#include "exec/scheduler.h"

namespace softhccl::transport {

// What one end tells the other when they connect. Opaque to everybody but the transport that made it.
using Blob = std::string;

// What an end offers: its buffer and the notifies the peer may record.
struct EndpointOffer {
  std::uint64_t region_id = 0;
  std::vector<std::uint64_t> notifies;  // handles, by index
};

// A piece of the peer's memory as this rank addresses it. Pointer arithmetic inside it is allowed.
struct Window {
  std::byte* data = nullptr;
  std::size_t size = 0;
  std::string name = "the HcclBuffer";  // for messages
  std::shared_ptr<const void> owner;    // keeps the memory alive, if it needs to be kept

  // The same memory under the same name; two kinds of windows may begin at one address.
  bool IsSame(const Window& other) const { return data == other.data && size == other.size && name == other.name; }
};

struct Reduction;

// One direction pair between two ranks. Verbs are called by the executor that runs the op; they never block:
// kAgain means "a quantum is over" with *done advanced, kSuspended that the context's ticket will be resumed.
// Windows may be added and removed by any thread while ops are checked.
class Link {
 public:
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // How messages call the peer: "rank 3". Before others see the link.
  void set_peer_name(std::string name) { peer_name_ = std::move(name); }

  // Whom it connects. Before others see the link.
  void set_ends(const exec::ChannelEnds& ends) { ends_ = ends; }
  const exec::ChannelEnds& ends() const { return ends_; }

  // The first window: the peer's HcclBuffer.
  const Window& window() const { return windows_.load()->front(); }
  const std::vector<Window>& windows() const { return *windows_.load(); }
  // What was removed is kept until the link goes, because an op may be using it.
  void AddWindow(Window window);
  // False when no window begins at `data`, or when it is the first.
  bool RemoveWindow(const Window& window);
  // Ok when [address, address + size) lies in one of the windows. Errors: kInvalidParam naming `argument`, both
  // sizes and the nearest window.
  base::Status CheckRemote(const char* argument, const void* address, std::uint64_t size) const;

  // Graphs hold the links that their recorded ops use: those are not freed before, and not used any more once retired,
  // which is when their channel goes.
  void Hold() {
    was_held_.store(true);
    holders_.fetch_add(1);
  }
  void Release() { holders_.fetch_sub(1); }
  bool is_held() const { return holders_.load() != 0; }
  bool was_held() const { return was_held_.load(); }
  void Retire() { is_retired_.store(true); }
  bool is_retired() const { return is_retired_.load(); }

  virtual std::uint32_t peer_notify_count() const = 0;
  // Handle of the peer's notify `index`, for footprints; 0 when it lives in another process.
  virtual std::uint64_t peer_notify(std::uint32_t index) const = 0;

  // Copies `size` bytes from the window address `from` to local memory, or combines them with what is there when
  // `reduction` is not null; *done is the progress, 0 at first.
  virtual exec::OpOutcome Read(exec::OpContext& context, std::byte* to, const std::byte* from, std::size_t size,
                               const Reduction* reduction, std::uint64_t* done) = 0;
  // The same from local memory to the window address `to`; a reduction is carried out at the target.
  virtual exec::OpOutcome Write(exec::OpContext& context, std::byte* to, const std::byte* from, std::size_t size,
                                const Reduction* reduction, std::uint64_t* done) = 0;
  // Done when everything that was read and written through this link before is complete at both ends.
  virtual exec::OpOutcome Complete(exec::OpContext& context) = 0;
  // Sets the peer's notify `index`.
  virtual exec::OpOutcome Record(exec::OpContext& context, const exec::Op& op, std::uint32_t index) = 0;
  // The op that should have recorded was skipped because of `cause`: the peer's wait must fail, not hang.
  virtual void RecordFailure(exec::Scheduler& scheduler, std::uint32_t index, const base::Status& cause) = 0;

 protected:
  explicit Link(Window first);

 private:
  void PublishLocked(std::vector<Window> windows);

  std::string peer_name_ = "the peer";
  exec::ChannelEnds ends_;
  std::atomic<std::uint32_t> holders_{0};
  std::atomic<bool> was_held_{false};
  std::atomic<bool> is_retired_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const std::vector<Window>>> lists_;  // guarded by mutex_: the newest is in use
  std::atomic<const std::vector<Window>*> windows_{nullptr};
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual const char* name() const = 0;
  // Describes this end for the peer.
  virtual Blob Describe(const EndpointOffer& offer) const = 0;
  // Ok, or why this transport does not reach the peer that made the blob.
  virtual base::Status CanReach(const Blob& peer) const = 0;
  virtual base::Result<std::unique_ptr<Link>> Connect(const Blob& peer) const = 0;
};

// All transports in order of preference.
const std::vector<std::unique_ptr<Transport>>& Transports();

// Describes this end for every transport, and connects by the first one that reaches a peer described so.
// Errors: kNotSupported with each transport's reason.
Blob DescribeForAll(const EndpointOffer& offer);
base::Result<std::unique_ptr<Link>> ConnectByFirst(const Blob& peer);

// Moves at most one quantum and advances *done: kDone or kAgain. The ranges may overlap. The one copy loop of the
// project.
exec::OpOutcome CopyQuantum(std::byte* to, const std::byte* from, std::size_t size, std::uint64_t* done);

}  // namespace softhccl::transport
