// From what C programs hold to our objects: handles in pointer clothes, default streams, and the rule that a stream
// must belong to the current device.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/status.h"
#include "comm/registry.h"
#include "engine/runtime.h"

namespace softhccl::api {

inline std::uint64_t Bits(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }
inline void* Handle(std::uint64_t bits) { return reinterpret_cast<void*>(bits); }

// The number in an enumeration that a C program filled, which may be none of its enumerators: reading such a value as
// the enumeration would be undefined.
template <typename Enum>
int RawValue(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// Runs before pointer checks in most calls, as the vendor's order is. Errors: kNoContext.
base::Result<engine::Device*> CurrentDevice();
base::Result<std::shared_ptr<engine::Context>> CurrentContext();

// The stream behind the handle, the current context's default stream for null. Errors: kInvalidHandle.
base::Result<exec::Stream*> FindStream(void* stream, engine::Device& device);
// The same, and a stream of another device or context is kWrongContext.
base::Result<exec::Stream*> FindStreamOfContext(void* stream, engine::Device& device);
// The same for launches, records and waits: a stream that a failure has stopped answers that failure.
base::Result<exec::Stream*> FindOwnStream(void* stream, engine::Device& device);
base::Result<exec::Notify*> FindNotify(void* notify);

// Errors: kNoContext (on host threads), kNullPointer, kInvalidHandle.
base::Result<std::shared_ptr<comm::Communicator>> FindComm(void* comm);
// The communicator of that name on the device of the kernel or of the thread. Errors: kNullPointer naming the argument,
// kNoContext, kNotFound.
base::Result<std::shared_ptr<comm::Communicator>> FindCommByName(const char* name, const char* argument);

// The stream's stored error; it is cleared unless a failure has stopped the stream for good.
base::Status TakeStreamError(exec::Stream& stream);
// Handles of all streams of the device, those of communicators too.
std::vector<std::uint64_t> StreamsOfDevice(int device);
// Ends what is queued on the stream, callbacks included, with `cause`. Errors: kSyncTimeout.
base::Status AbortStream(exec::Stream& stream, const base::Status& cause, base::Nanos deadline);

// Synchronising, or anything that waits for streams, is refused inside kernels and callbacks.
base::Status RefuseInKernel(const char* call);

}  // namespace softhccl::api
