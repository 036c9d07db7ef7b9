// HcommChannelConfigCreate, HcommChannelConfigDestroy, HcommChannelConfigSetInt.
#include "comm/channel_config.h"
#include "fixture.h"
#include "hcomm/hcomm_channel.h"

namespace softhccl::conformance {
namespace {

using HcommChannelConfigCreateTest = ApiTest;

TEST_F(HcommChannelConfigCreateTest, MadeAndDestroyed_NullIsRefused) {
  HcommChannelConfig config = nullptr;
  EXPECT_EQ(HcommChannelConfigCreate(&config), 0);
  EXPECT_EQ(HcommChannelConfigDestroy(config), 0);
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelConfigCreate, (nullptr), "config is null");
}

using HcommChannelConfigDestroyTest = ApiTest;

TEST_F(HcommChannelConfigDestroyTest, StaleAndTheOtherSort_AreNamed) {
  HcommChannelConfig config = nullptr;
  ASSERT_EQ(HcommChannelConfigCreate(&config), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcclChannelConfigDestroy, (config), "was made with HcommChannelConfigCreate");
  EXPECT_EQ(HcommChannelConfigDestroy(config), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelConfigDestroy, (config), "that was destroyed");
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelConfigDestroy, (nullptr), "config is null");
}

using HcommChannelConfigSetIntTest = ApiTest;

TEST_F(HcommChannelConfigSetIntTest, SharedQueue_IsZeroOrOne) {
  HcommChannelConfig config = nullptr;
  ASSERT_EQ(HcommChannelConfigCreate(&config), 0);
  EXPECT_EQ(HcommChannelConfigSetInt(config, HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, 1), 0);
  EXPECT_TRUE(comm::ChannelConfigs().Lookup(reinterpret_cast<uint64_t>(config))->is_shared_queue);
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelConfigSetInt, (config, HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, 2),
               "value 2 of IS_SHARED_QUEUE");
  EXPECT_FAILS(HCCL_E_PARA, HcommChannelConfigSetInt, (config, HCOMM_CHANNEL_CONFIG_TYPE_INVALID, 1), "type -1");
  EXPECT_FAILS(HCCL_E_PTR, HcommChannelConfigSetInt, (nullptr, HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE, 1),
               "config is null");
  EXPECT_EQ(HcommChannelConfigDestroy(config), 0);
}

}  // namespace
}  // namespace softhccl::conformance
