// Rank tables as files, for tests of communicators that are made of them.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace softhccl::conformance {

// A file of the test's own, removed with it.
class TableFile {
 public:
  explicit TableFile(const std::string& text) {
    static std::atomic<int> counter{0};
    path_ = ::testing::TempDir() + "rank_table_" + std::to_string(::getpid()) + "_" +
            std::to_string(counter.fetch_add(1)) + ".json";
    std::ofstream(path_) << text;
  }
  ~TableFile() { std::remove(path_.c_str()); }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

// One server with `ranks` devices, rank r on device r; a field per line.
inline std::string OneServer(int ranks, const std::string& server = "10.0.0.1") {
  std::string devices;
  for (int rank = 0; rank < ranks; ++rank) {
    devices += std::string(rank == 0 ? "" : ",\n") + "      {\"device_id\": \"" + std::to_string(rank) +
               "\", \"rank_id\": \"" + std::to_string(rank) + "\"}";
  }
  return "{\n  \"status\": \"completed\",\n  \"version\": \"1.0\",\n  \"server_count\": \"1\",\n"
         "  \"server_list\": [{\"server_id\": \"" +
         server + "\",\n    \"device\": [\n" + devices + "\n    ]}]\n}\n";
}

}  // namespace softhccl::conformance
