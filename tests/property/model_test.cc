// The test of the test: the model and the generator do what they say, so that an agreement means something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "program.h"

namespace softhccl::property {
namespace {

std::vector<Gene> RandomGenes(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<Gene> genes(count);
  for (Gene& gene : genes) {
    for (std::uint8_t& byte : gene) byte = static_cast<std::uint8_t>(random());
  }
  return genes;
}

TEST(ModelTest, Copy_MovesCellsOfTheRank) {
  Program program{2, {Step{Kind::kCopy, 1, 0, 0, 2, 5, 1, 0, 0, 0}}};
  Memory memory = InitialMemory(2);
  const Memory before = memory;
  RunModel(program, &memory);
  EXPECT_EQ(memory[0], before[0]);
  EXPECT_TRUE(std::equal(memory[1].begin() + 2 * kCellBytes, memory[1].begin() + 3 * kCellBytes,
                         before[1].begin() + 5 * kCellBytes));
}

TEST(ModelTest, WriteReduce_AddsToThePeersCells) {
  Program program{2, {Step{Kind::kWriteReduce, 0, 0, 1, 3, 4, 1, 7, 0, 0}}};
  Memory memory = InitialMemory(2);
  const Memory before = memory;
  RunModel(program, &memory);
  EXPECT_EQ(memory[0], before[0]);
  for (std::size_t i = 0; i < kCellBytes; ++i) {
    const int sum = before[1][3 * kCellBytes + i] + before[0][4 * kCellBytes + i];
    EXPECT_EQ(memory[1][3 * kCellBytes + i], sum % 256);
  }
}

// Every wait has exactly one record before it, and no notify is recorded twice without a wait between.
TEST(GeneratorTest, Notifies_AlternateBetweenRecordAndWait) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 3);
    const Program program = MakeProgram(ranks, RandomGenes(seed, 60));
    std::map<std::tuple<int, int, int, int>, bool> set;
    for (const Step& step : program.steps) {
      const bool is_record = step.kind == Kind::kThreadRecord || step.kind == Kind::kChannelRecord ||
                             step.kind == Kind::kWriteNotify || step.kind == Kind::kWriteReduceNotify;
      if (is_record) {
        const bool is_thread = step.kind == Kind::kThreadRecord;
        bool& bit =
            is_thread ? set[{step.rank, step.peer, -1, step.notify}] : set[{step.peer, -1, step.rank, step.notify}];
        ASSERT_FALSE(bit) << Describe(step);
        bit = true;
      } else if (step.kind == Kind::kThreadWait || step.kind == Kind::kChannelWait) {
        bool& bit = step.kind == Kind::kThreadWait ? set[{step.rank, step.thread, -1, step.notify}]
                                                   : set[{step.rank, -1, step.peer, step.notify}];
        ASSERT_TRUE(bit) << Describe(step);
        bit = false;
      }
    }
  }
}

TEST(GeneratorTest, ManyGenes_GiveOperationsOfEveryKind) {
  std::set<Kind> kinds;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    for (const Step& step : MakeProgram(3, RandomGenes(seed, 60)).steps) kinds.insert(step.kind);
  }
  EXPECT_EQ(kinds.size(), 12U);
}

}  // namespace
}  // namespace softhccl::property
