// The values of reductions against references that share nothing with them: integers in parts, floats of eight bits as
// exact integers, the others by a search for the nearest among all values of the format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "transport/reduce.h"

namespace softhccl::transport {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;
#ifdef __x86_64__
__extension__ using Wide = __float128;  // 113 bits
#else
using Wide = long double;
#endif

enum Type {
  kInt8 = 0,
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
  kE4m3,
  kE5m2,
  kE8m0
};
constexpr ReduceOp kAllOps[] = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin};

template <typename T>
T Reduced(int type, ReduceOp op, T a, T b) {
  FindReduction(type, static_cast<int>(op)).value()->apply(&a, &b, 1);
  return a;
}

template <typename T>
std::vector<T> Reduced(int type, ReduceOp op, std::vector<T> a, const std::vector<T>& b) {
  FindReduction(type, static_cast<int>(op)).value()->apply(a.data(), b.data(), a.size());
  return a;
}

// --- integers

template <typename T>
void CheckIntegers(int type) {
  std::mt19937_64 random(7);
  std::vector<T> a;
  std::vector<T> b;
  const std::vector<T> edges = {0,
                                1,
                                2,
                                3,
                                static_cast<T>(-1),
                                static_cast<T>(-2),
                                std::numeric_limits<T>::min(),
                                std::numeric_limits<T>::max(),
                                static_cast<T>(std::numeric_limits<T>::max() / 2 + 1)};
  for (const T x : edges) {
    for (const T y : edges) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (int i = 0; i < 50000; ++i) {
    a.push_back(static_cast<T>(random()));
    b.push_back(static_cast<T>(random() >> (random() % 64)));
  }
  for (const ReduceOp op : kAllOps) {
    const std::vector<T> result = Reduced(type, op, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Int128 x = a[i];
      const Int128 y = b[i];
      // 64 x 64 bits fit into 128; what does not fit into the type is cut off.
      const Int128 exact = op == ReduceOp::kSum ? x + y
                           : op == ReduceOp::kProd
                               ? static_cast<Int128>(static_cast<Uint128>(x) * static_cast<Uint128>(y))
                           : op == ReduceOp::kMax ? std::max(x, y)
                                                  : std::min(x, y);
      ASSERT_EQ(result[i], static_cast<T>(exact)) << +a[i] << " op " << static_cast<int>(op) << " " << +b[i];
    }
  }
}

TEST(ReduceValuesTest, Integers_WrapAsTwosComplement) {
  CheckIntegers<std::int8_t>(kInt8);
  CheckIntegers<std::int16_t>(kInt16);
  CheckIntegers<std::int32_t>(kInt32);
  CheckIntegers<std::int64_t>(kInt64);
  CheckIntegers<std::uint8_t>(kUint8);
  CheckIntegers<std::uint16_t>(kUint16);
  CheckIntegers<std::uint32_t>(kUint32);
  CheckIntegers<std::uint64_t>(kUint64);
}

// 128 bits as two halves, low first, as they lie in memory.
struct Halves {
  std::uint64_t low;
  std::uint64_t high;
  bool operator==(const Halves&) const = default;
};

Halves Multiply(Halves a, Halves b) {
  std::uint32_t digits[2][4];
  std::memcpy(digits[0], &a, sizeof a);
  std::memcpy(digits[1], &b, sizeof b);
  std::uint32_t product[4] = {};
  for (int i = 0; i < 4; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; i + j < 4; ++j) {
      carry += std::uint64_t{digits[0][i]} * digits[1][j] + product[i + j];
      product[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  Halves result;
  std::memcpy(&result, product, sizeof result);
  return result;
}

TEST(ReduceValuesTest, Int128_IsExact) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 50000; ++i) {
    const Halves a = {random(), static_cast<std::uint64_t>(static_cast<std::int64_t>(random()) >> (random() % 64))};
    const Halves b = {random() >> (random() % 64), i % 7 == 0 ? a.high : random()};
    const std::uint64_t low = a.low + b.low;
    EXPECT_EQ(Reduced(kInt128, ReduceOp::kSum, a, b), (Halves{low, a.high + b.high + (low < a.low ? 1 : 0)}));
    EXPECT_EQ(Reduced(kInt128, ReduceOp::kProd, a, b), Multiply(a, b));
    const auto signed_a = static_cast<std::int64_t>(a.high);
    const auto signed_b = static_cast<std::int64_t>(b.high);
    const bool less = signed_a != signed_b ? signed_a < signed_b : a.low < b.low;
    EXPECT_EQ(Reduced(kInt128, ReduceOp::kMax, a, b), less ? b : a);
    EXPECT_EQ(Reduced(kInt128, ReduceOp::kMin, a, b), less ? a : b);
  }
}

// --- floats of 32 and 64 bits: in a format so much wider that rounding there first changes nothing

template <typename T, typename Wider>
T Expected(ReduceOp op, T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (op == ReduceOp::kSum || op == ReduceOp::kProd) {
    const Wider wide = op == ReduceOp::kSum ? Wider{a} + Wider{b} : Wider{a} * Wider{b};
    const T result = static_cast<T>(wide);
    return std::isnan(result) ? std::numeric_limits<T>::quiet_NaN() : result;
  }
  const bool a_first = a != b ? a < b : std::signbit(a) && !std::signbit(b);
  return (op == ReduceOp::kMax) == a_first ? b : a;
}

template <typename T, typename Wider, typename Bits>
void CheckFloats(int type) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> edges = {T{0},
                          T{1},
                          T{3},
                          Limits::min(),
                          Limits::max(),
                          Limits::infinity(),
                          Limits::denorm_min(),
                          Limits::epsilon(),
                          Limits::epsilon() / 2,
                          3 * Limits::denorm_min(),
                          Limits::quiet_NaN(),
                          std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(Limits::infinity()) + 1)),  // signals
                          std::sqrt(Limits::min()),
                          std::sqrt(Limits::max())};
  const std::size_t positive = edges.size();
  for (std::size_t i = 0; i < positive; ++i) edges.push_back(-edges[i]);
  std::vector<T> a;
  std::vector<T> b;
  for (const T x : edges) {
    for (const T y : edges) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  std::mt19937_64 random(9);
  for (int i = 0; i < 200000; ++i) {
    const Bits x = static_cast<Bits>(random());
    const Bits near = static_cast<Bits>(x ^ (static_cast<Bits>(random()) >> (random() % (8 * sizeof(Bits)))));
    a.push_back(std::bit_cast<T>(x));
    b.push_back(std::bit_cast<T>(i % 2 == 0 ? near : static_cast<Bits>(random())));
  }
  for (const ReduceOp op : kAllOps) {
    const std::vector<T> result = Reduced(type, op, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::bit_cast<Bits>(result[i]), std::bit_cast<Bits>(Expected<T, Wider>(op, a[i], b[i])))
          << a[i] << " op " << static_cast<int>(op) << " " << b[i];
    }
  }
}

