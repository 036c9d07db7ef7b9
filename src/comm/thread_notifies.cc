// Making notifies on first use. A reader that finds a handle needs no lock; what is missing is made under one.
#include "comm/thread_notifies.h"

#include "engine/runtime.h"
#include "event/labels.h"

namespace softhccl::comm {

using engine::Runtime;

base::Result<std::uint64_t> ThreadNotifies::Handle(std::uint32_t index, const exec::Stream& stream) {
  if (Chunk* chunk = chunks_[index / kChunk].load()) {
    const std::uint64_t handle = (*chunk)[index % kChunk].load();
    if (handle != 0) return handle;
  }
  return Make(index, stream);
}

base::Result<std::uint64_t> ThreadNotifies::Make(std::uint32_t index, const exec::Stream& stream) {
  const std::lock_guard lock(mutex_);
  Chunk* chunk = chunks_[index / kChunk].load();
  if (chunk == nullptr) {
    chunk = new Chunk{};
    chunks_[index / kChunk].store(chunk);
  }
  std::atomic<std::uint64_t>& place = (*chunk)[index % kChunk];
  if (place.load() != 0) return place.load();
  // Any stream may record it: no rank in particular is expected to.
  auto notify = Runtime::Get().scheduler().CreateNotify(
      stream.device, index, exec::Party(),
      fmt::format("notify {} of {}", index, event::GetLabel(event::LabelKind::kStream, stream.id)));
  if (!notify) return tl::unexpected(notify.error());
  place.store((*notify)->handle);
  return (*notify)->handle;
}

void ThreadNotifies::Clear() {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  const std::lock_guard lock(mutex_);
  for (std::atomic<Chunk*>& entry : chunks_) {
    Chunk* chunk = entry.load();
    if (chunk == nullptr) continue;
    for (std::atomic<std::uint64_t>& place : *chunk) {
      const std::uint64_t handle = place.exchange(0);
      if (handle == 0) continue;
      if (exec::Notify* notify = scheduler.notifies().Lookup(handle)) scheduler.DestroyNotify(notify);
    }
  }
}

}  // namespace softhccl::comm
