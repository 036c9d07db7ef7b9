// What one process shares with others by a key or a handle: memory, notifies, events. Here it can be imported by the
// process that exported it; what other processes export is refused by name.
#include <unistd.h>

#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/pid_list.h"
#include "api/report.h"
#include "engine/shared_notifies.h"
#include "memory/shared_key.h"
#include "memory/shared_memory.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;
using engine::SharedNotifies;
using engine::StreamEvent;
using memory::kSharedKeySize;
using memory::SharedMemories;

namespace {

// Errors: kNullPointer, kInvalidParam for a text that is no key because of its length.
base::Result<std::string> ReadKey(const char* key) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(RequirePointer(key, "key"));
  std::string text(key, ::strnlen(key, kSharedKeySize));
  if (text.size() < kSharedKeySize) return text;
  return base::FailResult(Code::kInvalidParam, "key has {} characters or more; a key has less", kSharedKeySize);
}

Status CheckKeyRoom(const char* key, std::size_t len) {
  SOFTHCCL_RETURN_IF_ERROR(RequirePointer(key, "key"));
  if (len >= kSharedKeySize) return {};
  return base::Fail(Code::kInvalidParam, "len {} is too small; a key needs {}", len, kSharedKeySize);
}

Status CheckFlags(std::uint64_t flags, std::uint64_t other, const char* meaning) {
  if (flags == 0 || flags == other) return {};
  return base::Fail(Code::kInvalidParam, "flags {} is not valid; use 0 or {} ({})", flags, other, meaning);
}

}  // namespace

extern "C" aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return CallAcl("aclrtDeviceGetBareTgid", [&]() -> Status {
    SOFTHCCL_REQUIRE(pid);
    *pid = ::getpid();
    return {};
  });
}

// --- Memory ------------------------------------------------------------------------------------------------------

extern "C" aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags) {
  return CallAcl("aclrtIpcMemGetExportKey", [&]() -> Status {
    SOFTHCCL_REQUIRE(devPtr);
    SOFTHCCL_RETURN_IF_ERROR(CheckKeyRoom(key, len));
    SOFTHCCL_RETURN_IF_ERROR(
        CheckFlags(flags, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION, "no list of processes"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    const bool checks_pids = flags == ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT;
    auto made = SharedMemories::Process().Export(devPtr, size, checks_pids);
    if (!made) return std::move(made).error().While("exporting devPtr");
    std::memcpy(key, made->c_str(), made->size() + 1);
    return {};
  });
}

extern "C" aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return CallAcl("aclrtIpcMemSetImportPid", [&]() -> Status {
    SOFTHCCL_ASSIGN(text, ReadKey(key));
    SOFTHCCL_ASSIGN(pids, ReadPids(pid, num, "num"));
    return SharedMemories::Process().Allow(text, pids);
  });
}

extern "C" aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
  return CallAcl("aclrtIpcMemImportByKey", [&]() -> Status {
    SOFTHCCL_REQUIRE(devPtr);
    SOFTHCCL_ASSIGN(text, ReadKey(key));
    SOFTHCCL_RETURN_IF_ERROR(CheckFlags(flags, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS, "with peer access"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_ASSIGN(imported, SharedMemories::Process().Import(text));
    *devPtr = imported;
    return {};
  });
}

extern "C" aclError aclrtIpcMemClose(const char* key) {
  return CallAcl("aclrtIpcMemClose", [&]() -> Status {
    SOFTHCCL_ASSIGN(text, ReadKey(key));
    return SharedMemories::Process().Close(text);
  });
}

// --- Notifies ----------------------------------------------------------------------------------------------------

extern "C" aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags) {
  return CallAcl("aclrtNotifyGetExportKey", [&]() -> Status {
    SOFTHCCL_REQUIRE(notify);
    SOFTHCCL_RETURN_IF_ERROR(CheckKeyRoom(key, len));
    SOFTHCCL_RETURN_IF_ERROR(
        CheckFlags(flags, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION, "no list of processes"));
    SOFTHCCL_ASSIGN(found, FindNotify(notify));
    static_cast<void>(found);
    SOFTHCCL_ASSIGN(made, SharedNotifies::Get().Export(Bits(notify), flags == ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT));
    std::memcpy(key, made.c_str(), made.size() + 1);
    return {};
  });
}

extern "C" aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num) {
  return CallAcl("aclrtNotifySetImportPid", [&]() -> Status {
    SOFTHCCL_REQUIRE(notify);
    SOFTHCCL_ASSIGN(pids, ReadPids(pid, num, "num"));
    SOFTHCCL_ASSIGN(found, FindNotify(notify));
    static_cast<void>(found);
    return SharedNotifies::Get().Allow(Bits(notify), pids);
  });
}

extern "C" aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags) {
  return CallAcl("aclrtNotifyImportByKey", [&]() -> Status {
    SOFTHCCL_REQUIRE(notify);
    SOFTHCCL_ASSIGN(text, ReadKey(key));
    SOFTHCCL_RETURN_IF_ERROR(CheckFlags(flags, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS, "with peer access"));
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    SOFTHCCL_ASSIGN(imported, SharedNotifies::Get().Import(text));
    *notify = Handle(imported);
    return {};
  });
}

// --- Events ------------------------------------------------------------------------------------------------------

namespace {

// What a handle of an event for other processes holds.
struct EventHandle {
  static constexpr std::uint64_t kMagic = 0x53484556454E5430;
  std::uint64_t magic = kMagic;
  std::uint64_t event = 0;
  std::int64_t process = 0;
};
static_assert(sizeof(EventHandle) <= sizeof(aclrtIpcEventHandle));

}  // namespace

extern "C" aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle) {
  return CallAcl("aclrtIpcGetEventHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_ASSIGN(found, Runtime::Get().events().Find(Bits(event)));
    if (found->kind != StreamEvent::Kind::kEx || (found->flags & ACL_EVENT_IPC) == 0) {
      return base::Fail(Code::kInvalidParam,
                        "event {} was made with flag 0x{:x}; use aclrtCreateEventExWithFlag with ACL_EVENT_IPC",
                        found->id, found->flags);
    }
    const EventHandle made{EventHandle::kMagic, Bits(event), ::getpid()};
    *handle = {};
    std::memcpy(handle->reserved, &made, sizeof made);
    return {};
  });
}

extern "C" aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event) {
  return CallAcl("aclrtIpcOpenEventHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    EventHandle given;
    std::memcpy(&given, handle.reserved, sizeof given);
    if (given.magic != EventHandle::kMagic) {
      return base::Fail(Code::kInvalidParam, "handle holds none of aclrtIpcGetEventHandle");
    }
    if (given.process != ::getpid()) {
      return base::Fail(
          Code::kNotSupported,
          "handle was made by process {}; events of other processes cannot be opened, because nobody hands "
          "their control memory over",
          given.process);
    }
    SOFTHCCL_ASSIGN(shared, Runtime::Get().events().Find(given.event));
    SOFTHCCL_ASSIGN(opened, Runtime::Get().events().Add(shared));
    *event = Handle(opened);
    return {};
  });
}
