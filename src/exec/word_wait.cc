// A wait is entered before its word is looked at for the last time, so that a write in between is seen by one of both.
#include "exec/word_wait.h"

#include <algorithm>

#include "base/os.h"
#include "exec/notify.h"
#include "exec/scheduler.h"
#include "memory/memory.h"

namespace softhccl::exec {
namespace {

base::Result<std::uint64_t> Read(const AwaitedWord& word) {
  return memory::Memory::Process().LoadWord(word.address, "devAddr");
}

}  // namespace

bool AwaitedWord::Accepts(std::uint64_t word) const {
  switch (test) {
    case WordTest::kAtLeast: return static_cast<std::int64_t>(word - value) >= 0;
    case WordTest::kEqual: return word == value;
    case WordTest::kAnyBit: return (word & value) != 0;
    case WordTest::kLeavesABit: return ~(word | value) != 0;
  }
  return false;
}

std::string AwaitedWord::Describe() const {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  switch (test) {
    case WordTest::kAtLeast: return fmt::format("a value of at least {} at 0x{:x}", value, place);
    case WordTest::kEqual: return fmt::format("the value {} at 0x{:x}", value, place);
    case WordTest::kAnyBit: return fmt::format("a value with a bit of 0x{:x} at 0x{:x}", value, place);
    case WordTest::kLeavesABit: break;
  }
  return fmt::format("a value with a bit clear outside of 0x{:x} at 0x{:x}", value, place);
}

void WordWatch::Look() {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    const auto word = Read(entry.word);
    if (!word || entry.word.Accepts(*word)) entry.notify->Signal();
  }
}

void WordWatch::Add(const AwaitedWord& word, Notify* notify) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back({word, notify});
    count_.store(entries_.size());
  }
  bell_.fetch_add(1);
  base::FutexWake(bell_, 1);
}

void WordWatch::Remove(const Notify* notify) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.notify == notify; });
  count_.store(entries_.size());
}

base::Result<std::unique_ptr<WordWait>> WordWait::Begin(OpContext& context, const AwaitedWord& word) {
  auto now = Read(word);
  if (!now) return tl::unexpected(std::move(now).error());
  if (word.Accepts(*now)) return nullptr;
  Scheduler& scheduler = context.scheduler();
  auto notify = scheduler.CreateNotify(context.stream().device, 0, {}, word.Describe());
  if (!notify) return tl::unexpected(std::move(notify).error());
  scheduler.awaited_words().Add(word, *notify);
  std::unique_ptr<WordWait> wait(new WordWait(word, *notify));
  now = Read(word);
  if (!now) return tl::unexpected(std::move(now).error());
  if (word.Accepts(*now)) return nullptr;
  return wait;
}

WordWait::~WordWait() {
  Scheduler* const scheduler = notify_->scheduler;
  scheduler->awaited_words().Remove(notify_);
  scheduler->DestroyNotify(notify_);
}

OpOutcome WordWait::Run(OpContext& context, const Op& op) {
  for (;;) {
    const OpOutcome outcome = notify_->Wait(context, op, base::kForever);
    if (outcome != OpOutcome::kDone) return outcome;
    auto word = Read(word_);
    if (!word) return context.Fail(std::move(word).error().While(fmt::format("waiting for {}", word_.Describe())));
    if (word_.Accepts(*word)) return OpOutcome::kDone;
  }
}

}  // namespace softhccl::exec
