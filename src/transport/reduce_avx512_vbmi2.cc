// Sum and product of BF16 for x86 processors with AVX-512 VBMI2. A sum is computed in two vectors of floats, of the
// even and of the odd elements; both are then rounded at once, as one vector of upper halves and one of lower halves,
// because rounding takes more instructions than everything else.
#include <immintrin.h>

#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Avx512Vbmi2 {};

constexpr std::size_t kLanes = 32;

template <ReduceOp op>
__m512 Compute(__m512i a, __m512i b) {
  return op == ReduceOp::kSum ? _mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))
                              : _mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
}

// To nearest, ties to even, and interleaved. Right for all but NaNs with bits in the lower half, which sums and
// products of BF16 do not have.
__m512i Narrow(__m512 even, __m512 odd) {
  constexpr __mmask32 kOdd = 0xAAAAAAAA;
  constexpr int kFirstOrSecondAndThird = 0xF8;
  const __m512i even_bits = _mm512_castps_si512(even);
  const __m512i odd_bits = _mm512_castps_si512(odd);
  const __m512i middle = _mm512_shrdi_epi32(even_bits, odd_bits, 16);  // odd's lower halves, even's upper
  const __m512i upper = _mm512_mask_blend_epi16(kOdd, middle, odd_bits);
  const __m512i lower = _mm512_mask_blend_epi16(kOdd, even_bits, middle);
  // Of an odd upper half the tie goes up, too: a bit below makes it more than a tie.
  const __m512i sticky = _mm512_ternarylogic_epi32(lower, upper, _mm512_set1_epi16(1), kFirstOrSecondAndThird);
  const __mmask32 up = _mm512_cmpgt_epu16_mask(sticky, _mm512_set1_epi16(INT16_MIN));
  return _mm512_mask_sub_epi16(upper, up, upper, _mm512_set1_epi16(-1));
}

// `count` is a multiple of the lanes.
template <ReduceOp op>
void ReduceBlock(std::uint16_t* to, const std::uint16_t* from, std::size_t count) {
  constexpr std::size_t kAhead = 512;  // the second cache is this many elements away
  const __m512i mask = _mm512_set1_epi32(static_cast<int>(0xFFFF0000U));
  __mmask16 ordered = 0xFFFF;
  const auto reduce = [&](std::uint16_t* into, const std::uint16_t* other) {
    _mm_prefetch(reinterpret_cast<const char*>(into + kAhead), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(other + kAhead), _MM_HINT_T0);
    __m512i a = _mm512_loadu_si512(into);
    __m512i b = _mm512_loadu_si512(other);
    asm("" : "+v"(a), "+v"(b));  // one load each: the compiler would rather load twice than keep a register
    const __m512 even = Compute<op>(_mm512_slli_epi32(a, 16), _mm512_slli_epi32(b, 16));
    const __m512 odd = Compute<op>(_mm512_and_si512(a, mask), _mm512_and_si512(b, mask));
    ordered = _mm512_mask_cmp_ps_mask(ordered, even, odd, _CMP_ORD_Q);
    _mm512_storeu_si512(into, Narrow(even, odd));
  };
  // Four vectors a turn: counting and addressing share the units that compute.
  std::size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    reduce(to + i, from + i);
    reduce(to + i + kLanes, from + i + kLanes);
    reduce(to + i + 2 * kLanes, from + i + 2 * kLanes);
    reduce(to + i + 3 * kLanes, from + i + 3 * kLanes);
  }
  for (; i < count; i += kLanes) reduce(to + i, from + i);
  // The maximum of an element and itself is the element, or the one quiet NaN.
  if (ordered != 0xFFFF) ReduceLoop<Avx512Vbmi2, Half<Bf16>, ReduceOp::kMax>(to, to, count);
}

template <ReduceOp op>
void ReduceBf16(void* dst, const void* src, std::size_t count) {
  constexpr std::size_t kBlock = 4096;  // still in the first cache when NaNs are looked for
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::uint16_t*>(src);
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kBlock)
    ReduceBlock<op>(to + i, from + i, whole - i < kBlock ? whole - i : kBlock);
  ReduceHalves<Avx512Vbmi2, Bf16, op>(to + whole, from + whole, count - whole);
}

}  // namespace

void FillAvx512Vbmi2(ReducePath* path) {
  ReduceApply* bf16 = path->apply[static_cast<int>(DataType::kBf16)];
  bf16[static_cast<int>(ReduceOp::kSum)] = ReduceBf16<ReduceOp::kSum>;
  bf16[static_cast<int>(ReduceOp::kProd)] = ReduceBf16<ReduceOp::kProd>;
}

}  // namespace softhccl::transport
