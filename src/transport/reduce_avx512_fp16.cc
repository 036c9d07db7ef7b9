// FP16 for x86 processors with AVX-512 FP16, compiled for them: half precision is an ordinary type there, never flushed
// to zero.
#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Avx512Fp16 {};

}  // namespace

void FillAvx512Fp16(ReducePath* path) {
  FillType<Avx512Fp16, Float<_Float16, std::uint16_t, Fp16::kNan>>(path, DataType::kFp16);
}

}  // namespace softhccl::transport
