// Floats of eight bits, every pair of elements. The reference builds each format the other way round, from values to
// codes, and computes with exact integers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "transport/reduce.h"

namespace softhccl::transport {
namespace {

__extension__ using Int128 = __int128;

enum class Kind { kFinite, kInfinite, kNan };

struct Element {
  Kind kind = Kind::kNan;
  bool negative = false;
  Int128 units = 0;  // of 2^-unit, magnitude
};

struct Format {
  int unit = 0;
  bool ties_away = false;
  bool signed_zero = true;
  std::uint8_t nan = 0;
  std::uint8_t overflow = 0;
  Int128 overflow_from = 0;  // the magnitude, in units times two, that is too large
  bool overflow_includes = true;
  std::array<Element, 256> elements;

  void Add(unsigned code, Kind kind, Int128 units = 0) {
    elements[code] = {kind, false, units};
    elements[code | 0x80U] = {kind, true, units};
  }
};

constexpr Int128 Units(int exponent, int unit) { return Int128{1} << (exponent + unit); }

// Eight values per exponent; the last is NaN. 448 is the largest, 464 its tie with what would be 480.
Format MakeE4m3() {
  Format format;
  format.unit = 9;
  format.nan = format.overflow = 0x7F;
  format.overflow_from = 2 * 464 * Units(0, 9);
  format.overflow_includes = false;  // 448 is the even one of the two
  for (unsigned fraction = 0; fraction < 8; ++fraction) format.Add(fraction, Kind::kFinite, fraction);
  for (int exponent = -6; exponent <= 8; ++exponent) {
    for (int eighths = 8; eighths < 16; ++eighths) {
      const unsigned code = static_cast<unsigned>((exponent + 7) * 8 + eighths - 8);
      if (code != 0x7F) format.Add(code, Kind::kFinite, eighths * Units(exponent - 3, 9));
    }
  }
  return format;
}

// Four values per exponent, infinity, three NaNs. 57344 is the largest, 61440 its tie with what would be 65536.
Format MakeE5m2() {
  Format format;
  format.unit = 16;
  format.nan = 0x7E;
  format.overflow = 0x7C;
  format.overflow_from = 2 * 61440 * Units(0, 16);
  for (unsigned fraction = 0; fraction < 4; ++fraction) format.Add(fraction, Kind::kFinite, fraction);
  for (int exponent = -14; exponent <= 15; ++exponent) {
    for (int quarters = 4; quarters < 8; ++quarters) {
      format.Add(static_cast<unsigned>((exponent + 15) * 4 + quarters - 4), Kind::kFinite,
                 quarters * Units(exponent - 2, 16));
    }
  }
  format.Add(0x7C, Kind::kInfinite);
  return format;
}

// As the paper's table has it: |exponent| 0 to 3 with three bits of fraction, to 7 with two, to 15 with one, and seven
// powers of two below. The largest, 1.5 * 2^15, is infinity.
Format MakeHif8() {
  Format format;
  format.unit = 22;
  format.ties_away = true;
  format.signed_zero = false;
  format.nan = 0x80;
  format.overflow = 0x6F;
  format.overflow_from = 2 * 40960 * Units(0, 22);
  for (int power = -22; power <= -16; ++power)
    format.Add(static_cast<unsigned>(power + 23), Kind::kFinite, Units(power, 22));
  for (int exponent = -15; exponent <= 15; ++exponent) {
    const int size = exponent < 0 ? -exponent : exponent;
    const int bits = size == 0 ? 0 : size == 1 ? 1 : size < 4 ? 2 : size < 8 ? 3 : 4;
    const int fraction_bits = bits <= 2 ? 3 : bits == 3 ? 2 : 1;
    const std::array<unsigned, 5> prefixes = {0b0001, 0b001, 0b01, 0b10, 0b11};
    unsigned code = prefixes[static_cast<std::size_t>(bits)];
    if (bits > 0) code = code * 2 + (exponent < 0 ? 1 : 0);
    for (int bit = bits - 2; bit >= 0; --bit) code = code * 2 + static_cast<unsigned>((size >> bit) & 1);
    for (int fraction = 0; fraction < 1 << fraction_bits; ++fraction) {
      const Int128 significand = (1 << fraction_bits) + fraction;
      format.Add(code << fraction_bits | static_cast<unsigned>(fraction), Kind::kFinite,
                 significand * Units(exponent - fraction_bits, 22));
    }
  }
  format.Add(0x6F, Kind::kInfinite);
  format.elements[0x00] = {Kind::kFinite, false, 0};
  format.elements[0x80] = {};
  return format;
}

class Reference {
 public:
  explicit Reference(const Format& format) : format_(format) {
    for (unsigned code = 0; code < 128; ++code) {
      if (format.elements[code].kind == Kind::kFinite)
        codes_[format.elements[code].units] = static_cast<std::uint8_t>(code);
    }
  }

  std::uint8_t Reduce(ReduceOp op, std::uint8_t a, std::uint8_t b) const {
    const Element& x = format_.elements[a];
    const Element& y = format_.elements[b];
    if (x.kind == Kind::kNan || y.kind == Kind::kNan) return format_.nan;
    if (op == ReduceOp::kMax || op == ReduceOp::kMin) return (op == ReduceOp::kMax) == Before(x, y) ? b : a;
    const bool infinite = x.kind == Kind::kInfinite || y.kind == Kind::kInfinite;
    if (op == ReduceOp::kProd) {
      const bool negative = x.negative != y.negative;
      if (!infinite) return Nearest(x.units * y.units, format_.unit, negative);
      const bool zero = (x.kind == Kind::kFinite && x.units == 0) || (y.kind == Kind::kFinite && y.units == 0);
      return zero ? format_.nan : Signed(format_.overflow, negative);
    }
    if (infinite) {
      if (x.kind != y.kind) return x.kind == Kind::kInfinite ? a : b;
      return x.negative == y.negative ? a : format_.nan;
    }
    const Int128 sum = (x.negative ? -x.units : x.units) + (y.negative ? -y.units : y.units);
    const bool negative = sum < 0 || (sum == 0 && x.negative && y.negative);
    return Nearest(sum < 0 ? -sum : sum, 0, negative);
  }

