// Memory that operators get from a communicator or lend to it, and data that its channels carry along.
#include <cstring>

#include "api/memory_arguments.h"
#include "api/objects.h"
#include "api/report.h"
#include "hccl/hccl_res_expt.h"
#include "memory/memory.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Communicator;

namespace {

// A null tag is the reserved empty one.
base::Result<std::string> ReadTag(const char* tag) {
  const std::string text = tag == nullptr ? "" : std::string(tag, ::strnlen(tag, Communicator::kMaxTag + 1));
  if (text.size() > Communicator::kMaxTag) {
    return base::FailResult(Code::kInvalidParam, "ctxTag \"{}...\" is longer than {} characters", text.substr(0, 32),
                            Communicator::kMaxTag);
  }
  return text;
}

Status RegisterMemory(HcclComm comm, const char* memTag, const CommMem* mem, HcclMemHandle* memHandle) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(memTag);
  SOFTHCCL_ASSIGN(tag, ReadMemoryTag(memTag));
  for (const char* reserved : {"__hccl_sym_win__", "__hccl_team_syncmem__", "__hccl_team_usermem__"}) {
    if (tag.rfind(reserved, 0) != 0) continue;
    return base::Fail(Code::kInvalidParam, "memTag \"{}\" begins with {}, which the library keeps for itself", tag,
                      reserved);
  }
  SOFTHCCL_REQUIRE(memHandle);
  SOFTHCCL_ASSIGN(range, ReadMemory(mem, "mem"));
  SOFTHCCL_RETURN_IF_ERROR(found->CheckUsable());
  SOFTHCCL_ASSIGN(handle, found->memories().Register(tag, range.space, range.data, range.size));
  *memHandle = Handle(handle);
  return {};
}

Status AcquireNamedMemory(HcclComm comm, const char* memTag, uint64_t* size, void** addr, bool* newCreated) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(memTag);
  SOFTHCCL_REQUIRE(size);
  SOFTHCCL_REQUIRE(addr);
  SOFTHCCL_REQUIRE(newCreated);
  SOFTHCCL_ASSIGN(tag, ReadMemoryTag(memTag));
  SOFTHCCL_RETURN_IF_ERROR(found->CheckUsable());
  SOFTHCCL_ASSIGN(named, found->contexts().AcquireNamed(tag, *size));
  *size = named.memory.size;
  *addr = named.memory.data;
  *newCreated = named.is_new;
  return {};
}

Status TakeExchangeInfo(HcclComm comm, uint32_t remoteRank, uint32_t length, void* data, uint32_t* actualLength) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(data);
  SOFTHCCL_REQUIRE(actualLength);
  if (remoteRank >= found->size() || remoteRank == found->rank()) {
    return base::Fail(Code::kInvalidParam, "remoteRank {} is not one of the other {} ranks of the communicator",
                      remoteRank, found->size() - 1);
  }
  SOFTHCCL_ASSIGN(text, found->exchange_info().Take(remoteRank, length));
  std::memcpy(data, text.data(), text.size());
  *actualLength = static_cast<uint32_t>(text.size());
  return {};
}

// The own buffer, cleared when that is asked for.
Status GetBuffer(HcclComm comm, void** buffer, uint64_t* size, bool is_cleared) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(buffer);
  SOFTHCCL_REQUIRE(size);
  if (is_cleared) found->ClearBuffer();
  *buffer = found->buffer().data();
  *size = found->buffer().size();
  return {};
}

}  // namespace

extern "C" HcclResult HcclEngineCtxCreate(HcclComm comm, const char* ctxTag, CommEngine engine, uint64_t size,
                                          void** ctx) {
  return CallHccl("HcclEngineCtxCreate", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(ctx);
    SOFTHCCL_ASSIGN(tag, ReadTag(ctxTag));
    SOFTHCCL_ASSIGN(data, found->CreateContext(tag, RawValue(engine), size));
    *ctx = data;
    return {};
  });
}

