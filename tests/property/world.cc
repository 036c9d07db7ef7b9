// Setting up ranks and submitting steps through the public interface.
#include "world.h"

#include <fmt/format.h>
#include <hcomm/hcomm_primitives.h>
#include <hcomm/hcomm_primitives_expt.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

namespace softhccl::property {
namespace {

constexpr std::uint32_t kSeconds = 5;  // limit of every wait: a program that hangs is a failure, not a hang

void Require(const char* call, int code) {
  if (code != 0) throw std::runtime_error(fmt::format("{} failed with {}", call, code));
}
#define REQUIRE_CALL(call) Require(#call, static_cast<int>(call))

}  // namespace

World::World(int ranks) : states_(static_cast<std::size_t>(ranks)) {
  REQUIRE_CALL(aclrtSetDevice(0));
  HcclRootInfo info;
  REQUIRE_CALL(HcclGetRootInfo(&info));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back([this, rank, &info] { SetUp(rank, info); });
  for (std::thread& thread : threads) thread.join();
}

World::~World() {
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    static_cast<void>(aclrtSetDevice(static_cast<std::int32_t>(rank)));
    static_cast<void>(HcclCommDestroy(states_[rank].comm));
  }
}

void World::SetUp(int rank, const HcclRootInfo& info) {
  const auto ranks = static_cast<std::uint32_t>(states_.size());
  RankState& state = states_[static_cast<std::size_t>(rank)];
  REQUIRE_CALL(aclrtSetDevice(rank));
  REQUIRE_CALL(HcclCommInitRootInfo(ranks, &info, static_cast<std::uint32_t>(rank), &state.comm));
  state.threads.resize(kThreads);
  REQUIRE_CALL(HcclThreadAcquire(state.comm, COMM_ENGINE_CPU_TS, kThreads, kNotifies, state.threads.data()));
  state.channels.resize(ranks);
  state.buffers.resize(ranks);
  std::uint64_t size = 0;
  REQUIRE_CALL(HcclGetHcclBuffer(state.comm, &state.buffers[static_cast<std::size_t>(rank)], &size));
  std::vector<HcclChannelDesc> descs(ranks - 1);
  REQUIRE_CALL(HcclChannelDescInit(descs.data(), ranks - 1));
  for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
    descs[i].remoteRank = i < static_cast<std::uint32_t>(rank) ? i : i + 1;
    descs[i].channelProtocol = COMM_PROTOCOL_HCCS;
    descs[i].notifyNum = kNotifies;
  }
  std::vector<ChannelHandle> channels(ranks - 1);
  REQUIRE_CALL(HcclChannelAcquire(state.comm, COMM_ENGINE_CPU_TS, descs.data(), ranks - 1, channels.data()));
  for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
    const std::uint32_t peer = descs[i].remoteRank;
    state.channels[peer] = channels[i];
    REQUIRE_CALL(HcclChannelGetHcclBuffer(state.comm, channels[i], &state.buffers[peer], &size));
  }
}

std::uint8_t* World::At(int rank, int of_rank, int cell) {
  void* buffer = states_[static_cast<std::size_t>(rank)].buffers[static_cast<std::size_t>(of_rank)];
  return static_cast<std::uint8_t*>(buffer) + static_cast<std::size_t>(cell) * kCellBytes;
}