 private:
  static bool Before(const Element& x, const Element& y) {
    if (x.negative != y.negative) return x.negative;
    const auto rank = [](const Element& e) { return e.kind == Kind::kInfinite ? Int128{1} << 100 : e.units; };
    return x.negative ? rank(x) > rank(y) : rank(x) < rank(y);
  }

  std::uint8_t Signed(std::uint8_t code, bool negative) const {
    if (code == format_.nan) return code;
    if (code == 0 && !format_.signed_zero) return code;
    return static_cast<std::uint8_t>(code | (negative ? 0x80 : 0));
  }

  // Of a magnitude in units / 2^scale.
  std::uint8_t Nearest(Int128 magnitude, int scale, bool negative) const {
    const Int128 limit = format_.overflow_from << scale;
    if (2 * magnitude > limit || (2 * magnitude == limit && format_.overflow_includes)) {
      return Signed(format_.overflow, negative);
    }
    auto above = codes_.begin();
    while (above != codes_.end() && (above->first << scale) <= magnitude) ++above;
    const auto below = std::prev(above);
    if (above == codes_.end()) return Signed(below->second, negative);
    const Int128 down = magnitude - (below->first << scale);
    const Int128 up = (above->first << scale) - magnitude;
    const bool tie_goes_up = format_.ties_away || below->second % 2 == 1;
    return Signed(up < down || (up == down && tie_goes_up) ? above->second : below->second, negative);
  }

  const Format& format_;
  std::map<Int128, std::uint8_t> codes_;
};

std::vector<std::uint8_t> AllPairs(int type, ReduceOp op) {
  std::vector<std::uint8_t> a(65536);
  std::vector<std::uint8_t> b(65536);
  for (unsigned i = 0; i < 65536; ++i) {
    a[i] = static_cast<std::uint8_t>(i >> 8);
    b[i] = static_cast<std::uint8_t>(i);
  }
  FindReduction(type, static_cast<int>(op)).value()->apply(a.data(), b.data(), a.size());
  return a;
}

void CheckAllPairs(int type, const Format& format) {
  const Reference reference(format);
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin}) {
    const auto result = AllPairs(type, op);
    for (unsigned i = 0; i < 65536; ++i) {
      ASSERT_EQ(+result[i], +reference.Reduce(op, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)))
          << std::hex << (i >> 8) << " op " << static_cast<int>(op) << " " << (i & 0xFF);
    }
  }
}

TEST(ReduceSmallFloatsTest, Hif8_IsRoundedOnceTiesAway) { CheckAllPairs(14, MakeHif8()); }
TEST(ReduceSmallFloatsTest, Fp8E4m3_IsRoundedOnceAndOverflowsToNan) { CheckAllPairs(15, MakeE4m3()); }
TEST(ReduceSmallFloatsTest, Fp8E5m2_IsRoundedOnceAndOverflowsToInfinity) { CheckAllPairs(16, MakeE5m2()); }

// Powers of two: a sum is the larger one, or the next one when the other is the same or half of it.
TEST(ReduceSmallFloatsTest, Fp8E8m0_IsTheNearestPowerOfTwo) {
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin}) {
    const auto result = AllPairs(17, op);
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; ++b) {
        const int larger = std::max(a, b);
        const int smaller = std::min(a, b);
        int expected = op == ReduceOp::kMax ? larger : smaller;
        if (op == ReduceOp::kSum) expected = larger - smaller <= 1 ? larger + 1 : larger;
        if (op == ReduceOp::kProd) expected = std::max(0, a + b - 127);
        if (larger == 255 || expected > 255) expected = 255;
        ASSERT_EQ(+result[static_cast<std::size_t>(a * 256 + b)], expected)
            << a << " op " << static_cast<int>(op) << " " << b;
      }
    }
  }
}

// Values to recognise the format by: 1.0, the largest, the smallest.
TEST(ReduceSmallFloatsTest, KnownCodes_HaveTheirValues) {
  const auto sum = [](int type, std::uint8_t a, std::uint8_t b) {
    FindReduction(type, 0).value()->apply(&a, &b, 1);
    return +a;
  };
  EXPECT_EQ(sum(14, 0x08, 0x08), 0x10);  // HiF8: 1 + 1 = 2
  EXPECT_EQ(sum(14, 0x6E, 0x6E), 0x6F);  // 32768 + 32768 is too large
  EXPECT_EQ(sum(14, 0x01, 0x01), 0x02);  // 2^-22 + 2^-22 = 2^-21
  EXPECT_EQ(sum(14, 0x08, 0x88), 0x00);  // 1 - 1 = 0
  EXPECT_EQ(sum(15, 0x38, 0x38), 0x40);  // E4M3: 1 + 1 = 2
  EXPECT_EQ(sum(15, 0x7E, 0x7E), 0x7F);  // 448 + 448 is too large
  EXPECT_EQ(sum(16, 0x3C, 0x3C), 0x40);  // E5M2: 1 + 1 = 2
  EXPECT_EQ(sum(16, 0xFB, 0xFB), 0xFC);  // -57344 - 57344 is too large
}

}  // namespace
}  // namespace softhccl::transport
