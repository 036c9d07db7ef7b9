// Which package a kernel library comes from.
#pragma once

#include <string>

#include "base/status.h"
#include "package/package.h"

namespace softhccl::package {

// Where packages are looked for, and which.
struct Place {
  std::string descriptor;  // path of the JSON; packages are expected in the folder `kernel` beside its own
  std::string sdk_root;    // the root of the list
  std::string soc_name;
};

// The package that holds `library_name`, with its bytes: the one in the folder that belongs to the descriptor, else the
// one that conf/ascend_package_load.ini lists. A package that is not listed is told of once per process, with the lines
// to add. With policy.product only listed packages count, as on that card. Errors: kKernelFailed: nothing holds it
// (names every place), two hold it (names both), the only candidate is refused (says why), not listed, or the list is
// one that the product would not accept, the operator is being installed.
base::Result<Package> FindPackage(const Place& place, const std::string& library_name, const Policy& policy);

}  // namespace softhccl::package
