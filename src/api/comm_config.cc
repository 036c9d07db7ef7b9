// One check per field. A field counts only if the caller's version of the structure has it; the structure grew at its
// end.
#include "api/comm_config.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/config.h"
#include "base/hccl_syntax.h"
#include "base/log.h"
#include "engine/runtime.h"
#include "hccl/hccl_comm.h"

namespace softhccl::api {
namespace {

using base::Code;
using base::Status;
using Options = comm::Communicator::Options;

constexpr std::uint32_t kNotSet = 0xFFFFFFFF;
// Versions of the structure that brought fields.
constexpr std::uint32_t kVersionWithBufferName = 9;
constexpr std::uint32_t kVersionWithQos = 10;

// The head that HcclCommConfigInit writes over the reserved bytes.
struct Head {
  std::uint64_t size = 0;
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
};

template <typename Value>
Status Bad(const char* field, Value value, const char* use) {
  return base::Fail(Code::kInvalidParam, "EI0003 config->{} {} is not valid; use {}", field, value, use);
}

template <std::size_t kSize>
base::Result<std::string> Text(const char (&text)[kSize], const char* field) {
  const std::size_t length = ::strnlen(text, kSize);
  if (length < kSize) return std::string(text, length);
  return base::FailResult(Code::kInvalidParam, "EI0003 config->{} has no end; use at most {} characters", field,
                          kSize - 1);
}

void Warn(const char* field, const std::string& value, const char* use) {
  base::Log(base::LogLevel::kWarning,
            fmt::format("EI0003 config->{} {} is not valid and is ignored; use {}", field, value, use));
}

// The caller's structure as one of ours: what it does not have stays "not set".
base::Result<HcclCommConfig> Completed(const HcclCommConfig& config, Head* head) {
  std::memcpy(&head->size, config.reserved, sizeof head->size);
  std::memcpy(&head->magic, config.reserved + 8, sizeof head->magic);
  std::memcpy(&head->version, config.reserved + 12, sizeof head->version);
  if (head->magic != HCCL_COMM_CONFIG_MAGIC_WORD || head->size < offsetof(HcclCommConfig, hcclUdi)) {
    return base::FailResult(Code::kInvalidParam,
                            "EI0003 config has magic 0x{:x} and size {}, expected 0x{:x} and at least {}; call "
                            "HcclCommConfigInit first",
                            head->magic, head->size, static_cast<std::uint32_t>(HCCL_COMM_CONFIG_MAGIC_WORD),
                            offsetof(HcclCommConfig, hcclUdi));
  }
  HcclCommConfig own;
  std::memset(&own, 0, sizeof own);
  HcclCommConfigInit(&own);
  const auto given = static_cast<std::size_t>(std::min<std::uint64_t>(head->size, sizeof own));
  std::memcpy(&own, &config, given);
  return own;
}

Status ReadNumbers(const HcclCommConfig& config, Options* options) {
  if (config.hcclBufferSize == 0) return Bad("hcclBufferSize", 0, "at least 1 (MB)");
  if (config.hcclBufferSize != kNotSet) options->buffer_mib = config.hcclBufferSize;
  if (config.hcclDeterministic != kNotSet && config.hcclDeterministic > 2) {
    return Bad("hcclDeterministic", config.hcclDeterministic, "0 (off), 1 (on) or 2 (strict)");
  }
  if (config.hcclRdmaTrafficClass != kNotSet && !base::IsTrafficClass(std::to_string(config.hcclRdmaTrafficClass))) {
    return Bad("hcclRdmaTrafficClass", config.hcclRdmaTrafficClass, "a multiple of 4 from 0 to 255");
  }
  if (config.hcclRdmaServiceLevel != kNotSet && config.hcclRdmaServiceLevel > 7) {
    return Bad("hcclRdmaServiceLevel", config.hcclRdmaServiceLevel, "0 to 7");
  }
  if (config.aclGraphZeroCopyEnable > 1) {
    return Bad("aclGraphZeroCopyEnable", static_cast<unsigned>(config.aclGraphZeroCopyEnable), "0 or 1");
  }
  if (config.hcclOpExpansionMode > HCCL_OP_EXPANSION_AIV_ONLY) {
    Warn("hcclOpExpansionMode", std::to_string(config.hcclOpExpansionMode), "0 to 6");
  }
  if (config.hcclExecTimeOut >= 0) {
    options->exec_timeout_s = config.hcclExecTimeOut;
  } else if (config.hcclExecTimeOut != HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET) {
    Warn("hcclExecTimeOut", std::to_string(config.hcclExecTimeOut), "0 to 2147483647 (seconds)");
  }
  return {};
}

// Misplaced commas are an error, anything else is only ignored.
Status ReadRetrySwitches(const std::string& text) {
  if (text.empty() || base::IsRetrySwitches(text)) return {};
  const bool has_bad_comma = text.front() == ',' || text.back() == ',' || text.find(",,") != std::string::npos;
  constexpr const char* kUse = "L0:0,L1:0,L2:0 with 0 or 1";
  if (has_bad_comma) return Bad("hcclRetryEnable", "\"" + text + "\"", kUse);
  Warn("hcclRetryEnable", "\"" + text + "\"", kUse);
  return {};
}

Status ReadTexts(const HcclCommConfig& config, const Head& head, Options* options) {
  auto name = Text(config.hcclCommName, "hcclCommName");
  if (!name) return name.error();
  options->name = *name;
  auto udi = Text(config.hcclUdi, "hcclUdi");
  if (!udi) return udi.error();
  auto algorithm = Text(config.hcclAlgo, "hcclAlgo");
  if (!algorithm) return algorithm.error();
  if (!algorithm->empty()) options->algorithm = *algorithm;
  auto retry = Text(config.hcclRetryEnable, "hcclRetryEnable");
  if (!retry) return retry.error();
  SOFTHCCL_RETURN_IF_ERROR(ReadRetrySwitches(*retry));
  auto parameters = Text(config.hcclRetryParams, "hcclRetryParams");
  if (!parameters) return parameters.error();
  if (!parameters->empty() && !base::IsRetryParameters(*parameters)) {
    return Bad("hcclRetryParams", "\"" + *parameters + "\"",
               "MaxCnt:1 to 10, HoldTime:0 to 60000, IntervalTime:0 to 60000");
  }
  if (head.version < kVersionWithBufferName) return {};
  auto buffer = Text(config.hcclBufferName, "hcclBufferName");
  return buffer ? Status() : buffer.error();
}

}  // namespace

base::Result<Options> ReadCommOptions(const HcclCommConfig* config) {
  auto hccl = base::ProcessHcclConfig();
  if (!hccl) return tl::unexpected(hccl.error());
  Options options;
  options.buffer_mib = hccl->buffer_mib;
  options.connect_limit = engine::Runtime::Get().ConnectLimit(*hccl);
  options.exec_timeout_s = hccl->exec_timeout_s;
  options.algorithm = hccl->algorithm;
  if (config == nullptr) return options;
  Head head;
  auto own = Completed(*config, &head);
  if (!own) return tl::unexpected(own.error());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadNumbers(*own, &options));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadTexts(*own, head, &options));
  if (head.version >= kVersionWithQos && own->hcclSymWinMaxMemSizePerRank != 0) {
    options.symmetric_stride_gib = own->hcclSymWinMaxMemSizePerRank;
  }
  return options;
}

}  // namespace softhccl::api
