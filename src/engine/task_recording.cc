// Few queues and channels per sequence: plain lists, searched from the front.
#include "engine/task_recording.h"

#include <fmt/format.h>

#include <algorithm>

namespace softhccl::engine {

void TaskRecording::Add(std::uint64_t stream, std::span<const exec::Op> ops) {
  if (!spoilt_.empty()) return;
  count_ += ops.size();
  if (count_ > kMaxOps) return Spoil(fmt::format("it has more than {} tasks", kMaxOps));
  auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& one) { return one.stream == stream; });
  if (queue == queues_.end()) queue = queues_.insert(queue, Queue{stream, {}});
  queue->ops.insert(queue->ops.end(), ops.begin(), ops.end());
}

void TaskRecording::NoteChannel(const transport::Link* link, std::uint64_t channel) {
  for (auto& known : channels_) {
    if (known.first != link) continue;
    known.second = channel;  // another one, when the first was destroyed meanwhile
    return;
  }
  channels_.emplace_back(link, channel);
}

void TaskRecording::Spoil(std::string why) {
  if (!spoilt_.empty()) return;
  spoilt_ = std::move(why);
  queues_.clear();
  channels_.clear();
}

std::uint64_t TaskRecording::ChannelOf(const transport::Link* link) const {
  const auto known =
      std::find_if(channels_.begin(), channels_.end(), [link](const auto& one) { return one.first == link; });
  return known == channels_.end() ? 0 : known->second;
}

}  // namespace softhccl::engine
