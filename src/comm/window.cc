// The n-th registration of a communicator is one meeting of its ranks, to which each brings address and size of its
// memory.
#include "comm/window.h"

#include <charconv>

#include "memory/memory.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;

std::string MeetingKey(std::uint64_t ordinal) { return fmt::format("window/{}", ordinal); }

std::string EncodePart(const std::byte* data, std::size_t size) {
  return fmt::format("{} {}", reinterpret_cast<std::uintptr_t>(data), size);
}

transport::Window DecodePart(const std::string& text) {
  std::uintptr_t address = 0;
  transport::Window part;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, address);
  static_cast<void>(std::from_chars(read.ptr + 1, end, part.size));  // our own text: nothing can be wrong with it
  part.data = reinterpret_cast<std::byte*>(address);
  part.name = "the symmetric window";
  return part;
}

}  // namespace

WindowSlab& Windows() {
  static auto* windows = new WindowSlab;  // handles may be looked up during static destruction
  return *windows;
}

base::Result<std::shared_ptr<const SymmetricWindow>> FindWindow(std::uint64_t handle) {
  auto slot = Windows().Get(handle, "winHandle");
  if (!slot) return tl::unexpected(slot.error());
  const std::lock_guard lock((*slot)->mutex);
  if ((*slot)->window != nullptr) return (*slot)->window;
  return base::FailResult(Code::kInvalidHandle, "winHandle 0x{:x} was deregistered at this moment", handle);
}

base::Result<std::byte*> PeerPointer(std::uint64_t handle, std::size_t offset, std::uint32_t peer) {
  auto window = FindWindow(handle);
  if (!window) return tl::unexpected(window.error());
  if (peer >= (*window)->pieces.size()) {
    return base::FailResult(Code::kInvalidParam, "peerRank {} is out of range, the window has {} ranks", peer,
                            (*window)->pieces.size());
  }
  const transport::Window& piece = (*window)->pieces[peer];
  if (offset >= piece.size) {
    return base::FailResult(Code::kInvalidParam, "offset {} is outside the window, which has {} bytes", offset,
                            piece.size);
  }
  std::byte* address = piece.data + offset;
  const Status alive = memory::Memory::Process().CheckRange(address, 1, "ptr");
  if (!alive.ok()) return tl::unexpected(Status(alive).While(fmt::format("addressing the window of rank {}", peer)));
  return address;
}

Status SymmetricWindows::CheckMemory(const std::byte* data, std::size_t size) const {
  if (size == 0) return base::Fail(Code::kInvalidParam, "size 0; a window holds at least one byte");
  const memory::Memory& memory = memory::Memory::Process();
  SOFTHCCL_RETURN_IF_ERROR(memory.CheckRange(data, size, "addr"));
  const auto allocation = memory.Resolve(data);
  if (!allocation || allocation->space != memory::Space::kDevice || allocation->device != owner_.device) {
    return base::Fail(Code::kInvalidParam,
                      "addr {} is {}, not memory of device {}; a window is device memory of its rank", fmt::ptr(data),
                      allocation ? fmt::format("{} of device {}",
                                               allocation->space == memory::Space::kHost ? "host memory" : "memory",
                                               allocation->device)
                                 : "no memory of this library",
                      owner_.device);
  }
  std::size_t total = 0;
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, window] : windows_) {
    const transport::Window& own = window->pieces[owner_.party.rank];
    total += own.size;
    if (data < own.data + own.size && own.data < data + size) {
      return base::Fail(Code::kInvalidParam,
                        "addr {} with {} bytes overlaps the window of {} bytes at {}; deregister that first",
                        fmt::ptr(data), size, own.size, fmt::ptr(own.data));
    }
  }
  if (size <= owner_.max_bytes - total) return {};
  return base::Fail(Code::kUnavailable,
                    "size {} exceeds what is left for windows: {} of {} bytes per rank are in use (config->"
                    "hcclSymWinMaxMemSizePerRank)",
                    size, total, owner_.max_bytes);
}

