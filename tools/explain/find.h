// From what a user typed to entries of the catalogue: ids, names, numbers, names of numbers, the vendor's codes, or a
// whole pasted line.
#pragma once

#include <string>
#include <vector>

#include "explain/catalogue.h"

namespace softhccl::tools {

struct Answer {
  std::vector<const Constant*> constants;  // numbers and their names, when that is what was asked for
  std::vector<const Entry*> entries;       // the best one first
  std::vector<std::string> suggestions;    // when nothing was found: what is spelt alike
};

Answer Find(const std::string& question);

}  // namespace softhccl::tools
