// The rank graph of communicators that were made from a rank table: two servers of two, uneven ones, super pods, and
// levels with several planes and gaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "comm/rank_graph.h"

namespace softhccl::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using List = std::vector<std::uint32_t>;

constexpr const char* k950 = "Ascend950PR_9599";
constexpr const char* kA2 = "Ascend910B3";
constexpr const char* kA3 = "Ascend910_9391";
constexpr int kHccs = 0;
constexpr int kRoce = 1;
constexpr int kUbCtp = 4;

bootstrap::RankTable Table(const std::string& text) {
  auto table = bootstrap::ParseRankTable(text, "ranks.json");
  EXPECT_TRUE(table) << (table ? "" : table.error().message());
  return *table;
}

RankGraph Graph(const std::string& text, std::uint32_t own, const char* soc, std::vector<int> cards = {}) {
  const bootstrap::RankTable table = Table(text);
  if (cards.empty()) {
    cards.resize(table.ranks.size());
    std::iota(cards.begin(), cards.end(), 0);
  }
  const auto topology = std::make_shared<const Topology>(Topology::OfTable(table, soc));
  return RankGraph::Create(topology, own, cards).value();
}

// --- Tables by servers

// Servers with that many devices each, devices numbered from 0 on every server; rank r has the address 10.1.0.r.
std::string Servers(const std::vector<int>& sizes, const std::vector<std::string>& pods = {}) {
  std::string servers;
  int rank = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::string devices;
    for (int device = 0; device < sizes[i]; ++device, ++rank) {
      devices +=
          fmt::format(R"({}{{"device_id": "{}", "rank_id": "{}", "device_ip": "10.1.0.{}", "super_device_id": "{}"}})",
                      device == 0 ? "" : ", ", device, rank, rank, 70 + rank);
    }
    servers += fmt::format(R"({}{{"server_id": "s{}", "device": [{}]}})", i == 0 ? "" : ", ", i, devices);
  }
  std::string super_pods;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    super_pods += fmt::format(R"({}{{"super_pod_id": "p{}", "server_list": [{}]}})", i == 0 ? "" : ", ", i, pods[i]);
  }
  return fmt::format(R"({{"status": "completed", "version": "{}", "server_count": "{}", "server_list": [{}]{}}})",
                     pods.empty() ? "1.0" : "1.2", sizes.size(), servers,
                     pods.empty() ? "" : fmt::format(R"(, "super_pod_list": [{}])", super_pods));
}

TEST(TableTopology, TwoServersOfTwo_AreTwoLayers) {
  const RankGraph graph = Graph(Servers({2, 2}), 2, kA2);
  EXPECT_EQ(graph.Layers(), (List{0, 1}));
  EXPECT_EQ(*graph.RanksOn(0), (List{2, 3}));
  EXPECT_EQ(*graph.RanksOn(1), (List{0, 1, 2, 3}));
  EXPECT_EQ(*graph.InstanceSizes(0), (List{2, 2}));
  EXPECT_EQ(*graph.InstanceSizes(1), (List{4}));
  EXPECT_EQ(graph.Layer(0)->kind, TopologyKind::kMesh);
  EXPECT_EQ(graph.Layer(1)->kind, TopologyKind::kClos);
  ASSERT_THAT(*graph.Links(0, 2, 3), SizeIs(1));
  EXPECT_EQ(graph.Links(0, 2, 3)->front().protocol, kHccs);
  EXPECT_THAT(*graph.Links(1, 2, 3), IsEmpty());
  EXPECT_THAT(*graph.Links(0, 0, 2), IsEmpty());
  ASSERT_THAT(*graph.Links(1, 0, 2), SizeIs(1));
  const GraphLink link = graph.Links(1, 0, 2)->front();
  EXPECT_EQ(link.protocol, kRoce);
  EXPECT_EQ(link.source, graph.Endpoints(0, 1)->front());
  EXPECT_EQ(link.destination, graph.Endpoints(2, 1)->front());
}

