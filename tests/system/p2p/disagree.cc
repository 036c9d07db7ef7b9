// needs A02: the sender and the receiver do not mean the same. Both must learn what both passed, whatever the order in
// which they come, and the receiver's memory must stay what it was.
#include <cstdio>
#include <string>

#include "driver.h"

namespace p2p_test {
namespace {

struct Side {
  uint64_t count;
  HcclDataType type;
};

// Rank 0 sends, rank 1 receives and finds nothing changed; each prints what it was told. `late`: the rank that comes
// half a second after the other, so that the other one waits already.
void Disagree(const Side& sender, const Side& receiver, uint32_t late) {
  RunRanks(2, 1, [&](Rank& self) {
    ConnectAllPairs(self);
    const DeviceMemory data(256);
    data.Fill(data.Bytes(), self.rank + 1);
    self.Meet();
    if (self.rank == late) SleepFor(0.5);
    const Side& side = self.rank == 0 ? sender : receiver;
    if (self.rank == 0) EXPECT(self.Send(data.Get(), side.count, side.type, 1) == HCCL_SUCCESS);
    if (self.rank == 1) EXPECT(self.Recv(data.Get(), side.count, side.type, 0) == HCCL_SUCCESS);
    EXPECT(self.Sync() != 0);
    const char* const message = aclGetRecentErrMsg();
    std::printf("rank %u was told: %s\n", self.rank, message == nullptr ? "nothing" : message);
    EXPECT(data.Holds(data.Bytes(), self.rank + 1));
  });
}

const Side kTen = {10, HCCL_DATA_TYPE_FP32};
const Side kTwelve = {12, HCCL_DATA_TYPE_FP32};

void Counts_TenSentTwelveReceived_FailOnBothSides() { Disagree(kTen, kTwelve, 2); }
void Counts_TwelveSentTenReceived_FailOnBothSides() { Disagree(kTwelve, kTen, 2); }
void Counts_SenderIsLate_FailOnBothSides() { Disagree(kTen, kTwelve, 0); }
void Counts_ReceiverIsLate_FailOnBothSides() { Disagree(kTen, kTwelve, 1); }
void Counts_NothingSent_FailOnBothSides() { Disagree({0, HCCL_DATA_TYPE_FP32}, kTwelve, 2); }

// The data arrives as it is.
void Types_SameBytes_WarnOnBothSides() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(32);
    data.Fill(32, self.rank + 1);
    if (self.rank == 0) EXPECT(self.Send(data.Get(), 8, HCCL_DATA_TYPE_FP32, 1) == HCCL_SUCCESS);
    if (self.rank == 1) EXPECT(self.Recv(data.Get(), 16, HCCL_DATA_TYPE_FP16, 0) == HCCL_SUCCESS);
    EXPECT(self.Sync() == 0);
    EXPECT(data.Holds(32, 1));
  });
}

// Every operation has another size, both directions are on their way at once, and the program has nothing to say.
void Agreement_OtherSizesInBothDirections_IsSilent() {
  RunRanks(3, 1, [](Rank& self) {
    ConnectAllPairs(self);
    aclrtStream receiving = nullptr;
    EXPECT(aclrtCreateStream(&receiving) == 0);
    const DeviceMemory out(4096);
    const DeviceMemory in(4096);
    for (uint32_t round = 0; round < 40; ++round) {
      const uint32_t next = (self.rank + 1 + round % 2) % self.size;
      const uint32_t before = (self.rank + self.size - 1 - round % 2) % self.size;
      EXPECT(self.Send(out.Get(), 10 * round + self.rank, HCCL_DATA_TYPE_INT16, next) == HCCL_SUCCESS);
      EXPECT(HcclRecvCustom(in.Get(), 10 * round + before, HCCL_DATA_TYPE_INT16, before, self.Comm(), receiving) ==
             HCCL_SUCCESS);
      if (round % 4 != 3) continue;
      EXPECT(self.Sync() == 0);
      EXPECT(aclrtSynchronizeStream(receiving) == 0);
    }
    EXPECT(aclrtDestroyStream(receiving) == 0);
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& DisagreeCases() {
  static const std::vector<Case> cases = {
      CASE(Counts_TenSentTwelveReceived_FailOnBothSides), CASE(Counts_TwelveSentTenReceived_FailOnBothSides),
      CASE(Counts_SenderIsLate_FailOnBothSides),          CASE(Counts_ReceiverIsLate_FailOnBothSides),
      CASE(Counts_NothingSent_FailOnBothSides),           CASE(Types_SameBytes_WarnOnBothSides),
      CASE(Agreement_OtherSizesInBothDirections_IsSilent)};
  return cases;
}

}  // namespace p2p_test
