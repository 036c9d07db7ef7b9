// Symmetric windows: memory that every rank of a communicator registers together, so that each can address the memory
// of all. Ranks of one process share an address space, so the peers' addresses are their own: nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "comm/meeting.h"
#include "transport/link.h"

namespace softhccl::comm {

// One rank's view of a window. Immutable.
struct SymmetricWindow {
  std::uint64_t ordinal = 0;  // of the registrations of its communicator; the same on all ranks
  std::uint32_t rank = 0;
  std::string communicator;
  int device = -1;
  std::vector<transport::Window> pieces;  // by rank
};

// What a handle leads to; kernels look it up while the control plane may take it away.
struct WindowSlot {
  mutable std::mutex mutex;
  std::shared_ptr<const SymmetricWindow> window;  // guarded by mutex
};
using WindowSlab = base::Slab<WindowSlot, base::HandleKind::kWindow>;
WindowSlab& Windows();

// The window behind a handle, in any communicator. Errors: kInvalidHandle.
base::Result<std::shared_ptr<const SymmetricWindow>> FindWindow(std::uint64_t handle);
// Where byte `offset` of the window is in the memory of `peer`. Any thread, also kernels. Errors: kInvalidHandle;
// kInvalidParam for a rank or an offset out of range, or when the peer has freed its memory.
base::Result<std::byte*> PeerPointer(std::uint64_t handle, std::size_t offset, std::uint32_t peer);

// The windows of one communicator. Any thread; registrations are serialised.
class SymmetricWindows {
 public:
  // What it needs of its communicator.
  struct Owner {
    MeetingParty party;
    std::string name;
    int device = -1;
    std::size_t max_bytes = 0;  // of all windows together
  };

  explicit SymmetricWindows(Owner owner) : owner_(std::move(owner)) {}
  ~SymmetricWindows() { Close(); }
  SymmetricWindows(const SymmetricWindows&) = delete;
  SymmetricWindows& operator=(const SymmetricWindows&) = delete;

  // Collective: blocks until all ranks have registered their part, which happens on all of them or on none. Errors:
  // kInvalidParam when the memory is not this device's, leaves its allocation, overlaps a window, or when ranks give
  // different sizes (on all ranks); kUnavailable above max_bytes; kTimeout naming the missing ranks; kRemote.
  base::Result<std::uint64_t> Register(std::byte* data, std::size_t size);
  // Collective, too: afterwards no rank uses the window. A rank that has destroyed its communicator needs not come. The
  // handle is stale whatever the answer is. Errors: kInvalidHandle, kTimeout.
  base::Status Deregister(std::uint64_t handle);

  struct Place {
    std::uint64_t window = 0;
    std::size_t offset = 0;
  };
  // The window that holds [data, data + size). Errors: kNotFound.
  base::Result<Place> Find(const std::byte* data, std::size_t size) const;
  // The memory of `rank` in all windows.
  std::vector<transport::Window> PiecesOf(std::uint32_t rank) const;
  // Makes all handles stale.
  void Close();

 private:
  base::Status CheckMemory(const std::byte* data, std::size_t size) const;
  base::Result<std::shared_ptr<SymmetricWindow>> Gather(std::uint64_t ordinal,
                                                        const std::map<std::uint32_t, std::string>& parts) const;
  base::Result<std::uint64_t> Publish(const std::shared_ptr<const SymmetricWindow>& window);
  static void Forget(std::uint64_t handle);

  const Owner owner_;
  std::mutex collective_mutex_;     // held while a collective call blocks
  std::uint64_t next_ordinal_ = 0;  // guarded by collective_mutex_
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const SymmetricWindow>> windows_;  // guarded by mutex_: by handle
};

}  // namespace softhccl::comm
