// Parsing of the variables in config.h. Number syntax follows the vendor: decimal digits only, at most ten.
#include "base/config.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/hccl_syntax.h"
#include "base/log.h"

namespace softhccl::base {
namespace {

std::optional<std::string> Environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0' || std::strcmp(text, "EmptyString") == 0) return std::nullopt;
  return std::string(text);
}

Status BadValue(const char* name, const std::string& text) {
  for (const VariableInfo& info : Variables()) {
    if (std::strcmp(info.name, name) == 0) {
      return Fail(Code::kInvalidParam, "{}=\"{}\" is not valid: expected {}; unset it to use the default ({})", name,
                  text, info.accepted, info.default_text);
    }
  }
  return Fail(Code::kInvalidParam, "{}=\"{}\" is not valid", name, text);
}

Status ReadUnsigned(const char* name, std::uint64_t low, std::uint64_t high, std::uint64_t* out) {
  const auto text = Environment(name);
  if (!text) return {};
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value);
  if (text->size() > 10 || parsed.ec != std::errc() || parsed.ptr != end || value < low || value > high) {
    return BadValue(name, *text);
  }
  *out = value;
  return {};
}

Status ReadSeconds(const char* name, double high, double* out) {
  const auto text = Environment(name);
  if (!text) return {};
  double value = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value, std::chars_format::fixed);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value) || value < 0 || value > high) {
    return BadValue(name, *text);
  }
  *out = value;
  return {};
}

Status ReadLimit(const char* name, Nanos* out) {
  double seconds = static_cast<double>(*out) / 1e9;
  SOFTHCCL_RETURN_IF_ERROR(ReadSeconds(name, 1e9, &seconds));
  *out = FromSeconds(seconds);
  return {};
}

Status ReadSwitch(const char* name, bool* out) {
  std::uint64_t value = *out ? 1 : 0;
  SOFTHCCL_RETURN_IF_ERROR(ReadUnsigned(name, 0, 1, &value));
  *out = value == 1;
  return {};
}

// A text with a grammar of its own.
Status ReadChecked(const char* name, bool (*accepts)(std::string_view), std::string* out = nullptr) {
  const auto text = Environment(name);
  if (!text) return {};
  if (!accepts(*text)) return BadValue(name, *text);
  if (out != nullptr) *out = *text;
  return {};
}

void Keep(Status* first, Status status) {
  if (first->ok() && !status.ok()) *first = std::move(status);
}

Status ReadLogLevel(std::string* out) {
  const auto text = Environment("SOFTHCCL_LOG");
  if (!text) return {};
  if (!ParseLogThreshold(*text)) return BadValue("SOFTHCCL_LOG", *text);
  *out = *text;
  return {};
}

// A product that is imitated faithfully also answers with its own SoC name, unless another one was asked for.
struct Product {
  const char* name;
  const char* soc;
};
constexpr Product kProducts[] = {
    {"Ascend910B", "Ascend910B1"}, {"Ascend910_93", "Ascend910_9391"}, {"Ascend950", "Ascend950PR_9599"}};

Status ReadProduct(Config* config) {
  const auto text = Environment("SOFTHCCL_FAITHFUL");
  if (!text) return {};
  for (const Product& product : kProducts) {
    if (*text != product.name) continue;
    config->faithful = product.name;
    config->soc_name = product.soc;
    return {};
  }
  return BadValue("SOFTHCCL_FAITHFUL", *text);
}

