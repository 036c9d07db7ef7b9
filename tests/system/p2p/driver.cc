// The ranks as threads and the verdict; see driver.h. A rank that cannot be set up ends the program at once, because
// the other ranks would wait for it.
#include "driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace p2p_test {
namespace {

std::atomic<bool> g_has_failed{false};

uint8_t PatternByte(std::size_t index, uint32_t seed) {
  return static_cast<uint8_t>((index * 2654435761u + seed * 40503u + (index >> 13)) >> 7);
}

void Require(bool condition, const char* text, int line) {
  if (condition) return;
  fprintf(stderr, "driver.cc:%d: cannot go on without %s\n", line, text);
  fflush(nullptr);
  _Exit(3);
}
#define REQUIRE(condition) Require((condition), #condition, __LINE__)

void RunOneRank(uint32_t rank, uint32_t size, const std::vector<HcclRootInfo>& roots, Barrier* barrier,
                const std::function<void(Rank&)>& body) {
  Rank self;
  self.rank = rank;
  self.size = size;
  self.barrier = barrier;
  REQUIRE(aclrtSetDevice(static_cast<int32_t>(rank)) == 0);
  for (const HcclRootInfo& root : roots) {
    HcclComm comm = nullptr;
    REQUIRE(HcclCommInitRootInfo(size, &root, rank, &comm) == HCCL_SUCCESS);
    self.comms.push_back(comm);
  }
  REQUIRE(aclrtCreateStream(&self.stream) == 0);
  body(self);
  if (self.stream != nullptr) EXPECT(aclrtDestroyStream(self.stream) == 0);
  for (HcclComm comm : self.comms) {
    if (comm != nullptr) EXPECT(HcclCommDestroy(comm) == HCCL_SUCCESS);
  }
  (void)aclrtResetDevice(static_cast<int32_t>(rank));
}

}  // namespace

void Expect(bool condition, const char* text, const char* file, int line) {
  if (condition) return;
  g_has_failed = true;
  fprintf(stderr, "%s:%d: expected %s\n", file, line, text);
}

bool HasFailed() { return g_has_failed; }

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void SleepFor(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

void Barrier::Meet() {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint32_t round = round_;
  if (++waiting_ == members_) {
    waiting_ = 0;
    ++round_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return round_ != round; });
}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  REQUIRE(aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
}

DeviceMemory::~DeviceMemory() { EXPECT(aclrtFree(data_) == 0); }

void DeviceMemory::Upload(std::size_t offset, const void* source, std::size_t bytes) const {
  if (bytes == 0) return;
  EXPECT(aclrtMemcpy(At(offset), bytes_ - offset, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
}

void DeviceMemory::Download(std::size_t offset, void* target, std::size_t bytes) const {
  if (bytes == 0) return;
  EXPECT(aclrtMemcpy(target, bytes, At(offset), bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
}

void DeviceMemory::Fill(std::size_t bytes, uint32_t seed) const {
  std::vector<uint8_t> pattern(bytes);
  for (std::size_t i = 0; i < bytes; ++i) pattern[i] = PatternByte(i, seed);
  Upload(0, pattern.data(), bytes);
}

bool DeviceMemory::Holds(std::size_t bytes, uint32_t seed) const {
  std::vector<uint8_t> found(bytes);
  Download(0, found.data(), bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (found[i] == PatternByte(i, seed)) continue;
    fprintf(stderr, "byte %zu of %zu is %u, the pattern of %u has %u there\n", i, bytes, found[i], seed,
            PatternByte(i, seed));
    return false;
  }
  return true;
}

int32_t DeviceMemory::GetInt(std::size_t index) const {
  int32_t value = 0;
  Download(index * sizeof(value), &value, sizeof(value));
  return value;
}

void RunRanks(uint32_t size, uint32_t comms, const std::function<void(Rank&)>& body) {
  REQUIRE(aclrtSetDevice(0) == 0);
  std::vector<HcclRootInfo> roots(comms);
  for (HcclRootInfo& root : roots) REQUIRE(HcclGetRootInfo(&root) == HCCL_SUCCESS);
  Barrier barrier(size);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] { RunOneRank(rank, size, roots, &barrier, body); });
  }
  for (std::thread& rank : ranks) rank.join();
}

void ConnectAllPairs(const Rank& self) {
  const DeviceMemory data(sizeof(int32_t));
  const uint32_t seats = self.size + self.size % 2;  // an odd number of ranks leaves one rank out in each round
  for (const HcclComm comm : self.comms) {
    for (uint32_t round = 0; round + 1 < seats; ++round) {
      // The circle method: seat `seats - 1` stays, the others turn.
      const uint32_t turning = seats - 1;
      uint32_t peer = (2 * round + turning - self.rank % turning) % turning;
      if (self.rank == turning)
        peer = round;
      else if (peer == self.rank)
        peer = turning;
      if (peer >= self.size) continue;
      const bool isFirst = self.rank < peer;
      for (int half = 0; half < 2; ++half) {
        const bool isSender = isFirst == (half == 0);
        EXPECT((isSender ? HcclSendCustom : HcclRecvCustom)(data.Get(), 1, HCCL_DATA_TYPE_INT32, peer, comm,
                                                            self.stream) == HCCL_SUCCESS);
      }
      EXPECT(self.Sync() == 0);
    }
  }
  self.Meet();
}

}  // namespace p2p_test
