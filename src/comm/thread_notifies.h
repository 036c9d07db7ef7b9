// The notifies that a communication thread owns: others record them by index, the thread waits for them. Thousands may
// be asked for and few are used, so each is made when it is first named.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "exec/scheduler.h"

namespace softhccl::comm {

// Any thread; finding one that exists takes no lock. Reused with the slot of its thread.
class ThreadNotifies {
 public:
  static constexpr std::uint32_t kMax = 65536;

  // The handle of notify `index` of the thread that works as `stream`. `index` < kMax. Errors: kUnavailable,
  // kOutOfMemory.
  base::Result<std::uint64_t> Handle(std::uint32_t index, const exec::Stream& stream);
  // Destroys them all. Nobody may wait for one.
  void Clear();

 private:
  static constexpr std::uint32_t kChunk = 256;
  using Chunk = std::array<std::atomic<std::uint64_t>, kChunk>;  // handles; 0: not made yet

  base::Result<std::uint64_t> Make(std::uint32_t index, const exec::Stream& stream);

  std::mutex mutex_;
  std::array<std::atomic<Chunk*>, kMax / kChunk> chunks_{};  // made under mutex_, never freed: slots are for ever
};

}  // namespace softhccl::comm
