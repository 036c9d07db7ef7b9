// What an operator project says of itself.
#pragma once

#include <string>

#include "sdk/sdk.h"

namespace softhccl::tools {

struct Project {
  std::string folder;  // absolute
  std::string name;    // of custom_ops_project(<name>)
  std::string vendor;  // of scripts/ascend_package_load.ini; "cust" without
};

// Errors: no folder, no CMakeLists.txt, no name in it, a package list with a wrong line or without a vendor.
Outcome<Project> ReadProject(const std::string& folder);

}  // namespace softhccl::tools
