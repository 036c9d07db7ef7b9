// A kernel library that leaves a file at $MARKER as soon as it is loaded, whether or not its kernel is called: without
// the file, nothing of a package was executed.
#include <stdio.h>
#include <stdlib.h>

namespace {

__attribute__((constructor)) void LeaveMark() {
  const char* const path = getenv("MARKER");
  FILE* const file = path == nullptr ? nullptr : fopen(path, "w");
  if (file != nullptr) {
    fclose(file);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned int Marker(void*) { return 0; }
