// The parser of the list. The vendor's drops the whole file for one bad line and fails the device; this one drops the
// record and names the line, because the file is edited by hand and a missing line break at its end is the usual
// accident.
#include "package/package_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "package/file.h"

namespace softhccl::package {
namespace {

constexpr std::size_t kRecordLimit = 100;
constexpr std::size_t kProblemLimit = 100;
constexpr std::size_t kListFileLimit = std::size_t{16} << 20;
constexpr std::array<std::string_view, 5> kKeys = {"name", "install_path", "optional", "package_path",
                                                   "load_as_per_soc"};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// The key whose text, with a colon, stands inside a value: two lines were glued together.
std::optional<std::string_view> KeyInside(std::string_view value) {
  for (const auto key : kKeys) {
    const auto at = value.find(key);
    if (at != std::string_view::npos && value.substr(at + key.size()).starts_with(':')) return key;
  }
  return std::nullopt;
}

bool ParseBool(std::string_view value, bool* out) {
  if (value != "true" && value != "false") return false;
  *out = value == "true";
  return true;
}

// Reads the list line by line; Finish() closes the last record.
class ListParser {
 public:
  void Line(std::size_t number, std::string_view raw) {
    const auto line = Trim(raw);
    if (line.empty()) return;
    const auto colon = line.find(':');
    const auto key = colon == std::string_view::npos ? std::string_view{} : Trim(line.substr(0, colon));
    if (key == "name") {
      Finish();
      started_ = true;
      broken_ = false;
      start_number_ = number;
      start_text_ = Printable(line);
    }
    std::string why;
    if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
      why = "a control character is not allowed";
    } else if (colon == std::string_view::npos) {
      why = "expected key:value";
    } else {
      why = Take(key, Trim(line.substr(colon + 1)));
    }
    if (why.empty()) return;
    Report(number, Printable(line), why);
    broken_ = true;
  }

  void Finish() {
    const bool complete = started_ && !broken_;
    PackageRecord record = std::move(record_);
    record.line = start_number_;
    std::set<std::string_view> seen;
    seen.swap(seen_);
    record_ = {};
    if (!complete) return;
    std::string missing;
    for (const auto key : {"install_path", "optional", "package_path"}) {
      if (!seen.contains(key)) missing += (missing.empty() ? "" : ", ") + std::string(key);
    }
    if (!missing.empty()) {
      Report(start_number_, start_text_, "the record lacks " + missing);
      return;
    }
    for (const auto& earlier : list_.records) {
      if (earlier.name == record.name) {
        if (earlier.package_path != record.package_path || earlier.install_path != record.install_path) {
          Note(start_number_, start_text_, "an earlier record has this name and counts: " + earlier.package_path);
        }
        return;
      }
    }
    if (list_.records.size() < kRecordLimit) {
      list_.records.push_back(std::move(record));
    } else {
      Report(start_number_, start_text_, fmt::format("more than {} records", kRecordLimit));
    }
  }

  PackageList Take() { return std::move(list_); }

 private:
  // Stores one value; returns why not, or nothing.
  std::string Take(std::string_view key, std::string_view value) {
    const auto known = std::find(kKeys.begin(), kKeys.end(), key);
    if (known == kKeys.end())
      return "unknown key; known are name, install_path, optional, package_path, load_as_per_soc";
    if (!started_) return "no record has begun; a record begins with name:";
    if (const auto glued = KeyInside(value)) return fmt::format("a line break is missing before {}:", *glued);
    if (value.empty()) return "the value is empty";
    // In a broken record the keys may be those of a glued successor, so a repetition there tells nothing.
    if (!seen_.insert(*known).second) return broken_ ? "" : "this record has the key already";
    if (key == "name") {
      if (value.find('/') != std::string_view::npos) return "the name must be a file name without '/'";
      record_.name = value;
    } else if (key == "package_path") {
      record_.package_path = value;
    } else if (key == "install_path") {
      if (value.size() != 1 || value[0] < '0' || value[0] > '3') return "install_path must be 0, 1, 2 or 3";
      record_.install_path = value[0] - '0';
    } else if (!ParseBool(value, key == "optional" ? &record_.optional : &record_.load_as_per_soc)) {
      return fmt::format("{} must be true or false", key);
    }
    return "";
  }

  void Report(std::size_t number, const std::string& content, std::string_view why) {
    if (list_.breaking.empty()) list_.breaking = fmt::format("line {}: {}: {}", number, content, why);
    Note(number, content, why);
  }

  void Note(std::size_t number, const std::string& content, std::string_view why) {
    auto& problems = list_.problems;
    if (problems.size() > kProblemLimit) return;
    if (problems.size() == kProblemLimit) {
      problems.push_back(fmt::format("line {} and later: further problems are not listed", number));
      return;
    }
    problems.push_back(fmt::format("line {}: {}: {}", number, content, why));
  }

  PackageList list_;
  PackageRecord record_;
  std::set<std::string_view> seen_;
  bool started_ = false;
  bool broken_ = false;
  std::size_t start_number_ = 0;
  std::string start_text_;
};

// "Ascend950PR_9599" is an "ascend950", "Ascend910_9391" an "ascend910_93", "Ascend910B1" an "ascend910b".
std::string ShortSocName(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* known : {"ascend910_93", "ascend910b", "ascend950"}) {
    if (name.starts_with(known)) return known;
  }
  return name;
}

}  // namespace

PackageList ParsePackageList(const std::string& text) {
  ListParser parser;
  const std::string_view all(text);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    parser.Line(++number, all.substr(begin, end - begin));
    begin = end + 1;
  }
  parser.Finish();
  return parser.Take();
}

std::string RecordText(const PackageRecord& record) {
  return fmt::format("name:{}\ninstall_path:{}\noptional:{}\npackage_path:{}\nload_as_per_soc:{}\n", record.name,
                     record.install_path, record.optional, record.package_path, record.load_as_per_soc);
}

std::string PathOf(const PackageRecord& record, const std::string& sdk_root, const std::string& soc_name) {
  // Plain concatenation: a package_path with a leading '/' is still relative to the root.
  std::string path = sdk_root + "/" + record.package_path + "/";
  if (record.load_as_per_soc) path += ShortSocName(soc_name) + "/";
  return path + record.name;
}

bool Lists(const PackageList& list, const std::string& package, const std::string& sdk_root,
           const std::string& soc_name) {
  return std::any_of(list.records.begin(), list.records.end(), [&](const PackageRecord& record) {
    std::error_code error;
    return record.install_path == kAicpuKernels &&
           std::filesystem::equivalent(PathOf(record, sdk_root, soc_name), package, error);
  });
}

std::string ListPathOf(const std::string& sdk_root) { return sdk_root + "/conf/ascend_package_load.ini"; }

base::Result<PackageList> ReadPackageListFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return PackageList();
  const auto text = ReadRegularFile(path, kListFileLimit);
  if (!text) return tl::unexpected<base::Status>(text.error());
  return ParsePackageList(*text);
}

base::Result<PackageList> ReadPackageList(const std::string& sdk_root) {
  return ReadPackageListFile(ListPathOf(sdk_root));
}

}  // namespace softhccl::package
