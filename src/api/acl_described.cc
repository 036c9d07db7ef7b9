// Copies and cache hints whose arguments lie in device memory, cache hints in general, and the two calls that would
// make caches coherent.
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
using engine::ops::CopyDescription;
using engine::ops::RangeDescription;

namespace {

Status CheckKind(int kind) {
  if (kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) return {};
  return base::Fail(Code::kInvalidParam, "kind {} is not valid; use ACL_MEMCPY_INNER_DEVICE_TO_DEVICE {}", kind,
                    static_cast<int>(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE));
}

Status CheckHint(int type) {
  if (type == ACL_RT_CMO_TYPE_PREFETCH) return {};
  return base::Fail(Code::kInvalidParam, "cmoType {} is not valid; use ACL_RT_CMO_TYPE_PREFETCH {}", type,
                    static_cast<int>(ACL_RT_CMO_TYPE_PREFETCH));
}

template <typename Description>
Status WriteDescription(void* place, const char* argument, const Description& description) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  SOFTHCCL_ASSIGN(memory, FindDeviceMemory(place, sizeof description, argument));
  static_cast<void>(memory);
  std::memcpy(place, &description, sizeof description);
  return {};
}

Status Queue(const void* site, exec::Op op, const void* address, std::size_t size, const char* argument,
             aclrtStream stream) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(memory, FindDeviceMemory(address, size, argument));
  static_cast<void>(memory);
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, nullptr);
}

// The processor's caches are coherent: what is left of the call is its check.
aclError CheckCoherent(const char* call, const void* devPtr, std::size_t size) {
  return CallAcl(call, [&]() -> Status {
    SOFTHCCL_REQUIRE(devPtr);
    if (size == 0) return base::Fail(Code::kInvalidArgument, "size 0; name at least one byte");
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_ASSIGN(memory, FindDeviceMemory(devPtr, size, "devPtr"));
    static_cast<void>(memory);
    return {};
  });
}

}  // namespace

// --- Copies ------------------------------------------------------------------------------------------------------

extern "C" aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
  return CallAcl("aclrtGetMemcpyDescSize", [&]() -> Status {
    SOFTHCCL_REQUIRE(descSize);
    SOFTHCCL_RETURN_IF_ERROR(CheckKind(RawValue(kind)));
    *descSize = sizeof(CopyDescription);
    return {};
  });
}

extern "C" aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr, size_t count,
                                       void* config) {
  return CallAcl("aclrtSetMemcpyDesc", [&]() -> Status {
    SOFTHCCL_REQUIRE(desc);
    SOFTHCCL_REQUIRE(srcAddr);
    SOFTHCCL_REQUIRE(dstAddr);
    SOFTHCCL_RETURN_IF_ERROR(CheckKind(RawValue(kind)));
    if (count == 0) return base::Fail(Code::kInvalidArgument, "count 0; copy at least one byte");
    if (config != nullptr) return base::Fail(Code::kInvalidParam, "config {} must be null", fmt::ptr(config));
    SOFTHCCL_ASSIGN(to, FindDeviceMemory(dstAddr, count, "dstAddr"));
    SOFTHCCL_ASSIGN(from, FindDeviceMemory(srcAddr, count, "srcAddr"));
    static_cast<void>(to), static_cast<void>(from);
    return WriteDescription(desc, "desc",
                            CopyDescription{CopyDescription::kMagic, Bits(dstAddr), Bits(srcAddr), count});
  });
}

extern "C" aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  return CallAcl("aclrtMemcpyAsyncWithDesc", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(desc);
    SOFTHCCL_RETURN_IF_ERROR(CheckKind(RawValue(kind)));
    return Queue(site, engine::ops::CopyDescribed(desc), desc, sizeof(CopyDescription), "desc", stream);
  });
}

// --- Cache hints -------------------------------------------------------------------------------------------------

extern "C" aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream) {
  return CallAcl("aclrtCmoAsync", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(src);
    if (size == 0) return base::Fail(Code::kInvalidArgument, "size 0; name at least one byte");
    SOFTHCCL_RETURN_IF_ERROR(CheckHint(RawValue(cmoType)));
    return Queue(site, engine::ops::CacheHint(src, size), src, size, "src", stream);
  });
}

extern "C" aclError aclrtCmoGetDescSize(size_t* size) {
  return CallAcl("aclrtCmoGetDescSize", [&]() -> Status {
    SOFTHCCL_REQUIRE(size);
    *size = sizeof(RangeDescription);
    return {};
  });
}

extern "C" aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size) {
  return CallAcl("aclrtCmoSetDesc", [&]() -> Status {
    SOFTHCCL_REQUIRE(cmoDesc);
    SOFTHCCL_REQUIRE(src);
    if (size == 0) return base::Fail(Code::kInvalidArgument, "size 0; name at least one byte");
    SOFTHCCL_ASSIGN(range, FindDeviceMemory(src, size, "src"));
    static_cast<void>(range);
    return WriteDescription(cmoDesc, "cmoDesc", RangeDescription{RangeDescription::kMagic, Bits(src), size});
  });
}

extern "C" aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream stream,
                                          const void* reserve) {
  return CallAcl("aclrtCmoAsyncWithDesc", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(cmoDesc);
    SOFTHCCL_RETURN_IF_ERROR(CheckHint(RawValue(cmoType)));
    if (reserve != nullptr) return base::Fail(Code::kInvalidParam, "reserve {} must be null", fmt::ptr(reserve));
    return Queue(site, engine::ops::CacheHintDescribed(cmoDesc), cmoDesc, sizeof(RangeDescription), "cmoDesc", stream);
  });
}

// --- Coherence ---------------------------------------------------------------------------------------------------

extern "C" aclError aclrtMemFlush(void* devPtr, size_t size) { return CheckCoherent("aclrtMemFlush", devPtr, size); }

extern "C" aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return CheckCoherent("aclrtMemInvalidate", devPtr, size);
}
