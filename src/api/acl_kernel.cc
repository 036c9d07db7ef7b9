// Kernel binaries, their arguments, and launches.
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "acl/acl_rt.h"
#include "api/objects.h"
#include "api/process_settings.h"
#include "api/report.h"
#include "engine/crash_report.h"
#include "engine/ops/ops.h"
#include "event/labels.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::Runtime;

namespace {

constexpr std::size_t kMaxParams = 128;
constexpr std::size_t kMaxArgBytes = 64 * 1024;
constexpr unsigned kHighestSchemMode = 2;  // normal, batch, sync

// The argument list of a thread: one per OS thread, re-used by the next Init, as the vendor's.
struct ArgsList {
  std::vector<std::byte> bytes;
  std::size_t params = 0;
  bool finalised = false;
};

ArgsList& ThreadArgs() {
  static thread_local ArgsList args;
  return args;
}

base::Result<ArgsList*> FindArgs(aclrtArgsHandle handle) {
  if (handle == &ThreadArgs()) return &ThreadArgs();
  return base::FailResult(Code::kInvalidParam,
                          "argsHandle {} is not the list that aclrtKernelArgsInit gave to this thread",
                          fmt::ptr(handle));
}

// LoadFromFile takes one option that matters: the kernel mode, 0 (package) unless said otherwise.
base::Result<int> ReadMode(const aclrtBinaryLoadOptions* options) {
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
  int mode = 0;
  for (std::size_t i = 0; i < options->numOpt; ++i) {
    const aclrtBinaryLoadOption& option = options->options[i];
    const int type = RawValue(option.type);
    if (type == ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE) {
      mode = option.value.cpuKernelMode;
    } else if (type != ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD) {
      return base::FailResult(Code::kInvalidParam,
                              "options[{}].type {} is not valid for a file; use LAZY_LOAD 1 or "
                              "CPU_KERNEL_MODE 3",
                              i, type);
    }
  }
  return mode;
}

// Attributes without effect here are held to their range all the same: what a card refuses is refused.
Status CheckAttribute(const aclrtLaunchKernelAttr& attr, std::size_t i) {
  const auto check = [i](const char* name, unsigned value, unsigned highest) -> Status {
    if (value <= highest) return {};
    return base::Fail(Code::kInvalidParam, "cfg->attrs[{}]: {} {} is out of range, use 0 to {}", i, name, value,
                      highest);
  };
  switch (RawValue(attr.id)) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE: return check("SCHEM_MODE", attr.value.schemMode, kHighestSchemMode);
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
      return check("BLOCK_TASK_PREFETCH", attr.value.isBlockTaskPrefetch, 1);
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP: return check("DATA_DUMP", attr.value.isDataDump, 1);
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING: return check("ENABLE_PROFILING", attr.value.enableProfiling, 1);
    default: return {};
  }
}

// Seconds from the attributes, 0 for none.
base::Result<double> ReadLimit(const aclrtLaunchKernelCfg* cfg) {
  if (cfg == nullptr) return OpExecuteSeconds();
  if (cfg->attrs == nullptr) {
    return base::FailResult(Code::kInvalidParam, "cfg->attrs is null; pass cfg null for no attributes");
  }
  double seconds = OpExecuteSeconds();
  bool in_seconds = false;
  bool in_micros = false;
  for (std::size_t i = 0; i < cfg->numAttrs; ++i) {
    const aclrtLaunchKernelAttr& attr = cfg->attrs[i];
    SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckAttribute(attr, i));
    const int id = RawValue(attr.id);
    if (id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT) {
      seconds = attr.value.timeout;
      in_seconds = true;
    } else if (id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US) {
      const std::uint64_t micros =
          (std::uint64_t{attr.value.timeoutUs.timeoutHigh} << 32) | attr.value.timeoutUs.timeoutLow;
      seconds = static_cast<double>(micros) / 1e6;
      in_micros = true;
    }
  }
  if (in_seconds && in_micros) {
    return base::FailResult(Code::kInvalidParam, "cfg has both TIMEOUT and TIMEOUT_US; give one of them");
  }
  return seconds;
}

Status Launch(aclrtFuncHandle func, uint32_t blocks, aclrtStream stream, double limit_seconds, const void* args,
              std::size_t args_size) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(info, Runtime::Get().functions().Get(Bits(func), "funcHandle"));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  static std::atomic<std::uint64_t> counter{0};
  engine::InstallCrashReport();
  auto invocation = std::make_shared<engine::Invocation>();
  invocation->info = *info;
  invocation->blocks = blocks;
  invocation->device = device->id();
  invocation->number = counter.fetch_add(1) + 1;
  invocation->stream = target;
  invocation->limit = Runtime::Get().KernelLimit(limit_seconds);
  invocation->label = fmt::format("{}#{} on device {}", (*info)->entry.kernel_name, invocation->number, device->id());
  const auto* bytes = static_cast<const std::byte*>(args);
  if (args_size > 0) invocation->arguments.assign(bytes, bytes + args_size);
  // A kernel that cannot be found fails its stream, like one that fails: the caller learns it at the next synchronise.
  invocation->function = (*info)->binary->Resolve((*info)->entry, device->id());
  exec::Op op = engine::ops::KernelLaunch(invocation);
  op.origin = (*info)->name_id;
  Status submitted = Runtime::Get().scheduler().Submit(*target, {&op, 1});
  if (!submitted.ok()) op.op_class->skip(op, submitted);
  return submitted;
}

Status CheckLaunch(aclrtFuncHandle func, uint32_t blocks) {
  if (func == nullptr) return base::Fail(Code::kNullPointer, "funcHandle is null; get it from aclrtBinaryGetFunction");
  if (blocks == 0) return base::Fail(Code::kInvalidArgument, "numBlocks 0; launch at least one block");
  return {};
}

}  // namespace

