// The rings behind ring.h. Every thread owns one list of chunks that only it writes; a counter, stored with release
// after each event, is all that a collector needs to read the part that is finished. Rings live in a registry that is
// never destroyed, so that the events of threads that ended are kept and late threads find it at process exit.
#include "event/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <queue>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace softhccl::event {
namespace {

constexpr std::uint64_t kChunkEvents = 4096;
// Events that a ring takes from the common budget at once, so that writers do not meet on one cache line per event.
constexpr std::uint64_t kBudgetBatch = 64;
constexpr std::size_t kMaxRings = UINT16_MAX;  // Event::thread has 16 bits

// From one StartRecording to the next. Never freed: a writer may hold on to the pointer for as long as it likes.
struct Session {
  explicit Session(std::uint64_t most) : limit(most) {}

  const std::uint64_t limit;
  std::atomic<std::uint64_t> reserved{0};

  // The part of `want` events that still fits under the limit.
  std::uint64_t Reserve(std::uint64_t want) {
    // relaxed: only the sum matters, no other data depends on it.
    std::uint64_t before = reserved.load(std::memory_order_relaxed);
    std::uint64_t granted = 0;
    do {
      granted = std::min(want, limit - before);
      if (granted == 0) return 0;
    } while (!reserved.compare_exchange_weak(before, before + granted, std::memory_order_relaxed));
    return granted;
  }
};

struct Chunk {
  Event events[kChunkEvents];
  Chunk* next;  // written before the counter passes this chunk, read only after that
};

base::Nanos Now() { return base::SteadyClock().Now(); }

}  // namespace

// One per thread. Append is called by the owning thread only; everything that says "under the registry's mutex" may
// be called by any thread that holds it. The owner changes the session only under the mutex, so it may read it without.
class Ring {
 public:
  Ring(std::uint16_t id, Session* session, const char* name) : id_(id), session_(session), name_(name) {}
  ~Ring() { FreeChunks(); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void Append(Session* session, Kind kind, std::uint32_t stream, std::uint64_t object, std::uint64_t a,
              std::uint64_t b);

  // Under the registry's mutex, by the owner or while there is none: forgets the events of an earlier session.
  void Restart(Session* session);
  // Under the registry's mutex: the ring's thread is gone, its events stay.
  void MarkEnded() { ended_ = true; }
  void Adopt(Session* session, const char* name);

  // Under the registry's mutex: appends to `events` those not later than `until`, returns the number of drops.
  std::uint64_t CopyTo(std::vector<Event>& events, base::Nanos until) const;

  bool ended() const { return ended_; }
  const Session* session() const { return session_; }
  const std::string& name() const { return name_; }

 private:
  Event* NextSlot(std::uint64_t count);
  void FreeChunks();

  const std::uint16_t id_;
  bool ended_ = false;
  Session* session_;
  std::string name_;
  Chunk* head_ = nullptr;
  Chunk* tail_ = nullptr;
  std::uint64_t budget_ = 0;  // reserved from the session and not yet used
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Ring>> rings;        // by thread id
  std::vector<std::unique_ptr<Session>> sessions;  // the last one is what Collect reads
  bool warned_of_ids = false;
};

Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

// Null while stopped.
std::atomic<Session*> g_session{nullptr};

thread_local bool t_ended = false;

// Says that the thread ends; a later emit from another thread-local destructor finds no ring.
struct EndMark {
  ~EndMark() {
    t_ended = true;
    Ring* ring = std::exchange(t_ring, nullptr);
    if (ring == nullptr) return;
    std::lock_guard lock(TheRegistry().mutex);
    ring->MarkEnded();
  }
  void Arm() {}
};
thread_local EndMark t_end_mark;

}  // namespace

constinit thread_local Ring* t_ring = nullptr;

Event* Ring::NextSlot(std::uint64_t count) {
  const std::uint64_t index = count % kChunkEvents;
  if (index != 0) return &tail_->events[index];
  Chunk* chunk = new (std::nothrow) Chunk;
  if (chunk == nullptr) return nullptr;
  chunk->next = nullptr;
  if (tail_ == nullptr) {
    head_ = chunk;
  } else {
    tail_->next = chunk;
  }
  tail_ = chunk;
  return &chunk->events[0];
}

void Ring::Append(Session* session, Kind kind, std::uint32_t stream, std::uint64_t object, std::uint64_t a,
                  std::uint64_t b) {
  if (session_ != session) {
    std::lock_guard lock(TheRegistry().mutex);
    Restart(session);
  }
  if (budget_ == 0) budget_ = session->Reserve(kBudgetBatch);
  // relaxed: this thread is the only writer of both counters.
  const std::uint64_t count = published_.load(std::memory_order_relaxed);
  Event* slot = budget_ == 0 ? nullptr : NextSlot(count);
  if (slot == nullptr) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  --budget_;
  *slot = Event{Now(), kind, id_, stream, object, a, b, count, {0, 0}};
  // release: partner is the acquire in CopyTo; makes the event, and the chunk it is in, visible with the count.
  published_.store(count + 1, std::memory_order_release);
}

