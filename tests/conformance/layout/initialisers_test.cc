// The initialisers are inline, so their effect is compiled into foreign programs and is part of the binary interface.
// These tests run them on memory full of 0xAB and compare with the bytes that the interface prescribes, also those that
// must stay as they were.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "hccl/hccl_comm.h"
#include "hccl/hccl_launch.h"
#include "hccl/hccl_rank_graph.h"
#include "hccl/hccl_res.h"
#include "hccl/hccl_team.h"
#include "hcomm/ccu/ccu_types.h"
#include "hcomm/hcomm_res.h"

namespace {

template <typename T>
void Soil(T* object) {
  std::memset(static_cast<void*>(object), 0xAB, sizeof(T));
}

bool AllBytes(const void* data, size_t size, unsigned char value) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  return std::all_of(bytes, bytes + size, [value](unsigned char byte) { return byte == value; });
}

TEST(HcclChannelDescInit, SoiledArray_EveryElementIsUnset) {
  HcclChannelDesc descs[3];
  Soil(&descs);
  ASSERT_EQ(HcclChannelDescInit(descs, 2), HCCL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    const HcclChannelDesc& desc = descs[i];
    EXPECT_EQ(desc.header.version, 1u);
    EXPECT_EQ(desc.header.magicWord, 0x0f0f0f0fu);
    EXPECT_EQ(desc.header.size, 496u);
    EXPECT_EQ(desc.header.reserved, 0u);
    EXPECT_EQ(desc.remoteRank, 0xffffffffu);
    EXPECT_EQ(desc.channelProtocol, COMM_PROTOCOL_RESERVED);
    EXPECT_TRUE(AllBytes(&desc.localEndpoint, sizeof(EndpointDesc), 0xFF));
    EXPECT_TRUE(AllBytes(&desc.remoteEndpoint, sizeof(EndpointDesc), 0xFF));
    EXPECT_EQ(desc.notifyNum, 0u);
    EXPECT_EQ(desc.memHandles, nullptr);
    EXPECT_EQ(desc.memHandleNum, 0u);
    EXPECT_TRUE(AllBytes(desc.raws, sizeof(desc.raws), 0xFF));
  }
  EXPECT_TRUE(AllBytes(&descs[2], sizeof(descs[2]), 0xAB)) << "the element behind the array was written";
}

TEST(HcclChannelDescInit, Null_IsPointerError) { EXPECT_EQ(HcclChannelDescInit(nullptr, 1), HCCL_E_PTR); }

TEST(HcclChannelDescInit, NoElements_WritesNothing) {
  HcclChannelDesc desc;
  Soil(&desc);
  EXPECT_EQ(HcclChannelDescInit(&desc, 0), HCCL_SUCCESS);
  EXPECT_TRUE(AllBytes(&desc, sizeof(desc), 0xAB));
}

TEST(CommLinkInit, SoiledArray_EveryElementIsUnset) {
  CommLink links[3];
  Soil(&links);
  ASSERT_EQ(CommLinkInit(links, 2), HCCL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(links[i].header.version, 1u);
    EXPECT_EQ(links[i].header.magicWord, 0x0f0e0f0fu);
    EXPECT_EQ(links[i].header.size, 464u);
    EXPECT_EQ(links[i].header.reserved, 0u);
    EXPECT_TRUE(AllBytes(&links[i].srcEndpointDesc, sizeof(EndpointDesc), 0xFF));
    EXPECT_TRUE(AllBytes(&links[i].dstEndpointDesc, sizeof(EndpointDesc), 0xFF));
    EXPECT_EQ(links[i].linkAttr.linkProtocol, COMM_PROTOCOL_RESERVED);
    EXPECT_EQ(links[i].linkAttr.hop, 1);
    EXPECT_TRUE(AllBytes(links[i].linkAttr.raws + 5, sizeof(links[i].linkAttr.raws) - 5, 0xFF));
  }
  EXPECT_TRUE(AllBytes(&links[2], sizeof(links[2]), 0xAB)) << "the element behind the array was written";
  EXPECT_EQ(CommLinkInit(nullptr, 1), HCCL_E_PTR);
}

TEST(ThreadConfigInit, SoiledArray_HeaderAndZeros) {
  ThreadConfig configs[3];
  Soil(&configs);
  ASSERT_EQ(ThreadConfigInit(configs, 2), 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(configs[i].header.version, 1u);
    EXPECT_EQ(configs[i].header.magicWord, 0x0f0f0f2fu);
    EXPECT_EQ(configs[i].header.size, 32u);
    EXPECT_EQ(configs[i].header.reserved, 0u);
    EXPECT_EQ(configs[i].notifyNumPerThread, 0u);
    EXPECT_TRUE(AllBytes(configs[i].reserved, sizeof(configs[i].reserved), 0));
  }
  EXPECT_TRUE(AllBytes(&configs[2], sizeof(configs[2]), 0xAB)) << "the element behind the array was written";
  EXPECT_EQ(ThreadConfigInit(nullptr, 1), 2);
}

