// needs A22: messages around 2 and 4 GiB, where a 32-bit size would wrap. The user's buffers are sparse, so that only
// the HcclBuffer of the sender takes memory: the one that is sent is zero but for its ends, and the one that is
// received into is the same few megabytes over and over, but for its ends.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "driver.h"

namespace p2p_test {
namespace {

constexpr std::size_t kGibibyte = std::size_t{1} << 30;
constexpr std::size_t kLongest = 4 * kGibibyte + 4;
constexpr std::size_t kEnd = 64;  // bytes that are checked at either end

// Address space for the longest message, of which at most two windows and a little more are backed by memory.
class SparseBuffer {
 public:
  explicit SparseBuffer(bool isAliased) {
    void* const place =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(place != MAP_FAILED);
    data_ = static_cast<uint8_t*>(place);
    if (isAliased) Alias();
  }
  ~SparseBuffer() { EXPECT(munmap(data_, kBytes) == 0); }
  SparseBuffer(const SparseBuffer&) = delete;
  SparseBuffer& operator=(const SparseBuffer&) = delete;
  uint8_t* Get() const { return data_; }

 private:
  static constexpr std::size_t kWindow = 64u << 20;
  static constexpr std::size_t kBytes = kLongest / kWindow * kWindow + kWindow;

  // All windows but the first and those in which a message ends are one piece of memory.
  void Alias() {
    const int file = memfd_create("p2p_test", 0);
    EXPECT(file >= 0 && ftruncate(file, kWindow) == 0);
    for (std::size_t at = kWindow; at < kBytes; at += kWindow) {
      if (at == 2 * kGibibyte - kWindow || at == 2 * kGibibyte || at >= 4 * kGibibyte - kWindow) continue;
      EXPECT(mmap(data_ + at, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED);
    }
    EXPECT(close(file) == 0);
  }

  uint8_t* data_ = nullptr;
};

void Mark(uint8_t* place, std::size_t seed) {
  for (std::size_t i = 0; i < kEnd; ++i) place[i] = static_cast<uint8_t>(seed * 37 + i * 5 + 1);
}

bool IsMarked(const uint8_t* place, std::size_t seed) {
  uint8_t expected[kEnd];
  Mark(expected, seed);
  return std::memcmp(place, expected, kEnd) == 0;
}

// With HCCL_BUFFSIZE=2200 the HcclBuffer has 4400 MiB.
void Sizes_AroundTwoAndFourGibibytes_Arrive() {
  RunRanks(2, 1, [](Rank& self) {
    const SparseBuffer data(self.rank == 1);
    std::size_t seed = 1;
    for (const std::size_t bytes : {2 * kGibibyte - 4, 2 * kGibibyte, 2 * kGibibyte + 4, kLongest}) {
      if (self.rank == 0) {
        Mark(data.Get(), seed);
        Mark(data.Get() + bytes - kEnd, seed + 1);
        EXPECT(self.Send(data.Get(), bytes / sizeof(int32_t), HCCL_DATA_TYPE_INT32, 1) == HCCL_SUCCESS);
      } else {
        Mark(data.Get() + bytes, seed + 2);
        EXPECT(self.Recv(data.Get(), bytes / sizeof(int32_t), HCCL_DATA_TYPE_INT32, 0) == HCCL_SUCCESS);
      }
      EXPECT(self.Sync() == 0);
      EXPECT(IsMarked(data.Get(), seed));
      EXPECT(IsMarked(data.Get() + bytes - kEnd, seed + 1));
      if (self.rank == 1) EXPECT(IsMarked(data.Get() + bytes, seed + 2));  // nothing behind the end
      seed += 3;
    }
  });
}

// A count whose product with the size of an element does not fit 64 bits, and one that wraps to a small number.
void Sizes_BeyondSixtyFourBits_AreRefused() {
  RunRanks(2, 1, [](Rank& self) {
    const DeviceMemory data(sizeof(int32_t));
    for (const uint64_t count : {uint64_t{1} << 62, (uint64_t{1} << 62) + 1, UINT64_MAX}) {
      EXPECT(self.Send(data.Get(), count, HCCL_DATA_TYPE_INT32, 1 - self.rank) == HCCL_E_PARA);
      EXPECT(self.Recv(data.Get(), count, HCCL_DATA_TYPE_INT32, 1 - self.rank) == HCCL_E_PARA);
    }
  });
}

}  // namespace

const std::vector<Case>& LargeCases() {
  static const std::vector<Case> cases = {
      {"Sizes_AroundTwoAndFourGibibytes_Arrive", Sizes_AroundTwoAndFourGibibytes_Arrive},
      {"Sizes_BeyondSixtyFourBits_AreRefused", Sizes_BeyondSixtyFourBits_AreRefused}};
  return cases;
}

}  // namespace p2p_test
