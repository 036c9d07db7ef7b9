// HcclRankGraph… on the default cluster: one server in which every card is connected with every other. The clusters of
// a topology file are in topology_test.cc.
#include "hccl/hccl_rank_graph.h"

#include <cstring>

#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

using ::testing::ElementsAre;

// An output that a failing call must not touch.
template <typename T>
T* Untouched() {
  return reinterpret_cast<T*>(0x5AA5);
}

// Every function of the header refuses in the same order: device, communicator, pointers, values.
#define EXPECT_BAD_COMM_IS_REFUSED(function, ...)                                                        \
  do {                                                                                                   \
    EXPECT_FAILS(HCCL_E_PTR, function, (nullptr, __VA_ARGS__), "comm is null");                          \
    EXPECT_FAILS(HCCL_E_PARA, function, (FromBits(0x1234), __VA_ARGS__),                                 \
                 "comm 0x1234 is not a communicator of this process");                                   \
    std::thread([&] {                                                                                    \
      EXPECT_FAILS(HCCL_E_RUNTIME, function, (nullptr, __VA_ARGS__), "no device is set on this thread"); \
    }).join();                                                                                           \
  } while (false)

HcclComm FromBits(uint64_t bits) { return reinterpret_cast<HcclComm>(bits); }

class RankGraphTest : public OneRankTest {
 protected:
  uint32_t* array_ = Untouched<uint32_t>();
  uint32_t number_ = 99;
};

std::vector<uint32_t> List(const uint32_t* array, uint32_t count) { return {array, array + count}; }

using HcclRankGraphGetLayersTest = RankGraphTest;

TEST_F(HcclRankGraphGetLayersTest, OneServer_IsLayerZero) {
  RunRanks(4, [](Rank& rank) {
    uint32_t* layers = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetLayers(rank.comm, &layers, &count), HCCL_SUCCESS);
    EXPECT_THAT(List(layers, count), ElementsAre(0));
  });
}

TEST_F(HcclRankGraphGetLayersTest, AskedAgain_TheFirstArrayStaysAsItWas) {
  EXPECT_EQ(HcclRankGraphGetLayers(comm_, &array_, &number_), HCCL_SUCCESS);
  uint32_t* first = array_;
  uint32_t* ranks = nullptr;
  EXPECT_EQ(HcclRankGraphGetRanksByLayer(comm_, 0, &ranks, &number_), HCCL_SUCCESS);
  EXPECT_EQ(HcclRankGraphGetLayers(comm_, &array_, &number_), HCCL_SUCCESS);
  EXPECT_EQ(array_, first);
  EXPECT_NE(array_, ranks);
  EXPECT_THAT(List(first, number_), ElementsAre(0));
}

TEST_F(HcclRankGraphGetLayersTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetLayers, &array_, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetLayers, (comm_, nullptr, &number_), "netLayers is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetLayers, (comm_, &array_, nullptr), "netLayerNum is null");
  EXPECT_EQ(array_, Untouched<uint32_t>());
  EXPECT_EQ(number_, 99u);
}

using HcclRankGraphGetRanksByLayerTest = RankGraphTest;

TEST_F(HcclRankGraphGetRanksByLayerTest, OneServer_HoldsAllRanks) {
  RunRanks(3, [](Rank& rank) {
    uint32_t* ranks = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetRanksByLayer(rank.comm, 0, &ranks, &count), HCCL_SUCCESS);
    EXPECT_THAT(List(ranks, count), ElementsAre(0, 1, 2));
  });
}

TEST_F(HcclRankGraphGetRanksByLayerTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetRanksByLayer, 0, &array_, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetRanksByLayer, (comm_, 7, nullptr, &number_), "ranks is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetRanksByLayer, (comm_, 7, &array_, nullptr), "rankNum is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetRanksByLayer, (comm_, 1, &array_, &number_),
               "netLayer 1 is out of range, rank 0 is on the layers 0 to 0");
  EXPECT_EQ(array_, Untouched<uint32_t>());
  EXPECT_EQ(number_, 99u);
}

