// The reductions for x86 processors with AVX2 and F16C, compiled for them. What the compiler does not find by itself is
// that they convert FP16 in one instruction.
#include <immintrin.h>

#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Avx2 {};

template <ReduceOp op>
void ReduceFp16(void* dst, const void* src, std::size_t count) {
  constexpr std::size_t kLanes = 8;
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::uint16_t*>(src);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 a = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(to + i)));
    const __m256 b = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    const __m256 result = op == ReduceOp::kSum ? _mm256_add_ps(a, b) : _mm256_mul_ps(a, b);
    const __m256 quiet = _mm256_blendv_ps(result, nan, _mm256_cmp_ps(result, result, _CMP_UNORD_Q));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(quiet, _MM_FROUND_TO_NEAREST_INT));
  }
  ReduceLoop<Avx2, Half<Fp16>, op>(to + i, from + i, count - i);
}

}  // namespace

void FillAvx2(ReducePath* path) {
  FillTypes<Avx2>(path);
  ReduceApply* fp16 = path->apply[static_cast<int>(DataType::kFp16)];
  fp16[static_cast<int>(ReduceOp::kSum)] = ReduceFp16<ReduceOp::kSum>;
  fp16[static_cast<int>(ReduceOp::kProd)] = ReduceFp16<ReduceOp::kProd>;
}

}  // namespace softhccl::transport
