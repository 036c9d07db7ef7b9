// A graph as text.
#include <nlohmann/json.hpp>

#include "engine/graph.h"
#include "engine/ops/classes.h"
#include "engine/ops/clone.h"

namespace softhccl::engine {
namespace {

nlohmann::json DescribeTask(const Graph::Task& task, bool with_addresses) {
  nlohmann::json described = {{"sequence", task.number}, {"operation", task.op.op_class->name}};
  if (task.op.op_class->bytes != nullptr) described["bytes"] = task.op.op_class->bytes(task.op);
  if (task.op.op_class == &ops::kKernelLaunch) {
    const Invocation& launch = ops::LaunchOf(task.op);
    described["kernel"] = launch.info->entry.kernel_name;
    described["blocks"] = launch.blocks;
  }
  if (const std::uint64_t mark = ops::RecordedMark(task.op)) described["records"] = fmt::format("0x{:x}", mark);
  if (const std::uint64_t mark = ops::WaitedMark(task.op)) described["waits for"] = fmt::format("0x{:x}", mark);
  if (!with_addresses || task.op.op_class->footprint == nullptr) return described;
  const exec::Footprint footprint = task.op.op_class->footprint(task.op);
  if (footprint.read.address != nullptr) described["reads"] = fmt::format("{}", fmt::ptr(footprint.read.address));
  if (footprint.written.address != nullptr) {
    described["writes"] = fmt::format("{}", fmt::ptr(footprint.written.address));
  }
  return described;
}

}  // namespace

std::string Graph::Describe(bool with_addresses) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json streams = nlohmann::json::array();
  for (const Track& track : tracks_) {
    streams.push_back({{"stream", track.own->id}, {"captured from", track.label}});
    streams.back()["tasks"] = nlohmann::json::array();
  }
  for (const Task& task : tasks_) streams[task.track]["tasks"].push_back(DescribeTask(task, with_addresses));
  const nlohmann::json graph = {{"id", id()}, {"name", name_}, {"streams", std::move(streams)}};
  return graph.dump(2);
}

}  // namespace softhccl::engine
