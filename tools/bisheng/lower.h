// Host-only Ascend C to plain C++: kernel<<<blocks, nullptr, stream>>>(arguments, size) becomes a call of the function
// that the SDK provides for it (aicpu_launch.h), and the words that mark kernels go. Lines stay where they are, so that
// what compilers and debuggers say about the result is true of the source. What cannot be lowered is an error, never a
// guess.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace softhccl::bisheng {

enum class Dialect {
  kAsc,    // host code that launches kernels and declares them
  kAicpu,  // kernels
};

struct LoweringError {
  std::string file;
  std::size_t line = 0;
  std::string message;
};

struct Lowered {
  std::string text;                   // meaningless when there are errors
  std::vector<LoweringError> errors;  // in the order of the source
};

// `source` may be preprocessed (its line directives are followed) or not; `file` is its name in errors.
Lowered Lower(std::string_view source, std::string_view file, Dialect dialect);

}  // namespace softhccl::bisheng
