// The reductions for x86 processors with AVX2 and F16C, compiled for them. What the compiler does not find by itself is
// that they convert FP16 in one instruction, and that NaNs are rare: floats are reduced four vectors a turn as if there
// were none, and a turn that has met one is corrected afterwards.
#include <immintrin.h>

#include <cstring>

#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Avx2 {};

__m256 Floats(__m256i bits) { return _mm256_castsi256_ps(bits); }
__m256i Bits(__m256 floats) { return _mm256_castps_si256(floats); }

template <ReduceOp op>
__m256 Compute(__m256 a, __m256 b) {
  return op == ReduceOp::kSum ? _mm256_add_ps(a, b) : _mm256_mul_ps(a, b);
}

// Whether any pair of floats had a NaN.
class Unordered {
 public:
  void Look(__m256 a, __m256 b) { seen_ = _mm256_or_ps(seen_, _mm256_cmp_ps(a, b, _CMP_UNORD_Q)); }
  bool Any() const { return _mm256_movemask_ps(seen_) != 0; }

 private:
  __m256 seen_ = _mm256_setzero_ps();
};

// A turn of one type and operator: Combine takes a vector of each operand. AnyNan: extrema are void, sums and products
// may have other NaNs than the one quiet NaN.
template <ReduceOp op>
class TurnFp32 {
 public:
  using Element = Fp32;

  __m256i Combine(__m256i a_bits, __m256i b_bits) {
    const __m256 a = Floats(a_bits);
    const __m256 b = Floats(b_bits);
    if constexpr (IsExtremum(op)) {
      nan_.Look(a, b);
      // Of equal operands the instruction takes the second: zeros of different sign.
      if constexpr (op == ReduceOp::kMax) return Bits(_mm256_and_ps(_mm256_max_ps(a, b), _mm256_max_ps(b, a)));
      return Bits(_mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a)));
    } else {
      const __m256 result = Compute<op>(a, b);
      nan_.Look(result, result);
      return Bits(result);
    }
  }
  bool AnyNan() const { return nan_.Any(); }

 private:
  Unordered nan_;
};

template <ReduceOp op>
class TurnFp16 {
 public:
  using Element = Half<Fp16>;

  __m256i Combine(__m256i a, __m256i b) {
    const __m256 low =
        Compute<op>(_mm256_cvtph_ps(_mm256_castsi256_si128(a)), _mm256_cvtph_ps(_mm256_castsi256_si128(b)));
    const __m256 high =
        Compute<op>(_mm256_cvtph_ps(_mm256_extracti128_si256(a, 1)), _mm256_cvtph_ps(_mm256_extracti128_si256(b, 1)));
    nan_.Look(low, high);
    return _mm256_set_m128i(_mm256_cvtps_ph(high, _MM_FROUND_TO_NEAREST_INT),
                            _mm256_cvtps_ph(low, _MM_FROUND_TO_NEAREST_INT));
  }
  bool AnyNan() const { return nan_.Any(); }

 private:
  Unordered nan_;
};

// The even elements are one vector of floats and the odd ones another; both are rounded at once, as a vector of upper
// halves and one of lower halves. Where a shuffle does for a shift, it is taken: more units of a processor have it.
template <ReduceOp op>
class TurnBf16 {
 public:
  using Element = Half<Bf16>;

  __m256i Combine(__m256i a, __m256i b) {
    constexpr int kOdd = 0xAA;
    const __m256i zero = _mm256_setzero_si256();
    // Moves each even element to the odd place after it and clears its own: -1 is a zero byte.
    const __m256i raise =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(-1, -1, 0, 1, -1, -1, 4, 5, -1, -1, 8, 9, -1, -1, 12, 13));
    const __m256 even = Compute<op>(Floats(_mm256_shuffle_epi8(a, raise)), Floats(_mm256_shuffle_epi8(b, raise)));
    const __m256 odd =
        Compute<op>(Floats(_mm256_blend_epi16(zero, a, kOdd)), Floats(_mm256_blend_epi16(zero, b, kOdd)));
    nan_.Look(even, odd);
    return Narrow(Bits(even), Bits(odd));
  }
  bool AnyNan() const { return nan_.Any(); }

 private:
  // To nearest, ties to even, and interleaved.
  static __m256i Narrow(__m256i even, __m256i odd) {
    constexpr int kOdd = 0xAA;
    const __m256i upper = _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, kOdd);
    const __m256i lower = _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), kOdd);
    // Of an odd upper half the tie goes up, too: a bit below makes it more than a tie.
    const __m256i sticky = _mm256_or_si256(lower, _mm256_and_si256(upper, _mm256_set1_epi16(1)));
    const __m256i biased = _mm256_xor_si256(sticky, _mm256_set1_epi16(INT16_MIN));
    return _mm256_sub_epi16(upper, _mm256_cmpgt_epi16(biased, _mm256_setzero_si256()));
  }

  Unordered nan_;
};

// By the bits. Signed integers are in the order of the floats but for two negative ones, unsigned integers but for two
// positive ones and for which sign is the larger.
template <typename Format, ReduceOp op>
class TurnExtremum {
 public:
  using Element = Half<Format>;

