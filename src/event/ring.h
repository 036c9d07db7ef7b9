// Where events go: each OS thread that takes part appends to a ring of its own, without locks. The one thread-local
// pointer is null while nobody listens, so an emit site is one load and one predicted branch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "event/event.h"

namespace softhccl::event {

class Ring;  // chunks of events, single writer; defined in ring.cc

// initial-exec: one instruction to reach it, also from a library that was opened with dlopen. constinit: no call of a
// wrapper that looks for an initialiser.
extern constinit thread_local Ring* t_ring __attribute__((tls_model("initial-exec")));

void Append(Ring* ring, Kind kind, std::uint32_t stream, std::uint64_t object, std::uint64_t a, std::uint64_t b);

// Records one event of the calling thread if somebody listens.
inline void Emit(Kind kind, std::uint32_t stream, std::uint64_t object, std::uint64_t a = 0, std::uint64_t b = 0) {
  if (__builtin_expect(t_ring != nullptr, 0)) Append(t_ring, kind, stream, object, a, b);
}

// Gives the calling thread a ring when recording is on. Cheap to repeat; every thread of the runtime calls it at
// start, every host thread when it enters the control plane. `name` is shown in traces ("worker 0", "host").
void AttachThread(const char* name);

// Recording on or off for the process. Start keeps at most `limit` events in total; later ones are counted and
// dropped, never blocking. Stop detaches nobody: rings of running threads stay valid, further events are dropped.
void StartRecording(std::uint64_t limit);
void StopRecording();
bool IsRecording();

// What was recorded since StartRecording: events of all threads in the order of time, thread names by thread id,
// and the number of dropped events. May run while others still append; it sees a consistent prefix.
struct Recording {
  std::vector<Event> events;
  std::vector<std::string> thread_names;
  std::uint64_t dropped = 0;
};
Recording Collect();

}  // namespace softhccl::event
