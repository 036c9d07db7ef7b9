// The small vocabulary in which the readers of rank tables are written: fields with their type and range, and the
// vendor's codes for what is wrong with them (EI0017 a field that is missing or of another type, EI0014 a value that
// does not fit).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace softhccl::bootstrap {

using Field = base::JsonValue;

// EI0014 and the field's place.
base::Status BadValue(const Field& field, std::string_view what);

// The member, whatever its type.
base::Result<Field> Member(const Field& object, std::string_view key);
// A string with `shortest` to `longest` characters.
base::Result<std::string> Text(const Field& object, std::string_view key, std::size_t shortest, std::size_t longest);
// A number, written as a string of digits (`as_text`) or as an integer.
base::Result<std::uint32_t> Number(const Field& object, std::string_view key, bool as_text, std::uint32_t low,
                                   std::uint32_t high);
// An array with `least` to `most` elements, all of them objects.
base::Result<std::vector<Field>> Objects(const Field& object, std::string_view key, std::size_t least,
                                         std::size_t most);

// Whether a member is there; false also for what is no object.
bool Has(const Field& object, std::string_view key);
// Checks of fields that may be absent.
base::Status CheckOptionalPort(const Field& object, std::string_view key, bool as_text);
base::Status CheckOptionalAddress(const Field& object, std::string_view key);

}  // namespace softhccl::bootstrap
