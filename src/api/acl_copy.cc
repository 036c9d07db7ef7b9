// Copies: at once and on streams; one range, the rows of a matrix, many ranges.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

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
using memory::Memory;

namespace {

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

Status CheckKind(int kind) {
  if (kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) return {};
  return base::Fail(Code::kInvalidArgument, "kind {} is not valid; use 0 to {}", kind,
                    static_cast<int>(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE));
}

Status CheckAsyncKind(int kind) {
  if (kind != ACL_MEMCPY_HOST_TO_HOST) return {};
  return base::Fail(Code::kNotSupported,
                    "kind ACL_MEMCPY_HOST_TO_HOST is not supported on a stream; use aclrtMemcpy or memcpy");
}

Status CheckRanges(const void* dst, const void* src, size_t count) {
  SOFTHCCL_RETURN_IF_ERROR(Memory::Process().CheckRange(dst, count, "dst"));
  return Memory::Process().CheckRange(src, count, "src");
}

// Everything that can be wrong with a copy before the device is asked for, in the vendor's order.
Status CheckHead(const void* dst, size_t destMax, const void* src, size_t count, int kind) {
  SOFTHCCL_REQUIRE(dst);
  SOFTHCCL_REQUIRE(src);
  SOFTHCCL_RETURN_IF_ERROR(CheckKind(kind));
  if (count <= destMax) return {};
  return base::Fail(Code::kInvalidParam, "count {} is larger than destMax {}; the destination is too small", count,
                    destMax);
}

// Host memory that a device cannot reach without help: a stream's copy of it is done before the call returns.
bool IsPageable(const void* address) {
  return !Memory::Process().Resolve(address) && !memory::Registrations::Process().Holds(address);
}

Status CopyAsync(const char* call, const void* site, void* dst, size_t destMax, const void* src, size_t count, int kind,
                 aclrtStream stream) {
  SOFTHCCL_RETURN_IF_ERROR(CheckHead(dst, destMax, src, count, kind));
  SOFTHCCL_RETURN_IF_ERROR(CheckAsyncKind(kind));
  if (dst == src) return {};
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_RETURN_IF_ERROR(CheckRanges(dst, src, count));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  exec::Op op = engine::ops::LocalCopy(dst, src, count);
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, IsPageable(dst) || IsPageable(src) ? call : nullptr);
}

// --- Rows --------------------------------------------------------------------------------------------------------

struct Rows {
  void* dst;
  size_t dpitch;
  const void* src;
  size_t spitch;
  size_t width;
  size_t height;
};

Status CheckRows(const Rows& rows, int kind) {
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(rows.dst, "dst"));
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(rows.src, "src"));
  if (rows.width == 0 || rows.height == 0) {
    return base::Fail(Code::kInvalidArgument, "width {} and height {} must both be at least 1", rows.width,
                      rows.height);
  }
  SOFTHCCL_RETURN_IF_ERROR(CheckKind(kind));
  if (rows.width <= rows.dpitch && rows.width <= rows.spitch) return {};
  return base::Fail(Code::kInvalidParam, "width {} is larger than {} {}; rows would overlap", rows.width,
                    rows.width > rows.dpitch ? "dpitch" : "spitch",
                    rows.width > rows.dpitch ? rows.dpitch : rows.spitch);
}

Status CheckMatrix(const void* data, size_t pitch, const Rows& rows, const char* argument) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(rows.height - 1, pitch, &bytes) || __builtin_add_overflow(bytes, rows.width, &bytes)) {
    return base::Fail(Code::kInvalidParam, "{}: {} rows {} bytes apart are more than an address space", argument,
                      rows.height, pitch);
  }
  return Memory::Process().CheckRange(data, bytes, argument);
}

Status CheckBothMatrices(const Rows& rows) {
  SOFTHCCL_RETURN_IF_ERROR(CheckMatrix(rows.dst, rows.dpitch, rows, "dst"));
  return CheckMatrix(rows.src, rows.spitch, rows, "src");
}

Status CopyRowsNow(const Rows& rows) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  SOFTHCCL_RETURN_IF_ERROR(RefuseWhileCaptured("aclrtMemcpy2d"));
  SOFTHCCL_RETURN_IF_ERROR(CheckBothMatrices(rows));
  for (size_t row = 0; row < rows.height; ++row) {
    std::memmove(static_cast<std::byte*>(rows.dst) + row * rows.dpitch,
                 static_cast<const std::byte*>(rows.src) + row * rows.spitch, rows.width);
  }
  return {};
}

Status CopyRowsAsync(const char* call, const void* site, const Rows& rows, aclrtStream stream) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_RETURN_IF_ERROR(CheckBothMatrices(rows));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  exec::Op op = engine::ops::CopyRows({rows.dst, rows.dpitch}, {rows.src, rows.spitch}, rows.width, rows.height);
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, IsPageable(rows.dst) || IsPageable(rows.src) ? call : nullptr);
}