TEST(ReduceValuesTest, Fp32_IsRoundedOnce) { CheckFloats<float, double, std::uint32_t>(kFp32); }
TEST(ReduceValuesTest, Fp64_IsRoundedOnce) { CheckFloats<double, Wide, std::uint64_t>(kFp64); }

// --- floats of 16 bits: the nearest of all values

struct HalfFormat {
  int exponent_bits;
  std::uint16_t nan;
};

double HalfValue(const HalfFormat& format, unsigned code) {
  const int fraction_bits = 15 - format.exponent_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(code >> fraction_bits) & ((1 << format.exponent_bits) - 1);
  const double fraction = std::ldexp(code & ((1U << fraction_bits) - 1), -fraction_bits);
  const double sign = (code & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << format.exponent_bits) - 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

class HalfReference {
 public:
  explicit HalfReference(const HalfFormat& format) : format_(format) {
    for (unsigned code = 0; code < 0x8000U; ++code) {
      const double value = HalfValue(format, code);
      if (std::isfinite(value)) values_.push_back(value);
    }
    infinity_ = static_cast<std::uint16_t>(values_.size());
    values_.push_back(2 * values_.back() - values_[values_.size() - 2]);  // one step more: infinity begins half-way
  }

  std::uint16_t Reduce(ReduceOp op, std::uint16_t a, std::uint16_t b) const {
    const double x = HalfValue(format_, a);
    const double y = HalfValue(format_, b);
    if (std::isnan(x) || std::isnan(y)) return format_.nan;
    if (op == ReduceOp::kMax || op == ReduceOp::kMin) {
      const bool a_first = x != y ? x < y : std::signbit(x) && !std::signbit(y);
      return (op == ReduceOp::kMax) == a_first ? b : a;
    }
    if (op == ReduceOp::kSum) {
      if (std::isinf(x) || std::isinf(y)) return std::isnan(x + y) ? format_.nan : std::isinf(x) ? a : b;
      return x == 0 && y == 0 ? static_cast<std::uint16_t>(a & b) : Nearest(Wide{x} + Wide{y}, false);
    }
    if (std::isinf(x) || std::isinf(y)) {
      return x == 0 || y == 0 ? format_.nan : static_cast<std::uint16_t>(infinity_ | ((a ^ b) & 0x8000));
    }
    return Nearest(Wide{x} * Wide{y}, ((a ^ b) & 0x8000) != 0);
  }

 private:
  std::uint16_t Nearest(Wide exact, bool negative_zero) const {
    const bool negative = exact < 0 || (exact == 0 && negative_zero);
    const Wide magnitude = exact < 0 ? -exact : exact;
    const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude,
                                        [](Wide left, double right) { return left < Wide{right}; });
    std::size_t code = static_cast<std::size_t>(above - values_.begin()) - 1;
    if (above != values_.end()) {
      const Wide down = magnitude - Wide{values_[code]};
      const Wide up = Wide{*above} - magnitude;
      if (up < down || (up == down && code % 2 == 1)) ++code;
    }
    return static_cast<std::uint16_t>(code | (negative ? 0x8000U : 0U));
  }

  HalfFormat format_;
  std::uint16_t infinity_;
  std::vector<double> values_;  // by code
};

