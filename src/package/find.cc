// The search through the descriptor's own folder and through the list, and what is said about a package that is not
// listed. A card knows only the list; here a package that lies where its descriptor expects it is good enough.
#include "package/find.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/log.h"
#include "package/file.h"
#include "package/installation.h"
#include "package/package_list.h"

namespace softhccl::package {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::FailResult;
using base::Status;

// What concerns an installation and not a call is told once per process.
void WarnOnce(const std::string& text) {
  static std::mutex mutex;
  static auto& told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told.size() < 1000 && told.insert(text).second) base::Log(base::LogLevel::kWarning, text);
}

// The packages that hold the library, and for every other place the reason why it is none.
class Search {
 public:
  Search(const std::string& library_name, const Policy& policy) : library_name_(library_name), policy_(policy) {}

  void Try(const fs::path& archive) {
    std::error_code error;
    const fs::path real = fs::canonical(archive, error);
    if (error) {
      Note(archive, error == std::errc::no_such_file_or_directory ? "missing" : error.message());
      return;
    }
    if (!tried_.insert(real.string()).second) return;
    auto opened = Package::Open(archive.string(), library_name_, policy_);
    if (!opened) {
      refusals_.push_back(opened.error().message());
      Note(archive, "refused");
    } else if (opened->wanted()) {
      hits_.push_back(std::move(*opened));
    } else {
      Note(archive, "does not hold it");
    }
  }

  void Note(const fs::path& place, std::string_view reason) {
    places_ += fmt::format("{}{} ({})", places_.empty() ? "" : "; ", Printable(place.string(), 4096), reason);
  }

  std::vector<Package>& hits() { return hits_; }

  base::Result<Package> Answer() {
    if (hits_.size() > 1) {
      return FailResult(Code::kKernelFailed, "library {} is in two packages, {} and {}: remove one of them",
                        library_name_, hits_[0].path(), hits_[1].path());
    }
    if (hits_.size() == 1) {
      for (const auto& refusal : refusals_) WarnOnce(refusal);
      return std::move(hits_[0]);
    }
    if (refusals_.size() == 1) return FailResult(Code::kKernelFailed, "{}", refusals_[0]);
    std::string reasons;
    for (const auto& refusal : refusals_) reasons += "; " + refusal;
    return FailResult(Code::kKernelFailed, "no package holds library {}; searched: {}{}", library_name_, places_,
                      reasons);
  }

 private:
  const std::string& library_name_;
  const Policy& policy_;
  std::set<std::string> tried_;
  std::vector<Package> hits_;
  std::vector<std::string> refusals_;
  std::string places_;
};

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

// The list of one SDK, as far as it concerns kernels.
class Listing {
 public:
  explicit Listing(const Place& place) : place_(place) {
    auto read = ReadPackageList(place.sdk_root);
    if (!read) {
      WarnOnce(read.error().message());
      return;
    }
    list_ = std::move(*read);
    for (const auto& problem : list_.problems) WarnOnce(fmt::format("{}: {}", path(), problem));
  }

  std::string path() const { return ListPathOf(place_.sdk_root); }
  const PackageList& list() const { return list_; }

  bool Has(const std::string& package) const { return Lists(list_, package, place_.sdk_root, place_.soc_name); }

  const PackageRecord* Named(const std::string& name) const {
    const auto found = std::find_if(list_.records.begin(), list_.records.end(),
                                    [&](const PackageRecord& record) { return record.name == name; });
    return found == list_.records.end() ? nullptr : &*found;
  }

  // A package that a card insists on.
  const PackageRecord* MissingRequired() const {
    std::error_code error;
    for (const auto& record : list_.records) {
      if (record.install_path == kAicpuKernels && !record.optional && !fs::exists(PathOfRecord(record), error)) {
        return &record;
      }
    }
    return nullptr;
  }

  void SearchAll(Search* search) const {
    std::error_code error;
    search->Note(path(), fs::exists(path(), error)
                             ? fmt::format("{} records, {} problems", list_.records.size(), list_.problems.size())
                             : "missing");
    for (const auto& record : list_.records) {
      if (record.install_path == kAicpuKernels) {
        search->Try(PathOfRecord(record));
      } else {
        search->Note(PathOfRecord(record), fmt::format("install_path {} is not that of AICPU kernels, {}",
                                                       record.install_path, kAicpuKernels));
      }
    }
  }

