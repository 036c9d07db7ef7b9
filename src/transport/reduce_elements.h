// How two elements of each type are combined, and the loop around it. Branch-free, so that the compiler makes vector
// code of it for whatever processor the including file is compiled for. `Isa` is a type of the including file's
// anonymous namespace: it keeps what is made for one processor out of the others' files.
//
// Integers wrap as two's complement. Floats: the exact result, rounded once to nearest, ties to even; subnormals are
// kept; an overflow is infinite. A NaN goes in, or the result is invalid: the one quiet NaN with a clear sign comes
// out. Maximum and minimum order -0 before +0. So neither the order of operands nor the processor shows in a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/reduce_path.h"

namespace softhccl::transport {

// An integer of type T. `Modular`: the unsigned type whose arithmetic has the same low bits and is never promoted.
template <typename T, typename Modular>
struct Integer {
  using Stored = T;

  template <typename Isa, ReduceOp op>
  static T Combine(T a, T b) {
    if constexpr (op == ReduceOp::kSum) return static_cast<T>(static_cast<Modular>(a) + static_cast<Modular>(b));
    if constexpr (op == ReduceOp::kProd) return static_cast<T>(static_cast<Modular>(a) * static_cast<Modular>(b));
    if constexpr (op == ReduceOp::kMax) return a < b ? b : a;
    if constexpr (op == ReduceOp::kMin) return b < a ? b : a;
  }
};

inline constexpr bool IsExtremum(ReduceOp op) { return op == ReduceOp::kMax || op == ReduceOp::kMin; }

// Float or double. Bits: the unsigned type of the same size.
template <typename T, typename Bits, Bits nan>
struct Float {
  using Stored = T;

