// Writes a timeline as Chrome trace JSON. Traces reach gigabytes, so the text is appended to one string directly;
// only label texts, each once, go through the JSON library, which knows how to quote what users call things.
#include "trace/chrome_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/os.h"
#include "event/labels.h"
#include "trace/timeline.h"

namespace softhccl::trace {
namespace {

using event::Kind;

// With the quotation marks. Bytes that are no UTF-8 become replacement characters: a viewer refuses the whole file
// for one of them.
std::string Quote(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline) : timeline_(timeline) {}

  std::string Write(const event::Recording& recording) {
    out_.reserve(256 + timeline_.items.size() * 192);
    out_ += "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    WriteRows();
    for (const Item& item : timeline_.items) WriteItem(item);
    out_ += fmt::format("\n],\"otherData\":{{\"events\":{},\"dropped\":{}}}}}\n", recording.events.size(),
                        recording.dropped);
    return std::move(out_);
  }

 private:
  struct Place {
    std::size_t pid;
    std::size_t tid;
  };

  template <typename... Args>
  void Append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void Begin() {
    out_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
  }

  // Numbers of our own from 1 on: some viewers take 0 for the idle task.
  void WriteRows() {
    std::map<std::string, std::size_t> pids;
    for (const Row& row : timeline_.rows) {
      const auto [group, is_new] = pids.emplace(row.group, pids.size() + 1);
      const Place place{group->second, places_.size() + 1};
      places_.push_back(place);
      if (is_new) WriteName("process_name", place, row.group);
      WriteName("thread_name", place, row.label);
      Begin();
      Append("{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{},\"tid\":{},\"args\":{{\"sort_index\":{}}}}}",
             place.pid, place.tid, place.tid);
    }
  }

  void WriteName(const char* what, const Place& place, const std::string& name) {
    Begin();
    Append("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", what, place.pid,
           place.tid, Quote(name));
  }

  void WriteItem(const Item& item) {
    Begin();
    switch (item.shape) {
      case Shape::kSlice: out_ += "{\"ph\":\"X\","; break;
      case Shape::kMark: out_ += "{\"ph\":\"i\",\"s\":\"t\","; break;
      case Shape::kArrowTail: Append("{{\"ph\":\"s\",\"id\":{},", item.arrow); break;
      case Shape::kArrowHead: Append("{{\"ph\":\"f\",\"bp\":\"e\",\"id\":{},", item.arrow); break;
    }
    WriteTitle(item);
    const Place& place = places_[item.row];
    Append(",\"pid\":{},\"tid\":{},\"ts\":", place.pid, place.tid);
    WriteMicros(item.start);
    if (item.shape == Shape::kSlice) {
      out_ += ",\"dur\":";
      WriteMicros(item.duration);
    }
    WriteArguments(item);
    out_ += '}';
  }

  // Exact, where a double would round the nanoseconds of a long trace.
  void WriteMicros(std::int64_t nanos) { Append("{}.{:03}", nanos / 1000, nanos % 1000); }

  void WriteTitle(const Item& item) {
    // Tail and head of an arrow are matched by category, name and id together.
    if (item.shape == Shape::kArrowTail || item.shape == Shape::kArrowHead) {
      Append("\"cat\":\"notify\",\"name\":{}", Label(event::LabelKind::kNotify, item.event.object));
      return;
    }
    if (item.title != nullptr) {
      Append("\"cat\":\"mark\",\"name\":\"{}\"", item.title);
      return;
    }
    switch (item.event.kind) {
      case Kind::kPark: out_ += "\"cat\":\"wait\",\"name\":\"wait\""; return;
      case Kind::kRecord: out_ += "\"cat\":\"notify\",\"name\":\"record\""; return;
      case Kind::kTake: out_ += "\"cat\":\"notify\",\"name\":\"take\""; return;
      case Kind::kAlloc: out_ += "\"cat\":\"memory\",\"name\":\"alloc\""; return;
      case Kind::kFree: out_ += "\"cat\":\"memory\",\"name\":\"free\""; return;
      default: break;
    }
    Append("\"cat\":\"{}\",\"name\":{}", item.event.kind == Kind::kKernelStart ? "kernel" : "op",
           Label(event::LabelKind::kName, item.event.object));
  }

