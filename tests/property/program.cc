// From genes to a program without races.
#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace softhccl::property {
namespace {

using Clock = std::vector<int>;  // per thread of all ranks: how many of its steps are known to be done

constexpr std::array<int, 8> kTypes = {0, 1, 2, 5, 6, 7, 8, 9};  // int8 to int64 and unsigned, see HcommDataType

class Builder {
 public:
  explicit Builder(int ranks)
      : ranks_(ranks),
        clocks_(static_cast<std::size_t>(ranks * kThreads), Clock(static_cast<std::size_t>(ranks * kThreads), 0)),
        cells_(static_cast<std::size_t>(ranks * kCells)) {
    program_.ranks = ranks;
  }

  void Add(const Gene& gene) {
    Step step;
    step.kind = static_cast<Kind>(gene[0] % 8);
    const int self = gene[1] % (ranks_ * kThreads);
    step.rank = self / kThreads;
    step.thread = self % kThreads;
    step.peer = (step.rank + 1 + gene[2] % (ranks_ - 1)) % ranks_;
    step.cells = gene[5] % 4;
    step.dst = gene[3] % (kCells - step.cells);
    step.src = gene[4] % (kCells - step.cells);
    step.data_type = kTypes[gene[6] % kTypes.size()];
    step.reduce_op = gene[6] / kTypes.size() % 4;
    const bool is_local = step.kind == Kind::kCopy || step.kind == Kind::kReduce;
    if (is_local && std::abs(step.dst - step.src) < step.cells && step.dst != step.src) step.src = step.dst;
    const bool is_read = step.kind == Kind::kRead || step.kind == Kind::kReadReduce;
    const int written_rank = is_local || is_read ? step.rank : step.peer;
    const int read_rank = is_read ? step.peer : step.rank;
    // When the notifies are used up, the operation is left out; the steps put in for it are harmless.
    if (Order(self, read_rank, step.src, step.cells, false) && Order(self, written_rank, step.dst, step.cells, true)) {
      AddOperation(self, step, gene[7] % kThreads);
    }
  }

  Program Take() { return std::move(program_); }

 private:
  struct Access {
    int thread = -1;
    int number = 0;
  };
  struct Cell {
    Access written;
    std::vector<Access> read;
  };
  // Where a notify lies: a thread's own (rank, thread, -1) or one end of a channel (rank, -1, peer).
  using Place = std::tuple<int, int, int>;

  Cell& CellAt(int rank, int cell) { return cells_[static_cast<std::size_t>(rank * kCells + cell)]; }
  Clock& ClockOf(int thread) { return clocks_[static_cast<std::size_t>(thread)]; }
  int& Own(int thread) { return ClockOf(thread)[static_cast<std::size_t>(thread)]; }
  bool Knows(int thread, const Access& access) {
    return access.thread < 0 || ClockOf(thread)[static_cast<std::size_t>(access.thread)] >= access.number;
  }

  int Append(int thread, Step step) {
    step.rank = thread / kThreads;
    step.thread = thread % kThreads;
    program_.steps.push_back(step);
    return ++Own(thread);
  }

  // The lowest notify of `place` whose last wait both know to be done: a record before it would be lost, and a wait
  // before it could take the record that was meant for it.
  std::optional<int> FreeNotify(const Place& place, int recorder, int waiter) {
    std::vector<Access>& waits = waits_[place];
    waits.resize(kNotifies);
    for (int i = 0; i < kNotifies; ++i) {
      const Access& last = waits[static_cast<std::size_t>(i)];
      if (Knows(recorder, last) && Knows(waiter, last)) return i;
    }
    return std::nullopt;
  }

  void AppendWait(int thread, const Place& place, Step wait, int recorder) {
    const int number = Append(thread, wait);
    waits_[place][static_cast<std::size_t>(wait.notify)] = {thread, number};
    Clock& clock = ClockOf(thread);
    const Clock& theirs = ClockOf(recorder);
    for (std::size_t i = 0; i < clock.size(); ++i) {
      if (static_cast<int>(i) != thread) clock[i] = std::max(clock[i], theirs[i]);
    }
  }

  // Makes everything that `from` has done come before what `to` does next.
  bool Synchronise(int from, int to) {
    const int from_rank = from / kThreads;
    const int to_rank = to / kThreads;
    const bool is_same_rank = from_rank == to_rank;
    const Place place = is_same_rank ? Place{to_rank, to % kThreads, -1} : Place{to_rank, -1, from_rank};
    const std::optional<int> notify = FreeNotify(place, from, to);
    if (!notify) return false;
    Step record;
    record.kind = is_same_rank ? Kind::kThreadRecord : Kind::kChannelRecord;
    record.peer = is_same_rank ? to % kThreads : to_rank;
    record.notify = *notify;
    Append(from, record);
    Step wait;
    wait.kind = is_same_rank ? Kind::kThreadWait : Kind::kChannelWait;
    wait.peer = from_rank;
    wait.notify = *notify;
    AppendWait(to, place, wait, from);
    return true;
  }

  bool Order(int self, int rank, int first, int cells, bool is_write) {
    for (int i = first; i < first + cells; ++i) {
      const Cell cell = CellAt(rank, i);
      if (!Knows(self, cell.written) && !Synchronise(cell.written.thread, self)) return false;
      if (!is_write) continue;
      for (const Access& read : cell.read) {
        if (!Knows(self, read) && !Synchronise(read.thread, self)) return false;
      }
    }
    return true;
  }

  void AddOperation(int self, Step step, int waiting_thread) {
    const bool has_notify = step.kind == Kind::kWriteNotify || step.kind == Kind::kWriteReduceNotify;
    const Place place{step.peer, -1, step.rank};
    const int waiter = step.peer * kThreads + waiting_thread;
    if (has_notify) {
      const std::optional<int> notify = FreeNotify(place, self, waiter);
      if (!notify) return;
      step.notify = *notify;
    }
    const int number = Append(self, step);
    const bool is_local = step.kind == Kind::kCopy || step.kind == Kind::kReduce;
    const bool is_read = step.kind == Kind::kRead || step.kind == Kind::kReadReduce;
    for (int i = 0; i < step.cells; ++i) {
      CellAt(is_read ? step.peer : step.rank, step.src + i).read.push_back({self, number});
      Cell& written = CellAt(is_local || is_read ? step.rank : step.peer, step.dst + i);
      written.written = {self, number};
      written.read.clear();
    }
    if (has_notify) {
      Step wait;
      wait.kind = Kind::kChannelWait;
      wait.peer = step.rank;
      wait.notify = step.notify;
      AppendWait(waiter, place, wait, self);
    }
  }

  const int ranks_;
  Program program_;
  std::vector<Clock> clocks_;
  std::vector<Cell> cells_;
  std::map<Place, std::vector<Access>> waits_;  // of every notify: who waited last
};

}  // namespace

Program MakeProgram(int ranks, const std::vector<Gene>& genes) {
  Builder builder(ranks);
  for (const Gene& gene : genes) builder.Add(gene);
  return builder.Take();
}

std::string Describe(const Step& step) {
  static constexpr const char* kNames[] = {"copy",          "reduce",      "write",          "write+reduce",
                                           "read",          "read+reduce", "write+notify",   "write+reduce+notify",
                                           "thread record", "thread wait", "channel record", "channel wait"};
  return fmt::format("rank {} thread {}: {} peer {} dst {} src {} cells {} type {} op {} notify {}", step.rank,
                     step.thread, kNames[static_cast<int>(step.kind)], step.peer, step.dst, step.src, step.cells,
                     step.data_type, step.reduce_op, step.notify);
}

}  // namespace softhccl::property