  template <typename Isa, ReduceOp op>
  static T Combine(T a, T b) {
    if constexpr (op == ReduceOp::kSum || op == ReduceOp::kProd) {
      const T result = static_cast<T>(op == ReduceOp::kSum ? a + b : a * b);
      return result != result ? __builtin_bit_cast(T, nan) : result;
    }
    // Each choice is one instruction. Of equal operands the first takes b and the second a: zeros of different sign.
    constexpr bool kLarger = op == ReduceOp::kMax;
    const T one = (kLarger ? a > b : a < b) ? a : b;
    const T other = (kLarger ? b > a : b < a) ? b : a;
    const Bits one_bits = __builtin_bit_cast(Bits, one);
    const Bits other_bits = __builtin_bit_cast(Bits, other);
    const Bits result = static_cast<Bits>(kLarger ? one_bits & other_bits : one_bits | other_bits);
    return __builtin_isunordered(a, b) ? __builtin_bit_cast(T, nan) : __builtin_bit_cast(T, result);
  }
};

using Fp32 = Float<float, std::uint32_t, 0x7FC00000U>;
using Fp64 = Float<double, std::uint64_t, 0x7FF8000000000000U>;

template <typename Isa>
std::uint32_t BitsOf(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
template <typename Isa>
float FloatOf(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

inline constexpr std::uint32_t kFloatSign = 0x80000000U;

// IEEE 754 binary16. Sum and product of two fit into a float so well that rounding there first changes nothing.
struct Fp16 {
  static constexpr std::uint16_t kInfinity = 0x7C00;
  static constexpr std::uint16_t kNan = 0x7E00;

  // The half in the upper sixteen bits; the lower ones are ignored.
  template <typename Isa>
  static float WidenUpper(std::uint32_t bits) {
    const std::uint32_t sign = bits & kFloatSign;
    const std::uint32_t magnitude = (bits >> 3) & 0x0FFFE000U;
    const std::uint32_t normal = magnitude + (112U << 23);  // the exponent's bias is 127, not 15
    // A subnormal becomes 2^-14 + x first; the subtraction is exact.
    const std::uint32_t subnormal = BitsOf<Isa>(FloatOf<Isa>(magnitude + (113U << 23)) - 0x1p-14F);
    const std::uint32_t special = magnitude + (224U << 23);
    const std::uint32_t finite = magnitude < (1U << 23) ? subnormal : normal;
    return FloatOf<Isa>(sign | (magnitude >= (31U << 23) ? special : finite));
  }

  // To the lower sixteen bits; the upper ones are zero.
  template <typename Isa>
  static std::uint32_t Narrow(float value) {
    const std::uint32_t sign = BitsOf<Isa>(value) & kFloatSign;
    const std::uint32_t magnitude = BitsOf<Isa>(value) ^ sign;
    const std::uint32_t normal = (magnitude - (112U << 23) + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    // Adding 0.5, whose last bit is worth 2^-24, rounds to the step of subnormals.
    const std::uint32_t subnormal = BitsOf<Isa>(FloatOf<Isa>(magnitude) + 0.5F) - BitsOf<Isa>(0.5F);
    const std::uint32_t finite = magnitude < (113U << 23) ? subnormal : normal;
    // 65536 and more; of 65520 and more the rounding has already made infinity.
    const std::uint32_t number = magnitude >= (143U << 23) ? kInfinity : finite;
    return value != value ? kNan : number | sign >> 16;
  }

  template <typename Isa, ReduceOp op>
  static float Compute(float a, float b) {
    return op == ReduceOp::kSum ? a + b : a * b;
  }
};

// The upper half of a float.
struct Bf16 {
  static constexpr std::uint16_t kInfinity = 0x7F80;
  static constexpr std::uint16_t kNan = 0x7FC0;

  template <typename Isa>
  static float WidenUpper(std::uint32_t bits) {
    return FloatOf<Isa>(bits & 0xFFFF0000U);
  }

  template <typename Isa>
  static std::uint32_t Narrow(float value) {
    const std::uint32_t bits = BitsOf<Isa>(value);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    return value != value ? kNan : rounded;
  }

  // A product below the normal range is rounded twice, to the step of a float's subnormals and to ours; but its sixteen
  // bits are too few to reach from one half-way case to the other, so once would give the same.
  template <typename Isa, ReduceOp op>
  static float Compute(float a, float b) {
    return op == ReduceOp::kSum ? a + b : a * b;
  }
};

// One element of sixteen bits.
template <typename Format>
struct Half {
  using Stored = std::uint16_t;

  // By the bits: as integers, floats are in order, but negative ones among themselves the other way round.
  template <typename Isa, ReduceOp op>
  static std::uint16_t Extremum(std::int16_t a, std::int16_t b) {
    const std::int16_t larger = a < b ? b : a;
    const std::int16_t smaller = a < b ? a : b;
    const std::int16_t mixed = op == ReduceOp::kMax ? larger : smaller;
    const std::int16_t negative = op == ReduceOp::kMax ? smaller : larger;
    const std::uint16_t result = static_cast<std::uint16_t>(larger < 0 ? negative : mixed);
    const std::uint16_t a_magnitude = static_cast<std::uint16_t>(a & 0x7FFF);
    const std::uint16_t b_magnitude = static_cast<std::uint16_t>(b & 0x7FFF);
    const std::uint16_t magnitude = a_magnitude < b_magnitude ? b_magnitude : a_magnitude;
    return magnitude > Format::kInfinity ? Format::kNan : result;
  }

  template <typename Isa, ReduceOp op>
  static std::uint16_t Combine(std::uint16_t a, std::uint16_t b) {
    if constexpr (IsExtremum(op)) {
      return Extremum<Isa, op>(static_cast<std::int16_t>(a), static_cast<std::int16_t>(b));
    } else {
      const float wide_a = Format::template WidenUpper<Isa>(static_cast<std::uint32_t>(a) << 16);
      const float wide_b = Format::template WidenUpper<Isa>(static_cast<std::uint32_t>(b) << 16);
      return static_cast<std::uint16_t>(
          Format::template Narrow<Isa>(Format::template Compute<Isa, op>(wide_a, wide_b)));
    }
  }
};

// Two of them side by side: vector code then never moves an element to another place.
template <typename Format>
struct HalfPair {
  using Stored = std::uint32_t;

  template <typename Isa, ReduceOp op>
  static std::uint32_t Combine(std::uint32_t a, std::uint32_t b) {
    const float upper =
        Format::template Compute<Isa, op>(Format::template WidenUpper<Isa>(a), Format::template WidenUpper<Isa>(b));
    const float lower = Format::template Compute<Isa, op>(Format::template WidenUpper<Isa>(a << 16),
                                                          Format::template WidenUpper<Isa>(b << 16));
    return Format::template Narrow<Isa>(upper) << 16 | Format::template Narrow<Isa>(lower);
  }
};

// An element anywhere in memory, whatever the program calls what lies there.
template <typename Isa, typename T>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  T value;
};

template <typename Isa, typename Element, ReduceOp op>
void ReduceLoop(void* dst, const void* src, std::size_t count) {
  using Stored = Unaligned<Isa, typename Element::Stored>;
  auto* to = static_cast<Stored*>(dst);
  const auto* from = static_cast<const Stored*>(src);
  for (std::size_t i = 0; i < count; ++i) {
    to[i].value = Element::template Combine<Isa, op>(to[i].value, from[i].value);
  }
}

// The odd element at the end goes alone.
template <typename Isa, typename Format, ReduceOp op>
void ReduceHalves(void* dst, const void* src, std::size_t count) {
  const std::size_t paired = count / 2 * 4;
  ReduceLoop<Isa, HalfPair<Format>, op>(dst, src, count / 2);
  ReduceLoop<Isa, Half<Format>, op>(static_cast<unsigned char*>(dst) + paired,
                                    static_cast<const unsigned char*>(src) + paired, count % 2);
}

template <typename Isa, typename Element>
void FillType(ReducePath* path, DataType type) {
  ReduceApply* apply = path->apply[static_cast<int>(type)];
  apply[static_cast<int>(ReduceOp::kSum)] = ReduceLoop<Isa, Element, ReduceOp::kSum>;
  apply[static_cast<int>(ReduceOp::kProd)] = ReduceLoop<Isa, Element, ReduceOp::kProd>;
  apply[static_cast<int>(ReduceOp::kMax)] = ReduceLoop<Isa, Element, ReduceOp::kMax>;
  apply[static_cast<int>(ReduceOp::kMin)] = ReduceLoop<Isa, Element, ReduceOp::kMin>;
}

template <typename Isa, typename Format>
void FillHalf(ReducePath* path, DataType type) {
  ReduceApply* apply = path->apply[static_cast<int>(type)];
  apply[static_cast<int>(ReduceOp::kSum)] = ReduceHalves<Isa, Format, ReduceOp::kSum>;
  apply[static_cast<int>(ReduceOp::kProd)] = ReduceHalves<Isa, Format, ReduceOp::kProd>;
  apply[static_cast<int>(ReduceOp::kMax)] = ReduceLoop<Isa, Half<Format>, ReduceOp::kMax>;
  apply[static_cast<int>(ReduceOp::kMin)] = ReduceLoop<Isa, Half<Format>, ReduceOp::kMin>;
}

// Every type that an ordinary loop serves well.
template <typename Isa>
void FillTypes(ReducePath* path) {
  FillType<Isa, Integer<std::int8_t, std::uint32_t>>(path, DataType::kInt8);
  FillType<Isa, Integer<std::int16_t, std::uint32_t>>(path, DataType::kInt16);
  FillType<Isa, Integer<std::int32_t, std::uint32_t>>(path, DataType::kInt32);
  FillType<Isa, Integer<std::int64_t, std::uint64_t>>(path, DataType::kInt64);
  FillType<Isa, Integer<std::uint8_t, std::uint32_t>>(path, DataType::kUint8);
  FillType<Isa, Integer<std::uint16_t, std::uint32_t>>(path, DataType::kUint16);
  FillType<Isa, Integer<std::uint32_t, std::uint32_t>>(path, DataType::kUint32);
  FillType<Isa, Integer<std::uint64_t, std::uint64_t>>(path, DataType::kUint64);
  FillHalf<Isa, Fp16>(path, DataType::kFp16);
  FillHalf<Isa, Bf16>(path, DataType::kBf16);
  FillType<Isa, Fp32>(path, DataType::kFp32);
  FillType<Isa, Fp64>(path, DataType::kFp64);
}

}  // namespace softhccl::transport
