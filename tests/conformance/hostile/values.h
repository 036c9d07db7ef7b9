// The hostile values of each kind of parameter.
//
// A pointer that a function has to dereference (a structure, a string, an output, data in host memory) cannot be
// checked by anybody: no function of C can tell a wild pointer from a good one. So such a pointer is only ever null,
// unaligned, or valid with hostile contents. Wild bits go to handles, enumerations, sizes, counts and indices, of which
// every value must be survived.
#pragma once

#include <optional>
#include <vector>

#include "function.h"
#include "scene.h"

namespace softhccl::hostile {

struct Value {
  const char* name;
  bool must_be_refused;  // success would be a lie; otherwise the call must only come back
  // Nothing when this value is no different from a valid one for this parameter. The last argument is the parameter's
  // position.
  std::optional<Word> (*word)(Scene& scene, const Parameter& parameter, std::size_t index);
};

const std::vector<Value>& HostileValues(const Parameter& parameter);

}  // namespace softhccl::hostile
