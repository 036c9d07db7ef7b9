// The task cache. A failing lookup, start, end or clear loses no task, so it marks nothing; a failing replay does.
#include "api/data_plane.h"
#include "comm/task_cache.h"
#include "hcomm/hcomm_primitives.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::TaskCache;

namespace {

// A call at the wrong time is the vendor's INTERNAL, whatever the reason is called here.
HcclResult ReportCache(const char* call, const Status& status) {
  if (status.ok()) return HCCL_SUCCESS;
  const bool is_untimely = status.code() == Code::kRepeated || status.code() == Code::kNotFound;
  return is_untimely ? ReportHcclAs(call, status, HCCL_E_INTERNAL) : ReportHccl(call, status);
}

// Runs `body(device)`, which returns a Status.
template <typename Body>
Status InCache(const char* call, const char* tag, Body body) {
  return Guard([&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseForProduct(call));
    SOFTHCCL_REQUIRE(tag);
    if (const engine::Invocation* invocation = engine::CurrentInvocation()) return body(invocation->device);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    return body(device->id());
  });
}

base::Result<std::vector<engine::TaskBuffer>> ReadBuffers(void* const* addrs, const uint64_t* sizes, uint64_t count) {
  if (count == 0) return std::vector<engine::TaskBuffer>();
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(addrs, "addrs"));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(sizes, "sizes"));
  if (count > TaskCache::kMaxBuffers) {
    return base::FailResult(Code::kInvalidParam, "count {} is out of range, use 0 to {}", count,
                            TaskCache::kMaxBuffers);
  }
  std::vector<engine::TaskBuffer> buffers(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (addrs[i] == nullptr && sizes[i] != 0) {
      return base::FailResult(Code::kNullPointer, "addrs[{}] is null; sizes[{}] is {}, so pass a valid pointer", i, i,
                              sizes[i]);
    }
    buffers[i] = {Bits(addrs[i]), sizes[i]};
  }
  return buffers;
}

}  // namespace

extern "C" HcommResult HcommAicpuTsTaskCacheLookup(const char* tag, bool* isHit) {
  constexpr const char* kCall = "HcommAicpuTsTaskCacheLookup";
  return ReportCache(kCall, InCache(kCall, tag, [&](int device) -> Status {
                       SOFTHCCL_REQUIRE(isHit);
                       *isHit = TaskCache::Process().Has(device, tag);
                       return {};
                     }));
}

extern "C" HcommResult HcommAicpuTsTaskCacheStart(const char* tag, void** addrs, uint64_t* sizes, uint64_t count) {
  constexpr const char* kCall = "HcommAicpuTsTaskCacheStart";
  return ReportCache(kCall, InCache(kCall, tag, [&](int device) -> Status {
                       SOFTHCCL_ASSIGN(buffers, ReadBuffers(addrs, sizes, count));
                       return TaskCache::Process().Start(engine::CurrentContext(), device, tag, std::move(buffers));
                     }));
}

extern "C" HcommResult HcommAicpuTsTaskCacheEnd(const char* tag) {
  constexpr const char* kCall = "HcommAicpuTsTaskCacheEnd";
  return ReportCache(kCall,
                     InCache(kCall, tag, [&](int) { return TaskCache::Process().End(engine::CurrentContext(), tag); }));
}

extern "C" HcommResult HcommAicpuTsTaskCacheExecute(const char* tag, void** addrs, uint64_t* sizes, uint64_t count) {
  constexpr const char* kCall = "HcommAicpuTsTaskCacheExecute";
  const Status status = InCache(kCall, tag, [&](int device) -> Status {
    SOFTHCCL_ASSIGN(buffers, ReadBuffers(addrs, sizes, count));
    return TaskCache::Process().Execute(device, tag, buffers);
  });
  const bool may_go_on = status.ok() || status.code() == Code::kAgain || status.code() == Code::kNotSupported;
  const Status marked = Guard([&]() -> Status {
    if (!may_go_on) engine::MarkLaunchFailed(status);
    return {};
  });
  return ReportCache(kCall, status.ok() ? marked : status);
}

extern "C" HcommResult HcommAicpuTsTaskCacheClear(const char* tag) {
  constexpr const char* kCall = "HcommAicpuTsTaskCacheClear";
  return ReportCache(kCall, InCache(kCall, tag, [&](int device) -> Status {
                       TaskCache::Process().Clear(device, tag);
                       return {};
                     }));
}