  void WriteArguments(const Item& item) {
    const event::Event& event = item.event;
    out_ += ",\"args\":{";
    switch (event.kind) {
      case Kind::kOpStart:
        Append("\"submission\":{},\"bytes\":{}", event.a, event.b);
        if (item.ended) WriteOutcome(item.result);
        break;
      case Kind::kOpEnd:
        Append("\"op\":{},\"submission\":{}", Label(event::LabelKind::kName, event.object), event.a);
        WriteOutcome(item.result);
        break;
      case Kind::kPark:
      case Kind::kResume:
        Append("\"submission\":{}", event.a);
        // Kernels, links and events park without a notify.
        if (event.object != 0) Append(",\"notify\":{}", Label(event::LabelKind::kNotify, event.object));
        if (item.ended) Append(",\"resume code\":{}", item.result);
        break;
      case Kind::kKernelStart:
        Append("\"invocation\":{}", event.a);
        if (item.ended) Append(",\"returned\":{}", static_cast<std::int64_t>(item.result));
        break;
      case Kind::kKernelEnd:
        Append("\"kernel\":{},\"invocation\":{},\"returned\":{}", Label(event::LabelKind::kName, event.object), event.a,
               static_cast<std::int64_t>(item.result));
        break;
      case Kind::kAlloc:
      case Kind::kFree:
        // As text: JSON numbers of most readers are doubles, which cannot hold an address.
        Append("\"device\":{},\"address\":\"{:#x}\",\"bytes\":{}", static_cast<std::int64_t>(event.object), event.a,
               event.b);
        break;
      default:
        Append("\"submission\":{},\"notify\":{}", event.a, Label(event::LabelKind::kNotify, event.object));
        break;
    }
    if (item.unfinished) out_ += ",\"unfinished\":true";
    out_ += '}';
  }

  void WriteOutcome(std::uint64_t outcome) {
    if (outcome <= static_cast<std::uint64_t>(base::Code::kInternal)) {
      Append(",\"outcome\":\"{}\"", base::CodeName(static_cast<base::Code>(outcome)));
    } else {
      Append(",\"outcome\":{}", outcome);
    }
  }

  const std::string& Label(event::LabelKind kind, std::uint64_t id) {
    auto& labels = kind == event::LabelKind::kName ? names_ : notifies_;
    const auto found = labels.find(id);
    if (found != labels.end()) return found->second;
    return labels.emplace(id, Quote(event::GetLabel(kind, id))).first->second;
  }

  const Timeline& timeline_;
  std::string out_;
  bool is_first_ = true;
  std::vector<Place> places_;                                // by row
  std::unordered_map<std::uint64_t, std::string> names_;     // quoted
  std::unordered_map<std::uint64_t, std::string> notifies_;  // quoted
};

base::Status FileFailure(const char* doing, const std::string& path, int error) {
  return base::Fail(base::Code::kFileError, "cannot {} trace file {}: {}", doing, path, std::strerror(error));
}

base::Status WriteAll(int fd, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t part = ::write(fd, text.data() + done, text.size() - done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return FileFailure("write", path, errno);
    done += static_cast<std::size_t>(part);
  }
  return {};
}

}  // namespace

std::string ToChromeJson(const event::Recording& recording) {
  const Timeline timeline = BuildTimeline(recording);
  return Writer(timeline).Write(recording);
}

base::Status WriteChromeTrace(const event::Recording& recording, const std::string& path) {
  static std::atomic<unsigned> serial{0};
  const std::string temporary = fmt::format("{}.{}.{}.part", path, ::getpid(), serial.fetch_add(1));
  base::UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return FileFailure("create", temporary, errno);
  base::Status status = WriteAll(fd.get(), ToChromeJson(recording), temporary);
  fd.Reset();
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) status = FileFailure("put in place", path, errno);
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace softhccl::trace
