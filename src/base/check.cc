// A broken invariant is reported with write(2), which works in every state the process can be in.
#include "base/check.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace softhccl::base {

void CheckFailed(const char* condition, const char* file, int line) {
  char text[512];
  const int length =
      std::snprintf(text, sizeof text, "softhccl: internal check failed: %s at %s:%d\n", condition, file, line);
  if (length > 0) {
    const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
    static_cast<void>(written);
  }
  std::abort();
}

}  // namespace softhccl::base
