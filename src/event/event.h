// What happened: one fixed-size record per submit, start, end, park, resume, record, take, allocation and kernel.
// Emitting costs one predicted branch while nobody listens. Records carry ids; the label table (labels.h) says what
// an id is called, so that lower layers need not know communicators or ranks.
#pragma once

#include <cstdint>

namespace softhccl::event {

enum class Kind : std::uint16_t {
  kNone = 0,
  kSubmit,       // object: op name id, a: submission number on the stream
  kOpStart,      // object: op name id, a: submission number, b: bytes
  kOpEnd,        // object: op name id, a: submission number, b: base::Code of the outcome
  kPark,         // object: notify id, a: submission number
  kResume,       // object: notify id, a: submission number, b: resume code
  kRecord,       // object: notify id, a: submission number
  kLostRecord,   // object: notify id, a: submission number; the notify was already set
  kTake,         // object: notify id, a: submission number
  kAlloc,        // object: device, a: address, b: bytes
  kFree,         // object: device, a: address, b: bytes
  kKernelStart,  // object: kernel name id, a: invocation
  kKernelEnd,    // object: kernel name id, a: invocation, b: return value
};

// 64 bytes, no padding, no pointers: may be written to a file or a shared ring as it is.
struct Event {
  std::int64_t time;  // nanoseconds, steady clock
  Kind kind;
  std::uint16_t thread;  // small id of the OS thread that emitted it
  std::uint32_t stream;  // stream id, UINT32_MAX when none
  std::uint64_t object;  // see Kind
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t order;  // per-thread sequence number
  std::uint64_t reserved[2];
};
static_assert(sizeof(Event) == 64);

inline constexpr std::uint32_t kNoStream = UINT32_MAX;

}  // namespace softhccl::event
