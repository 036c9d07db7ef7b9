// One launch of a kernel, and the launch context that data-plane calls made by it share: batch mode, the communicators
// it holds, what went wrong. The context belongs to the invocation, not to the OS thread that happens to run it; a
// host thread outside kernels has a context of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "engine/kernel_binary.h"
#include "engine/task_recording.h"
#include "event/event.h"
#include "exec/abort_domain.h"
#include "exec/op.h"
#include "exec/operation.h"
#include "exec/scheduler.h"
#include "exec/ticket.h"

namespace softhccl::engine {

// State of the data-plane calls of one caller. Used by one thread at a time, except for what an abandoned launch holds:
// that is given back by another thread.
class LaunchContext {
 public:
  // Batch mode: ops wait here per stream, in order of first use, until End or until a stream has kBatchLimit.
  static constexpr std::size_t kBatchLimit = 128;
  struct Batch {
    std::uint64_t stream;  // handle: the communicator may go while the batch is open
    std::vector<exec::Op> ops;
  };
  bool batch_open = false;
  std::string batch_tag;
  std::vector<Batch> batches;

  // What the task cache is recording, or null.
  std::unique_ptr<TaskRecording> recording;

  // Limits that the caller has set for itself; without: the configuration's.
  std::optional<std::uint32_t> wait_seconds;  // of waits without an explicit limit; 0: for ever
  std::optional<base::Nanos> space_limit;     // how long to wait for room in a full queue; without: not at all

  std::vector<std::uint64_t> posted;  // streams (handles) with posts that it has not waited for

  std::uint64_t origin = 0;          // event name id that its ops carry
  std::uint64_t described_name = 0;  // event name id of what it said that it does next; 0: it said no name
  // What it said that it does next, and what the ops for the peer carry of that.
  struct Described {
    exec::Party party;  // whose operation; without domain: nothing was said
    exec::OperationKind kind{};
    std::uint8_t data_type = 0;
    std::uint64_t count = 0;
    std::uint32_t peer = exec::kNoRank;  // of the first channel that it uses
    exec::Operation operation;           // known once the peer is
  };
  Described described;
  base::Status failure;  // a call without a usable thread failed; marks the launching stream

  // Communicators acquired and not yet released. Any thread.
  struct Held {
    std::string name;
    std::function<void()> release;
  };
  void Hold(Held held);
  bool HoldsAny() const;
  // Releases one, if it is held.
  void ReleaseHeld(const std::string& name);
  // Releases all and returns their names.
  std::vector<std::string> ReleaseAllHeld();

  // Notes a rank whose threads it used; false when it was known. Any thread.
  bool NoteParty(const exec::Party& party);
  std::vector<exec::Party> Parties() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Held> held_;            // guarded by mutex_
  std::vector<exec::Party> parties_;  // guarded by mutex_
};

// A kernel function of a binary or of the program itself, with what was learned about how long it runs.
struct KernelInfo {
  KernelEntry entry;
  std::shared_ptr<KernelBinary> binary;
  KernelFunction linked = nullptr;  // instead of a binary: linked into the program, one for all devices
  base::Result<KernelFunction> FunctionOn(int on_device) const {
    return linked != nullptr ? base::Result<KernelFunction>(linked) : binary->Resolve(entry, on_device);
  }
  std::uint64_t binary_handle = 0;
  std::uint64_t handle = 0;          // of the function
  std::uint64_t name_id = 0;         // event name id
  std::atomic<int> fast_returns{0};  // in a row, up to kEarned: then it may run inline
  static constexpr int kEarned = 16;
  static constexpr base::Nanos kFast = 50'000;         // ns
  static constexpr base::Nanos kDemotion = 1'000'000;  // ns
  bool MayRunInline() const { return fast_returns.load() >= kEarned; }
  void NoteDuration(base::Nanos duration);
};

// A launch from the call until its result is known. Shared by the op, the core that runs it and the limit watch.
struct Invocation {
  std::shared_ptr<KernelInfo> info;
  base::Result<KernelFunction> function = nullptr;  // or why it cannot be called
  std::vector<std::byte> arguments;
  std::span<std::byte> arguments_in_place;  // instead, when they lie in memory that devices know
  void* ArgumentAddress() { return arguments_in_place.empty() ? arguments.data() : arguments_in_place.data(); }
  std::uint32_t blocks = 1;
  int device = -1;
  std::uint64_t number = 0;                    // of this process
  exec::Stream* stream = nullptr;              // the launching stream
  std::uint32_t stream_id = event::kNoStream;  // its number, set before it runs: given up, it may outlive its stream
  base::Nanos limit = base::kForever;          // ns it may run
  std::shared_ptr<void> config;                // what the api keeps of the launch's attributes, for C programs
  std::string label;                           // "HcclLaunchP2PAicpuKernel#7 on device 0"
  LaunchContext context;

  enum class Phase : int { kRunning, kReturned, kAbandoned };
  std::atomic<Phase> phase{Phase::kRunning};
  base::Nanos started = 0;   // set before it runs
  bool runs_inline = false;  // on the thread that synchronises; set before it runs

  // Whether the scheduler counts it as a kernel that runs elsewhere. Both are idempotent; Uncount tells if it was.
  void Count(exec::Scheduler& scheduler) {
    if (!is_counted.exchange(true)) scheduler.CountForeign(1);
  }
  bool Uncount(exec::Scheduler& scheduler) {
    const bool was_counted = is_counted.exchange(false);
    if (was_counted) scheduler.CountForeign(-1);
    return was_counted;
  }
  std::atomic<bool> is_counted{false};
  std::uint32_t result = 0;  // valid once kReturned
};

// The invocation whose kernel the calling thread is running, or null.
Invocation* CurrentInvocation();
// The launch context of the calling thread: its invocation's, or the host thread's own.
LaunchContext& CurrentContext();

// Runs the kernel on the calling thread: all blocks, then reports what was left open. Sets CurrentInvocation.
void Execute(exec::Scheduler& scheduler, Invocation& invocation);

// What a finished invocation means for its stream: ok, or kKernelFailed with the kernel's name and value.
base::Status Outcome(const Invocation& invocation);

}  // namespace softhccl::engine
