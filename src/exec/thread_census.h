// Can anything outside the scheduler still change its state? A stall is a deadlock only when every thread of the
// process is one of ours, sits in an untimed blocking call of ours, or in a futex wait without limit (join, condition
// variable). /proc/self/task/<tid>/syscall tells, also for ordinary users; what cannot be read counts as active.
#pragma once

#include <string>

namespace softhccl::exec {

enum class BlockedCall { kUntimed, kTimed };

// The calling thread belongs to the runtime and acts only on behalf of the scheduler. For its life.
class ScopedOwnThread {
 public:
  ScopedOwnThread();
  ~ScopedOwnThread();
  ScopedOwnThread(const ScopedOwnThread&) = delete;
  ScopedOwnThread& operator=(const ScopedOwnThread&) = delete;
};

// The calling thread sits in a blocking call of the library.
class ScopedBlockedCall {
 public:
  explicit ScopedBlockedCall(BlockedCall kind);
  ~ScopedBlockedCall();
  ScopedBlockedCall(const ScopedBlockedCall&) = delete;
  ScopedBlockedCall& operator=(const ScopedBlockedCall&) = delete;

 private:
  BlockedCall kind_;
};

// True when no thread of the process can act. Otherwise *why_open, if given, names the first one that can.
bool ProcessIsClosed(std::string* why_open);

}  // namespace softhccl::exec