  std::string PathOfRecord(const PackageRecord& record) const {
    return PathOf(record, place_.sdk_root, place_.soc_name);
  }

 private:
  const Place& place_;
  PackageList list_;
};

// The record that would list the package; nothing when it lies outside of the SDK.
std::optional<PackageRecord> RecordFor(const std::string& package, const std::string& sdk_root) {
  std::error_code error;
  const fs::path real = fs::canonical(package, error);
  const fs::path root = fs::canonical(sdk_root, error);
  if (error) return std::nullopt;
  const fs::path folder = real.parent_path().lexically_relative(root);
  if (folder.empty() || *folder.begin() == "..") return std::nullopt;
  PackageRecord record;
  record.name = Printable(real.filename().string(), 255);
  record.optional = true;
  record.package_path = Printable(folder.string(), 4096);
  return record;
}

// Why a card would not load this package, and what to do about it.
std::string WhyUnlisted(const std::string& package, const Listing& listing, const Place& place) {
  const std::string shown = Printable(package, 4096);
  const auto record = RecordFor(package, place.sdk_root);
  if (!record) {
    return fmt::format(
        "package {} lies outside of {}, whose conf/ascend_package_load.ini therefore cannot list it: install it there, "
        "or let ASCEND_HOME_PATH name the SDK that it is installed in",
        shown, place.sdk_root);
  }
  if (const PackageRecord* other = listing.Named(record->name)) {
    return fmt::format(
        "package {} is not listed: line {} of {} lists another of this name, in {}, and a card loads one package per "
        "name: give the operator another name or change that record",
        shown, other->line, listing.path(), other->package_path);
  }
  return fmt::format("package {} is not listed in {}; the lines to add are:\n{}", shown, listing.path(),
                     RecordText(*record));
}

base::Result<Package> Chosen(Search* beside, const Listing& listing, const Place& place,
                             const std::string& library_name, const Policy& policy) {
  auto& hits = beside->hits();
  if (hits.size() > 1) {
    const auto unlisted = [&](const Package& hit) { return !listing.Has(hit.path()); };
    if (std::count_if(hits.begin(), hits.end(), unlisted) + 1 == static_cast<std::ptrdiff_t>(hits.size())) {
      std::erase_if(hits, unlisted);
    }
    return beside->Answer();
  }
  if (hits.empty()) {
    listing.SearchAll(beside);
    return beside->Answer();
  }
  const std::string path = hits.front().path();
  if (listing.Has(path)) return beside->Answer();
  std::string why = WhyUnlisted(path, listing, place);
  while (why.ends_with('\n')) why.pop_back();
  if (policy.product.empty()) {
    WarnOnce("a card would not load this: " + why);
    return beside->Answer();
  }
  Search listed(library_name, policy);
  listing.SearchAll(&listed);
  if (listed.hits().empty()) {
    std::replace(why.begin(), why.end(), '\n', ' ');
    return FailResult(Code::kKernelFailed, "{} does not load what is not listed (SH-P008): {}", policy.product, why);
  }
  WarnOnce(fmt::format("library {} is taken from another package than the one beside its description: {}", library_name,
                       why));
  return listed.Answer();
}

}  // namespace

base::Result<Package> FindPackage(const Place& place, const std::string& library_name, const Policy& policy) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckInstalled(place.descriptor));
  const Listing listing(place);
  if (!policy.product.empty() && !listing.list().breaking.empty()) {
    return FailResult(Code::kKernelFailed, "{} drops the whole list {} (SH-P008): {}", policy.product, listing.path(),
                      listing.list().breaking);
  }
  if (const PackageRecord* record = listing.MissingRequired()) {
    const std::string text =
        fmt::format("{}: package {} is missing and not optional", listing.path(), listing.PathOfRecord(*record));
    if (!policy.product.empty()) return FailResult(Code::kKernelFailed, "{} (SH-P008)", text);
    WarnOnce(text);
  }
  Search search(library_name, policy);
  SearchFolder(fs::path(place.descriptor).parent_path().parent_path() / "kernel", &search);
  return Chosen(&search, listing, place, library_name, policy);
}

}  // namespace softhccl::package
