// What every conformance test insists on: the number a call answers, the text that explains it, and that nothing is
// left behind: no unexpected warning or error in the log, no descriptor, thread, stream, notify, communicator or
// memory. Tests call the public functions only; the runtime itself is asked just for the counts of what is alive.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/error_codes/rt_error_codes.h"
#include "conformance_kernels.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_res.h"

namespace softhccl::conformance {

// What is alive in this process and must not grow over a test.
struct Alive {
  std::size_t descriptors = 0;
  std::size_t threads = 0;  // without those the runtime keeps
  std::uint32_t streams = 0;
  std::uint32_t notifies = 0;
  std::uint32_t comm_threads = 0;
  std::uint32_t channels = 0;
  std::size_t communicators = 0;
  std::size_t allocations = 0;
  bool operator==(const Alive&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Alive& alive);

class ApiTest : public ::testing::Test {
 public:
  // The call answered `expected`; its text, read with aclGetRecentErrMsg on this thread, begins with the name of the
  // function and holds every part. The same line must be in the log exactly once, if `logged`.
  void ExpectFailure(int expected, int actual, const std::string& function, const std::vector<std::string>& parts,
                     bool logged = true);
  // A warning or error with all these parts was or will be logged; it is no reason to fail, its absence is.
  void ExpectLog(std::vector<std::string> parts);
  // The same, but it may be absent: what else is said when several ranks fail at the same time.
  void AllowLog(std::vector<std::string> parts);

 protected:
  void SetUp() override;
  void TearDown() override;

 private:
  Alive before_;
};

// A test on device 0, which is set on the test's thread, with one stream.
class DeviceTest : public ApiTest {
 protected:
  void SetUp() override;
  void TearDown() override;
  aclrtStream stream_ = nullptr;
};

// --- Kernels -----------------------------------------------------------------------------------------------------

std::string KernelFolder();
// A function of the conformance kernels, loaded in mode 1 (the .so beside its description).
aclrtFuncHandle Kernel(const char* name);
aclrtFuncHandle Kernel(const char* file, const char* name, int mode);

using KernelBody = std::function<uint32_t(const Hcomm&)>;
// A launch of "CallBack"; must live until the stream was synchronised.
class Launch {
 public:
  Launch(aclrtStream stream, KernelBody body);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

 private:
  KernelBody body_;
};
// Launches and synchronises; the result of the synchronise.
aclError RunKernel(aclrtStream stream, KernelBody body);

// An enumerator that C++ does not know, as a C program may pass it.
template <typename Enum>
Enum FromNumber(int number) {
  static_assert(sizeof(Enum) == sizeof number);
  Enum value;
  std::memcpy(&value, &number, sizeof value);
  return value;
}

// Waits until `condition` holds; a failure of the test after ten seconds.
void WaitUntil(const std::function<bool()>& condition, const char* what);

// --- Ranks -------------------------------------------------------------------------------------------------------

class Ranks;

// One rank: a thread with its device set, a communicator and a stream.
class Rank {
 public:
  uint32_t id = 0;
  uint32_t size = 0;
  HcclComm comm = nullptr;
  std::string name;  // of the communicator
  aclrtStream stream = nullptr;
  ThreadHandle thread = 0;  // one AICPU thread with 2 notifies
  // All ranks come here before one goes on.
  void Meet();
  uint32_t peer() const { return id ^ 1u; }
  // A channel to `peer` with 2 notifies; both ranks call it.
  ChannelHandle Channel(uint32_t to);

 private:
  friend class Ranks;
  Ranks* all_ = nullptr;
};

// The rank's HcclBuffer, and the peer's at the other end of the channel as this rank addresses it.
struct HcclBuffers {
  void* own = nullptr;
  void* window = nullptr;
};
HcclBuffers BuffersOf(const Rank& rank, ChannelHandle channel);

struct RanksOptions {
  HcclResult destroyed = HCCL_SUCCESS;  // what HcclCommDestroy answers
};

// Runs `body` on `count` ranks of one communicator, device i for rank i, and destroys everything after the last has
// returned.
void RunRanks(uint32_t count, const std::function<void(Rank&)>& body, RanksOptions options = {});

// Launches `body` as a kernel of the rank and waits until the kernel has returned and everything that was queued on the
// rank's thread is done; the result of the synchronise.
aclError RunOnThread(const Rank& rank, const KernelBody& body);

// Device memory with the given ints in it.
class DeviceInts {
 public:
  explicit DeviceInts(const std::vector<int>& values);
  ~DeviceInts();
  DeviceInts(const DeviceInts&) = delete;
  DeviceInts& operator=(const DeviceInts&) = delete;
  int* data() const { return data_; }
  uint64_t bytes() const { return count_ * sizeof(int); }
  std::vector<int> Read() const;

 private:
  int* data_ = nullptr;
  std::size_t count_;
};

}  // namespace softhccl::conformance

// EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc, (nullptr, 1, policy), "devPtr is null")
#define EXPECT_FAILS(code, function, arguments, ...) \
  ExpectFailure(static_cast<int>(code), static_cast<int>(function arguments), #function, {__VA_ARGS__})
// The same from a body that runs outside of the test class (ranks).
#define EXPECT_FAILS_IN(test, code, function, arguments, ...) \
  (test)->ExpectFailure(static_cast<int>(code), static_cast<int>(function arguments), #function, {__VA_ARGS__})
// The failure was reported when it happened: text for the caller, no second line.
#define EXPECT_FAILS_QUIETLY(code, function, arguments, ...) \
  ExpectFailure(static_cast<int>(code), static_cast<int>(function arguments), #function, {__VA_ARGS__}, false)
#define EXPECT_FAILS_QUIETLY_IN(test, code, function, arguments, ...) \
  (test)->ExpectFailure(static_cast<int>(code), static_cast<int>(function arguments), #function, {__VA_ARGS__}, false)
// Inside a kernel body with the parameter `hcomm`: EXPECT_HCOMM_FAILS(this, HCCL_E_PTR, LocalCopyOnThread, (...),
// "dst")
#define EXPECT_HCOMM_FAILS(test, code, name, arguments, ...) \
  (test)->ExpectFailure(static_cast<int>(code), static_cast<int>(hcomm.name arguments), "Hcomm" #name, {__VA_ARGS__})
