// Sum and product of BF16 for x86 processors with AVX-512 BF16: their conversion rounds and packs two vectors at once.
// It takes subnormals for zero, though, and keeps the bits of a NaN; so vectors with one of these go the ordinary way.
#include <immintrin.h>

#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Avx512Bf16 {};

template <ReduceOp op>
__m512 Compute(__m512i a, __m512i b) {
  return op == ReduceOp::kSum ? _mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))
                              : _mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
}

template <ReduceOp op>
[[gnu::noinline]] void ReduceSpecial(void* dst, const void* src, std::size_t count) {
  ReduceHalves<Avx512Bf16, Bf16, op>(dst, src, count);
}

template <ReduceOp op>
void ReduceBf16(void* dst, const void* src, std::size_t count) {
  constexpr std::size_t kLanes = 32;
  constexpr int kQuietNan = 0x01;  // results are never signalling
  constexpr int kSubnormal = 0x20;
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xFFFF0000U));
  // The conversion puts the even elements into the lower half and the odd ones into the upper.
  const __m512i interleave =
      _mm512_add_epi32(_mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                          _mm512_set1_epi32(0x00010001)),
                       _mm512_set1_epi32(0x00100000));
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::uint16_t*>(src);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512i a = _mm512_loadu_si512(to + i);
    const __m512i b = _mm512_loadu_si512(from + i);
    const __m512 even = Compute<op>(_mm512_slli_epi32(a, 16), _mm512_slli_epi32(b, 16));
    const __m512 odd = Compute<op>(_mm512_and_si512(a, upper), _mm512_and_si512(b, upper));
    const __mmask16 special_even = _mm512_fpclass_ps_mask(even, kQuietNan | kSubnormal);
    const __mmask16 special_odd = _mm512_fpclass_ps_mask(odd, kQuietNan | kSubnormal);
    if (_mm512_kortestz(special_even, special_odd) == 0) [[unlikely]] {
      ReduceSpecial<op>(to + i, from + i, kLanes);
      continue;
    }
    const __m512i packed = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd, even));
    _mm512_storeu_si512(to + i, _mm512_permutexvar_epi16(interleave, packed));
  }
  ReduceSpecial<op>(to + i, from + i, count - i);
}

}  // namespace

void FillAvx512Bf16(ReducePath* path) {
  ReduceApply* bf16 = path->apply[static_cast<int>(DataType::kBf16)];
  bf16[static_cast<int>(ReduceOp::kSum)] = ReduceBf16<ReduceOp::kSum>;
  bf16[static_cast<int>(ReduceOp::kProd)] = ReduceBf16<ReduceOp::kProd>;
}

}  // namespace softhccl::transport
