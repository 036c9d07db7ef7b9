// Strict on purpose: a list that does not cover everything covers nothing.
#include "package/digest_list.h"

#include <algorithm>
#include <cctype>

#include "package/file.h"

namespace softhccl::package {

using base::Code;
using base::Fail;
using base::FailResult;

base::Result<std::map<std::string, std::string>> ParseDigestList(std::string_view text) {
  std::map<std::string, std::string> digests;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto equals = line.rfind('=');
    std::string digest(equals == std::string_view::npos ? "" : line.substr(equals + 1));
    const bool is_hex =
        std::all_of(digest.begin(), digest.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
    if (equals == 0 || digest.size() != 64 || !is_hex) {
      return FailResult(Code::kFileError, "{} line {}: {}: expected <file name>=<64 hexadecimal digits>",
                        kDigestListName, number, Printable(line));
    }
    std::transform(digest.begin(), digest.end(), digest.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!digests.emplace(line.substr(0, equals), digest).second) {
      return FailResult(Code::kFileError, "{} line {}: {}: the file is listed twice", kDigestListName, number,
                        Printable(line));
    }
  }
  return digests;
}

base::Status CheckDigests(const std::map<std::string, std::string>& listed,
                          const std::map<std::string, Digest>& files) {
  for (const auto& [name, digest] : files) {
    if (name == kDigestListName) continue;
    const auto expected = listed.find(name);
    if (expected == listed.end()) {
      return Fail(Code::kFileError, "file {} is not listed in {}", name, kDigestListName);
    }
    if (expected->second != Hex(digest)) {
      return Fail(Code::kFileError, "file {} has the sha256 {}, {} says {}", name, Hex(digest), kDigestListName,
                  expected->second);
    }
  }
  for (const auto& [name, digest] : listed) {
    if (!files.contains(name)) {
      return Fail(Code::kFileError, "file {} is listed in {} and missing", Printable(name), kDigestListName);
    }
  }
  return {};
}

}  // namespace softhccl::package