extern "C" aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options,
                                            aclrtBinHandle* binHandle) {
  return CallAcl("aclrtBinaryLoadFromFile", [&]() -> Status {
    SOFTHCCL_REQUIRE(binPath);
    SOFTHCCL_REQUIRE(binHandle);
    SOFTHCCL_ASSIGN(mode, ReadMode(options));
    Runtime& runtime = Runtime::Get();
    SOFTHCCL_ASSIGN(binary, engine::KernelBinary::Load(binPath, mode, runtime.config().ascend_home));
    std::uint64_t handle = 0;
    std::shared_ptr<engine::KernelBinary>* slot = runtime.binaries().Allocate(&handle);
    if (slot == nullptr)
      return base::Fail(Code::kUnavailable, "no binary handle left: {} are in use", runtime.binaries().live());
    *slot = binary;
    runtime.binaries().Publish(handle);
    *binHandle = Handle(handle);
    return {};
  });
}

namespace {

// One handle per kernel of a binary: what is learned about a kernel's duration belongs to all its launches.
Status FindFunction(aclrtBinHandle bin, const char* name, aclrtFuncHandle* func) {
  struct Known {
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> handles;  // guarded by mutex
  };
  static auto* known = new Known;
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  static_cast<void>(device);
  Runtime& runtime = Runtime::Get();
  SOFTHCCL_ASSIGN(binary, runtime.binaries().Get(Bits(bin), "binHandle"));
  SOFTHCCL_ASSIGN(entry, (*binary)->Find(name));
  const std::lock_guard lock(known->mutex);
  std::uint64_t& handle = known->handles[{Bits(bin), entry.kernel_name}];
  if (handle == 0) {
    auto info = std::make_shared<engine::KernelInfo>();
    info->entry = entry;
    info->binary = *binary;
    info->name_id = event::NameId(entry.kernel_name);
    std::uint64_t made = 0;
    std::shared_ptr<engine::KernelInfo>* slot = runtime.functions().Allocate(&made);
    if (slot == nullptr) {
      return base::Fail(Code::kUnavailable, "no function handle left: {} are in use", runtime.functions().live());
    }
    *slot = std::move(info);
    runtime.functions().Publish(made);
    handle = made;
  }
  *func = Handle(handle);
  return {};
}

}  // namespace

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

extern "C" aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
  return CallAcl("aclrtKernelArgsInit", [&]() -> Status {
    SOFTHCCL_REQUIRE(funcHandle);
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_ASSIGN(info, Runtime::Get().functions().Get(Bits(funcHandle), "funcHandle"));
    static_cast<void>(info);
    ThreadArgs() = ArgsList{};
    *argsHandle = &ThreadArgs();
    return {};
  });
}

extern "C" aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                                          aclrtParamHandle* paramHandle) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_REQUIRE(param);
    SOFTHCCL_REQUIRE(paramHandle);
    if (paramSize == 0) return base::Fail(Code::kInvalidArgument, "paramSize 0; append at least one byte");
    SOFTHCCL_ASSIGN(args, FindArgs(argsHandle));
    if (args->finalised) {
      return base::Fail(Code::kNotSupported, "the list is finalised; call aclrtKernelArgsInit for a new one");
    }
    if (args->params >= kMaxParams || paramSize > kMaxArgBytes - args->bytes.size()) {
      return base::Fail(Code::kInvalidParam,
                        "{} parameters with {} bytes and {} more exceed the limits of {} parameters and {} bytes",
                        args->params, args->bytes.size(), paramSize, kMaxParams, kMaxArgBytes);
    }
    // Packed without gaps, as AICPU argument lists are.
    const auto* bytes = static_cast<const std::byte*>(param);
    const std::size_t offset = args->bytes.size();
    args->bytes.insert(args->bytes.end(), bytes, bytes + paramSize);
    ++args->params;
    *paramHandle = reinterpret_cast<aclrtParamHandle>(offset + 1);
    return {};
  });
  return ReportAcl("aclrtKernelArgsAppend", status);
}

extern "C" aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  return CallAcl("aclrtKernelArgsFinalize", [&]() -> Status {
    SOFTHCCL_REQUIRE(argsHandle);
    SOFTHCCL_ASSIGN(args, FindArgs(argsHandle));
    args->finalised = true;
    return {};
  });
}

extern "C" aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                                aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
  return CallAcl("aclrtLaunchKernelWithConfig", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(funcHandle, numBlocks));
    SOFTHCCL_REQUIRE(argsHandle);
    if (reserve != nullptr) return base::Fail(Code::kInvalidArgument, "reserve {} must be null", fmt::ptr(reserve));
    SOFTHCCL_ASSIGN(seconds, ReadLimit(cfg));
    SOFTHCCL_ASSIGN(args, FindArgs(argsHandle));
    if (!args->finalised) {
      return base::Fail(Code::kInvalidParam,
                        "argsHandle is not finalised; call aclrtKernelArgsFinalize before the launch");
    }
    return Launch(funcHandle, numBlocks, stream, seconds, args->bytes.data(), args->bytes.size());
  });
}

extern "C" aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                                      size_t argsSize, aclrtStream stream) {
  return CallAcl("aclrtLaunchKernel", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(CheckLaunch(funcHandle, numBlocks));
    if (argsSize > 0) SOFTHCCL_REQUIRE(argsData);
    if (argsSize > kMaxArgBytes) {
      return base::Fail(Code::kInvalidParam, "argsSize {} is larger than the limit of {} bytes", argsSize,
                        kMaxArgBytes);
    }
    return Launch(funcHandle, numBlocks, stream, OpExecuteSeconds(), argsData, argsSize);
  });
}
