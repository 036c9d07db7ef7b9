// State of the calling kernel or host thread: the communicators it holds, its batch, its own time limits.
#include <cmath>

#include "api/data_plane.h"
#include "api/objects.h"
#include "engine/await.h"
#include "hcomm/hcomm_primitives.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

Status AcquireForLaunch(const char* name) {
  auto found = FindCommByName(name, "commId");
  // The vendor answers PTR for an unknown name.
  if (!found && found.error().code() == Code::kNotFound) return Status(Code::kNullPointer, found.error().message());
  if (!found) return found.error();
  // Host threads are not locked out and lock nobody out: only a launch has an end at which a lock is given back.
  const engine::Invocation* launch = engine::CurrentInvocation();
  if (launch == nullptr) return {};
  // What the batch holds back may be what another launch waits for before it releases.
  SOFTHCCL_RETURN_IF_ERROR(engine::FlushBatch(Runtime::Get().scheduler()));
  engine::LaunchContext& context = engine::CurrentContext();
  SOFTHCCL_RETURN_IF_ERROR((*found)->Acquire(context));
  context.Hold({name, [comm = *found, &context] { comm->ReleaseBy(context); }});
  // Given up while it waited: what it gets now nobody would release.
  if (launch->phase.load() != engine::Invocation::Phase::kAbandoned) return {};
  static_cast<void>(context.ReleaseAllHeld());
  return base::Fail(Code::kKernelTimeout, "{} was given up at its limit", launch->label);
}

// Whole seconds. 2^32 is what UINT32_MAX becomes as a float.
base::Result<std::uint32_t> ReadSeconds(float seconds) {
  constexpr float kEnd = 4294967296.0F;
  if (std::isnan(seconds) || seconds < 0 || seconds > kEnd) {
    return base::FailResult(Code::kInvalidParam,
                            "timeOut {} is no number of seconds from 0 (without limit) to 4294967295", seconds);
  }
  return seconds == kEnd ? UINT32_MAX : static_cast<std::uint32_t>(seconds);
}

}  // namespace

extern "C" int32_t HcommAcquireComm(const char* commId) {
  return FinishInContext("HcommAcquireComm", Guard([&] { return AcquireForLaunch(commId); }));
}

extern "C" int32_t HcommReleaseComm(const char* commId) {
  return FinishInContext("HcommReleaseComm", Guard([&]() -> Status {
                           SOFTHCCL_REQUIRE(commId);
                           // What is not held is no error, as the vendor's.
                           engine::CurrentContext().ReleaseHeld(commId);
                           return {};
                         }));
}

extern "C" int32_t HcommBatchModeStart(const char* batchTag) {
  return FinishInContext("HcommBatchModeStart", Guard([&] { return engine::BatchStart(batchTag); }));
}

extern "C" int32_t HcommBatchModeEnd(const char*) {
  return FinishInContext("HcommBatchModeEnd", Guard([] { return engine::BatchEnd(Runtime::Get().scheduler()); }));
}

extern "C" int32_t HcommSetNotifyWaitTimeOut(float timeOut) {
  return FinishInContext("HcommSetNotifyWaitTimeOut", Guard([&]() -> Status {
                           SOFTHCCL_ASSIGN(seconds, ReadSeconds(timeOut));
                           engine::CurrentContext().wait_seconds = seconds;
                           return {};
                         }));
}

extern "C" int32_t HcommThreadResAcquireTimeOut(float timeOut) {
  return FinishInContext("HcommThreadResAcquireTimeOut", Guard([&]() -> Status {
                           SOFTHCCL_ASSIGN(seconds, ReadSeconds(timeOut));
                           engine::CurrentContext().space_limit = Runtime::Get().WaitLimit(seconds);
                           return {};
                         }));
}
