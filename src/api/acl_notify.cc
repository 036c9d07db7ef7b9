// Notifies on streams.
#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/issue.h"
#include "engine/ops/classes.h"
#include "engine/ops/ops.h"
#include "engine/shared_notifies.h"

using namespace softhccl;
using namespace softhccl::api;
using engine::Runtime;

extern "C" aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  const base::Status status = Guard([&]() -> base::Status {
    SOFTHCCL_REQUIRE(notify);
    if (flag != ACL_NOTIFY_DEFAULT && flag != ACL_NOTIFY_DEVICE_USE_ONLY) {
      return base::Fail(base::Code::kInvalidParam,
                        "flag {} is not known; use ACL_NOTIFY_DEFAULT 0 or ACL_NOTIFY_DEVICE_USE_ONLY 1", flag);
    }
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(made, device->CreateNotify());
    *notify = Handle(made->handle);
    return {};
  });
  if (status.code() == base::Code::kUnavailable) {
    return ReportAclAs("aclrtCreateNotify", status, ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
  }
  return ReportAcl("aclrtCreateNotify", status);
}

extern "C" aclError aclrtDestroyNotify(aclrtNotify notify) {
  return CallAcl("aclrtDestroyNotify", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(notify);
    SOFTHCCL_ASSIGN(found, FindNotify(notify));
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(found->device));
    SOFTHCCL_ASSIGN(last, engine::SharedNotifies::Get().Release(Bits(notify)));
    return last ? device->DestroyNotify(*last) : base::Status();
  });
}

extern "C" aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return CallAcl("aclrtGetNotifyId", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(notify);
    SOFTHCCL_REQUIRE(notifyId);
    SOFTHCCL_ASSIGN(found, FindNotify(notify));
    *notifyId = found->id;
    return {};
  });
}

extern "C" aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  return CallAcl("aclrtNotifyBatchReset", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(notifies);
    if (num == 0) return base::Fail(base::Code::kInvalidParam, "num 0; pass at least one notify");
    for (size_t i = 0; i < num; ++i) {
      auto found = FindNotify(notifies[i]);
      if (!found) return std::move(found).error().While(fmt::format("resetting notifies[{}] of {}", i, num));
      (*found)->ClearBit();
    }
    return {};
  });
}

namespace {

base::Status IssueOnStream(aclrtNotify notify, aclrtStream stream, exec::Op op) {
  SOFTHCCL_REQUIRE(notify);
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(found, FindNotify(notify));
  const bool waits = op.op_class == &engine::ops::kNotifyWait;
  if (waits && engine::SharedNotifies::IsImported(Bits(notify)) && found->device != device->id()) {
    return base::Fail(base::Code::kInvalidParam,
                      "notify 0x{:x} was imported from device {}; only streams of that device may wait for it",
                      Bits(notify), found->device);
  }
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  op.arg[0] = found->handle;
  return Runtime::Get().scheduler().Submit(*target, {&op, 1});
}

}  // namespace

extern "C" aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return CallAcl("aclrtRecordNotify", [&, site = __builtin_return_address(0)] {
    exec::Op op = engine::ops::NotifyRecord(0);
    op.call_site = site;
    return IssueOnStream(notify, stream, op);
  });
}

extern "C" aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  return CallAcl("aclrtWaitAndResetNotify", [&, site = __builtin_return_address(0)] {
    exec::Op op = engine::ops::NotifyWait(0, Runtime::Get().WaitLimit(timeout));
    op.call_site = site;
    return IssueOnStream(notify, stream, op);
  });
}