extern "C" HcclResult HcclEngineCtxGet(HcclComm comm, const char* ctxTag, CommEngine engine, void** ctx,
                                       uint64_t* size) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(ctx);
    SOFTHCCL_REQUIRE(size);
    SOFTHCCL_ASSIGN(tag, ReadTag(ctxTag));
    SOFTHCCL_ASSIGN(context, found->FindContext(tag, RawValue(engine)));
    *ctx = context.data;
    *size = context.size;
    return {};
  });
  // Operators ask before they create: not finding a context is no error worth a line.
  return ReportHccl("HcclEngineCtxGet", status, status.code() == Code::kNotFound ? Loudness::kProbe : Loudness::kError);
}

extern "C" HcclResult HcclEngineCtxCopy(HcclComm comm, CommEngine engine, const char* ctxTag, const void* srcCtx,
                                        uint64_t size, uint64_t dstCtxOffset) {
  return CallHccl("HcclEngineCtxCopy", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(srcCtx);
    SOFTHCCL_ASSIGN(tag, ReadTag(ctxTag));
    return found->contexts().CopyInto(tag, RawValue(engine), srcCtx, size, dstCtxOffset);
  });
}

extern "C" HcclResult HcclEngineCtxDestroy(HcclComm comm, const char* ctxTag, CommEngine engine) {
  return CallHccl("HcclEngineCtxDestroy", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_ASSIGN(tag, ReadTag(ctxTag));
    return found->contexts().Destroy(tag, RawValue(engine));
  });
}

extern "C" HcclResult HcclGetHcclBuffer(HcclComm comm, void** buffer, uint64_t* size) {
  return CallHccl("HcclGetHcclBuffer", [&] { return GetBuffer(comm, buffer, size, false); });
}

extern "C" HcclResult HcclGetHcclBufferCleared(HcclComm comm, void** buffer, uint64_t* size) {
  return CallHccl("HcclGetHcclBufferCleared", [&] { return GetBuffer(comm, buffer, size, true); });
}

extern "C" HcclResult HcclGetRemoteIpcHcclBuf(HcclComm comm, uint64_t remoteRank, void** addr, uint64_t* size) {
  return CallHccl("HcclGetRemoteIpcHcclBuf", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(addr);
    SOFTHCCL_REQUIRE(size);
    SOFTHCCL_ASSIGN(window, found->BufferOf(remoteRank));
    *addr = window.data;
    *size = window.size;
    return {};
  });
}

extern "C" HcclResult HcclCommMemReg(HcclComm comm, const char* memTag, const CommMem* mem, HcclMemHandle* memHandle) {
  return CallHccl("HcclCommMemReg", [&] { return RegisterMemory(comm, memTag, mem, memHandle); });
}

extern "C" HcclResult HcclDevMemAcquire(HcclComm comm, const char* memTag, uint64_t* size, void** addr,
                                        bool* newCreated) {
  return CallHccl("HcclDevMemAcquire", [&] { return AcquireNamedMemory(comm, memTag, size, addr, newCreated); });
}

extern "C" HcclResult HcclCommAddExchangeInfo(HcclComm comm, const void* data, uint32_t length) {
  return CallHccl("HcclCommAddExchangeInfo", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(data);
    if (length == 0) return base::Fail(Code::kInvalidParam, "length 0: give at least one byte");
    SOFTHCCL_RETURN_IF_ERROR(memory::Memory::Process().CheckRange(data, length, "data"));
    return found->exchange_info().Add(std::string(static_cast<const char*>(data), length));
  });
}

extern "C" HcclResult HcclCommGetExchangeInfo(HcclComm comm, uint32_t remoteRank, uint32_t length, void* data,
                                              uint32_t* actualLength) {
  return CallHccl("HcclCommGetExchangeInfo",
                  [&] { return TakeExchangeInfo(comm, remoteRank, length, data, actualLength); });
}

extern "C" HcclResult HcclCommResetExchangeInfo(HcclComm comm) {
  return CallHccl("HcclCommResetExchangeInfo", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    found->exchange_info().Reset();
    return {};
  });
}
