// Every access to a field checks its type and its range and knows the words for what is wrong.
#include "bootstrap/rank_table_fields.h"

#include <charconv>

#include "base/hccl_syntax.h"

namespace softhccl::bootstrap {

using base::Code;
using base::Status;

namespace {

Status Coded(const char* code, const Status& status) {
  return base::Fail(Code::kInvalidParam, "{} {}", code, status.message());
}

// The error of a member that has the wrong type.
template <typename T>
tl::unexpected<Status> WrongType(const base::Result<T>& read) {
  return tl::unexpected(Coded("EI0017", read.error()));
}

}  // namespace

Status BadValue(const Field& field, std::string_view what) { return Coded("EI0014", field.Bad(what)); }

base::Result<Field> Member(const Field& object, std::string_view key) {
  auto found = object.Member(key);
  if (!found) return WrongType(found);
  return found;
}

bool Has(const Field& object, std::string_view key) {
  const auto found = object.Find(key);
  return found && found->has_value();
}

base::Result<std::string> Text(const Field& object, std::string_view key, std::size_t shortest, std::size_t longest) {
  auto found = Member(object, key);
  if (!found) return tl::unexpected(found.error());
  auto text = found->String();
  if (!text) return WrongType(text);
  if (text->size() < shortest || text->size() > longest) {
    return tl::unexpected(
        BadValue(*found, fmt::format("has {} characters; use {} to {}", text->size(), shortest, longest)));
  }
  return text;
}

base::Result<std::uint32_t> Number(const Field& object, std::string_view key, bool as_text, std::uint32_t low,
                                   std::uint32_t high) {
  auto found = Member(object, key);
  if (!found) return tl::unexpected(found.error());
  if (!as_text) {
    auto number = found->Unsigned(low, high);
    if (number) return static_cast<std::uint32_t>(*number);
    return tl::unexpected(Coded(found->IsInteger() ? "EI0014" : "EI0017", number.error()));
  }
  auto text = found->String();
  if (!text) return WrongType(text);
  if (!base::IsNumber(*text, low, high)) {
    return tl::unexpected(BadValue(
        *found, fmt::format("\"{}\" is not a number from {} to {} in digits", text->substr(0, 60), low, high)));
  }
  std::uint32_t value = 0;
  std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

base::Result<std::vector<Field>> Objects(const Field& object, std::string_view key, std::size_t least,
                                         std::size_t most) {
  auto found = Member(object, key);
  if (!found) return tl::unexpected(found.error());
  auto elements = found->Elements();
  if (!elements) return WrongType(elements);
  if (elements->size() < least || elements->size() > most) {
    return tl::unexpected(
        BadValue(*found, fmt::format("has {} elements; use {} to {}", elements->size(), least, most)));
  }
  for (const Field& element : *elements) {
    if (!element.IsObject()) return tl::unexpected(Coded("EI0017", element.Bad("is not an object")));
  }
  return elements;
}

Status CheckOptionalPort(const Field& object, std::string_view key, bool as_text) {
  if (!Has(object, key)) return {};
  auto port = Number(object, key, as_text, 1, 65535);
  return port ? Status() : port.error();
}

Status CheckOptionalAddress(const Field& object, std::string_view key) {
  if (!Has(object, key)) return {};
  auto text = Text(object, key, 0, 256);
  if (!text) return text.error();
  if (base::IsIpAddress(*text)) return {};
  return BadValue(*Member(object, key), fmt::format("\"{}\" is not an IPv4 or IPv6 address", *text));
}

}  // namespace softhccl::bootstrap