int World::Submit(const Step& step) {
  const RankState& state = states_[static_cast<std::size_t>(step.rank)];
  const ThreadHandle thread = state.threads[static_cast<std::size_t>(step.thread)];
  const bool is_thread_notify = step.kind == Kind::kThreadRecord || step.kind == Kind::kThreadWait;
  const ChannelHandle channel = is_thread_notify ? 0 : state.channels[static_cast<std::size_t>(step.peer)];
  const auto type = static_cast<HcommDataType>(step.data_type);
  const auto op = static_cast<HcommReduceOp>(step.reduce_op);
  const auto notify = static_cast<std::uint32_t>(step.notify);
  const std::uint64_t bytes = static_cast<std::uint64_t>(step.cells) * kCellBytes;
  static constexpr std::uint64_t kSizes[] = {1, 2, 4, 0, 0, 8, 8, 1, 2, 4};
  const std::uint64_t count = bytes / (kSizes[step.data_type] == 0 ? 1 : kSizes[step.data_type]);
  std::uint8_t* const own_dst = At(step.rank, step.rank, step.dst);
  std::uint8_t* const own_src = At(step.rank, step.rank, step.src);
  std::uint8_t* const peer_dst = is_thread_notify ? nullptr : At(step.rank, step.peer, step.dst);
  std::uint8_t* const peer_src = is_thread_notify ? nullptr : At(step.rank, step.peer, step.src);
  switch (step.kind) {
    case Kind::kCopy: return HcommLocalCopyOnThread(thread, own_dst, own_src, bytes);
    case Kind::kReduce: return HcommLocalReduceOnThread(thread, own_dst, own_src, count, type, op);
    case Kind::kWrite: return HcommWriteOnThread(thread, channel, peer_dst, own_src, bytes);
    case Kind::kWriteReduce: return HcommWriteReduceOnThread(thread, channel, peer_dst, own_src, count, type, op);
    case Kind::kRead: return HcommReadOnThread(thread, channel, own_dst, peer_src, bytes);
    case Kind::kReadReduce: return HcommReadReduceOnThread(thread, channel, own_dst, peer_src, count, type, op);
    case Kind::kWriteNotify: return HcommWriteWithNotifyOnThread(thread, channel, peer_dst, own_src, bytes, notify);
    case Kind::kWriteReduceNotify:
      return HcommWriteReduceWithNotifyOnThread(thread, channel, peer_dst, own_src, count, type, op, notify);
    case Kind::kThreadRecord:
      return HcommThreadNotifyRecordOnThread(thread, state.threads[static_cast<std::size_t>(step.peer)], notify);
    case Kind::kThreadWait: return HcommThreadNotifyWaitOnThread(thread, notify, kSeconds);
    case Kind::kChannelRecord: return HcommChannelNotifyRecordOnThread(thread, channel, notify);
    case Kind::kChannelWait: return HcommChannelNotifyWaitOnThread(thread, channel, notify, kSeconds);
  }
  return -1;
}

std::string World::Run(const Program& program, const Submission& submission, Memory* memory) {
  const int ranks = static_cast<int>(states_.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& of_rank = (*memory)[static_cast<std::size_t>(rank)];
    std::memcpy(At(rank, rank, 0), of_rank.data(), of_rank.size());
  }
  std::vector<int> threads(static_cast<std::size_t>(ranks * kThreads));
  for (std::size_t i = 0; i < threads.size(); ++i) threads[i] = static_cast<int>(i);
  std::shuffle(threads.begin(), threads.end(), std::mt19937(submission.seed));
  for (const int thread : threads) {
    if (submission.batched && HcommBatchModeStart("property") != 0) return "HcommBatchModeStart failed";
    for (const Step& step : program.steps) {
      if (step.rank * kThreads + step.thread != thread) continue;
      const int code = Submit(step);
      if (code == 0) continue;
      if (submission.batched) static_cast<void>(HcommBatchModeEnd("property"));
      return fmt::format("{} answered {}", Describe(step), code);
    }
    if (submission.batched && HcommBatchModeEnd("property") != 0) return "HcommBatchModeEnd failed";
  }
  for (const RankState& state : states_) {
    for (const ThreadHandle thread : state.threads) {
      const int code = HcommThreadJoin(thread, 2 * kSeconds);
      if (code != 0) return fmt::format("HcommThreadJoin answered {}", code);
    }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    auto& of_rank = (*memory)[static_cast<std::size_t>(rank)];
    std::memcpy(of_rank.data(), At(rank, rank, 0), of_rank.size());
  }
  return "";
}

}  // namespace softhccl::property
