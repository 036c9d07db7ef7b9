// Devices, their streams and notifies, and the thread's current device.
#include "engine/device.h"

#include <charconv>

#include "event/labels.h"
#include "event/ring.h"

namespace softhccl::engine {

using base::Code;
using base::Status;

namespace {

struct Selection {
  const Device* device = nullptr;
  std::uint64_t epoch = 0;
};
thread_local Selection t_selection;

}  // namespace

// --- Device ------------------------------------------------------------------------------------------------------

Device::~Device() {
  for (auto& chunk : notify_chunks_) delete chunk.load();
}

Status Device::Retain() {
  std::lock_guard lock(mutex_);
  if (default_stream_ == nullptr) {
    auto stream = scheduler_.CreateStream(id_, {}, fmt::format("device {}/default stream", id_));
    if (!stream) return stream.error();
    default_stream_ = *stream;
  }
  ++retained_;
  return {};
}

Status Device::Release() {
  std::set<exec::Stream*> streams;
  {
    std::lock_guard lock(mutex_);
    if (retained_ == 0) {
      return base::Fail(Code::kRepeated, "deviceId {} is not set (or was reset as often as it was set)", id_);
    }
    if (--retained_ > 0) return {};
    epoch_.fetch_add(1);
    streams.swap(streams_);
    streams.insert(default_stream_);
    default_stream_ = nullptr;
  }
  for (exec::Stream* stream : streams) {
    static_cast<void>(scheduler_.Drain(*stream, base::kForever));  // without deadline it cannot fail
    scheduler_.DestroyStream(stream);
  }
  return {};
}

base::Result<exec::Stream*> Device::CreateStream() {
  std::lock_guard lock(mutex_);
  if (streams_.size() >= kMaxStreams) {
    return base::FailResult(Code::kUnavailable, "device {} has {} streams, its limit; destroy some first", id_,
                            streams_.size());
  }
  auto stream = scheduler_.CreateStream(id_, {}, "");
  if (!stream) return stream;
  event::SetLabel(event::LabelKind::kStream, (*stream)->id, fmt::format("device {}/stream {}", id_, (*stream)->id));
  streams_.insert(*stream);
  return stream;
}

Status Device::DestroyStream(exec::Stream* stream) {
  {
    std::lock_guard lock(mutex_);
    if (stream == default_stream_)
      return base::Fail(Code::kInvalidParam, "stream: the default stream cannot be destroyed");
    if (streams_.erase(stream) == 0) {
      return base::Fail(Code::kInvalidParam, "stream: {} is not a stream that aclrtCreateStream made on device {}",
                        event::GetLabel(event::LabelKind::kStream, stream->id), id_);
    }
  }
  static_cast<void>(scheduler_.Drain(*stream, base::kForever));  // without deadline it cannot fail
  scheduler_.DestroyStream(stream);
  return {};
}

exec::Stream* Device::default_stream() const {
  std::lock_guard lock(mutex_);
  return default_stream_;
}

std::vector<exec::Stream*> Device::Streams() const {
  std::lock_guard lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

std::atomic<std::uint64_t>& Device::NotifyEntry(std::uint32_t id) {
  std::atomic<NotifyChunk*>& chunk = notify_chunks_[id / kChunk];
  // Only called under mutex_; the release pairs with FindNotify.
  if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new NotifyChunk{}, std::memory_order_release);
  return (*chunk.load(std::memory_order_relaxed))[id % kChunk];
}

base::Result<exec::Notify*> Device::CreateNotify() {
  std::lock_guard lock(mutex_);
  std::uint32_t id = next_notify_id_;
  if (!free_notify_ids_.empty()) {
    id = *free_notify_ids_.begin();
  } else if (id >= kMaxNotifies) {
    return base::FailResult(Code::kUnavailable, "device {} has {} notifies, its limit; destroy some first", id_,
                            kMaxNotifies);
  }
  auto notify = scheduler_.CreateNotify(id_, id, {}, fmt::format("notify {} of device {}", id, id_));
  if (!notify) return notify;
  if (id == next_notify_id_) {
    ++next_notify_id_;
  } else {
    free_notify_ids_.erase(id);
  }
  NotifyEntry(id).store((*notify)->handle);
  return notify;
}

Status Device::DestroyNotify(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  auto found = scheduler_.notifies().Get(handle, "notify");
  if (!found) return found.error();
  exec::Notify* notify = *found;
  const std::uint32_t id = notify->id;
  NotifyEntry(id).store(0);
  free_notify_ids_.insert(id);
  scheduler_.DestroyNotify(notify);
  return {};
}

exec::Notify* Device::FindNotify(std::uint64_t id) const {
  if (id >= kMaxNotifies) return nullptr;
  const NotifyChunk* chunk = notify_chunks_[id / kChunk].load(std::memory_order_acquire);  // pairs with NotifyEntry
  if (chunk == nullptr) return nullptr;
  return scheduler_.notifies().Lookup((*chunk)[id % kChunk].load());
}

std::size_t Device::notify_count() const {
  std::lock_guard lock(mutex_);
  return next_notify_id_ - free_notify_ids_.size();
}

// --- DeviceTable -------------------------------------------------------------------------------------------------

namespace {

// How many of `count` devices the comma list makes visible: parsing stops at the first token that is not a number or
// is out of range; nothing valid, repeated or descending ids are errors.
base::Result<std::uint32_t> CountVisible(const std::string& text, std::uint32_t count) {
  std::uint32_t visible = 0;
  std::int64_t last = -1;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::uint32_t id = 0;
    const auto parsed = std::from_chars(text.data() + begin, text.data() + end, id);
    if (begin == end || parsed.ec != std::errc() || parsed.ptr != text.data() + end || id >= count) break;
    if (id <= last) {
      return base::FailResult(Code::kUnavailable, "ASCEND_RT_VISIBLE_DEVICES=\"{}\": {} after {}; ids must ascend",
                              text, id, last);
    }
    last = id;
    ++visible;
    begin = end + 1;
  }
  if (visible > 0) return visible;
  return base::FailResult(Code::kUnavailable,
                          "ASCEND_RT_VISIBLE_DEVICES=\"{}\" selects none of the {} devices; expected "
                          "ascending ids from 0 to {} separated by commas",
                          text, count, count - 1);
}

}  // namespace