void CheckHalves(int type, const HalfFormat& format) {
  const HalfReference reference(format);
  const unsigned one = 0x3FFFU & ~((1U << (15 - format.exponent_bits)) - 1);
  std::vector<std::uint16_t> edges;
  for (const unsigned base :
       {0U, 1U << (15 - format.exponent_bits), one, 0x7FFFU & ~((1U << (15 - format.exponent_bits)) - 1)}) {
    for (unsigned step = 0; step < 12; ++step) {
      for (const unsigned code : {base + step, base - step, base + (1U << step)}) {
        edges.push_back(static_cast<std::uint16_t>(code));
        edges.push_back(static_cast<std::uint16_t>(code ^ 0x8000U));
      }
    }
  }
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  for (const std::uint16_t x : edges) {
    for (const std::uint16_t y : edges) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  std::mt19937 random(10);
  for (int i = 0; i < 200000; ++i) {
    a.push_back(static_cast<std::uint16_t>(random()));
    b.push_back(static_cast<std::uint16_t>(i % 2 == 0 ? a.back() ^ (random() & 0x8FFF) : random()));
  }
  // Products about the smallest values, where two roundings would differ from one.
  for (int i = 0; i < 200000; ++i) {
    const int fraction_bits = 15 - format.exponent_bits;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int x = static_cast<int>(random() % static_cast<unsigned>(bias));
    const int y = std::max(0, bias - x - static_cast<int>(random() % static_cast<unsigned>(fraction_bits + 3)));
    a.push_back(static_cast<std::uint16_t>((x << fraction_bits) | static_cast<int>(random() % (1U << fraction_bits))));
    b.push_back(static_cast<std::uint16_t>((y << fraction_bits) | static_cast<int>(random() % (1U << fraction_bits))));
  }
  for (const ReduceOp op : kAllOps) {
    const std::vector<std::uint16_t> result = Reduced(type, op, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(result[i], reference.Reduce(op, a[i], b[i]))
          << std::hex << a[i] << " op " << static_cast<int>(op) << " " << b[i];
    }
  }
}

TEST(ReduceValuesTest, Fp16_IsRoundedOnce) { CheckHalves(kFp16, {5, 0x7E00}); }
TEST(ReduceValuesTest, Bf16_IsRoundedOnce) { CheckHalves(kBf16, {8, 0x7FC0}); }

}  // namespace
}  // namespace softhccl::transport
