// Peer access between devices, limits and shares of cores: kept for the programs that set them. Every device reaches
// every other one here, and there are no AI cores to share out.
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

struct Settings {
  std::mutex mutex;
  std::set<std::pair<int, int>> peers;                               // guarded by mutex: who may access whom
  std::map<std::pair<int, int>, std::size_t> limits;                 // guarded by mutex: by device and kind
  std::map<std::pair<int, int>, std::uint32_t> cores;                // guarded by mutex: by device and kind
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> by_stream;  // guarded by mutex: by stream and kind
};

Settings& TheSettings() {
  static auto* settings = new Settings;
  return *settings;
}

// The stream whose share the calling thread uses, 0: that of the device.
thread_local std::uint64_t t_stream_in_use = 0;

Status CheckPeer(int device, int peer) {
  SOFTHCCL_ASSIGN(found, Runtime::Get().devices().Get(peer));
  static_cast<void>(found);
  if (device != peer) return {};
  return base::Fail(Code::kInvalidParam, "peerDeviceId {} is the device itself; name another one", peer);
}

Status CheckCores(int type) {
  if (type == ACL_RT_DEV_RES_CUBE_CORE || type == ACL_RT_DEV_RES_VECTOR_CORE) return {};
  return base::Fail(Code::kInvalidArgument, "type {} is not known; use ACL_RT_DEV_RES_CUBE_CORE 0 or ..._VECTOR_CORE 1",
                    type);
}

Status CheckLimit(int limit) {
  if (limit >= ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE && limit <= ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE) return {};
  return base::Fail(Code::kInvalidArgument, "limit {} is not known; use 0 to {}", limit,
                    static_cast<int>(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE));
}

template <typename Map>
typename Map::mapped_type Read(const Map& map, const typename Map::key_type& key) {
  const std::lock_guard lock(TheSettings().mutex);
  const auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

template <typename Map>
void Write(Map& map, const typename Map::key_type& key, typename Map::mapped_type value) {
  const std::lock_guard lock(TheSettings().mutex);
  map[key] = value;
}

}  // namespace

extern "C" aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return CallAcl("aclrtDeviceCanAccessPeer", [&]() -> Status {
    SOFTHCCL_REQUIRE(canAccessPeer);
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    SOFTHCCL_RETURN_IF_ERROR(CheckPeer(device->id(), peerDeviceId));
    *canAccessPeer = 1;
    return {};
  });
}

extern "C" aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return CallAcl("aclrtDeviceEnablePeerAccess", [&]() -> Status {
    if (flags != 0) return base::Fail(Code::kInvalidParam, "flags {} must be 0", flags);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_RETURN_IF_ERROR(CheckPeer(device->id(), peerDeviceId));
    const std::lock_guard lock(TheSettings().mutex);
    TheSettings().peers.insert({device->id(), peerDeviceId});
    return {};
  });
}

extern "C" aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return CallAcl("aclrtDeviceDisablePeerAccess", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_RETURN_IF_ERROR(CheckPeer(device->id(), peerDeviceId));
    const std::lock_guard lock(TheSettings().mutex);
    TheSettings().peers.erase({device->id(), peerDeviceId});
    return {};
  });
}

extern "C" aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return CallAcl("aclrtDevicePeerAccessStatus", [&]() -> Status {
    SOFTHCCL_REQUIRE(status);
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    SOFTHCCL_RETURN_IF_ERROR(CheckPeer(device->id(), peerDeviceId));
    const std::lock_guard lock(TheSettings().mutex);
    *status = TheSettings().peers.count({deviceId, peerDeviceId}) != 0 ? 1 : 0;
    return {};
  });
}

extern "C" aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
  return CallAcl("aclrtDeviceSetLimit", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLimit(RawValue(limit)));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    Write(TheSettings().limits, {device->id(), RawValue(limit)}, value);
    return {};
  });
}

extern "C" aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
  return CallAcl("aclrtDeviceGetLimit", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_RETURN_IF_ERROR(CheckLimit(RawValue(limit)));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    *value = Read(TheSettings().limits, {device->id(), RawValue(limit)});
    return {};
  });
}

extern "C" aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  return CallAcl("aclrtSetDeviceResLimit", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckCores(RawValue(type)));
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    Write(TheSettings().cores, {device->id(), RawValue(type)}, value);
    return {};
  });
}

extern "C" aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  return CallAcl("aclrtGetDeviceResLimit", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_RETURN_IF_ERROR(CheckCores(RawValue(type)));
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    *value = Read(TheSettings().cores, {device->id(), RawValue(type)});
    return {};
  });
}

extern "C" aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return CallAcl("aclrtResetDeviceResLimit", [&]() -> Status {
    SOFTHCCL_ASSIGN(device, Runtime::Get().devices().Get(deviceId));
    const std::lock_guard lock(TheSettings().mutex);
    TheSettings().cores.erase({device->id(), ACL_RT_DEV_RES_CUBE_CORE});
    TheSettings().cores.erase({device->id(), ACL_RT_DEV_RES_VECTOR_CORE});
    return {};
  });
}

namespace {

base::Result<std::uint64_t> FindStreamHandle(aclrtStream stream) {
  auto device = CurrentDevice();
  if (!device) return tl::unexpected(device.error());
  auto found = FindStream(stream, **device);
  if (!found) return tl::unexpected(found.error());
  return (*found)->handle;
}

}  // namespace

extern "C" aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  return CallAcl("aclrtSetStreamResLimit", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckCores(RawValue(type)));
    SOFTHCCL_ASSIGN(found, FindStreamHandle(stream));
    Write(TheSettings().by_stream, {found, RawValue(type)}, value);
    return {};
  });
}

extern "C" aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return CallAcl("aclrtGetStreamResLimit", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_RETURN_IF_ERROR(CheckCores(RawValue(type)));
    SOFTHCCL_ASSIGN(found, FindStreamHandle(stream));
    *value = Read(TheSettings().by_stream, {found, RawValue(type)});
    return {};
  });
}

extern "C" aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return CallAcl("aclrtResetStreamResLimit", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindStreamHandle(stream));
    const std::lock_guard lock(TheSettings().mutex);
    TheSettings().by_stream.erase({found, ACL_RT_DEV_RES_CUBE_CORE});
    TheSettings().by_stream.erase({found, ACL_RT_DEV_RES_VECTOR_CORE});
    return {};
  });
}

extern "C" aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return CallAcl("aclrtUseStreamResInCurrentThread", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindStreamHandle(stream));
    t_stream_in_use = found;
    return {};
  });
}

extern "C" aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return CallAcl("aclrtUnuseStreamResInCurrentThread", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindStreamHandle(stream));
    if (t_stream_in_use == found) t_stream_in_use = 0;
    return {};
  });
}

extern "C" aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return CallAcl("aclrtGetResInCurrentThread", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_RETURN_IF_ERROR(CheckCores(RawValue(type)));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    *value = t_stream_in_use != 0 ? Read(TheSettings().by_stream, {t_stream_in_use, RawValue(type)}) : 0;
    if (*value == 0) *value = Read(TheSettings().cores, {device->id(), RawValue(type)});
    return {};
  });
}
