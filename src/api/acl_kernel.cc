// Kernel binaries and their functions.
#include <cstdint>
#include <cstring>
#include <span>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/report.h"
#include "engine/runtime.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 20;  // of a library
constexpr std::size_t kMostOptions = 64;  // more than there are kinds; a greater number was never initialised

// Which kernel mode the options ask for; 0 (package) unless said otherwise. Other options have no effect here.
base::Result<int> ReadMode(const aclrtBinaryLoadOptions* options, const char* source) {
  if (options == nullptr) {
    return base::FailResult(
        Code::kNotSupported,
        "options is null, which means an AI-core binary; pass ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE");
  }
  if (options->options == nullptr || options->numOpt == 0) {
    return base::FailResult(Code::kInvalidParam,
                            "options holds no options (numOpt {}); pass "
                            "ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE",
                            options->numOpt);
  }
  if (options->numOpt > kMostOptions) {
    return base::FailResult(Code::kInvalidParam,
                            "options->numOpt {} is not valid; use at most {}, and initialise options", options->numOpt,
                            kMostOptions);
  }
  int mode = 0;
  for (std::size_t i = 0; i < options->numOpt; ++i) {
    const aclrtBinaryLoadOption& option = options->options[i];
    const int type = RawValue(option.type);
    if (type == ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE) {
      mode = option.value.cpuKernelMode;
    } else if (type != ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD) {
      return base::FailResult(Code::kInvalidParam,
                              "options[{}].type {} is not valid for {}; use LAZY_LOAD 1 or "
                              "CPU_KERNEL_MODE 3",
                              i, type, source);
    }
  }
  return mode;
}

Status Publish(std::shared_ptr<engine::KernelBinary> binary, aclrtBinHandle* binHandle) {
  SOFTHCCL_ASSIGN(handle, Runtime::Get().kernels().Add(std::move(binary)));
  *binHandle = Handle(handle);
  return {};
}

Status FindFunction(aclrtBinHandle bin, const char* name, aclrtFuncHandle* func) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  SOFTHCCL_ASSIGN(binary, Runtime::Get().kernels().FindBinary(Bits(bin)));
  SOFTHCCL_ASSIGN(entry, binary->Find(name));
  SOFTHCCL_ASSIGN(handle, Runtime::Get().kernels().FunctionOf(Bits(bin), entry));
  *func = Handle(handle);
  return {};
}

}  // namespace

extern "C" aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options,
                                            aclrtBinHandle* binHandle) {
  return CallAcl("aclrtBinaryLoadFromFile", [&]() -> Status {
    SOFTHCCL_REQUIRE(binPath);
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_ASSIGN(mode, ReadMode(options, "a file"));
    SOFTHCCL_ASSIGN(binary, engine::KernelBinary::Load(binPath, mode, Runtime::Get().config().ascend_home));
    return Publish(std::move(binary), binHandle);
  });
}

extern "C" aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                            aclrtBinHandle* binHandle) {
  return CallAcl("aclrtBinaryLoadFromData", [&]() -> Status {
    SOFTHCCL_REQUIRE(data);
    SOFTHCCL_REQUIRE(binHandle);
    if (length == 0) return base::Fail(Code::kInvalidArgument, "length 0; give the bytes of a library");
    SOFTHCCL_ASSIGN(mode, ReadMode(options, "data"));
    if (mode != 2) {
      return base::Fail(Code::kInvalidParam, "cpuKernelMode {} is not valid for data; use 2 (the bytes of a library)",
                        mode);
    }
    SOFTHCCL_ASSIGN(binary, engine::KernelBinary::FromBytes({static_cast<const char*>(data), length}));
    return Publish(std::move(binary), binHandle);
  });
}

// --- Binaries in two steps

extern "C" aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
  std::uint64_t handle = 0;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(data);
    if (dataLen == 0 || dataLen > kMostBytes) {
      return base::Fail(Code::kInvalidArgument, "dataLen {} is out of range; give the 1 to {} bytes of a library",
                        dataLen, kMostBytes);
    }
    SOFTHCCL_ASSIGN(made, Runtime::Get().kernels().AddData({static_cast<const char*>(data), dataLen}));
    handle = made;
    return {};
  });
  static_cast<void>(ReportAcl("aclrtCreateBinary", status));
  return Handle(handle);
}

extern "C" aclError aclrtDestroyBinary(aclrtBinary binary) {
  return CallAcl("aclrtDestroyBinary", [&]() -> Status {
    SOFTHCCL_REQUIRE(binary);
    return Runtime::Get().kernels().RemoveData(Bits(binary));
  });
}

