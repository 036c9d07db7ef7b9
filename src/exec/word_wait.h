// Waiting until a word of memory has a value. Anybody may write the word, an op as well as a kernel or the program, and
// nobody says so; it is therefore looked at after every op that ends, and every millisecond by the watch. A stream that
// waits parks on a notify of its own, so that limits, aborts and reports treat it like every other wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "exec/op.h"

namespace softhccl::exec {

class Notify;

// Which words end a wait for `value`.
enum class WordTest : std::uint8_t {
  kAtLeast = 0,  // their distance from `value`, as a signed number, is not negative
  kEqual,
  kAnyBit,      // they have a bit of `value`
  kLeavesABit,  // a bit is clear in both
};

struct AwaitedWord {
  const void* address = nullptr;  // a multiple of 8
  std::uint64_t value = 0;
  WordTest test = WordTest::kAtLeast;

  bool Accepts(std::uint64_t word) const;
  // "a value of at least 5 at 0x7f0012340000".
  std::string Describe() const;
};

// The words that parked streams wait for. Any thread.
class WordWatch {
 public:
  // A hint: nobody waits. One load, because it is asked after every op.
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }  // whoever misses one looks again soon
  // Signals the notifies whose word is accepted now, or cannot be read any more.
  void Look();

  // `notify` is signalled until it is removed.
  void Add(const AwaitedWord& word, Notify* notify);
  void Remove(const Notify* notify);

  // A futex that changes when a word is added.
  std::atomic<std::uint32_t>& bell() { return bell_; }

 private:
  struct Entry {
    AwaitedWord word;
    Notify* notify = nullptr;
  };
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint32_t> bell_{0};
  std::mutex mutex_;
  std::vector<Entry> entries_;  // guarded by mutex_
};

// The wait of one op, from the moment that its word was not accepted. Used by the executor of its stream.
class WordWait {
 public:
  // Null when the word is accepted. Errors: kInvalidParam when it cannot be read; kOutOfMemory, kUnavailable.
  static base::Result<std::unique_ptr<WordWait>> Begin(OpContext& context, const AwaitedWord& word);
  ~WordWait();
  WordWait(const WordWait&) = delete;
  WordWait& operator=(const WordWait&) = delete;

  // One step; again after a suspension. Everything but kSuspended is the end.
  OpOutcome Run(OpContext& context, const Op& op);

 private:
  WordWait(const AwaitedWord& word, Notify* notify) : word_(word), notify_(notify) {}

  const AwaitedWord word_;
  Notify* const notify_;
};

}  // namespace softhccl::exec