using HcclRankGraphGetRankSizeByLayerTest = RankGraphTest;

TEST_F(HcclRankGraphGetRankSizeByLayerTest, OneServer_HoldsAllRanks) {
  RunRanks(3, [](Rank& rank) {
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetRankSizeByLayer(rank.comm, 0, &count), HCCL_SUCCESS);
    EXPECT_EQ(count, 3u);
  });
}

TEST_F(HcclRankGraphGetRankSizeByLayerTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetRankSizeByLayer, 0, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetRankSizeByLayer, (comm_, 0, nullptr), "rankNum is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetRankSizeByLayer, (comm_, UINT32_MAX, &number_), "netLayer 4294967295");
  EXPECT_EQ(number_, 99u);
}

using HcclRankGraphGetTopoTypeByLayerTest = RankGraphTest;

TEST_F(HcclRankGraphGetTopoTypeByLayerTest, OneServer_IsCustom) {
  CommTopo topo = COMM_TOPO_RESERVED;
  EXPECT_EQ(HcclRankGraphGetTopoTypeByLayer(comm_, 0, &topo), HCCL_SUCCESS);
  EXPECT_EQ(topo, COMM_TOPO_CUSTOM);
}

TEST_F(HcclRankGraphGetTopoTypeByLayerTest, BadArguments_AreRefused) {
  CommTopo topo = COMM_TOPO_RESERVED;
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetTopoTypeByLayer, 0, &topo);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetTopoTypeByLayer, (comm_, 0, nullptr), "topoType is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetTopoTypeByLayer, (comm_, 1, &topo), "netLayer 1 is out of range");
  EXPECT_EQ(topo, COMM_TOPO_RESERVED);
}

using HcclRankGraphGetInstSizeListByLayerTest = RankGraphTest;

TEST_F(HcclRankGraphGetInstSizeListByLayerTest, OneServer_IsOneInstance) {
  RunRanks(3, [](Rank& rank) {
    uint32_t* sizes = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetInstSizeListByLayer(rank.comm, 0, &sizes, &count), HCCL_SUCCESS);
    EXPECT_THAT(List(sizes, count), ElementsAre(3));
  });
}

TEST_F(HcclRankGraphGetInstSizeListByLayerTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetInstSizeListByLayer, 0, &array_, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetInstSizeListByLayer, (comm_, 0, nullptr, &number_), "instSizeList is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetInstSizeListByLayer, (comm_, 0, &array_, nullptr), "listSize is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetInstSizeListByLayer, (comm_, 1, &array_, &number_), "netLayer 1");
  EXPECT_EQ(array_, Untouched<uint32_t>());
}

using HcclRankGraphGetLinksTest = RankGraphTest;

TEST_F(HcclRankGraphGetLinksTest, EveryPair_HasOneLink) {
  RunRanks(3, [](Rank& rank) {
    for (uint32_t src = 0; src < 3; ++src) {
      for (uint32_t dst = 0; dst < 3; ++dst) {
        if (src == dst) continue;
        CommLink* links = nullptr;
        uint32_t count = 0;
        ASSERT_EQ(HcclRankGraphGetLinks(rank.comm, 0, src, dst, &links, &count), HCCL_SUCCESS);
        ASSERT_EQ(count, 1u);
        EXPECT_EQ(links->header.version, COMM_LINK_VERSION);
        EXPECT_EQ(links->header.magicWord, COMM_LINK_MAGIC_WORD);
        EXPECT_EQ(links->header.size, sizeof(CommLink));
        EXPECT_EQ(links->linkAttr.linkProtocol, COMM_PROTOCOL_UB_CTP);
        EXPECT_EQ(links->linkAttr.hop, 1);
        EXPECT_EQ(links->srcEndpointDesc.protocol, COMM_PROTOCOL_UB_CTP);
        EXPECT_EQ(links->srcEndpointDesc.commAddr.type, COMM_ADDR_TYPE_EID);
        EXPECT_EQ(links->srcEndpointDesc.loc.locType, ENDPOINT_LOC_TYPE_DEVICE);
        EXPECT_EQ(links->srcEndpointDesc.loc.device.devPhyId, src);
        EXPECT_EQ(links->dstEndpointDesc.loc.device.devPhyId, dst);
        EXPECT_EQ(links->dstEndpointDesc.loc.device.serverIdx, 0u);
      }
    }
  });
}