void ReadOwn(Config* config, std::vector<Status>* problems) {
  const auto note = [problems](Status status) {
    if (!status.ok()) problems->push_back(std::move(status));
  };
  std::uint64_t number = config->device_count;
  note(ReadUnsigned("SOFTHCCL_DEVICES", 1, 1024, &number));
  config->device_count = static_cast<std::uint32_t>(number);
  number = UINT64_MAX;
  note(ReadUnsigned("SOFTHCCL_WORKERS", 0, 256, &number));
  if (number != UINT64_MAX) config->workers = static_cast<int>(number);
  note(ReadUnsigned("SOFTHCCL_SEED", 0, 9'999'999'999u, &config->seed));
  note(ReadSwitch("SOFTHCCL_DEADLOCK", &config->detect_deadlock));
  note(ReadSwitch("SOFTHCCL_LEAKS", &config->report_leaks));
  note(ReadLimit("SOFTHCCL_STALL_WARNING", &config->stall_warning));
  note(ReadLimit("SOFTHCCL_WAIT_LIMIT", &config->wait_limit));
  note(ReadLimit("SOFTHCCL_CONNECT_LIMIT", &config->connect_limit));
  note(ReadUnsigned("SOFTHCCL_TRACE_LIMIT", 1, 1'000'000'000, &config->trace_limit));
  note(ReadLogLevel(&config->log_level));
  note(ReadProduct(config));
}

}  // namespace

const std::vector<VariableInfo>& Variables() {
  static const std::vector<VariableInfo> kVariables = {
      {"SOFTHCCL_DEVICES", "8", "an integer from 1 to 1024", "how many devices the machine seems to have"},
      {"SOFTHCCL_SOC", "Ascend950PR_9599", "a SoC name", "what aclrtGetSocName answers"},
      {"SOFTHCCL_FAITHFUL", "unset", "Ascend910B, Ascend910_93 or Ascend950",
       "accept only what this product documents, and answer with its SoC name; unset: what any product accepts"},
      {"SOFTHCCL_TOPOLOGY", "one server", "a file path",
       "describes the servers and pods that the devices stand for; see topology.md"},
      {"SOFTHCCL_WORKERS", "one per core", "an integer from 0 to 256",
       "executor threads; 0: work runs only in threads that synchronise"},
      {"SOFTHCCL_SEED", "0", "an integer from 0 to 9999999999",
       "chooses among ready streams by this seed, one op at a time; 0: in order of arrival"},
      {"SOFTHCCL_DEADLOCK", "1", "0 or 1", "end the waits of a proven deadlock with the timeout code"},
      {"SOFTHCCL_STALL_WARNING", "5", "decimal seconds", "no progress for this long earns one warning; 0: never"},
      {"SOFTHCCL_WAIT_LIMIT", "0", "decimal seconds", "caps the limits that waits and kernels are given; 0: no cap"},
      {"SOFTHCCL_CONNECT_LIMIT", "0", "decimal seconds", "caps HCCL_CONNECT_TIMEOUT; 0: no cap"},
      {"SOFTHCCL_TRACE", "unset", "a file path", "write a Chrome trace there when the program ends"},
      {"SOFTHCCL_TRACE_LIMIT", "4000000", "an integer from 1 to 1000000000",
       "events kept in memory for the trace; later ones are counted and dropped"},
      {"SOFTHCCL_LOG", "warning", "debug, info, warning, error or off", "what is printed to standard error"},
      {"SOFTHCCL_LEAKS", "0", "0 or 1", "list what is still alive at aclFinalize"},
      {"SOFTHCCL_KEEP_KERNELS", "unset", "a directory path",
       "load kernel libraries from files kept there instead of from memory, for tools that need them on disk"},
      {"HCCL_BUFFSIZE", "200", "an integer from 1 to 4294967295 (MB)",
       "size of one half of the HcclBuffer; the buffer is twice as large"},
      {"HCCL_CONNECT_TIMEOUT", "120", "an integer from 120 to 7200 (seconds)",
       "limit for creating a communicator and for each channel"},
      {"HCCL_EXEC_TIMEOUT", "1836", "decimal seconds from 0 to 2147483647, 0 means for ever",
       "limit of waits that carry no limit of their own"},
      {"HCCL_DETERMINISTIC", "false", "false, true or strict, in any case",
       "checked only: ranks that reduce into one place at the same time do so in any order"},
      {"HCCL_OP_EXPANSION_MODE", "AICPU_TS",
       "HOST, HOST_TS, AI_CPU, AICPU_TS, AICPU_CacheDisable, AIV, CCU_MS or CCU_SCHED",
       "checked only: HcclConfigGetInfo always answers AI_CPU, which is what runs here"},
      {"HCCL_ALGO", "unset",
       "level0:NA;level1:ring, or the same per operator as allreduce=level1:ring/others=level1:NHR",
       "what HcclConfigGetInfo answers for the algorithm, unless the communicator's configuration says otherwise"},
      {"HCCL_IF_IP", "unset", "an IPv4 or IPv6 address, %interface may follow", "checked only"},
      {"HCCL_SOCKET_IFNAME", "unset", "names separated by commas, after ^, = or ^= if wanted", "checked only"},
      {"HCCL_SOCKET_FAMILY", "unset", "AF_INET or AF_INET6", "checked only"},
      {"HCCL_IF_BASE_PORT", "unset", "an integer from 1024 to 65520", "checked only"},
      {"HCCL_HOST_SOCKET_PORT_RANGE", "unset", "auto, or ports and ranges a-b from 1 to 65535 that do not overlap",
       "checked only"},
      {"HCCL_NPU_SOCKET_PORT_RANGE", "unset", "auto, or ports and ranges a-b from 1 to 65535 that do not overlap",
       "checked only"},
      {"HCCL_WHITELIST_DISABLE", "1", "0 or 1", "checked only"},
      {"HCCL_WHITELIST_FILE", "unset", "a file path", "checked only"},
      {"HCCL_ENTRY_LOG_ENABLE", "0", "0 or 1", "checked only"},
      {"HCCL_DIAGNOSE_ENABLE", "0", "0 or 1", "checked only"},
      {"HCCL_DFS_CONFIG", "unset",
       "key:value separated by commas, of connection_fault_detection_time, cluster_heartbeat, stuck_detection, "
       "inconsistent_check, task_exception, task_monitor_interval",
       "checked only"},
      {"HCCL_DEBUG_CONFIG", "unset", "some of ALG,TASK,RESOURCE, after ^ if wanted", "checked only"},
      {"HCOMM_DEBUG_CONFIG", "unset", "some of TASK,DATA_OP, after ^ if wanted", "checked only"},
      {"HCCL_RDMA_TC", "132", "a multiple of 4 from 0 to 255", "checked only"},
      {"HCCL_RDMA_SL", "4", "an integer from 0 to 7", "checked only"},
      {"HCCL_RDMA_TIMEOUT", "20", "an integer from 0 to 31", "checked only"},
      {"HCCL_RDMA_RETRY_CNT", "7", "an integer from 1 to 7", "checked only"},
      {"HCCL_RDMA_QPS_PER_CONNECTION", "1", "an integer from 1 to 32", "checked only"},
      {"HCCL_MULTI_QP_THRESHOLD", "512", "an integer from 1 to 8192 (KB)", "checked only"},
      {"HCCL_OP_RETRY_ENABLE", "unset", "L0:0,L1:0,L2:0 with 0 or 1", "checked only"},
      {"HCCL_OP_RETRY_PARAMS", "unset", "MaxCnt:1 to 10, HoldTime:0 to 60000, IntervalTime:0 to 60000 (ms)",
       "checked only"},
      {"HCCL_INTER_HCCS_DISABLE", "FALSE", "TRUE or FALSE, in any case", "checked only"},
      {"HCCL_INTRA_PCIE_ENABLE", "1", "0 or 1, not 1 together with HCCL_INTRA_ROCE_ENABLE", "checked only"},
      {"HCCL_INTRA_ROCE_ENABLE", "0", "0 or 1, not 1 together with HCCL_INTRA_PCIE_ENABLE", "checked only"},
      {"HCCL_LOGIC_SUPERPOD_ID", "unset", "at most 127 characters", "checked only"},
      {"HCOMM_TA_CTP_UB_TIMEOUT", "8", "an integer from 0 to 31", "checked only"},
      {"HCOMM_TA_RTP_UB_TIMEOUT", "16", "an integer from 0 to 31", "checked only"},
      {"HCOMM_TA_RTP_UBOE_TIMEOUT", "16", "an integer from 0 to 31", "checked only"},
      {"ASCEND_RT_VISIBLE_DEVICES", "all", "ascending device ids separated by commas",
       "which devices this process sees"},
      {"ASCEND_HOME_PATH", "/usr/local/Ascend/cann", "a directory path", "root of the installed SDK"},
      {"XDG_STATE_HOME", "$HOME/.local/state", "an absolute directory path",
       "what npu-smi set is kept in softhccl/npu-smi.state below it"},
      {"XDG_CONFIG_HOME", "$HOME/.config", "an absolute directory path",
       "certificates that this user trusts lie in softhccl/certificates below it"},
      {"HOME", "unset", "an absolute directory path", "where the two folders above are when they are not set"},
  };
  return kVariables;
}

std::vector<std::string> UnknownVariables() {
  std::vector<std::string> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.substr(0, 9) != "SOFTHCCL_") continue;
    const std::string name(text.substr(0, text.find('=')));
    bool known = false;
    for (const VariableInfo& info : Variables()) known = known || name == info.name;
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

namespace {

// Variables without effect here; a program that sets them wrongly is told all the same.
Status CheckNumbers() {
  Status first;
  std::uint64_t ignored = 0;
  Keep(&first, ReadUnsigned("HCCL_IF_BASE_PORT", 1024, 65520, &ignored));
  Keep(&first, ReadUnsigned("HCCL_WHITELIST_DISABLE", 0, 1, &ignored));
  Keep(&first, ReadUnsigned("HCCL_ENTRY_LOG_ENABLE", 0, 1, &ignored));
  Keep(&first, ReadUnsigned("HCCL_DIAGNOSE_ENABLE", 0, 1, &ignored));
  Keep(&first, ReadUnsigned("HCCL_RDMA_SL", 0, 7, &ignored));
  Keep(&first, ReadUnsigned("HCCL_RDMA_TIMEOUT", 0, 31, &ignored));
  Keep(&first, ReadUnsigned("HCCL_RDMA_RETRY_CNT", 1, 7, &ignored));
  Keep(&first, ReadUnsigned("HCCL_RDMA_QPS_PER_CONNECTION", 1, 32, &ignored));
  Keep(&first, ReadUnsigned("HCCL_MULTI_QP_THRESHOLD", 1, 8192, &ignored));
  Keep(&first, ReadUnsigned("HCOMM_TA_CTP_UB_TIMEOUT", 0, 31, &ignored));
  Keep(&first, ReadUnsigned("HCOMM_TA_RTP_UB_TIMEOUT", 0, 31, &ignored));
  Keep(&first, ReadUnsigned("HCOMM_TA_RTP_UBOE_TIMEOUT", 0, 31, &ignored));
  std::uint64_t pcie = 0;
  std::uint64_t roce = 0;
  Keep(&first, ReadUnsigned("HCCL_INTRA_PCIE_ENABLE", 0, 1, &pcie));
  Keep(&first, ReadUnsigned("HCCL_INTRA_ROCE_ENABLE", 0, 1, &roce));
  if (pcie == 1 && roce == 1) Keep(&first, BadValue("HCCL_INTRA_ROCE_ENABLE", "1"));
  return first;
}

Status CheckTexts() {
  Status first;
  Keep(&first, ReadChecked("HCCL_DETERMINISTIC", IsDeterminism));
  Keep(&first, ReadChecked("HCCL_OP_EXPANSION_MODE", IsExpansionMode));
  Keep(&first, ReadChecked("HCCL_IF_IP", IsScopedAddress));
  Keep(&first, ReadChecked("HCCL_SOCKET_IFNAME", IsInterfaceList));
  Keep(&first, ReadChecked("HCCL_SOCKET_FAMILY", IsSocketFamily));
  Keep(&first, ReadChecked("HCCL_HOST_SOCKET_PORT_RANGE", IsPortRanges));
  Keep(&first, ReadChecked("HCCL_NPU_SOCKET_PORT_RANGE", IsPortRanges));
  Keep(&first, ReadChecked("HCCL_WHITELIST_FILE", IsPath));
  Keep(&first, ReadChecked("HCCL_DFS_CONFIG", IsFaultDetection));
  Keep(&first, ReadChecked("HCCL_DEBUG_CONFIG", IsDebugModules));
  Keep(&first, ReadChecked("HCOMM_DEBUG_CONFIG", IsDataDebugModules));
  Keep(&first, ReadChecked("HCCL_RDMA_TC", IsTrafficClass));
  Keep(&first, ReadChecked("HCCL_OP_RETRY_ENABLE", IsRetrySwitches));
  Keep(&first, ReadChecked("HCCL_OP_RETRY_PARAMS", IsRetryParameters));
  Keep(&first, ReadChecked("HCCL_INTER_HCCS_DISABLE", IsTrueOrFalse));
  Keep(&first, ReadChecked("HCCL_LOGIC_SUPERPOD_ID", IsShortName));
  return first;
}

}  // namespace

Result<HcclConfig> LoadHcclConfig() {
  HcclConfig config;
  Status first;
  Keep(&first, ReadUnsigned("HCCL_BUFFSIZE", 1, UINT32_MAX, &config.buffer_mib));
  Keep(&first, ReadUnsigned("HCCL_CONNECT_TIMEOUT", 120, 7200, &config.connect_timeout_s));
  Keep(&first, ReadSeconds("HCCL_EXEC_TIMEOUT", 2147483647.0, &config.exec_timeout_s));
  Keep(&first, ReadChecked("HCCL_ALGO", IsAlgorithm, &config.algorithm));
  Keep(&first, CheckNumbers());
  Keep(&first, CheckTexts());
  if (!first.ok()) return FailResult(first.code(), "EI0001 {}", first.message());
  return config;
}

Result<HcclConfig> ProcessHcclConfig() {
  static std::mutex mutex;
  static std::optional<HcclConfig> remembered;
  std::lock_guard lock(mutex);
  if (remembered) return *remembered;
  auto loaded = LoadHcclConfig();
  if (loaded) remembered = *loaded;
  return loaded;
}

namespace {

// The value when it is a folder as the XDG specification wants it, else the one below HOME.
std::string OwnFolder(std::optional<std::string> value, const char* below_home) {
  if (value && value->starts_with('/')) return *value;
  const auto home = Environment("HOME");
  return home && home->starts_with('/') ? *home + "/" + below_home : "";
}

}  // namespace

Config ReadConfig(std::vector<Status>* problems) {
  Config config;
  ReadOwn(&config, problems);
  if (auto soc = Environment("SOFTHCCL_SOC")) config.soc_name = *soc;
  if (const char* visible = std::getenv("ASCEND_RT_VISIBLE_DEVICES")) config.visible_devices = visible;
  config.topology = Environment("SOFTHCCL_TOPOLOGY").value_or("");
  config.trace_path = Environment("SOFTHCCL_TRACE").value_or("");
  config.ascend_home = Environment("ASCEND_HOME_PATH").value_or("/usr/local/Ascend/cann");
  config.keep_kernels = Environment("SOFTHCCL_KEEP_KERNELS").value_or("");
  config.state_home = OwnFolder(Environment("XDG_STATE_HOME"), ".local/state");
  config.config_home = OwnFolder(Environment("XDG_CONFIG_HOME"), ".config");
  return config;
}

Result<Config> LoadConfig() {
  std::vector<Status> problems;
  Config config = ReadConfig(&problems);
  if (!problems.empty()) return tl::unexpected(std::move(problems.front()));
  return config;
}

const Config& ProcessConfig() {
  static const Config* config = [] {
    std::vector<Status> problems;
    auto* loaded = new Config(ReadConfig(&problems));
    for (const Status& problem : problems) Log(LogLevel::kError, problem.message());
    for (const std::string& name : UnknownVariables()) {
      Log(LogLevel::kWarning,
          fmt::format("environment variable {} is not known to SoftHCCL and has no effect (SH-C006)", name));
    }
    return loaded;
  }();
  return *config;
}

}  // namespace softhccl::base
