// The state file: lines `device <number> configurable <0|1> mode <number|->`. A line that cannot be read is an error
// and not a default, because the safe side of a damaged setting is not the one that loads everything.
#include "package/device_security.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "package/file.h"

namespace softhccl::package {
namespace {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

constexpr std::size_t kStateLimit = std::size_t{1} << 20;
constexpr unsigned kMostDevices = 1024;

std::optional<unsigned> Number(const std::string& text, unsigned most) {
  unsigned value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

// Root does not take an ordinary user's word for what it loads.
bool IsOwn(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && (info.st_uid == ::geteuid() || info.st_uid == 0) &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::string SecurityState::PathIn(const std::string& state_folder) { return state_folder + "/softhccl/npu-smi.state"; }

base::Result<SecurityState> SecurityState::Read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return SecurityState();
  const auto text = ReadRegularFile(path, kStateLimit);
  if (!text) return tl::unexpected<Status>(text.error());
  if (!IsOwn(path)) {
    return FailResult(Code::kFileError,
                      "{} holds the settings of npu-smi and belongs to another user, or others may write it: remove it "
                      "and set them again",
                      path);
  }
  SecurityState state;
  std::istringstream lines(*text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string device_word, device, configurable_word, configurable, mode_word, mode, rest;
    words >> device_word >> device >> configurable_word >> configurable >> mode_word >> mode;
    const auto id = Number(device, kMostDevices - 1);
    const auto flag = Number(configurable, 1);
    const auto bits = Number(mode, kSecverifyAll);
    if (device_word != "device" || configurable_word != "configurable" || mode_word != "mode" || !id || !flag ||
        (!bits && mode != "-") || words >> rest || state.devices_.contains(*id)) {
      return FailResult(Code::kFileError,
                        "{} line {}: {}: this is no setting of npu-smi; remove the file and set them again", path,
                        number, Printable(line));
    }
    state.devices_[*id] = {*flag == 1, bits};
  }
  return state;
}

DeviceSecurity SecurityState::Of(unsigned device) const {
  const auto found = devices_.find(device);
  return found == devices_.end() ? DeviceSecurity() : found->second;
}

void SecurityState::SetConfigurable(unsigned device, bool is_configurable) {
  devices_[device].is_configurable = is_configurable;
  if (!is_configurable) devices_.erase(device);
}

Status SecurityState::SetMode(unsigned device, unsigned mode) {
  if (mode > kSecverifyAll) {
    return Fail(
        Code::kInvalidParam,
        "mode {} is not valid; use 0 (off) to 7 (all): 1 accepts signatures of Huawei, 2 of customers, 4 of the "
        "community",
        mode);
  }
  if (!Of(device).is_configurable) {
    return Fail(Code::kInvalidParam,
                "the mode of NPU {} is not configurable; first: npu-smi set -t custom-op-secverify-enable -i {} -d 1",
                device, device);
  }
  devices_[device].mode = mode;
  return {};
}

Status SecurityState::Write(const std::string& path) const {
  std::string text;
  for (const auto& [device, security] : devices_) {
    text += fmt::format("device {} configurable {} mode {}\n", device, security.is_configurable ? 1 : 0,
                        security.mode ? std::to_string(*security.mode) : "-");
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return Fail(Code::kFileError, "folder of {} cannot be made: {}", path, error.message());
  return ReplaceFile(path, text, 0600);
}

unsigned ModeInForce(const DeviceSecurity& security, bool is_faithful) {
  if (security.mode) return *security.mode;
  return is_faithful ? kSecverifyDefault : kSecverifyOff;
}

}  // namespace softhccl::package
