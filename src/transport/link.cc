// The table of transports, choosing among them, and the copy loop they share.
#include "transport/link.h"

#include <algorithm>
#include <cstring>

#include "transport/shm.h"

namespace softhccl::transport {
namespace {

constexpr std::size_t kCopyQuantum = 256 * 1024;  // bytes between two looks at the clock

// A description for all: per transport a length and its blob, in table order.
void AppendBlob(Blob* all, const Blob& one) {
  const std::uint64_t size = one.size();
  all->append(reinterpret_cast<const char*>(&size), sizeof size);
  all->append(one);
}

base::Result<Blob> TakeBlob(const Blob& all, std::size_t* position) {
  std::uint64_t size = 0;
  if (all.size() - *position < sizeof size) {
    return base::FailResult(base::Code::kInternal, "the peer's description is cut short");
  }
  std::memcpy(&size, all.data() + *position, sizeof size);
  *position += sizeof size;
  if (all.size() - *position < size) {
    return base::FailResult(base::Code::kInternal, "the peer's description is cut short");
  }
  Blob one = all.substr(*position, size);
  *position += size;
  return one;
}

}  // namespace

const std::vector<std::unique_ptr<Transport>>& Transports() {
  static const auto* transports = [] {
    auto* table = new std::vector<std::unique_ptr<Transport>>;
    table->push_back(MakeShmTransport());
    return table;
  }();
  return *transports;
}

Blob DescribeForAll(const EndpointOffer& offer) {
  Blob all;
  for (const auto& transport : Transports()) AppendBlob(&all, transport->Describe(offer));
  return all;
}

base::Result<std::unique_ptr<Link>> ConnectByFirst(const Blob& peer) {
  std::size_t position = 0;
  std::string reasons;
  for (const auto& transport : Transports()) {
    auto blob = TakeBlob(peer, &position);
    if (!blob) return tl::unexpected(blob.error());
    const base::Status reach = transport->CanReach(*blob);
    if (reach.ok()) return transport->Connect(*blob);
    reasons += (reasons.empty() ? "" : "; ") + reach.message();
  }
  return base::FailResult(base::Code::kNotSupported, "no transport reaches the peer ({})", reasons);
}

// --- Windows -----------------------------------------------------------------------------------------------------

Link::Link(Window first) {
  const std::lock_guard lock(mutex_);
  PublishLocked({std::move(first)});
}

void Link::PublishLocked(std::vector<Window> windows) {
  lists_.push_back(std::make_unique<const std::vector<Window>>(std::move(windows)));
  windows_.store(lists_.back().get());
}

void Link::AddWindow(Window window) {
  const std::lock_guard lock(mutex_);
  std::vector<Window> next = *windows_.load();
  next.push_back(std::move(window));
  PublishLocked(std::move(next));
}

bool Link::RemoveWindow(const Window& window) {
  const std::lock_guard lock(mutex_);
  std::vector<Window> next = *windows_.load();
  const auto found = std::find_if(next.begin() + 1, next.end(), [&](const Window& one) { return one.IsSame(window); });
  if (found == next.end()) return false;
  next.erase(found);
  PublishLocked(std::move(next));
  return true;
}

base::Status Link::CheckRemote(const char* argument, const void* address, std::uint64_t size) const {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const std::vector<Window>& all = windows();
  const Window* nearest = &all.front();
  for (const Window& window : all) {
    const auto begin = reinterpret_cast<std::uintptr_t>(window.data);
    if (start < begin || start - begin > window.size) continue;
    if (size <= window.size - (start - begin)) return {};
    nearest = &window;
  }
  const std::string others =
      all.size() > 1 ? fmt::format(" and {} other range{} that it offers", all.size() - 1, all.size() == 2 ? "" : "s")
                     : std::string();
  return base::Fail(base::Code::kInvalidParam,
                    "{} {} with {} bytes is outside {} of {} ({} bytes at {}){}; use addresses from "
                    "HcclChannelGetHcclBuffer or HcclChannelGetRemoteMems",
                    argument, fmt::ptr(address), size, nearest->name, peer_name_, nearest->size,
                    fmt::ptr(nearest->data), others);
}

exec::OpOutcome CopyQuantum(std::byte* to, const std::byte* from, std::size_t size, std::uint64_t* done) {
  const std::size_t left = size - *done;
  const std::size_t now = std::min(left, kCopyQuantum);
  // A target that begins inside its source is filled from the end: a later quantum would read what an earlier wrote.
  const std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  const std::size_t offset = ahead < size ? left - now : *done;
  if (now > 0 && to != from) std::memmove(to + offset, from + offset, now);
  *done += now;
  return *done == size ? exec::OpOutcome::kDone : exec::OpOutcome::kAgain;
}

}  // namespace softhccl::transport
