// The reductions for x86 processors with AVX-512 F, BW, DQ and VL, compiled for them. What the compiler does not find
// by itself is that they convert FP16 in one instruction.
#include <immintrin.h>

#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Avx512 {};

template <ReduceOp op>
void ReduceFp16(void* dst, const void* src, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000));
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::uint16_t*>(src);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512 a = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(to + i)));
    const __m512 b = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
    const __m512 result = op == ReduceOp::kSum ? _mm512_add_ps(a, b) : _mm512_mul_ps(a, b);
    const __m512 quiet = _mm512_mask_mov_ps(result, _mm512_cmp_ps_mask(result, result, _CMP_UNORD_Q), nan);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm512_cvtps_ph(quiet, _MM_FROUND_TO_NEAREST_INT));
  }
  ReduceLoop<Avx512, Half<Fp16>, op>(to + i, from + i, count - i);
}

}  // namespace

void FillAvx512(ReducePath* path) {
  FillTypes<Avx512>(path);
  ReduceApply* fp16 = path->apply[static_cast<int>(DataType::kFp16)];
  fp16[static_cast<int>(ReduceOp::kSum)] = ReduceFp16<ReduceOp::kSum>;
  fp16[static_cast<int>(ReduceOp::kProd)] = ReduceFp16<ReduceOp::kProd>;
}

}  // namespace softhccl::transport
