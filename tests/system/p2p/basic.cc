// One sender and one receiver: does the data arrive, whatever the count, the type and the number of repetitions?
#include <algorithm>
#include <string>

#include "driver.h"

namespace p2p_test {
namespace {

struct Type {
  HcclDataType type;
  uint64_t bytes;
};
const Type kTypes[] = {
    {HCCL_DATA_TYPE_INT8, 1},    {HCCL_DATA_TYPE_INT16, 2},  {HCCL_DATA_TYPE_INT32, 4},   {HCCL_DATA_TYPE_FP16, 2},
    {HCCL_DATA_TYPE_FP32, 4},    {HCCL_DATA_TYPE_INT64, 8},  {HCCL_DATA_TYPE_UINT64, 8},  {HCCL_DATA_TYPE_UINT8, 1},
    {HCCL_DATA_TYPE_UINT16, 2},  {HCCL_DATA_TYPE_UINT32, 4}, {HCCL_DATA_TYPE_FP64, 8},    {HCCL_DATA_TYPE_BFP16, 2},
    {HCCL_DATA_TYPE_INT128, 16}, {HCCL_DATA_TYPE_HIF8, 1},   {HCCL_DATA_TYPE_FP8E4M3, 1}, {HCCL_DATA_TYPE_FP8E5M2, 1},
    {HCCL_DATA_TYPE_FP8E8M0, 1},
};

// Rank 0 sends `count` elements of the pattern of `seed` to rank 1, which checks them and that nothing lies behind.
void Transfer(const Rank& self, const DeviceMemory& data, uint64_t count, const Type& type, uint32_t seed) {
  constexpr std::size_t kGuard = 64;
  const std::size_t bytes = count * type.bytes;
  data.Fill(std::min(bytes + kGuard, data.Bytes()), self.rank == 0 ? seed : ~seed);
  if (self.rank == 0) {
    EXPECT(self.Send(data.Get(), count, type.type, 1) == HCCL_SUCCESS);
    EXPECT(self.Sync() == 0);
    return;
  }
  uint8_t before[kGuard] = {};
  uint8_t after[kGuard] = {};
  const std::size_t guard = std::min(kGuard, data.Bytes() - bytes);
  data.Download(bytes, before, guard);
  EXPECT(self.Recv(data.Get(), count, type.type, 0) == HCCL_SUCCESS);
  EXPECT(self.Sync() == 0);
  EXPECT(data.Holds(bytes, seed));
  data.Download(bytes, after, guard);
  EXPECT(std::equal(before, before + guard, after));
}

void Repeat_ThousandTimes_EveryValueIsRight() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(4 * sizeof(int32_t));
    for (int32_t i = 0; i < 1000; ++i) {
      data.SetInt(0, self.rank == 0 ? i : -1);
      if (self.rank == 0) EXPECT(self.Send(data.Get(), 1, HCCL_DATA_TYPE_INT32, 1) == HCCL_SUCCESS);
      if (self.rank == 1) EXPECT(self.Recv(data.Get(), 1, HCCL_DATA_TYPE_INT32, 0) == HCCL_SUCCESS);
      EXPECT(self.Sync() == 0);
      EXPECT(data.GetInt(0) == i);
      if (HasFailed()) return;
    }
  });
}

// All are queued before the first can be looked at.
void Repeat_ThousandQueuedAtOnce_ArriveInOrder() {
  RunRanks(2, 1, [](Rank& self) {
    constexpr int32_t kCalls = 1000;
    const DeviceMemory data(kCalls * sizeof(int32_t));
    for (int32_t i = 0; i < kCalls; ++i) data.SetInt(i, self.rank == 0 ? i : -1);
    for (int32_t i = 0; i < kCalls; ++i) {
      if (self.rank == 0) EXPECT(self.Send(data.Int(i), 1, HCCL_DATA_TYPE_INT32, 1) == HCCL_SUCCESS);
      if (self.rank == 1) EXPECT(self.Recv(data.Int(i), 1, HCCL_DATA_TYPE_INT32, 0) == HCCL_SUCCESS);
    }
    EXPECT(self.Sync() == 0);
    for (int32_t i = 0; i < kCalls; ++i) EXPECT(data.GetInt(i) == i);
  });
}

