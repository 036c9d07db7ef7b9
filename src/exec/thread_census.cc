// Reads what each thread of the process is doing. Only called by the watch, a few times after a stall has begun.
#include "exec/thread_census.h"

#include <dirent.h>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "base/os.h"
#include "base/status.h"

namespace softhccl::exec {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::int32_t, int> closed;  // thread id → how many of our scopes it is in
  int timed_calls = 0;
};

Registry& TheRegistry() {
  static auto* registry = new Registry;  // threads may end after static destruction
  return *registry;
}

void Enter(bool timed) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  if (timed) {
    ++registry.timed_calls;
  } else {
    ++registry.closed[base::ThreadId()];
  }
}

void Exit(bool timed) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  if (timed) {
    --registry.timed_calls;
    return;
  }
  const auto found = registry.closed.find(base::ThreadId());
  if (--found->second == 0) registry.closed.erase(found);
}

enum class ThreadActivity { kGone, kWaitsForEver, kSleepsForAWhile, kActive };

// From "202 0x7f.. 0x80 0x0 0x0 ..." or "running".
ThreadActivity ReadActivity(std::int32_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  std::FILE* file = std::fopen(path, "re");
  char line[256] = {};
  const bool read = file != nullptr && std::fgets(line, sizeof line, file) != nullptr;
  if (file != nullptr) std::fclose(file);
  if (!read) {
    // Either the thread ended meanwhile, or this kernel does not tell: then it may be doing anything.
    std::snprintf(path, sizeof path, "/proc/self/task/%d", thread);
    return ::access(path, F_OK) != 0 ? ThreadActivity::kGone : ThreadActivity::kActive;
  }
  long number = -1;
  unsigned long long word = 0;
  unsigned long long operation = 0;
  unsigned long long value = 0;
  unsigned long long timeout = 1;
  const int fields = std::sscanf(line, "%ld %llx %llx %llx %llx", &number, &word, &operation, &value, &timeout);
  if (fields < 1) return ThreadActivity::kActive;  // "running"
  if (number == SYS_nanosleep || number == SYS_clock_nanosleep) return ThreadActivity::kSleepsForAWhile;
  const auto command = operation & FUTEX_CMD_MASK;
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI;
  if (number == SYS_futex && fields == 5 && waits && timeout == 0) return ThreadActivity::kWaitsForEver;
  return ThreadActivity::kActive;
}

// ThreadSanitizer keeps one background thread that sleeps in short naps and never touches the program.
bool SanitizerThreadPresent() {
  static const bool present = ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
  return present;
}

}  // namespace

ScopedOwnThread::ScopedOwnThread() { Enter(false); }
ScopedOwnThread::~ScopedOwnThread() { Exit(false); }
ScopedBlockedCall::ScopedBlockedCall(BlockedCall kind) : kind_(kind) { Enter(kind_ == BlockedCall::kTimed); }
ScopedBlockedCall::~ScopedBlockedCall() { Exit(kind_ == BlockedCall::kTimed); }

bool ProcessIsClosed(std::string* why_open) {
  const auto open = [&](std::string reason) {
    if (why_open != nullptr) *why_open = std::move(reason);
    return false;
  };
  DIR* tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return open("the threads of the process cannot be listed");
  Registry& registry = TheRegistry();
  bool closed = true;
  int sanitizer_threads = SanitizerThreadPresent() ? 1 : 0;
  while (const dirent* entry = ::readdir(tasks)) {
    std::int32_t thread = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, thread).ptr != end) continue;
    {
      std::lock_guard lock(registry.mutex);
      if (registry.timed_calls > 0) {
        closed = open("a call with a time limit is pending");
        break;
      }
      if (registry.closed.count(thread) != 0) continue;
    }
    const ThreadActivity activity = ReadActivity(thread);
    if (activity == ThreadActivity::kGone || activity == ThreadActivity::kWaitsForEver) continue;
    if (activity == ThreadActivity::kSleepsForAWhile && sanitizer_threads-- > 0) continue;
    closed = open(fmt::format("thread {} of the process is still active", thread));
    break;
  }
  ::closedir(tasks);
  return closed;
}

}  // namespace softhccl::exec
