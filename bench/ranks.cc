// Setting up the ranks, and the two ways of queueing messages.
#include "ranks.h"

#include <dlfcn.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "hccl/hcomm_primitives.h"

namespace softhccl::bench {
namespace {

constexpr int kWarmUp = 40;
constexpr std::uint32_t kAck = 0;
constexpr std::uint32_t kSignal = 1;
constexpr std::uint32_t kLimit = 60;  // s of every wait: a benchmark that hangs shall fail

Operator LoadOperator(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "the operator cannot be loaded: %s; bench/run.sh builds and installs it\n", ::dlerror());
    std::exit(1);
  }
  Operator functions;
  functions.send = reinterpret_cast<Operator::Function>(::dlsym(handle, "HcclSendCustom"));
  functions.receive = reinterpret_cast<Operator::Function>(::dlsym(handle, "HcclRecvCustom"));
  if (functions.send == nullptr || functions.receive == nullptr) {
    std::fprintf(stderr, "%s has no HcclSendCustom or no HcclRecvCustom\n", library.c_str());
    std::exit(1);
  }
  return functions;
}

void AcquireThreadAndChannel(Rank& self) {
  SOFTHCCL_BENCH_REQUIRE(HcclThreadAcquire(self.comm, COMM_ENGINE_AICPU, 1, 0, &self.thread));
  HcclChannelDesc desc;
  SOFTHCCL_BENCH_REQUIRE(HcclChannelDescInit(&desc, 1));
  desc.remoteRank = 1 - self.rank;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = 2;
  SOFTHCCL_BENCH_REQUIRE(HcclChannelAcquire(self.comm, COMM_ENGINE_AICPU, &desc, 1, &self.channel));
  std::uint64_t bytes = 0;
  if (self.rank == 0) {
    SOFTHCCL_BENCH_REQUIRE(HcclGetHcclBuffer(self.comm, &self.staging, &bytes));
  } else {
    SOFTHCCL_BENCH_REQUIRE(HcclChannelGetHcclBuffer(self.comm, self.channel, &self.staging, &bytes));
  }
  SOFTHCCL_BENCH_REQUIRE(aclrtCreateNotify(&self.start, ACL_NOTIFY_DEFAULT));
  SOFTHCCL_BENCH_REQUIRE(aclrtCreateNotify(&self.end, ACL_NOTIFY_DEFAULT));
  SOFTHCCL_BENCH_REQUIRE(aclrtGetNotifyId(self.start, &self.start_id));
  SOFTHCCL_BENCH_REQUIRE(aclrtGetNotifyId(self.end, &self.end_id));
}

}  // namespace

void Require(int code, const char* call) {
  if (code == 0) return;
  std::fprintf(stderr, "benchmark: %s failed with %d\n", call, code);
  std::_Exit(1);
}

Ranks::Ranks(const std::string& library, std::uint32_t count, std::size_t user_bytes)
    : operator_(LoadOperator(library)), ranks_(count) {
  SOFTHCCL_BENCH_REQUIRE(aclInit(nullptr));
  SOFTHCCL_BENCH_REQUIRE(aclrtSetDevice(0));
  HcclRootInfo root;
  SOFTHCCL_BENCH_REQUIRE(HcclGetRootInfo(&root));
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < count; ++index) {
    threads.emplace_back([this, index, &root, user_bytes] { Start(index, root, user_bytes); });
  }
  for (std::thread& thread : threads) thread.join();
}

void Ranks::Start(std::uint32_t index, const HcclRootInfo& root, std::size_t user_bytes) {
  Rank& self = ranks_[index];
  self.rank = index;
  SOFTHCCL_BENCH_REQUIRE(aclrtSetDevice(static_cast<std::int32_t>(index)));
  SOFTHCCL_BENCH_REQUIRE(HcclCommInitRootInfo(size(), &root, index, &self.comm));
  SOFTHCCL_BENCH_REQUIRE(aclrtCreateStream(&self.stream));
  void* user = nullptr;
  SOFTHCCL_BENCH_REQUIRE(aclrtMalloc(&user, user_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  self.user = static_cast<std::byte*>(user);
  for (std::uint32_t peer = 1; peer < size(); ++peer) {
    for (int i = 0; i < kWarmUp && (index == 0 || index == peer); ++i) {
      QueueTransfer(self, peer, 8);
      SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
    }
  }
  if (index < 2) AcquireThreadAndChannel(self);
}

Rank& Ranks::Enter(std::uint32_t index) {
  SOFTHCCL_BENCH_REQUIRE(aclrtSetDevice(static_cast<std::int32_t>(index)));
  return ranks_[index];
}

void Ranks::QueueTransfer(const Rank& self, std::uint32_t peer, std::size_t bytes) const {
  const Operator::Function function = self.rank == 0 ? operator_.send : operator_.receive;
  SOFTHCCL_BENCH_REQUIRE(
      function(self.user, bytes, HCCL_DATA_TYPE_INT8, self.rank == 0 ? peer : 0, self.comm, self.stream));
}

void Ranks::QueueDevicePairs(const Rank& self, std::size_t bytes, int count) {
  const ThreadHandle thread = self.thread;
  SOFTHCCL_BENCH_REQUIRE(HcommBatchModeStart("device pairs"));
  SOFTHCCL_BENCH_REQUIRE(HcommAclrtNotifyWaitOnThread(thread, self.start_id, kLimit));
  for (int i = 0; i < count; ++i) {
    if (self.rank == 0) {
      if (bytes > 0) SOFTHCCL_BENCH_REQUIRE(HcommLocalCopyOnThread(thread, self.staging, self.user, bytes));
      SOFTHCCL_BENCH_REQUIRE(HcommChannelNotifyRecordOnThread(thread, self.channel, kAck));
      SOFTHCCL_BENCH_REQUIRE(HcommChannelNotifyWaitOnThread(thread, self.channel, kSignal, kLimit));
    } else {
      SOFTHCCL_BENCH_REQUIRE(HcommChannelNotifyWaitOnThread(thread, self.channel, kAck, kLimit));
      if (bytes > 0) SOFTHCCL_BENCH_REQUIRE(HcommReadOnThread(thread, self.channel, self.user, self.staging, bytes));
      SOFTHCCL_BENCH_REQUIRE(HcommChannelNotifyRecordOnThread(thread, self.channel, kSignal));
    }
  }
  SOFTHCCL_BENCH_REQUIRE(HcommAclrtNotifyRecordOnThread(thread, self.end_id));
  SOFTHCCL_BENCH_REQUIRE(HcommBatchModeEnd("device pairs"));
}

void Ranks::RunDevicePairs(const Rank& self) {
  SOFTHCCL_BENCH_REQUIRE(aclrtRecordNotify(self.start, self.stream));
  SOFTHCCL_BENCH_REQUIRE(aclrtWaitAndResetNotify(self.end, self.stream, kLimit));
  SOFTHCCL_BENCH_REQUIRE(aclrtSynchronizeStream(self.stream));
}

void SpinBarrier::Meet() {
  const std::uint32_t round = arrived_.fetch_add(1) / 2;
  for (int spins = 1; arrived_.load() / 2 == round; ++spins) {
    if (spins % 10000 == 0) ::sched_yield();  // the other thread may need this core
  }
}

}  // namespace softhccl::bench
