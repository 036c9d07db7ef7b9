// HcclRankGraph… of communicators that were made from a rank table: the servers, super pods and levels of the table.
#include <cstring>

#include "fixture.h"
#include "hccl/hccl_rank_graph.h"
#include "rank_table_file.h"

namespace softhccl::conformance {
namespace {

using ::testing::ElementsAre;

// Rank 0, which needs no other rank to ask.
class RankTableGraphTest : public DeviceTest {
 protected:
  void TearDown() override {
    if (comm_ != nullptr) {
      EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  void Open(const std::string& text) {
    const TableFile table(text);
    ASSERT_EQ(HcclCommInitClusterInfo(table.path(), 0, &comm_), HCCL_SUCCESS);
  }

  using List = std::vector<uint32_t>;
  List Layers(HcclComm comm) {
    uint32_t* array = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetLayers(comm, &array, &count), HCCL_SUCCESS);
    return {array, array + count};
  }
  List RanksOn(uint32_t layer) {
    uint32_t* array = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetRanksByLayer(comm_, layer, &array, &count), HCCL_SUCCESS);
    return {array, array + count};
  }
  List Sizes(HcclComm comm, uint32_t layer) {
    uint32_t* array = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetInstSizeListByLayer(comm, layer, &array, &count), HCCL_SUCCESS);
    return {array, array + count};
  }
  std::vector<CommLink> Links(uint32_t layer, uint32_t source, uint32_t destination) {
    CommLink* links = nullptr;
    uint32_t count = 99;
    EXPECT_EQ(HcclRankGraphGetLinks(comm_, layer, source, destination, &links, &count), HCCL_SUCCESS);
    return {links, links + count};
  }

  HcclComm comm_ = nullptr;
};

TEST_F(RankTableGraphTest, TwoServersOfTwo_AreTwoLayers) {
  Open(TwoServersOfTwo());
  EXPECT_THAT(Layers(comm_), ElementsAre(0, 1));
  EXPECT_THAT(RanksOn(0), ElementsAre(0, 1));
  EXPECT_THAT(RanksOn(1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Sizes(comm_, 0), ElementsAre(2, 2));
  EXPECT_EQ(Links(0, 0, 1).size(), 1u);
  EXPECT_EQ(Links(0, 0, 2).size(), 0u);
  ASSERT_EQ(Links(1, 0, 3).size(), 1u);
  const EndpointDesc far = Links(1, 0, 3)[0].dstEndpointDesc;
  EXPECT_EQ(far.loc.device.devPhyId, 1u) << "the table's device_id, not the device of this process";
  EXPECT_EQ(far.loc.device.serverIdx, 1u);
}

TEST_F(RankTableGraphTest, SuperPods_AreThreeLayersAndGiveTheirDeviceIds) {
  Open(TwoServersOfTwo(true));
  EXPECT_THAT(Layers(comm_), ElementsAre(0, 1, 2));
  EXPECT_THAT(Sizes(comm_, 1), ElementsAre(2, 2));
  EXPECT_EQ(Links(1, 0, 2).size(), 0u);
  ASSERT_EQ(Links(2, 0, 2).size(), 1u);
  const CommLink link = Links(2, 0, 2)[0];
  EXPECT_EQ(link.linkAttr.linkProtocol, COMM_PROTOCOL_ROCE);
  EXPECT_EQ(link.dstEndpointDesc.commAddr.type, COMM_ADDR_TYPE_IP_V4);
  EXPECT_EQ(ntohl(link.dstEndpointDesc.commAddr.addr.s_addr), 0x0A010002u) << "device_ip of rank 2";
  EXPECT_EQ(link.dstEndpointDesc.loc.device.superDevId, 72u);
  EXPECT_EQ(link.dstEndpointDesc.loc.device.superPodIdx, 1u);
}

TEST_F(RankTableGraphTest, SubCommunicator_SeesTheServersOfItsRanks) {
  Open(TwoServersOfTwo());
  uint32_t ranks[] = {2, 0, 3};
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclBufferSize = 1;
  HcclComm sub = nullptr;
  ASSERT_EQ(HcclCreateSubCommConfig(&comm_, 3, ranks, 7, 1, &config, &sub), HCCL_SUCCESS);
  EXPECT_THAT(Layers(sub), ElementsAre(0, 1));
  EXPECT_THAT(Sizes(sub, 0), ElementsAre(2, 1));
  EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
}

TEST_F(RankTableGraphTest, AddressesOfALevel_AreEndpointsAndPlanesAreLinks) {
  std::string text = R"({"version": "2.0", "rank_count": 2, "rank_list": [)";
  for (const char* rank : {"0", "1"}) {
    const std::string number(rank);
    text += (number == "0" ? "" : ", ") +
            (R"({"rank_id": )" + number + R"(, "device_id": )" + number +
             R"(, "level_list": [{"net_layer": 0, "net_instance_id": "rack", "net_type": "TOPO_FILE_DESC",
               "rank_addr_list": [{"addr_type": "EID", "addr": "fe80::1)" +
             number + R"(", "plane_id": "0"},
                                  {"addr_type": "EID", "addr": "fe80::2)" +
             number + R"(", "plane_id": "1"}]}]})");
  }
  Open(text + "]}");
  uint32_t count = 0;
  EXPECT_EQ(HcclRankGraphGetEndpointNum(comm_, 0, 0, &count), HCCL_SUCCESS);
  ASSERT_EQ(count, 2u);
  EndpointDesc ends[2];
  count = 1;
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointDesc, (comm_, 0, 0, &count, ends),
               "descNum 1 is too small, there are 2 endpoints");
  count = 2;
  EXPECT_EQ(HcclRankGraphGetEndpointDesc(comm_, 0, 0, &count, ends), HCCL_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(ends[1].commAddr.type, COMM_ADDR_TYPE_EID);
  EXPECT_EQ(ends[1].commAddr.raws[0], 0xFE);
  EXPECT_EQ(ends[1].commAddr.raws[15], 0x20);
  EndpointAttrBwCoeff coefficient = 0;
  EXPECT_EQ(HcclRankGraphGetEndpointInfo(comm_, 0, &ends[1], ENDPOINT_ATTR_BW_COEFF, 4, &coefficient), HCCL_SUCCESS);
  const auto links = Links(0, 0, 1);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[1].srcEndpointDesc.commAddr.raws[15], 0x20);
  EXPECT_EQ(links[1].dstEndpointDesc.commAddr.raws[15], 0x21);
}

}  // namespace
}  // namespace softhccl::conformance
