// Words of device memory on streams: writing one, waiting for one.
#include "acl/acl_rt.h"
#include "api/acl_queue.h"
#include "api/device_memory.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/ops/ops.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

Status CheckAlignment(const void* devAddr) {
  if (reinterpret_cast<std::uintptr_t>(devAddr) % sizeof(std::uint64_t) == 0) return {};
  return base::Fail(Code::kInvalidParam, "devAddr {} is not aligned to 8 bytes", fmt::ptr(devAddr));
}

Status Queue(const void* site, const void* devAddr, exec::Op op, aclrtStream stream) {
  SOFTHCCL_RETURN_IF_ERROR(CheckAlignment(devAddr));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(word, FindDeviceMemory(devAddr, sizeof(std::uint64_t), "devAddr"));
  static_cast<void>(word);
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, nullptr);
}

}  // namespace

extern "C" aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return CallAcl("aclrtValueWrite", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(devAddr);
    if (flag != 0) return base::Fail(Code::kInvalidParam, "flag {} is reserved and must be 0", flag);
    return Queue(site, devAddr, engine::ops::ValueWrite(devAddr, value), stream);
  });
}

extern "C" aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return CallAcl("aclrtValueWait", [&, site = __builtin_return_address(0)]() -> Status {
    static_assert(ACL_STREAM_WAIT_VALUE_GEQ == static_cast<int>(exec::WordTest::kAtLeast) &&
                  ACL_STREAM_WAIT_VALUE_EQ == static_cast<int>(exec::WordTest::kEqual) &&
                  ACL_STREAM_WAIT_VALUE_AND == static_cast<int>(exec::WordTest::kAnyBit) &&
                  ACL_STREAM_WAIT_VALUE_NOR == static_cast<int>(exec::WordTest::kLeavesABit));
    SOFTHCCL_REQUIRE(devAddr);
    if (flag > ACL_STREAM_WAIT_VALUE_NOR) {
      return base::Fail(Code::kInvalidParam, "flag {} is not valid; use 0 (at least) to {} (nor)", flag,
                        ACL_STREAM_WAIT_VALUE_NOR);
    }
    return Queue(site, devAddr, engine::ops::ValueWait({devAddr, value, static_cast<exec::WordTest>(flag)}), stream);
  });
}
