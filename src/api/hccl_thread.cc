// The threads of a communicator.
#include "api/objects.h"
#include "api/report.h"
#include "api/thread_info.h"
#include "engine/engines.h"
#include "engine/faithful.h"
#include "hccl/hccl_res_expt.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

Status CheckForProduct(const char* call, int engine) {
  return engine::CheckEngine(call, engine, engine::FaithfulProduct());
}

Status AcquireWithConfig(HcclComm comm, int engine, uint32_t threadNum, int type, const ThreadConfig* config,
                         ThreadHandle* threads) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(config);
  SOFTHCCL_REQUIRE(threads);
  SOFTHCCL_RETURN_IF_ERROR(CheckForProduct("HcclThreadAcquireWithConfig", engine));
  SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(engine, "HcclThreadAcquireWithConfig"));
  if (engine == COMM_ENGINE_CPU_TS || engine == COMM_ENGINE_AICPU_TS) {
    return base::Fail(Code::kInvalidParam,
                      "engine {} ({}): use COMM_ENGINE_CPU or COMM_ENGINE_AICPU, type says the rest", engine,
                      info->name);
  }
  if (type != THREAD_TYPE_TS) {
    return base::Fail(Code::kInvalidParam, "type {} is not known; use THREAD_TYPE_TS {}", type,
                      static_cast<int>(THREAD_TYPE_TS));
  }
  if (config->header.magicWord != HCOMM_THREAD_CONFIG_MAGIC_WORD) {
    return base::Fail(Code::kInvalidParam,
                      "config->header.magicWord is 0x{:x}, expected 0x{:x}; call ThreadConfigInit "
                      "first",
                      config->header.magicWord, HCOMM_THREAD_CONFIG_MAGIC_WORD);
  }
  constexpr uint32_t kNeeded = offsetof(ThreadConfig, reserved);
  if (config->header.size < kNeeded) {
    return base::Fail(Code::kInvalidParam,
                      "config->header.size {} is smaller than the {} bytes that are needed; call "
                      "ThreadConfigInit first",
                      config->header.size, kNeeded);
  }
  SOFTHCCL_RETURN_IF_ERROR(found->CheckUsable());
  const int scheduled = engine == COMM_ENGINE_CPU ? COMM_ENGINE_CPU_TS : COMM_ENGINE_AICPU_TS;
  SOFTHCCL_ASSIGN(handles, found->threads().Acquire(scheduled, threadNum, config->notifyNumPerThread));
  std::copy(handles.begin(), handles.end(), threads);
  return {};
}

Status AcquireWithStream(HcclComm comm, int engine, aclrtStream stream, uint32_t notifyNum, ThreadHandle* thread) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(stream);
  SOFTHCCL_REQUIRE(thread);
  SOFTHCCL_RETURN_IF_ERROR(CheckForProduct("HcclThreadAcquireWithStream", engine));
  SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(engine, "HcclThreadAcquireWithStream"));
  if (engine != COMM_ENGINE_CPU && engine != COMM_ENGINE_CPU_TS) {
    return base::Fail(Code::kInvalidParam,
                      "engine {} ({}) has no threads on a stream of the host; use COMM_ENGINE_CPU "
                      "or COMM_ENGINE_CPU_TS",
                      engine, info->name);
  }
  SOFTHCCL_RETURN_IF_ERROR(found->CheckUsable());
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(own, FindOwnStream(stream, *device));
  if (own->party.domain != nullptr) {
    return base::Fail(Code::kInvalidParam, "stream 0x{:x} is the stream of a thread already", Bits(stream));
  }
  SOFTHCCL_ASSIGN(handle, found->threads().AcquireWithStream(*own, engine, notifyNum));
  *thread = handle;
  return {};
}

Status AcquireDedicated(HcclComm comm, int use_type, uint32_t notifies, ThreadHandle* thread) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(thread);
  if (use_type < HCCL_DED_THREAD_TYPE_AICPU_LAUNCH || use_type > HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_DEVICE) {
    return base::Fail(Code::kInvalidParam, "useType {} is not known; use {} to {}", use_type,
                      static_cast<int>(HCCL_DED_THREAD_TYPE_AICPU_LAUNCH),
                      static_cast<int>(HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_DEVICE));
  }
  SOFTHCCL_RETURN_IF_ERROR(found->CheckUsable());
  if (use_type == HCCL_DED_THREAD_TYPE_AICPU_LAUNCH_GE || use_type == HCCL_DED_THREAD_TYPE_AICPU_ORDER_LAUNCH_GE) {
    *thread = 0;  // these are registered by the graph engine, which is not part of this library
    return {};
  }
  SOFTHCCL_ASSIGN(handle, found->threads().AcquireDedicated(use_type, COMM_ENGINE_AICPU_TS, notifies));
  *thread = handle;
  return {};
}

