// The rank graph of described clusters: 2 x 8, 4 x 1, 8 + 4, two super pods, and of communicators that hold some of the
// cards only.
#include "comm/rank_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace softhccl::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using List = std::vector<std::uint32_t>;

RankGraph Make(std::string_view cluster, std::uint32_t own, const std::vector<int>& devices,
               const char* soc = "Ascend950PR_9599") {
  const auto topology = Topology::Parse(fmt::format("{{\"cluster\": {}}}", cluster), "t.json", soc);
  EXPECT_TRUE(topology) << (topology ? "" : topology.error().message());
  auto graph = RankGraph::Create(std::make_shared<const Topology>(*topology), own, devices);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  return *graph;
}

std::vector<int> FirstDevices(int count) {
  std::vector<int> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

template <typename T>
std::string ErrorOf(const base::Result<T>& result) {
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().code(), base::Code::kInvalidParam);
  return result.error().message();
}

TEST(RankGraph, OneServer_IsOneLayerWithEverybody) {
  const auto topology = std::make_shared<const Topology>(Topology::OneServer(1024, "Ascend950PR_9599"));
  const auto graph = RankGraph::Create(topology, 1, FirstDevices(4)).value();
  EXPECT_EQ(graph.Layers(), (List{0}));
  EXPECT_EQ(*graph.RanksOn(0), (List{0, 1, 2, 3}));
  EXPECT_EQ(*graph.InstanceSizes(0), (List{4}));
  EXPECT_EQ(graph.Links(0, 0, 3)->size(), 1u);
}

