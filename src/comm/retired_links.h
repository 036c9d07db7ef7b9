// Links whose channel is gone while ops that hold their address may still be queued: on a user's stream, or on a thread
// that outlives the channel. They are freed when everything that was queued at that time is done. Ops that are not
// queued yet count too: while a batch is open or a kernel runs, which may hold the address, nothing is freed, and no
// link that a graph holds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "transport/link.h"

namespace softhccl::comm {

// Every stream of the process (handles).
std::vector<std::uint64_t> AllStreams();

// Keeps `links` until the streams `users` (handles) have done what was submitted to them before now, and what
// batches and kernels that are open now, and graphs that hold them, submit yet; frees earlier ones that nobody can use
// any more. Any thread.
void RetireLinks(std::vector<std::unique_ptr<transport::Link>> links, const std::vector<std::uint64_t>& users);
// Frees those that nobody can use any more, for instance because a graph is gone.
void FreeRetiredLinks();

}  // namespace softhccl::comm
