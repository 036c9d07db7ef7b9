// Which stream is in a slot now. Whoever waits for a stream that is destroyed meanwhile reads it while the slot is
// given to the next one.
#pragma once

#include <atomic>
#include <cstdint>

#include "exec/stream.h"

namespace softhccl::exec {

inline std::uint64_t HandleInSlot(Stream& stream) { return std::atomic_ref(stream.handle).load(); }
inline void SetHandleInSlot(Stream& stream, std::uint64_t handle) { std::atomic_ref(stream.handle).store(handle); }

}  // namespace softhccl::exec
