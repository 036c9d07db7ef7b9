// Destroying in every order, twice, too early or never (needs A12): no crash, no hang, and a code that says so.
#include "driver.h"

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

void Communicators_FiftyInARow_Work() {
  for (int i = 0; i < 50 && !HasFailed(); ++i) RunRanks(2, 1, Exchange);
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& LifeCases() {
  static const std::vector<Case> cases = {CASE(Destroy_Twice_TheSecondIsRefused),
                                          CASE(Use_AfterDestroy_IsRefused),
                                          CASE(PeerLeaves_WithoutDestroying_TheOtherDestroys),
                                          CASE(ResetDevice_BeforeDestroy_NothingBreaks),
                                          CASE(Destroy_WithASendPending_EndsIt),
                                          CASE(Communicators_FiftyInARow_Work)};
  return cases;
}

}  // namespace p2p_test