TEST(RankGraph, TwoServersOfEight_SeeTheirOwnServerAndThePod) {
  const RankGraph graph = Make("[8, 8]", 9, FirstDevices(16));
  EXPECT_EQ(graph.Layers(), (List{0, 1}));
  EXPECT_EQ(*graph.RanksOn(0), (List{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(graph.RanksOn(1)->size(), 16u);
  EXPECT_EQ(*graph.InstanceSizes(0), (List{8, 8}));
  EXPECT_EQ(*graph.InstanceSizes(1), (List{16}));
  EXPECT_EQ(graph.Links(0, 0, 8)->size(), 0u) << "different servers have no link on layer 0";
  EXPECT_EQ(graph.Links(1, 0, 8)->size(), 1u);
  EXPECT_EQ(graph.Links(1, 0, 7)->size(), 1u) << "the pod's network reaches all";
  EXPECT_EQ(graph.Links(0, 0, 7)->size(), 1u) << "also between ranks of another server than the own";
}

TEST(RankGraph, FourServersOfOne_HaveNobodyOnLayerZeroButThemselves) {
  const RankGraph graph = Make("[1, 1, 1, 1]", 2, FirstDevices(4));
  EXPECT_EQ(*graph.RanksOn(0), (List{2}));
  EXPECT_EQ(*graph.InstanceSizes(0), (List{1, 1, 1, 1}));
  EXPECT_EQ(*graph.RanksOn(1), (List{0, 1, 2, 3}));
}

TEST(RankGraph, EightAndFour_HaveTheirSizes) {
  EXPECT_EQ(*Make("[8, 4]", 11, FirstDevices(12)).InstanceSizes(0), (List{8, 4}));
  EXPECT_EQ(*Make("[8, 4]", 11, FirstDevices(12)).RanksOn(0), (List{8, 9, 10, 11}));
}

TEST(RankGraph, TwoSuperPods_AreThreeLayers) {
  const RankGraph graph = Make("[[2, 2], [2]]", 4, FirstDevices(6));
  EXPECT_EQ(graph.Layers(), (List{0, 1, 2}));
  EXPECT_EQ(*graph.InstanceSizes(1), (List{4, 2}));
  EXPECT_EQ(*graph.RanksOn(1), (List{4, 5}));
  const GraphEndpoint endpoint = graph.Endpoints(5, 2)->front();
  EXPECT_EQ(endpoint.place.card, 1u);
  EXPECT_EQ(endpoint.place.server, 2u);
  EXPECT_EQ(endpoint.place.super_pod, 1u);
  EXPECT_EQ(endpoint.place.super_card, 1u);
  EXPECT_EQ(graph.Endpoints(3, 0)->front().place.super_card, 3u);
}

TEST(RankGraph, PartOfTheCluster_IsRestrictedToItsRanks) {
  const RankGraph inside = Make("[[4, 4], [4]]", 1, {2, 0, 3});
  EXPECT_EQ(inside.Layers(), (List{0})) << "all ranks are in one server";
  EXPECT_EQ(*inside.RanksOn(0), (List{0, 1, 2}));
  const RankGraph across = Make("[[4, 4], [4]]", 0, {7, 1, 0, 6});
  EXPECT_EQ(across.Layers(), (List{0, 1})) << "all ranks are in one super pod";
  EXPECT_EQ(*across.RanksOn(0), (List{0, 3}));
  EXPECT_EQ(*across.InstanceSizes(0), (List{2, 2}));
  const RankGraph apart = Make("[[4, 4], [4]]", 1, {0, 8});
  EXPECT_EQ(apart.Layers(), (List{0, 1, 2}));
  EXPECT_EQ(*apart.InstanceSizes(1), (List{1, 1}));
  EXPECT_EQ(apart.Links(2, 0, 1)->size(), 1u);
}

TEST(RankGraph, OlderProducts_LinkOnTheLowestLayerOnly) {
  const RankGraph graph = Make("[2, 2]", 0, FirstDevices(4), "Ascend910B3");
  EXPECT_EQ(graph.Links(0, 0, 1)->size(), 1u);
  EXPECT_EQ(graph.Links(1, 0, 1)->size(), 0u);
  EXPECT_EQ(graph.Links(1, 0, 2)->size(), 1u);
  EXPECT_EQ(graph.Links(1, 0, 2)->front().protocol, 1);  // ROCE
  EXPECT_EQ(graph.Links(0, 1, 1)->size(), 0u) << "to itself: none, not an error";
}

TEST(RankGraph, Endpoints_AreUniqueAndFoundAgain) {
  for (const char* soc : {"Ascend950PR_9599", "Ascend910_9391", "Ascend910B3"}) {
    const RankGraph graph = Make("[[300, 2], [2]]", 0, {0, 255, 256, 299, 300, 303}, soc);
    std::vector<GraphEndpoint> seen;
    for (std::uint32_t layer = 0; layer < 3; ++layer) {
      for (std::uint32_t rank = 0; rank < 6; ++rank) {
        const GraphEndpoint endpoint = graph.Endpoints(rank, layer)->front();
        for (const GraphEndpoint& other : seen) EXPECT_NE(endpoint.address, other.address);
        seen.push_back(endpoint);
        EXPECT_EQ(*graph.FindLayer(rank, endpoint), layer);
        EXPECT_THAT(ErrorOf(graph.FindLayer((rank + 1) % 6, endpoint)), HasSubstr("is no endpoint of rank"));
      }
    }
  }
  const RankGraph old = Make("[[300, 2], [2]]", 0, {0, 299, 303}, "Ascend910B3");
  const GraphEndpoint ethernet = old.Endpoints(1, 1)->front();
  EXPECT_EQ(ethernet.address_type, 0);
  EXPECT_THAT(List(ethernet.address.begin(), ethernet.address.begin() + 4), ElementsAre(10, 1, 1, 43));
  EXPECT_EQ(old.Endpoints(1, 0)->front().address_type, 2);
  EXPECT_EQ(Make("8", 0, {0}).Endpoints(0, 0)->front().address_type, 3);
}

TEST(RankGraph, LinkEnds_AreTheRanksEndpointsOnThatLayer) {
  const RankGraph graph = Make("[2, 2]", 3, FirstDevices(4));
  const GraphLink link = graph.Links(1, 3, 0)->front();
  EXPECT_EQ(link.source, graph.Endpoints(3, 1)->front());
  EXPECT_EQ(link.destination, graph.Endpoints(0, 1)->front());
  EXPECT_EQ(link.protocol, 4);
}

TEST(RankGraph, WhatDoesNotExist_IsNamed) {
  const RankGraph graph = Make("[2, 2]", 3, FirstDevices(4));
  EXPECT_EQ(ErrorOf(graph.RanksOn(2)), "netLayer 2 is out of range, rank 3 is on the layers 0 to 1");
  EXPECT_THAT(ErrorOf(graph.InstanceSizes(UINT32_MAX)), HasSubstr("netLayer 4294967295 is out of range"));
  EXPECT_THAT(ErrorOf(graph.Layer(2)), HasSubstr("netLayer 2"));
  EXPECT_THAT(ErrorOf(graph.Instance(2, 0)), HasSubstr("netLayer 2"));
  EXPECT_EQ(ErrorOf(graph.Instance(1, 1)),
            "topoInstId 1 does not exist on layer 1; rank 3 is in one instance there, 0");
  EXPECT_THAT(ErrorOf(graph.Endpoints(4, 0)), HasSubstr("rank 4 is out of range, the communicator has 4 ranks"));
  EXPECT_THAT(ErrorOf(graph.Links(2, 0, 1)), HasSubstr("netLayer 2"));
  EXPECT_THAT(ErrorOf(graph.Links(0, 4, 1)), HasSubstr("srcRank 4 is out of range"));
  EXPECT_THAT(ErrorOf(graph.Links(0, 1, 4)), HasSubstr("dstRank 4 is out of range"));
  EXPECT_THAT(ErrorOf(graph.Links(0, 1, 1)), HasSubstr("srcRank and dstRank are both 1"));
  EXPECT_THAT(ErrorOf(graph.FindLayer(4, graph.Endpoints(0, 0)->front())), HasSubstr("rankId 4 is out of range"));
  const auto parsed = Topology::Parse("{\"cluster\": 2}", "t.json", "Ascend950PR_9599");
  const auto topology = std::make_shared<const Topology>(*parsed);
  EXPECT_THAT(ErrorOf(RankGraph::Create(topology, 0, {0, 2})), HasSubstr("device 2 is not in the cluster"));
}

TEST(KeptArrays, SameKey_IsTheSameArray) {
  KeptArrays kept;
  std::uint32_t* first = kept.Keep<std::uint32_t>("a", {1, 2});
  first[0] = 7;
  EXPECT_EQ(kept.Keep<std::uint32_t>("a", {1, 2}), first);
  EXPECT_EQ(first[1], 2u);
  EXPECT_NE(kept.Keep<std::uint32_t>("b", {1, 2}), first);
  EXPECT_EQ(kept.Keep<std::uint32_t>("c", {}), nullptr);
}

}  // namespace
}  // namespace softhccl::comm
