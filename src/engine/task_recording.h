// What the task cache keeps of a sequence of data-plane calls while it is being recorded: the ops per queue as they
// were issued, and which channel each link belongs to. A sequence that a replay could not reproduce, because it posted,
// waited or failed, or because it is too long, is spoilt: its ops run as usual and nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/op.h"

namespace softhccl::transport {
class Link;
}

namespace softhccl::engine {

// Memory that a replay may replace.
struct TaskBuffer {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // bytes
};

// Belongs to a LaunchContext; used by one thread at a time.
class TaskRecording {
 public:
  static constexpr std::size_t kMaxOps = 10 * 1024 * 1024 / sizeof(exec::Op);

  struct Queue {
    std::uint64_t stream = 0;  // handle
    std::vector<exec::Op> ops;
  };

  TaskRecording(int device, std::string tag, std::vector<TaskBuffer> buffers)
      : device_(device), tag_(std::move(tag)), buffers_(std::move(buffers)) {}

  // Ops that were accepted for a stream.
  void Add(std::uint64_t stream, std::span<const exec::Op> ops);
  // A call used this channel.
  void NoteChannel(const transport::Link* link, std::uint64_t channel);
  // The sequence will not be kept; the first reason counts.
  void Spoil(std::string why);

  int device() const { return device_; }
  const std::string& tag() const { return tag_; }
  const std::vector<TaskBuffer>& buffers() const { return buffers_; }
  const std::vector<Queue>& queues() const { return queues_; }  // in order of first use
  // Handle of the channel that `link` belongs to, 0 when no call named it.
  std::uint64_t ChannelOf(const transport::Link* link) const;
  // Empty while the sequence can be kept.
  const std::string& spoilt() const { return spoilt_; }

 private:
  int device_;
  std::string tag_;
  std::vector<TaskBuffer> buffers_;
  std::vector<Queue> queues_;
  std::vector<std::pair<const transport::Link*, std::uint64_t>> channels_;
  std::size_t count_ = 0;
  std::string spoilt_;
};

}  // namespace softhccl::engine
