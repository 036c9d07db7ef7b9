// A replay first makes and checks all tasks and then issues them, one submission per queue: what comes out of order
// between queues is no difference, because threads work independently anyway.
#include "comm/task_cache.h"

#include <algorithm>

#include "base/log.h"
#include "comm/objects.h"
#include "engine/issue.h"
#include "engine/ops/ranges.h"
#include "engine/runtime.h"
#include "memory/memory.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using engine::Runtime;
using engine::TaskBuffer;
using engine::TaskRecording;
using engine::ops::Side;

namespace {

// --- Recording ----------------------------------------------------------------------------------------------------

template <typename T>
void AddOnce(std::vector<T>* list, const T& value) {
  if (std::find(list->begin(), list->end(), value) == list->end()) list->push_back(value);
}

// The first buffer that `address` lies in, -1 for none; notes others that it lies in, too.
int FindBuffer(std::uint64_t address, CachedTasks* tasks) {
  int first = -1;
  for (std::size_t i = 0; i < tasks->buffers.size(); ++i) {
    const TaskBuffer& buffer = tasks->buffers[i];
    if (address < buffer.address || address - buffer.address >= buffer.size) continue;
    const int index = static_cast<int>(i);
    if (first < 0) {
      first = index;
    } else {
      AddOnce(&tasks->twins, {first, index});
    }
  }
  return first;
}

// False when the op cannot be made again.
bool Keep(const exec::Op& op, const TaskRecording& recording, CachedTasks* tasks, CachedTasks::Task* task) {
  task->op = op;
  task->shape = engine::ops::ShapeOf(op);
  if (task->shape == nullptr) return false;
  if (task->shape->link >= 0) {
    task->channel = recording.ChannelOf(reinterpret_cast<const transport::Link*>(op.arg[task->shape->link]));
    if (task->channel == 0) return false;
    AddOnce(&tasks->channels, task->channel);
  }
  if (task->shape->has_notify) AddOnce(&tasks->notifies, op.arg[0]);
  if (task->shape->to != Side::kNone) task->to_buffer = FindBuffer(op.arg[engine::ops::kTo], tasks);
  if (task->shape->from != Side::kNone) task->from_buffer = FindBuffer(op.arg[engine::ops::kFrom], tasks);
  return true;
}

// Null when an op cannot be made again.
std::shared_ptr<const CachedTasks> Compile(const TaskRecording& recording) {
  auto tasks = std::make_shared<CachedTasks>();
  tasks->buffers = recording.buffers();
  tasks->bytes = sizeof(CachedTasks) + recording.tag().size() + tasks->buffers.size() * sizeof(TaskBuffer);
  for (const TaskRecording::Queue& recorded : recording.queues()) {
    CachedTasks::Queue& queue = tasks->queues.emplace_back();
    queue.stream = recorded.stream;
    queue.tasks.reserve(recorded.ops.size());
    for (const exec::Op& op : recorded.ops) {
      if (!Keep(op, recording, tasks.get(), &queue.tasks.emplace_back())) return nullptr;
    }
    tasks->bytes += queue.tasks.size() * sizeof(CachedTasks::Task);
  }
  return tasks;
}

// --- Replay -------------------------------------------------------------------------------------------------------

// Ok when all objects exist. Errors: kInvalidHandle.
Status CheckAlive(const CachedTasks& tasks) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  const auto gone = [](const char* what, std::uint64_t handle) {
    return base::Fail(Code::kInvalidHandle,
                      "{} 0x{:x}, which the recorded tasks use, was destroyed; ask HcommAicpuTsTaskCacheLookup before "
                      "each replay and record again when it says no",
                      what, handle);
  };
  for (const CachedTasks::Queue& queue : tasks.queues) {
    if (scheduler.streams().Lookup(queue.stream) == nullptr) return gone("the queue of a thread", queue.stream);
  }
  for (const std::uint64_t channel : tasks.channels) {
    if (Channels().Lookup(channel) == nullptr) return gone("channel", channel);
  }
  for (const std::uint64_t notify : tasks.notifies) {
    if (scheduler.notifies().Lookup(notify) == nullptr) return gone("notify", notify);
  }
  return {};
}

Status CheckNotAborted(const exec::Party& party) {
  return party.domain != nullptr && party.domain->aborted() ? party.domain->AbortStatus() : Status();
}

Status CheckUsable(const CachedTasks& tasks) {
  SOFTHCCL_RETURN_IF_ERROR(CheckAlive(tasks));
  for (const CachedTasks::Queue& queue : tasks.queues) {
    if (const exec::Stream* stream = Runtime::Get().scheduler().streams().Lookup(queue.stream)) {
      SOFTHCCL_RETURN_IF_ERROR(CheckNotAborted(stream->party));
    }
  }
  for (const std::uint64_t handle : tasks.channels) {
    if (const Channel* channel = Channels().Lookup(handle)) SOFTHCCL_RETURN_IF_ERROR(CheckNotAborted(channel->party));
  }
  return {};
}

