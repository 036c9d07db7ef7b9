// What is measured: the same list for the operator and for MPI, so that every row of the table has both. "pair": one
// message at a time, the sender goes on after the receiver's signal. "window": that many messages are queued, then one
// wait; its bandwidth or, for small messages, its rate is what counts.
#pragma once

#include <cstddef>

namespace softhccl::bench {

struct Case {
  const char* kind;   // "pair", "window" or "rate"
  std::size_t bytes;  // of one message
  int window;         // messages before a wait
};

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;
inline constexpr std::size_t kLargestBytes = 16 * kMiB;
inline constexpr int kLargestWindow = 64;

inline constexpr Case kCases[] = {
    {"pair", 0, 1},
    {"pair", 8, 1},
    {"pair", 256, 1},
    {"pair", 4 * kKiB, 1},
    {"pair", 64 * kKiB, 1},
    {"pair", kMiB, 1},
    {"window", 4 * kKiB, kLargestWindow},
    {"window", 64 * kKiB, kLargestWindow},
    {"window", kMiB, kLargestWindow},
    {"window", 4 * kMiB, 16},
    {"window", kLargestBytes, 16},
    {"rate", 8, kLargestWindow},
};

}  // namespace softhccl::bench
