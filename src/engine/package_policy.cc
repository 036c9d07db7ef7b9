// Puts together what the environment, npu-smi and the product say.
#include "engine/package_policy.h"

#include "base/config.h"
#include "engine/runtime.h"
#include "package/device_security.h"

namespace softhccl::engine {

base::Result<package::Policy> PackagePolicy(int device) {
  const base::Config& config = base::ProcessConfig();
  package::Policy policy;
  policy.product = config.faithful;
  policy.device = static_cast<unsigned>(device);
  if (config.visible_devices) {
    if (const auto logic = Runtime::Get().devices().LogicId(device)) policy.device = static_cast<unsigned>(*logic);
  }
  policy.anchors = package::TrustFolders::Of(config.ascend_home, config.config_home);
  package::DeviceSecurity security;
  if (!config.state_home.empty()) {
    const auto state = package::SecurityState::Read(package::SecurityState::PathIn(config.state_home));
    if (!state) return tl::unexpected<base::Status>(state.error());
    security = state->Of(policy.device);
  }
  policy.modes = package::ModeInForce(security, !config.faithful.empty());
  return policy;
}

}  // namespace softhccl::engine
