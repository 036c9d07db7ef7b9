// Which package a kernel library comes from: the whitelist conf/ascend_package_load.ini, and the search through its
// packages and through the `kernel` folder beside the descriptor. The vendor's parser drops the whole file for one
// bad line and fails the device; this one drops the record and names the line, because the file is edited by hand
// and a missing line break at its end is the usual accident.
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/log.h"
#include "engine/kernel_package.h"

namespace softhccl::engine {
namespace {

namespace fs = std::filesystem;
using base::Code;

constexpr std::size_t kRecordLimit = 100;
constexpr std::size_t kProblemLimit = 100;
constexpr std::size_t kListFileLimit = std::size_t{16} << 20;
constexpr int kAicpuKernels = 2;
constexpr std::array<std::string_view, 5> kKeys = {"name", "install_path", "optional", "package_path",
                                                   "load_as_per_soc"};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// For a message: control characters spelled out, at most 80 characters.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 80)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return text.size() > 80 ? out + "..." : out;
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
  explicit ListParser(std::vector<std::string>* problems) : problems_(problems) {}

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
    for (const auto& earlier : records_) {
      if (earlier.name == record.name) {
        if (earlier.package_path != record.package_path || earlier.install_path != record.install_path) {
          Report(start_number_, start_text_, "an earlier record has this name and counts: " + earlier.package_path);
        }
        return;
      }
    }
    if (records_.size() < kRecordLimit) {
      records_.push_back(std::move(record));
    } else {
      Report(start_number_, start_text_, fmt::format("more than {} records", kRecordLimit));
    }
  }

  std::vector<PackageRecord> Take() { return std::move(records_); }

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
    if (problems_ == nullptr || problems_->size() > kProblemLimit) return;
    if (problems_->size() == kProblemLimit) {
      problems_->push_back(fmt::format("line {} and later: further problems are not listed", number));
      return;
    }
    problems_->push_back(fmt::format("line {}: {}: {}", number, content, why));
  }

  std::vector<std::string>* problems_;
  std::vector<PackageRecord> records_;
  PackageRecord record_;
  std::set<std::string_view> seen_;
  bool started_ = false;
  bool broken_ = false;
  std::size_t start_number_ = 0;
  std::string start_text_;
};

// A list is read at every load; its defects are told once per process.
void WarnOnce(const std::string& text) {
  static std::mutex mutex;
  static auto& told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told.size() < 1000 && told.insert(text).second) base::Log(base::LogLevel::kWarning, text);
}

// The search for one library: collects hits, and for every other place the reason why it is none.
class Search {
 public:
  explicit Search(const std::string& library_name) : library_name_(library_name) {}

  void Try(const fs::path& archive) {
    std::error_code error;
    const fs::path real = fs::canonical(archive, error);
    if (error) {
      Note(archive, error == std::errc::no_such_file_or_directory ? "missing" : error.message());
      return;
    }
    if (!tried_.insert(real.string()).second) return;
    const auto holds = ArchiveHolds(real.string(), library_name_);
    if (!holds) {
      Note(archive, holds.error().message());
      WarnOnce(holds.error().message());
    } else if (*holds) {
      hits_.push_back(archive.string());
    } else {
      Note(archive, "does not hold it");
    }
  }

  void Note(const fs::path& place, std::string_view reason) {
    places_ += fmt::format("{}{} ({})", places_.empty() ? "" : "; ", place.string(), reason);
  }

  bool found() const { return !hits_.empty(); }

  base::Result<std::string> Answer() const {
    if (hits_.size() > 1) {
      return base::FailResult(Code::kKernelFailed, "library {} is in two packages, {} and {}: remove one of them",
                              library_name_, hits_[0], hits_[1]);
    }
    if (hits_.empty()) {
      return base::FailResult(Code::kKernelFailed, "no package holds library {}; searched: {}", library_name_, places_);
    }
    return hits_[0];
  }

 private:
  const std::string& library_name_;
  std::set<std::string> tried_;
  std::vector<std::string> hits_;
  std::string places_;
};

void SearchRecords(const std::string& sdk_root, Search* search) {
  if (sdk_root.empty()) {
    search->Note("conf/ascend_package_load.ini", "no SDK root: ASCEND_HOME_PATH is not set");
    return;
  }
  const fs::path root(sdk_root);
  const fs::path list = root / "conf" / "ascend_package_load.ini";
  std::error_code error;
  if (!fs::exists(list, error)) {
    search->Note(list, "missing");
    return;
  }
  const auto text = ReadRegularFile(list.string(), kListFileLimit);
  if (!text) {
    search->Note(list, text.error().message());
    WarnOnce(text.error().message());
    return;
  }
  std::vector<std::string> problems;
  const auto records = ParsePackageList(*text, &problems);
  for (const auto& problem : problems) WarnOnce(fmt::format("{}: {}", list.string(), problem));
  search->Note(list, fmt::format("{} records, {} problems{}", records.size(), problems.size(),
                                 problems.empty() ? "" : ", first: " + problems.front()));
  for (const auto& record : records) {
    // Plain concatenation: a package_path with a leading '/' is still relative to the root.
    const fs::path archive(root.string() + "/" + record.package_path + "/" + record.name);
    if (record.install_path != kAicpuKernels) {
      search->Note(archive,
                   fmt::format("install_path {} is not that of AICPU kernels, {}", record.install_path, kAicpuKernels));
      continue;
    }
    if (!record.optional && !fs::exists(archive, error)) {
      WarnOnce(fmt::format("{}: package {} is missing and not optional", list.string(), archive.string()));
    }
    search->Try(archive);
  }
}

void SearchFolder(const fs::path& folder, Search* search) {
  std::error_code error;
  std::vector<fs::path> archives;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().ends_with(".tar.gz")) archives.push_back(it->path());
  }
  if (error) {
    search->Note(folder, error == std::errc::no_such_file_or_directory ? "missing" : error.message());
    return;
  }
  if (archives.empty()) search->Note(folder, "holds no *.tar.gz");
  std::sort(archives.begin(), archives.end());
  for (const auto& archive : archives) search->Try(archive);
}

}  // namespace

std::vector<PackageRecord> ParsePackageList(const std::string& text, std::vector<std::string>* problems) {
  ListParser parser(problems);
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

base::Result<std::string> FindPackage(const std::string& descriptor_path, const std::string& library_name,
                                      const std::string& sdk_root) {
  Search search(library_name);
  SearchRecords(sdk_root, &search);
  if (!search.found()) SearchFolder(fs::path(descriptor_path).parent_path().parent_path() / "kernel", &search);
  return search.Answer();
}

}  // namespace softhccl::engine
