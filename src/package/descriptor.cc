// Descriptors: the JSON is checked twice, first for its shape without building anything, then for its meaning.
#include "package/descriptor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace softhccl::package {
namespace {

using base::Code;
using base::FailResult;
using base::Status;
using nlohmann::json;

constexpr int kDepthLimit = 32;

// First pass over a descriptor: syntax, nesting and repeated kernels, without building anything, so that a file of
// sixteen million brackets costs no memory.
class SyntaxPass : public json::json_sax_t {
 public:
  std::string error;         // empty: well-formed
  std::size_t position = 0;  // byte of the error, counted from 1; 0: unknown
  std::set<std::string> repeated;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return Deeper(); }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return Deeper(); }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ == 1 && !kernels_.insert(name).second) repeated.insert(name);
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& exception) override {
    position = at;
    // "[json.exception.parse_error.101] parse error at line 1, column 2: <reason>": the reason is what is kept.
    const std::string_view text = exception.what();
    const auto column = text.find("column ");
    const auto colon = column == std::string_view::npos ? column : text.find(": ", column);
    error = colon == std::string_view::npos ? text : text.substr(colon + 2);
    if (error.size() > 200) error = error.substr(0, 200) + "...";
    return false;
  }

 private:
  bool Deeper() {
    if (++depth_ <= kDepthLimit) return true;
    error = fmt::format("nested deeper than the limit of {} levels", kDepthLimit);
    return false;
  }

  int depth_ = 0;
  std::set<std::string> kernels_;
};

std::string PlaceOf(const std::string& text, std::size_t position) {
  if (position == 0) return "";
  const std::string_view before = std::string_view(text).substr(0, std::min(position - 1, text.size()));
  const auto line_start = before.rfind('\n');
  const auto column = line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return fmt::format("line {}, column {}: ", std::count(before.begin(), before.end(), '\n') + 1, column);
}

// A text field of opInfo; empty when absent.
base::Result<std::string> Field(const json& info, const char* name, const std::string& where) {
  const auto it = info.find(name);
  if (it == info.end()) return std::string();
  if (!it->is_string()) {
    return FailResult(Code::kFileError, "{}: {} must be a string, it is of type {}", where, name, it->type_name());
  }
  auto value = it->get<std::string>();
  if (value.find('\0') != std::string::npos) {
    return FailResult(Code::kFileError, "{}: {} contains a zero byte", where, name);
  }
  return value;
}

bool IsPlainFileName(std::string_view name) {
  if (name == "." || name == ".." || name.size() > 255) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

base::Result<KernelEntry> ParseEntry(const std::string& kernel, const json& info, const std::string& path) {
  const std::string where = fmt::format("descriptor {}: kernel '{}'", path, kernel);
  if (!info.is_object()) {
    return FailResult(Code::kFileError, "{}: opInfo must be an object, it is of type {}", where, info.type_name());
  }
  KernelEntry entry;
  entry.kernel_name = kernel;
  std::string user_defined;
  for (const auto& [name, target] :
       {std::pair{"kernelSo", &entry.library_name}, std::pair{"functionName", &entry.symbol},
        std::pair{"opKernelLib", &entry.kernel_lib}, std::pair{"userDefined", &user_defined}}) {
    auto value = Field(info, name, where);
    if (!value) return tl::unexpected<Status>(value.error());
    *target = std::move(*value);
  }
  if (!IsPlainFileName(entry.library_name)) {
    return FailResult(Code::kFileError,
                      "{}: kernelSo '{}' must be a file name of letters, digits, '-', '_' and '.', without a folder",
                      where, entry.library_name);
  }
  if (entry.library_name.empty() || entry.symbol.empty()) {
    base::Log(base::LogLevel::kWarning, fmt::format("{}: {} is missing, so the kernel will fail when it is used", where,
                                                    entry.library_name.empty() ? "kernelSo" : "functionName"));
  }
  return entry;
}

}  // namespace

base::Result<std::vector<KernelEntry>> ParseDescriptor(const std::string& text, const std::string& path) {
  SyntaxPass pass;
  if (!json::sax_parse(text, &pass)) {
    return FailResult(Code::kFileError, "descriptor {}: {}{}", path, PlaceOf(text, pass.position), pass.error);
  }
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) {
    return FailResult(Code::kFileError, "descriptor {}: the top level must be an object, it is of type {}", path,
                      document.type_name());
  }
  for (const auto& name : pass.repeated) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("descriptor {}: kernel '{}' is described more than once; the last one counts", path, name));
  }
  std::vector<KernelEntry> entries;
  for (const auto& [kernel, value] : document.items()) {
    if (!value.is_object()) {
      return FailResult(Code::kFileError, "descriptor {}: kernel '{}' must be an object, it is of type {}", path,
                        kernel, value.type_name());
    }
    const auto info = value.find("opInfo");
    if (info == value.end()) continue;
    auto entry = ParseEntry(kernel, *info, path);
    if (!entry) return tl::unexpected<Status>(entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace softhccl::package
