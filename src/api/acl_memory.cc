// Memory of devices and hosts, and the synchronous copy.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "memory/memory.h"

using namespace softhccl;
using namespace softhccl::api;
using memory::Memory;
using memory::Space;

namespace {

base::Status Allocate(Space space, void** out, size_t size, const char* purpose) {
  if (size == 0) return base::Fail(base::Code::kInvalidArgument, "size 0; ask for at least one byte");
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(data, Memory::Process().Allocate(space, device->id(), size, purpose));
  *out = data;
  return {};
}

// One aligned word is copied whole: programs watch a counter that a kernel writes this way.
template <typename Word>
bool CopiedAsWord(void* dst, const void* src, size_t count) {
  const auto bits = reinterpret_cast<std::uintptr_t>(dst) | reinterpret_cast<std::uintptr_t>(src);
  if (count != sizeof(Word) || bits % sizeof(Word) != 0) return false;
  auto* from = static_cast<Word*>(const_cast<void*>(src));  // atomic_ref has no const form; it is only read
  const Word word = std::atomic_ref<Word>(*from).load();
  std::atomic_ref<Word>(*static_cast<Word*>(dst)).store(word);
  return true;
}

void CopyNow(void* dst, const void* src, size_t count) {
  if (CopiedAsWord<std::uint64_t>(dst, src, count) || CopiedAsWord<std::uint32_t>(dst, src, count)) return;
  std::memmove(dst, src, count);
}

base::Status CheckCopy(void* dst, size_t destMax, const void* src, size_t count, int kind) {
  SOFTHCCL_REQUIRE(dst);
  SOFTHCCL_REQUIRE(src);
  if (kind < 0 || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    return base::Fail(base::Code::kInvalidArgument, "kind {} is not valid; use 0 to {}", kind,
                      static_cast<int>(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE));
  }
  if (count > destMax) {
    return base::Fail(base::Code::kInvalidParam, "count {} is larger than destMax {}; the destination is too small",
                      count, destMax);
  }
  if (dst == src) return {};  // before the device is asked for, as the vendor's order is
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  SOFTHCCL_RETURN_IF_ERROR(Memory::Process().CheckRange(dst, count, "dst"));
  return Memory::Process().CheckRange(src, count, "src");
}

}  // namespace

extern "C" aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return CallAcl("aclrtMalloc", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(devPtr);
    return Allocate(Space::kDevice, devPtr, size, "an aclrtMalloc allocation");
  });
}

extern "C" aclError aclrtFree(void* devPtr) {
  return CallAcl("aclrtFree", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(devPtr);
    return Memory::Process().Free(Space::kDevice, devPtr);
  });
}

extern "C" aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return CallAcl("aclrtMallocHost", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(hostPtr);
    return Allocate(Space::kHost, hostPtr, size, "an aclrtMallocHost allocation");
  });
}

extern "C" aclError aclrtFreeHost(void* hostPtr) {
  return CallAcl("aclrtFreeHost", [&]() -> base::Status {
    SOFTHCCL_REQUIRE(hostPtr);
    return Memory::Process().Free(Space::kHost, hostPtr);
  });
}

extern "C" aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemcpy", [&]() -> base::Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckCopy(dst, destMax, src, count, RawValue(kind)));
    if (dst != src) CopyNow(dst, src, count);
    return {};
  });
}
