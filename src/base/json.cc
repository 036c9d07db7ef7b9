// The parser is nlohmann's, which does not say where a value stands; an iterator that counts lines as the parser reads
// adds that. The tree is our own and knows the line of every value.
#include "base/json.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace softhccl::base {

struct JsonValue::Node {
  enum class Type { kNull, kBoolean, kInteger, kNegative, kNumber, kString, kArray, kObject };
  Type type = Type::kNull;
  int line = 1;
  std::uint64_t integer = 0;  // kInteger
  std::string text;           // kString, and the digits of other numbers
  struct Member;
  std::vector<Member> members;  // kObject; kArray with empty names
};

struct JsonValue::Node::Member {
  std::string name;
  Node node;
};

namespace {

// Reads characters and remembers the line of the last one that was no white space: that is where the value or the
// mark that the parser has just finished stands.
struct LineCounter {
  int line = 1;
  int last = 1;
  void Read(char c) {
    if (c == '\n') {
      ++line;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      last = line;
    }
  }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, LineCounter* counter) : at_(at), counter_(counter) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    counter_->Read(*at_++);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  LineCounter* counter_;
};

// What the parser says, without its own name, number and position.
std::string Reason(const char* text) {
  std::string_view reason(text);
  const auto mark = reason.find("parse error");
  const auto colon = mark == std::string_view::npos ? mark : reason.find(": ", mark);
  if (colon != std::string_view::npos) reason = reason.substr(colon + 2);
  return std::string(reason.substr(0, 200));
}

std::string Join(const std::string& field, std::string_view name) {
  return field.empty() ? std::string(name) : fmt::format("{}.{}", field, name);
}

}  // namespace

