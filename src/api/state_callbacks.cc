// The registries, one per process.
#include "api/state_callbacks.h"

namespace softhccl::api {

NamedCallbacks<aclrtStreamStateCallback>& StreamStateCallbacks() {
  static auto* callbacks = new NamedCallbacks<aclrtStreamStateCallback>;
  return *callbacks;
}

NamedCallbacks<aclrtDeviceStateCallback>& DeviceStateCallbacks() {
  static auto* callbacks = new NamedCallbacks<aclrtDeviceStateCallback>;
  return *callbacks;
}

NamedCallbacks<aclrtDeviceTaskAbortCallback>& TaskAbortCallbacks() {
  static auto* callbacks = new NamedCallbacks<aclrtDeviceTaskAbortCallback>;
  return *callbacks;
}

void TellStreamState(aclrtStream stream, aclrtStreamState state) {
  for (const auto& entry : StreamStateCallbacks().All()) entry.function(stream, state, entry.argument);
}

void TellDeviceState(int32_t device, aclrtDeviceState state) {
  for (const auto& entry : DeviceStateCallbacks().All()) entry.function(device, state, entry.argument);
}

}  // namespace softhccl::api
