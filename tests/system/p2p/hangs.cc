// Programs that wait for something that does not come, or comes late: what ends, when, and with which words? The words
// are checked by the ctest entries; here are the return codes, the times, and that the process can be cleaned up.
#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#include "driver.h"

namespace p2p_test {
namespace {

constexpr HcclDataType kInt = HCCL_DATA_TYPE_INT32;

// A line that the test reads: the code and the time of a synchronise.
aclError TimedSync(const Rank& self, double since) {
  const aclError code = self.Sync();
  printf("rank %u: synchronise ended with %d after %.2f s\n", self.rank, code, Now() - since);
  fflush(stdout);
  return code;
}

// The wait of the user's stream ends at the same time as the waits of the communicator's threads, which abort it.
bool BecomesAborted(const Rank& self) {
  HcclResult asyncError = HCCL_SUCCESS;
  for (const double start = Now(); asyncError == HCCL_SUCCESS && Now() - start < 10; SleepFor(0.001)) {
    EXPECT(HcclGetCommAsyncError(self.Comm(), &asyncError) == HCCL_SUCCESS);
  }
  return asyncError != HCCL_SUCCESS;
}

// A deadlock must be reported this many seconds after it began to be one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kReportSeconds = 10;
#else
constexpr double kReportSeconds = 2;
#endif

// needs A01. The send is a rendezvous, so this must not succeed by buffering, whatever the size.
void RunBothSendFirst(uint64_t count) {
  std::array<double, 2> begun{};
  std::array<double, 2> ended{};
  RunRanks(2, 1, [&, count](Rank& self) {
    ConnectAllPairs(self);
    const DeviceMemory data(count * sizeof(int32_t));
    const uint32_t peer = 1 - self.rank;
    EXPECT(self.Send(data.Get(), count, kInt, peer) == HCCL_SUCCESS);
    EXPECT(self.Recv(data.Get(), count, kInt, peer) == HCCL_SUCCESS);
    begun[self.rank] = Now();
    EXPECT(TimedSync(self, begun[self.rank]) != 0);
    ended[self.rank] = Now();
    EXPECT(BecomesAborted(self));
    self.Meet();
    if (self.rank == 0) {
      // Until both ranks wait, one of them could still do something.
      const double took = std::min(ended[0], ended[1]) - std::max(begun[0], begun[1]);
      printf("the deadlock was reported after %.2f s, allowed are %.0f s\n", took, kReportSeconds);
      EXPECT(took < kReportSeconds);
    }
    EXPECT(self.Send(data.Get(), count, kInt, peer) != HCCL_SUCCESS || self.Sync() != 0);
  });
}
void BothSendFirst_OneElement_IsADeadlock() { RunBothSendFirst(1); }
void BothSendFirst_MillionElements_IsADeadlock() { RunBothSendFirst(1000000); }

void BothSendFirst_OneSideSwapped_Succeeds() {
  for (const uint64_t count : {uint64_t{1}, uint64_t{1000000}}) {
    RunRanks(2, 1, [count](Rank& self) {
      const DeviceMemory out(count * sizeof(int32_t));
      const DeviceMemory in(count * sizeof(int32_t));
      out.SetInt(count - 1, static_cast<int32_t>(self.rank) + 50);
      for (uint32_t step = 0; step < 2; ++step) {
        if (step == self.rank)
          EXPECT(self.Send(out.Get(), count, kInt, 1 - self.rank) == HCCL_SUCCESS);
        else
          EXPECT(self.Recv(in.Get(), count, kInt, 1 - self.rank) == HCCL_SUCCESS);
      }
      EXPECT(self.Sync() == 0);
      EXPECT(in.GetInt(count - 1) == static_cast<int32_t>(1 - self.rank) + 50);
    });
  }
}

// needs A29: both communicators on one stream, in opposite orders.
void TwoCommunicators_OppositeOrderOnOneStream_IsADeadlock() {
  RunRanks(2, 2, [](Rank& self) {
    ConnectAllPairs(self);
    const DeviceMemory data(2 * sizeof(int32_t));
    const double start = Now();
    for (uint32_t step = 0; step < 2; ++step) {
      const uint32_t which = self.rank == 0 ? step : 1 - step;
      const auto call = self.rank == 0 ? HcclSendCustom : HcclRecvCustom;
      EXPECT(call(data.Int(which), 1, kInt, 1 - self.rank, self.comms[which], self.stream) == HCCL_SUCCESS);
    }
    EXPECT(TimedSync(self, start) != 0);
    EXPECT(Now() - start < 10);
    self.Meet();
  });
}

// needs A03, with SOFTHCCL_WAIT_LIMIT=3. Rank 1 sleeps, so nothing is proven and only the limit ends the wait.
void PeerNeverCalls_WithALimit_EndsThen() {
  RunRanks(2, 1, [](Rank& self) {
    ConnectAllPairs(self);
    const DeviceMemory data(4 * sizeof(int32_t));
    if (self.rank == 1) {
      SleepFor(7);
      return;
    }
    const double start = Now();
    EXPECT(self.Send(data.Get(), 4, kInt, 1) == HCCL_SUCCESS);
    EXPECT(TimedSync(self, start) != 0);
    EXPECT(Now() - start >= 2.9);
    EXPECT(Now() - start < 6.5);  // before rank 1 is back
  });
}

// needs A03: a wait for ever is never ended while the program may still act; there is one warning after 5 s.
void WaitForEver_RecordedAfterTenSeconds_Succeeds() {
  RunRanks(1, 1, [](Rank& self) {
    aclrtStream other = nullptr;
    aclrtNotify notify = nullptr;
    EXPECT(aclrtCreateStream(&other) == 0);
    EXPECT(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT) == 0);
    EXPECT(aclrtWaitAndResetNotify(notify, self.stream, 0) == 0);
    SleepFor(10);
    EXPECT(aclrtRecordNotify(notify, other) == 0);
    EXPECT(self.Sync() == 0);
    EXPECT(aclrtSynchronizeStream(other) == 0);
    EXPECT(aclrtDestroyNotify(notify) == 0);
    EXPECT(aclrtDestroyStream(other) == 0);
  });
}

// The same for the operator: a receiver that computes for a while is late, and late is not wrong.
void ReceiverIsLate_SevenSeconds_Succeeds() {
  RunRanks(2, 1, [](Rank& self) {
    ConnectAllPairs(self);
    const DeviceMemory data(sizeof(int32_t));
    data.SetInt(0, self.rank == 0 ? 5 : 6);
    if (self.rank == 0) EXPECT(self.Send(data.Get(), 1, kInt, 1) == HCCL_SUCCESS);
    if (self.rank == 1) {
      SleepFor(7);
      EXPECT(self.Recv(data.Get(), 1, kInt, 0) == HCCL_SUCCESS);
    }
    EXPECT(self.Sync() == 0);
    EXPECT(data.GetInt(0) == 5);
  });
}

// needs A04, with SOFTHCCL_WAIT_LIMIT=3: a ring in which rank 2 never makes its calls.
void Ring_RankTwoSleeps_TheOthersNameIt() {
  RunRanks(4, 1, [](Rank& self) {
    ConnectAllPairs(self);
    if (self.rank == 2) {
      SleepFor(8);
      return;
    }
    const DeviceMemory data(2 * sizeof(int32_t));
    const double start = Now();
    for (int step = 0; step < 2; ++step) {
      if ((self.rank % 2 == 0) == (step == 0)) {
        EXPECT(self.Send(data.Int(0), 1, kInt, (self.rank + 1) % 4) == HCCL_SUCCESS);
      } else {
        EXPECT(self.Recv(data.Int(1), 1, kInt, (self.rank + 3) % 4) == HCCL_SUCCESS);
      }
    }
    EXPECT(TimedSync(self, start) != 0);
    EXPECT(Now() - start < 7.5);
    const char* const message = aclGetRecentErrMsg();
    EXPECT(message != nullptr);
    printf("rank %u: %s\n", self.rank, message == nullptr ? "no message" : message);
  });
}

// needs A23: the verdict depends neither on the size of the message nor on which rank is late.
void BothSendFirst_AnySizeAndDelay_IsTheSameDeadlock() {
  for (const uint64_t count : {1, 1000, 1000000}) {
    for (const uint32_t late : {0u, 1u, 2u}) {  // 2: nobody
      RunRanks(2, 1, [count, late](Rank& self) {
        ConnectAllPairs(self);
        const DeviceMemory data(count * sizeof(int32_t));
        if (self.rank == late) SleepFor(0.05);
        EXPECT(self.Send(data.Get(), count, kInt, 1 - self.rank) == HCCL_SUCCESS);
        EXPECT(self.Recv(data.Get(), count, kInt, 1 - self.rank) == HCCL_SUCCESS);
        EXPECT(self.Sync() == 107020);
        self.Meet();
      });
    }
  }
}

// needs A05, with SOFTHCCL_CONNECT_LIMIT=2: three of four ranks create the communicator.
void RankNeverJoins_TheOthersNameIt() {
  HcclRootInfo root;
  EXPECT(aclrtSetDevice(0) == 0);
  EXPECT(HcclGetRootInfo(&root) == HCCL_SUCCESS);
  std::vector<std::thread> ranks;
  for (const uint32_t rank : {0u, 1u, 3u}) {
    ranks.emplace_back([rank, &root] {
      EXPECT(aclrtSetDevice(static_cast<int32_t>(rank)) == 0);
      HcclComm comm = nullptr;
      const double start = Now();
      EXPECT(HcclCommInitRootInfo(4, &root, rank, &comm) == HCCL_E_TIMEOUT);
      EXPECT(Now() - start >= 1.9);
      EXPECT(Now() - start < 12);
      EXPECT(comm == nullptr);
      EXPECT(aclrtResetDevice(static_cast<int32_t>(rank)) == 0);
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT(aclrtResetDevice(0) == 0);
}

// needs A05 and A29: the first calls of a pair block the host, so two communicators in opposite orders block each other
// before anything is queued. The limit of two minutes must not be what ends this.
void FirstCalls_OppositeOrderOfCommunicators_AreACycle() {
  RunRanks(2, 2, [](Rank& self) {
    const DeviceMemory data(sizeof(int32_t));
    const double start = Now();
    const auto call = self.rank == 0 ? HcclSendCustom : HcclRecvCustom;
    EXPECT(call(data.Get(), 1, kInt, 1 - self.rank, self.comms[self.rank], self.stream) == HCCL_E_TIMEOUT);
    EXPECT(Now() - start < kReportSeconds);
    self.Meet();
  });
}

// needs A05, with SOFTHCCL_CONNECT_LIMIT=2: only one side makes its first call.
void FirstCall_OnlyOneSide_EndsAtTheConnectLimit() {
  RunRanks(2, 1, [](Rank& self) {
    if (self.rank == 0) {
      const DeviceMemory data(sizeof(int32_t));
      const double start = Now();
      EXPECT(self.Send(data.Get(), 1, kInt, 1) != HCCL_SUCCESS);
      EXPECT(Now() - start >= 1.9);
      EXPECT(Now() - start < 12);
    }
    self.Meet();
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& HangCases() {
  static const std::vector<Case> cases = {CASE(BothSendFirst_OneElement_IsADeadlock),
                                          CASE(BothSendFirst_MillionElements_IsADeadlock),
                                          CASE(BothSendFirst_OneSideSwapped_Succeeds),
                                          CASE(TwoCommunicators_OppositeOrderOnOneStream_IsADeadlock),
                                          CASE(PeerNeverCalls_WithALimit_EndsThen),
                                          CASE(WaitForEver_RecordedAfterTenSeconds_Succeeds),
                                          CASE(ReceiverIsLate_SevenSeconds_Succeeds),
                                          CASE(Ring_RankTwoSleeps_TheOthersNameIt),
                                          CASE(FirstCall_OnlyOneSide_EndsAtTheConnectLimit),
                                          CASE(BothSendFirst_AnySizeAndDelay_IsTheSameDeadlock),
                                          CASE(RankNeverJoins_TheOthersNameIt),
                                          CASE(FirstCalls_OppositeOrderOfCommunicators_AreACycle)};
  return cases;
}

}  // namespace p2p_test
