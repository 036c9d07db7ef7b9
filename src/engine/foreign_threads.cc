// The pool, and the mark on threads that run callbacks.
#include "engine/foreign_threads.h"

#include <sys/prctl.h>

#include <system_error>
#include <thread>

#include "exec/thread_census.h"

namespace softhccl::engine {
namespace {

thread_local int t_callbacks = 0;

}  // namespace

CallbackRegion::CallbackRegion() { ++t_callbacks; }
CallbackRegion::~CallbackRegion() { --t_callbacks; }
bool IsInCallback() { return t_callbacks > 0; }

base::Status ForeignThreads::Run(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    auto worker = std::make_unique<Worker>();
    try {
      std::thread([this, made = worker.get()] { Loop(made); }).detach();  // lives as long as the process
    } catch (const std::system_error& error) {
      return base::Fail(base::Code::kUnavailable,
                        "no thread can be made for a callback: {}; raise the limit on threads", error.what());
    }
    free_.push_back(worker.get());
    workers_.push_back(std::move(worker));
  }
  scheduler_.CountForeign(1);
  scheduler_.PokeWatch();
  Worker* worker = free_.back();
  free_.pop_back();
  worker->work = std::move(work);
  worker->wake.notify_one();
  return {};
}

void ForeignThreads::Loop(Worker* worker) {
  ::prctl(PR_SET_NAME, "shccl-callback");
  std::unique_lock lock(mutex_);
  for (;;) {
    {
      const exec::ScopedOwnThread idle;
      worker->wake.wait(lock, [&] { return worker->work != nullptr; });
    }
    const std::function<void()> work = std::move(worker->work);
    lock.unlock();
    work();
    lock.lock();
    worker->work = nullptr;
    free_.push_back(worker);
    scheduler_.CountForeign(-1);
  }
}

}  // namespace softhccl::engine