base::Result<std::shared_ptr<SymmetricWindow>> SymmetricWindows::Gather(
    std::uint64_t ordinal, const std::map<std::uint32_t, std::string>& parts) const {
  auto window = std::make_shared<SymmetricWindow>();
  window->ordinal = ordinal;
  window->rank = owner_.party.rank;
  window->communicator = owner_.name;
  window->device = owner_.device;
  for (const auto& [rank, text] : parts) window->pieces.push_back(DecodePart(text));
  const std::size_t size = window->pieces[window->rank].size;
  for (std::uint32_t rank = 0; rank < window->pieces.size(); ++rank) {
    const std::size_t theirs = window->pieces[rank].size;
    if (theirs == size) continue;
    return base::FailResult(Code::kInvalidParam,
                            "size {} on rank {} differs from {} on rank {}; a symmetric window has one size", size,
                            window->rank, theirs, rank);
  }
  return window;
}

base::Result<std::uint64_t> SymmetricWindows::Publish(const std::shared_ptr<const SymmetricWindow>& window) {
  std::uint64_t handle = 0;
  WindowSlot* slot = Windows().Allocate(&handle);
  if (slot == nullptr) {
    return base::FailResult(Code::kUnavailable, "no window handle left: {} are in use", Windows().live());
  }
  {
    const std::lock_guard lock(slot->mutex);
    slot->window = window;
  }
  Windows().Publish(handle);
  const std::lock_guard lock(mutex_);
  windows_[handle] = window;
  return handle;
}

base::Result<std::uint64_t> SymmetricWindows::Register(std::byte* data, std::size_t size) {
  const std::lock_guard collective(collective_mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckMemory(data, size));
  const std::uint64_t ordinal = next_ordinal_;
  const MeetingCall call{MeetingKey(ordinal), "HcclCommSymWinRegister", "to register its part of the window"};
  auto parts = Meet(owner_.party, call, EncodePart(data, size));
  if (!parts) return tl::unexpected(parts.error());  // it took place on no rank
  ++next_ordinal_;
  auto window = Gather(ordinal, *parts);
  if (!window) return tl::unexpected(window.error());
  auto handle = Publish(*window);
  // The others have a window and will wait for its end.
  if (!handle) CloseAlone(owner_.party, call.key);
  return handle;
}

Status SymmetricWindows::Deregister(std::uint64_t handle) {
  const std::lock_guard collective(collective_mutex_);
  std::shared_ptr<const SymmetricWindow> window;
  {
    const std::lock_guard lock(mutex_);
    const auto found = windows_.find(handle);
    if (found == windows_.end()) {
      return base::Fail(Code::kInvalidHandle, "winHandle 0x{:x} was deregistered already", handle);
    }
    window = found->second;
    windows_.erase(found);
  }
  Forget(handle);
  return CloseTogether(
      owner_.party, {MeetingKey(window->ordinal), "HcclCommSymWinDeregister", "to deregister its part of the window"});
}

base::Result<SymmetricWindows::Place> SymmetricWindows::Find(const std::byte* data, std::size_t size) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, window] : windows_) {
    const transport::Window& own = window->pieces[owner_.party.rank];
    if (data < own.data || data >= own.data + own.size) continue;
    const auto offset = static_cast<std::size_t>(data - own.data);
    if (size <= own.size - offset) return Place{handle, offset};
  }
  return base::FailResult(Code::kNotFound,
                          "ptr {} with {} bytes is in no window of communicator {}; register it with "
                          "HcclCommSymWinRegister",
                          fmt::ptr(data), size, owner_.name);
}

std::vector<transport::Window> SymmetricWindows::PiecesOf(std::uint32_t rank) const {
  const std::lock_guard lock(mutex_);
  std::vector<transport::Window> pieces;
  for (const auto& [handle, window] : windows_) pieces.push_back(window->pieces[rank]);
  return pieces;
}

void SymmetricWindows::Forget(std::uint64_t handle) {
  WindowSlot* slot = Windows().Lookup(handle);
  if (slot == nullptr || !Windows().Retire(handle)) return;
  {
    const std::lock_guard lock(slot->mutex);
    slot->window = nullptr;
  }
  Windows().Recycle(handle);
}

void SymmetricWindows::Close() {
  std::map<std::uint64_t, std::shared_ptr<const SymmetricWindow>> windows;
  {
    const std::lock_guard lock(mutex_);
    windows.swap(windows_);
  }
  for (const auto& [handle, window] : windows) Forget(handle);
}

}  // namespace softhccl::comm