// What operators do with a link: its ends and its protocol go into the description of a channel.
TEST_F(HcclRankGraphGetLinksTest, EndsOfALink_MakeAChannel) {
  RunRanks(2, [](Rank& rank) {
    CommLink* links = nullptr;
    uint32_t count = 0;
    ASSERT_EQ(HcclRankGraphGetLinks(rank.comm, 0, rank.id, rank.peer(), &links, &count), HCCL_SUCCESS);
    HcclChannelDesc desc;
    ASSERT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
    desc.remoteRank = rank.peer();
    desc.channelProtocol = links[0].linkAttr.linkProtocol;
    desc.localEndpoint = links[0].srcEndpointDesc;
    desc.remoteEndpoint = links[0].dstEndpointDesc;
    ChannelHandle channel = 0;
    EXPECT_EQ(HcclChannelAcquire(rank.comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
    EXPECT_NE(channel, 0u);
  });
}

TEST_F(HcclRankGraphGetLinksTest, LinksOfSeveralPairs_AreAllValidTogether) {
  RunRanks(3, [](Rank& rank) {
    CommLink* first = nullptr;
    CommLink* second = nullptr;
    uint32_t count = 0;
    ASSERT_EQ(HcclRankGraphGetLinks(rank.comm, 0, 0, 1, &first, &count), HCCL_SUCCESS);
    ASSERT_EQ(HcclRankGraphGetLinks(rank.comm, 0, 0, 2, &second, &count), HCCL_SUCCESS);
    EXPECT_EQ(first->dstEndpointDesc.loc.device.devPhyId, 1u);
    EXPECT_EQ(second->dstEndpointDesc.loc.device.devPhyId, 2u);
  });
}

TEST_F(HcclRankGraphGetLinksTest, BadArguments_AreRefused) {
  CommLink* links = Untouched<CommLink>();
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetLinks, 0, 0, 1, &links, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetLinks, (comm_, 0, 0, 1, nullptr, &number_), "links is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetLinks, (comm_, 0, 0, 1, &links, nullptr), "linkNum is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetLinks, (comm_, 1, 0, 0, &links, &number_), "netLayer 1 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetLinks, (comm_, 0, 1, 0, &links, &number_),
               "srcRank 1 is out of range, the communicator has 1 ranks");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetLinks, (comm_, 0, 0, 1, &links, &number_), "dstRank 1 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetLinks, (comm_, 0, 0, 0, &links, &number_),
               "srcRank and dstRank are both 0; a link leads to another rank");
  EXPECT_EQ(links, Untouched<CommLink>());
  EXPECT_EQ(number_, 99u);
}

using HcclRankGraphGetTopoInstsByLayerTest = RankGraphTest;

TEST_F(HcclRankGraphGetTopoInstsByLayerTest, OneServer_IsInstanceZero) {
  EXPECT_EQ(HcclRankGraphGetTopoInstsByLayer(comm_, 0, &array_, &number_), HCCL_SUCCESS);
  EXPECT_THAT(List(array_, number_), ElementsAre(0));
}

TEST_F(HcclRankGraphGetTopoInstsByLayerTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetTopoInstsByLayer, 0, &array_, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetTopoInstsByLayer, (comm_, 0, nullptr, &number_), "topoInsts is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetTopoInstsByLayer, (comm_, 0, &array_, nullptr), "topoInstNum is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetTopoInstsByLayer, (comm_, 1, &array_, &number_), "netLayer 1");
}

