// A ticket names one suspension of one stream. Whoever completes what the stream waits for hands it to
// Scheduler::Resume; a ticket of an earlier suspension is recognised and ignored.
#pragma once

#include <cstdint>

namespace softhccl::exec {

// stream index:24 | sequence:38 | tag:2 (always 0b10). Fits a notify word beside the values clear (0) and set (1).
struct Ticket {
  std::uint64_t value = 0;

  static Ticket Make(std::uint32_t stream_index, std::uint64_t sequence) {
    return Ticket{(static_cast<std::uint64_t>(stream_index) << 40) | ((sequence & kSequenceMask) << 2) | 2u};
  }
  static bool IsTicket(std::uint64_t word) { return (word & 3u) == 2u; }
  std::uint32_t stream_index() const { return static_cast<std::uint32_t>(value >> 40); }
  std::uint64_t sequence() const { return (value >> 2) & kSequenceMask; }
  bool operator==(const Ticket&) const = default;

  static constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << 38) - 1;
};

// Why a suspended op runs again.
enum class ResumeCode : std::uint8_t {
  kNone = 0,   // first run
  kSignalled,  // look again: what it waits for may be there
  kTimeout,    // its deadline passed
  kAborted,    // its communicator was aborted
  kDeadlock,   // it belongs to a deadlock
};

}  // namespace softhccl::exec
