// Threads without a communicator.
#include <algorithm>

#include "api/objects.h"
#include "api/report.h"
#include "api/thread_info.h"
#include "base/log.h"
#include "engine/engines.h"
#include "event/labels.h"
#include "hcomm/hcomm_res.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

constexpr uint32_t kMaxThreads = 200;
constexpr uint32_t kMaxNotifies = 64;

template <typename Body>
HcommResult CallHcomm(const char* call, Body&& body) {
  return static_cast<HcommResult>(CallHccl(call, std::forward<Body>(body)));
}

base::Result<std::uint64_t> MakeThread(engine::Device& device, const engine::EngineInfo& engine, uint32_t notifies) {
  auto stream = Runtime::Get().scheduler().CreateStream(device.id(), {}, "");
  if (!stream) return tl::unexpected(stream.error());
  event::SetLabel(event::LabelKind::kStream, (*stream)->id,
                  fmt::format("device {}/{} thread {} without communicator", device.id(), engine.name, (*stream)->id));
  auto thread = comm::PublishThread(*stream, true, engine.value, {}, {});
  if (!thread) {
    Runtime::Get().scheduler().DestroyStream(*stream);
    return tl::unexpected(thread.error());
  }
  (*thread)->notify_count.store(notifies);
  return (*thread)->handle;
}

Status CheckCount(uint32_t count) {
  if (count > 0 && count <= kMaxThreads) return {};
  return base::Fail(Code::kInvalidParam, "threadNum {} is out of range, use 1 to {}", count, kMaxThreads);
}

Status Allocate(int engine, uint32_t threadNum, const uint32_t* notifyNumPerThread, ThreadHandle* threads) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_REQUIRE(notifyNumPerThread);
  SOFTHCCL_REQUIRE(threads);
  SOFTHCCL_RETURN_IF_ERROR(CheckCount(threadNum));
  SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(engine, "HcommThreadAlloc"));
  for (uint32_t i = 0; i < threadNum; ++i) {
    if (notifyNumPerThread[i] <= kMaxNotifies) continue;
    return base::Fail(Code::kInvalidParam, "notifyNumPerThread[{}] {} is larger than the limit of {}", i,
                      notifyNumPerThread[i], kMaxNotifies);
  }
  std::vector<std::uint64_t> made;
  for (uint32_t i = 0; i < threadNum; ++i) {
    auto thread = MakeThread(*device, *info, notifyNumPerThread[i]);
    if (!thread) {
      for (const std::uint64_t handle : made) comm::WithdrawThread(handle);
      return thread.error();
    }
    made.push_back(*thread);
  }
  std::copy(made.begin(), made.end(), threads);
  return {};
}

// Lets a thread finish what nothing holds up, and tells what it does not get to do.
void EndThread(const comm::CommThread& thread) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  exec::Stream& stream = *thread.stream;
  const base::Nanos deadline = scheduler.Now() + base::FromSeconds(1);
  while (stream.completed() != stream.submitted() && !stream.parked() && scheduler.Now() < deadline) {
    static_cast<void>(scheduler.Drain(stream, scheduler.Now() + base::FromSeconds(0.001)));
  }
  if (stream.completed() != stream.submitted()) {
    base::Log(
        base::LogLevel::kWarning,
        fmt::format("HcommThreadFree: {} ops were pending on {}; synchronise the thread first",
                    stream.submitted() - stream.completed(), event::GetLabel(event::LabelKind::kStream, stream.id)));
  }
  comm::WithdrawThread(thread.handle);
}

Status Free(const ThreadHandle* threads, uint32_t threadNum) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcommThreadFree"));
  SOFTHCCL_REQUIRE(threads);
  SOFTHCCL_RETURN_IF_ERROR(CheckCount(threadNum));
  for (uint32_t i = 0; i < threadNum; ++i) {  // all of them before the first is gone
    SOFTHCCL_ASSIGN(thread, comm::Threads().Get(threads[i], fmt::format("threads[{}]", i)));
    if (thread->party.domain != nullptr) {
      return base::Fail(Code::kInvalidParam, "threads[{}] 0x{:x} belongs to communicator {}; it goes with it (SH-H004)",
                        i, threads[i], thread->party.domain->name());
    }
    if (std::find(threads, threads + i, threads[i]) != threads + i) {
      return base::Fail(Code::kInvalidParam, "threads[{}] 0x{:x} is in the list twice", i, threads[i]);
    }
  }
  for (uint32_t i = 0; i < threadNum; ++i) EndThread(*comm::Threads().Lookup(threads[i]));
  return {};
}

}  // namespace

extern "C" HcommResult HcommThreadAlloc(CommEngine engine, uint32_t threadNum, const uint32_t* notifyNumPerThread,
                                        ThreadHandle* threads) {
  return CallHcomm("HcommThreadAlloc",
                   [&] { return Allocate(RawValue(engine), threadNum, notifyNumPerThread, threads); });
}

extern "C" HcommResult HcommThreadFree(const ThreadHandle* threads, uint32_t threadNum) {
  return CallHcomm("HcommThreadFree", [&] { return Free(threads, threadNum); });
}

extern "C" HcommResult HcommThreadResGetInfo(ThreadHandle thread, ThreadResType resType, uint32_t infoLen,
                                             void** info) {
  return CallHcomm("HcommThreadResGetInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(info);
    auto found = comm::Threads().Get(thread, "thread");
    if (!found) return Status(Code::kNotFound, found.error().message());
    return GetThreadInfo(**found, RawValue(resType), infoLen, info);
  });
}
