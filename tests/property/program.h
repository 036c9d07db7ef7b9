// Random programs of data-plane operations and what they must do. A program is made from plain numbers (genes), so that
// it shrinks by leaving some out. It is free of races by construction: whenever an operation would touch memory that
// another thread has used without an order between the two, a record and a wait are put in; vector clocks tell. The
// list of steps is a valid sequential order, and so its result is the only one that a correct library can give.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace softhccl::property {

inline constexpr int kThreads = 2;             // per rank
inline constexpr int kCells = 12;              // of a rank's memory
inline constexpr std::size_t kCellBytes = 32;  // a multiple of every element
inline constexpr int kNotifies = 16;           // per thread, and per end of a channel

// One byte each for: kind, thread, peer, first operand, second operand, cells, data type and operator, second thread.
using Gene = std::array<std::uint8_t, 8>;

enum class Kind {
  kCopy,
  kReduce,
  kWrite,
  kWriteReduce,
  kRead,
  kReadReduce,
  kWriteNotify,        // followed by the wait of a thread of the peer
  kWriteReduceNotify,  // the same
  kThreadRecord,
  kThreadWait,
  kChannelRecord,
  kChannelWait,
};

// What one thread does. `dst` is a cell of the written memory, `src` of the read one; for writes the former is the
// peer's, for reads the latter.
struct Step {
  Kind kind = Kind::kCopy;
  int rank = 0;
  int thread = 0;
  int peer = 0;  // rank at the other end; for thread notifies the other thread of the same rank
  int dst = 0;
  int src = 0;
  int cells = 0;
  int data_type = 0;  // HcommDataType, integers only
  int reduce_op = 0;  // HcommReduceOp
  int notify = 0;
};

struct Program {
  int ranks = 0;
  std::vector<Step> steps;
};

// At most `genes.size()` operations; those for which the notifies do not suffice are left out.
Program MakeProgram(int ranks, const std::vector<Gene>& genes);
std::string Describe(const Step& step);

// The memory of all ranks, and what a program makes of it when its steps run one after the other.
using Memory = std::vector<std::vector<std::uint8_t>>;
Memory InitialMemory(int ranks);
void RunModel(const Program& program, Memory* memory);

}  // namespace softhccl::property
