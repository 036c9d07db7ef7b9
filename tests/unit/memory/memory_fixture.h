// What every memory test insists on: no unexpected line in the log, and no descriptor or mapping left behind. The
// questions to the kernel that the tests ask (committed blocks, resident pages) are here too.
#pragma once

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "memory/arena.h"

namespace softhccl::memory {

inline std::size_t OpenDescriptors() {
  std::size_t count = 0;
  DIR* directory = ::opendir("/proc/self/fd");
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

// Mappings of the file that memfd_create made under this name.
inline std::size_t MappingsOf(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:" + name) != std::string::npos;
  return count;
}

// Bytes of the mapping that begins at `base` that are resident; SIZE_MAX when nothing begins there.
inline std::size_t ResidentBytes(const void* base) {
  std::ostringstream prefix;
  prefix << std::hex << std::setw(8) << std::setfill('0') << reinterpret_cast<std::uintptr_t>(base) << '-';
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.rfind(prefix.str(), 0) == 0) inside = true;
    if (inside && line.rfind("Rss:", 0) == 0) return std::stoul(line.substr(4)) * 1024;
  }
  return SIZE_MAX;
}

// Memory that the file really occupies.
inline std::size_t CommittedBytes(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return SIZE_MAX;
  return static_cast<std::size_t>(status.st_blocks) * 512;
}

// Checks in its destructor, which runs after the members of the derived fixtures are gone.
class MemoryFixture : public ::testing::Test {
 protected:
  MemoryFixture() {
    DataArena();
    ControlArena();
    base::SetLogSink([this](base::LogLevel level, std::string_view text) {
      if (level < base::LogLevel::kWarning) return;
      std::lock_guard lock(mutex_);
      warnings_.emplace_back(text);
    });
    descriptors_ = OpenDescriptors();
    mappings_ = MappingsOf("softhccl-data");
  }
  ~MemoryFixture() override {
    base::SetLogSink(nullptr);
    EXPECT_THAT(warnings_, ::testing::IsEmpty());
    EXPECT_EQ(OpenDescriptors(), descriptors_);
    EXPECT_EQ(MappingsOf("softhccl-data"), mappings_);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> warnings_;  // guarded by mutex_
  std::size_t descriptors_ = 0;
  std::size_t mappings_ = 0;
};

}  // namespace softhccl::memory
