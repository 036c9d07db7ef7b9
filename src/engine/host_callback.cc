// Queues of callbacks by thread.
#include "engine/host_callback.h"

#include <pthread.h>

#include <chrono>

#include "engine/foreign_threads.h"
#include "engine/runtime.h"
#include "event/labels.h"

namespace softhccl::engine {

using base::Code;
using base::Nanos;
using base::Status;

namespace {

// The program's thread runs a callback: something goes on, whatever waits for it.
class ScopedRunning {
 public:
  ScopedRunning() { Runtime::Get().scheduler().CountForeign(1); }
  ~ScopedRunning() { Runtime::Get().scheduler().CountForeign(-1); }
  ScopedRunning(const ScopedRunning&) = delete;
  ScopedRunning& operator=(const ScopedRunning&) = delete;
};

// Lets the stream of a blocking callback go on when the callback is over, with a failure unless it has returned.
class ScopedResume {
 public:
  explicit ScopedResume(const HostCallback& callback) : callback_(callback) {}
  ~ScopedResume() {
    if (callback_.is_blocking) Runtime::Get().scheduler().Resume(callback_.ticket, code_);
  }
  ScopedResume(const ScopedResume&) = delete;
  ScopedResume& operator=(const ScopedResume&) = delete;
  void SetReturned() { code_ = exec::ResumeCode::kSignalled; }

 private:
  const HostCallback& callback_;
  exec::ResumeCode code_ = exec::ResumeCode::kAborted;
};

}  // namespace

HostCallbacks& HostCallbacks::Get() {
  static auto* callbacks = new HostCallbacks;
  return *callbacks;
}

Status HostCallbacks::Subscribe(std::uint64_t thread, const exec::Stream& stream) {
  std::lock_guard lock(mutex_);
  const auto [place, is_new] = threads_.emplace(stream.handle, thread);
  if (!is_new) {
    return base::Fail(Code::kRepeated, "{} has thread {} for its callbacks already; unsubscribe it first",
                      event::GetLabel(event::LabelKind::kStream, stream.id), place->second);
  }
  auto& queue = queues_[thread];
  if (queue == nullptr) queue = std::make_shared<Queue>();
  queue->streams.insert(stream.handle);
  queue->changed.notify_all();
  return {};
}

Status HostCallbacks::Unsubscribe(std::uint64_t thread, std::uint64_t stream) {
  std::deque<HostCallback> dropped;
  {
    std::lock_guard lock(mutex_);
    const auto found = threads_.find(stream);
    if (found == threads_.end() || found->second != thread) {
      return base::Fail(Code::kNotFound, "thread {} is not subscribed to this stream", thread);
    }
    threads_.erase(found);
    const std::shared_ptr<Queue> queue = queues_[thread];
    dropped = TakeLocked(&HostCallback::subscriber, stream);
    queue->streams.erase(stream);
    if (queue->streams.empty()) queues_.erase(thread);
    queue->changed.notify_all();
  }
  Abort(dropped);
  return {};
}

bool HostCallbacks::IsSubscribed(std::uint64_t stream) const {
  std::lock_guard lock(mutex_);
  return threads_.count(stream) != 0;
}

void HostCallbacks::ForgetStream(std::uint64_t stream) {
  std::uint64_t thread = 0;
  {
    std::lock_guard lock(mutex_);
    const auto found = threads_.find(stream);
    if (found == threads_.end()) return;
    thread = found->second;
  }
  static_cast<void>(Unsubscribe(thread, stream));  // fails when another thread did it a moment ago
}

Status HostCallbacks::Process(Nanos limit) {
  const auto me = static_cast<std::uint64_t>(::pthread_self());
  HostCallback callback;
  {
    std::unique_lock lock(mutex_);
    std::shared_ptr<Queue> queue = queues_[me];
    if (queue == nullptr) queue = queues_[me] = std::make_shared<Queue>();
    const bool had_stream = !queue->streams.empty();
    const auto is_over = [&] { return !queue->waiting.empty() || (queue->streams.empty() && had_stream); };
    if (limit != base::kForever) {
      queue->changed.wait_for(lock, std::chrono::nanoseconds(limit), is_over);
    } else if (had_stream) {
      queue->changed.wait(lock, is_over);
    }
    if (queue->waiting.empty()) {
      const bool has_stream = !queue->streams.empty();
      const auto known = queues_.find(me);
      if (!has_stream && known != queues_.end() && known->second == queue) queues_.erase(known);
      if (has_stream) return base::Fail(Code::kSyncTimeout, "no callback came in time");
      return base::Fail(Code::kNotFound, "this thread is not subscribed to a stream; call aclrtSubscribeReport with {}",
                        me);
    }
    callback = queue->waiting.front();
    queue->waiting.pop_front();
  }
  const ScopedRunning running;
  RunOne(callback);
  return {};
}

void HostCallbacks::RunOne(const HostCallback& callback) {
  // An exception of the program's leaves through here: its stream must not wait for ever.
  ScopedResume resume(callback);
  const CallbackRegion region;
  callback.function(callback.argument);
  resume.SetReturned();
}

std::deque<HostCallback> HostCallbacks::TakeLocked(std::uint64_t HostCallback::* whose, std::uint64_t stream) {
  std::deque<HostCallback> taken;
  for (auto& [thread, queue] : queues_) {
    std::deque<HostCallback> kept;
    for (const HostCallback& callback : queue->waiting) (callback.*whose == stream ? taken : kept).push_back(callback);
    queue->waiting.swap(kept);
  }
  return taken;
}

void HostCallbacks::Abort(const std::deque<HostCallback>& callbacks) {
  for (const HostCallback& callback : callbacks) {
    if (callback.is_blocking) Runtime::Get().scheduler().Resume(callback.ticket, exec::ResumeCode::kAborted);
  }
}

void HostCallbacks::Cancel(std::uint64_t stream) {
  std::deque<HostCallback> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped = TakeLocked(&HostCallback::stream, stream);
  }
  Abort(dropped);
}

bool HostCallbacks::Post(HostCallback callback) {
  if (callback.on_own_thread) {
    return Runtime::Get().foreign_threads().Run([callback] { RunOne(callback); }).ok();
  }
  std::lock_guard lock(mutex_);
  const auto thread = threads_.find(callback.subscriber);
  if (thread == threads_.end()) return false;
  Queue& queue = *queues_[thread->second];
  queue.waiting.push_back(callback);
  queue.changed.notify_all();
  return true;
}

}  // namespace softhccl::engine
