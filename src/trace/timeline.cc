// One pass over the events in the order of time. Each row has a stack of open slices, so what comes out nests even
// when starts or ends are missing: those were dropped, or lie outside the recording, or the kernel outlived its op.
#include "trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/status.h"
#include "event/labels.h"

namespace softhccl::trace {
namespace {

using event::Event;
using event::Kind;

// Streams first, by id; then threads.
std::uint64_t RowKey(const Event& event) {
  return event.stream != event::kNoStream ? event.stream : (std::uint64_t{1} << 32) | event.thread;
}

bool IsShown(const Event& event) { return event.kind != Kind::kNone && event.kind != Kind::kSubmit; }

Row DescribeRow(std::uint64_t key, const std::vector<std::string>& thread_names) {
  const std::uint64_t thread = key & UINT32_MAX;
  if (key >> 32 != 0) {
    const bool has_name = thread < thread_names.size() && !thread_names[thread].empty();
    return {"threads", has_name ? thread_names[thread] : fmt::format("thread {}", thread)};
  }
  std::string label = event::GetLabel(event::LabelKind::kStream, key);
  const std::size_t slash = label.find('/');
  return {slash == std::string::npos ? "streams" : label.substr(0, slash), label};
}

class Builder {
 public:
  explicit Builder(const event::Recording& recording) : recording_(recording) {}

  Timeline Build(const std::vector<Event>& events) {
    if (events.empty()) return {};
    first_ = events.front().time;
    last_ = events.back().time - first_;
    MakeRows(events);
    timeline_.items.reserve(events.size());
    for (const Event& event : events) {
      if (IsShown(event)) Add(event);
    }
    for (auto& row : open_) CloseAbove(row, 0, last_);
    return std::move(timeline_);
  }

 private:
  using Index = std::size_t;

  void MakeRows(const std::vector<Event>& events) {
    std::map<std::uint64_t, std::uint32_t> ordered;
    for (const Event& event : events) {
      if (IsShown(event)) ordered.emplace(RowKey(event), 0);
    }
    for (const auto& entry : ordered) {
      row_of_[entry.first] = static_cast<std::uint32_t>(timeline_.rows.size());
      timeline_.rows.push_back(DescribeRow(entry.first, recording_.thread_names));
    }
    open_.resize(timeline_.rows.size());
  }

  void Add(const Event& event) {
    switch (event.kind) {
      case Kind::kOpStart:
      case Kind::kPark:
      case Kind::kKernelStart: Open(event); return;
      case Kind::kOpEnd: Close(event, Kind::kOpStart); return;
      case Kind::kResume: Close(event, Kind::kPark); return;
      case Kind::kKernelEnd: Close(event, Kind::kKernelStart); return;
      case Kind::kRecord: AddRecord(event); return;
      case Kind::kLostRecord: AddLostRecord(event); return;
      case Kind::kTake: AddTake(event); return;
      case Kind::kAlloc:
      case Kind::kFree: Push(event, Shape::kMark); return;
      case Kind::kNone:
      case Kind::kSubmit: return;
    }
  }

  Item& Push(const Event& event, Shape shape, const char* title = nullptr) {
    Item& item = timeline_.items.emplace_back();
    item.shape = shape;
    item.row = row_of_.at(RowKey(event));
    item.start = event.time - first_;
    item.event = event;
    item.title = title;
    return item;
  }

  void Open(const Event& event) {
    const Item& item = Push(event, Shape::kSlice);
    open_[item.row].push_back(timeline_.items.size() - 1);
  }

  void CloseAbove(std::vector<Index>& stack, std::size_t depth, std::int64_t now) {
    for (; stack.size() > depth; stack.pop_back()) {
      Item& item = timeline_.items[stack.back()];
      item.duration = now - item.start;
      item.unfinished = true;
    }
  }

  void Close(const Event& event, Kind start) {
    std::vector<Index>& stack = open_[row_of_.at(RowKey(event))];
    std::size_t depth = stack.size();
    for (; depth > 0; --depth) {
      const Event& begun = timeline_.items[stack[depth - 1]].event;
      if (begun.kind == start && begun.a == event.a) break;
    }
    if (depth == 0) {
      AddEndWithoutStart(event);
      return;
    }
    const std::int64_t now = event.time - first_;
    CloseAbove(stack, depth, now);
    Item& item = timeline_.items[stack.back()];
    item.duration = now - item.start;
    item.ended = true;
    item.result = event.b;
    stack.pop_back();
  }

  void AddEndWithoutStart(const Event& event) {
    const char* title = "kernel end without start";
    if (event.kind == Kind::kResume) title = "resume without wait";
    // An op that was skipped because of an earlier failure ends without ever having started.
    if (event.kind == Kind::kOpEnd) title = event.b != 0 ? "skipped op" : "op end without start";
    Item& item = Push(event, Shape::kMark, title);
    item.ended = true;
    item.result = event.b;
  }

  // Viewers attach an arrow to the slice around it; a record of a host thread has none.
  void EnsureSlice(const Event& event) {
    if (open_[row_of_.at(RowKey(event))].empty()) Push(event, Shape::kSlice);
  }

  void AddRecord(const Event& event) {
    EnsureSlice(event);
    Push(event, Shape::kMark, "unmatched record");  // until a take is found
    pending_[event.object].push_back(timeline_.items.size() - 1);
  }

  void AddLostRecord(const Event& event) {
    // The recorder learns of the loss after it said "record": one and the same record must not be shown twice.
    std::vector<Index>& pending = pending_[event.object];
    for (auto index = pending.rbegin(); index != pending.rend(); ++index) {
      Item& item = timeline_.items[*index];
      const Event& record = item.event;
      if (record.thread != event.thread || record.stream != event.stream || record.a != event.a) continue;
      item.title = "lost record";
      item.event = event;
      item.event.time = record.time;
      pending.erase(std::next(index).base());
      return;
    }
    Push(event, Shape::kMark, "lost record");
  }

  void AddTake(const Event& event) {
    std::vector<Index>& pending = pending_[event.object];
    if (pending.empty()) {
      Push(event, Shape::kMark, "take without record");
      return;
    }
    EnsureSlice(event);
    Item& tail = timeline_.items[pending.back()];
    pending.pop_back();
    tail.shape = Shape::kArrowTail;
    tail.title = nullptr;
    tail.arrow = ++arrows_;
    Push(event, Shape::kArrowHead).arrow = arrows_;
  }

  const event::Recording& recording_;
  Timeline timeline_;
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_;
  std::vector<std::vector<Index>> open_;                           // by row, outermost first
  std::unordered_map<std::uint64_t, std::vector<Index>> pending_;  // by notify: records that no take had yet
  std::uint64_t arrows_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

bool Earlier(const Event& left, const Event& right) { return left.time < right.time; }

}  // namespace

Timeline BuildTimeline(const event::Recording& recording) {
  Builder builder(recording);
  if (std::is_sorted(recording.events.begin(), recording.events.end(), Earlier)) {
    return builder.Build(recording.events);
  }
  std::vector<Event> sorted = recording.events;
  std::stable_sort(sorted.begin(), sorted.end(), Earlier);
  return builder.Build(sorted);
}

}  // namespace softhccl::trace
