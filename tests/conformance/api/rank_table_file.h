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

// Two servers with two devices each, as version 1.0; or each in a super pod of its own, as 1.2. Rank r has the address
// 10.1.0.r and the super device id 70 + r.
inline std::string TwoServersOfTwo(bool has_super_pods = false) {
  std::string servers;
  for (int server = 0; server < 2; ++server) {
    std::string devices;
    for (int device = 0; device < 2; ++device) {
      const std::string rank = std::to_string(2 * server + device);
      devices += std::string(device == 0 ? "" : ", ") + "{\"device_id\": \"" + std::to_string(device) +
                 "\", \"rank_id\": \"" + rank + "\", \"device_ip\": \"10.1.0." + rank + "\", \"super_device_id\": \"7" +
                 rank + "\"}";
    }
    servers += std::string(server == 0 ? "" : ",\n") + "  {\"server_id\": \"s" + std::to_string(server) +
               "\", \"device\": [" + devices + "]}";
  }
  const std::string pods = R"(, "super_pod_list": [
  {"super_pod_id": "p0", "server_list": [{"server_id": "s0"}]},
  {"super_pod_id": "p1", "server_list": [{"server_id": "s1"}]}])";
  return std::string("{\"status\": \"completed\", \"version\": \"") + (has_super_pods ? "1.2" : "1.0") +
         "\", \"server_count\": \"2\",\n  \"server_list\": [\n" + servers + "]" + (has_super_pods ? pods : "") + "}\n";
}

}  // namespace softhccl::conformance
