// Every function that takes a handle, with every kind of value that is none: null, memory that was never written, an
// address of the stack, a handle of another kind, a handle whose object is gone. Each is refused without a crash, by
// name, with the id under which `softhccl explain` tells the difference.
#include <fmt/format.h>

#include <map>

#include "fixture.h"
#include "hcomm/hcomm_primitives_expt.h"

namespace softhccl::conformance {
namespace {

using Call = std::function<int(std::uint64_t)>;

// One handle argument of one function.
struct Probe {
  const char* function;
  const char* kind;  // of the handle that it wants, as messages name it
  Call call;
  bool null_is_valid = false;
};

void* Pointer(std::uint64_t bits) { return reinterpret_cast<void*>(bits); }
std::uint64_t Number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

// Memory for outputs and data; its contents do not matter.
struct Scratch {
  void* pointer = nullptr;
  std::uint64_t size = 0;
  std::uint32_t number = 0;
  std::uint64_t handle = 0;
  HcclResult result = HCCL_SUCCESS;
  char text[256] = {};
  int data[16] = {};
};
Scratch scratch;

HcclChannelDesc GoodDesc() {
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.remoteRank = 0;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  return desc;
}

// Live objects for the other arguments, and handles whose object is gone.
struct World {
  aclrtStream stream = nullptr;
  aclrtNotify notify = nullptr;
  HcclComm comm = nullptr;
  void* memory = nullptr;  // of the device
  std::map<std::string, std::uint64_t> stale;
};
World world;

std::vector<Probe> StreamProbes() {
  const auto async = [](aclError (*function)(aclrtNotify, aclrtStream)) {
    return [function](std::uint64_t bad) { return function(world.notify, Pointer(bad)); };
  };
  return {
      {"aclrtDestroyStream", "stream", [](std::uint64_t bad) { return aclrtDestroyStream(Pointer(bad)); }},
      {"aclrtSynchronizeStream", "stream", [](std::uint64_t bad) { return aclrtSynchronizeStream(Pointer(bad)); },
       true},
      {"aclrtSynchronizeStreamWithTimeout", "stream",
       [](std::uint64_t bad) { return aclrtSynchronizeStreamWithTimeout(Pointer(bad), 10); }, true},
      {"aclrtRecordNotify", "stream", async(aclrtRecordNotify), true},
      {"aclrtWaitAndResetNotify", "stream",
       [](std::uint64_t bad) { return aclrtWaitAndResetNotify(world.notify, Pointer(bad), 1); }, true},
      {"aclrtMemcpyAsync", "stream",
       [](std::uint64_t bad) {
         return aclrtMemcpyAsync(scratch.data, 4, scratch.data + 4, 4, ACL_MEMCPY_DEFAULT, Pointer(bad));
       },
       true},
      {"aclrtMemsetAsync", "stream",
       [](std::uint64_t bad) { return aclrtMemsetAsync(world.memory, 4, 0, 4, Pointer(bad)); }, true},
      {"aclrtDestroyNotify", "notify", [](std::uint64_t bad) { return aclrtDestroyNotify(Pointer(bad)); }},
      {"aclrtGetNotifyId", "notify", [](std::uint64_t bad) { return aclrtGetNotifyId(Pointer(bad), &scratch.number); }},
      {"aclrtRecordNotify", "notify", [](std::uint64_t bad) { return aclrtRecordNotify(Pointer(bad), world.stream); }},
      {"aclrtWaitAndResetNotify", "notify",
       [](std::uint64_t bad) { return aclrtWaitAndResetNotify(Pointer(bad), world.stream, 1); }},
      {"aclrtBinaryGetFunction", "kernel binary",
       [](std::uint64_t bad) { return aclrtBinaryGetFunction(Pointer(bad), "CallBack", &scratch.pointer); }},
      {"aclrtKernelArgsInit", "kernel function",
       [](std::uint64_t bad) { return aclrtKernelArgsInit(Pointer(bad), &scratch.pointer); }},
  };
}

std::vector<Probe> CommProbes() {
  const auto comm = [](auto function, auto... arguments) {
    return [=](std::uint64_t bad) { return static_cast<int>(function(Pointer(bad), arguments...)); };
  };
  void** out = &scratch.pointer;
  return {
      {"HcclCommDestroy", "communicator", comm(HcclCommDestroy), true},
      {"HcclGetRankSize", "communicator", comm(HcclGetRankSize, &scratch.number)},
      {"HcclGetRankId", "communicator", comm(HcclGetRankId, &scratch.number)},
      {"HcclGetCommName", "communicator", comm(HcclGetCommName, scratch.text)},
      {"HcclGetCommAsyncError", "communicator", comm(HcclGetCommAsyncError, &scratch.result)},
      {"HcclGetHcclBuffer", "communicator", comm(HcclGetHcclBuffer, out, &scratch.size)},
      {"HcclEngineCtxCreate", "communicator", comm(HcclEngineCtxCreate, "tag", COMM_ENGINE_CPU, std::uint64_t{8}, out)},
      {"HcclEngineCtxGet", "communicator", comm(HcclEngineCtxGet, "tag", COMM_ENGINE_CPU, out, &scratch.size)},
      {"HcclThreadAcquire", "communicator", comm(HcclThreadAcquire, COMM_ENGINE_CPU, 1u, 1u, &scratch.handle)},
      {"HcclChannelAcquire", "communicator",
       [](std::uint64_t bad) {
         const HcclChannelDesc desc = GoodDesc();
         return static_cast<int>(HcclChannelAcquire(Pointer(bad), COMM_ENGINE_AICPU, &desc, 1, &scratch.handle));
       }},
      {"HcclChannelGetHcclBuffer", "communicator",
       comm(HcclChannelGetHcclBuffer, std::uint64_t{1}, out, &scratch.size)},
      {"HcclChannelGetHcclBuffer", "channel",
       [](std::uint64_t bad) {
         return static_cast<int>(HcclChannelGetHcclBuffer(world.comm, bad, &scratch.pointer, &scratch.size));
       }},
  };
}

std::vector<Probe> DataPlaneProbes() {
  const auto thread = [](auto function, auto... arguments) {
    return [=](std::uint64_t bad) { return static_cast<int>(function(bad, arguments...)); };
  };
  // The channel is looked at before the thread.
  const auto channel = [](auto function, auto... arguments) {
    return [=](std::uint64_t bad) { return static_cast<int>(function(0, bad, arguments...)); };
  };
  void* dst = scratch.data;
  const void* src = scratch.data + 8;
  return {
      {"HcommLocalCopyOnThread", "thread", thread(HcommLocalCopyOnThread, dst, src, std::uint64_t{4})},
      {"HcommReadOnThread", "channel", channel(HcommReadOnThread, dst, src, std::uint64_t{4})},
      {"HcommChannelNotifyRecordOnThread", "channel", channel(HcommChannelNotifyRecordOnThread, 0u)},
      {"HcommChannelNotifyWaitOnThread", "channel", channel(HcommChannelNotifyWaitOnThread, 0u, 1u)},
      {"HcommLocalReduceOnThread", "thread",
       thread(HcommLocalReduceOnThread, dst, src, std::uint64_t{1}, HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM)},
      {"HcommWriteOnThread", "channel", channel(HcommWriteOnThread, dst, src, std::uint64_t{4})},
      {"HcommWriteReduceOnThread", "channel",
       channel(HcommWriteReduceOnThread, dst, src, std::uint64_t{1}, HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM)},
      {"HcommReadReduceOnThread", "channel",
       channel(HcommReadReduceOnThread, dst, src, std::uint64_t{1}, HCOMM_DATA_TYPE_INT32, HCOMM_REDUCE_SUM)},
      {"HcommWriteWithNotifyOnThread", "channel",
       channel(HcommWriteWithNotifyOnThread, dst, src, std::uint64_t{4}, 0u)},
      {"HcommWriteNbi", "channel", thread(HcommWriteNbi, dst, src, std::uint64_t{4})},
      {"HcommReadNbi", "channel", thread(HcommReadNbi, dst, src, std::uint64_t{4})},
      {"HcommChannelNotifyRecord", "channel", thread(HcommChannelNotifyRecord, 0u)},
      {"HcommChannelNotifyWait", "channel", thread(HcommChannelNotifyWait, 0u, 1u)},
      {"HcommChannelFence", "channel", thread(HcommChannelFence)},
      {"HcommChannelFenceOnThread", "channel", channel(HcommChannelFenceOnThread)},
      {"HcommChannelDrainOnThread", "channel", channel(HcommChannelDrainOnThread)},
      {"HcommFenceOnThread", "thread", thread(HcommFenceOnThread)},
      {"HcommThreadNotifyWaitOnThread", "thread", thread(HcommThreadNotifyWaitOnThread, 0u, 1u)},
      {"HcommThreadJoin", "thread", thread(HcommThreadJoin, 1u)},
      {"HcommAclrtNotifyRecordOnThread", "thread", thread(HcommAclrtNotifyRecordOnThread, std::uint64_t{0})},
      {"HcommAclrtNotifyWaitOnThread", "thread", thread(HcommAclrtNotifyWaitOnThread, std::uint64_t{0}, 1u)},
  };
}

std::vector<Probe> AllProbes() {
  std::vector<Probe> all;
  for (const auto& some : {StreamProbes(), CommProbes(), DataPlaneProbes()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

class BadHandleTest : public DeviceTest {
 protected:
  void SetUp() override {
    MakeStaleHandles();
    DeviceTest::SetUp();
    world.stream = stream_;
    EXPECT_EQ(aclrtCreateNotify(&world.notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtMalloc(&world.memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    world.comm = NewComm();
  }
  void TearDown() override {
    EXPECT_EQ(HcclCommDestroy(world.comm), HCCL_SUCCESS);
    EXPECT_EQ(aclrtFree(world.memory), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyNotify(world.notify), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  // Of one rank, on the current device.
  static HcclComm NewComm() {
    HcclRootInfo root;
    HcclComm comm = nullptr;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS);
    return comm;
  }

  static void MakeStaleHandles() {
    RunRanks(2, [](Rank& rank) {
      const ChannelHandle channel = rank.Channel(rank.peer());
      if (rank.id != 0) return;
      aclrtNotify notify = nullptr;
      EXPECT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
      world.stale = {{"stream", Number(rank.stream)},
                     {"notify", Number(notify)},
                     {"communicator", Number(rank.comm)},
                     {"thread", rank.thread},
                     {"channel", channel}};
    });
  }

  void ExpectRefused(const Probe& probe, std::uint64_t bad, const std::vector<std::string>& parts) {
    SCOPED_TRACE(fmt::format("{} with the {} 0x{:x}", probe.function, probe.kind, bad));
    const int code = probe.call(bad);
    EXPECT_NE(code, 0);
    ExpectFailure(code, code, probe.function, parts);
  }
};

TEST_F(BadHandleTest, Null_IsNamed) {
  for (const Probe& probe : AllProbes()) {
    if (!probe.null_is_valid) ExpectRefused(probe, 0, {"(SH-A001)"});
  }
}

TEST_F(BadHandleTest, NeverWritten_IsForeign) {
  const int on_the_stack = 0;
  for (const Probe& probe : AllProbes()) {
    for (const std::uint64_t bad : {0xABABABABABABABABull, 0xCDCDCDCDCDCDCDCDull, 0xFFFFFFFFFFFFFFFFull, 1ull,
                                    static_cast<unsigned long long>(Number(&on_the_stack))}) {
      ExpectRefused(probe, bad, {"uninitialised or foreign value (SH-H001)", probe.kind});
    }
  }
}

TEST_F(BadHandleTest, WrongKind_IsNamedWithBothKinds) {
  for (const Probe& probe : AllProbes()) {
    const bool wants_stream = std::string(probe.kind) == "stream";
    const std::uint64_t other = wants_stream ? Number(world.notify) : Number(world.stream);
    ExpectRefused(
        probe, other,
        {wants_stream ? "is a notify, expected a stream" : "is a stream, expected a", "(SH-H003)", probe.kind});
  }
}

TEST_F(BadHandleTest, Stale_IsNamedAsDestroyed) {
  int probed = 0;
  for (const Probe& probe : AllProbes()) {
    const auto stale = world.stale.find(probe.kind);
    if (stale == world.stale.end()) continue;  // what cannot be destroyed cannot be stale
    ExpectRefused(probe, stale->second, {"that was destroyed", "(SH-H002)"});
    ++probed;
  }
  EXPECT_GT(probed, 25);
}

TEST_F(BadHandleTest, SuccessorInTheSameSlot_IsNotMistakenForThePredecessor) {
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
  EXPECT_EQ(aclrtCreateStream(&first), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream, (first), "that was destroyed", "(SH-H002)");
  EXPECT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
