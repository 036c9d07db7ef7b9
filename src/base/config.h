// The one registry of environment variables: every name, its default, its range and what it does. Nothing else in
// the core calls getenv, except the log for its own level. `docs/configuration.md` is checked against this table, and a
// SOFTHCCL_ variable that is not in it earns one warning.
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
  std::uint32_t device_count = 8;              // SOFTHCCL_DEVICES, 1..1024
  std::string soc_name = "Ascend950PR_9599";   // SOFTHCCL_SOC
  std::string faithful;                        // SOFTHCCL_FAITHFUL, a product; empty: what any product accepts
  std::optional<std::string> visible_devices;  // ASCEND_RT_VISIBLE_DEVICES
  std::string topology;                        // SOFTHCCL_TOPOLOGY, empty: one server

  // Scheduler.
  int workers = -1;                      // SOFTHCCL_WORKERS, -1: as many as cores
  std::uint64_t seed = 0;                // SOFTHCCL_SEED, 0: arrival order
  bool detect_deadlock = true;           // SOFTHCCL_DEADLOCK
  Nanos stall_warning = FromSeconds(5);  // SOFTHCCL_STALL_WARNING
  Nanos wait_limit = 0;                  // SOFTHCCL_WAIT_LIMIT, 0: no cap
  Nanos connect_limit = 0;               // SOFTHCCL_CONNECT_LIMIT, 0: no cap

  // Observation.
  std::string trace_path;                 // SOFTHCCL_TRACE
  std::uint64_t trace_limit = 4'000'000;  // SOFTHCCL_TRACE_LIMIT, events
  std::string log_level = "warning";      // SOFTHCCL_LOG
  bool report_leaks = false;              // SOFTHCCL_LEAKS

  // Kernel packages.
  std::string ascend_home;   // ASCEND_HOME_PATH
  std::string keep_kernels;  // SOFTHCCL_KEEP_KERNELS

  // The user's own folders; empty: none.
  std::string state_home;   // XDG_STATE_HOME, without: .local/state in HOME
  std::string config_home;  // XDG_CONFIG_HOME, without: .config in HOME
};

// The vendor's HCCL_ variables. They are read at the first creation of a communicator, not at start, and a bad value
// fails that creation; once they have been read well they do not change.
struct HcclConfig {
  std::uint64_t buffer_mib = 200;         // HCCL_BUFFSIZE: one half of the HcclBuffer
  std::uint64_t connect_timeout_s = 120;  // HCCL_CONNECT_TIMEOUT
  double exec_timeout_s = 1836;           // HCCL_EXEC_TIMEOUT, 0: for ever
  std::string algorithm;                  // HCCL_ALGO
};

// Reads the environment. Errors: kInvalidParam (EI0001) naming variable, value and what is accepted.
Result<HcclConfig> LoadHcclConfig();
// The same, remembered from the first time it succeeds. Any thread.
Result<HcclConfig> ProcessHcclConfig();

// Reads the environment. A malformed SOFTHCCL_ value costs only its own default; each one is described in *problems.
Config ReadConfig(std::vector<Status>* problems);
// The same; the first problem is the error. Errors: kInvalidParam naming variable, value and what is accepted.
Result<Config> LoadConfig();

// The configuration of this process, loaded on first use. A malformed SOFTHCCL_ value is logged and its default
// used. Any thread.
const Config& ProcessConfig();

}  // namespace softhccl::base
