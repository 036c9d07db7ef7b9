// conf/ascend_package_load.ini, the list of the packages that a card loads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"

namespace softhccl::package {

inline constexpr int kAicpuKernels = 2;  // install_path of the packages that hold AICPU kernels

// One record.
struct PackageRecord {
  std::string name;  // file name of the tar.gz
  int install_path = kAicpuKernels;
  bool optional = false;
  std::string package_path;  // folder relative to the SDK root
  bool load_as_per_soc = false;
  std::size_t line = 0;  // of its name
};

struct PackageList {
  std::vector<PackageRecord> records;
  // "line <number>: <content>: <why>"; at most 100, and then one that says so.
  std::vector<std::string> problems;
  std::string breaking;  // the first for which a card drops the whole list; empty: none
};

// Parses the list: plain `key:value` lines, a record starts at `name:` and ends at the next one; three keys (the
// article) and four (newer) are both accepted. A line that cannot be read costs only its own record. The first of two
// records with one name wins; at most 100.
PackageList ParsePackageList(const std::string& text);

// The lines of a record, as they stand in the list.
std::string RecordText(const PackageRecord& record);

// Where the record's package lies; load_as_per_soc adds the SoC's short name in lower case, such as "ascend950".
std::string PathOf(const PackageRecord& record, const std::string& sdk_root, const std::string& soc_name);

// Whether a device of this SoC loads the package, a path, as AICPU kernels: a record leads to that file. Links are
// followed.
bool Lists(const PackageList& list, const std::string& package, const std::string& sdk_root,
           const std::string& soc_name);

// <sdk_root>/conf/ascend_package_load.ini.
std::string ListPathOf(const std::string& sdk_root);

// The list in a file, or of an SDK; empty when there is none. Errors: kFileError when it cannot be read.
base::Result<PackageList> ReadPackageListFile(const std::string& path);
base::Result<PackageList> ReadPackageList(const std::string& sdk_root);

}  // namespace softhccl::package
