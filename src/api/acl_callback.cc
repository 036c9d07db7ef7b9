// Host callbacks on streams, and the threads that programs lend for them.
#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/host_callback.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::HostCallback;
using engine::HostCallbacks;
using engine::Runtime;

namespace {

Status Launch(exec::Stream& stream, const HostCallback& callback, void* site) {
  exec::Op op = engine::ops::RunHostCallback(callback);
  op.call_site = site;
  Status queued = Runtime::Get().scheduler().Submit(stream, {&op, 1});
  if (!queued.ok()) op.op_class->skip(op, queued);
  return queued;
}

// Errors besides: kNotFound when the stream has no thread.
Status LaunchForSubscriber(aclrtCallback fn, void* userData, int blockType, aclrtStream stream, void* site) {
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(reinterpret_cast<const void*>(fn), "fn"));
  if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
    return base::Fail(Code::kInvalidParam,
                      "blockType {} is not known; use ACL_CALLBACK_NO_BLOCK 0 or ACL_CALLBACK_BLOCK 1", blockType);
  }
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  if (!HostCallbacks::Get().IsSubscribed(target->handle)) {
    return base::Fail(Code::kNotFound, "the stream has no thread for callbacks; call aclrtSubscribeReport first");
  }
  HostCallback callback;
  callback.function = fn;
  callback.argument = userData;
  callback.is_blocking = blockType == ACL_CALLBACK_BLOCK;
  callback.subscriber = target->handle;
  return Launch(*target, callback, site);
}

}  // namespace

extern "C" aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                                        aclrtStream stream) {
  const Status status = Guard([&, site = __builtin_return_address(0)] {
    return LaunchForSubscriber(fn, userData, RawValue(blockType), stream, site);
  });
  if (status.code() == Code::kNotFound) {
    return ReportAclAs("aclrtLaunchCallback", status, ACL_ERROR_RT_STREAM_NO_CB_REG);
  }
  return ReportAcl("aclrtLaunchCallback", status);
}

extern "C" aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return CallAcl("aclrtLaunchHostFunc", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(reinterpret_cast<const void*>(fn), "fn"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
    HostCallback callback;
    callback.function = fn;
    callback.argument = args;
    callback.on_own_thread = true;
    return Launch(*target, callback, site);
  });
}

extern "C" aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(target, FindStreamOfContext(stream, *device));
    return HostCallbacks::Get().Subscribe(threadId, *target);
  });
  if (status.code() == Code::kRepeated) {
    return ReportAclAs("aclrtSubscribeReport", status, ACL_ERROR_RT_STREAM_SUBSCRIBE);
  }
  return ReportAcl("aclrtSubscribeReport", status);
}

extern "C" aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(target, FindStreamOfContext(stream, *device));
    return HostCallbacks::Get().Unsubscribe(threadId, target->handle);
  });
  if (status.code() == Code::kNotFound) {
    return ReportAclAs("aclrtUnSubscribeReport", status, ACL_ERROR_RT_THREAD_SUBSCRIBE);
  }
  return ReportAcl("aclrtUnSubscribeReport", status);
}

extern "C" aclError aclrtProcessReport(int32_t timeout) {
  if (timeout < -1) {
    return ReportAcl("aclrtProcessReport",
                     base::Fail(Code::kInvalidParam,
                                "timeout {} is not valid; use -1 for no limit or a number of milliseconds", timeout));
  }
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("aclrtProcessReport"));
    return HostCallbacks::Get().Process(timeout == -1 ? base::kForever : base::FromMillis(timeout));
  });
  // Both belong to the life of a thread that is there for callbacks.
  if (status.code() == Code::kSyncTimeout) {
    return ReportAclAs("aclrtProcessReport", status, ACL_ERROR_RT_REPORT_TIMEOUT, Loudness::kProbe);
  }
  if (status.code() == Code::kNotFound) {
    return ReportAclAs("aclrtProcessReport", status, ACL_ERROR_RT_THREAD_SUBSCRIBE, Loudness::kProbe);
  }
  return ReportAcl("aclrtProcessReport", status);
}