TEST(TableTopology, Endpoints_TellDeviceAndServerOfTheTable) {
  const RankGraph graph = Graph(Servers({2, 2}), 0, kA2);
  ASSERT_THAT(*graph.Endpoints(3, 1), SizeIs(1));
  const GraphEndpoint endpoint = graph.Endpoints(3, 1)->front();
  EXPECT_EQ(endpoint.place, (CardPlace{1, 3, 1, 0}));
  EXPECT_EQ(endpoint.address_type, 0);
  EXPECT_THAT(List(endpoint.address.begin(), endpoint.address.begin() + 4), ElementsAre(10, 1, 0, 3)) << "device_ip";
  EXPECT_EQ(*graph.FindLayer(3, endpoint), 1u);
  const GraphEndpoint inside = graph.Endpoints(3, 0)->front();
  EXPECT_EQ(inside.address_type, 2) << "a table has no address on the server's own network";
  EXPECT_EQ(*graph.FindLayer(3, inside), 0u);
}

TEST(TableTopology, OneServer_IsOneLayer) {
  const RankGraph graph = Graph(Servers({3}), 1, k950);
  EXPECT_EQ(graph.Layers(), (List{0}));
  EXPECT_EQ(*graph.RanksOn(0), (List{0, 1, 2}));
  EXPECT_EQ(graph.Layer(0)->kind, TopologyKind::kCustom);
}

TEST(TableTopology, UnevenServers_KeepTheirSizes) {
  const RankGraph graph = Graph(Servers({3, 1, 2}), 3, kA2);
  EXPECT_EQ(*graph.RanksOn(0), (List{3}));
  EXPECT_EQ(*graph.InstanceSizes(0), (List{3, 1, 2}));
  EXPECT_EQ(*graph.InstanceSizes(1), (List{6}));
  EXPECT_EQ(graph.Endpoints(5, 0)->front().place, (CardPlace{1, 5, 2, 0}));
}

TEST(TableTopology, SuperPods_AreALayerBetweenServersAndCluster) {
  const std::string text =
      Servers({2, 1, 2}, {R"({"server_id": "s0"}, {"server_id": "s2"})", R"({"server_id": "s1"})"});
  const RankGraph graph = Graph(text, 3, kA3);
  EXPECT_EQ(graph.Layers(), (List{0, 1, 2}));
  EXPECT_EQ(*graph.RanksOn(0), (List{3, 4}));
  EXPECT_EQ(*graph.RanksOn(1), (List{0, 1, 3, 4}));
  EXPECT_EQ(*graph.InstanceSizes(1), (List{4, 1}));
  EXPECT_EQ(*graph.InstanceSizes(2), (List{5}));
  EXPECT_EQ(graph.Layer(0)->kind, TopologyKind::kA3);
  EXPECT_EQ(graph.Links(1, 0, 3)->front().protocol, kHccs);
  EXPECT_THAT(*graph.Links(2, 0, 3), IsEmpty());
  EXPECT_EQ(graph.Links(2, 0, 2)->front().protocol, kRoce);
  EXPECT_EQ(graph.Endpoints(2, 0)->front().place, (CardPlace{0, 72, 1, 1})) << "super_device_id of the table";
  EXPECT_EQ(graph.Endpoints(4, 0)->front().place, (CardPlace{1, 74, 2, 0}));
}

TEST(TableTopology, OneSuperPod_EndsAtIt) {
  const RankGraph graph = Graph(Servers({1, 1}, {R"({"server_id": "s0"}, {"server_id": "s1"})"}), 0, kA3);
  EXPECT_EQ(graph.Layers(), (List{0, 1}));
}

TEST(TableTopology, SomeRanksOnly_KeepTheirServers) {
  const RankGraph graph = Graph(Servers({2, 2}), 1, kA2, {3, 0, 2});
  EXPECT_EQ(*graph.RanksOn(0), (List{1}));
  EXPECT_EQ(*graph.InstanceSizes(0), (List{2, 1})) << "by lowest rank";
  EXPECT_EQ(Graph(Servers({2, 2}), 0, kA2, {3, 2}).Layers(), (List{0}));
}

