// Parsing of the variables in config.h. Number syntax follows the vendor: decimal digits only, at most ten.
#include "base/config.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>

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
      {"ASCEND_RT_VISIBLE_DEVICES", "all", "ascending device ids separated by commas",
       "which devices this process sees"},
      {"ASCEND_HOME_PATH", "/usr/local/Ascend/cann", "a directory path", "root of the installed SDK"},
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

Result<HcclConfig> LoadHcclConfig() {
  HcclConfig config;
  Status first;
  Keep(&first, ReadUnsigned("HCCL_BUFFSIZE", 1, UINT32_MAX, &config.buffer_mib));
  Keep(&first, ReadUnsigned("HCCL_CONNECT_TIMEOUT", 120, 7200, &config.connect_timeout_s));
  Keep(&first, ReadSeconds("HCCL_EXEC_TIMEOUT", 2147483647.0, &config.exec_timeout_s));
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

Config ReadConfig(std::vector<Status>* problems) {
  Config config;
  ReadOwn(&config, problems);
  if (auto soc = Environment("SOFTHCCL_SOC")) config.soc_name = *soc;
  if (const char* visible = std::getenv("ASCEND_RT_VISIBLE_DEVICES")) config.visible_devices = visible;
  config.topology = Environment("SOFTHCCL_TOPOLOGY").value_or("");
  config.trace_path = Environment("SOFTHCCL_TRACE").value_or("");
  config.ascend_home = Environment("ASCEND_HOME_PATH").value_or("/usr/local/Ascend/cann");
  config.keep_kernels = Environment("SOFTHCCL_KEEP_KERNELS").value_or("");
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
      Log(LogLevel::kWarning, fmt::format("environment variable {} is not known to SoftHCCL and has no effect", name));
    }
    return loaded;
  }();
  return *config;
}

}  // namespace softhccl::base
