// What the article's test does not show of the installed point-to-point operator: repeated calls, several streams and
// host threads, several peers, both directions at once, zero elements, wrong arguments, a second communicator. Written
// as a user would write it: C++14, public headers only. Needs 4 devices; prints one line per case.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_res.h"
#include "hccl_custom_p2p.h"

namespace {

constexpr uint32_t kRanks = 4;

std::mutex g_mutex;
std::condition_variable g_changed;
uint32_t g_waiting = 0;
uint32_t g_round = 0;
bool g_has_failed = false;

// All ranks come here before one goes on.
void Meet() {
  std::unique_lock<std::mutex> lock(g_mutex);
  const uint32_t round = g_round;
  if (++g_waiting == kRanks) {
    g_waiting = 0;
    ++g_round;
    g_changed.notify_all();
  }
  g_changed.wait(lock, [round] { return g_round != round; });
}

void Expect(bool condition, const char* text, int line) {
  if (!condition) {
    fprintf(stderr, "p2p_operator_test.cc:%d: expected %s\n", line, text);
    const std::lock_guard<std::mutex> lock(g_mutex);
    g_has_failed = true;
  }
}
#define EXPECT(condition) Expect((condition), #condition, __LINE__)

// One rank with device memory for up to 16 values.
struct Rank {
  uint32_t rank = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
};

class DeviceInts {
 public:
  explicit DeviceInts(std::size_t count) : bytes_(count * sizeof(int32_t)) {
    EXPECT(aclrtMalloc(&data_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  }
  ~DeviceInts() { EXPECT(aclrtFree(data_) == 0); }
  DeviceInts(const DeviceInts&) = delete;
  DeviceInts& operator=(const DeviceInts&) = delete;
  void Set(std::size_t index, int32_t value) {
    EXPECT(aclrtMemcpy(At(index), sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  }
  int32_t Get(std::size_t index) {
    int32_t value = -1;
    EXPECT(aclrtMemcpy(&value, sizeof(value), At(index), sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    return value;
  }
  int32_t* At(std::size_t index) { return static_cast<int32_t*>(data_) + index; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

HcclResult Send(const Rank& self, int32_t* data, uint64_t count, uint32_t peer, aclrtStream stream) {
  return HcclSendCustom(data, count, HCCL_DATA_TYPE_INT32, peer, self.comm, stream);
}
HcclResult Recv(const Rank& self, int32_t* data, uint64_t count, uint32_t peer, aclrtStream stream) {
  return HcclRecvCustom(data, count, HCCL_DATA_TYPE_INT32, peer, self.comm, stream);
}

void ManyCallsOnOneStream_ArriveInOrder(const Rank& self) {
  constexpr int kCalls = 40;
  DeviceInts data(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    data.Set(i, self.rank == 0 ? 100 + i : -1);
    if (self.rank == 0) EXPECT(Send(self, data.At(i), 1, 1, self.stream) == HCCL_SUCCESS);
    if (self.rank == 1) EXPECT(Recv(self, data.At(i), 1, 0, self.stream) == HCCL_SUCCESS);
  }
  EXPECT(aclrtSynchronizeStream(self.stream) == 0);
  for (int i = 0; i < kCalls && self.rank == 1; ++i) EXPECT(data.Get(i) == 100 + i);
}

// The receiver comes late, so all sends of the three streams wait at the same time.
void SeveralStreams_KeepTheOrderOfTheCalls(const Rank& self) {
  constexpr int kCalls = 7;
  DeviceInts data(kCalls);
  std::vector<aclrtStream> streams(3);
  for (aclrtStream& stream : streams) EXPECT(aclrtCreateStream(&stream) == 0);
  for (int i = 0; i < kCalls; ++i) data.Set(i, self.rank == 0 ? 200 + i : -1);
  for (int i = 0; i < kCalls && self.rank == 0; ++i) {
    EXPECT(Send(self, data.At(i), 1, 1, streams[i % 3]) == HCCL_SUCCESS);
  }
  Meet();
  for (int i = 0; i < kCalls && self.rank == 1; ++i) {
    EXPECT(Recv(self, data.At(i), 1, 0, streams[(i + 1) % 3]) == HCCL_SUCCESS);
  }
  for (aclrtStream stream : streams) EXPECT(aclrtSynchronizeStream(stream) == 0);
  for (int i = 0; i < kCalls && self.rank == 1; ++i) EXPECT(data.Get(i) == 200 + i);
  for (aclrtStream stream : streams) EXPECT(aclrtDestroyStream(stream) == 0);
}

void TooManyOutstandingAtAStreamChange_IsRefused(const Rank& self) {
  DeviceInts data(10);
  aclrtStream other = nullptr;
  EXPECT(aclrtCreateStream(&other) == 0);
  if (self.rank == 0) {
    for (int i = 0; i < 10; ++i) data.Set(i, 300 + i);
    for (int i = 0; i < 9; ++i) EXPECT(Send(self, data.At(i), 1, 1, self.stream) == HCCL_SUCCESS);
    EXPECT(Send(self, data.At(9), 1, 1, other) == HCCL_E_AGAIN);
  }
  Meet();
  for (int i = 0; i < 9 && self.rank == 1; ++i) EXPECT(Recv(self, data.At(i), 1, 0, self.stream) == HCCL_SUCCESS);
  EXPECT(aclrtSynchronizeStream(self.stream) == 0);
  if (self.rank == 0) EXPECT(Send(self, data.At(9), 1, 1, other) == HCCL_SUCCESS);
  if (self.rank == 1) EXPECT(Recv(self, data.At(9), 1, 0, other) == HCCL_SUCCESS);
  EXPECT(aclrtSynchronizeStream(other) == 0);
  for (int i = 0; i < 10 && self.rank == 1; ++i) EXPECT(data.Get(i) == 300 + i);
  EXPECT(aclrtDestroyStream(other) == 0);
}

void AnotherHostThreadAndTheDefaultStream_Work(const Rank& self) {
  DeviceInts data(1);
  data.Set(0, self.rank == 0 ? 400 : -1);
  std::thread other([&self, &data] {
    EXPECT(aclrtSetDevice(static_cast<int32_t>(self.rank)) == 0);
    if (self.rank == 0) EXPECT(Send(self, data.At(0), 1, 1, nullptr) == HCCL_SUCCESS);
    if (self.rank == 1) EXPECT(Recv(self, data.At(0), 1, 0, nullptr) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  });
  other.join();
  if (self.rank == 1) EXPECT(data.Get(0) == 400);
}

void StreamOfAnEarlierCallDestroyed_NextCallWorks(const Rank& self) {
  DeviceInts data(3);
  for (int i = 0; i < 3; ++i) {
    aclrtStream stream = nullptr;
    EXPECT(aclrtCreateStream(&stream) == 0);
    data.Set(i, self.rank == 0 ? 500 + i : -1);
    if (self.rank == 0) EXPECT(Send(self, data.At(i), 1, 1, stream) == HCCL_SUCCESS);
    if (self.rank == 1) EXPECT(Recv(self, data.At(i), 1, 0, stream) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    EXPECT(aclrtDestroyStream(stream) == 0);
    if (self.rank == 1) EXPECT(data.Get(i) == 500 + i);
  }
}

// Every rank sends to every other one and receives from every other one; round k pairs rank r with rank r xor k, the
// lower one connects by sending first.
void AllPairsBothWays_DeliverTheRightData(const Rank& self) {
  DeviceInts out(kRanks);
  DeviceInts in(kRanks);
  aclrtStream second = nullptr;
  EXPECT(aclrtCreateStream(&second) == 0);
  for (uint32_t peer = 0; peer < kRanks; ++peer) out.Set(peer, static_cast<int32_t>(600 + 10 * self.rank + peer));
  for (uint32_t k = 1; k < kRanks; ++k) {
    const uint32_t peer = self.rank ^ k;
    EXPECT(Send(self, out.At(peer), 1, peer, self.stream) == HCCL_SUCCESS);
    EXPECT(Recv(self, in.At(peer), 1, peer, second) == HCCL_SUCCESS);
  }
  EXPECT(aclrtSynchronizeStream(self.stream) == 0);
  EXPECT(aclrtSynchronizeStream(second) == 0);
  for (uint32_t peer = 0; peer < kRanks; ++peer) {
    if (peer != self.rank) EXPECT(in.Get(peer) == static_cast<int32_t>(600 + 10 * peer + self.rank));
  }
  EXPECT(aclrtDestroyStream(second) == 0);
}

void CountZeroAndFullBuffer_Work(const Rank& self) {
  void* buffer = nullptr;
  uint64_t bytes = 0;
  EXPECT(HcclGetHcclBuffer(self.comm, &buffer, &bytes) == HCCL_SUCCESS);
  const uint64_t count = bytes / sizeof(int32_t);
  DeviceInts data(count + 1);
  data.Set(count - 1, self.rank == 0 ? 700 : -1);
  data.Set(count, -7);
  if (self.rank == 0) {
    EXPECT(Send(self, data.At(0), 0, 1, self.stream) == HCCL_SUCCESS);
    EXPECT(Send(self, data.At(0), count, 1, self.stream) == HCCL_SUCCESS);
    EXPECT(Send(self, data.At(0), count + 1, 1, self.stream) == HCCL_E_PARA);
  }
  if (self.rank == 1) {
    EXPECT(Recv(self, data.At(0), 0, 0, self.stream) == HCCL_SUCCESS);
    EXPECT(Recv(self, data.At(0), count, 0, self.stream) == HCCL_SUCCESS);
    EXPECT(Recv(self, data.At(0), count + 1, 0, self.stream) == HCCL_E_PARA);
  }
  EXPECT(aclrtSynchronizeStream(self.stream) == 0);
  if (self.rank == 1) EXPECT(data.Get(count - 1) == 700 && data.Get(count) == -7);
}

void WrongArguments_AreRefused(const Rank& self) {
  if (self.rank != 0) return;
  DeviceInts data(1);
  EXPECT(Send(self, nullptr, 0, 1, self.stream) == HCCL_E_PTR);
  EXPECT(Recv(self, nullptr, 1, 1, self.stream) == HCCL_E_PTR);
  EXPECT(HcclSendCustom(data.At(0), 1, HCCL_DATA_TYPE_INT32, 1, nullptr, self.stream) == HCCL_E_PTR);
  EXPECT(Send(self, data.At(0), 1, kRanks, self.stream) == HCCL_E_PARA);
  EXPECT(Recv(self, data.At(0), 1, self.rank, self.stream) == HCCL_E_PARA);
  const HcclDataType hole = static_cast<HcclDataType>(13);
  EXPECT(HcclSendCustom(data.At(0), 1, hole, 1, self.comm, self.stream) == HCCL_E_PARA);
  EXPECT(HcclSendCustom(data.At(0), UINT64_MAX / 2, HCCL_DATA_TYPE_FP32, 1, self.comm, self.stream) == HCCL_E_PARA);
}

struct Case {
  const char* name;
  void (*run)(const Rank&);
};
const Case kCases[] = {
    {"ManyCallsOnOneStream_ArriveInOrder", ManyCallsOnOneStream_ArriveInOrder},
    {"SeveralStreams_KeepTheOrderOfTheCalls", SeveralStreams_KeepTheOrderOfTheCalls},
    {"TooManyOutstandingAtAStreamChange_IsRefused", TooManyOutstandingAtAStreamChange_IsRefused},
    {"AnotherHostThreadAndTheDefaultStream_Work", AnotherHostThreadAndTheDefaultStream_Work},
    {"StreamOfAnEarlierCallDestroyed_NextCallWorks", StreamOfAnEarlierCallDestroyed_NextCallWorks},
    {"AllPairsBothWays_DeliverTheRightData", AllPairsBothWays_DeliverTheRightData},
    {"CountZeroAndFullBuffer_Work", CountZeroAndFullBuffer_Work},
    {"WrongArguments_AreRefused", WrongArguments_AreRefused},
};

void RunRank(uint32_t rank, const HcclRootInfo& root) {
  Rank self;
  self.rank = rank;
  EXPECT(aclrtSetDevice(static_cast<int32_t>(rank)) == 0);
  EXPECT(HcclCommInitRootInfo(kRanks, &root, rank, &self.comm) == HCCL_SUCCESS);
  EXPECT(aclrtCreateStream(&self.stream) == 0);
  for (const Case& test : kCases) {
    Meet();
    if (rank == 0) {
      printf("%s\n", test.name);
      fflush(stdout);
    }
    test.run(self);
  }
  Meet();
  EXPECT(aclrtDestroyStream(self.stream) == 0);
  EXPECT(HcclCommDestroy(self.comm) == HCCL_SUCCESS);
  EXPECT(aclrtResetDevice(static_cast<int32_t>(rank)) == 0);
}

}  // namespace

int main() {
  EXPECT(aclInit(nullptr) == 0);
  for (int communicator = 0; communicator < 2; ++communicator) {
    EXPECT(aclrtSetDevice(0) == 0);
    HcclRootInfo root;
    EXPECT(HcclGetRootInfo(&root) == HCCL_SUCCESS);
    std::vector<std::thread> ranks;
    for (uint32_t rank = 0; rank < kRanks; ++rank) ranks.emplace_back([rank, &root] { RunRank(rank, root); });
    for (std::thread& rank : ranks) rank.join();
  }
  EXPECT(aclFinalize() == 0);
  printf("p2p_operator_test: %s\n", g_has_failed ? "FAILED" : "passed");
  return g_has_failed ? 1 : 0;
}
