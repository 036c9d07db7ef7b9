// A graph as text.
#include <nlohmann/json.hpp>

#include "engine/graph.h"
#include "engine/ops/classes.h"
#include "engine/ops/clone.h"

namespace softhccl::engine {
namespace {

void DescribeOp(const exec::Op& op, bool with_addresses, nlohmann::json& described) {
  described["operation"] = op.op_class->name;
  if (op.op_class->bytes != nullptr) described["bytes"] = op.op_class->bytes(op);
  if (op.op_class == &ops::kKernelLaunch) {
    const Invocation& launch = ops::LaunchOf(op);
    described["kernel"] = launch.info->entry.kernel_name;
    described["blocks"] = launch.blocks;
  }
  if (const std::uint64_t mark = ops::RecordedMark(op)) described["records"] = fmt::format("0x{:x}", mark);
  if (const std::uint64_t mark = ops::WaitedMark(op)) described["waits for"] = fmt::format("0x{:x}", mark);
  if (!with_addresses || op.op_class->footprint == nullptr) return;
  const exec::Footprint footprint = op.op_class->footprint(op);
  if (footprint.read.address != nullptr) described["reads"] = fmt::format("{}", fmt::ptr(footprint.read.address));
  if (footprint.written.address != nullptr) {
    described["writes"] = fmt::format("{}", fmt::ptr(footprint.written.address));
  }
}

nlohmann::json DescribeTask(const Graph::Task& task, bool with_addresses) {
  nlohmann::json described = {{"sequence", task.number}};
  ops::LookAt(task.op, [&](const exec::Op& op) { DescribeOp(op, with_addresses, described); });
  if (task.group != nullptr) described["group"] = fmt::format("0x{:x}", task.group->handle.load());
  if (task.is_disabled) described["disabled"] = true;
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
  if (is_built_) streams.erase(streams.begin());  // that of the replays, without tasks of its own
  const nlohmann::json graph = {{"id", id()}, {"name", name_}, {"streams", std::move(streams)}};
  return graph.dump(2);
}

}  // namespace softhccl::engine