TEST(HcommChannelDescInit, SoiledArray_EveryElementIsUnset) {
  HcommChannelDesc descs[3];
  Soil(&descs);
  ASSERT_EQ(HcommChannelDescInit(descs, 2), 0);
  for (int i = 0; i < 2; ++i) {
    const HcommChannelDesc& desc = descs[i];
    EXPECT_EQ(desc.header.version, 4u);
    EXPECT_EQ(desc.header.magicWord, 0x0fcf0f0fu);
    EXPECT_EQ(desc.header.size, 360u);
    EXPECT_EQ(desc.header.reserved, 0u);
    EXPECT_TRUE(AllBytes(&desc.remoteEndpoint, sizeof(EndpointDesc), 0xFF));
    EXPECT_EQ(desc.notifyNum, 0u);
    EXPECT_FALSE(desc.exchangeAllMems);
    EXPECT_EQ(desc.memHandles, nullptr);
    EXPECT_EQ(desc.memHandleNum, 0u);
    EXPECT_EQ(desc.socket, nullptr);
    EXPECT_EQ(desc.role, HCOMM_SOCKET_ROLE_RESERVED);
    EXPECT_EQ(desc.port, 0u);
    EXPECT_EQ(desc.roceAttr.queueNum, 0xffffffffu);
    EXPECT_EQ(desc.roceAttr.srcPortList, nullptr);
    EXPECT_TRUE(AllBytes(desc.raws + 32, sizeof(desc.raws) - 32, 0xFF));
    EXPECT_EQ(desc.qos, 0xffffffffu);
    EXPECT_EQ(desc.channelName, nullptr);
  }
  EXPECT_TRUE(AllBytes(&descs[2], sizeof(descs[2]), 0xAB)) << "the element behind the array was written";
  EXPECT_EQ(HcommChannelDescInit(nullptr, 1), 2);
}

TEST(HcclTeamCreateDescInit, Soiled_IsUnset) {
  HcclTeamCreateDesc desc;
  Soil(&desc);
  ASSERT_EQ(HcclTeamCreateDescInit(&desc), HCCL_SUCCESS);
  EXPECT_EQ(desc.header.version, 1u);
  EXPECT_EQ(desc.header.magicWord, 0x0fcf0f14u);
  EXPECT_EQ(desc.header.size, 88u);
  EXPECT_EQ(desc.header.reserved, 0u);
  EXPECT_EQ(desc.rankIds, nullptr);
  EXPECT_EQ(desc.rankNum, 0u);
  EXPECT_EQ(desc.selfRankId, 0u);
  EXPECT_EQ(desc.netLayer, 0u);
  EXPECT_EQ(desc.protocol, COMM_PROTOCOL_RESERVED);
  EXPECT_EQ(desc.requirement.signalCount, 0u);
  EXPECT_EQ(desc.requirement.counterCount, 0u);
  EXPECT_EQ(desc.requirement.barrierCount, 0u);
  EXPECT_TRUE(AllBytes(desc.requirement.reserved, sizeof(desc.requirement.reserved), 0xFF));
  EXPECT_TRUE(AllBytes(desc.reserved, sizeof(desc.reserved), 0));
  EXPECT_EQ(HcclTeamCreateDescInit(nullptr), HCCL_E_PTR);
}

TEST(HcclTeamCreateChannelsDescInit, Soiled_IsUnset) {
  HcclTeamCreateChannelsDesc desc;
  Soil(&desc);
  ASSERT_EQ(HcclTeamCreateChannelsDescInit(&desc), HCCL_SUCCESS);
  EXPECT_EQ(desc.header.version, 1u);
  EXPECT_EQ(desc.header.magicWord, 0x0fcf0f15u);
  EXPECT_EQ(desc.header.size, 48u);
  EXPECT_EQ(desc.header.reserved, 0u);
  EXPECT_EQ(desc.engine, COMM_ENGINE_RESERVED);
  EXPECT_EQ(desc.notifyNum, 0u);
  EXPECT_EQ(desc.protocol, COMM_PROTOCOL_RESERVED);
  EXPECT_EQ(desc.channelCnt, 0u);
  EXPECT_TRUE(AllBytes(desc.reserved, sizeof(desc.reserved), 0));
  EXPECT_EQ(HcclTeamCreateChannelsDescInit(nullptr), HCCL_E_PTR);
}

TEST(EndpointDescInit, SoiledArray_EveryByteIsUnset) {
  EndpointDesc endpoints[3];
  Soil(&endpoints);
  ASSERT_EQ(EndpointDescInit(endpoints, 2), 0);
  EXPECT_TRUE(AllBytes(endpoints, 2 * sizeof(EndpointDesc), 0xFF));
  EXPECT_TRUE(AllBytes(&endpoints[2], sizeof(EndpointDesc), 0xAB)) << "the element behind the array was written";
}

TEST(EndpointDescInit, Null_IsPointerError) { EXPECT_EQ(EndpointDescInit(nullptr, 1), HCCL_E_PTR); }