Status Export(HcclComm comm, uint32_t threadNum, const ThreadHandle* threads, int engine, ThreadHandle* exported) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(threads);
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(exported, "exportedThreads"));
  constexpr uint32_t kMostThreads = 40;
  if (threadNum == 0 || threadNum > kMostThreads) {
    return base::Fail(Code::kInvalidParam, "threadNum {} is out of range, use 1 to {}", threadNum, kMostThreads);
  }
  SOFTHCCL_ASSIGN(info, engine::FindEngine(engine));
  if (engine == COMM_ENGINE_AIV) {
    return base::Fail(Code::kInvalidParam,
                      "dstCommEngine {} ({}) cannot name threads; use CPU, CPU_TS, AICPU, AICPU_TS "
                      "or CCU",
                      engine, info->name);
  }
  for (uint32_t i = 0; i < threadNum; ++i) {
    const std::string argument = fmt::format("threads[{}]", i);
    SOFTHCCL_ASSIGN(thread, found->threads().Find(threads[i], argument.c_str()));
    SOFTHCCL_ASSIGN(stream, thread->UsableStream());
    static_cast<void>(stream);
    SOFTHCCL_RETURN_IF_ERROR(engine::CheckExport(thread->engine, engine, engine::FaithfulProduct()));
  }
  // Host and kernels share an address space: the same handle names the thread on both sides.
  std::copy_n(threads, threadNum, exported);
  return {};
}

}  // namespace

extern "C" HcclResult HcclThreadAcquire(HcclComm comm, CommEngine engine, uint32_t threadNum,
                                        uint32_t notifyNumPerThread, ThreadHandle* threads) {
  return CallHccl("HcclThreadAcquire", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(threads);
    SOFTHCCL_RETURN_IF_ERROR(CheckForProduct("HcclThreadAcquire", RawValue(engine)));
    SOFTHCCL_ASSIGN(info, engine::FindSupportedEngine(RawValue(engine), "HcclThreadAcquire"));
    SOFTHCCL_ASSIGN(handles, found->AcquireThreads(info->value, threadNum, notifyNumPerThread));
    std::copy(handles.begin(), handles.end(), threads);
    return {};
  });
}

extern "C" HcclResult HcclThreadAcquireWithConfig(HcclComm comm, CommEngine engine, uint32_t threadNum, ThreadType type,
                                                  const ThreadConfig* config, ThreadHandle* threads) {
  return CallHccl("HcclThreadAcquireWithConfig", [&] {
    return AcquireWithConfig(comm, RawValue(engine), threadNum, RawValue(type), config, threads);
  });
}

extern "C" HcclResult HcclThreadAcquireWithStream(HcclComm comm, CommEngine engine, aclrtStream stream,
                                                  uint32_t notifyNum, ThreadHandle* thread) {
  return CallHccl("HcclThreadAcquireWithStream",
                  [&] { return AcquireWithStream(comm, RawValue(engine), stream, notifyNum, thread); });
}

extern "C" HcclResult HcclDedicatedThreadAcquire(HcclComm comm, HcclDedicatedThreadType useType,
                                                 uint32_t notifyNumPerThread, ThreadHandle* thread) {
  return CallHccl("HcclDedicatedThreadAcquire",
                  [&] { return AcquireDedicated(comm, RawValue(useType), notifyNumPerThread, thread); });
}

extern "C" HcclResult HcclThreadResGetInfo(HcclComm comm, ThreadHandle thread, ThreadResType resType, uint32_t infoLen,
                                           void** info) {
  return CallHccl("HcclThreadResGetInfo", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(info);
    auto member = found->threads().Find(thread, "thread");
    if (!member) return Status(Code::kNotFound, member.error().message());
    return GetThreadInfo(**member, RawValue(resType), infoLen, info);
  });
}

extern "C" HcclResult HcclThreadExportToCommEngine(HcclComm comm, uint32_t threadNum, const ThreadHandle* threads,
                                                   CommEngine dstCommEngine, ThreadHandle* exportedThreads) {
  return CallHccl("HcclThreadExportToCommEngine",
                  [&] { return Export(comm, threadNum, threads, RawValue(dstCommEngine), exportedThreads); });
}
