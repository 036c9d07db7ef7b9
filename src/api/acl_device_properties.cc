// What a program can ask about devices. A virtual device has AICPU cores, which are those of this machine, and no AI
// cores; what it does not have is answered as 0 where the question is "how many", and as not supported otherwise.
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <string_view>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "base/os.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

base::Result<int> FindDevice(std::uint32_t id) {
  auto device = Runtime::Get().devices().Get(id <= INT32_MAX ? static_cast<int>(id) : -1);
  if (!device) return tl::unexpected(device.error());
  return (*device)->id();
}

std::int64_t MemoryOfMachine() { return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

std::int64_t L2Bytes() { return std::max(0L, ::sysconf(_SC_LEVEL2_CACHE_SIZE)); }

// The number of the AI core's instruction set, which programs compare with.
base::Result<std::int64_t> Architecture() {
  const std::string& soc = Runtime::Get().config().soc_name;
  if (soc.find("Ascend950") != std::string::npos) return 3510;
  if (soc.find("Ascend910B") != std::string::npos || soc.find("Ascend910_93") != std::string::npos) return 2201;
  return base::FailResult(Code::kNotSupported, "the architecture of {} is not known", soc);
}

base::Result<std::int64_t> ReadAttribute(int device, int attribute) {
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM: return base::UsableCores();
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: return 0;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: return MemoryOfMachine();
    case ACL_DEV_ATTR_L2_CACHE_SIZE: return L2Bytes();
    case ACL_DEV_ATTR_PHY_CHIP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID: {
      auto logic = Runtime::Get().devices().LogicId(device);
      if (!logic) return tl::unexpected(logic.error());
      return *logic;
    }
    // One machine, one server, one super pod; a kernel may call whatever the process may.
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID: return 0;
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE: return 1;
    case ACL_DEV_ATTR_IS_VIRTUAL: return 0;  // asks for a share of a card
    case ACL_DEV_ATTR_NPU_ARCH: return Architecture();
    default: break;
  }
  const bool is_known = (attribute >= ACL_DEV_ATTR_WARP_SIZE && attribute <= ACL_DEV_ATTR_MAX_BLOCK_DIM_Z) ||
                        (attribute >= ACL_DEV_ATTR_MAINBOARD_ID && attribute <= ACL_DEV_ATTR_DEVICE_FORM_FACTOR);
  if (!is_known) return base::FailResult(Code::kInvalidArgument, "attr {} is not known", attribute);
  return base::FailResult(Code::kNotSupported, "attr {} describes hardware that a virtual device does not have",
                          attribute);
}

}  // namespace

extern "C" aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return CallAcl("aclrtGetDeviceInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_ASSIGN(device, FindDevice(deviceId));
    SOFTHCCL_ASSIGN(read, ReadAttribute(device, RawValue(attr)));
    *value = read;
    return {};
  });
}

extern "C" aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return CallAcl("aclGetDeviceCapability", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_ASSIGN(device, FindDevice(deviceId));
    static_cast<void>(device);
    switch (RawValue(deviceInfo)) {
      case ACL_DEVICE_INFO_AI_CORE_NUM:
      case ACL_DEVICE_INFO_VECTOR_CORE_NUM: *value = 0; return {};
      case ACL_DEVICE_INFO_L2_SIZE: *value = L2Bytes(); return {};
      default:
        return base::Fail(Code::kInvalidArgument, "deviceInfo {} is not known; use 0 to 2", RawValue(deviceInfo));
    }
  });
}

extern "C" aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
  return CallAcl("aclrtGetDeviceCapability", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    static_cast<void>(device);
    const int feature = RawValue(devFeatureType);
    if (feature != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
        feature != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV) {
      return base::Fail(Code::kInvalidArgument, "devFeatureType {} is not known; use 1 or 21", feature);
    }
    *value = ACL_DEV_FEATURE_NOT_SUPPORT;
    return {};
  });
}

