// With a seed the scheduler chooses among ready streams pseudo-randomly but reproducibly. A random program whose
// result does not depend on the order must end with that result under every seed; an order that breaks a rule of the
// scheduler would show here, and its seed would show it again.
#include <random>
#include <set>

#include "exec_fixture.h"

namespace softhccl::exec {
namespace {

// A program: tasks in a random order over the streams; a task adds up its predecessors' values, which is only right
// if they have run. Each edge between streams is one notify, recorded by the predecessor and waited for by the task.
struct Task {
  std::size_t stream = 0;
  std::vector<std::size_t> predecessors;
};

std::vector<Task> MakeProgram(std::uint64_t seed, std::size_t tasks, std::size_t streams) {
  std::mt19937_64 random(seed);
  std::vector<Task> program(tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    program[i].stream = random() % streams;
    const std::size_t edges = i == 0 ? 0 : random() % std::min<std::size_t>(i + 1, 4);
    std::set<std::size_t> chosen;
    for (std::size_t k = 0; k < edges; ++k) chosen.insert(random() % i);
    program[i].predecessors.assign(chosen.begin(), chosen.end());
  }
  return program;
}

std::vector<std::uint64_t> ExpectedValues(const std::vector<Task>& program) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < program.size(); ++i) {
    std::uint64_t value = i + 1;
    for (const std::size_t from : program[i].predecessors) value += 3 * values[from];
    values.push_back(value);
  }
  return values;
}

class SchedulerSeed : public ExecTest, public ::testing::WithParamInterface<int> {
 protected:
  struct Run {
    std::vector<std::uint64_t> values;
    std::vector<std::size_t> order;
  };

  Run Execute(const std::vector<Task>& program, std::size_t stream_count, int workers, std::uint64_t seed) {
    Start(workers, -1, seed);
    Run run;
    run.values.resize(program.size());
    std::vector<Stream*> streams;
    for (std::size_t i = 0; i < stream_count; ++i) streams.push_back(NewStream());
    std::vector<Notify*> notifies;
    std::vector<std::vector<Op>> ops(program.size());
    std::vector<std::vector<Op>> records(program.size());
    for (std::size_t i = 0; i < program.size(); ++i) {
      for (const std::size_t from : program[i].predecessors) {
        notifies.push_back(NewNotify());
        records[from].push_back(RecordOf(notifies.back()));
        ops[i].push_back(WaitFor(notifies.back()));
      }
    }
    for (std::size_t i = 0; i < program.size(); ++i) {
      ops[i].push_back(Do([&run, &program, i] {
        run.values[i] = i + 1;
        for (const std::size_t from : program[i].predecessors) run.values[i] += 3 * run.values[from];
        run.order.push_back(i);
      }));
      ops[i].insert(ops[i].end(), records[i].begin(), records[i].end());
    }
    // An op submits everything: it holds the only permit, so no worker starts before the program is complete.
    Stream* starter = NewStream();
    Submit(starter, {Do([&] {
             for (std::size_t i = 0; i < program.size(); ++i) {
               EXPECT_TRUE(scheduler().Submit(*streams[program[i].stream], ops[i]).ok());
             }
           })});
    Drain(starter);
    for (Stream* stream : streams) Drain(stream);
    for (Notify* notify : notifies) {
      EXPECT_FALSE(notify->IsSet());
      scheduler().DestroyNotify(notify);
    }
    return run;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, SchedulerSeed, ::testing::Values(0, 1));

TEST_P(SchedulerSeed, RandomProgram_ThousandSeeds_AlwaysTheSameResult) {
  constexpr std::uint64_t kSeeds = kSanitized ? 100 : 1000;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<Task> program = MakeProgram(seed, 24, 5);
    const Run run = Execute(program, 5, GetParam(), seed);
    ASSERT_EQ(run.values, ExpectedValues(program)) << "seed " << seed;
    ASSERT_EQ(run.order.size(), program.size()) << "seed " << seed;
  }
}

TEST_P(SchedulerSeed, SameSeed_SameInterleaving) {
  const std::vector<Task> program = MakeProgram(7, 40, 6);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Run first = Execute(program, 6, GetParam(), seed);
    const Run second = Execute(program, 6, GetParam(), seed);
    ASSERT_EQ(first.order, second.order) << "seed " << seed;
  }
}

TEST_P(SchedulerSeed, DifferentSeeds_DifferentInterleavings) {
  const std::vector<Task> program = MakeProgram(7, 40, 6);
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) orders.insert(Execute(program, 6, GetParam(), seed).order);
  EXPECT_GT(orders.size(), 30u);
}

TEST_P(SchedulerSeed, WorkerAndHelper_SameInterleavingAsWithoutWorker) {
  const std::vector<Task> program = MakeProgram(11, 40, 6);
  EXPECT_EQ(Execute(program, 6, 0, 5).order, Execute(program, 6, 1, 5).order);
}

}  // namespace
}  // namespace softhccl::exec