void Ring::Restart(Session* session) {
  FreeChunks();
  session_ = session;
  budget_ = 0;
  // relaxed: readers hold the mutex that the caller holds.
  published_.store(0, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
}

void Ring::Adopt(Session* session, const char* name) {
  Restart(session);
  name_ = name;
  ended_ = false;
}

std::uint64_t Ring::CopyTo(std::vector<Event>& events, base::Nanos until) const {
  // acquire: partner is the release in Append.
  std::uint64_t left = published_.load(std::memory_order_acquire);
  const std::size_t first = events.size();
  events.reserve(first + left);
  // The writer's pointers are read only where the counter says that they are final.
  const Chunk* chunk = left > 0 ? head_ : nullptr;
  while (chunk != nullptr) {
    const std::uint64_t part = std::min(left, kChunkEvents);
    events.insert(events.end(), chunk->events, chunk->events + part);
    left -= part;
    chunk = left > 0 ? chunk->next : nullptr;
  }
  while (events.size() > first && events.back().time > until) events.pop_back();
  return dropped_.load(std::memory_order_relaxed);  // relaxed: a statistic
}

void Ring::FreeChunks() {
  while (head_ != nullptr) delete std::exchange(head_, head_->next);
  tail_ = nullptr;
}

void Append(Ring* ring, Kind kind, std::uint32_t stream, std::uint64_t object, std::uint64_t a, std::uint64_t b) {
  // acquire: partner is the release in StartRecording; the session's limit must be visible.
  Session* session = g_session.load(std::memory_order_acquire);
  if (session == nullptr) return;
  ring->Append(session, kind, stream, object, a, b);
}

void AttachThread(const char* name) {
  if (t_ring != nullptr || !IsRecording() || t_ended) return;
  Registry& registry = TheRegistry();
  std::unique_lock lock(registry.mutex);
  // relaxed: StartRecording stores it under the mutex held here.
  Session* session = g_session.load(std::memory_order_relaxed);
  if (session == nullptr) return;
  t_end_mark.Arm();
  // A ring whose thread ended in an earlier recording serves again, so that ids stay small.
  for (const auto& ring : registry.rings) {
    if (!ring->ended() || ring->session() == session) continue;
    ring->Adopt(session, name);
    t_ring = ring.get();
    return;
  }
  if (registry.rings.size() < kMaxRings) {
    const auto id = static_cast<std::uint16_t>(registry.rings.size());
    registry.rings.push_back(std::make_unique<Ring>(id, session, name));
    t_ring = registry.rings.back().get();
    return;
  }
  if (std::exchange(registry.warned_of_ids, true)) return;
  lock.unlock();
  base::Log(base::LogLevel::kWarning,
            fmt::format("event recording: more than {} threads took part; the events of further threads, first of "
                        "\"{}\", are missing. Record a shorter part of the program",
                        kMaxRings, name));
}

void StartRecording(std::uint64_t limit) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  registry.sessions.push_back(std::make_unique<Session>(limit));
  // Nobody will append to these again, so their memory would stay until the id is reused.
  for (const auto& ring : registry.rings) {
    if (ring->ended()) ring->Restart(nullptr);
  }
  // release: partner is the acquire in Append.
  g_session.store(registry.sessions.back().get(), std::memory_order_release);
}

void StopRecording() {
  std::lock_guard lock(TheRegistry().mutex);
  // relaxed: a writer that sees it late appends one more event, which does no harm.
  g_session.store(nullptr, std::memory_order_relaxed);
}

// relaxed: a hint; whoever acts on it looks again.
bool IsRecording() { return g_session.load(std::memory_order_relaxed) != nullptr; }

namespace {

// Merges parts of `events`, each in the order of time and ending at the index in `ends`. Equal times keep the order
// of the parts.
std::vector<Event> MergeByTime(const std::vector<Event>& events, const std::vector<std::size_t>& ends) {
  struct Cursor {
    std::int64_t time;
    std::size_t at;
    std::size_t end;
  };
  const auto later = [](const Cursor& left, const Cursor& right) {
    return left.time != right.time ? left.time > right.time : left.at > right.at;
  };
  std::priority_queue<Cursor, std::vector<Cursor>, decltype(later)> queue(later);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (begin < end) queue.push({events[begin].time, begin, end});
    begin = end;
  }
  std::vector<Event> merged;
  merged.reserve(events.size());
  while (!queue.empty()) {
    Cursor cursor = queue.top();
    queue.pop();
    merged.push_back(events[cursor.at]);
    if (++cursor.at == cursor.end) continue;
    cursor.time = events[cursor.at].time;
    queue.push(cursor);
  }
  return merged;
}

}  // namespace

Recording Collect() {
  Recording recording;
  std::vector<Event> events;
  std::vector<std::size_t> ends;
  {
    Registry& registry = TheRegistry();
    std::lock_guard lock(registry.mutex);
    if (registry.sessions.empty()) return recording;
    const Session* session = registry.sessions.back().get();
    // Taken before the first counter is read: an event that was published too late to be seen in one ring cannot have
    // a consequence with an earlier time in a ring that is read later. So no effect is returned without its cause.
    const base::Nanos until = Now();
    for (const auto& ring : registry.rings) {
      const bool takes_part = ring->session() == session;
      recording.thread_names.push_back(takes_part ? ring->name() : std::string());
      if (takes_part) recording.dropped += ring->CopyTo(events, until);
      ends.push_back(events.size());
    }
  }
  recording.events = MergeByTime(events, ends);
  return recording;
}

}  // namespace softhccl::event
