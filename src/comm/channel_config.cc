// Handles of channel configurations.
#include "comm/channel_config.h"

namespace softhccl::comm {

using base::Code;
using base::Status;

ChannelConfigSlab& ChannelConfigs() {
  static auto* configs = new ChannelConfigSlab;  // handles may be looked up during static destruction
  return *configs;
}

base::Result<std::uint64_t> CreateChannelConfig(bool has_communicator) {
  std::uint64_t handle = 0;
  ChannelConfig* config = ChannelConfigs().Allocate(&handle);
  if (config == nullptr) {
    return base::FailResult(Code::kUnavailable, "no channel configuration left: {} are in use",
                            ChannelConfigs().live());
  }
  *config = ChannelConfig{has_communicator, false, {}};
  ChannelConfigs().Publish(handle);
  return handle;
}

base::Result<ChannelConfig*> FindChannelConfig(std::uint64_t handle, bool has_communicator) {
  auto found = ChannelConfigs().Get(handle, "config");
  if (!found || (*found)->has_communicator == has_communicator) return found;
  return base::FailResult(Code::kInvalidParam, "config 0x{:x} was made with {}; use {} here", handle,
                          has_communicator ? "HcommChannelConfigCreate" : "HcclChannelConfigCreate",
                          has_communicator ? "HcclChannelConfigCreate" : "HcommChannelConfigCreate");
}

Status DestroyChannelConfig(std::uint64_t handle, bool has_communicator) {
  auto found = FindChannelConfig(handle, has_communicator);
  if (!found) return found.error();
  ChannelConfigs().Retire(handle);
  ChannelConfigs().Recycle(handle);
  return {};
}

}  // namespace softhccl::comm