using HcclRankGraphGetTopoTypeTest = RankGraphTest;

TEST_F(HcclRankGraphGetTopoTypeTest, OneServer_IsAMesh) {
  CommTopo topo = COMM_TOPO_RESERVED;
  EXPECT_EQ(HcclRankGraphGetTopoType(comm_, 0, 0, &topo), HCCL_SUCCESS);
  EXPECT_EQ(topo, COMM_TOPO_1DMESH);
}

TEST_F(HcclRankGraphGetTopoTypeTest, BadArguments_AreRefused) {
  CommTopo topo = COMM_TOPO_RESERVED;
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetTopoType, 0, 0, &topo);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetTopoType, (comm_, 0, 0, nullptr), "topoType is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetTopoType, (comm_, 1, 0, &topo), "netLayer 1 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetTopoType, (comm_, 0, 1, &topo),
               "topoInstId 1 does not exist on layer 0; rank 0 is in one instance there, 0");
  EXPECT_EQ(topo, COMM_TOPO_RESERVED);
}

using HcclRankGraphGetRanksByTopoInstTest = RankGraphTest;

TEST_F(HcclRankGraphGetRanksByTopoInstTest, OneServer_HoldsAllRanks) {
  RunRanks(3, [](Rank& rank) {
    uint32_t* ranks = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclRankGraphGetRanksByTopoInst(rank.comm, 0, 0, &ranks, &count), HCCL_SUCCESS);
    EXPECT_THAT(List(ranks, count), ElementsAre(0, 1, 2));
  });
}

TEST_F(HcclRankGraphGetRanksByTopoInstTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetRanksByTopoInst, 0, 0, &array_, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetRanksByTopoInst, (comm_, 5, 5, nullptr, &number_), "ranks is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetRanksByTopoInst, (comm_, 5, 5, &array_, nullptr), "rankNum is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetRanksByTopoInst, (comm_, 1, 0, &array_, &number_), "netLayer 1");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetRanksByTopoInst, (comm_, 0, 1, &array_, &number_), "topoInstId 1");
}

using HcclGetHeterogModeTest = RankGraphTest;

TEST_F(HcclGetHeterogModeTest, OneGeneration_IsHomogeneous) {
  HcclHeterogMode mode = HCCL_HETEROG_MODE_INVALID;
  EXPECT_EQ(HcclGetHeterogMode(comm_, &mode), HCCL_SUCCESS);
  EXPECT_EQ(mode, HCCL_HETEROG_MODE_HOMOGENEOUS);
  EXPECT_BAD_COMM_IS_REFUSED(HcclGetHeterogMode, &mode);
  EXPECT_FAILS(HCCL_E_PTR, HcclGetHeterogMode, (comm_, nullptr), "mode is null");
}

using HcclRankGraphGetEndpointNumTest = RankGraphTest;

TEST_F(HcclRankGraphGetEndpointNumTest, OneServer_HasOneEndpoint) {
  EXPECT_EQ(HcclRankGraphGetEndpointNum(comm_, 0, 0, &number_), HCCL_SUCCESS);
  EXPECT_EQ(number_, 1u);
}

TEST_F(HcclRankGraphGetEndpointNumTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetEndpointNum, 0, 0, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetEndpointNum, (comm_, 0, 0, nullptr), "num is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointNum, (comm_, 1, 0, &number_), "netLayer 1 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointNum, (comm_, 0, 1, &number_), "topoInstId 1 does not exist");
  EXPECT_EQ(number_, 99u);
}

using HcclRankGraphGetEndpointDescTest = RankGraphTest;

