// Options of channels that a C program sets one by one. They say how hardware queues are shared, which shared memory
// does not have: they are checked and kept, and have no effect.
#pragma once

#include <cstdint>
#include <string>

#include "base/handle.h"

namespace softhccl::comm {

struct ChannelConfig {
  bool has_communicator = false;  // made for channels of a communicator
  bool is_shared_queue = false;
  std::string shared_queue_tag;
};

using ChannelConfigSlab = base::Slab<ChannelConfig, base::HandleKind::kChannelConfig>;
ChannelConfigSlab& ChannelConfigs();

// A new configuration's handle. Errors: kUnavailable.
base::Result<std::uint64_t> CreateChannelConfig(bool has_communicator);
// Errors: kInvalidHandle, kInvalidParam when it was made for the other sort of channels.
base::Result<ChannelConfig*> FindChannelConfig(std::uint64_t handle, bool has_communicator);
base::Status DestroyChannelConfig(std::uint64_t handle, bool has_communicator);

}  // namespace softhccl::comm
