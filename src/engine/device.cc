// Devices, their streams and notifies, and the thread's current device.
#include "engine/device.h"

#include <algorithm>
#include <charconv>

#include "engine/faithful.h"
#include "event/labels.h"
#include "event/ring.h"

namespace softhccl::engine {

using base::Code;
using base::Status;

namespace {

struct Selection {
  const Device* device = nullptr;
  std::uint64_t epoch = 0;
  std::shared_ptr<Context> context;  // null: the device's own
};
thread_local Selection t_selection;

}  // namespace

// --- Device ------------------------------------------------------------------------------------------------------

Device::~Device() {
  for (auto& chunk : notify_chunks_) delete chunk.load();
}

Status Device::Retain() {
  std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_IF_ERROR(context_.Open());
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
    streams = context_.Shut();
  }
  context_.Destroy(streams);
  return {};
}

Status Device::ReleaseAll() {
  {
    std::lock_guard lock(mutex_);
    if (retained_ > 1) retained_ = 1;
  }
  return Release();
}

int Device::retained() const {
  std::lock_guard lock(mutex_);
  return retained_;
}

base::Result<std::shared_ptr<Context>> Device::CreateContext() {
  auto context = std::make_shared<Context>(scheduler_, id_, stream_count_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(context->Open());
  return context;
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
  const std::uint32_t limit = std::min(kMaxNotifies, NotifyLimit(FaithfulProduct()));
  if (!free_notify_ids_.empty()) {
    id = *free_notify_ids_.begin();
  } else if (id >= limit) {
    return base::FailResult(Code::kUnavailable, "device {} has {} notifies, its limit; destroy some first{}", id_,
                            limit, limit < kMaxNotifies ? " (SH-P005)" : "");
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

// Which of `count` devices the comma list makes visible: parsing stops at the first token that is not a number or
// is out of range; nothing valid, repeated or descending ids are errors.
base::Result<std::vector<std::uint32_t>> ReadVisible(const std::string& text, std::uint32_t count) {
  std::vector<std::uint32_t> visible;
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
    visible.push_back(id);
    begin = end + 1;
  }
  if (!visible.empty()) return visible;
  return base::FailResult(Code::kUnavailable,
                          "ASCEND_RT_VISIBLE_DEVICES=\"{}\" selects none of the {} devices; expected "
                          "ascending ids from 0 to {} separated by commas",
                          text, count, count - 1);
}

}  // namespace

DeviceTable::DeviceTable(exec::Scheduler& scheduler, const base::Config& config) : machine_count_(config.device_count) {
  if (config.visible_devices) {
    auto visible = ReadVisible(*config.visible_devices, machine_count_);
    if (visible) {
      visible_ = *visible;
    } else {
      visible_error_ = visible.error();
    }
  } else {
    for (std::uint32_t id = 0; id < machine_count_; ++id) visible_.push_back(id);
  }
  for (std::uint32_t id = 0; id < visible_.size(); ++id) {
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
  if (selection.device == nullptr) {
    return base::FailResult(Code::kNoContext, "no device is set on this thread; call aclrtSetDevice first");
  }
  if (selection.context != nullptr ? selection.context->is_open() : selection.device->epoch() == selection.epoch) {
    return devices_[static_cast<std::size_t>(selection.device->id())].get();
  }
  if (selection.context != nullptr) {
    return base::FailResult(Code::kNoContext,
                            "the context of this thread, on device {}, was destroyed; call aclrtSetCurrentContext or "
                            "aclrtSetDevice",
                            selection.device->id());
  }
  return base::FailResult(Code::kNoContext, "device {} was reset; call aclrtSetDevice on this thread again",
                          selection.device->id());
}

base::Result<std::shared_ptr<Context>> DeviceTable::CurrentContext() const {
  auto device = Current();
  if (!device) return tl::unexpected(device.error());
  if (t_selection.context != nullptr) return t_selection.context;
  return std::shared_ptr<Context>(std::shared_ptr<void>(), &(*device)->context());
}

void DeviceTable::SelectContext(std::shared_ptr<Context> context) {
  Device* device = devices_[static_cast<std::size_t>(context->device())].get();
  const bool is_own = context.get() == &device->context();
  t_selection = Selection{device, device->epoch(), is_own ? nullptr : std::move(context)};
}

base::Result<int> DeviceTable::LogicId(int user_id) const {
  auto device = Get(user_id);
  if (!device) return tl::unexpected(device.error());
  return static_cast<int>(visible_[static_cast<std::size_t>(user_id)]);
}

base::Result<int> DeviceTable::UserId(int logic_id) const {
  for (std::size_t user = 0; user < visible_.size(); ++user) {
    if (static_cast<int>(visible_[user]) == logic_id) return static_cast<int>(user);
  }
  return base::FailResult(Code::kInvalidDevice, "device {} of this machine is not visible to the process; it has {}",
                          logic_id, visible_.size());
}

base::Result<int> DeviceTable::CheckLogicId(int logic_id) const {
  if (logic_id >= 0 && static_cast<std::uint32_t>(logic_id) < machine_count_) return logic_id;
  return base::FailResult(Code::kInvalidDevice, "device {} is out of range, this machine has {} (0 to {})", logic_id,
                          machine_count_, machine_count_ - 1);
}

void DeviceTable::Adopt(const Device* device) { t_selection = Selection{device, device->epoch(), nullptr}; }

}  // namespace softhccl::engine
