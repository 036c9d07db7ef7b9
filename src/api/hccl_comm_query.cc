// What can be asked about a communicator on the host, and the switches of the process.
#include <cstring>

#include "api/objects.h"
#include "api/report.h"
#include "base/log.h"
#include "hccl/hccl_comm.h"
#include "hccl/hcom.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Registry;

namespace {

Status FindHandle(const char* name, const char* argument, HcclComm* comm) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(name, argument));
  auto handle = Registry::Get().HandleByName(name, device->id());
  if (!handle) return Status(Code::kInvalidParam, handle.error().message());
  *comm = Handle(*handle);
  return {};
}

Status GetInfo(HcclComm comm, int type, uint32_t infoLen, void* info) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(info);
  if (type == HCCL_CONFIG_TYPE_OP_EXPANSION_MODE) {
    const HcclConfigTypeOpExpansionMode mode = HCCL_OP_EXPANSION_MODE_AI_CPU;  // the engine there is
    if (infoLen != sizeof mode) {
      return base::Fail(Code::kInvalidParam, "infoLen {} does not fit the expansion mode; it has {} bytes", infoLen,
                        sizeof mode);
    }
    std::memcpy(info, &mode, sizeof mode);
    return {};
  }
  if (type == HCCL_CONFIG_TYPE_HCCL_ALGO) {
    if (infoLen < HCCL_COMM_ALGO_MAX_LENGTH) {
      return base::Fail(Code::kInvalidParam, "infoLen {} is too small for the algorithm; use at least {} bytes",
                        infoLen, static_cast<uint32_t>(HCCL_COMM_ALGO_MAX_LENGTH));
    }
    const std::string& algorithm = found->options().algorithm;  // checked to be shorter
    std::memcpy(info, algorithm.c_str(), algorithm.size() + 1);
    return {};
  }
  return base::Fail(Code::kInvalidParam, "cfgType {} is not known; use 0 (expansion mode) or 1 (algorithm)", type);
}

}  // namespace

extern "C" HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return CallHccl("HcclGetCommName", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(commName);
    std::memcpy(commName, found->name().c_str(), found->name().size() + 1);
    return {};
  });
}

extern "C" HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm) {
  return CallHccl("HcclCommGetHandleWithName", [&]() -> Status {
    SOFTHCCL_REQUIRE(comm);
    return FindHandle(commName, "commName", comm);
  });
}

extern "C" HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle) {
  return CallHccl("HcomGetCommHandleByGroup", [&]() -> Status {
    SOFTHCCL_REQUIRE(commHandle);
    return FindHandle(group, "group", commHandle);
  });
}

extern "C" HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void* info) {
  return CallHccl("HcclConfigGetInfo", [&] { return GetInfo(comm, RawValue(cfgType), infoLen, info); });
}

extern "C" HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  return CallHccl("HcclSetConfig", [&]() -> Status {
    if (RawValue(config) != HCCL_DETERMINISTIC || (configValue.value >= 0 && configValue.value <= 2)) return {};
    return base::Fail(Code::kInvalidParam, "configValue {} is not valid for HCCL_DETERMINISTIC; use 0, 1 or 2",
                      configValue.value);
  });
}

extern "C" HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  return CallHccl("HcclGetConfig", [&]() -> Status {
    SOFTHCCL_REQUIRE(configValue);
    if (RawValue(config) != HCCL_DETERMINISTIC) {
      return base::Fail(Code::kInvalidParam, "config {} is not known; use HCCL_DETERMINISTIC 0", RawValue(config));
    }
    configValue->value = 1;
    return {};
  });
}

extern "C" uint32_t HcclGetCommConfigCapability() { return HCCL_COMM_CONFIG_RESERVED; }

extern "C" HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return CallHccl("HcclGetCommAsyncError", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(asyncError);
    *asyncError = found->party().domain->aborted() ? HCCL_E_REMOTE : HCCL_SUCCESS;
    return {};
  });
}

extern "C" const char* HcclGetErrorString(HcclResult code) {
  static const char* const kTexts[] = {"no error",
                                       "parameter error",
                                       "empty pointer",
                                       "memory error",
                                       "internal error",
                                       "not support feature",
                                       "not found specific resource",
                                       "resource unavailable",
                                       "call system interface error",
                                       "timeout",
                                       "open file fail",
                                       "tcp connect fail",
                                       "roce connect fail",
                                       "tcp transfer fail",
                                       "roce transfer fail",
                                       "call runtime api fail",
                                       "call driver api fail",
                                       "call profiling api fail",
                                       "call cce api fail",
                                       "call network api fail",
                                       "try again",
                                       "error cqe",
                                       "error communicator suspending",
                                       "retry constraint",
                                       "out of memory"};
  const auto number = static_cast<std::uint32_t>(RawValue(code));
  if (number < sizeof kTexts / sizeof kTexts[0]) return kTexts[number];
  return number >= HCCL_E_RESERVED ? "unknown error" : "unknown err";
}