Status CheckBuffers(const CachedTasks& tasks, const std::vector<TaskBuffer>& buffers) {
  if (buffers.size() != tasks.buffers.size()) {
    return base::Fail(Code::kInvalidParam, "count {}: the tasks were recorded with {} buffers; pass as many",
                      buffers.size(), tasks.buffers.size());
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].size == tasks.buffers[i].size) continue;
    return base::Fail(Code::kInvalidParam, "sizes[{}] {}: the tasks were recorded with {} bytes; pass the same size", i,
                      buffers[i].size, tasks.buffers[i].size);
  }
  for (const auto& [one, other] : tasks.twins) {
    // Modulo 2^64: a distance.
    const auto moved = [&](int i) { return buffers[i].address - tasks.buffers[i].address; };
    if (moved(one) == moved(other)) continue;
    return base::Fail(
        Code::kInvalidParam,
        "addrs[{}] and addrs[{}] overlapped when the tasks were recorded, and a task used memory of both; "
        "now they lie 0x{:x} and 0x{:x} bytes from there: record such a call under another tag",
        one, other, moved(one), moved(other));
  }
  return {};
}

Status CheckSide(Side side, const transport::Link* link, const char* argument, std::uint64_t address,
                 std::uint64_t size) {
  const auto* pointer = reinterpret_cast<const void*>(address);
  if (side == Side::kOwn) return memory::Memory::Process().CheckRange(pointer, size, argument);
  return side == Side::kPeer ? link->CheckRemote(argument, pointer, size) : Status();
}

// The op with what `buffers` say, checked as a call would.
Status Remake(const CachedTasks& tasks, const CachedTasks::Task& task, const std::vector<TaskBuffer>& buffers,
              exec::Op* op) {
  *op = task.op;
  const transport::Link* link = nullptr;
  if (task.channel != 0) {
    auto channel = Channels().Get(task.channel, "channel");
    if (!channel) return channel.error();
    link = (*channel)->link.get();
    op->arg[task.shape->link] = reinterpret_cast<std::uint64_t>(link);
  }
  const auto move = [&](std::size_t place, int i) {
    if (i >= 0) op->arg[place] += buffers[i].address - tasks.buffers[i].address;
  };
  move(engine::ops::kTo, task.to_buffer);
  move(engine::ops::kFrom, task.from_buffer);
  if (task.shape->to == Side::kNone) return {};
  const std::uint64_t size = engine::ops::Size(*op);
  SOFTHCCL_RETURN_IF_ERROR(CheckSide(task.shape->to, link, "dst", op->arg[engine::ops::kTo], size));
  return CheckSide(task.shape->from, link, "src", op->arg[engine::ops::kFrom], size);
}

// *issued: queues that have got their tasks.
Status Replay(const CachedTasks& tasks, const std::vector<TaskBuffer>& buffers, std::size_t* issued) {
  SOFTHCCL_RETURN_IF_ERROR(CheckUsable(tasks));
  SOFTHCCL_RETURN_IF_ERROR(CheckBuffers(tasks, buffers));
  std::vector<std::vector<exec::Op>> made(tasks.queues.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::vector<CachedTasks::Task>& queue = tasks.queues[i].tasks;
    made[i].resize(queue.size());
    for (std::size_t n = 0; n < queue.size(); ++n) {
      Status remade = Remake(tasks, queue[n], buffers, &made[i][n]);
      if (!remade.ok()) return std::move(remade).While(fmt::format("making recorded task {} again", n));
    }
  }
  if (engine::TaskRecording* outer = engine::CurrentContext().recording.get()) {
    for (const std::uint64_t handle : tasks.channels) {
      if (const Channel* channel = Channels().Lookup(handle)) outer->NoteChannel(channel->link.get(), handle);
    }
  }
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (; *issued < made.size(); ++*issued) {
    auto stream = scheduler.streams().Get(tasks.queues[*issued].stream, "stream");
    if (!stream) return stream.error();
    SOFTHCCL_RETURN_IF_ERROR(engine::Issue(scheduler, **stream, made[*issued]));
  }
  return {};
}

// The sequence will not run as a whole: its threads fail, and with them those that wait for them.
void FailThreads(const CachedTasks& tasks, const Status& failure) {
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  for (const CachedTasks::Queue& queue : tasks.queues) {
    if (exec::Stream* stream = scheduler.streams().Lookup(queue.stream))
      engine::MarkFailed(scheduler, *stream, failure);
  }
  for (const std::uint64_t handle : tasks.channels) {
    if (const Channel* channel = Channels().Lookup(handle)) scheduler.AbortParty(channel->party, failure);
  }
}

}  // namespace