void Sizes_FromZeroToTheFullBuffer_Arrive() {
  RunRanks(2, 1, [](Rank& self) {
    void* buffer = nullptr;
    uint64_t bufferBytes = 0;
    EXPECT(HcclGetHcclBuffer(self.Comm(), &buffer, &bufferBytes) == HCCL_SUCCESS);
    const DeviceMemory data(bufferBytes);
    const Type type = {HCCL_DATA_TYPE_INT32, sizeof(int32_t)};
    const uint64_t full = bufferBytes / type.bytes;
    const uint64_t counts[] = {0, 1, 3, 4095, 4096, 4097, 65537, full - 1, full, 0, 5};
    uint32_t seed = 1;
    for (const uint64_t count : counts) Transfer(self, data, count, type, seed++);
  });
}

void Types_AllOfThem_Arrive() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(20000 * 16);
    uint32_t seed = 100;
    for (const Type& type : kTypes) {
      for (const uint64_t count : {uint64_t{1}, uint64_t{4097}, uint64_t{17777}}) {
        Transfer(self, data, count, type, seed++);
      }
    }
  });
}

// The default buffer of 400 MB, checked at places a prime distance apart.
void Sizes_FullDefaultBuffer_Arrives() {
  RunRanks(2, 1, [](Rank& self) {
    void* buffer = nullptr;
    uint64_t bytes = 0;
    EXPECT(HcclGetHcclBuffer(self.Comm(), &buffer, &bytes) == HCCL_SUCCESS);
    EXPECT(bytes == uint64_t{400} * 1024 * 1024);
    const DeviceMemory data(bytes);
    const std::size_t count = bytes / sizeof(int32_t);
    for (std::size_t i = 0; i < count && self.rank == 0; i += 104729) data.SetInt(i, static_cast<int32_t>(i));
    if (self.rank == 0) data.SetInt(count - 1, 4711);
    if (self.rank == 0) EXPECT(self.Send(data.Get(), count, HCCL_DATA_TYPE_INT32, 1) == HCCL_SUCCESS);
    if (self.rank == 1) EXPECT(self.Recv(data.Get(), count, HCCL_DATA_TYPE_INT32, 0) == HCCL_SUCCESS);
    EXPECT(self.Sync() == 0);
    for (std::size_t i = 0; i < count && !HasFailed(); i += 104729) EXPECT(data.GetInt(i) == static_cast<int32_t>(i));
    EXPECT(data.GetInt(count - 1) == 4711);
  });
}

// needs A08: with HCCL_BUFFSIZE=1 the HcclBuffer has 2 MiB; one element more is refused on both sides.
void Buffer_OneElementTooMuch_IsRefusedOnBothSides() {
  RunRanks(2, 1, [](Rank& self) {
    const uint64_t fits = 2 * 1024 * 1024 / sizeof(int32_t);
    const DeviceMemory data((fits + 1) * sizeof(int32_t));
    Transfer(self, data, fits, {HCCL_DATA_TYPE_INT32, sizeof(int32_t)}, 7);
    if (self.rank == 0) EXPECT(self.Send(data.Get(), fits + 1, HCCL_DATA_TYPE_INT32, 1) == HCCL_E_PARA);
    if (self.rank == 1) EXPECT(self.Recv(data.Get(), fits + 1, HCCL_DATA_TYPE_INT32, 0) == HCCL_E_PARA);
    EXPECT(self.Sync() == 0);
    self.Meet();
    Transfer(self, data, 3, {HCCL_DATA_TYPE_INT32, sizeof(int32_t)}, 8);
  });
}

// needs A20.
void Zero_ThenFour_TheSecondIsRight() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(64);
    Transfer(self, data, 0, {HCCL_DATA_TYPE_FP32, 4}, 1);
    Transfer(self, data, 4, {HCCL_DATA_TYPE_FP32, 4}, 2);
  });
}

}  // namespace

#define CASE(name) {#name, name}
const std::vector<Case>& BasicCases() {
  static const std::vector<Case> cases = {
      CASE(Repeat_ThousandTimes_EveryValueIsRight), CASE(Repeat_ThousandQueuedAtOnce_ArriveInOrder),
      CASE(Sizes_FromZeroToTheFullBuffer_Arrive),   CASE(Types_AllOfThem_Arrive),
      CASE(Sizes_FullDefaultBuffer_Arrives),        CASE(Buffer_OneElementTooMuch_IsRefusedOnBothSides),
      CASE(Zero_ThenFour_TheSecondIsRight)};
  return cases;
}

}  // namespace p2p_test
