// A process whose devices stand for the cluster of SOFTHCCL_TOPOLOGY: two super pods, one with two servers of two
// cards, one with a server of two and a server of one.
#include "fixture.h"
#include "hccl/hccl_rank_graph.h"
#include "rank_table_file.h"

namespace softhccl::conformance {
namespace {

using ::testing::ElementsAre;

class TopologyFileTest : public ApiTest {};

std::vector<uint32_t> RanksByLayer(HcclComm comm, uint32_t layer) {
  uint32_t* array = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(HcclRankGraphGetRanksByLayer(comm, layer, &array, &count), HCCL_SUCCESS);
  return {array, array + count};
}

std::vector<uint32_t> SizesByLayer(HcclComm comm, uint32_t layer) {
  uint32_t* array = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(HcclRankGraphGetInstSizeListByLayer(comm, layer, &array, &count), HCCL_SUCCESS);
  return {array, array + count};
}

std::vector<uint32_t> Layers(HcclComm comm) {
  uint32_t* array = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(HcclRankGraphGetLayers(comm, &array, &count), HCCL_SUCCESS);
  return {array, array + count};
}

uint32_t LinkCount(HcclComm comm, uint32_t layer, uint32_t src, uint32_t dst) {
  CommLink* links = nullptr;
  uint32_t count = 99;
  EXPECT_EQ(HcclRankGraphGetLinks(comm, layer, src, dst, &links, &count), HCCL_SUCCESS);
  EXPECT_EQ(links == nullptr, count == 0);
  return count;
}

TEST_F(TopologyFileTest, WholeCluster_HasThreeLayers) {
  RunRanks(7, [](Rank& rank) {
    EXPECT_THAT(Layers(rank.comm), ElementsAre(0, 1, 2));
    EXPECT_THAT(SizesByLayer(rank.comm, 0), ElementsAre(2, 2, 2, 1));
    EXPECT_THAT(SizesByLayer(rank.comm, 1), ElementsAre(4, 3));
    EXPECT_THAT(SizesByLayer(rank.comm, 2), ElementsAre(7));
    if (rank.id == 6) {
      EXPECT_THAT(RanksByLayer(rank.comm, 0), ElementsAre(6));
      EXPECT_THAT(RanksByLayer(rank.comm, 1), ElementsAre(4, 5, 6));
    }
    CommTopo topo = COMM_TOPO_RESERVED;
    EXPECT_EQ(HcclRankGraphGetTopoTypeByLayer(rank.comm, 1, &topo), HCCL_SUCCESS);
    EXPECT_EQ(topo, COMM_TOPO_CLOS);
    EXPECT_EQ(HcclRankGraphGetTopoType(rank.comm, 1, 0, &topo), HCCL_SUCCESS);
    EXPECT_EQ(topo, COMM_TOPO_CLOS);
    EXPECT_EQ(LinkCount(rank.comm, 0, 0, 1), 1u);
    EXPECT_EQ(LinkCount(rank.comm, 0, 0, 2), 0u);
    EXPECT_EQ(LinkCount(rank.comm, 1, 0, 2), 1u);
    EXPECT_EQ(LinkCount(rank.comm, 1, 0, 4), 0u);
    EXPECT_EQ(LinkCount(rank.comm, 2, 0, 4), 1u);
  });
}

TEST_F(TopologyFileTest, DescribedLayer_ShowsInLinksAndEndpoints) {
  RunRanks(5, [](Rank& rank) {
    CommLink* links = nullptr;
    uint32_t count = 0;
    ASSERT_EQ(HcclRankGraphGetLinks(rank.comm, 2, 1, 4, &links, &count), HCCL_SUCCESS);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(links->linkAttr.linkProtocol, COMM_PROTOCOL_ROCE);
    const EndpointDesc& end = links->dstEndpointDesc;
    EXPECT_EQ(end.commAddr.type, COMM_ADDR_TYPE_IP_V4);
    EXPECT_EQ(ntohl(end.commAddr.addr.s_addr), 0x0A020004u) << "10.<layer>.<card>";
    EXPECT_EQ(end.loc.device.devPhyId, 0u);
    EXPECT_EQ(end.loc.device.serverIdx, 2u);
    EXPECT_EQ(end.loc.device.superPodIdx, 1u);
    EXPECT_EQ(end.loc.device.superDevId, 0u);
    EndpointAttrBwCoeff coefficient = 0;
    EXPECT_EQ(HcclRankGraphGetEndpointInfo(rank.comm, 4, &end, ENDPOINT_ATTR_BW_COEFF, 4, &coefficient), HCCL_SUCCESS);
    EXPECT_EQ(coefficient, 25u);
  });
}

TEST_F(TopologyFileTest, RankTable_IsNotAskedWhereTheClusterIsDescribed) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const TableFile table(OneServer(3));
  HcclComm comm = nullptr;
  ASSERT_EQ(HcclCommInitClusterInfo(table.path(), 0, &comm), HCCL_SUCCESS);
  EXPECT_THAT(Layers(comm), ElementsAre(0, 1)) << "devices 0 to 2 are on two servers of the description";
  EXPECT_THAT(SizesByLayer(comm, 0), ElementsAre(2, 1));
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(TopologyFileTest, CommunicatorInsideOfOneServer_SeesTheServerOnly) {
  RunRanks(2, [](Rank& rank) {
    EXPECT_THAT(Layers(rank.comm), ElementsAre(0));
    EXPECT_THAT(SizesByLayer(rank.comm, 0), ElementsAre(2));
  });
}

TEST_F(TopologyFileTest, DeviceThatTheClusterDoesNotHave_IsRefused) {
  EXPECT_EQ(aclrtSetDevice(7), ACL_SUCCESS);
  HcclRootInfo root;
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &root, 0, &comm), "device 7 is not in the cluster that ",
               "two_super_pods.json describes, which has the cards 0 to 6", "describe more servers");
  EXPECT_EQ(aclrtResetDevice(7), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