// --- Indirect ----------------------------------------------------------------------------------------------------

// Where the address is read when the copy runs: device memory is read then, a pointer variable of the program now,
// because it may be gone later.
Status CopyIndirect(const void* site, void** dst, size_t destMax, const engine::ops::IndirectAddress& to,
                    const engine::ops::IndirectAddress& from, size_t count, aclrtStream stream) {
  if (to.offset > destMax || count > destMax - to.offset) {
    return base::Fail(Code::kInvalidParam, "count {} behind dstDataOffset {} is larger than destMax {}", count,
                      to.offset, destMax);
  }
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_RETURN_IF_ERROR(CheckRanges(to.place, from.place, sizeof(void*)));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  exec::Op op;
  if (IsPageable(to.place) || IsPageable(from.place)) {
    auto* const destination = static_cast<std::byte*>(*dst);
    const auto* const source = *static_cast<const std::byte* const*>(from.place);
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(destination, "*dst"));
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(source, "*src"));
    SOFTHCCL_RETURN_IF_ERROR(CheckRanges(destination + to.offset, source + from.offset, count));
    op = engine::ops::LocalCopy(destination + to.offset, source + from.offset, count);
  } else {
    op = engine::ops::CopyIndirect(to, from, count);
  }
  op.call_site = site;
  return QueueOn(*target, {&op, 1}, nullptr);
}

// --- Batches -----------------------------------------------------------------------------------------------------

// As many as a stream holds; a larger number was never initialised.
constexpr size_t kMaxBatch = exec::OpQueue::kMaxQueued;

struct Batch {
  void** dsts;
  size_t* destMaxs;
  void** srcs;
  size_t* sizes;
  size_t count;
  aclrtMemcpyBatchAttr* attrs;
  size_t* attrsIndexes;
  size_t numAttrs;
};

Status CheckBatchAttributes(const Batch& batch) {
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(batch.attrs, "attrs"));
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(batch.attrsIndexes, "attrsIndexes"));
  if (batch.numAttrs == 0 || batch.numAttrs > batch.count) {
    return base::Fail(Code::kInvalidParam, "numAttrs {} is not valid; use 1 to numBatches {}", batch.numAttrs,
                      batch.count);
  }
  for (size_t i = 0; i < batch.numAttrs; ++i) {
    const size_t index = batch.attrsIndexes[i];
    const bool in_order = i == 0 ? index == 0 : index > batch.attrsIndexes[i - 1];
    if (!in_order || index >= batch.count) {
      return base::Fail(Code::kInvalidParam,
                        "attrsIndexes[{}] {} is not valid; they begin with 0, ascend and stay below numBatches {}", i,
                        index, batch.count);
    }
    for (const int type : {RawValue(batch.attrs[i].dstLoc.type), RawValue(batch.attrs[i].srcLoc.type)}) {
      if (type >= ACL_MEM_LOCATION_TYPE_HOST && type <= ACL_MEM_LOCATION_TYPE_HOST_NUMA) continue;
      return base::Fail(Code::kInvalidParam, "attrs[{}]: location type {} is not valid; use 0 to {}", i, type,
                        static_cast<int>(ACL_MEM_LOCATION_TYPE_HOST_NUMA));
    }
  }
  return {};
}

// *fail_index is the copy that is wrong, SIZE_MAX when the arguments as a whole are.
Status CheckBatch(const Batch& batch, size_t* fail_index) {
  *fail_index = SIZE_MAX;
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(batch.dsts, "dsts"));
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(batch.destMaxs, "destMaxs"));
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(batch.srcs, "srcs"));
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(batch.sizes, "sizes"));
  if (batch.count == 0 || batch.count > kMaxBatch) {
    return base::Fail(Code::kInvalidParam, "numBatches {} is out of range, use 1 to {}", batch.count, kMaxBatch);
  }
  SOFTHCCL_RETURN_IF_ERROR(CheckBatchAttributes(batch));
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  for (size_t i = 0; i < batch.count; ++i) {
    if (batch.sizes[i] == 0) continue;
    Status valid = CheckHead(batch.dsts[i], batch.destMaxs[i], batch.srcs[i], batch.sizes[i], ACL_MEMCPY_DEFAULT);
    if (valid.ok()) valid = CheckRanges(batch.dsts[i], batch.srcs[i], batch.sizes[i]);
    if (valid.ok()) continue;
    *fail_index = i;
    return std::move(valid).While(fmt::format("checking copy {} of {}", i, batch.count));
  }
  return {};
}

