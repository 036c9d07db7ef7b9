// Whatever processor runs a reduction, every bit of the result is the portable path's: for operands of every kind, at
// every alignment and count, in place, and without a byte touched beside the range.
#include "transport/reduce_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "transport/reduce.h"

namespace softhccl::transport {
namespace {

using Bytes = std::vector<unsigned char>;

struct Case {
  const ReducePath* path;
  int data_type;
  int op;
};

const ReducePath& Portable() {
  const ReducePaths paths = AllReducePaths();
  return *paths.begin[paths.count - 1];
}

std::vector<Case> CasesOfThisMachine() {
  std::vector<Case> cases;
  const ReducePaths paths = AllReducePaths();
  for (int i = 0; i < paths.count; ++i) {
    for (int type = 0; type < kDataTypes; ++type) {
      for (int op = 0; op < kReduceOps; ++op) {
        const ReducePath* path = paths.begin[i];
        if (path->available && path->apply[type][op] != nullptr) cases.push_back({path, type, op});
      }
    }
  }
  return cases;
}

// Random bits with many elements of the kinds that differ: zeros, subnormals, infinities, NaNs, values near each other.
Bytes Operands(std::size_t size, std::size_t element, unsigned seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
  for (std::size_t at = 0; at + element <= size; at += element) {
    unsigned char& top = bytes[at + element - 1];
    const unsigned kind = random() % 8;
    if (kind == 0) std::memset(&bytes[at], 0, element);
    if (kind <= 1) top &= 0x80;                                                 // zero or subnormal
    if (kind == 2) top |= 0x7F;                                                 // infinite, NaN or large
    if (kind == 3) top = static_cast<unsigned char>(0x3C | (random() & 0x81));  // about one
    if (kind == 4 && element > 1) std::memset(&bytes[at], 0, element - 1);
  }
  return bytes;
}

class ReducePathTest : public ::testing::TestWithParam<Case> {
 protected:
  void Apply(void* dst, const void* src, std::size_t count) const {
    GetParam().path->apply[GetParam().data_type][GetParam().op](dst, src, count);
  }
  // The portable result on aligned memory.
  Bytes Expected(const Bytes& dst, const Bytes& src) const {
    Bytes result = dst;
    Portable().apply[GetParam().data_type][GetParam().op](result.data(), src.data(), dst.size() / element_);
    return result;
  }

  const std::size_t element_ = ElementSize(GetParam().data_type).value();
};

TEST_P(ReducePathTest, ManyOperands_GiveThePortableBits) {
  constexpr std::size_t kCount = 1 << 17;
  const Bytes src = Operands(kCount * element_, element_, 1);
  const Bytes dst = Operands(kCount * element_, element_, 2);
  Bytes result = dst;
  Apply(result.data(), src.data(), kCount);
  const Bytes expected = Expected(dst, src);
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(std::memcmp(&result[i * element_], &expected[i * element_], element_), 0) << "element " << i;
  }
}

TEST_P(ReducePathTest, OddAddressesAndCounts_TouchTheRangeOnly) {
  constexpr std::size_t kMargin = 64;
  for (std::size_t count : {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 257, 1001}) {
    for (const std::size_t shift : {0, 1, 2, 3, 5, 8}) {
      const std::size_t size = count * element_;
      const Bytes src = Operands(size, element_, 3);
      const Bytes dst = Operands(size, element_, 4);
      Bytes from(size + 2 * kMargin, 0x5A);
      Bytes to(size + 2 * kMargin, 0xA5);
      if (size != 0) std::memcpy(&from[kMargin + 3 * shift], src.data(), size);
      if (size != 0) std::memcpy(&to[kMargin + shift], dst.data(), size);
      Bytes expected = to;
      const Bytes sums = Expected(dst, src);
      if (size != 0) std::memcpy(&expected[kMargin + shift], sums.data(), size);
      Apply(&to[kMargin + shift], &from[kMargin + 3 * shift], count);
      ASSERT_EQ(to, expected) << count << " elements at " << shift;
    }
  }
}

TEST_P(ReducePathTest, InPlace_CombinesEachElementWithItself) {
  for (const std::size_t count : {1, 5, 64, 1003}) {
    const Bytes operands = Operands(count * element_, element_, 5);
    Bytes result = operands;
    Apply(result.data(), result.data(), count);
    ASSERT_EQ(result, Expected(operands, operands)) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReducePathTest, ::testing::ValuesIn(CasesOfThisMachine()),
                         [](const ::testing::TestParamInfo<Case>& which) {
                           std::string name = which.param.path->name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name + "_" + std::to_string(which.param.data_type) + "_" +
                                  std::to_string(which.param.op);
                         });

// Filling in a path takes instructions of its processor, too.
TEST(ReducePathsTest, UnavailablePath_IsEmpty) {
  const ReducePaths paths = AllReducePaths();
  for (int i = 0; i < paths.count; ++i) {
    const ReducePath& path = *paths.begin[i];
    bool has_any = false;
    for (const auto& type : path.apply) {
      has_any =
          has_any || std::any_of(std::begin(type), std::end(type), [](ReduceApply apply) { return apply != nullptr; });
    }
    EXPECT_EQ(has_any, path.available) << path.name;
  }
}

TEST(ReducePathsTest, FoundReduction_IsTheFirstAvailablePaths) {
  const ReducePaths paths = AllReducePaths();
  ASSERT_STREQ(Portable().name, "portable");
  EXPECT_TRUE(Portable().available);
  for (const Case& any : CasesOfThisMachine()) {
    ReduceApply first = nullptr;
    for (int i = paths.count - 1; i >= 0; --i) {
      const ReducePath& path = *paths.begin[i];
      if (path.available && path.apply[any.data_type][any.op] != nullptr) first = path.apply[any.data_type][any.op];
    }
    EXPECT_EQ(FindReduction(any.data_type, any.op).value()->apply, first);
  }
}

}  // namespace
}  // namespace softhccl::transport
