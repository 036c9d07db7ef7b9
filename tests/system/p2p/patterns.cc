// Several peers, streams, communicators and host threads: who talks to whom, in which order, and does every message
// reach the one it was meant for?
#include <random>
#include <thread>

#include "driver.h"

namespace p2p_test {
namespace {

constexpr HcclDataType kInt = HCCL_DATA_TYPE_INT32;

// Rank r sends to r + 1 and receives from r - 1 on one stream. Even ranks send first, odd ones receive first; with an
// odd number of ranks two even ones are neighbours, which leaves a chain and no cycle. The first calls of the first
// round block the host until they meet, so the documented order is tested, too.
void RunRing(uint32_t size, int rounds) {
  RunRanks(size, 1, [rounds](Rank& self) {
    const uint32_t next = (self.rank + 1) % self.size;
    const uint32_t previous = (self.rank + self.size - 1) % self.size;
    const DeviceMemory data(2 * sizeof(int32_t));
    for (int round = 0; round < rounds && !HasFailed(); ++round) {
      data.SetInt(0, static_cast<int32_t>(self.rank) * 1000 + round);
      data.SetInt(1, -1);
      for (int step = 0; step < 2; ++step) {
        if ((self.rank % 2 == 0) == (step == 0)) {
          EXPECT(self.Send(data.Int(0), 1, kInt, next) == HCCL_SUCCESS);
        } else {
          EXPECT(self.Recv(data.Int(1), 1, kInt, previous) == HCCL_SUCCESS);
        }
      }
      EXPECT(self.Sync() == 0);
      EXPECT(data.GetInt(1) == static_cast<int32_t>(previous) * 1000 + round);
    }
  });
}
void Ring_Four_EveryRankGetsItsNeighbour() { RunRing(4, 50); }
void Ring_Five_EveryRankGetsItsNeighbour() { RunRing(5, 50); }
void Ring_Sixteen_EveryRankGetsItsNeighbour() { RunRing(16, 10); }

void Star_RankZeroSendsToAllOthers_EachGetsItsOwn() {
  RunRanks(8, 1, [](Rank& self) {
    const DeviceMemory data(self.size * sizeof(int32_t));
    for (int32_t round = 0; round < 20; ++round) {
      if (self.rank == 0) {
        for (uint32_t peer = 1; peer < self.size; ++peer) {
          data.SetInt(peer, round * 100 + static_cast<int32_t>(peer));
          EXPECT(self.Send(data.Int(peer), 1, kInt, peer) == HCCL_SUCCESS);
        }
      } else {
        data.SetInt(0, -1);
        EXPECT(self.Recv(data.Int(0), 1, kInt, 0) == HCCL_SUCCESS);
      }
      EXPECT(self.Sync() == 0);
      if (self.rank != 0) EXPECT(data.GetInt(0) == round * 100 + static_cast<int32_t>(self.rank));
    }
  });
}

void AllToAll_BothDirectionsAtOnce_EveryMessageArrives() {
  RunRanks(6, 1, [](Rank& self) {
    ConnectAllPairs(self);
    aclrtStream sending = nullptr;
    EXPECT(aclrtCreateStream(&sending) == 0);
    std::vector<aclrtStream> receiving(self.size);
    const DeviceMemory out(self.size * sizeof(int32_t));
    const DeviceMemory in(self.size * sizeof(int32_t));
    for (uint32_t peer = 0; peer < self.size; ++peer) {
      out.SetInt(peer, static_cast<int32_t>(self.rank * 10 + peer));
      in.SetInt(peer, -1);
      EXPECT(aclrtCreateStream(&receiving[peer]) == 0);
    }
    for (uint32_t peer = 0; peer < self.size; ++peer) {
      if (peer == self.rank) continue;
      EXPECT(HcclRecvCustom(in.Int(peer), 1, kInt, peer, self.Comm(), receiving[peer]) == HCCL_SUCCESS);
      EXPECT(HcclSendCustom(out.Int(peer), 1, kInt, peer, self.Comm(), sending) == HCCL_SUCCESS);
    }
    EXPECT(aclrtSynchronizeStream(sending) == 0);
    EXPECT(aclrtDestroyStream(sending) == 0);
    for (uint32_t peer = 0; peer < self.size; ++peer) {
      EXPECT(aclrtSynchronizeStream(receiving[peer]) == 0);
      EXPECT(aclrtDestroyStream(receiving[peer]) == 0);
      if (peer != self.rank) EXPECT(in.GetInt(peer) == static_cast<int32_t>(peer * 10 + self.rank));
    }
  });
}

// Two messages to the same peer are in flight at once: they are met in the order of the calls (needs A19).
void SamePeer_TwoInFlightWithRandomDelays_NeverSwapped() {
  RunRanks(2, 1, [](Rank& self) {
    std::minstd_rand random(self.rank + 1);
    const DeviceMemory data(2 * sizeof(int32_t));
    for (int32_t i = 0; i < 1000 && !HasFailed(); ++i) {
      if (random() % 8 == 0) SleepFor(1e-4 * static_cast<double>(random() % 10));
      for (int32_t k = 0; k < 2; ++k) data.SetInt(static_cast<std::size_t>(k), self.rank == 0 ? 2 * i + k : -1);
      for (std::size_t k = 0; k < 2; ++k) {
        if (self.rank == 0) EXPECT(self.Send(data.Int(k), 1, kInt, 1) == HCCL_SUCCESS);
        if (self.rank == 1) EXPECT(self.Recv(data.Int(k), 1, kInt, 0) == HCCL_SUCCESS);
        if (random() % 16 == 0) std::this_thread::yield();
      }
      EXPECT(self.Sync() == 0);
      EXPECT(data.GetInt(0) == 2 * i);
      EXPECT(data.GetInt(1) == 2 * i + 1);
    }
  });
}

void Streams_EachMessageOnAnother_KeepTheOrderOfTheCalls() {
  RunRanks(2, 1, [](Rank& self) {
    constexpr int32_t kCalls = 200;
    std::vector<aclrtStream> streams(5);
    for (aclrtStream& stream : streams) EXPECT(aclrtCreateStream(&stream) == 0);
    const DeviceMemory data(kCalls * sizeof(int32_t));
    for (int32_t i = 0; i < kCalls; ++i) data.SetInt(static_cast<std::size_t>(i), self.rank == 0 ? i : -1);
    for (int32_t i = 0; i < kCalls; ++i) {
      const auto index = static_cast<std::size_t>(i);
      // At most 7 may be outstanding when the stream changes.
      if (i % 5 == 0)
        for (aclrtStream stream : streams) EXPECT(aclrtSynchronizeStream(stream) == 0);
      aclrtStream stream = streams[(index * (self.rank == 0 ? 3 : 2)) % streams.size()];
      if (self.rank == 0) EXPECT(HcclSendCustom(data.Int(index), 1, kInt, 1, self.Comm(), stream) == HCCL_SUCCESS);
      if (self.rank == 1) EXPECT(HcclRecvCustom(data.Int(index), 1, kInt, 0, self.Comm(), stream) == HCCL_SUCCESS);
    }
    for (aclrtStream stream : streams) {
      EXPECT(aclrtSynchronizeStream(stream) == 0);
      EXPECT(aclrtDestroyStream(stream) == 0);
    }
    for (int32_t i = 0; i < kCalls; ++i) EXPECT(data.GetInt(static_cast<std::size_t>(i)) == i);
  });
}

// Every call comes from a thread of its own, which sets the device first, as the interface asks.
void HostThreads_AnotherForEachCall_Work() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(sizeof(int32_t));
    for (int32_t i = 0; i < 50; ++i) {
      data.SetInt(0, self.rank == 0 ? i : -1);
      std::thread([&] {
        EXPECT(aclrtSetDevice(static_cast<int32_t>(self.rank)) == 0);
        if (self.rank == 0) EXPECT(self.Send(data.Get(), 1, kInt, 1) == HCCL_SUCCESS);
        if (self.rank == 1) EXPECT(self.Recv(data.Get(), 1, kInt, 0) == HCCL_SUCCESS);
      }).join();
      EXPECT(self.Sync() == 0);
      EXPECT(data.GetInt(0) == i);
    }
  });
}

