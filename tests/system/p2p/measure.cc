// Reads both from /proc/self.
#include "measure.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdio>

#include "driver.h"

namespace p2p_test {

double ResidentMegabytes() {
  FILE* const file = fopen("/proc/self/statm", "r");
  long total = 0;
  long resident = 0;
  EXPECT(file != nullptr && fscanf(file, "%ld %ld", &total, &resident) == 2);
  if (file != nullptr) fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  EXPECT(folder != nullptr);
  if (folder == nullptr) return 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count - 3;  // ".", ".." and the folder itself
}

}  // namespace p2p_test