DeviceTable::DeviceTable(exec::Scheduler& scheduler, const base::Config& config) {
  std::uint32_t count = config.device_count;
  if (config.visible_devices) {
    auto visible = CountVisible(*config.visible_devices, count);
    if (!visible) visible_error_ = visible.error();
    count = visible.value_or(0);
  }
  for (std::uint32_t id = 0; id < count; ++id) {
    devices_.push_back(std::make_unique<Device>(scheduler, static_cast<int>(id)));
  }
}

base::Result<std::uint32_t> DeviceTable::Count() const {
  if (!visible_error_.ok()) return tl::unexpected(visible_error_);
  return static_cast<std::uint32_t>(devices_.size());
}

base::Result<Device*> DeviceTable::Get(int id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= devices_.size()) {
    return base::FailResult(Code::kInvalidDevice,
                            "deviceId {} is out of range, there are {} devices (0 to {}); set "
                            "SOFTHCCL_DEVICES for more",
                            id, devices_.size(), static_cast<int>(devices_.size()) - 1);
  }
  return devices_[static_cast<std::size_t>(id)].get();
}

Status DeviceTable::Select(int id) {
  auto device = Get(id);
  if (!device) return device.error();
  SOFTHCCL_RETURN_IF_ERROR((*device)->Retain());
  Adopt(*device);
  event::AttachThread("host");
  return {};
}

Status DeviceTable::Reset(int id) {
  auto device = Get(id);
  if (!device) return device.error();
  return (*device)->Release();
}

base::Result<Device*> DeviceTable::Current() const {
  const Selection& selection = t_selection;
  if (selection.device != nullptr && selection.device->epoch() == selection.epoch) {
    return devices_[static_cast<std::size_t>(selection.device->id())].get();
  }
  if (selection.device != nullptr) {
    return base::FailResult(Code::kNoContext, "device {} was reset; call aclrtSetDevice on this thread again",
                            selection.device->id());
  }
  return base::FailResult(Code::kNoContext, "no device is set on this thread; call aclrtSetDevice first");
}

void DeviceTable::Adopt(const Device* device) { t_selection = Selection{device, device->epoch()}; }

}  // namespace softhccl::engine