// Rank 0 uses communicator 0 and then 1, rank 1 the other way round, each on a stream of its own (needs A29). The first
// calls must meet, so both are connected beforehand.
void TwoCommunicators_OppositeOrderOnTwoStreams_Work() {
  RunRanks(2, 2, [](Rank& self) {
    ConnectAllPairs(self);
    std::vector<aclrtStream> streams(2);
    for (aclrtStream& stream : streams) EXPECT(aclrtCreateStream(&stream) == 0);
    const DeviceMemory data(2 * sizeof(int32_t));
    for (int32_t i = 0; i < 100; ++i) {
      for (uint32_t step = 0; step < 2; ++step) {
        const uint32_t which = self.rank == 0 ? step : 1 - step;
        const int32_t value = 10 * i + static_cast<int32_t>(which);
        data.SetInt(which, self.rank == 0 ? value : -1);
        if (self.rank == 0) {
          EXPECT(HcclSendCustom(data.Int(which), 1, kInt, 1, self.comms[which], streams[which]) == HCCL_SUCCESS);
        } else {
          EXPECT(HcclRecvCustom(data.Int(which), 1, kInt, 0, self.comms[which], streams[which]) == HCCL_SUCCESS);
        }
      }
      for (aclrtStream stream : streams) EXPECT(aclrtSynchronizeStream(stream) == 0);
      for (uint32_t which = 0; which < 2; ++which) {
        EXPECT(data.GetInt(which) == 10 * i + static_cast<int32_t>(which));
      }
    }
    for (aclrtStream stream : streams) EXPECT(aclrtDestroyStream(stream) == 0);
  });
}

