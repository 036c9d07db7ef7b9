// What the tests of kernel packages share: a folder that goes away, archives with arbitrary entries (also ones that tar
// would refuse to make), small libraries compiled on the spot, and a check that no test leaves descriptors or
// warnings behind.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/log.h"

namespace softhccl::package {

struct TestEntry {
  std::string path;
  std::string bytes;
  unsigned type = AE_IFREG;
  std::string link = {};  // target of a symbolic link, or of a hard link when the type is regular
  unsigned mode = 0750;
};

class PackageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "softhccl_package_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = std::filesystem::canonical(pattern);
    base::SetLogSink([this](base::LogLevel level, std::string_view text) {
      if (level >= base::LogLevel::kWarning) warnings_.emplace_back(text);
    });
    descriptors_ = CountDescriptors();
  }

  void TearDown() override {
    base::SetLogSink(nullptr);
    EXPECT_THAT(warnings_, ::testing::IsEmpty()) << "unexpected warnings";
    EXPECT_EQ(CountDescriptors(), descriptors_) << "descriptors left open";
    std::filesystem::remove_all(folder_);
  }

  static std::ptrdiff_t CountDescriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }

  std::vector<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

  std::string Write(const std::string& path, const std::string& bytes) {
    const auto full = folder_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << bytes;
    return full.string();
  }

  std::string Pack(const std::string& path, const std::vector<TestEntry>& entries) {
    const auto full = folder_ / path;
    std::filesystem::create_directories(full.parent_path());
    archive* writer = archive_write_new();
    archive_write_add_filter_gzip(writer);
    archive_write_set_format_pax_restricted(writer);
    EXPECT_EQ(archive_write_open_filename(writer, full.c_str()), ARCHIVE_OK);
    for (const auto& item : entries) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, item.path.c_str());
      archive_entry_set_filetype(entry, item.type);
      archive_entry_set_perm(entry, item.mode);
      archive_entry_set_size(entry, static_cast<std::int64_t>(item.bytes.size()));
      if (!item.link.empty() && item.type == AE_IFREG) archive_entry_set_hardlink(entry, item.link.c_str());
      if (!item.link.empty() && item.type == AE_IFLNK) archive_entry_set_symlink(entry, item.link.c_str());
      EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK) << archive_error_string(writer);
      if (!item.bytes.empty()) {
        EXPECT_EQ(archive_write_data(writer, item.bytes.data(), item.bytes.size()),
                  static_cast<la_ssize_t>(item.bytes.size()));
      }
      archive_entry_free(entry);
    }
    EXPECT_EQ(archive_write_free(writer), ARCHIVE_OK);
    return full.string();
  }

  std::string Read(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The bytes of a shared library made from C++ source.
  std::string Compile(const std::string& source, const std::string& flags = "") {
    const std::string input = Write("compile/kernel.cc", source);
    const std::string output = (folder_ / "compile/kernel.so").string();
    const std::string command = "c++ -std=c++17 -shared -fPIC -o " + output + " " + input + " " + flags;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return Read(output);
  }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
  std::ptrdiff_t descriptors_ = 0;
};

}  // namespace softhccl::package
