// Contexts and the table of their handles.
#include "engine/context.h"

#include "base/handle.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Status;

namespace {

// The slab gives handles that are recognised when stale; the objects are shared, because a thread may still have one
// selected when it is destroyed.
struct Table {
  base::Slab<int, base::HandleKind::kContext> handles;
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Context>> open;  // guarded by mutex
};

Table& TheTable() {
  static auto* table = new Table;
  return *table;
}

}  // namespace

base::Result<std::shared_ptr<Context>> FindContext(std::uint64_t handle) {
  Table& table = TheTable();
  if (auto known = table.handles.Get(handle, "context"); !known) return tl::unexpected(known.error());
  std::lock_guard lock(table.mutex);
  const auto found = table.open.find(handle);
  if (found == table.open.end()) return base::FailResult(Code::kInvalidHandle, "context 0x{:x} was destroyed", handle);
  return found->second;
}

base::Result<std::uint64_t> Remember(std::shared_ptr<Context> context) {
  Table& table = TheTable();
  std::uint64_t handle = 0;
  if (table.handles.Allocate(&handle) == nullptr) {
    return base::FailResult(Code::kUnavailable, "no context left: {} are in use", table.handles.live());
  }
  std::lock_guard lock(table.mutex);
  table.open[handle] = std::move(context);
  table.handles.Publish(handle);
  return handle;
}

void Forget(std::uint64_t handle) {
  Table& table = TheTable();
  if (!table.handles.Retire(handle)) return;
  {
    std::lock_guard lock(table.mutex);
    table.open.erase(handle);
  }
  table.handles.Recycle(handle);
}

Status Context::Open() {
  std::lock_guard lock(mutex_);
  if (is_open()) return {};
  auto stream = scheduler_.CreateStream(device_, {}, fmt::format("device {}/default stream", device_));
  if (!stream) return stream.error();
  std::shared_ptr<Context> shared = weak_from_this().lock();
  // The context of a device lives as long as that, and is nobody else's to free.
  if (shared == nullptr) shared = std::shared_ptr<Context>(std::shared_ptr<void>(), this);
  auto handle = Remember(std::move(shared));
  if (!handle) {
    scheduler_.DestroyStream(*stream);
    return handle.error();
  }
  (*stream)->notes.context.store(*handle);
  default_stream_ = *stream;
  handle_.store(*handle);
  return {};
}

std::set<exec::Stream*> Context::Shut() {
  std::set<exec::Stream*> streams;
  std::lock_guard lock(mutex_);
  if (!is_open()) return streams;
  Forget(handle_.exchange(0));
  streams.swap(streams_);
  streams_of_device_.fetch_sub(static_cast<std::uint32_t>(streams.size()));
  streams.insert(default_stream_);
  default_stream_ = nullptr;
  options_.clear();
  return streams;
}

void Context::Destroy(const std::set<exec::Stream*>& streams) {
  for (exec::Stream* stream : streams) {
    static_cast<void>(scheduler_.Drain(*stream, base::kForever));  // without deadline it cannot fail
    scheduler_.DestroyStream(stream);
  }
}

base::Result<exec::Stream*> Context::CreateStream() {
  std::lock_guard lock(mutex_);
  if (streams_of_device_.fetch_add(1) >= kMaxStreams) {
    streams_of_device_.fetch_sub(1);
    return base::FailResult(Code::kUnavailable, "device {} has {} streams, its limit; destroy some first", device_,
                            kMaxStreams);
  }
  auto stream = scheduler_.CreateStream(device_, {}, "");
  if (!stream) {
    streams_of_device_.fetch_sub(1);
    return stream;
  }
  event::SetLabel(event::LabelKind::kStream, (*stream)->id, fmt::format("device {}/stream {}", device_, (*stream)->id));
  (*stream)->notes.context.store(handle());
  streams_.insert(*stream);
  return stream;
}

Status Context::DestroyStream(exec::Stream* stream, bool by_force) {
  {
    std::lock_guard lock(mutex_);
    if (stream == default_stream_)
      return base::Fail(Code::kInvalidParam, "stream: the default stream cannot be destroyed");
    if (streams_.erase(stream) == 0) {
      return base::Fail(Code::kInvalidParam, "stream: {} is not a stream that aclrtCreateStream made on device {}",
                        event::GetLabel(event::LabelKind::kStream, stream->id), device_);
    }
    streams_of_device_.fetch_sub(1);
  }
  if (!by_force) static_cast<void>(scheduler_.Drain(*stream, base::kForever));  // without deadline it cannot fail
  scheduler_.DestroyStream(stream);
  return {};
}

exec::Stream* Context::default_stream() const {
  std::lock_guard lock(mutex_);
  return default_stream_;
}

std::vector<exec::Stream*> Context::Streams() const {
  std::lock_guard lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

void Context::SetOption(int option, std::int64_t value) {
  std::lock_guard lock(mutex_);
  options_[option] = value;
}

base::Result<std::int64_t> Context::Option(int option) const {
  std::lock_guard lock(mutex_);
  const auto found = options_.find(option);
  if (found != options_.end()) return found->second;
  return base::FailResult(Code::kNotFound, "option {} was not set", option);
}

}  // namespace softhccl::engine
