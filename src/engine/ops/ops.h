// The ops of the data plane, one file each. Every function here only builds the record; what it does is in its file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/invocation.h"
#include "exec/count_notify.h"
#include "exec/notify.h"
#include "exec/op.h"
#include "exec/word_wait.h"
#include "transport/link.h"
#include "transport/reduce.h"

namespace softhccl::engine::ops {

// Copies `size` bytes between two addresses of this process; one quantum per turn.
exec::Op LocalCopy(void* to, const void* from, std::uint64_t size);
// Copies `rows` rows of `width` bytes (both > 0) between two matrices; `pitch` is the distance of rows in bytes.
struct Matrix {
  const void* data;
  std::uint64_t pitch;
};
exec::Op CopyRows(const Matrix& to, const Matrix& from, std::uint64_t width, std::uint64_t rows);
// Copies `size` bytes between addresses that are read from memory when the op begins.
struct IndirectAddress {
  const void* place;
  std::uint64_t offset;  // added to the address found there
};
exec::Op CopyIndirect(const IndirectAddress& to, const IndirectAddress& from, std::uint64_t size);
// Copies what the description at that address of device memory says when the op begins.
struct CopyDescription {
  static constexpr std::uint64_t kMagic = 0x5348434F50594445;  // memory that nobody filled is recognised
  std::uint64_t magic = kMagic;
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::uint64_t size = 0;
};
exec::Op CopyDescribed(const void* description);
// A hint to the cache about a range, or about the range that a description says when the op begins: without effect, but
// in the order of the stream, and the range is checked.
struct RangeDescription {
  static constexpr std::uint64_t kMagic = 0x534852414E474553;
  std::uint64_t magic = kMagic;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};
exec::Op CacheHint(const void* address, std::uint64_t size);
exec::Op CacheHintDescribed(const void* description);
// Fills `size` bytes with the lowest byte of `value` (unit 1) or with all of it (unit 4: `to` and `size` are
// multiples).
exec::Op Fill(void* to, std::uint32_t value, std::uint64_t size, std::uint64_t unit);
// The same at once.
void FillNow(std::byte* to, std::uint32_t value, std::uint64_t size, std::uint64_t unit);
// Combines `size` bytes, whole elements, with what is at `to`.
exec::Op LocalReduce(void* to, const void* from, std::uint64_t size, const transport::Reduction* reduction);

// One-sided transfers between local memory and the peer's window. `reduction` null: the target is overwritten.
exec::Op Read(transport::Link* link, void* to, const void* from, std::uint64_t size,
              const transport::Reduction* reduction);
exec::Op Write(transport::Link* link, void* to, const void* from, std::uint64_t size,
               const transport::Reduction* reduction);
// The same, and then sets the peer's notify `notify`.
exec::Op WriteWithNotify(transport::Link* link, void* to, const void* from, std::uint64_t size,
                         const transport::Reduction* reduction, std::uint32_t notify);
// What comes later on the stream begins after what came before is done; of a channel: is complete at both ends.
exec::Op Fence();
exec::Op ChannelFence(transport::Link* link);
exec::Op ChannelDrain(transport::Link* link);

// Stores 1 in `word` and wakes who sleeps on it, also when the op is skipped.
exec::Op Signal(std::shared_ptr<std::atomic<std::uint32_t>> word);

// Waits until another stream (handle) has done what is queued there when this op begins; fails when that one fails.
exec::Op AwaitQueue(std::uint64_t stream);

// Sets a notify of this process.
exec::Op NotifyRecord(std::uint64_t notify);
// Sets the peer's notify `index` of a channel.
exec::Op ChannelRecord(transport::Link* link, std::uint32_t index);
// Takes a notify; `limit` ns from the moment the op begins to wait, kForever for none.
exec::Op NotifyWait(std::uint64_t notify, base::Nanos limit);

// Changes a counting notify of this process, sets it to 0, or waits for it as NotifyWait does for a notify.
exec::Op CountRecord(std::uint64_t notify, exec::CountNotify::Change change, std::uint32_t value);
exec::Op CountReset(std::uint64_t notify);
exec::Op CountWaitFor(std::uint64_t notify, const exec::CountGoal& goal, base::Nanos limit);

// Writes the word at `address`, a multiple of 8; waits without limit for a word.
exec::Op ValueWrite(void* address, std::uint64_t value);
exec::Op ValueWait(const exec::AwaitedWord& word);

// Runs a kernel on an AICPU core, or inline where it has earned it.
exec::Op KernelLaunch(std::shared_ptr<Invocation> invocation);

// All op classes of this module in a fixed order, for tables and checks.
std::vector<const exec::OpClass*> AllOpClasses();

}  // namespace softhccl::engine::ops
