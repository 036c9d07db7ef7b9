// Reductions on streams of the program.
#include <iterator>

#include "acl/acl_rt.h"
#include "api/acl_queue.h"
#include "api/device_memory.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/ops/ops.h"
#include "hccl/hccl_types.h"
#include "transport/reduce.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

// What one or the other product reduces.
struct Type {
  aclDataType acl;
  HcclDataType hccl;
};
constexpr Type kTypes[] = {{ACL_INT8, HCCL_DATA_TYPE_INT8},    {ACL_INT16, HCCL_DATA_TYPE_INT16},
                           {ACL_INT32, HCCL_DATA_TYPE_INT32},  {ACL_UINT32, HCCL_DATA_TYPE_UINT32},
                           {ACL_FLOAT16, HCCL_DATA_TYPE_FP16}, {ACL_FLOAT, HCCL_DATA_TYPE_FP32},
                           {ACL_BF16, HCCL_DATA_TYPE_BFP16}};

base::Result<HcclReduceOp> ReadKind(int kind) {
  switch (kind) {
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM: return HCCL_REDUCE_SUM;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX: return HCCL_REDUCE_MAX;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN: return HCCL_REDUCE_MIN;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL:
      return base::FailResult(Code::kNotSupported,
                              "kind ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL is not supported, because nothing says what it "
                              "does; use 10 (sum), 11 (max) or 12 (min)");
    default:
      return base::FailResult(Code::kInvalidParam, "kind {} is not valid; use 10 (sum), 11 (max) or 12 (min)", kind);
  }
}

base::Result<const transport::Reduction*> FindReduction(int kind, int type) {
  const auto op = ReadKind(kind);
  if (!op) return tl::unexpected(op.error());
  for (const Type& known : kTypes) {
    if (known.acl == type) return transport::FindReduction(known.hccl, *op);
  }
  return base::FailResult(Code::kInvalidParam,
                          "type {} cannot be reduced; use int8, int16, int32, uint32, float16, float or bfloat16",
                          type);
}

Status CheckOwnMemory(const void* address, std::size_t size, const char* argument, const exec::Stream& stream) {
  SOFTHCCL_ASSIGN(allocation, FindDeviceMemory(address, size, argument));
  if (allocation.space == memory::Space::kHost || allocation.device == stream.device) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is memory of device {}, but the stream belongs to device {}", argument,
                    fmt::ptr(address), allocation.device, stream.device);
}

}  // namespace

extern "C" aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                                     aclrtStream stream, void* reserve) {
  return CallAcl("aclrtReduceAsync", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(dst);
    SOFTHCCL_REQUIRE(src);
    SOFTHCCL_ASSIGN(reduction, FindReduction(RawValue(kind), RawValue(type)));
    if (count == 0 || count % reduction->element_size != 0) {
      return base::Fail(Code::kInvalidParam, "count {} is in bytes and must be a positive multiple of {}", count,
                        reduction->element_size);
    }
    if (reserve != nullptr) return base::Fail(Code::kInvalidParam, "reserve {} must be null", fmt::ptr(reserve));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
    SOFTHCCL_RETURN_IF_ERROR(CheckOwnMemory(dst, count, "dst", *target));
    SOFTHCCL_RETURN_IF_ERROR(CheckOwnMemory(src, count, "src", *target));
    exec::Op op = engine::ops::LocalReduce(dst, src, count, reduction);
    op.call_site = site;
    return QueueOn(*target, {&op, 1}, nullptr);
  });
}