// Receives the parser's events and makes the tree. The path to the open value is a stack of pointers: a vector of
// children grows only while its own node is on top, so the pointers below stay valid.
class JsonValue::Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  Builder(Node* root, const LineCounter* counter) : root_(root), counter_(counter) {}

  bool null() { return Put(Node::Type::kNull) != nullptr; }
  bool boolean(bool) { return Put(Node::Type::kBoolean) != nullptr; }
  bool number_integer(number_integer_t value) { return PutText(Node::Type::kNegative, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) {
    Node* node = Put(Node::Type::kInteger);
    if (node != nullptr) node->integer = value;
    return node != nullptr;
  }
  bool number_float(number_float_t, const string_t& digits) { return PutText(Node::Type::kNumber, digits); }
  bool string(string_t& value) { return PutText(Node::Type::kString, std::move(value)); }
  bool binary(binary_t&) { return false; }  // not part of JSON text

  bool start_object(std::size_t) { return Open(Node::Type::kObject); }
  bool start_array(std::size_t) { return Open(Node::Type::kArray); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(string_t& name) {
    for (const auto& [other, node] : open_.back()->members) {
      if (other == name) {
        return Stop(fmt::format("member \"{}\" is there already, on line {}", name.substr(0, 80), node.line));
      }
    }
    key_ = std::move(name);
    return true;
  }
  template <typename Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& error) {
    return Stop(fmt::format("not valid JSON: {}", Reason(error.what())));
  }

  const std::string& problem() const { return problem_; }
  int problem_line() const { return problem_line_; }

 private:
  Node* Put(typename Node::Type type) {
    Node* node = root_;
    if (!open_.empty()) {
      node = &open_.back()->members.emplace_back(Node::Member{std::move(key_), Node()}).node;
      key_.clear();
    }
    node->type = type;
    node->line = counter_->last;
    return node;
  }
  bool PutText(typename Node::Type type, std::string text) {
    Node* node = Put(type);
    node->text = std::move(text);
    return true;
  }
  bool Open(typename Node::Type type) {
    if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) {
      return Stop(fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    open_.push_back(Put(type));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }
  bool Stop(std::string problem) {
    problem_ = std::move(problem);
    problem_line_ = counter_->last;
    return false;
  }

  Node* root_;
  const LineCounter* counter_;
  std::vector<Node*> open_;
  std::string key_;
  std::string problem_;
  int problem_line_ = 1;
};

Result<JsonValue> JsonValue::Parse(std::string_view text, const std::string& source) {
  if (text.size() > kMaxText) {
    return FailResult(Code::kInvalidParam, "{}:1: {} bytes are more than the limit of {}", source, text.size(),
                      kMaxText);
  }
  auto root = std::make_shared<Node>();
  LineCounter counter;
  Builder builder(root.get(), &counter);
  const CountingIterator begin(text.data(), &counter);
  const CountingIterator end(text.data() + text.size(), &counter);
  if (!nlohmann::json::sax_parse(begin, end, &builder)) {
    return FailResult(Code::kInvalidParam, "{}:{}: {}", source, builder.problem_line(), builder.problem());
  }
  const Node* node = root.get();
  return JsonValue(std::move(root), node, std::make_shared<const std::string>(source), "");
}

bool JsonValue::IsObject() const { return node_->type == Node::Type::kObject; }
bool JsonValue::IsArray() const { return node_->type == Node::Type::kArray; }
bool JsonValue::IsString() const { return node_->type == Node::Type::kString; }
bool JsonValue::IsInteger() const {
  return node_->type == Node::Type::kInteger || node_->type == Node::Type::kNegative;
}
int JsonValue::line() const { return node_->line; }

Status JsonValue::Bad(std::string_view what) const {
  return Fail(Code::kInvalidParam, "{}:{}: {}{}", *source_, node_->line, field_.empty() ? "" : field_ + ": ", what);
}

Status JsonValue::Expected(std::string_view what) const {
  static constexpr const char* kNames[] = {"null",       "true or false", "the number", "the number",
                                           "the number", "the text",      "an array",   "an object"};
  std::string is = kNames[static_cast<int>(node_->type)];
  if (node_->type == Node::Type::kInteger) is += fmt::format(" {}", node_->integer);
  if (node_->type == Node::Type::kNegative || node_->type == Node::Type::kNumber) is += " " + node_->text.substr(0, 40);
  if (node_->type == Node::Type::kString) is += fmt::format(" \"{}\"", node_->text.substr(0, 80));
  return Bad(fmt::format("is {}, expected {}", is, what));
}

Result<std::optional<JsonValue>> JsonValue::Find(std::string_view name) const {
  if (!IsObject()) return tl::unexpected(Expected("an object"));
  for (const auto& [member, node] : node_->members) {
    if (member == name) return std::optional<JsonValue>(At(node, Join(field_, name)));
  }
  return std::optional<JsonValue>();
}

Result<JsonValue> JsonValue::Member(std::string_view name) const {
  auto found = Find(name);
  if (!found) return tl::unexpected(found.error());
  if (*found) return std::move(**found);
  return tl::unexpected(Bad(fmt::format("\"{}\" is missing", name)));
}

Status JsonValue::OnlyMembers(std::initializer_list<std::string_view> known) const {
  if (!IsObject()) return Expected("an object");
  for (const auto& [member, node] : node_->members) {
    bool is_known = false;
    for (const std::string_view name : known) is_known = is_known || name == member;
    if (is_known) continue;
    return At(node, Join(field_, member.substr(0, 80)))
        .Bad(fmt::format("is not known here; known are {}", fmt::join(known, ", ")));
  }
  return {};
}

Result<std::vector<JsonValue>> JsonValue::Elements() const {
  if (!IsArray()) return tl::unexpected(Expected("an array"));
  std::vector<JsonValue> elements;
  for (const auto& [name, node] : node_->members) {
    elements.push_back(At(node, fmt::format("{}[{}]", field_, elements.size())));
  }
  return elements;
}

Result<std::string> JsonValue::String() const {
  if (!IsString()) return tl::unexpected(Expected("a text"));
  return node_->text;
}

Result<std::uint64_t> JsonValue::Unsigned(std::uint64_t low, std::uint64_t high) const {
  if (node_->type != Node::Type::kInteger || node_->integer < low || node_->integer > high) {
    return tl::unexpected(Expected(fmt::format("an integer from {} to {}", low, high)));
  }
  return node_->integer;
}

Result<std::string> ReadTextFile(const std::string& path, std::size_t limit) {
  const auto refuse = [&path](const char* reason) {
    return FailResult(Code::kFileError, "cannot read {}: {}", path, reason);
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return refuse(std::strerror(errno));
  std::string text;
  char piece[16384];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, file.get())) {
    text.append(piece, got);
    if (text.size() > limit) return refuse("the file is too large");
  }
  if (std::ferror(file.get()) != 0) return refuse(std::strerror(errno));
  return text;
}

}  // namespace softhccl::base