// --- Tables by levels

std::string Level(int layer, const std::string& instance, const std::string& type, const std::string& addresses) {
  return fmt::format(R"({{"net_layer": {}, "net_instance_id": "{}", "net_type": "{}", "rank_addr_list": [{}]}})", layer,
                     instance, type, addresses);
}

std::string Address(const std::string& type, const std::string& address, const std::string& plane = "0") {
  return fmt::format(R"({{"addr_type": "{}", "addr": "{}", "plane_id": "{}"}})", type, address, plane);
}

std::string Levels(const std::vector<std::string>& levels) {
  std::string ranks;
  for (std::size_t rank = 0; rank < levels.size(); ++rank) {
    ranks += fmt::format(R"({}{{"rank_id": {}, "device_id": {}, "level_list": [{}]}})", rank == 0 ? "" : ", ", rank,
                         rank, levels[rank]);
  }
  return fmt::format(R"({{"version": "2.0", "rank_count": {}, "rank_list": [{}]}})", levels.size(), ranks);
}

TEST(TableTopology, Levels_AreLayersWithTheirInstances) {
  const auto rank = [](int number, const char* server, const char* pod) {
    return Level(0, server, "TOPO_FILE_DESC", "") + ", " +
           Level(1, pod, "CLOS", Address("EID", fmt::format("{:032x}", 0xA0 + number))) + ", " +
           Level(3, "all", "CLOS", Address("IPV4", fmt::format("10.9.0.{}", number)));
  };
  const RankGraph graph =
      Graph(Levels({rank(0, "a", "x"), rank(1, "b", "x"), rank(2, "a", "x"), rank(3, "c", "y")}), 2, k950);
  EXPECT_EQ(graph.Layers(), (List{0, 1, 3})) << "as the table numbers them";
  EXPECT_EQ(*graph.RanksOn(0), (List{0, 2}));
  EXPECT_EQ(*graph.RanksOn(1), (List{0, 1, 2}));
  EXPECT_EQ(*graph.RanksOn(3), (List{0, 1, 2, 3}));
  EXPECT_EQ(*graph.InstanceSizes(0), (List{2, 1, 1}));
  const auto no_layer = graph.RanksOn(2);
  ASSERT_FALSE(no_layer);
  EXPECT_EQ(no_layer.error().message(), "netLayer 2 is out of range, rank 2 is on the layers 0, 1, 3");
  EXPECT_EQ(graph.Layer(0)->kind, TopologyKind::kCustom);
  EXPECT_EQ(graph.Layer(0)->instance_kind, TopologyKind::kMesh);
  EXPECT_EQ(graph.Layer(1)->kind, TopologyKind::kClos);
  EXPECT_EQ(graph.Links(0, 0, 2)->front().protocol, kUbCtp);
  EXPECT_EQ(graph.Links(1, 0, 1)->front().protocol, kUbCtp);
  const GraphLink far = graph.Links(3, 2, 3)->front();
  EXPECT_EQ(far.protocol, kRoce);
  EXPECT_THAT(List(far.destination.address.begin(), far.destination.address.begin() + 4), ElementsAre(10, 9, 0, 3));
  EXPECT_EQ(far.destination.place, (CardPlace{3, 0, 2, 1}));
  std::array<std::uint8_t, 16> eid{};
  eid[15] = 0xA1;
  EXPECT_THAT(graph.Endpoints(1, 1)->front().address, ElementsAreArray(eid));
  EXPECT_EQ(*graph.FindLayer(1, graph.Endpoints(1, 1)->front()), 1u);
}

TEST(TableTopology, Clos_IsTheKindOfLayerZeroWhereTheTableSaysSo) {
  const std::string text = Levels({Level(0, "a", "TOPO_FILE_DESC", "") + ", " + Level(1, "all", "CLOS", ""),
                                   Level(0, "b", "CLOS", "") + ", " + Level(1, "all", "CLOS", "")});
  EXPECT_EQ(Graph(text, 0, k950).Instance(0, 0)->instance_kind, TopologyKind::kMesh);
  EXPECT_EQ(Graph(text, 1, k950).Instance(0, 0)->instance_kind, TopologyKind::kClos);
}