Status CopyBatchNow(const char* call, const Batch& batch, size_t* fail_index) {
  SOFTHCCL_RETURN_IF_ERROR(CheckBatch(batch, fail_index));
  *fail_index = SIZE_MAX;
  SOFTHCCL_RETURN_IF_ERROR(RefuseWhileCaptured(call));
  for (size_t i = 0; i < batch.count; ++i) {
    if (batch.sizes[i] > 0) CopyNow(batch.dsts[i], batch.srcs[i], batch.sizes[i]);
  }
  return {};
}

Status CopyBatchAsync(const char* call, const void* site, const Batch& batch, size_t* fail_index, aclrtStream stream) {
  SOFTHCCL_RETURN_IF_ERROR(CheckBatch(batch, fail_index));
  *fail_index = SIZE_MAX;
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  std::vector<exec::Op> ops;
  bool pageable = false;
  for (size_t i = 0; i < batch.count; ++i) {
    if (batch.sizes[i] == 0) continue;
    ops.push_back(engine::ops::LocalCopy(batch.dsts[i], batch.srcs[i], batch.sizes[i]));
    ops.back().call_site = site;
    pageable = pageable || IsPageable(batch.dsts[i]) || IsPageable(batch.srcs[i]);
  }
  return QueueOn(*target, ops, pageable ? call : nullptr);
}

}  // namespace

extern "C" aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemcpy", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckHead(dst, destMax, src, count, RawValue(kind)));
    if (dst == src) return {};  // before the device is asked for, as the vendor's order is
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_RETURN_IF_ERROR(RefuseWhileCaptured("aclrtMemcpy"));
    SOFTHCCL_RETURN_IF_ERROR(CheckRanges(dst, src, count));
    CopyNow(dst, src, count);
    return {};
  });
}

extern "C" aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                     aclrtStream stream) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemcpyAsync", [&, site = __builtin_return_address(0)] {
    return CopyAsync("aclrtMemcpyAsync", site, dst, destMax, src, count, RawValue(kind), stream);
  });
}

extern "C" aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count,
                                                  aclrtMemcpyKind kind, aclrtStream stream) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemcpyAsyncWithCondition", [&, site = __builtin_return_address(0)] {
    return CopyAsync("aclrtMemcpyAsyncWithCondition", site, dst, destMax, src, count, RawValue(kind), stream);
  });
}

extern "C" aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src,
                                               size_t count, size_t srcDataOffset, aclrtMemcpyKind kind,
                                               aclrtStream stream) {
  if (count == 0) return ACL_SUCCESS;
  return CallAcl("aclrtMemcpyAsyncWithOffset", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(dst);
    SOFTHCCL_REQUIRE(src);
    SOFTHCCL_RETURN_IF_ERROR(CheckKind(RawValue(kind)));
    return CopyIndirect(site, dst, destMax, {dst, dstDataOffset}, {src, srcDataOffset}, count, stream);
  });
}

extern "C" aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                                  aclrtMemcpyKind kind) {
  return CallAcl("aclrtMemcpy2d", [&]() -> Status {
    const Rows rows{dst, dpitch, src, spitch, width, height};
    SOFTHCCL_RETURN_IF_ERROR(CheckRows(rows, RawValue(kind)));
    return CopyRowsNow(rows);
  });
}

extern "C" aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                       size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return CallAcl("aclrtMemcpy2dAsync", [&, site = __builtin_return_address(0)]() -> Status {
    const Rows rows{dst, dpitch, src, spitch, width, height};
    SOFTHCCL_RETURN_IF_ERROR(CheckRows(rows, RawValue(kind)));
    SOFTHCCL_RETURN_IF_ERROR(CheckAsyncKind(RawValue(kind)));
    return CopyRowsAsync("aclrtMemcpy2dAsync", site, rows, stream);
  });
}

extern "C" aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                     aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                     size_t* failIndex) {
  return CallAcl("aclrtMemcpyBatch", [&]() -> Status {
    SOFTHCCL_REQUIRE(failIndex);
    return CopyBatchNow("aclrtMemcpyBatch", {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs},
                        failIndex);
  });
}

extern "C" aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                       aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
  return CallAcl("aclrtMemcpyBatchV2", [&] {
    size_t fail_index = 0;
    return CopyBatchNow("aclrtMemcpyBatchV2", {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs},
                        &fail_index);
  });
}

extern "C" aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                          size_t* failIndex, aclrtStream stream) {
  return CallAcl("aclrtMemcpyBatchAsync", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(failIndex);
    return CopyBatchAsync("aclrtMemcpyBatchAsync", site,
                          {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, failIndex, stream);
  });
}

extern "C" aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                            size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                            size_t numAttrs, aclrtStream stream) {
  return CallAcl("aclrtMemcpyBatchAsyncV2", [&, site = __builtin_return_address(0)] {
    size_t fail_index = 0;
    return CopyBatchAsync("aclrtMemcpyBatchAsyncV2", site,
                          {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, &fail_index,
                          stream);
  });
}
