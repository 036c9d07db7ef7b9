// Launching kernels: attributes, the copy of the arguments, and the op on the stream.
#include "api/launch.h"

#include "api/objects.h"
#include "api/process_settings.h"
#include "api/report.h"
#include "engine/crash_report.h"
#include "engine/graph_capture.h"
#include "engine/ops/clone.h"
#include "engine/ops/ops.h"
#include "memory/memory.h"

namespace softhccl::api {

using base::Code;
using base::Status;
using engine::Runtime;

namespace {

constexpr unsigned kHighestSchemMode = 2;  // normal, batch, sync

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

}  // namespace

base::Result<LaunchConfig> ReadConfig(const aclrtLaunchKernelCfg* cfg) {
  LaunchConfig config{OpExecuteSeconds(), nullptr};
  if (cfg == nullptr) return config;
  if (cfg->attrs == nullptr) {
    return base::FailResult(Code::kInvalidParam, "cfg->attrs is null; pass cfg null for no attributes");
  }
  constexpr std::size_t kMostAttributes = 64;  // more than there are kinds; a greater number was never initialised
  if (cfg->numAttrs > kMostAttributes) {
    return base::FailResult(Code::kInvalidParam, "cfg->numAttrs {} is not valid; use at most {}, and initialise cfg",
                            cfg->numAttrs, kMostAttributes);
  }
  bool in_seconds = false;
  bool in_micros = false;
  for (std::size_t i = 0; i < cfg->numAttrs; ++i) {
    const aclrtLaunchKernelAttr& attr = cfg->attrs[i];
    SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckAttribute(attr, i));
    const int id = RawValue(attr.id);
    if (id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT) {
      config.limit_seconds = attr.value.timeout;
      in_seconds = true;
    } else if (id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US) {
      const std::uint64_t micros =
          (std::uint64_t{attr.value.timeoutUs.timeoutHigh} << 32) | attr.value.timeoutUs.timeoutLow;
      config.limit_seconds = static_cast<double>(micros) / 1e6;
      in_micros = true;
    }
  }
  if (in_seconds && in_micros) {
    return base::FailResult(Code::kInvalidParam, "cfg has both TIMEOUT and TIMEOUT_US; give one of them");
  }
  // Only graphs are asked for them again.
  if (engine::GraphCaptures::MayCapture()) config.attributes = KeepAttributes(cfg);
  return config;
}

std::shared_ptr<LaunchAttributes> KeepAttributes(const aclrtLaunchKernelCfg* cfg) {
  if (cfg == nullptr) return nullptr;
  auto attributes = std::make_shared<LaunchAttributes>();
  attributes->list.assign(cfg->attrs, cfg->attrs + cfg->numAttrs);
  attributes->cfg = {attributes->list.data(), cfg->numAttrs};
  return attributes;
}

Status CheckArgumentBytes(const void* data, std::size_t size, const char* argument) {
  if (size > 0) SOFTHCCL_RETURN_IF_ERROR(RequirePointer(data, argument));
  if (size <= engine::KernelArguments::kMaxBytes) return {};
  return base::Fail(Code::kInvalidParam, "argsSize {} is larger than the limit of {} bytes", size,
                    engine::KernelArguments::kMaxBytes);
}

base::Result<std::shared_ptr<engine::Invocation>> MakeInvocation(int device, std::shared_ptr<engine::KernelInfo> info,
                                                                 std::uint32_t blocks, const LaunchConfig& config,
                                                                 const LaunchArguments& arguments) {
  engine::InstallCrashReport();
  auto invocation = std::make_shared<engine::Invocation>();
  invocation->info = std::move(info);
  invocation->blocks = blocks;
  invocation->device = device;
  invocation->number = engine::ops::NextLaunchNumber();
  invocation->limit = Runtime::Get().KernelLimit(config.limit_seconds);
  invocation->config = config.attributes;
  const engine::KernelEntry& entry = invocation->info->entry;
  invocation->label = fmt::format("{}#{} on device {}", entry.kernel_name, invocation->number, device);
  const auto* bytes = static_cast<const std::byte*>(arguments.data);
  if (arguments.size > 0 && !arguments.always_copied && memory::Memory::Process().Resolve(bytes)) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(memory::Memory::Process().CheckRange(bytes, arguments.size, "argsData"));
    invocation->arguments_in_place = {const_cast<std::byte*>(bytes), arguments.size};
  } else if (arguments.size > 0) {
    invocation->arguments.assign(bytes, bytes + arguments.size);
    engine::ResolvePlaceholders(arguments.placeholders, invocation->arguments.data());
  }
  // A kernel that cannot be found fails its stream, like one that fails: the caller learns it at the next synchronise.
  invocation->function = invocation->info->FunctionOn(device);
  return invocation;
}

exec::Op LaunchOp(const std::shared_ptr<engine::Invocation>& invocation) {
  exec::Op op = engine::ops::KernelLaunch(invocation);
  op.origin = invocation->info->name_id;
  return op;
}

base::Result<exec::Op> MakeLaunch(int device, std::shared_ptr<engine::KernelInfo> info, std::uint32_t blocks,
                                  const LaunchConfig& config, const LaunchArguments& arguments) {
  auto made = MakeInvocation(device, std::move(info), blocks, config, arguments);
  if (!made) return tl::unexpected(std::move(made).error());
  return LaunchOp(*made);
}

Status LaunchOn(exec::Stream& stream, std::shared_ptr<engine::KernelInfo> info, std::uint32_t blocks,
                const LaunchConfig& config, const LaunchArguments& arguments) {
  SOFTHCCL_ASSIGN(op, MakeLaunch(stream.device, std::move(info), blocks, config, arguments));
  engine::ops::SetLaunchStream(op, stream);
  Status submitted = Runtime::Get().scheduler().Submit(stream, {&op, 1});
  if (!submitted.ok()) op.op_class->skip(op, submitted);
  return submitted;
}

Status Launch(aclrtFuncHandle func, std::uint32_t blocks, aclrtStream stream, const LaunchConfig& config,
              const LaunchArguments& arguments) {
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(info, Runtime::Get().kernels().FindFunction(Bits(func)));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  return LaunchOn(*target, info, blocks, config, arguments);
}

Status CheckLaunch(aclrtFuncHandle func, std::uint32_t blocks) {
  if (func == nullptr) return base::Fail(Code::kNullPointer, "funcHandle is null; get it from aclrtBinaryGetFunction");
  if (blocks == 0) return base::Fail(Code::kInvalidArgument, "numBlocks 0; launch at least one block");
  return {};
}

}  // namespace softhccl::api