void OneRank_InitAndDestroy_Work() {
  RunRanks(1, 1, [](Rank& self) { EXPECT(self.Sync() == 0); });
}

void WrongPeer_SelfOrOutOfRange_IsRefusedAtOnce() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(sizeof(int32_t));
    const double before = Now();
    EXPECT(self.Send(data.Get(), 1, kInt, self.rank) == HCCL_E_PARA);
    EXPECT(self.Send(data.Get(), 1, kInt, self.size) == HCCL_E_PARA);
    EXPECT(self.Recv(data.Get(), 1, kInt, self.rank) == HCCL_E_PARA);
    EXPECT(self.Recv(data.Get(), 1, kInt, UINT32_MAX) == HCCL_E_PARA);
    EXPECT(Now() - before < 20);
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& PatternCases() {
  static const std::vector<Case> cases = {CASE(Ring_Four_EveryRankGetsItsNeighbour),
                                          CASE(Ring_Five_EveryRankGetsItsNeighbour),
                                          CASE(Ring_Sixteen_EveryRankGetsItsNeighbour),
                                          CASE(Star_RankZeroSendsToAllOthers_EachGetsItsOwn),
                                          CASE(AllToAll_BothDirectionsAtOnce_EveryMessageArrives),
                                          CASE(SamePeer_TwoInFlightWithRandomDelays_NeverSwapped),
                                          CASE(Streams_EachMessageOnAnother_KeepTheOrderOfTheCalls),
                                          CASE(HostThreads_AnotherForEachCall_Work),
                                          CASE(TwoCommunicators_OppositeOrderOnTwoStreams_Work),
                                          CASE(OneRank_InitAndDestroy_Work),
                                          CASE(WrongPeer_SelfOrOutOfRange_IsRefusedAtOnce)};
  return cases;
}

}  // namespace p2p_test
