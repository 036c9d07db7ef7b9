// The sequential model: plain loops over whole numbers, nothing of the library.
#include <cstring>
#include <type_traits>

#include "program.h"

namespace softhccl::property {
namespace {

template <typename T>
void Reduce(std::uint8_t* dst, const std::uint8_t* src, std::size_t bytes, int op) {
  using Wide = std::make_unsigned_t<T>;
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, dst + at, sizeof(T));
    std::memcpy(&b, src + at, sizeof(T));
    T result = a;
    switch (op) {
      case 0: result = static_cast<T>(static_cast<Wide>(static_cast<Wide>(a) + static_cast<Wide>(b))); break;
      // In 64 bits: the product of two shorter numbers would be computed in int.
      case 1: result = static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); break;
      case 2: result = b > a ? b : a; break;
      default: result = b < a ? b : a; break;
    }
    std::memcpy(dst + at, &result, sizeof(T));
  }
}

void ReduceAs(int data_type, std::uint8_t* dst, const std::uint8_t* src, std::size_t bytes, int op) {
  switch (data_type) {
    case 0: return Reduce<std::int8_t>(dst, src, bytes, op);
    case 1: return Reduce<std::int16_t>(dst, src, bytes, op);
    case 2: return Reduce<std::int32_t>(dst, src, bytes, op);
    case 5: return Reduce<std::int64_t>(dst, src, bytes, op);
    case 6: return Reduce<std::uint64_t>(dst, src, bytes, op);
    case 7: return Reduce<std::uint8_t>(dst, src, bytes, op);
    case 8: return Reduce<std::uint16_t>(dst, src, bytes, op);
    default: return Reduce<std::uint32_t>(dst, src, bytes, op);
  }
}

}  // namespace

Memory InitialMemory(int ranks) {
  Memory memory(static_cast<std::size_t>(ranks), std::vector<std::uint8_t>(kCells * kCellBytes));
  std::uint32_t state = 1;
  for (auto& of_rank : memory) {
    for (std::uint8_t& byte : of_rank) {
      state = state * 1664525u + 1013904223u;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
  }
  return memory;
}

void RunModel(const Program& program, Memory* memory) {
  for (const Step& step : program.steps) {
    if (step.kind >= Kind::kThreadRecord) continue;
    const bool is_local = step.kind == Kind::kCopy || step.kind == Kind::kReduce;
    const bool is_read = step.kind == Kind::kRead || step.kind == Kind::kReadReduce;
    const int written_rank = is_local || is_read ? step.rank : step.peer;
    const int read_rank = is_read ? step.peer : step.rank;
    const std::size_t bytes = static_cast<std::size_t>(step.cells) * kCellBytes;
    std::uint8_t* dst =
        (*memory)[static_cast<std::size_t>(written_rank)].data() + static_cast<std::size_t>(step.dst) * kCellBytes;
    const std::uint8_t* src =
        (*memory)[static_cast<std::size_t>(read_rank)].data() + static_cast<std::size_t>(step.src) * kCellBytes;
    const bool reduces = step.kind == Kind::kReduce || step.kind == Kind::kWriteReduce ||
                         step.kind == Kind::kReadReduce || step.kind == Kind::kWriteReduceNotify;
    if (reduces) {
      ReduceAs(step.data_type, dst, src, bytes, step.reduce_op);
    } else {
      std::memmove(dst, src, bytes);
    }
  }
}

}  // namespace softhccl::property
