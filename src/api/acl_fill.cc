// Filling memory with a value, at once and on streams.
#include <cstdint>

#include "acl/acl_rt.h"
#include "api/acl_queue.h"
#include "api/capture_rules.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"
#include "memory/registrations.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

struct Filling {
  void* to;
  const char* argument;  // the name of `to`
  std::uint32_t value;
  size_t size;  // bytes
  size_t unit;  // 1 or 4
};

Status CheckReachable(const Filling& fill) {
  SOFTHCCL_RETURN_IF_ERROR(memory::Memory::Process().CheckRange(fill.to, fill.size, fill.argument));
  if (memory::Memory::Process().Resolve(fill.to) || memory::Registrations::Process().Holds(fill.to)) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is neither device memory nor host memory that devices know; use memset",
                    fill.argument, fmt::ptr(fill.to));
}

Status FillNow(const char* call, const Filling& fill) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  SOFTHCCL_RETURN_IF_ERROR(RefuseWhileCaptured(call));
  SOFTHCCL_RETURN_IF_ERROR(CheckReachable(fill));
  engine::ops::FillNow(static_cast<std::byte*>(fill.to), fill.value, fill.size, fill.unit);
  return {};
}

Status FillAsync(const void* site, const Filling& fill, aclrtStream stream) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_RETURN_IF_ERROR(CheckReachable(fill));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  exec::Op op = engine::ops::Fill(fill.to, fill.value, fill.size, fill.unit);
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, nullptr);
}

Status CheckBytes(void* devPtr, size_t maxCount, size_t count) {
  SOFTHCCL_REQUIRE(devPtr);
  if (count <= maxCount) return {};
  return base::Fail(Code::kInvalidParam, "count {} is larger than maxCount {}; the memory is too small", count,
                    maxCount);
}

Status CheckWords(void* ptr, size_t memSize, size_t words) {
  SOFTHCCL_REQUIRE(ptr);
  if (reinterpret_cast<std::uintptr_t>(ptr) % sizeof(std::uint32_t) != 0) {
    return base::Fail(Code::kInvalidParam, "ptr {} is not aligned to 4 bytes", fmt::ptr(ptr));
  }
  if (words <= memSize / sizeof(std::uint32_t)) return {};
  return base::Fail(Code::kInvalidParam, "N {} values of 4 bytes do not fit into memSize {}", words, memSize);
}

}  // namespace

extern "C" aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemset", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckBytes(devPtr, maxCount, count));
    return FillNow("aclrtMemset", {devPtr, "devPtr", static_cast<std::uint32_t>(value), count, 1});
  });
}

extern "C" aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemsetAsync", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckBytes(devPtr, maxCount, count));
    return FillAsync(site, {devPtr, "devPtr", static_cast<std::uint32_t>(value), count, 1}, stream);
  });
}

extern "C" aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  if (N == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemsetD32", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckWords(ptr, memSize, N));
    return FillNow("aclrtMemsetD32", {ptr, "ptr", value, N * sizeof value, sizeof value});
  });
}

extern "C" aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
  if (N == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemsetD32Async", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckWords(ptr, memSize, N));
    return FillAsync(site, {ptr, "ptr", value, N * sizeof value, sizeof value}, stream);
  });
}
