// The one registry of environment variables: every name, its default, its range and what it does. Nothing else in
// the library calls getenv. `docs/configuration.md` is checked against this table, and a SOFTHCCL_ variable that
// is not in it earns one warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace softhccl::base {

struct VariableInfo {
  const char* name;
  const char* default_text;
  const char* accepted;
  const char* meaning;
};

// Every variable the library reads, in the order of the documentation.
const std::vector<VariableInfo>& Variables();

// Names of set SOFTHCCL_ variables that the registry does not know.
std::vector<std::string> UnknownVariables();

// Values of one process, read once by Load(). Plain data; immutable after loading.
struct Config {
  // Virtual hardware.
  std::uint32_t device_count = 8;           // SOFTHCCL_DEVICES, 1..1024
  std::string soc_name = "Ascend950PR_9599"; // SOFTHCCL_SOC
  std::optional<std::string> visible_devices;  // ASCEND_RT_VISIBLE_DEVICES

  // Scheduler.
  int workers = -1;                  // SOFTHCCL_WORKERS, -1: as many as cores
  std::uint64_t seed = 0;            // SOFTHCCL_SEED, 0: arrival order
  bool detect_deadlock = true;       // SOFTHCCL_DEADLOCK
  Nanos stall_warning = FromSeconds(5);    // SOFTHCCL_STALL_WARNING
  Nanos wait_limit = 0;              // SOFTHCCL_WAIT_LIMIT, 0: no cap
  Nanos connect_limit = 0;           // SOFTHCCL_CONNECT_LIMIT, 0: no cap

  // Vendor variables. A bad value is reported by ValidateHccl(), at communicator creation, as the vendor does.
  std::uint64_t hccl_buffer_mib = 200;     // HCCL_BUFFSIZE
  std::uint64_t connect_timeout_s = 120;   // HCCL_CONNECT_TIMEOUT
  std::optional<double> exec_timeout_s;    // HCCL_EXEC_TIMEOUT; unset: 1836

  // Observation.
  std::string trace_path;            // SOFTHCCL_TRACE
  std::uint64_t trace_limit = 4'000'000;   // SOFTHCCL_TRACE_LIMIT, events
  std::string log_level;             // SOFTHCCL_LOG
  bool report_leaks = false;         // SOFTHCCL_LEAKS

  // Kernel packages.
  std::string ascend_home;           // ASCEND_HOME_PATH
  std::string keep_kernels;          // SOFTHCCL_KEEP_KERNELS

  Status vendor_error;               // first vendor variable that does not parse (EI0001); ok otherwise
};

// Reads the environment. A malformed SOFTHCCL_ value is an error; a malformed vendor value only fills vendor_error.
Result<Config> LoadConfig();

// The configuration of this process, loaded on first use. A malformed SOFTHCCL_ value is logged and its default
// used. Any thread.
const Config& ProcessConfig();

}  // namespace softhccl::base
