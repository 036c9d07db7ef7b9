// The small things of acl_base_rt.h: element sizes, half precision, data buffers, what the software can do, log lines.
#include <cstdarg>
#include <cstdio>

#include "acl/acl_base_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "base/log.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

extern "C" size_t aclDataTypeSize(aclDataType dataType) {
  switch (RawValue(dataType)) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32: return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64: return 8;
    case ACL_COMPLEX128: return 16;
    default: return 0;  // unknown, without a fixed size, or smaller than a byte
  }
}

// The compiler's half type converts as IEEE 754 says, rounding to nearest, ties to even.
__extension__ typedef _Float16 Half;
static_assert(sizeof(Half) == sizeof(aclFloat16));

extern "C" float aclFloat16ToFloat(aclFloat16 value) {
  Half half;
  std::memcpy(&half, &value, sizeof half);
  return static_cast<float>(half);
}

extern "C" aclFloat16 aclFloatToFloat16(float value) {
  const Half half = static_cast<Half>(value);
  aclFloat16 bits = 0;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

namespace {

struct Buffer {
  void* data = nullptr;
  std::size_t size = 0;
};
using BufferSlab = base::Slab<Buffer, base::HandleKind::kDataBuffer>;

BufferSlab& Buffers() {
  static auto* buffers = new BufferSlab;
  return *buffers;
}

// What the buffer holds; nothing, and a message, when it is none.
Buffer ReadBuffer(const char* call, const aclDataBuffer* buffer) {
  Buffer read;
  static_cast<void>(CallAcl(call, [&]() -> Status {
    SOFTHCCL_ASSIGN(found, Buffers().Get(Bits(buffer), "dataBuffer"));
    read = *found;
    return {};
  }));
  return read;
}

}  // namespace

extern "C" aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  aclDataBuffer* made = nullptr;
  static_cast<void>(CallAcl("aclCreateDataBuffer", [&]() -> Status {
    std::uint64_t handle = 0;
    Buffer* buffer = Buffers().Allocate(&handle);
    if (buffer == nullptr) return base::Fail(Code::kUnavailable, "no data buffer left: {} exist", Buffers().live());
    *buffer = Buffer{data, size};
    Buffers().Publish(handle);
    made = static_cast<aclDataBuffer*>(Handle(handle));
    return {};
  }));
  return made;
}

extern "C" aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return CallAcl("aclDestroyDataBuffer", [&]() -> Status {
    SOFTHCCL_REQUIRE(dataBuffer);
    SOFTHCCL_ASSIGN(found, Buffers().Get(Bits(dataBuffer), "dataBuffer"));
    static_cast<void>(found);
    if (!Buffers().Retire(Bits(dataBuffer))) return base::Fail(Code::kInvalidHandle, "dataBuffer is already destroyed");
    Buffers().Recycle(Bits(dataBuffer));
    return {};
  });
}

extern "C" aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return CallAcl("aclUpdateDataBuffer", [&]() -> Status {
    SOFTHCCL_REQUIRE(dataBuffer);
    SOFTHCCL_ASSIGN(found, Buffers().Get(Bits(dataBuffer), "dataBuffer"));
    *found = Buffer{data, size};
    return {};
  });
}

extern "C" void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return ReadBuffer("aclGetDataBufferAddr", dataBuffer).data;
}

extern "C" uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(ReadBuffer("aclGetDataBufferSize", dataBuffer).size);
}

extern "C" size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return ReadBuffer("aclGetDataBufferSizeV2", dataBuffer).size;
}

namespace {

constexpr aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};

}  // namespace

extern "C" aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return CallAcl("aclGetCannAttributeList", [&]() -> Status {
    SOFTHCCL_REQUIRE(cannAttrList);
    SOFTHCCL_REQUIRE(num);
    *cannAttrList = kAttributes;
    *num = std::size(kAttributes);
    return {};
  });
}

extern "C" aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return CallAcl("aclGetCannAttribute", [&]() -> Status {
    SOFTHCCL_REQUIRE(value);
    switch (RawValue(cannAttr)) {
      case ACL_CANN_ATTR_INF_NAN:
      case ACL_CANN_ATTR_BF16: *value = 1; return {};
      case ACL_CANN_ATTR_JIT_COMPILE: *value = 0; return {};
      default: return base::Fail(Code::kInvalidArgument, "cannAttr {} is not known; use 0 to 2", RawValue(cannAttr));
    }
  });
}

extern "C" void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt,
                          ...) {
  if (fmt == nullptr) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text, sizeof text, fmt, arguments);
  va_end(arguments);
  const auto or_unknown = [](const char* name) { return name != nullptr ? name : "?"; };
  static_cast<void>(Guard([&]() -> Status {
    constexpr base::LogLevel kLevels[] = {base::LogLevel::kDebug, base::LogLevel::kInfo, base::LogLevel::kWarning,
                                          base::LogLevel::kError};
    const int level = RawValue(logLevel);
    base::Log(level >= 0 && level <= ACL_ERROR ? kLevels[level] : base::LogLevel::kError,
              fmt::format("{}:{} {}: {}", or_unknown(file), line, or_unknown(func), text));
    return {};
  }));
}
