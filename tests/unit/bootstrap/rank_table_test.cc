// Rank tables: what good ones say, and that every bad one is refused with file, line and field.
#include "bootstrap/rank_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace softhccl::bootstrap {
namespace {

using base::Code;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two servers with two devices each; the line numbers below count in this text.
constexpr const char* kServers = R"({
  "status": "completed",
  "version": "1.0",
  "server_count": "2",
  "server_list": [
    {
      "server_id": "10.0.0.1",
      "host_ip": "10.0.0.1",
      "device": [
        {"device_id": "0", "device_ip": "192.168.1.1", "rank_id": "0"},
        {"device_id": "1", "device_ip": "192.168.1.2", "rank_id": "1", "device_port": "16666"}
      ]
    },
    {
      "server_id": "10.0.0.2",
      "device": [
        {"device_id": "0", "device_ip": "192.168.1.3", "rank_id": "3"},
        {"device_id": "4", "device_ip": "fe80::4", "rank_id": "2"}
      ]
    }
  ]
}
)";

constexpr const char* kSuperPods = R"({
  "status": "completed",
  "version": "1.2",
  "server_count": "2",
  "server_list": [
    {"server_id": "a", "device": [{"device_id": "0", "rank_id": "0", "device_ip": "10.1.1.1", "super_device_id": "7"}]},
    {"server_id": "b", "device": [{"device_id": "0", "rank_id": "1", "device_ip": "10.1.1.2", "super_device_id": "8"}]}
  ],
  "super_pod_list": [
    {"super_pod_id": "0", "server_list": [{"server_id": "a"}]},
    {"super_pod_id": "1", "server_list": [{"server_id": "b"}]}
  ]
}
)";

constexpr const char* kLevels = R"({
  "version": "2.0",
  "rank_count": 2,
  "rank_list": [
    {
      "rank_id": 0,
      "local_id": 0,
      "device_id": 0,
      "level_list": [
        {"net_layer": 0, "net_instance_id": "rack-1", "net_type": "TOPO_FILE_DESC",
         "rank_addr_list": [{"addr_type": "EID", "addr": "000000000000002000100000dfdf1234", "ports": ["0/1", "0/2"]}]},
        {"net_layer": 1, "net_instance_id": "pod", "net_type": "CLOS", "net_attr": "x",
         "rank_addr_list": [{"addr_type": "IPV4", "addr": "10.0.0.1", "ports": ["1/8"], "plane_id": "2"}]}
      ]
    },
    {
      "rank_id": 1,
      "local_id": 1,
      "device_id": 1,
      "level_list": [
        {"net_layer": 0, "net_instance_id": "rack-1", "net_type": "TOPO_FILE_DESC",
         "rank_addr_list": []}
      ]
    }
  ]
}
)";

