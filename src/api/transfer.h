// One transfer of the data plane as its arguments describe it. Reads and writes come in a dozen C functions and seven
// kinds of batch entries; the checks and the op are the same for all, and are here.
#pragma once

#include <cstdint>
#include <optional>

#include "api/data_plane.h"

namespace softhccl::api {

enum class Verb { kRead, kWrite };

struct Transfer {
  Verb verb = Verb::kWrite;
  void* dst = nullptr;
  const void* src = nullptr;
  std::uint64_t amount = 0;  // bytes; elements with a reduction
  struct Combination {
    int data_type;
    int op;
  };
  std::optional<Combination> reduce;
  std::optional<std::uint32_t> notify;  // the peer's, recorded when the data is there
  bool may_be_empty = true;
  bool is_remote = true;  // false: in local memory, for the rules of products
};

// What follows from the arguments alone.
struct Extent {
  const transport::Reduction* reduction = nullptr;
  std::uint64_t bytes = 0;
};

// Nulls, then type and operator, then sizes. Errors: kNullPointer, kInvalidParam.
base::Result<Extent> CheckArguments(const Transfer& transfer);
// Checks both ranges and the notify, then fills *op. Errors: kInvalidParam.
base::Status MakeTransfer(const Transfer& transfer, const Extent& extent, const comm::Channel& channel, exec::Op* op);

// The whole call.
std::int32_t QueueTransfer(const char* call, const void* site, ThreadHandle thread, ChannelHandle channel,
                           const Transfer& transfer);
std::int32_t PostTransfer(const char* call, const void* site, ChannelHandle channel, const Transfer& transfer);

}  // namespace softhccl::api
