// Floats of eight bits: HiFloat8 and the FP8 formats of the Open Compute Project (E4M3, E5M2, and E8M0, which holds
// scales). A pair of elements has only 65536 cases, so each operator is a table, made on first use from the formats'
// definitions: decode both, compute in double, which is exact or as good as, and take the nearest value.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A format is: the value of each code; the code of NaN, of an overflow, and of zero below zero; the value that the
// scale would go on with after the largest; and which neighbour half-way cases go to.
enum class Ties { kEven, kAway };

// Sign, `exponent_bits`, the rest fraction, as IEEE 754 has them.
double DecodeBinary(unsigned code, int exponent_bits) {
  const int fraction_bits = 7 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(code & 0x7F) >> fraction_bits;
  const int fraction = static_cast<int>(code) & ((1 << fraction_bits) - 1);
  const int significand = exponent == 0 ? fraction : fraction | (1 << fraction_bits);
  const double magnitude = std::ldexp(significand, std::max(exponent, 1) - bias - fraction_bits);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

// No infinities; NaN is all ones.
struct E4m3 {
  static constexpr Ties kTies = Ties::kEven;
  static constexpr std::uint8_t kNanCode = 0x7F;
  static constexpr std::uint8_t kOverflow = 0x7F;
  static constexpr std::uint8_t kSign = 0x80;
  static constexpr std::uint8_t kMinusZero = 0x80;
  static constexpr double kAfterLargest = 480;
  static double Decode(unsigned code) { return (code & 0x7F) == 0x7F ? kNan : DecodeBinary(code, 4); }
};

struct E5m2 {
  static constexpr Ties kTies = Ties::kEven;
  static constexpr std::uint8_t kNanCode = 0x7E;
  static constexpr std::uint8_t kOverflow = 0x7C;
  static constexpr std::uint8_t kSign = 0x80;
  static constexpr std::uint8_t kMinusZero = 0x80;
  static constexpr double kAfterLargest = 65536;
  static double Decode(unsigned code) {
    if ((code & 0x7F) > 0x7C) return kNan;
    if ((code & 0x7F) == 0x7C) return (code & 0x80) != 0 ? -kInfinity : kInfinity;
    return DecodeBinary(code, 5);
  }
};

// Powers of two from 2^-127 to 2^127: no sign, no zero, no infinity. What is smaller than all becomes the smallest.
// The larger neighbour of a half-way case is the even one: its significand in units of the smaller is 2.
struct E8m0 {
  static constexpr Ties kTies = Ties::kAway;
  static constexpr std::uint8_t kNanCode = 0xFF;
  static constexpr std::uint8_t kOverflow = 0xFF;
  static constexpr std::uint8_t kSign = 0;
  static constexpr std::uint8_t kMinusZero = 0;
  static constexpr double kAfterLargest = 0x1p128;
  static double Decode(unsigned code) { return code == 0xFF ? kNan : std::ldexp(1.0, static_cast<int>(code) - 127); }
};

// "Ascend HiFloat8 Format for Deep Learning" (arXiv 2409.16626). After the sign, a prefix code says how many bits the
// exponent has: 0000 none, and the rest is an exponent below the others' (subnormal); 0001 none, the exponent is 0;
// 001 one; 01 two; 10 three; 11 four. Of an exponent the first bit is the sign and the magnitude's leading one is
// implied. What remains is fraction. One zero, one NaN (0x80), and the two largest codes are infinite.
struct Hif8 {
  static constexpr Ties kTies = Ties::kAway;
  static constexpr std::uint8_t kNanCode = 0x80;
  static constexpr std::uint8_t kOverflow = 0x6F;
  static constexpr std::uint8_t kSign = 0x80;
  static constexpr std::uint8_t kMinusZero = 0x00;
  static constexpr double kAfterLargest = 49152;  // 1.5 * 2^15, whose code is infinity
  static double Decode(unsigned code) {
    if (code == 0x80) return kNan;
    const double sign = (code & 0x80) != 0 ? -1 : 1;
    const int rest = static_cast<int>(code & 0x7F);
    if (rest == 0x6F) return sign * kInfinity;
    if (rest == 0) return 0;
    if (rest < 8) return sign * std::ldexp(1.0, rest - 23);
    const int dot = rest >> 5;
    const int exponent_bits = dot >= 1 ? dot + 1 : (rest >> 4);
    const int prefix_bits = dot >= 1 ? 2 : (exponent_bits == 1 ? 3 : 4);
    const int fraction_bits = 7 - prefix_bits - exponent_bits;
    const int field = (rest >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int leading = exponent_bits == 0 ? 0 : 1 << (exponent_bits - 1);
    const int magnitude = leading | (field & (leading - 1));
    const int exponent = exponent_bits == 0 ? 0 : ((field & leading) != 0 ? -magnitude : magnitude);
    const int significand = (1 << fraction_bits) | (rest & ((1 << fraction_bits) - 1));
    return sign * std::ldexp(significand, exponent - fraction_bits);
  }
};

struct Value {
  double value;
  std::uint8_t code;
};

// The finite values that are not negative, ascending, then the one after the largest with the code of an overflow.
template <typename Format>
std::vector<Value> Scale() {
  std::vector<Value> scale;
  for (unsigned code = 0; code < (Format::kSign != 0 ? 128U : 256U); ++code) {
    const double value = Format::Decode(code);
    if (std::isfinite(value)) scale.push_back({value, static_cast<std::uint8_t>(code)});
  }
  std::sort(scale.begin(), scale.end(), [](const Value& a, const Value& b) { return a.value < b.value; });
  scale.push_back({Format::kAfterLargest, Format::kOverflow});
  return scale;
}

// The code of the value nearest to `exact`.
template <typename Format>
std::uint8_t Encode(double exact, const std::vector<Value>& scale) {
  if (std::isnan(exact)) return Format::kNanCode;
  const double magnitude = std::fabs(exact);
  const auto above = std::upper_bound(scale.begin(), scale.end(), magnitude,
                                      [](double limit, const Value& value) { return limit < value.value; });
  std::size_t nearest = above == scale.begin() ? 0 : static_cast<std::size_t>(above - scale.begin()) - 1;
  if (above != scale.begin() && above != scale.end()) {
    const double middle = (scale[nearest].value + above->value) / 2;
    const bool lower_is_odd = nearest % 2 != 0;
    if (magnitude > middle || (magnitude == middle && (Format::kTies == Ties::kAway || lower_is_odd))) ++nearest;
  }
  const std::uint8_t code = scale[nearest].code;
  if (!std::signbit(exact) || (code == Format::kNanCode)) return code;
  return code == 0 ? Format::kMinusZero : static_cast<std::uint8_t>(code | Format::kSign);
}

double Compute(ReduceOp op, double a, double b) {
  if (op == ReduceOp::kSum) return a + b;
  if (op == ReduceOp::kProd) return a * b;
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == b) return (op == ReduceOp::kMax) == std::signbit(a) ? b : a;  // zeros of different sign
  return (op == ReduceOp::kMax) == (a < b) ? b : a;
}

using Table = std::array<std::array<std::uint8_t, 256>, 256>;

template <typename Format>
std::unique_ptr<const Table> MakeTable(ReduceOp op) {
  const std::vector<Value> scale = Scale<Format>();
  auto table = std::make_unique<Table>();
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      (*table)[a][b] = Encode<Format>(Compute(op, Format::Decode(a), Format::Decode(b)), scale);
    }
  }
  return table;
}