TEST_F(HcclRankGraphGetEndpointDescTest, OwnEndpoint_IsTheEndOfOwnLinks) {
  RunRanks(2, [](Rank& rank) {
    EndpointDesc descs[2];
    std::memset(static_cast<void*>(descs), 0xAB, sizeof descs);
    uint32_t count = 2;
    EXPECT_EQ(HcclRankGraphGetEndpointDesc(rank.comm, 0, 0, &count, descs), HCCL_SUCCESS);
    EXPECT_EQ(count, 1u);
    CommLink* links = nullptr;
    ASSERT_EQ(HcclRankGraphGetLinks(rank.comm, 0, rank.id, rank.peer(), &links, &count), HCCL_SUCCESS);
    EXPECT_EQ(std::memcmp(&descs[0], &links->srcEndpointDesc, sizeof(EndpointDesc)), 0);
    EXPECT_EQ(descs[1].commAddr.raws[0], 0xAB) << "only as many as there are";
  });
}

TEST_F(HcclRankGraphGetEndpointDescTest, BadArguments_AreRefused) {
  EndpointDesc desc;
  uint32_t count = 1;
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetEndpointDesc, 0, 0, &count, &desc);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetEndpointDesc, (comm_, 0, 0, nullptr, &desc), "descNum is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetEndpointDesc, (comm_, 0, 0, &count, nullptr), "endpointDesc is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointDesc, (comm_, 1, 0, &count, &desc), "netLayer 1");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointDesc, (comm_, 0, 1, &count, &desc), "topoInstId 1");
  count = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointDesc, (comm_, 0, 0, &count, &desc),
               "descNum 0 is too small, there is 1 endpoint");
}

class HcclRankGraphGetEndpointInfoTest : public RankGraphTest {
 protected:
  void SetUp() override {
    RankGraphTest::SetUp();
    uint32_t count = 1;
    ASSERT_EQ(HcclRankGraphGetEndpointDesc(comm_, 0, 0, &count, &desc_), HCCL_SUCCESS);
  }
  EndpointDesc desc_;
};

TEST_F(HcclRankGraphGetEndpointInfoTest, EveryAttribute_IsAnswered) {
  EndpointAttrBwCoeff coefficient = 0;
  EndpointAttrDieId die = 99;
  EndpointAttrLocation location = 99;
  EXPECT_EQ(HcclRankGraphGetEndpointInfo(comm_, 0, &desc_, ENDPOINT_ATTR_BW_COEFF, 4, &coefficient), HCCL_SUCCESS);
  EXPECT_EQ(HcclRankGraphGetEndpointInfo(comm_, 0, &desc_, ENDPOINT_ATTR_DIE_ID, 4, &die), HCCL_SUCCESS);
  EXPECT_EQ(HcclRankGraphGetEndpointInfo(comm_, 0, &desc_, ENDPOINT_ATTR_LOCATION, 4, &location), HCCL_SUCCESS);
  EXPECT_EQ(coefficient, 1u);
  EXPECT_EQ(die, 0u);
  EXPECT_EQ(location, static_cast<uint32_t>(ENDPOINT_LOC_TYPE_DEVICE));
}

TEST_F(HcclRankGraphGetEndpointInfoTest, BadArguments_AreRefused) {
  EXPECT_BAD_COMM_IS_REFUSED(HcclRankGraphGetEndpointInfo, 0, &desc_, ENDPOINT_ATTR_DIE_ID, 4, &number_);
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetEndpointInfo, (comm_, 0, nullptr, ENDPOINT_ATTR_DIE_ID, 4, &number_),
               "endpointDesc is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclRankGraphGetEndpointInfo, (comm_, 0, &desc_, ENDPOINT_ATTR_DIE_ID, 4, nullptr),
               "info is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointInfo, (comm_, 1, &desc_, ENDPOINT_ATTR_DIE_ID, 4, &number_),
               "rankId 1 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointInfo, (comm_, 0, &desc_, ENDPOINT_ATTR_DIE_ID, 8, &number_),
               "infoLen 8 is not the size of endpointAttr 1, which has 4 bytes");
  for (const int attribute : {-1, 3}) {
    EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointInfo,
                 (comm_, 0, &desc_, FromNumber<EndpointAttr>(attribute), 4, &number_),
                 "endpointAttr " + std::to_string(attribute) + " is not known");
  }
  EndpointDesc unset;
  EXPECT_EQ(EndpointDescInit(&unset, 1), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcclRankGraphGetEndpointInfo, (comm_, 0, &unset, ENDPOINT_ATTR_DIE_ID, 4, &number_),
               "endpointDesc (protocol -1, address type -1) is no endpoint of rank 0");
  EXPECT_EQ(number_, 99u);
}

