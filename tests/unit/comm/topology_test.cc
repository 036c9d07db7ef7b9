// The description of a cluster: shapes, what a layer is when the file does not say, and the sentence for every mistake.
#include "comm/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::comm {
namespace {

using ::testing::HasSubstr;

constexpr const char* k950 = "Ascend950PR_9599";

Topology Read(std::string_view text, const std::string& soc = k950) {
  auto parsed = Topology::Parse(text, "t.json", soc);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message());
  return *parsed;
}

std::string Problem(std::string_view text) {
  const auto parsed = Topology::Parse(text, "t.json", k950);
  EXPECT_FALSE(parsed) << text;
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code(), base::Code::kInvalidParam);
  return parsed.error().message();
}

// Instance numbers of a layer, by card.
std::vector<std::uint32_t> Instances(const Topology& topology, std::size_t layer) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t card = 0; card < topology.cards(); ++card) all.push_back(topology.InstanceOf(card, layer));
  return all;
}

using List = std::vector<std::uint32_t>;

TEST(Topology, TwoServersOfThree_HaveTwoLayers) {
  const Topology topology = Read("{\"cluster\": [3, 3]}");
  EXPECT_EQ(topology.cards(), 6u);
  ASSERT_EQ(topology.layer_count(), 2u);
  EXPECT_EQ(Instances(topology, 0), (List{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(Instances(topology, 1), (List{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(topology.PlaceOf(4), (CardPlace{1, 4, 1, 0}));
}

TEST(Topology, UnequalServers_KeepTheirSizes) {
  const Topology topology = Read("{\"cluster\": [2, 1]}");
  EXPECT_EQ(Instances(topology, 0), (List{0, 0, 1}));
}

TEST(Topology, ServersOfOneCard_AreServers) {
  EXPECT_EQ(Instances(Read("{\"cluster\": [1, 1, 1, 1]}"), 0), (List{0, 1, 2, 3}));
}

TEST(Topology, OneNumber_IsOneServerWithOneLayer) {
  EXPECT_EQ(Read("{\"cluster\": 8}").layer_count(), 1u);
  const Topology listed = Read("{\"cluster\": [8]}");
  EXPECT_EQ(listed.layer_count(), 2u) << "one pod with one server";
}

TEST(Topology, SeveralSuperPods_HaveThreeLayers) {
  const Topology topology = Read("{\"cluster\": [[1, 2], [2]]}");
  ASSERT_EQ(topology.layer_count(), 3u);
  EXPECT_EQ(Instances(topology, 0), (List{0, 1, 1, 2, 2}));
  EXPECT_EQ(Instances(topology, 1), (List{0, 0, 0, 1, 1}));
  EXPECT_EQ(Instances(topology, 2), (List{0, 0, 0, 0, 0}));
}

TEST(Topology, EightLayers_AreTheMost) {
  EXPECT_EQ(Read("{\"cluster\": [[[[[[[1]]]]]]]}").layer_count(), 8u);
  EXPECT_THAT(Problem("{\"cluster\": [[[[[[[[1]]]]]]]]}"),
              HasSubstr("nested too deep; a cluster has at most 8 layers"));
}

TEST(Topology, LayersByProduct_AreWhatItsOperatorsExpect) {
  const char* text = "{\"cluster\": [[2], [2]]}";
  const Topology on_950 = Read(text);
  EXPECT_EQ(on_950.LayerOf(0, 0).kind, TopologyKind::kCustom);
  EXPECT_EQ(on_950.LayerOf(0, 0).instance_kind, TopologyKind::kMesh);
  EXPECT_EQ(on_950.LayerOf(0, 0).protocol, 4);  // UB_CTP
  EXPECT_EQ(on_950.LayerOf(0, 1).kind, TopologyKind::kClos);
  EXPECT_EQ(on_950.LayerOf(0, 1).protocol, 4);
  EXPECT_EQ(on_950.LayerOf(0, 2).protocol, 1);  // ROCE
  const Topology a3 = Read(text, "Ascend910_9391");
  EXPECT_TRUE(a3.legacy());
  EXPECT_EQ(a3.LayerOf(0, 0).kind, TopologyKind::kA3);
  EXPECT_EQ(a3.LayerOf(0, 1).protocol, 0);  // HCCS
  EXPECT_EQ(a3.LayerOf(0, 2).protocol, 1);
  const Topology a2 = Read(text, "Ascend910B3");
  EXPECT_TRUE(a2.legacy());
  EXPECT_EQ(a2.LayerOf(0, 0).kind, TopologyKind::kMesh);
  EXPECT_EQ(a2.LayerOf(0, 0).protocol, 0);
  EXPECT_EQ(a2.LayerOf(0, 1).protocol, 1);
  EXPECT_FALSE(Read(text).legacy());
}

TEST(Topology, DescribedLayers_WinOverTheProduct) {
  const Topology topology = Read(
      "{\"cluster\": [2, 2], \"layers\": [{\"name\": \"board\", \"topology\": \"clos\", \"protocol\": \"UB_MEM\", "
      "\"bandwidth\": 56}, {\"topology\": \"mesh\", \"protocol\": \"UBOE\"}]}");
  EXPECT_EQ(topology.LayerOf(0, 0).name, "board");
  EXPECT_EQ(topology.LayerOf(0, 0).kind, TopologyKind::kClos);
  EXPECT_EQ(topology.LayerOf(0, 0).instance_kind, TopologyKind::kClos);
  EXPECT_EQ(topology.LayerOf(0, 0).protocol, 6);
  EXPECT_EQ(topology.LayerOf(0, 0).bandwidth, 56u);
  EXPECT_EQ(topology.LayerOf(0, 1).name, "pod");
  EXPECT_EQ(topology.LayerOf(0, 1).kind, TopologyKind::kMesh);
  EXPECT_EQ(topology.LayerOf(0, 1).protocol, 7);
  EXPECT_EQ(topology.LayerOf(0, 1).bandwidth, 1u);
}

TEST(Topology, Mistakes_NameLineAndField) {
  EXPECT_EQ(Problem("{}"), "t.json:1: \"cluster\" is missing");
  EXPECT_EQ(Problem("[]"), "t.json:1: is an array, expected an object");
  EXPECT_EQ(Problem("{\"cluster\": 8,\n\"racks\": 2}"),
            "t.json:2: racks: is not known here; known are cluster, layers");
  EXPECT_EQ(Problem("{\"cluster\": [8,\n0]}"),
            "t.json:2: cluster[1]: is the number 0, expected an integer from 1 to 65536");
  EXPECT_EQ(Problem("{\"cluster\": \"8\"}"),
            "t.json:1: cluster: is the text \"8\", expected an integer from 1 to 65536");
  EXPECT_EQ(Problem("{\"cluster\": [8, []]}"), "t.json:1: cluster[1]: is empty; a group has at least one server");
  EXPECT_EQ(
      Problem("{\"cluster\": [[8],\n8]}"),
      "t.json:2: cluster[1]: is a server inside of 1 lists, but an earlier server is inside of 2; all servers are "
      "nested alike");
  EXPECT_EQ(Problem("{\"cluster\": [65536, 1]}"),
            "t.json:1: cluster[1]: 1 more cards make 65537, at most 65536 are possible");
  EXPECT_EQ(Problem("{\"cluster\": [8, 8],\n\"layers\": [{}]}"),
            "t.json:2: layers: has 1 entries, but the cluster has 2 layers; give one entry per layer, servers first");
  EXPECT_EQ(Problem("{\"cluster\": 8, \"layers\": [{\"topology\": \"ring\"}]}"),
            "t.json:1: layers[0].topology: is \"ring\", expected mesh or clos");
  EXPECT_THAT(
      Problem("{\"cluster\": 8, \"layers\": [{\"protocol\": \"TCP\"}]}"),
      HasSubstr("layers[0].protocol: is \"TCP\", expected one of HCCS, ROCE, PCIE, SIO, UB_CTP, UBC_TP, UB_MEM"));
  EXPECT_THAT(Problem("{\"cluster\": 8, \"layers\": [{\"bandwidth\": 0}]}"),
              HasSubstr("layers[0].bandwidth: is the number 0, expected an integer from 1 to 1000000"));
  EXPECT_THAT(Problem("{\"cluster\": 8, \"layers\": [{\"name\": 1}]}"), HasSubstr("layers[0].name: is the number 1"));
  EXPECT_THAT(Problem("{\"cluster\": 8, \"layers\": [{\"speed\": 1}]}"),
              HasSubstr("layers[0].speed: is not known here"));
  EXPECT_THAT(Problem("{\"cluster\": 8, \"layers\": [8]}"),
              HasSubstr("layers[0]: is the number 8, expected an object"));
  EXPECT_THAT(Problem("{\"cluster\": 8, \"layers\": 8}"), HasSubstr("layers: is the number 8, expected an array"));
  EXPECT_THAT(Problem("{\"cluster\":"), HasSubstr("t.json:1: not valid JSON: "));
}

TEST(Topology, CardOutsideOfTheCluster_IsNamedWithTheLast) {
  const Topology topology = Read("{\"cluster\": [2, 1]}");
  EXPECT_TRUE(topology.CheckCard(2).ok());
  EXPECT_THAT(topology.CheckCard(3).message(), HasSubstr("device 3 is not in the cluster that t.json describes, which "
                                                         "has the cards 0 to 2"));
  EXPECT_FALSE(topology.CheckCard(-1).ok());
}

}  // namespace
}  // namespace softhccl::comm