TEST(HcclCommConfigInit, SoiledConfig_HeadProvesItAndFieldsAreUnset) {
  HcclCommConfig config;
  Soil(&config);
  HcclCommConfigInit(&config);
  const unsigned char head[24] = {0xc8, 0x08, 0, 0, 0, 0, 0, 0, 0xf0, 0xf0, 0xf0, 0xf0, 11};
  EXPECT_EQ(std::memcmp(config.reserved, head, sizeof(head)), 0);
  EXPECT_EQ(config.hcclBufferSize, 0xffffffffu);
  EXPECT_EQ(config.hcclDeterministic, 0xffffffffu);
  EXPECT_EQ(config.hcclOpExpansionMode, 0u);
  EXPECT_EQ(config.hcclRdmaTrafficClass, 0xffffffffu);
  EXPECT_EQ(config.hcclRdmaServiceLevel, 0xffffffffu);
  EXPECT_EQ(config.hcclWorldRankID, 0u);
  EXPECT_EQ(config.hcclJobID, 0u);
  EXPECT_EQ(config.aclGraphZeroCopyEnable, 0);
  EXPECT_EQ(config.hcclExecTimeOut, -1);
  EXPECT_EQ(config.hcclQos, 0xffffffffu);
  EXPECT_EQ(config.hcclSymWinMaxMemSizePerRank, 16u);
  EXPECT_EQ(config.hcclChannelSqDepth, 0xffffffffu);
}

TEST(HcclCommConfigInit, SoiledConfig_StringsAreEmptyAndTheirRestStays) {
  HcclCommConfig config;
  Soil(&config);
  HcclCommConfigInit(&config);
  auto empty_rest_soiled = [](const auto& text) {
    return text[0] == '\0' && AllBytes(text + 1, sizeof(text) - 1, 0xAB);
  };
  EXPECT_TRUE(empty_rest_soiled(config.hcclCommName));
  EXPECT_TRUE(empty_rest_soiled(config.hcclUdi));
  EXPECT_TRUE(empty_rest_soiled(config.hcclAlgo));
  EXPECT_TRUE(empty_rest_soiled(config.hcclRetryEnable));
  EXPECT_TRUE(empty_rest_soiled(config.hcclRetryParams));
  EXPECT_TRUE(empty_rest_soiled(config.hcclBufferName));
}

TEST(HcclCommConfigInit, Null_DoesNothing) { HcclCommConfigInit(nullptr); }

TEST(CcuLoopCfgInit, SoiledObject_OnlyTheHeaderIsWritten) {
  CcuLoopCfg cfg;
  Soil(&cfg);
  CcuLoopCfgInit(&cfg);
  EXPECT_EQ(cfg.header.magic, 0xCC0CF000u);
  EXPECT_EQ(cfg.header.version, 1u);
  EXPECT_EQ(cfg.header.size, 64u);
  EXPECT_EQ(cfg.header.reserved, 0u);
  EXPECT_TRUE(AllBytes(&cfg.addrOffset, sizeof(cfg) - sizeof(cfg.header), 0xAB));
  CcuLoopCfgInit(nullptr);
}

TEST(CcuLoopGroupCfgInit, SoiledObject_OnlyTheHeaderIsWritten) {
  CcuLoopGroupCfg cfg;
  Soil(&cfg);
  CcuLoopGroupCfgInit(&cfg);
  EXPECT_EQ(cfg.header.magic, 0xCC0CF000u);
  EXPECT_EQ(cfg.header.version, 1u);
  EXPECT_EQ(cfg.header.size, 72u);
  EXPECT_EQ(cfg.header.reserved, 0u);
  EXPECT_TRUE(AllBytes(&cfg.cloneNum, sizeof(cfg) - sizeof(cfg.header), 0xAB));
  CcuLoopGroupCfgInit(nullptr);
}

TEST(HcclOpDescInit, SoiledObject_HeaderAndNothingElse) {
  HcclOpDesc desc;
  Soil(&desc);
  ASSERT_EQ(HcclOpDescInit(&desc), HCCL_SUCCESS);
  EXPECT_EQ(desc.header.version, 1u);
  EXPECT_EQ(desc.header.magicWord, 0x0f0f0f0fu);
  EXPECT_EQ(desc.header.size, 360u);
  EXPECT_EQ(desc.header.reserved, 0u);
  EXPECT_TRUE(AllBytes(&desc.opDescType, sizeof(desc) - sizeof(desc.header), 0xFF));
  EXPECT_EQ(HcclOpDescInit(nullptr), HCCL_E_PTR);
}

TEST(HcclKernelLaunchCfgInit, SoiledObject_HeaderAndNothingElse) {
  HcclKernelLaunchCfg cfg;
  Soil(&cfg);
  ASSERT_EQ(HcclKernelLaunchCfgInit(&cfg), HCCL_SUCCESS);
  EXPECT_EQ(cfg.header.version, 1u);
  EXPECT_EQ(cfg.header.magicWord, 0x0f0f0f0fu);
  EXPECT_EQ(cfg.header.size, 128u);
  EXPECT_EQ(cfg.header.reserved, 0u);
  EXPECT_TRUE(AllBytes(&cfg.timeOut, sizeof(cfg) - sizeof(cfg.header), 0xFF));
  EXPECT_EQ(HcclKernelLaunchCfgInit(nullptr), HCCL_E_PTR);
}

}  // namespace
