// A kernel is foreign code in our process. When it crashes or calls exit, the process dies, but not silently: one
// report names the kernel, the address and the stack. Handlers are installed only where the disposition is default.
#pragma once

#include <string>

namespace softhccl::engine {

// Installs the handlers once per process; called before the first kernel runs.
void InstallCrashReport();

// Gives the calling thread an alternate signal stack, so that a stack overflow can be reported too.
void PrepareThreadForCrashReport();

// Names what the calling thread runs, for the report. The text must outlive the scope.
class ScopedCrashLabel {
 public:
  explicit ScopedCrashLabel(const std::string& label);
  ~ScopedCrashLabel();
  ScopedCrashLabel(const ScopedCrashLabel&) = delete;
  ScopedCrashLabel& operator=(const ScopedCrashLabel&) = delete;

 private:
  const char* outer_;
};

}  // namespace softhccl::engine
