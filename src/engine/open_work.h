// Whether anybody may hold what it has looked up for ops that it has not submitted yet: a batch that is open, or a
// kernel that runs. What such ops name must not be freed before they are on their streams.
#pragma once

#include <atomic>

namespace softhccl::engine {

inline std::atomic<int> g_open_work{0};

// A batch or a kernel begins (+1), before it looks anything up, or ends (-1), after its ops are submitted.
inline void CountOpenWork(int change) { g_open_work.fetch_add(change); }
inline bool HasOpenWork() { return g_open_work.load() != 0; }

}  // namespace softhccl::engine
