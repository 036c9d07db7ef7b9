// Counting notifies on streams.
#include "acl/acl_rt.h"
#include "api/acl_queue.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/ops/ops.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;
using exec::CountGoal;
using exec::CountNotify;

namespace {

Status Queue(const void* site, aclrtCntNotify cntNotify, exec::Op op, aclrtStream stream) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(found, Runtime::Get().count_notifies().Find(Bits(cntNotify)));
  static_cast<void>(found);
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, nullptr);
}

base::Result<CountNotify::Change> ReadChange(const aclrtCntNotifyRecordInfo& info) {
  switch (RawValue(info.mode)) {
    case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE: return CountNotify::Change::kSet;
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE: return CountNotify::Change::kAdd;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE: return CountNotify::Change::kOr;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE: return CountNotify::Change::kAnd;
    default:
      return base::FailResult(Code::kInvalidParam, "info->mode {} is not valid; use 0 (set), 1 (add), 2 (or), 4 (and)",
                              RawValue(info.mode));
  }
}

base::Result<CountGoal> ReadGoal(const aclrtCntNotifyWaitInfo& info) {
  const int mode = RawValue(info.mode);
  if (mode < ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE || mode > ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE) {
    return base::FailResult(Code::kInvalidParam, "info->mode {} is not valid; use 0 to {}", mode,
                            static_cast<int>(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE));
  }
  if (info.isClear > 1) {
    return base::FailResult(Code::kInvalidParam, "info->isClear {} is not valid; use 0 or 1", info.isClear);
  }
  return CountGoal{static_cast<CountGoal::Until>(mode), info.value, info.isClear == 1};
}

}  // namespace

static_assert(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE == static_cast<int>(CountGoal::Until::kLess) &&
              ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE == static_cast<int>(CountGoal::Until::kEqual) &&
              ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE == static_cast<int>(CountGoal::Until::kGreater) &&
              ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE == static_cast<int>(CountGoal::Until::kAtLeast) &&
              ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE == static_cast<int>(CountGoal::Until::kAllBits));

extern "C" aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(cntNotify);
    if (flag != 0) return base::Fail(Code::kInvalidParam, "flag {} is reserved and must be 0", flag);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(made, Runtime::Get().count_notifies().Make(Runtime::Get().scheduler(), device->id()));
    *cntNotify = Handle(made);
    return {};
  });
  if (status.code() == Code::kUnavailable) {
    return ReportAclAs("aclrtCntNotifyCreate", status, ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
  }
  return ReportAcl("aclrtCntNotifyCreate", status);
}

extern "C" aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
  return CallAcl("aclrtCntNotifyDestroy", [&]() -> Status {
    SOFTHCCL_REQUIRE(cntNotify);
    return Runtime::Get().count_notifies().Destroy(Bits(cntNotify));
  });
}

extern "C" aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
  return CallAcl("aclrtCntNotifyGetId", [&]() -> Status {
    SOFTHCCL_REQUIRE(cntNotify);
    SOFTHCCL_REQUIRE(notifyId);
    SOFTHCCL_ASSIGN(found, Runtime::Get().count_notifies().Find(Bits(cntNotify)));
    *notifyId = found->id();
    return {};
  });
}

extern "C" aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info) {
  return CallAcl("aclrtCntNotifyRecord", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(cntNotify);
    SOFTHCCL_REQUIRE(info);
    SOFTHCCL_ASSIGN(change, ReadChange(*info));
    return Queue(site, cntNotify, engine::ops::CountRecord(Bits(cntNotify), change, info->value), stream);
  });
}

extern "C" aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
  return CallAcl("aclrtCntNotifyReset", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(cntNotify);
    return Queue(site, cntNotify, engine::ops::CountReset(Bits(cntNotify)), stream);
  });
}

extern "C" aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyWaitInfo* info) {
  return CallAcl("aclrtCntNotifyWaitWithTimeout", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(cntNotify);
    SOFTHCCL_REQUIRE(info);
    SOFTHCCL_ASSIGN(goal, ReadGoal(*info));
    const base::Nanos limit = Runtime::Get().WaitLimit(info->timeout);
    return Queue(site, cntNotify, engine::ops::CountWaitFor(Bits(cntNotify), goal, limit), stream);
  });
}