extern "C" aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
  return CallAcl("aclrtBinaryLoad", [&]() -> Status {
    SOFTHCCL_REQUIRE(binary);
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_ASSIGN(bytes, Runtime::Get().kernels().FindData(Bits(binary)));
    SOFTHCCL_ASSIGN(loaded, engine::KernelBinary::FromBytes(*bytes, true));
    return Publish(std::move(loaded), binHandle);
  });
}

extern "C" aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  return CallAcl("aclrtBinaryUnLoad", [&]() -> Status {
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    return Runtime::Get().kernels().Remove(Bits(binHandle));
  });
}

extern "C" aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName,
                                           aclrtFuncHandle* funcHandle) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_REQUIRE(kernelName);
    SOFTHCCL_REQUIRE(funcHandle);
    return FindFunction(binHandle, kernelName, funcHandle);
  });
  if (status.ok() || status.code() == Code::kNullPointer) return ReportAcl("aclrtBinaryGetFunction", status);
  // The vendor answers every reason behind the pointer checks with one number.
  return ReportAclAs("aclrtBinaryGetFunction", status, ACL_ERROR_RT_PARAM_INVALID);
}

extern "C" aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char* funcName, const char* kernelName,
                                         aclrtFuncHandle* funcHandle) {
  return CallAcl("aclrtRegisterCpuFunc", [&]() -> Status {
    SOFTHCCL_REQUIRE(handle);
    SOFTHCCL_REQUIRE(funcName);
    SOFTHCCL_REQUIRE(kernelName);
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_ASSIGN(binary, Runtime::Get().kernels().FindBinary(Bits(handle)));
    SOFTHCCL_ASSIGN(entry, binary->Register(kernelName, funcName));
    SOFTHCCL_ASSIGN(function, Runtime::Get().kernels().FunctionOf(Bits(handle), entry));
    *funcHandle = Handle(function);
    return {};
  });
}

extern "C" aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char* name, void** dptr, size_t* size) {
  return CallAcl("aclrtBinaryGetGlobal", [&]() -> Status {
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_REQUIRE(name);
    SOFTHCCL_REQUIRE(dptr);
    SOFTHCCL_REQUIRE(size);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(binary, Runtime::Get().kernels().FindBinary(Bits(binHandle)));
    SOFTHCCL_ASSIGN(variable, binary->FindVariable(name, device->id()));
    *dptr = variable.data();
    *size = variable.size();
    return {};
  });
}

// --- Functions ---------------------------------------------------------------------------------------------------

extern "C" aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle* binHandle) {
  return CallAcl("aclrtFunctionGetBinary", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_ASSIGN(info, Runtime::Get().kernels().FindFunction(Bits(funcHandle)));
    *binHandle = Handle(info->binary_handle);
    return {};
  });
}

extern "C" aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name) {
  return CallAcl("aclrtGetFunctionName", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(name);
    if (maxLen == 0) return base::Fail(Code::kInvalidArgument, "maxLen 0; give room for the name and its zero");
    SOFTHCCL_ASSIGN(info, Runtime::Get().kernels().FindFunction(Bits(funcHandle)));
    const std::string& known = info->entry.kernel_name;
    if (known.size() >= maxLen) {
      return base::Fail(Code::kInvalidParam, "maxLen {} is too small; the name '{}' needs {}", maxLen, known,
                        known.size() + 1);
    }
    std::memcpy(name, known.c_str(), known.size() + 1);
    return {};
  });
}

extern "C" aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
                                              int64_t* attrValue) {
  return CallAcl("aclrtGetFunctionAttribute", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(attrValue);
    const int type = RawValue(attrType);
    if (type < ACL_FUNC_ATTR_KERNEL_TYPE || type > ACL_FUNC_ATTR_KERNEL_SCHED_MODE) {
      return base::Fail(Code::kInvalidArgument, "attrType {} is not valid; use 1 to {}", type,
                        static_cast<int>(ACL_FUNC_ATTR_KERNEL_SCHED_MODE));
    }
    SOFTHCCL_ASSIGN(info, Runtime::Get().kernels().FindFunction(Bits(funcHandle)));
    if (type != ACL_FUNC_ATTR_KERNEL_TYPE) {
      return base::Fail(Code::kNotSupported, "attrType {} belongs to AI-core kernels; {} is an AICPU kernel", type,
                        info->entry.kernel_name);
    }
    *attrValue = ACL_KERNEL_TYPE_AICPU;
    return {};
  });
}
