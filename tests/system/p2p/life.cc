// Destroying in every order, twice, too early or never, and using what is gone (needs A12, A18): no crash, no hang, and
// a code that says so.
#include <cstdio>

#include "driver.h"
#include "hccl/hcomm_primitives.h"

namespace p2p_test {
namespace {

constexpr HcclDataType kInt = HCCL_DATA_TYPE_INT32;

// One message from rank 0 to rank 1, so that there is something to tear down.
void Exchange(const Rank& self) {
  const DeviceMemory data(sizeof(int32_t));
  data.SetInt(0, self.rank == 0 ? 9 : -1);
  if (self.rank == 0) EXPECT(self.Send(data.Get(), 1, kInt, 1) == HCCL_SUCCESS);
  if (self.rank == 1) EXPECT(self.Recv(data.Get(), 1, kInt, 0) == HCCL_SUCCESS);
  EXPECT(self.Sync() == 0);
  EXPECT(data.GetInt(0) == 9);
}

void Destroy_Twice_TheSecondIsRefused() {
  RunRanks(2, 1, [](Rank& self) {
    Exchange(self);
    EXPECT(HcclCommDestroy(self.Comm()) == HCCL_SUCCESS);
    EXPECT(HcclCommDestroy(self.Comm()) == HCCL_E_PARA);
    self.comms[0] = nullptr;
  });
}

void Use_AfterDestroy_IsRefused() {
  RunRanks(2, 1, [](Rank& self) {
    Exchange(self);
    HcclComm stale = self.Comm();
    EXPECT(HcclCommDestroy(stale) == HCCL_SUCCESS);
    const DeviceMemory data(sizeof(int32_t));
    const auto call = self.rank == 0 ? HcclSendCustom : HcclRecvCustom;
    EXPECT(call(data.Get(), 1, kInt, 1 - self.rank, stale, self.stream) == HCCL_E_PARA);
    uint32_t size = 77;
    EXPECT(HcclGetRankSize(stale, &size) == HCCL_E_PARA);
    EXPECT(size == 77);
    self.comms[0] = nullptr;
  });
}

void PeerLeaves_WithoutDestroying_TheOtherDestroys() {
  RunRanks(2, 1, [](Rank& self) {
    Exchange(self);
    if (self.rank == 1) self.comms[0] = nullptr;  // forgotten
    self.Meet();
  });
}

void ResetDevice_BeforeDestroy_NothingBreaks() {
  RunRanks(2, 1, [](Rank& self) {
    Exchange(self);
    EXPECT(aclrtDestroyStream(self.stream) == 0);
    self.stream = nullptr;
    EXPECT(aclrtResetDevice(static_cast<int32_t>(self.rank)) == 0);
    // Device 0 was set by the main thread, too, so it is still there for rank 0.
    EXPECT(HcclCommDestroy(self.Comm()) == (self.rank == 0 ? HCCL_SUCCESS : HCCL_E_RUNTIME));
    self.comms[0] = nullptr;
  });
}

// Rank 0 gives up on a send that nobody receives: its wait ends, and the stream says that it failed.
void Destroy_WithASendPending_EndsIt() {
  RunRanks(2, 1, [](Rank& self) {
    Exchange(self);
    if (self.rank == 0) {
      const DeviceMemory data(sizeof(int32_t));
      EXPECT(self.Send(data.Get(), 1, kInt, 1) == HCCL_SUCCESS);
      SleepFor(0.2);  // the kernel has returned and the thread waits
      EXPECT(HcclCommDestroy(self.Comm()) == HCCL_SUCCESS);
      EXPECT(self.Sync() != 0);
      self.comms[0] = nullptr;
    }
    self.Meet();
  });
}

// needs A09: what the operator keeps for a communicator must not pile up. A fresh notify gets the lowest number that is
// free, so its number tells how many are in use.
void Communicators_HundredInARow_LeaveNoNotifies() {
  uint32_t highest = 0;
  for (int i = 0; i < 100 && !HasFailed(); ++i) {
    RunRanks(2, 1, [&highest](Rank& self) {
      Exchange(self);
      aclrtNotify fresh = nullptr;
      uint32_t id = 0;
      EXPECT(aclrtCreateNotify(&fresh, ACL_NOTIFY_DEFAULT) == 0);
      EXPECT(aclrtGetNotifyId(fresh, &id) == 0);
      EXPECT(aclrtDestroyNotify(fresh) == 0);
      if (self.rank == 0) highest = id;
    });
  }
  printf("after 100 communicators a fresh notify of device 0 has number %u\n", highest);
  EXPECT(highest < 20);
}

// needs A12: a kernel that is launched when the communicator goes and runs afterwards must fail and leave alone the
// memory of the engine context, which is somebody else's by then.
void Destroy_WithALaunchQueued_ItFailsAndWritesNothing() {
  RunRanks(2, 1, [](Rank& self) {
    Exchange(self);
    if (self.rank == 0) {
      void* context = nullptr;
      uint64_t bytes = 0;
      EXPECT(HcclEngineCtxGet(self.Comm(), "hccl_custom_p2p", COMM_ENGINE_AICPU, &context, &bytes) == HCCL_SUCCESS);
      aclrtStream other = nullptr;
      aclrtNotify gate = nullptr;
      EXPECT(aclrtCreateStream(&other) == 0);
      EXPECT(aclrtCreateNotify(&gate, ACL_NOTIFY_DEFAULT) == 0);
      const DeviceMemory data(sizeof(int32_t));
      EXPECT(aclrtWaitAndResetNotify(gate, self.stream, 0) == 0);
      EXPECT(self.Send(data.Get(), 1, kInt, 1) == HCCL_SUCCESS);
      EXPECT(HcclCommDestroy(self.Comm()) == HCCL_SUCCESS);
      self.comms[0] = nullptr;
      const DeviceMemory next(bytes);
      EXPECT(next.Get() == context);  // the allocator gives the freed place again, or this test shows nothing
      next.Fill(bytes, 4711);
      EXPECT(aclrtRecordNotify(gate, other) == 0);
      EXPECT(self.Sync() != 0);
      EXPECT(next.Holds(bytes, 4711));
      EXPECT(aclrtDestroyNotify(gate) == 0);
      EXPECT(aclrtDestroyStream(other) == 0);
    }
    self.Meet();
  });
}

// needs A18: what the operator keeps from its first call must not be bound to the stream of that call.
void Stream_DestroyedAfterTwoCalls_AnotherOneWorks() {
  RunRanks(2, 1, [](Rank& self) {
    for (int round = 0; round < 3; ++round) {
      Exchange(self);
      Exchange(self);
      EXPECT(aclrtDestroyStream(self.stream) == 0);
      EXPECT(aclrtCreateStream(&self.stream) == 0);
    }
    Exchange(self);
  });
}

// needs A18: a thread that was made of a stream is refused by name when the stream is gone; another one works.
void Thread_OfADestroyedStream_IsRefused() {
  RunRanks(1, 1, [](Rank& self) {
    ThreadHandle stale = 0;
    EXPECT(HcclThreadAcquireWithStream(self.Comm(), COMM_ENGINE_CPU_TS, self.stream, 1, &stale) == HCCL_SUCCESS);
    EXPECT(aclrtDestroyStream(self.stream) == 0);
    EXPECT(aclrtCreateStream(&self.stream) == 0);
    EXPECT(HcommThreadNotifyRecordOnThread(stale, stale, 0) != 0);
    ThreadHandle fresh = 0;
    EXPECT(HcclThreadAcquireWithStream(self.Comm(), COMM_ENGINE_CPU_TS, self.stream, 1, &fresh) == HCCL_SUCCESS);
    EXPECT(fresh != stale);
    EXPECT(HcommThreadNotifyRecordOnThread(fresh, fresh, 0) == 0);
    EXPECT(HcommThreadNotifyWaitOnThread(fresh, 0, 10) == 0);
    EXPECT(self.Sync() == 0);
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& LifeCases() {
  static const std::vector<Case> cases = {CASE(Destroy_Twice_TheSecondIsRefused),
                                          CASE(Use_AfterDestroy_IsRefused),
                                          CASE(PeerLeaves_WithoutDestroying_TheOtherDestroys),
                                          CASE(ResetDevice_BeforeDestroy_NothingBreaks),
                                          CASE(Destroy_WithASendPending_EndsIt),
                                          CASE(Destroy_WithALaunchQueued_ItFailsAndWritesNothing),
                                          CASE(Communicators_HundredInARow_LeaveNoNotifies),
                                          CASE(Stream_DestroyedAfterTwoCalls_AnotherOneWorks),
                                          CASE(Thread_OfADestroyedStream_IsRefused)};
  return cases;
}

}  // namespace p2p_test
