// What an operator has told about the operation that an op belongs to, in two words that travel with the op and are
// left on the notify that it records: so the two sides of a pair can compare what they do when they meet, without a
// lookup, a lock or an allocation.
#pragma once

#include <cstdint>

namespace softhccl::exec {

enum class OperationKind : std::uint8_t { kSend = 1, kReceive };  // those with a counterpart

// Value type; constant once made. The default one says nothing.
class Operation {
 public:
  static constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 48) - 1;

  Operation() = default;
  // `number` counts the rank's operations of that kind with one peer, from 1; `data_type` is one of HcclDataType;
  // `count` in elements, at most kMaxCount.
  Operation(OperationKind kind, std::uint8_t data_type, std::uint64_t count, std::uint32_t number)
      : Operation(Tag(kind, number) << 48 | count,
                  std::uint64_t{data_type} << 40 | static_cast<std::uint64_t>(kind) << 32 | number) {}

  bool is_known() const { return identity_ != 0; }
  OperationKind kind() const { return static_cast<OperationKind>((identity_ >> 32) & 0xFF); }
  std::uint8_t data_type() const { return static_cast<std::uint8_t>(identity_ >> 40); }
  std::uint64_t count() const { return amount_ & kMaxCount; }
  std::uint32_t number() const { return static_cast<std::uint32_t>(identity_); }

  // The n-th send of a rank and the n-th receive of its peer. A record that an earlier operation made late is no reason
  // to compare that one.
  bool IsCounterpartOf(const Operation& other) const {
    return is_known() && other.is_known() && kind() != other.kind() && number() == other.number();
  }

  // For atomics: the words of one operation, which know each other by a tag. Words of two different operations give one
  // that says nothing.
  std::uint64_t amount() const { return amount_; }
  std::uint64_t identity() const { return identity_; }
  static Operation OfWords(std::uint64_t amount, std::uint64_t identity) {
    const Operation whole(amount, identity);
    return amount >> 48 == Tag(whole.kind(), whole.number()) ? whole : Operation();
  }

 private:
  Operation(std::uint64_t amount, std::uint64_t identity) : amount_(amount), identity_(identity) {}
  static std::uint64_t Tag(OperationKind kind, std::uint32_t number) {
    return (std::uint64_t{number} << 2 | static_cast<std::uint64_t>(kind)) & 0xFFFF;
  }

  std::uint64_t amount_ = 0;    // tag: 16 | count: 48
  std::uint64_t identity_ = 0;  // data type: 8 | kind: 8 | number: 32
};

}  // namespace softhccl::exec
