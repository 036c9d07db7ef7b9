// Which reductions exist, and what they answer for numbers that HCCL does not have.
#include "transport/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace softhccl::transport {
namespace {

using ::testing::HasSubstr;

TEST(FindReductionTest, EveryTypeAndOperator_IsFound) {
  const std::vector<std::pair<int, std::size_t>> sizes = {{0, 1},   {1, 2},  {2, 4},  {3, 2},  {4, 4},  {5, 8},
                                                          {6, 8},   {7, 1},  {8, 2},  {9, 4},  {10, 8}, {11, 2},
                                                          {12, 16}, {14, 1}, {15, 1}, {16, 1}, {17, 1}};
  for (const auto& [type, size] : sizes) {
    EXPECT_EQ(ElementSize(type).value(), size) << type;
    for (int op = 0; op < 4; ++op) {
      const auto found = FindReduction(type, op);
      ASSERT_TRUE(found) << found.error().message();
      EXPECT_EQ((*found)->data_type, type);
      EXPECT_EQ(static_cast<int>((*found)->op), op);
      EXPECT_EQ((*found)->element_size, size);
    }
  }
}

TEST(FindReductionTest, UnknownNumbers_AreNamedWithTheRange) {
  for (const int type : {-1, 13, 18, 255, 1 << 30}) {
    const auto found = FindReduction(type, 2);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), base::Code::kInvalidParam);
    EXPECT_THAT(found.error().message(), HasSubstr("data type " + std::to_string(type)));
    EXPECT_THAT(found.error().message(), HasSubstr("0 to 12 and 14 to 17"));
    EXPECT_THAT(found.error().message(), HasSubstr("operator 2"));
    EXPECT_EQ(ElementSize(type).error().code(), base::Code::kInvalidParam);
  }
  for (const int op : {-1, 4, 255}) {
    const auto found = FindReduction(4, op);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), base::Code::kInvalidParam);
    EXPECT_THAT(found.error().message(), HasSubstr("reduce operator " + std::to_string(op)));
    EXPECT_THAT(found.error().message(), HasSubstr("data type 4"));
  }
}

TEST(FindReductionTest, Apply_CombinesEveryElement) {
  std::vector<float> dst = {1, 2, 3};
  const std::vector<float> src = {10, 20, -30};
  FindReduction(4, 0).value()->apply(dst.data(), src.data(), dst.size());
  EXPECT_THAT(dst, ::testing::ElementsAre(11, 22, -27));
  FindReduction(4, 2).value()->apply(dst.data(), src.data(), dst.size());
  EXPECT_THAT(dst, ::testing::ElementsAre(11, 22, -27));
  FindReduction(4, 3).value()->apply(dst.data(), src.data(), 2);
  EXPECT_THAT(dst, ::testing::ElementsAre(10, 20, -27));
}

}  // namespace
}  // namespace softhccl::transport
