// Which devices verify the packages that they load: what `npu-smi set -t custom-op-secverify-...` wrote into the user's
// own state folder.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/status.h"

namespace softhccl::package {

inline constexpr unsigned kSecverifyOff = 0;
inline constexpr unsigned kSecverifyDefault = 1;  // what a card does that was never told anything
inline constexpr unsigned kSecverifyAll = 7;

// Of one device.
struct DeviceSecurity {
  bool is_configurable = false;  // custom-op-secverify-enable: the mode may be set
  std::optional<unsigned> mode;  // custom-op-secverify-mode; nothing: never set
  bool operator==(const DeviceSecurity&) const = default;
};

// The settings of all devices by number; those that are not there were never told anything. Not thread-safe.
class SecurityState {
 public:
  // <state folder>/softhccl/npu-smi.state
  static std::string PathIn(const std::string& state_folder);

  // Nothing when the file is not there. Errors: kFileError: unreadable, a line that is none, or not the user's own file
  // (then the settings must not be guessed: some device may be meant to verify).
  static base::Result<SecurityState> Read(const std::string& path);

  DeviceSecurity Of(unsigned device) const;

  // npu-smi's two commands. Not configurable any more means that the mode goes back to what it was before it was set.
  // Errors of SetMode: kInvalidParam when it is not configurable or greater than 7.
  void SetConfigurable(unsigned device, bool is_configurable);
  base::Status SetMode(unsigned device, unsigned mode);

  // Errors: kFileError.
  base::Status Write(const std::string& path) const;

 private:
  std::map<unsigned, DeviceSecurity> devices_;
};

// The mode that counts: bits of KindBit, 0 for no verification. Without a setting a card verifies, and this
// implementation only does so when it imitates one.
unsigned ModeInForce(const DeviceSecurity& security, bool is_faithful);

}  // namespace softhccl::package
