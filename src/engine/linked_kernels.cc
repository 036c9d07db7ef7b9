#include "engine/linked_kernels.h"

#include <map>
#include <mutex>
#include <utility>

#include "event/labels.h"

namespace softhccl::engine {

std::shared_ptr<KernelInfo> LinkedKernel(const std::string& name, KernelFunction function) {
  // A library may be closed and another opened in its place, so the address alone does not name a kernel.
  // Never destroyed: threads may still look names up while the process exits.
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<KernelFunction, std::string>, std::shared_ptr<KernelInfo>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<KernelInfo>& info = known[{function, name}];
  if (info == nullptr) {
    info = std::make_shared<KernelInfo>();
    info->entry = {name, "", name, "AICPUKernel"};
    info->linked = function;
    info->name_id = event::NameId(name);
  }
  return info;
}

}  // namespace softhccl::engine
