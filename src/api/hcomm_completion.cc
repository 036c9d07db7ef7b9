// When transfers are complete: fences and drains in a queue, and the calls that wait until a queue has been worked off.
#include "api/data_plane.h"
#include "engine/await.h"
#include "engine/ops/ops.h"
#include "hcomm/hcomm_primitives.h"
#include "hcomm/hcomm_primitives_expt.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Status;
using engine::Runtime;

namespace {

// Waits for `stream`. *is_known: the failure is that of an op, which was printed when it happened.
Status Await(const char* call, exec::Stream& stream, base::Nanos limit, bool* is_known) {
  SOFTHCCL_RETURN_IF_ERROR(engine::AwaitStream(call, Runtime::Get().scheduler(), stream, limit));
  *is_known = stream.failed();
  return *is_known ? stream.error() : Status();
}

int32_t AwaitThread(const char* call, ThreadHandle thread, base::Nanos limit) {
  comm::CommThread* found = nullptr;
  bool is_known = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(user, FindThread(thread));
    SOFTHCCL_ASSIGN(stream, user->UsableStream());
    found = user;
    return Await(call, *stream, limit, &is_known);
  });
  return FinishOnThread(call, found, status, is_known ? Loudness::kProbe : Loudness::kError);
}

using MakeOnLink = exec::Op (*)(transport::Link*);

int32_t QueueOnChannel(const char* call, const void* site, ThreadHandle thread, ChannelHandle channel,
                       MakeOnLink make) {
  return QueueOn(call, site, thread, [&](exec::Op* op) -> Status {
    SOFTHCCL_ASSIGN(found, FindChannelFor(thread, channel));
    SOFTHCCL_RETURN_IF_ERROR(RequireThread(thread));
    SOFTHCCL_RETURN_IF_ERROR(RefuseTransferForProduct(call, *found));
    *op = make(found->link.get());
    return {};
  });
}

// A host thread that drives a CPU thread posts and then asks for completion, so there the fence waits.
bool FenceWaits(ThreadHandle thread) {
  const comm::CommThread* found = comm::Threads().Lookup(thread);
  return found != nullptr && found->engine == COMM_ENGINE_CPU;
}

}  // namespace

extern "C" int32_t HcommFenceOnThread(ThreadHandle thread) {
  if (FenceWaits(thread)) return AwaitThread("HcommFenceOnThread", thread, base::kForever);
  return QueueOn("HcommFenceOnThread", SOFTHCCL_CALL_SITE, thread, [](exec::Op* op) -> Status {
    *op = engine::ops::Fence();
    return {};
  });
}

extern "C" int32_t HcommChannelFenceOnThread(ThreadHandle thread, ChannelHandle channel) {
  return QueueOnChannel("HcommChannelFenceOnThread", SOFTHCCL_CALL_SITE, thread, channel, engine::ops::ChannelFence);
}

extern "C" int32_t HcommChannelDrainOnThread(ThreadHandle thread, ChannelHandle channel) {
  return QueueOnChannel("HcommChannelDrainOnThread", SOFTHCCL_CALL_SITE, thread, channel, engine::ops::ChannelDrain);
}

extern "C" int32_t HcommChannelFence(ChannelHandle channel) {
  comm::Channel* end = nullptr;
  bool is_known = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindChannel(channel));
    end = found;
    SOFTHCCL_ASSIGN(posts, end->queue.Posts());
    return Await("HcommChannelFence", *posts, base::kForever, &is_known);
  });
  return FinishOnChannel("HcommChannelFence", end, status, is_known ? Loudness::kProbe : Loudness::kError);
}

extern "C" int32_t HcommFlush() {
  return FinishInContext("HcommFlush",
                         Guard([] { return engine::AwaitPosts("HcommFlush", Runtime::Get().scheduler()); }));
}

extern "C" int32_t HcommThreadSynchronize(ThreadHandle thread) {
  return AwaitThread("HcommThreadSynchronize", thread, base::kForever);
}

extern "C" int32_t HcommThreadJoin(ThreadHandle thread, uint32_t timeout) {
  return AwaitThread("HcommThreadJoin", thread, Runtime::Get().WaitLimit(timeout));
}