// `text` with the first `from` replaced.
std::string With(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "nothing to replace: " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

RankTable Good(const std::string& text) {
  auto table = ParseRankTable(text, "ranks.json");
  EXPECT_TRUE(table) << table.error().message();
  return table ? *table : RankTable();
}

TEST(RankTableTest, Servers_AreReadInTheOrderOfRanks) {
  const RankTable table = Good(kServers);
  EXPECT_EQ(table.version, "1.0");
  ASSERT_EQ(table.ranks.size(), 4u);
  EXPECT_EQ(table.server_count(), 2u);
  for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(table.ranks[rank].rank, rank);
  EXPECT_EQ(table.ranks[2].device, 4u);
  EXPECT_EQ(table.ranks[2].server, "10.0.0.2");
  EXPECT_EQ(table.ranks[2].device_ip, "fe80::4");
  EXPECT_EQ(table.PlaceOf(3), "server 10.0.0.2, device 0");
  EXPECT_EQ(table.PlaceOf(4), "");
}

TEST(RankTableTest, SuperPods_AreGivenToTheirRanks) {
  const RankTable table = Good(kSuperPods);
  ASSERT_EQ(table.ranks.size(), 2u);
  EXPECT_EQ(table.ranks[0].super_pod, "0");
  EXPECT_EQ(table.ranks[1].super_pod, "1");
  EXPECT_EQ(table.ranks[1].super_device, "8");
}

TEST(RankTableTest, Levels_AreReadWithTheirAddresses) {
  const RankTable table = Good(kLevels);
  ASSERT_EQ(table.ranks.size(), 2u);
  ASSERT_EQ(table.ranks[0].levels.size(), 2u);
  EXPECT_EQ(table.ranks[0].server, "rack-1");
  EXPECT_EQ(table.ranks[0].levels[1].layer, 1u);
  EXPECT_EQ(table.ranks[0].levels[1].type, "CLOS");
  EXPECT_EQ(table.ranks[0].levels[1].attribute, "x");
  ASSERT_EQ(table.ranks[0].levels[1].addresses.size(), 1u);
  EXPECT_EQ(table.ranks[0].levels[1].addresses[0].plane, "2");
  EXPECT_EQ(table.ranks[0].levels[0].addresses[0].plane, "0") << "the default";
  EXPECT_THAT(table.ranks[0].levels[0].addresses[0].ports, ::testing::ElementsAre("0/1", "0/2"));
  EXPECT_EQ(table.server_count(), 1u);
}

TEST(RankTableTest, Fingerprint_IsThatOfTheContent) {
  const std::uint64_t of_servers = Good(kServers).fingerprint;
  EXPECT_EQ(Good(With(kServers, "\"server_count\": \"2\",", "\n\n  \"server_count\":\"2\",")).fingerprint, of_servers);
  EXPECT_EQ(Good(With(kServers, "\"device_id\": \"0\", \"device_ip\": \"192.168.1.1\"",
                      "\"device_ip\": \"192.168.1.1\", \"device_id\": \"0\""))
                .fingerprint,
            of_servers);
  EXPECT_NE(Good(With(kServers, "192.168.1.1", "192.168.1.9")).fingerprint, of_servers);
  EXPECT_NE(Good(kSuperPods).fingerprint, of_servers);
}

struct BadTable {
  std::string text;
  const char* code;
  int line;
  const char* says;
};

TEST(RankTableTest, BadTables_AreRefusedWithLineAndField) {
  const BadTable bad[] = {
      // The whole file.
      {"", "EI0004", 1, "not valid JSON"},
      {"{\n \"version\": \"1.0\"\n \"status\": 1}", "EI0004", 3, "not valid JSON"},
      {With(kServers, "\"version\": \"1.0\"", "\"version\": \"1.0\", \"version\": \"1.0\""), "EI0004", 3, "version"},
      {std::string(100, '['), "EI0004", 1, "nested deeper"},
      {"[]", "EI0017", 1, ""},
      {"{}", "EI0017", 1, "\"version\" is missing"},
      {With(kServers, "\"1.0\"", "1.0"), "EI0017", 3, "version: is the number 1.0, expected a text"},
      {With(kServers, "\"1.0\"", "\"3.0\""), "EI0014", 3,
       "version: \"3.0\" is not known; use \"1.0\", \"1.2\" or \"2.0\""},
      {"{\n\"group_list\": []}", "EI0014", 2, "group_list: tables of this old kind"},
      {With(kServers, "completed", "initializing"), "EI0014", 2, "status: \"initializing\": the table is not finished"},
      {With(kServers, "completed", "done"), "EI0014", 2, "status: \"done\" is not known"},
      {With(kServers, "\"status\": \"completed\",", ""), "EI0017", 1, "\"status\" is missing"},
      // Servers.
      {With(kServers, "\"server_count\": \"2\"", "\"server_count\": \"3\""), "EI0014", 4,
       "server_count: is 3, but server_list has 2 servers"},
      {With(kServers, "\"server_count\": \"2\"", "\"server_count\": 2"), "EI0017", 4, "server_count: is the number 2"},
      {With(kServers, "\"server_count\": \"2\"", "\"server_count\": \"0\""), "EI0014", 4,
       "\"0\" is not a number from 1"},
      {"{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"1\",\n\"server_list\":[]}", "EI0014", 2,
       "server_list: has 0 elements; use 1 to"},
      {"{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"1\",\n\"server_list\":[\n7]}", "EI0017", 3,
       "server_list[0]: is not an object"},
      {With(kServers, "\"server_id\": \"10.0.0.2\"", "\"server_id\": \"10.0.0.1\""), "EI0014", 15,
       "server_list[1].server_id: \"10.0.0.1\" is the id of the server in line 7 already"},
      {With(kServers, "\"server_id\": \"10.0.0.2\"", "\"server_id\": \"\""), "EI0014", 15,
       "has 0 characters; use 1 to 64"},
      {With(kServers, "\"server_id\": \"10.0.0.2\",", ""), "EI0017", 14, "server_list[1]: \"server_id\" is missing"},
      {With(kServers, "\"host_ip\": \"10.0.0.1\"", "\"host_ip\": \"10.0.0\""), "EI0014", 8,
       "server_list[0].host_ip: \"10.0.0\" is not an IPv4 or IPv6 address"},
      // Devices.
      {With(kServers, "\"rank_id\": \"1\"", "\"rank_id\": \"0\""), "EI0014", 11,
       "server_list[0].device[1].rank_id: 0 is in line 10 already"},
      {With(kServers, "\"rank_id\": \"3\"", "\"rank_id\": \"4\""), "EI0014", 14,
       "server_list[1]: its 2 ranks go from 2 to 4; the ranks of a server follow each other"},
      {With(With(kServers, "\"rank_id\": \"3\"", "\"rank_id\": \"5\""), "\"rank_id\": \"2\"", "\"rank_id\": \"4\""),
       "EI0014", 17, "server_list[1].device[0].rank_id: is 5, but the table has 4 ranks; use 0 to 3 without gap"},
      {With(kServers, "\"rank_id\": \"1\"", "\"rank_id\": \"one\""), "EI0014", 11, "\"one\" is not a number from 0"},
      {With(kServers, "\"rank_id\": \"1\"", "\"rank_id\": 1"), "EI0017", 11,
       "rank_id: is the number 1, expected a text"},
      {With(kServers, "\"device_id\": \"4\"", "\"device_id\": \"0\""), "EI0014", 18,
       "server_list[1].device[1].device_id: 0 is also the device of rank 3 (line 17) on this server"},
      {With(kServers, "192.168.1.2", "192.168.1.1"), "EI0014", 11, "device_ip: \"192.168.1.1\" is in line 10 already"},
      {With(kServers, "192.168.1.2", "192.168.1.256"), "EI0014", 11,
       "\"192.168.1.256\" is not an IPv4 or IPv6 address"},
      {With(kServers, "\"device_ip\": \"192.168.1.2\", ", ""), "EI0017", 11, "\"device_ip\" is missing"},
      {With(kServers, "\"16666\"", "\"65536\""), "EI0014", 11,
       "device_port: \"65536\" is not a number from 1 to 65535"},
      // Super pods.
      {With(kSuperPods, ", \"super_device_id\": \"8\"", ""), "EI0017", 7, "\"super_device_id\" is missing"},
      {With(kSuperPods, "\"super_device_id\": \"8\"", "\"super_device_id\": \"\""), "EI0014", 7,
       "super_device_id: has 0 characters"},
      {With(kSuperPods, "[{\"server_id\": \"b\"}]", "[{\"server_id\": \"c\"}]"), "EI0014", 11,
       "super_pod_list[1].server_list[0].server_id: \"c\" is not a server"},
      {With(kSuperPods, "[{\"server_id\": \"b\"}]", "[{\"server_id\": \"a\"}]"), "EI0014", 11,
       "\"a\" is in super pod \"0\" already"},
      {With(kSuperPods, ",\n    {\"super_pod_id\": \"1\", \"server_list\": [{\"server_id\": \"b\"}]}", ""), "EI0014", 7,
       "server_list[1].server_id: \"b\" is in no super pod"},
      {With(kSuperPods, "\"super_pod_id\": \"1\"", "\"super_pod_id\": \"0\""), "EI0014", 11, "\"0\" is there twice"},
      {With(kServers, "\"version\": \"1.0\"", "\"version\": \"1.2\""), "EI0017", 10, "\"super_device_id\" is missing"},
      // Levels.
      {With(kLevels, "\"rank_count\": 2", "\"rank_count\": 3"), "EI0014", 3,
       "rank_count: is 3, but rank_list has 2 ranks"},
      {With(kLevels, "\"rank_count\": 2", "\"rank_count\": \"2\""), "EI0017", 3, "rank_count: is the text \"2\""},
      {With(kLevels, "\"rank_id\": 1", "\"rank_id\": 0"), "EI0014", 17, "rank_list[1].rank_id: 0 is in line 6 already"},
      {With(kLevels, "\"rank_id\": 1", "\"rank_id\": -1"), "EI0014", 17, "rank_list[1].rank_id: is the number -1"},
      {With(kLevels, "\"device_id\": 1", "\"device_id\": 0"), "EI0014", 19,
       "device_id: 0 is also the device of rank 0 (line 6) in \"rack-1\""},
      {With(kLevels, "\"local_id\": 1", "\"local_id\": 65"), "EI0014", 18, "local_id: is the number 65"},
      {With(kLevels, "\"net_layer\": 1", "\"net_layer\": 0"), "EI0014", 12, "net_layer: is 0 after 0; layers ascend"},
      {With(kLevels, "\"net_layer\": 0", "\"net_layer\": 1"), "EI0014", 10, "the first level of a rank is layer 0"},
      {With(kLevels, "\"CLOS\"", "\"RING\""), "EI0014", 12, "net_type: \"RING\" is not known"},
      {With(kLevels, "\"EID\"", "\"MAC\""), "EI0014", 11, "addr_type: \"MAC\" is not known; use EID, IPV4 or IPV6"},
      {With(kLevels, "\"10.0.0.1\"", "\"10.0.0\""), "EI0014", 13, "addr: \"10.0.0\" is not an IPV4 address"},
      {With(kLevels, "\"1/8\"", "\"18\""), "EI0014", 13, "rank_addr_list[0].ports[0]: is not \"die/port\""},
      {With(kLevels, "\"rank_addr_list\": []", "\"x\": []"), "EI0017", 21, "\"rank_addr_list\" is missing"},
  };
  for (const BadTable& one : bad) {
    const auto table = ParseRankTable(one.text, "ranks.json");
    ASSERT_FALSE(table) << one.says;
    EXPECT_THAT(table.error().message(), StartsWith(fmt::format("{} ranks.json:{}: ", one.code, one.line)));
    EXPECT_THAT(table.error().message(), HasSubstr(one.says));
    EXPECT_EQ(table.error().code(), std::string_view(one.code) == "EI0004" ? Code::kInternal : Code::kInvalidParam);
  }
}

TEST(RankTableTest, EveryPrefixOfATable_IsRefusedWithoutHarm) {
  for (const std::string text : {kServers, kSuperPods, kLevels}) {
    for (std::size_t length = 0; length + 2 < text.size(); ++length) {
      EXPECT_FALSE(ParseRankTable(text.substr(0, length), "f")) << length;
    }
  }
}

TEST(RankTableTest, Files_AreReadOrExplained) {
  const std::string path = ::testing::TempDir() + "rank_table_test.json";
  std::ofstream(path) << kServers;
  const auto table = LoadRankTable(path);
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->file, path);
  std::remove(path.c_str());
  const auto gone = LoadRankTable(path);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), Code::kInternal);
  EXPECT_THAT(gone.error().message(),
              ::testing::AllOf(StartsWith("EI0004"), HasSubstr(path), HasSubstr("No such file")));
}

}  // namespace
}  // namespace softhccl::bootstrap
