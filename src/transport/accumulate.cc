// One lock per piece of address space, taken only if it is free: an op never waits, it asks for another turn.
#include "transport/accumulate.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/spin_lock.h"

namespace softhccl::transport {
namespace {

constexpr std::size_t kPiece = 16 * 1024;  // bytes; a few microseconds of work
constexpr std::size_t kLocks = 1024;       // pieces that share a lock disturb each other, nothing else

// A lock that is only ever tried. On a line of its own, because neighbours are used by other cores.
struct alignas(64) PieceLock {
  std::atomic<bool> taken{false};
  // Acquire and release: what the holder before wrote is seen by the next.
  bool Try() { return !taken.exchange(true, std::memory_order_acquire); }
  void Release() { taken.store(false, std::memory_order_release); }
};

PieceLock& LockOf(std::uintptr_t address) {
  static std::array<PieceLock, kLocks> locks;
  return locks[address / kPiece % kLocks];
}

}  // namespace

exec::OpOutcome AccumulateQuantum(std::byte* to, const std::byte* from, std::size_t size, const Reduction& reduction,
                                  std::uint64_t* done) {
  const std::size_t left = size - *done;
  if (left == 0) return exec::OpOutcome::kDone;
  const auto begin = reinterpret_cast<std::uintptr_t>(to) + *done;
  // All elements that begin in this piece; the last one may reach into the next.
  const std::size_t room = kPiece - begin % kPiece;
  const std::size_t element = reduction.element_size;
  const std::size_t count = std::min((room + element - 1) / element, left / element);
  PieceLock& lock = LockOf(begin);
  if (!lock.Try()) {
    base::CpuRelax();
    return exec::OpOutcome::kAgain;
  }
  reduction.apply(to + *done, from + *done, count);
  lock.Release();
  *done += count * element;
  return *done == size ? exec::OpOutcome::kDone : exec::OpOutcome::kAgain;
}

}  // namespace softhccl::transport
