// Combining memory with memory: what a reduction does to its target. Two reductions of the same elements at the same
// time must both count, as on a card, where the engine that does them is atomic per element; so a piece is combined
// while no other reduction touches it. Plain copies are not held up: they race with reductions as they do on a card.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/op.h"
#include "transport/reduce.h"

namespace softhccl::transport {

// Combines at most one piece of `from` with `to` and advances *done (bytes): kDone, or kAgain when more remains or
// another reduction is at work there. `size` is a multiple of the element's. The ranges are equal or apart.
exec::OpOutcome AccumulateQuantum(std::byte* to, const std::byte* from, std::size_t size, const Reduction& reduction,
                                  std::uint64_t* done);

}  // namespace softhccl::transport
