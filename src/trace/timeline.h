// A recording as a person looks at it: rows with slices that nest, arrows from records to takes, and marks for what
// went wrong. It knows no file format; chrome_trace.cc writes one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/ring.h"

namespace softhccl::trace {

// One per stream, then one per thread for the events that belong to no stream.
struct Row {
  std::string group;  // the label up to its first '/', or "streams", or "threads"
  std::string label;
};

enum class Shape : std::uint8_t {
  kSlice,
  kMark,       // a point in time that needs a name of its own
  kArrowTail,  // at the record
  kArrowHead,  // at the take
};

struct Item {
  Shape shape = Shape::kSlice;
  bool unfinished = false;  // the slice's end is not in the recording
  bool ended = false;       // `result` is valid
  std::uint32_t row = 0;
  std::int64_t start = 0;  // nanoseconds since the first event
  std::int64_t duration = 0;
  event::Event event{};         // the one that began the slice, or that the mark or arrow stands for
  std::uint64_t result = 0;     // b of the event that ended the slice
  std::uint64_t arrow = 0;      // the same number at tail and head
  const char* title = nullptr;  // of a mark; null: the event's own name
};

// Items are in the order of `start`; a slice comes before the slices inside it. A take is served by the latest
// record on its notify that no earlier take had.
struct Timeline {
  std::vector<Row> rows;
  std::vector<Item> items;
};

// Labels are read from the label table. The events need not be sorted.
Timeline BuildTimeline(const event::Recording& recording);

}  // namespace softhccl::trace