// --- Names of an early release -----------------------------------------------------------------------------------

using HcclGetNetLayersTest = RankGraphTest;
TEST_F(HcclGetNetLayersTest, OlderName_AnswersTheSame) {
  EXPECT_EQ(HcclGetNetLayers(comm_, &array_, &number_), HCCL_SUCCESS);
  EXPECT_THAT(List(array_, number_), ElementsAre(0));
  EXPECT_FAILS(HCCL_E_PTR, HcclGetNetLayers, (comm_, nullptr, &number_), "netLayers is null");
}

using HcclGetInstRanksByNetLayerTest = RankGraphTest;
TEST_F(HcclGetInstRanksByNetLayerTest, OlderName_AnswersTheSame) {
  EXPECT_EQ(HcclGetInstRanksByNetLayer(comm_, 0, &array_, &number_), HCCL_SUCCESS);
  EXPECT_THAT(List(array_, number_), ElementsAre(0));
  EXPECT_FAILS(HCCL_E_PARA, HcclGetInstRanksByNetLayer, (comm_, 1, &array_, &number_), "netLayer 1");
}

using HcclGetInstSizeByNetLayerTest = RankGraphTest;
TEST_F(HcclGetInstSizeByNetLayerTest, OlderName_AnswersTheSame) {
  EXPECT_EQ(HcclGetInstSizeByNetLayer(comm_, 0, &number_), HCCL_SUCCESS);
  EXPECT_EQ(number_, 1u);
  EXPECT_FAILS(HCCL_E_PARA, HcclGetInstSizeByNetLayer, (comm_, 1, &number_), "netLayer 1");
}

using HcclGetInstTopoTypeByNetLayerTest = RankGraphTest;
TEST_F(HcclGetInstTopoTypeByNetLayerTest, OlderName_AnswersTheSame) {
  CommTopo topo = COMM_TOPO_RESERVED;
  EXPECT_EQ(HcclGetInstTopoTypeByNetLayer(comm_, 0, &topo), HCCL_SUCCESS);
  EXPECT_EQ(topo, COMM_TOPO_CUSTOM);
  EXPECT_FAILS(HCCL_E_PARA, HcclGetInstTopoTypeByNetLayer, (comm_, 1, &topo), "netLayer 1");
}

using HcclGetInstSizeListByNetLayerTest = RankGraphTest;
TEST_F(HcclGetInstSizeListByNetLayerTest, OlderName_AnswersTheSame) {
  EXPECT_EQ(HcclGetInstSizeListByNetLayer(comm_, 0, &array_, &number_), HCCL_SUCCESS);
  EXPECT_THAT(List(array_, number_), ElementsAre(1));
  EXPECT_FAILS(HCCL_E_PARA, HcclGetInstSizeListByNetLayer, (comm_, 1, &array_, &number_), "netLayer 1");
}

using HcclGetLinksTest = RankGraphTest;
TEST_F(HcclGetLinksTest, OlderName_AnswersTheSame) {
  RunRanks(2, [](Rank& rank) {
    CommLink* links = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(HcclGetLinks(rank.comm, 0, 0, 1, &links, &count), HCCL_SUCCESS);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(links->dstEndpointDesc.loc.device.devPhyId, 1u);
  });
  CommLink* links = nullptr;
  EXPECT_FAILS(HCCL_E_PARA, HcclGetLinks, (comm_, 0, 0, 0, &links, &number_), "srcRank and dstRank are both 0");
}

}  // namespace
}  // namespace softhccl::conformance
