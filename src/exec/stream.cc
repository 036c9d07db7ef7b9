// The error slot of a stream; everything else of a stream is moved by the scheduler.
#include "exec/stream.h"

#include <utility>

namespace softhccl::exec {

void StreamNotes::Clear() {
  context.store(0);
  for (auto* note : {&priority, &flags, &failure_mode, &custom_tag, &cache_op_info, &overflow_switch}) note->store(0);
  stopped.store(false);
}

base::Status Stream::error() const {
  std::lock_guard lock(error_mutex_);
  return error_;
}

base::Status Stream::TakeError() {
  std::lock_guard lock(error_mutex_);
  base::Status taken = std::move(error_);
  error_ = base::Status();
  failed_.store(false, std::memory_order_release);  // pairs with failed()
  return taken;
}

bool Stream::SetError(const base::Status& status) {
  std::lock_guard lock(error_mutex_);
  if (!error_.ok()) return false;
  error_ = status;
  failed_.store(true, std::memory_order_release);  // pairs with failed()
  return true;
}

void Stream::SetEndedWait(Ticket ticket, std::string reason) {
  std::lock_guard lock(error_mutex_);
  ended_ticket_ = ticket;
  ended_wait_ = std::move(reason);
}

std::string Stream::TakeEndedWait() {
  std::lock_guard lock(error_mutex_);
  const std::string text = std::exchange(ended_wait_, std::string());
  // The stream runs on after that suspension, one sequence number later.
  return ended_ticket_ == Ticket::Make(id, StateWord{state_.load()}.sequence() - 1) ? text : std::string();
}

}  // namespace softhccl::exec
