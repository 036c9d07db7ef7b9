// Queueing of point-to-point launches.
#include "api/p2p_launch.h"

#include <map>
#include <span>

#include "api/launch.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/ops/clone.h"
#include "engine/ops/ops.h"
#include "engine/stream_event.h"
#include "event/labels.h"

namespace softhccl::api {

using base::Status;
using Capture = std::shared_ptr<engine::EventCapture>;

namespace {

exec::Scheduler& TheScheduler() { return engine::Runtime::Get().scheduler(); }

// All or none of the ops, which are ended if they are not queued.
Status Submit(exec::Stream& stream, std::vector<exec::Op> ops) {
  Status submitted = TheScheduler().Submit(stream, ops);
  if (submitted.ok()) return submitted;
  for (exec::Op& op : ops) {
    if (op.op_class->skip != nullptr) op.op_class->skip(op, submitted);
  }
  return submitted;
}

Capture MarkOf(const exec::Stream& stream, const char* what) {
  return std::make_shared<engine::EventCapture>(
      TheScheduler(), stream.device,
      fmt::format("{} of a launch on {}", what, event::GetLabel(event::LabelKind::kStream, stream.id)));
}

exec::Op WaitFor(const Capture& mark) { return engine::ops::EventWait({nullptr, mark}, base::kForever); }

exec::Op Reach(const Capture& mark) { return engine::ops::EventRecord({nullptr, mark}); }

// The kernel on `stream`, working with `thread`, and then the wait for what it has queued there.
Status AddKernel(const P2pLaunch& launch, exec::Stream& stream, const comm::CommThread& thread,
                 std::vector<exec::Op>* ops) {
  HcclP2pKernelParam parameters = launch.parameters;
  parameters.sendRecvThread = thread.handle;
  SOFTHCCL_ASSIGN(invocation, MakeInvocation(stream.device, launch.kernel, 1, {launch.limit_seconds, nullptr},
                                             {&parameters, sizeof parameters, true, {}}));
  engine::Describe(invocation->context, launch.communicator->party(), launch.facts);
  ops->push_back(LaunchOp(invocation));
  engine::ops::SetLaunchStream(ops->back(), stream);
  ops->push_back(engine::ops::AwaitQueue(thread.stream_handle));
  return {};
}

base::Result<exec::Stream*> FindByHandle(std::uint64_t handle, const char* argument) {
  return TheScheduler().streams().Get(handle, argument);
}

// --- Groups --------------------------------------------------------------------------------------------------------

// Where the operations with one peer in one direction run.
struct Lane {
  comm::CommThread* kernels = nullptr;
  comm::CommThread* tasks = nullptr;
};

base::Result<Lane> FindLane(const P2pLaunch& launch) {
  comm::CommThreads& threads = launch.communicator->threads();
  // Below 0, where no purpose of the interface lies.
  const int first = -1 - 2 * static_cast<int>(2 * launch.peer + (launch.is_send ? 0 : 1));
  Lane lane;
  for (comm::CommThread** place : {&lane.kernels, &lane.tasks}) {
    auto handle = threads.AcquireDedicated(place == &lane.kernels ? first : first - 1, COMM_ENGINE_AICPU_TS, 0);
    if (!handle) return tl::unexpected(handle.error());
    auto thread = threads.Find(*handle, "the thread of a group's operation");
    if (!thread) return tl::unexpected(thread.error());
    *place = *thread;
  }
  return lane;
}

// Queues the kernel behind `begin` and returns the mark of its end.
base::Result<Capture> QueueOnLane(const P2pLaunch& launch, const Capture& begin) {
  auto lane = FindLane(launch);
  if (!lane) return tl::unexpected(lane.error());
  exec::Stream& stream = *lane->kernels->stream;
  const Capture end = MarkOf(stream, "the end");
  std::vector<exec::Op> ops = {WaitFor(begin)};
  SOFTHCCL_RETURN_RESULT_IF_ERROR(AddKernel(launch, stream, *lane->tasks, &ops));
  ops.push_back(Reach(end));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(Submit(stream, std::move(ops)));
  return end;
}

}  // namespace

Status QueueLaunch(const P2pLaunch& launch) {
  SOFTHCCL_ASSIGN(thread, launch.communicator->threads().Find(launch.thread, "aicpuThreadHandle"));
  SOFTHCCL_ASSIGN(user, FindByHandle(launch.user, "userStream"));
  SOFTHCCL_ASSIGN(unfold, FindByHandle(launch.unfold, "opInfo->p2p.unfoldStream"));
  std::vector<exec::Op> kernel;
  if (unfold == user) {
    SOFTHCCL_RETURN_IF_ERROR(AddKernel(launch, *user, *thread, &kernel));
    return Submit(*user, std::move(kernel));
  }
  const Capture begin = MarkOf(*user, "the begin");
  const Capture end = MarkOf(*unfold, "the end");
  SOFTHCCL_RETURN_IF_ERROR(AddKernel(launch, *unfold, *thread, &kernel));
  kernel.insert(kernel.begin(), WaitFor(begin));
  kernel.push_back(Reach(end));
  SOFTHCCL_RETURN_IF_ERROR(Submit(*user, {Reach(begin)}));
  SOFTHCCL_RETURN_IF_ERROR(Submit(*unfold, std::move(kernel)));
  return Submit(*user, {WaitFor(end)});
}

Status QueueGroup(const std::vector<P2pLaunch>& launches) {
  Status first;
  const auto note = [&first](Status status) {
    if (first.ok()) first = std::move(status);
  };
  // All marks come before all waits: a launch must not wait for another one of the group.
  std::map<std::uint64_t, Capture> begins;  // by user stream
  for (const P2pLaunch& launch : launches) {
    if (begins.contains(launch.user)) continue;
    SOFTHCCL_ASSIGN(user, FindByHandle(launch.user, "userStream"));
    const Capture begin = MarkOf(*user, "the begin");
    SOFTHCCL_RETURN_IF_ERROR(Submit(*user, {Reach(begin)}));
    begins[launch.user] = begin;
  }
  std::vector<std::pair<std::uint64_t, Capture>> ends;
  for (const P2pLaunch& launch : launches) {
    auto end = QueueOnLane(launch, begins[launch.user]);
    if (end) {
      ends.emplace_back(launch.user, std::move(*end));
    } else {
      note(std::move(end).error());
    }
  }
  for (const auto& [user, end] : ends) {
    auto stream = FindByHandle(user, "userStream");
    note(stream ? Submit(**stream, {WaitFor(end)}) : stream.error());
  }
  return first;
}

}  // namespace softhccl::api