TaskCache& TaskCache::Process() {
  static auto* cache = new TaskCache;  // kernels may run during static destruction
  return *cache;
}

std::shared_ptr<const CachedTasks> TaskCache::Find(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : found->second;
}

void TaskCache::Forget(const Key& key, const CachedTasks* tasks) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  if (found != kept_.end() && found->second.get() == tasks) kept_.erase(found);
}

std::size_t TaskCache::UsedLocked(int device) {
  std::size_t used = 0;
  for (auto one = kept_.lower_bound({device, ""}); one != kept_.end() && one->first.first == device;) {
    if (CheckAlive(*one->second).ok()) {
      used += one->second->bytes;
      ++one;
    } else {
      one = kept_.erase(one);
    }
  }
  return used;
}

bool TaskCache::Has(int device, const std::string& tag) {
  const Key key(device, tag);
  const auto found = Find(key);
  if (found == nullptr) return false;
  if (CheckAlive(*found).ok()) return true;
  Forget(key, found.get());
  return false;
}

Status TaskCache::Start(engine::LaunchContext& context, int device, std::string tag, std::vector<TaskBuffer> buffers) {
  if (context.recording != nullptr) {
    return base::Fail(Code::kInvalidParam,
                      "tag \"{}\": \"{}\" is still being recorded; recordings do not nest, call "
                      "HcommAicpuTsTaskCacheEnd first",
                      tag, context.recording->tag());
  }
  if (Has(device, tag)) {
    return base::Fail(Code::kRepeated,
                      "tag \"{}\" is recorded already; replay it with HcommAicpuTsTaskCacheExecute or forget it with "
                      "HcommAicpuTsTaskCacheClear (SH-A003)",
                      tag);
  }
  context.recording = std::make_unique<TaskRecording>(device, std::move(tag), std::move(buffers));
  return {};
}

Status TaskCache::End(engine::LaunchContext& context, const std::string& tag) {
  if (context.recording == nullptr) {
    return base::Fail(Code::kNotFound, "tag \"{}\": nothing is being recorded; call HcommAicpuTsTaskCacheStart first",
                      tag);
  }
  if (context.recording->tag() != tag) {
    return base::Fail(Code::kInvalidParam, "tag \"{}\": \"{}\" is being recorded; end with the tag of the start", tag,
                      context.recording->tag());
  }
  const std::unique_ptr<TaskRecording> recording = std::move(context.recording);
  std::string why = recording->spoilt();
  std::shared_ptr<const CachedTasks> tasks;
  if (why.empty()) {
    tasks = Compile(*recording);
    if (tasks == nullptr) why = "it has a task that cannot be made again";
  }
  if (tasks != nullptr) {
    const std::lock_guard lock(mutex_);
    const std::size_t used = UsedLocked(recording->device());
    if (used + tasks->bytes <= kCapacity) {
      kept_.emplace(Key(recording->device(), tag), std::move(tasks));  // the first of two that were recorded at once
      return {};
    }
    why = fmt::format("it needs {} bytes, and {} of {} are used", tasks->bytes, used, kCapacity);
  }
  base::Log(base::LogLevel::kInfo, fmt::format("task cache \"{}\" is not kept: {}; its tasks ran as usual", tag, why));
  return {};
}

Status TaskCache::Execute(int device, const std::string& tag, const std::vector<TaskBuffer>& buffers) {
  const auto tasks = Find({device, tag});
  if (tasks == nullptr) {
    return base::Fail(Code::kNotFound,
                      "tag \"{}\" is not recorded on device {}; ask HcommAicpuTsTaskCacheLookup first, and record "
                      "between HcommAicpuTsTaskCacheStart and HcommAicpuTsTaskCacheEnd when it says no",
                      tag, device);
  }
  std::size_t issued = 0;
  Status replayed = Replay(*tasks, buffers, &issued);
  if (replayed.ok() || (replayed.code() == Code::kAgain && issued == 0)) return replayed;
  if (issued != 0) {
    const std::string part = fmt::format("replaying \"{}\": {} of {} threads have got their tasks already", tag, issued,
                                         tasks->queues.size());
    replayed = Status(Code::kUnavailable, replayed.message()).While(part);
  }
  FailThreads(*tasks, replayed);
  return replayed;
}

void TaskCache::Clear(int device, const std::string& tag) {
  const std::lock_guard lock(mutex_);
  kept_.erase({device, tag});
}

}  // namespace softhccl::comm
