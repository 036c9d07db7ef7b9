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

// Float or double. Bits: the unsigned type of the same size.
template <typename T, typename Bits, Bits nan>
struct Float {
  using Stored = T;

  template <typename Isa, ReduceOp op>
  static T Combine(T a, T b) {
    const T quiet = __builtin_bit_cast(T, nan);
    if constexpr (op == ReduceOp::kSum || op == ReduceOp::kProd) {
      const T result = op == ReduceOp::kSum ? a + b : a * b;
      return result != result ? quiet : result;
    }
    // Of equal operands one choice is a and the other b: only zeros of different sign differ in a bit.
    const bool swap = op == ReduceOp::kMin;
    const T one = (swap ? a < b : a > b) ? a : b;
    const T other = (swap ? b < a : b > a) ? b : a;
    const Bits one_bits = __builtin_bit_cast(Bits, one);
    const Bits other_bits = __builtin_bit_cast(Bits, other);
    const T result = __builtin_bit_cast(T, static_cast<Bits>(swap ? one_bits | other_bits : one_bits & other_bits));
    return (a != a) | (b != b) ? quiet : result;
  }
};

using Fp32 = Float<float, std::uint32_t, 0x7FC00000U>;
using Fp64 = Float<double, std::uint64_t, 0x7FF8000000000000U>;

inline constexpr std::uint32_t kFloatSign = 0x80000000U;

// IEEE 754 binary16. Sum and product of two fit into a float so well that rounding there first changes nothing.
struct Fp16 {
  using Stored = std::uint16_t;

  template <typename Isa>
  static float Widen(std::uint16_t half) {
    const std::uint32_t magnitude = (half & 0x7FFFU) << 13;
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t normal = magnitude + (112U << 23);  // the exponent's bias is 127, not 15
    // A subnormal becomes 2^-14 + x first; the subtraction is exact.
    const float subnormal = __builtin_bit_cast(float, magnitude + (113U << 23)) - 0x1p-14F;
    const std::uint32_t special = magnitude + (224U << 23);
    std::uint32_t bits = magnitude < (1U << 23) ? __builtin_bit_cast(std::uint32_t, subnormal) : normal;
    bits = magnitude >= (31U << 23) ? special : bits;
    return __builtin_bit_cast(float, bits | sign);
  }

  template <typename Isa>
  static std::uint16_t Narrow(float value) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t sign = bits & kFloatSign;
    const std::uint32_t magnitude = bits ^ sign;
    const std::uint32_t normal = (magnitude - (112U << 23) + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    // Adding 0.5, whose last bit is worth 2^-24, rounds to the step of subnormals.
    const float aligned = __builtin_bit_cast(float, magnitude) + 0.5F;
    const std::uint32_t subnormal =
        __builtin_bit_cast(std::uint32_t, aligned) - __builtin_bit_cast(std::uint32_t, 0.5F);
    std::uint32_t half = magnitude < (113U << 23) ? subnormal : normal;
    half = magnitude >= (143U << 23) ? 0x7C00U : half;  // 65536 and more; rounding alone makes infinity of 65520
    half |= sign >> 16;
    half = magnitude > (255U << 23) ? 0x7E00U : half;
    return static_cast<std::uint16_t>(half);
  }

  template <typename Isa, ReduceOp op>
  static std::uint16_t Combine(std::uint16_t a, std::uint16_t b) {
    return Narrow<Isa>(Fp32::Combine<Isa, op>(Widen<Isa>(a), Widen<Isa>(b)));
  }
};

// The upper half of a float.
struct Bf16 {
  using Stored = std::uint16_t;

  template <typename Isa>
  static float Widen(std::uint16_t bf16) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bf16) << 16);
  }

  template <typename Isa>
  static std::uint16_t Narrow(float value) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    return static_cast<std::uint16_t>((bits & ~kFloatSign) > (255U << 23) ? 0x7FC0U : rounded);
  }

  // A product below the normal range would be rounded twice: once to the step of a float's subnormals, once to ours.
  // Adding a number whose last bit is worth our step, 2^-133, rounds the exact product once.
  template <typename Isa>
  static float Product(float a, float b) {
    const float product = a * b;
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, product);
    float tiny = 0;
    if constexpr (Isa::kFma) {
      tiny = __builtin_fmaf(a, b, 0x1.8p-110F) - 0x1.8p-110F;
    } else {
      tiny = static_cast<float>((static_cast<double>(a) * static_cast<double>(b) + 0x1.8p-81) - 0x1.8p-81);
    }
    const std::uint32_t tiny_bits = (__builtin_bit_cast(std::uint32_t, tiny) & ~kFloatSign) | (bits & kFloatSign);
    return __builtin_bit_cast(float, (bits & ~kFloatSign) < (1U << 23) ? tiny_bits : bits);
  }

  template <typename Isa, ReduceOp op>
  static std::uint16_t Combine(std::uint16_t a, std::uint16_t b) {
    if constexpr (op == ReduceOp::kProd) return Narrow<Isa>(Product<Isa>(Widen<Isa>(a), Widen<Isa>(b)));
    return Narrow<Isa>(Fp32::Combine<Isa, op>(Widen<Isa>(a), Widen<Isa>(b)));
  }
};

// Reads and writes by copy, because nothing is aligned.
template <typename Isa, typename Element, ReduceOp op>
void ReduceLoop(void* dst, const void* src, std::size_t count) {
  using Stored = typename Element::Stored;
  auto* to = static_cast<unsigned char*>(dst);
  const auto* from = static_cast<const unsigned char*>(src);
  for (std::size_t i = 0; i < count; ++i) {
    Stored a;
    Stored b;
    std::memcpy(&a, to + i * sizeof(Stored), sizeof(Stored));
    std::memcpy(&b, from + i * sizeof(Stored), sizeof(Stored));
    a = Element::template Combine<Isa, op>(a, b);
    std::memcpy(to + i * sizeof(Stored), &a, sizeof(Stored));
  }
}

template <typename Isa, typename Element>
void FillType(ReducePath* path, DataType type) {
  ReduceApply* apply = path->apply[static_cast<int>(type)];
  apply[static_cast<int>(ReduceOp::kSum)] = ReduceLoop<Isa, Element, ReduceOp::kSum>;
  apply[static_cast<int>(ReduceOp::kProd)] = ReduceLoop<Isa, Element, ReduceOp::kProd>;
  apply[static_cast<int>(ReduceOp::kMax)] = ReduceLoop<Isa, Element, ReduceOp::kMax>;
  apply[static_cast<int>(ReduceOp::kMin)] = ReduceLoop<Isa, Element, ReduceOp::kMin>;
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
  FillType<Isa, Fp16>(path, DataType::kFp16);
  FillType<Isa, Bf16>(path, DataType::kBf16);
  FillType<Isa, Fp32>(path, DataType::kFp32);
  FillType<Isa, Fp64>(path, DataType::kFp64);
}

}  // namespace softhccl::transport
