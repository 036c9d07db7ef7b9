// What a stream is like: configuration, attributes, id, and who is told when streams come and go.
#include <algorithm>

#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "api/objects.h"
#include "api/report.h"
#include "api/state_callbacks.h"
#include "api/stream_config.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

base::Result<exec::Stream*> Find(aclrtStream stream) {
  auto device = CurrentDevice();
  if (!device) return tl::unexpected(device.error());
  return FindStream(stream, **device);
}

template <typename Value>
Status ReadInto(const void* from, std::size_t size, Value* to) {
  if (size != sizeof(Value)) {
    return base::Fail(Code::kInvalidArgument, "valueSize {} does not fit the attribute, which has {} bytes", size,
                      sizeof(Value));
  }
  std::memcpy(to, from, sizeof(Value));
  return {};
}

}  // namespace

extern "C" aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  aclrtStreamConfigHandle* made = nullptr;
  static_cast<void>(CallAcl("aclrtCreateStreamConfigHandle", [&]() -> Status {
    made = MakeStreamConfig();
    return {};
  }));
  return made;
}

extern "C" aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return CallAcl("aclrtDestroyStreamConfigHandle", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    return FreeStreamConfig(handle);
  });
}

extern "C" aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
                                            const void* attrValue, size_t valueSize) {
  return CallAcl("aclrtSetStreamConfigOpt", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_REQUIRE(attrValue);
    SOFTHCCL_ASSIGN(config, ReadStreamConfig(handle));
    Status read;
    switch (RawValue(attr)) {
      case ACL_RT_STREAM_WORK_ADDR_PTR: read = ReadInto(attrValue, valueSize, &config.workptr); break;
      case ACL_RT_STREAM_WORK_SIZE: read = ReadInto(attrValue, valueSize, &config.workSize); break;
      case ACL_RT_STREAM_FLAG: read = ReadInto(attrValue, valueSize, &config.flag); break;
      case ACL_RT_STREAM_PRIORITY: read = ReadInto(attrValue, valueSize, &config.priority); break;
      default: return base::Fail(Code::kInvalidArgument, "attr {} is not known; use 0 to 3", RawValue(attr));
    }
    SOFTHCCL_RETURN_IF_ERROR(read);
    return WriteStreamConfig(handle, config);
  });
}

extern "C" aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return CallAcl("aclrtStreamGetId", [&]() -> Status {
    SOFTHCCL_REQUIRE(streamId);
    SOFTHCCL_ASSIGN(found, Find(stream));
    *streamId = static_cast<int32_t>(found->id);
    return {};
  });
}

extern "C" aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return CallAcl("aclrtStreamGetPriority", [&]() -> Status {
    SOFTHCCL_REQUIRE(priority);
    SOFTHCCL_ASSIGN(found, Find(stream));
    *priority = found->notes.priority.load();
    return {};
  });
}

extern "C" aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return CallAcl("aclrtStreamGetFlags", [&]() -> Status {
    SOFTHCCL_REQUIRE(flags);
    SOFTHCCL_ASSIGN(found, Find(stream));
    *flags = found->notes.flags.load();
    return {};
  });
}

namespace {

Status SetFailureMode(exec::Stream& stream, std::uint64_t mode) {
  if (mode > ACL_STOP_ON_FAILURE) {
    return base::Fail(Code::kInvalidParam,
                      "mode {} is not known; use ACL_CONTINUE_ON_FAILURE 0 or ACL_STOP_ON_FAILURE 1", mode);
  }
  if (stream.notes.failure_mode.load() == ACL_STOP_ON_FAILURE && mode != ACL_STOP_ON_FAILURE) {
    return base::Fail(Code::kInvalidParam, "the stream stops on failure, and that cannot be taken back");
  }
  stream.notes.failure_mode.store(static_cast<std::uint32_t>(mode));
  return {};
}

Status UnknownAttribute(int type) {
  return base::Fail(Code::kInvalidArgument, "stmAttrType {} is not known; use 1 to 5", type);
}

}  // namespace

extern "C" aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return CallAcl("aclrtSetStreamFailureMode", [&]() -> Status {
    SOFTHCCL_REQUIRE(stream);
    SOFTHCCL_ASSIGN(found, Find(stream));
    return SetFailureMode(*found, mode);
  });
}

extern "C" aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                            aclrtStreamAttrValue* value) {
  return CallAcl("aclrtSetStreamAttribute", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_ASSIGN(found, Find(stream));
    switch (RawValue(stmAttrType)) {
      case ACL_STREAM_ATTR_FAILURE_MODE: return SetFailureMode(*found, value->failureMode);
      case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: found->notes.overflow_switch.store(value->overflowSwitch); break;
      case ACL_STREAM_ATTR_USER_CUSTOM_TAG: found->notes.custom_tag.store(value->userCustomTag); break;
      case ACL_STREAM_ATTR_CACHE_OP_INFO: found->notes.cache_op_info.store(value->cacheOpInfoSwitch); break;
      case ACL_STREAM_ATTR_PRIORITY: found->notes.priority.store(value->streamPriority); break;
      default: return UnknownAttribute(RawValue(stmAttrType));
    }
    return {};
  });
}

extern "C" aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                            aclrtStreamAttrValue* value) {
  return CallAcl("aclrtGetStreamAttribute", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    SOFTHCCL_ASSIGN(found, Find(stream));
    const exec::StreamNotes& notes = found->notes;
    switch (RawValue(stmAttrType)) {
      case ACL_STREAM_ATTR_FAILURE_MODE: value->failureMode = notes.failure_mode.load(); break;
      case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: value->overflowSwitch = notes.overflow_switch.load(); break;
      case ACL_STREAM_ATTR_USER_CUSTOM_TAG: value->userCustomTag = notes.custom_tag.load(); break;
      case ACL_STREAM_ATTR_CACHE_OP_INFO: value->cacheOpInfoSwitch = notes.cache_op_info.load(); break;
      case ACL_STREAM_ATTR_PRIORITY: value->streamPriority = notes.priority.load(); break;
      default: return UnknownAttribute(RawValue(stmAttrType));
    }
    return {};
  });
}

extern "C" aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return CallAcl("aclrtSetStreamOverflowSwitch", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, Find(stream));
    found->notes.overflow_switch.store(flag);
    return {};
  });
}

extern "C" aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return CallAcl("aclrtGetStreamOverflowSwitch", [&]() -> Status {
    SOFTHCCL_REQUIRE(flag);
    SOFTHCCL_ASSIGN(found, Find(stream));
    *flag = found->notes.overflow_switch.load();
    return {};
  });
}

extern "C" aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return CallAcl("aclrtGetStreamAvailableNum", [&]() -> Status {
    SOFTHCCL_REQUIRE(streamCount);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    *streamCount = engine::Device::kMaxStreams - std::min(engine::Device::kMaxStreams, device->stream_count());
    return {};
  });
}

extern "C" aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  return CallAcl("aclrtGetThreadLastTaskId", [&]() -> Status {
    SOFTHCCL_REQUIRE(taskId);
    const exec::TaskId last = exec::Scheduler::LastTaskOfThread();
    if (last.number == 0) return base::Fail(Code::kNotFound, "this thread has queued no task yet");
    *taskId = static_cast<uint32_t>(last.number);
    return {};
  });
}

extern "C" aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
  return CallAcl("aclrtRegStreamStateCallback", [&]() -> Status {
    SOFTHCCL_REQUIRE(regName);
    StreamStateCallbacks().Set(regName, callback, args);
    return {};
  });
}
