// JSON files that people write by hand (topology, rank table), read so that every complaint names file, line and field.
// A value is a view that knows its place; asking it for what it is not yields the sentence for the user. The text is
// untrusted: depth, size and ranges are bounded, nothing here throws for it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace softhccl::base {

// One value of a parsed text. Cheap to copy; keeps the whole text's tree alive. Immutable; any thread. Every error is
// kInvalidParam and reads "<source>:<line>: <field>: <what>".
class JsonValue {
 public:
  static constexpr std::size_t kMaxText = std::size_t{64} << 20;  // bytes
  static constexpr int kMaxDepth = 32;

  // `source` names the text in messages, usually the path. Errors also for a text beyond the two limits, and for an
  // object with the same member twice.
  static Result<JsonValue> Parse(std::string_view text, const std::string& source);

  bool IsObject() const;
  bool IsArray() const;
  bool IsString() const;
  bool IsInteger() const;  // no fraction, no exponent
  int line() const;        // from 1

  // The member, which must exist.
  Result<JsonValue> Member(std::string_view name) const;
  // The member, or nothing when it is absent. Errors: this is no object.
  Result<std::optional<JsonValue>> Find(std::string_view name) const;
  // Refuses members that are not in the list, and names those that are.
  Status OnlyMembers(std::initializer_list<std::string_view> known) const;
  Result<std::vector<JsonValue>> Elements() const;

  Result<std::string> String() const;
  Result<std::uint64_t> Unsigned(std::uint64_t low, std::uint64_t high) const;

  // The sentence about this value, for rules that only the caller knows.
  Status Bad(std::string_view what) const;

 private:
  struct Node;
  class Builder;
  JsonValue(std::shared_ptr<const Node> root, const Node* node, std::shared_ptr<const std::string> source,
            std::string field)
      : root_(std::move(root)), node_(node), source_(std::move(source)), field_(std::move(field)) {}
  JsonValue At(const Node& node, std::string field) const { return {root_, &node, source_, std::move(field)}; }
  Status Expected(std::string_view what) const;

  std::shared_ptr<const Node> root_;
  const Node* node_;
  std::shared_ptr<const std::string> source_;
  std::string field_;  // "cluster[1].cards"; empty for the whole text
};

// The whole file. Errors: kFileError naming the path and the system's reason.
Result<std::string> ReadTextFile(const std::string& path, std::size_t limit = JsonValue::kMaxText);

}  // namespace softhccl::base