  __m256i Combine(__m256i a, __m256i b) {
    const __m256i by_sign = _mm256_max_epi16(a, b);   // the larger one, unless both are negative
    const __m256i farthest = _mm256_max_epu16(a, b);  // the smaller one, unless both are positive
    positive_ = _mm256_max_epi16(positive_, by_sign);
    negative_ = _mm256_max_epu16(negative_, farthest);
    // The other operand with a sign that lets it win only where the first is not the answer.
    if constexpr (op == ReduceOp::kMax) {
      const __m256i other = _mm256_or_si256(_mm256_min_epi16(a, b), _mm256_set1_epi16(INT16_MIN));
      return _mm256_min_epu16(by_sign, other);
    }
    const __m256i other = _mm256_and_si256(_mm256_min_epu16(a, b), _mm256_set1_epi16(INT16_MAX));
    return _mm256_min_epi16(farthest, other);
  }
  // A NaN is beyond the infinity of its sign.
  bool AnyNan() const {
    const __m256i infinity = _mm256_set1_epi16(Format::kInfinity);
    const __m256i minus_infinity = _mm256_or_si256(infinity, _mm256_set1_epi16(INT16_MIN));
    const __m256i beyond =
        _mm256_or_si256(_mm256_cmpgt_epi16(positive_, infinity), _mm256_subs_epu16(negative_, minus_infinity));
    return _mm256_testz_si256(beyond, beyond) == 0;
  }

 private:
  __m256i positive_ = _mm256_setzero_si256();
  __m256i negative_ = _mm256_setzero_si256();
};

constexpr int kVectors = 4;
constexpr std::size_t kTurnSize = kVectors * sizeof(__m256i);

template <typename Turn, ReduceOp op>
void ReduceTurn(unsigned char* to, const unsigned char* from) {
  constexpr std::size_t kLanes = kTurnSize / sizeof(typename Turn::Element::Stored);
  auto* a = reinterpret_cast<__m256i_u*>(to);
  const auto* b = reinterpret_cast<const __m256i_u*>(from);
  Turn turn;
  const __m256i first = turn.Combine(_mm256_loadu_si256(a), _mm256_loadu_si256(b));
  const __m256i second = turn.Combine(_mm256_loadu_si256(a + 1), _mm256_loadu_si256(b + 1));
  const __m256i third = turn.Combine(_mm256_loadu_si256(a + 2), _mm256_loadu_si256(b + 2));
  const __m256i fourth = turn.Combine(_mm256_loadu_si256(a + 3), _mm256_loadu_si256(b + 3));
  if constexpr (IsExtremum(op)) {
    if (turn.AnyNan()) [[unlikely]]
      return ReduceLoop<Avx2, typename Turn::Element, op>(to, from, kLanes);
  }
  _mm256_storeu_si256(a, first);
  _mm256_storeu_si256(a + 1, second);
  _mm256_storeu_si256(a + 2, third);
  _mm256_storeu_si256(a + 3, fourth);
  if constexpr (!IsExtremum(op)) {
    // The maximum of an element and itself is the element, or the one quiet NaN.
    if (turn.AnyNan()) [[unlikely]]
      ReduceLoop<Avx2, typename Turn::Element, ReduceOp::kMax>(to, to, kLanes);
  }
}

template <typename Turn, ReduceOp op>
void ReduceTurns(void* dst, const void* src, std::size_t count) {
  auto* to = static_cast<unsigned char*>(dst);
  const auto* from = static_cast<const unsigned char*>(src);
  std::size_t size = count * sizeof(typename Turn::Element::Stored);
  for (; size >= kTurnSize; size -= kTurnSize, to += kTurnSize, from += kTurnSize) ReduceTurn<Turn, op>(to, from);
  if (size == 0) return;
  // The rest as a turn with zeros behind: the ordinary loop takes longer for halves.
  unsigned char last_to[kTurnSize] = {};
  unsigned char last_from[kTurnSize] = {};
  std::memcpy(last_to, to, size);
  std::memcpy(last_from, from, size);
  ReduceTurn<Turn, op>(last_to, last_from);
  std::memcpy(to, last_to, size);
}

template <template <ReduceOp> typename Turn, ReduceOp op>
void FillTurns(ReducePath* path, DataType type) {
  path->apply[static_cast<int>(type)][static_cast<int>(op)] = ReduceTurns<Turn<op>, op>;
}
template <ReduceOp op>
using Fp16Extremum = TurnExtremum<Fp16, op>;
template <ReduceOp op>
using Bf16Extremum = TurnExtremum<Bf16, op>;

}  // namespace

void FillAvx2(ReducePath* path) {
  FillTypes<Avx2>(path);
  FillTurns<TurnFp32, ReduceOp::kSum>(path, DataType::kFp32);
  FillTurns<TurnFp32, ReduceOp::kProd>(path, DataType::kFp32);
  FillTurns<TurnFp32, ReduceOp::kMax>(path, DataType::kFp32);
  FillTurns<TurnFp32, ReduceOp::kMin>(path, DataType::kFp32);
  FillTurns<TurnFp16, ReduceOp::kSum>(path, DataType::kFp16);
  FillTurns<TurnFp16, ReduceOp::kProd>(path, DataType::kFp16);
  FillTurns<Fp16Extremum, ReduceOp::kMax>(path, DataType::kFp16);
  FillTurns<Fp16Extremum, ReduceOp::kMin>(path, DataType::kFp16);
  FillTurns<TurnBf16, ReduceOp::kSum>(path, DataType::kBf16);
  FillTurns<TurnBf16, ReduceOp::kProd>(path, DataType::kBf16);
  FillTurns<Bf16Extremum, ReduceOp::kMax>(path, DataType::kBf16);
  FillTurns<Bf16Extremum, ReduceOp::kMin>(path, DataType::kBf16);
}

}  // namespace softhccl::transport
