// What the files of the reductions share. It includes next to nothing on purpose: some of those files are compiled for
// processors that not every machine has, and an inline function of a library header that the linker took from one of
// them would end the program on the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softhccl::transport {

// The values are those of HcclReduceOp and HcommReduceOp.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMax, kMin };
inline constexpr int kReduceOps = 4;

// The values are those of HcclDataType and HcommDataType. 13 is nothing.
enum class DataType : std::uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kFp16,
  kFp32,
  kInt64,
  kUint64,
  kUint8,
  kUint16,
  kUint32,
  kFp64,
  kBf16,
  kInt128,
  kHif8 = 14,
  kFp8E4m3,
  kFp8E5m2,
  kFp8E8m0,
};
inline constexpr int kDataTypes = 18;

// dst[i] = dst[i] op src[i].
using ReduceApply = void (*)(void* dst, const void* src, std::size_t count);

// What one kind of processor runs. Null: this path has nothing of its own, a later one of the list is used.
struct ReducePath {
  const char* name;
  bool available;  // on this machine
  ReduceApply apply[kDataTypes][kReduceOps];
};

// The paths of this machine's architecture, best first; the last is "portable", available everywhere and complete.
struct ReducePaths {
  const ReducePath* const* begin;
  int count;
};
ReducePaths AllReducePaths();

// Fills in the functions of a path; to be called where it is available only. Those after the first two exist on x86-64.
void FillPortable(ReducePath* path);
void FillSmallFloats(ReducePath* path);
void FillAvx2(ReducePath* path);
void FillAvx512(ReducePath* path);
void FillAvx512Vbmi2(ReducePath* path);
void FillAvx512Fp16(ReducePath* path);

}  // namespace softhccl::transport
