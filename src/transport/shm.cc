// The shared-memory transport: the window is the peer's memory itself. It reaches ranks of this process; ranks of
// other processes follow when arenas are exchanged between processes.
#include "transport/shm.h"

#include <cstring>

#include "event/labels.h"
#include "exec/notify.h"
#include "memory/arena.h"
#include "memory/memory.h"
#include "transport/accumulate.h"
#include "transport/region.h"

namespace softhccl::transport {
namespace {

using base::Code;
using exec::OpOutcome;

// First fields of a blob; followed by the notify handles.
struct BlobHeader {
  std::uint64_t arena = 0;  // identifies the process
  std::uint64_t region = 0;
  std::uint64_t notify_count = 0;
};

class ShmLink final : public Link {
 public:
  ShmLink(std::shared_ptr<Region> region, std::vector<std::uint64_t> notifies)
      : Link(WindowOf(region)), notifies_(std::move(notifies)) {}

  std::uint32_t peer_notify_count() const override { return static_cast<std::uint32_t>(notifies_.size()); }

  std::uint64_t peer_notify(std::uint32_t index) const override { return notifies_[index]; }

  OpOutcome Read(exec::OpContext&, std::byte* to, const std::byte* from, std::size_t size, const Reduction* reduction,
                 std::uint64_t* done) override {
    return Move(to, from, size, reduction, done);
  }

  OpOutcome Write(exec::OpContext&, std::byte* to, const std::byte* from, std::size_t size, const Reduction* reduction,
                  std::uint64_t* done) override {
    return Move(to, from, size, reduction, done);
  }

  OpOutcome Complete(exec::OpContext&) override { return OpOutcome::kDone; }  // the verbs above have done it

  OpOutcome Record(exec::OpContext& context, const exec::Op& op, std::uint32_t index) override {
    exec::Notify* notify = context.scheduler().notifies().Lookup(notifies_[index]);
    if (notify == nullptr) {
      return context.Fail(
          base::Fail(Code::kRemote, "the peer destroyed its end of the channel: notify {} is gone", index));
    }
    notify->Record(context, op);
    return OpOutcome::kDone;
  }

  void RecordFailure(exec::Scheduler& scheduler, std::uint32_t index, const base::Status& cause) override {
    if (exec::Notify* notify = scheduler.notifies().Lookup(notifies_[index])) notify->RecordFailure(cause);
  }

 private:
  static Window WindowOf(const std::shared_ptr<Region>& region) {
    Window window;
    window.data = region->data();
    window.size = region->size();
    window.owner = region;
    return window;
  }

  static OpOutcome Move(std::byte* to, const std::byte* from, std::size_t size, const Reduction* reduction,
                        std::uint64_t* done) {
    if (reduction == nullptr) return CopyQuantum(to, from, size, done);
    return AccumulateQuantum(to, from, size, *reduction, done);
  }

  std::vector<std::uint64_t> notifies_;
};

class ShmTransport final : public Transport {
 public:
  const char* name() const override { return "shm"; }

  Blob Describe(const EndpointOffer& offer) const override {
    const BlobHeader header{memory::DataArena().id(), offer.region_id, offer.notifies.size()};
    Blob blob(sizeof header + offer.notifies.size() * sizeof(std::uint64_t), '\0');
    std::memcpy(blob.data(), &header, sizeof header);
    if (!offer.notifies.empty()) {
      std::memcpy(blob.data() + sizeof header, offer.notifies.data(), offer.notifies.size() * sizeof(std::uint64_t));
    }
    return blob;
  }

  base::Status CanReach(const Blob& peer) const override {
    BlobHeader header;
    if (peer.size() < sizeof header) return base::Fail(Code::kInternal, "shm: the peer's description is too short");
    std::memcpy(&header, peer.data(), sizeof header);
    // Divided, not multiplied: a foreign count must not overflow into a size that fits.
    const std::size_t rest = peer.size() - sizeof header;
    if (rest % sizeof(std::uint64_t) != 0 || rest / sizeof(std::uint64_t) != header.notify_count) {
      return base::Fail(Code::kInternal, "shm: the peer's description has {} bytes, not those of {} notifies",
                        peer.size(), header.notify_count);
    }
    if (header.arena != memory::DataArena().id()) {
      return base::Fail(Code::kNotSupported, "shm: the peer is in another process");
    }
    return {};
  }

  base::Result<std::unique_ptr<Link>> Connect(const Blob& peer) const override {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(CanReach(peer));
    BlobHeader header;
    std::memcpy(&header, peer.data(), sizeof header);
    std::vector<std::uint64_t> notifies(header.notify_count);
    if (!notifies.empty()) {
      std::memcpy(notifies.data(), peer.data() + sizeof header, notifies.size() * sizeof(std::uint64_t));
    }
    auto region = Region::Find(header.region);
    if (region == nullptr) return base::FailResult(Code::kRemote, "shm: the peer has destroyed its communicator");
    return std::unique_ptr<Link>(new ShmLink(region, std::move(notifies)));
  }
};

}  // namespace

std::unique_ptr<Transport> MakeShmTransport() { return std::make_unique<ShmTransport>(); }

}  // namespace softhccl::transport