extern "C" aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value) {
  return CallAcl("aclrtGetDevicesTopo", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_ASSIGN(one, FindDevice(deviceId));
    SOFTHCCL_ASSIGN(other, FindDevice(otherDeviceId));
    if (one == other) {
      return base::Fail(Code::kInvalidParam, "deviceId and otherDeviceId are both {}; ask about two devices", one);
    }
    *value = ACL_RT_DEVS_TOPOLOGY_HCCS;
    return {};
  });
}

extern "C" aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return CallAcl("aclrtGetRunMode", [&]() -> Status {
    SOFTHCCL_REQUIRE(runMode);
    *runMode = ACL_HOST;
    return {};
  });
}

extern "C" aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return CallAcl("aclrtQueryDeviceStatus", [&]() -> Status {
    SOFTHCCL_REQUIRE(deviceStatus);
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    static_cast<void>(device);
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return {};
  });
}

namespace {

// Ids: user (of this process), logic and physical (of the machine, both alike).
aclError Translate(const char* call, base::Result<int> (engine::DeviceTable::*translate)(int) const, int32_t from,
                   int32_t* to, const char* name) {
  return CallAcl(call, [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RequirePointer(to, name));
    SOFTHCCL_ASSIGN(found, (Runtime::Get().devices().*translate)(from));
    *to = found;
    return {};
  });
}

}  // namespace

extern "C" aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
  return Translate("aclrtGetLogicDevIdByUserDevId", &engine::DeviceTable::LogicId, userDevid, logicDevId, "logicDevId");
}

extern "C" aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId) {
  return Translate("aclrtGetPhyDevIdByUserDevId", &engine::DeviceTable::LogicId, userDevId, phyDevId, "phyDevId");
}

extern "C" aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) {
  return Translate("aclrtGetUserDevIdByLogicDevId", &engine::DeviceTable::UserId, logicDevId, userDevid, "userDevid");
}

extern "C" aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId) {
  return Translate("aclrtGetUserDevIdByPhyDevId", &engine::DeviceTable::UserId, phyDevId, userDevId, "userDevId");
}

extern "C" aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) {
  return Translate("aclrtGetLogicDevIdByPhyDevId", &engine::DeviceTable::CheckLogicId, phyDevId, logicDevId,
                   "logicDevId");
}

extern "C" aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) {
  return Translate("aclrtGetPhyDevIdByLogicDevId", &engine::DeviceTable::CheckLogicId, logicDevId, phyDevId,
                   "phyDevId");
}

namespace {

// 16 bytes that this machine has until it is started again.
std::array<char, 16> BootId() {
  std::array<char, 16> bytes{};
  std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == nullptr) return bytes;
  std::size_t digits = 0;
  for (int c = std::fgetc(file); c != EOF && digits < 2 * bytes.size(); c = std::fgetc(file)) {
    if (std::isxdigit(c) == 0) continue;
    const int value = std::isdigit(c) != 0 ? c - '0' : std::tolower(c) - 'a' + 10;
    char& byte = bytes[digits++ / 2];
    byte = static_cast<char>(static_cast<unsigned char>(byte) << 4 | value);
  }
  std::fclose(file);
  return bytes;
}

}  // namespace

extern "C" aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  return CallAcl("aclrtDeviceGetUuid", [&]() -> Status {
    SOFTHCCL_REQUIRE(uuid);
    SOFTHCCL_ASSIGN(logic, Runtime::Get().devices().LogicId(deviceId));
    std::array<char, 16> bytes = BootId();
    bytes[14] = static_cast<char>(bytes[14] ^ (logic >> 8));
    bytes[15] = static_cast<char>(bytes[15] ^ (logic & 0xFF));
    std::memcpy(uuid->bytes, bytes.data(), bytes.size());
    return {};
  });
}

extern "C" aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return CallAcl("aclrtDeviceGetStreamPriorityRange", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    if (leastPriority != nullptr) *leastPriority = 7;
    if (greatestPriority != nullptr) *greatestPriority = 0;
    return {};
  });
}