// The table outlives every static object: a stream may still reduce while the process ends.
template <typename Format, ReduceOp op>
void ReduceByTable(void* dst, const void* src, std::size_t count) {
  static const Table& table = *MakeTable<Format>(op).release();
  auto* to = static_cast<std::uint8_t*>(dst);
  const auto* from = static_cast<const std::uint8_t*>(src);
  for (std::size_t i = 0; i < count; ++i) to[i] = table[to[i]][from[i]];
}

template <typename Format>
void FillFormat(ReducePath* path, DataType type) {
  ReduceApply* apply = path->apply[static_cast<int>(type)];
  apply[static_cast<int>(ReduceOp::kSum)] = ReduceByTable<Format, ReduceOp::kSum>;
  apply[static_cast<int>(ReduceOp::kProd)] = ReduceByTable<Format, ReduceOp::kProd>;
  apply[static_cast<int>(ReduceOp::kMax)] = ReduceByTable<Format, ReduceOp::kMax>;
  apply[static_cast<int>(ReduceOp::kMin)] = ReduceByTable<Format, ReduceOp::kMin>;
}

}  // namespace

void FillSmallFloats(ReducePath* path) {
  FillFormat<Hif8>(path, DataType::kHif8);
  FillFormat<E4m3>(path, DataType::kFp8E4m3);
  FillFormat<E5m2>(path, DataType::kFp8E5m2);
  FillFormat<E8m0>(path, DataType::kFp8E8m0);
}

}  // namespace softhccl::transport
