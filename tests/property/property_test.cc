// 10 000 random programs per run must end as the sequential model does. A failing program shrinks to a small one, which
// is printed with the variable that replays it: RC_PARAMS="reproduce=..."; RC_PARAMS="max_success=1000000" runs longer.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>

#include "world.h"

namespace softhccl::property {
namespace {

// Kept from program to program, made anew after a failure, which leaves the communicator unusable.
std::string RunOnWorld(const Program& program, const Submission& submission, Memory* memory) {
  static std::map<int, std::unique_ptr<World>> worlds;
  std::unique_ptr<World>& world = worlds[program.ranks];
  if (world == nullptr) world = std::make_unique<World>(program.ranks);
  std::string failure = world->Run(program, submission, memory);
  if (!failure.empty()) world.reset();
  return failure;
}

std::string Print(const Program& program) {
  std::ostringstream text;
  for (const Step& step : program.steps) text << Describe(step) << '\n';
  return text.str();
}

TEST(PropertyTest, RandomPrograms_EndAsTheModel) {
  std::size_t operations = 0;
  std::size_t programs = 0;
  const bool held = rc::check("a program ends as its steps one after the other do", [&] {
    const int ranks = *rc::gen::inRange(2, 5);
    const auto genes = *rc::gen::arbitrary<std::vector<Gene>>();
    const Submission submission{*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<bool>()};
    const Program program = MakeProgram(ranks, genes);
    RC_LOG() << "ranks " << ranks << ", batched " << submission.batched << '\n' << Print(program);
    Memory expected = InitialMemory(ranks);
    Memory actual = expected;
    RunModel(program, &expected);
    const std::string failure = RunOnWorld(program, submission, &actual);
    RC_ASSERT(failure == "");
    RC_ASSERT(actual == expected);
    operations += program.steps.size();
    ++programs;
  });
  EXPECT_TRUE(held);
  // The generator must not have dropped everything.
  EXPECT_GT(operations, programs * 5);
  std::printf("%zu programs, %zu steps\n", programs, operations);
}

}  // namespace
}  // namespace softhccl::property
