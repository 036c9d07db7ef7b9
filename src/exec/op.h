// An Op is the only vocabulary between what is done (engine, transport) and when it is done (scheduler): a small
// record on a stream's queue with a pointer to its class. A class says how to run it, what skipping it means for
// others, what it touches and what it costs; checkers and the time model need nothing else.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "exec/operation.h"

namespace softhccl::exec {

class OpContext;
struct Op;

// What one call of OpClass::run achieved.
enum class OpOutcome : std::uint8_t {
  kDone,
  kAgain,      // a quantum is over, more remains; run is called again, perhaps after other streams
  kSuspended,  // parked through OpContext::Suspend; run is called again after Resume
  kFailed,     // OpContext::Fail told why
};

// Ranges read and written, and the notify an op records or takes. At most two ranges each.
struct Footprint {
  struct Range {
    const void* address = nullptr;
    std::size_t size = 0;
  };
  Range read;
  Range written;
  std::uint64_t notify_recorded = 0;  // handle, 0 when none
  std::uint64_t notify_taken = 0;     // handle, 0 when none
};

// Static description of a kind of op. All functions are called by the executor that owns the stream; none blocks.
struct OpClass {
  const char* name;
  OpOutcome (*run)(OpContext& context, Op& op);
  // The op will not run because its stream failed with `cause`. Must pass the failure on to whoever waits for this
  // op and free what the op owns. Null: nothing to do.
  void (*skip)(Op& op, const base::Status& cause);
  Footprint (*footprint)(const Op& op);
  std::uint64_t (*bytes)(const Op& op);  // payload, for traces and the time model; null: none
  // Event name id of `name`, 0 until the first event; looking it up takes a lock.
  mutable std::atomic<std::uint64_t> name_id{0};
};

// Trivially copyable; 128 bytes. The meaning of `arg` belongs to the class; run may change it to keep progress.
struct Op {
  const OpClass* op_class = nullptr;
  std::uint64_t number = 0;         // submission number on its stream, set by Submit
  const void* call_site = nullptr;  // return address of the C call that made it, null when unknown
  std::uint64_t origin = 0;         // event name id of the kernel launch or host call it belongs to, 0 unknown
  Operation operation;              // what the operator told about the operation it belongs to
  std::array<std::uint64_t, 10> arg{};
};
static_assert(sizeof(Op) == 128);

}  // namespace softhccl::exec
