// The operators that are installed in an SDK, and whether what belongs together agrees.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "package/descriptor.h"
#include "package/package_list.h"
#include "sdk/sdk.h"

namespace softhccl::tools {

// One operator of one vendor, by the names of its files: libhccl_custom_<name>.so and aicpu_hccl_custom_<name>.tar.gz.
struct InstalledOperator {
  std::string vendor;
  std::string name;
  std::string library;  // path; empty: none
  std::string archive;  // path; empty: none, its kernels are part of the library
};

// In the order of their names.
std::vector<InstalledOperator> FindOperators(const std::string& sdk);

struct Finding {
  enum class Kind { kOk, kNote, kBad };
  Kind kind = Kind::kOk;
  std::string text;
};

// Everything that can be told of an operator without running it.
class OperatorCheck {
 public:
  // Errors: the list of packages cannot be read.
  static Outcome<OperatorCheck> Of(const std::string& sdk);

  // Library, archive with its digests, signature, descriptions, record in the list: in this order.
  std::vector<Finding> Run(const InstalledOperator& which) const;
  bool IsListed(const InstalledOperator& which) const;
  // What is wrong with the list itself; empty when nothing is.
  std::vector<Finding> CheckList() const;

 private:
  std::vector<Finding> CheckArchive(const InstalledOperator& which) const;
  Finding CheckDescriptions(const InstalledOperator& which, const std::vector<std::string>& files) const;

  std::string sdk_;
  std::string soc_name_;
  package::PackageList list_;
};

}  // namespace softhccl::tools