TEST(TableTopology, Planes_HaveALinkEach) {
  const auto rank = [](int number, const std::string& other_plane) {
    return Level(0, "a", "CLOS",
                 Address("EID", fmt::format("{:032x}", 0x10 * number + 1), "0") + ", " +
                     Address("EID", fmt::format("{:032x}", 0x10 * number + 2), "0") + ", " +
                     Address("EID", fmt::format("{:032x}", 0x10 * number + 3), other_plane));
  };
  const RankGraph graph = Graph(Levels({rank(1, "1"), rank(2, "1"), rank(3, "2")}), 0, k950);
  EXPECT_THAT(*graph.Endpoints(0, 0), SizeIs(3));
  const auto links = *graph.Links(0, 0, 1);
  ASSERT_THAT(links, SizeIs(2)) << "planes 0 and 1";
  EXPECT_EQ(links[0].source.address[15], 0x11);
  EXPECT_EQ(links[0].destination.address[15], 0x21);
  EXPECT_EQ(links[1].source.address[15], 0x13);
  EXPECT_EQ(links[1].destination.address[15], 0x23);
  EXPECT_THAT(*graph.Links(0, 0, 2), SizeIs(1)) << "plane 0 only";
}

TEST(TableTopology, RankWithoutALevel_IsNotOnThatLayer) {
  const std::string text =
      Levels({Level(0, "a", "CLOS", "") + ", " + Level(1, "x", "CLOS", "") + ", " + Level(2, "all", "CLOS", ""),
              Level(0, "b", "CLOS", "") + ", " + Level(1, "x", "CLOS", "") + ", " + Level(2, "all", "CLOS", ""),
              Level(0, "c", "CLOS", "") + ", " + Level(2, "all", "CLOS", "")});
  EXPECT_EQ(Graph(text, 2, k950).Layers(), (List{0, 2}));
  const RankGraph graph = Graph(text, 0, k950);
  EXPECT_EQ(graph.Layers(), (List{0, 1, 2}));
  EXPECT_EQ(*graph.InstanceSizes(1), (List{2}));
  EXPECT_THAT(*graph.Endpoints(2, 1), IsEmpty());
  EXPECT_THAT(*graph.Links(1, 0, 2), IsEmpty());
  EXPECT_THAT(*graph.Links(2, 0, 2), SizeIs(1));
}

TEST(TableTopology, AddressesOfAllSpellings_AreRead) {
  const auto address_of = [](const std::string& type, const std::string& text) {
    return Graph(Levels({Level(0, "a", "CLOS", Address(type, text))}), 0, k950).Endpoints(0, 0)->front();
  };
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = 0xFE;
  bytes[1] = 0x80;
  bytes[15] = 0x2A;
  for (const char* text : {"fe80000000000000000000000000002a", "FE80:0000:0000:0000:0000:0000:0000:002A", "fe80::2a"}) {
    const GraphEndpoint endpoint = address_of("EID", text);
    EXPECT_EQ(endpoint.address_type, 3) << text;
    EXPECT_THAT(endpoint.address, ElementsAreArray(bytes)) << text;
    EXPECT_EQ(endpoint.protocol, kUbCtp);
  }
  const GraphEndpoint ipv6 = address_of("IPV6", "fe80::2a");
  EXPECT_EQ(ipv6.address_type, 1);
  EXPECT_EQ(ipv6.protocol, kRoce);
  EXPECT_THAT(ipv6.address, ElementsAreArray(bytes));
  const GraphEndpoint unreadable = address_of("EID", "eid of card 7");
  EXPECT_EQ(unreadable.address[0], 0xFD) << "what is no EID is replaced by one that is unique in the cluster";
}

}  // namespace
}  // namespace softhccl::comm
