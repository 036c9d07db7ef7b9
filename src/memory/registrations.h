// Ordinary host memory that the program has registered for devices. Here a device reaches all host memory anyway; the
// registry is what tells registered ranges from others, refuses a second registration, and lets the program's
// questions about a range be answered truthfully.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/status.h"

namespace softhccl::memory {

// Any thread. Created on first use, never destroyed.
class Registrations {
 public:
  static Registrations& Process();

  // Errors: kInvalidParam when the range overlaps a registered one or memory of this library, wraps around, or is not
  // mapped.
  base::Status Add(void* address, std::size_t size);
  // Errors: kInvalidParam when `address` is not the start of a registered range.
  base::Status Remove(void* address);
  // Whether `address` lies in a registered range.
  bool Holds(const void* address) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> ranges_;  // guarded by mutex_: begin -> size; disjoint
};

}  // namespace softhccl::memory
