// HcclCommGetHandleWithName, HcomGetCommHandleByGroup, HcclCommGetStatus, HcclConfigGetInfo, HcclSetConfig,
// HcclGetConfig, HcclGetCommConfigCapability; and the fields of HcclCommConfig.
#include <cstring>

#include "fixture.h"
#include "hccl/hcom.h"

namespace softhccl::conformance {
namespace {

class ConfiguredTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    HcclCommConfigInit(&config_);
    config_.hcclBufferSize = 1;
    std::strcpy(config_.hcclCommName, "world");
  }
  void TearDown() override {
    if (comm_ != nullptr) {
      EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  HcclResult Create() {
    HcclRootInfo root;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    return HcclCommInitRootInfoConfig(1, &root, 0, &config_, &comm_);
  }
  // The configuration is refused with these parts, then put back.
  void ExpectRefused(const std::vector<std::string>& parts) {
    ExpectFailure(HCCL_E_PARA, Create(), "HcclCommInitRootInfoConfig", parts);
    EXPECT_EQ(comm_, nullptr);
    HcclCommConfigInit(&config_);
    config_.hcclBufferSize = 1;
  }
  void ExpectAccepted(const char* what) {
    EXPECT_EQ(Create(), HCCL_SUCCESS) << what;
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    comm_ = nullptr;
    HcclCommConfigInit(&config_);
    config_.hcclBufferSize = 1;
  }
  HcclCommConfig config_;
  HcclComm comm_ = nullptr;
};

class HcclCommGetHandleWithNameTest : public ConfiguredTest {};

TEST_F(HcclCommGetHandleWithNameTest, KnownAndUnknown_AreTold) {
  ASSERT_EQ(Create(), HCCL_SUCCESS);
  HcclComm found = nullptr;
  EXPECT_EQ(HcclCommGetHandleWithName("world", &found), HCCL_SUCCESS);
  EXPECT_EQ(found, comm_);
  EXPECT_FAILS(HCCL_E_PTR, HcclCommGetHandleWithName, (nullptr, &found), "commName is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommGetHandleWithName, ("world", nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommGetHandleWithName, ("moon", &found), "no communicator named \"moon\" on device 0");
  std::thread([this] {
    HcclComm elsewhere = nullptr;
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_FAILS(HCCL_E_PARA, HcclCommGetHandleWithName, ("world", &elsewhere), "on device 1");
    EXPECT_EQ(elsewhere, nullptr);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
}

class HcomGetCommHandleByGroupTest : public ConfiguredTest {};

TEST_F(HcomGetCommHandleByGroupTest, KnownAndUnknown_AreTold) {
  ASSERT_EQ(Create(), HCCL_SUCCESS);
  HcclComm found = nullptr;
  EXPECT_EQ(HcomGetCommHandleByGroup("world", &found), HCCL_SUCCESS);
  EXPECT_EQ(found, comm_);
  EXPECT_FAILS(HCCL_E_PTR, HcomGetCommHandleByGroup, (nullptr, &found), "group is null");
  EXPECT_FAILS(HCCL_E_PTR, HcomGetCommHandleByGroup, ("world", nullptr), "commHandle is null");
  EXPECT_FAILS(HCCL_E_PARA, HcomGetCommHandleByGroup, ("moon", &found), "no communicator named \"moon\"");
}

class HcclCommGetStatusTest : public ConfiguredTest {};

TEST_F(HcclCommGetStatusTest, ReadyThenUnknown) {
  ASSERT_EQ(Create(), HCCL_SUCCESS);
  HcclCommStatus status = HCCL_COMM_STATUS_RESERVED;
  EXPECT_EQ(HcclCommGetStatus("world", &status), HCCL_SUCCESS);
  EXPECT_EQ(status, HCCL_COMM_STATUS_READY);
  EXPECT_FAILS(HCCL_E_PTR, HcclCommGetStatus, (nullptr, &status), "commId is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommGetStatus, ("world", nullptr), "status is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommGetStatus, ("moon", &status), "no communicator named \"moon\"");
  EXPECT_EQ(status, HCCL_COMM_STATUS_READY) << "untouched";
}

TEST_F(HcclCommGetStatusTest, InsideAKernel_AnswersForTheKernelsDevice) {
  ASSERT_EQ(Create(), HCCL_SUCCESS);
  EXPECT_EQ(RunKernel(stream_,
                      [this](const Hcomm&) {
                        HcclCommStatus status = HCCL_COMM_STATUS_RESERVED;
                        EXPECT_EQ(HcclCommGetStatus("world", &status), HCCL_SUCCESS);
                        EXPECT_EQ(status, HCCL_COMM_STATUS_READY);
                        uint32_t value = 99;
                        EXPECT_EQ(HcclGetRankId(comm_, &value), HCCL_SUCCESS);
                        EXPECT_EQ(value, 0u);
                        EXPECT_EQ(HcclGetRankSize(comm_, &value), HCCL_SUCCESS);
                        EXPECT_EQ(value, 1u);
                        return 0u;
                      }),
            ACL_SUCCESS);
}

class HcclConfigGetInfoTest : public ConfiguredTest {};

TEST_F(HcclConfigGetInfoTest, ModeAndAlgorithm_AreTold) {
  std::strcpy(config_.hcclAlgo, "level0:NA;level1:ring");
  ASSERT_EQ(Create(), HCCL_SUCCESS);
  HcclConfigTypeOpExpansionMode mode = HCCL_OP_EXPANSION_MODE_INVALID;
  EXPECT_EQ(HcclConfigGetInfo(comm_, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE, sizeof mode, &mode), HCCL_SUCCESS);
  EXPECT_EQ(mode, HCCL_OP_EXPANSION_MODE_AI_CPU);
  char algorithm[1600] = {};
  EXPECT_EQ(HcclConfigGetInfo(comm_, HCCL_CONFIG_TYPE_HCCL_ALGO, sizeof algorithm, algorithm), HCCL_SUCCESS);
  EXPECT_STREQ(algorithm, "level0:NA;level1:ring");
}

TEST_F(HcclConfigGetInfoTest, BadArguments_AreRefused) {
  ASSERT_EQ(Create(), HCCL_SUCCESS);
  char info[1600] = {};
  EXPECT_FAILS(HCCL_E_PTR, HcclConfigGetInfo, (nullptr, HCCL_CONFIG_TYPE_HCCL_ALGO, 1600, info), "comm is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclConfigGetInfo, (comm_, HCCL_CONFIG_TYPE_HCCL_ALGO, 1600, nullptr), "info is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclConfigGetInfo, (comm_, HCCL_CONFIG_TYPE_HCCL_ALGO, 1599, info),
               "infoLen 1599 is too small", "1600 bytes");
  EXPECT_FAILS(HCCL_E_PARA, HcclConfigGetInfo, (comm_, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE, 8, info),
               "infoLen 8 does not fit", "4 bytes");
  EXPECT_FAILS(HCCL_E_PARA, HcclConfigGetInfo, (comm_, FromNumber<HcclConfigType>(7), 8, info),
               "cfgType 7 is not known");
}

class HcclSetConfigTest : public ApiTest {};

TEST_F(HcclSetConfigTest, DeterminismTakesThreeValues_OthersAreAccepted) {
  HcclConfigValue value;
  for (const int32_t number : {0, 1, 2}) {
    value.value = number;
    EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_SUCCESS);
  }
  value.value = 3;
  EXPECT_FAILS(HCCL_E_PARA, HcclSetConfig, (HCCL_DETERMINISTIC, value), "configValue 3 is not valid", "0, 1 or 2");
  EXPECT_EQ(HcclSetConfig(HCCL_CONFIG_RESERVED, value), HCCL_SUCCESS);
}

class HcclGetConfigTest : public ApiTest {};

TEST_F(HcclGetConfigTest, Determinism_IsAlwaysOn) {
  HcclConfigValue value{0};
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_SUCCESS);
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
  EXPECT_EQ(value.value, 1);
  EXPECT_FAILS(HCCL_E_PTR, HcclGetConfig, (HCCL_DETERMINISTIC, nullptr), "configValue is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclGetConfig, (FromNumber<HcclConfig>(9), &value), "config 9 is not known");
}

class HcclGetCommConfigCapabilityTest : public ApiTest {};

TEST_F(HcclGetCommConfigCapabilityTest, EveryCapability_IsBelow) {
  EXPECT_EQ(HcclGetCommConfigCapability(), 12u);
  EXPECT_GT(HcclGetCommConfigCapability(), static_cast<uint32_t>(HCCL_COMM_CONFIG_BUFFER_NAME));
}

class HcclCommConfigTest : public ConfiguredTest {};

TEST_F(HcclCommConfigTest, BadFields_AreNamedWithTheirRange) {
  config_.hcclDeterministic = 3;
  ExpectRefused({"EI0003 config->hcclDeterministic 3 is not valid", "0 (off), 1 (on) or 2 (strict)"});
  config_.hcclRdmaTrafficClass = 130;
  ExpectRefused({"config->hcclRdmaTrafficClass 130", "a multiple of 4 from 0 to 255"});
  config_.hcclRdmaTrafficClass = 256;
  ExpectRefused({"config->hcclRdmaTrafficClass 256"});
  config_.hcclRdmaServiceLevel = 8;
  ExpectRefused({"config->hcclRdmaServiceLevel 8", "0 to 7"});
  config_.aclGraphZeroCopyEnable = 2;
  ExpectRefused({"config->aclGraphZeroCopyEnable 2", "0 or 1"});
  std::strcpy(config_.hcclRetryEnable, "L0:0,,L1:0");
  ExpectRefused({"config->hcclRetryEnable \"L0:0,,L1:0\""});
  std::strcpy(config_.hcclRetryParams, "MaxCnt:11");
  ExpectRefused({"config->hcclRetryParams \"MaxCnt:11\"", "MaxCnt:1 to 10"});
  std::memset(config_.hcclUdi, 'u', sizeof config_.hcclUdi);
  ExpectRefused({"config->hcclUdi has no end; use at most 127 characters"});
  std::memset(config_.hcclAlgo, 'a', sizeof config_.hcclAlgo);
  ExpectRefused({"config->hcclAlgo has no end; use at most 1599 characters"});
  std::memset(config_.hcclBufferName, 'b', sizeof config_.hcclBufferName);
  ExpectRefused({"config->hcclBufferName has no end"});
}

TEST_F(HcclCommConfigTest, FieldsThatOnlyWarn_AreIgnored) {
  ExpectLog({"config->hcclExecTimeOut -7 is not valid and is ignored"});
  ExpectLog({"config->hcclOpExpansionMode 99 is not valid and is ignored"});
  ExpectLog({"config->hcclRetryEnable \"L7:0\" is not valid and is ignored"});
  config_.hcclExecTimeOut = -7;
  config_.hcclOpExpansionMode = 99;
  std::strcpy(config_.hcclRetryEnable, "L7:0");
  ExpectAccepted("warnings only");
}

TEST_F(HcclCommConfigTest, GoodFields_AreAccepted) {
  config_.hcclDeterministic = 2;
  config_.hcclRdmaTrafficClass = 252;
  config_.hcclRdmaServiceLevel = 7;
  config_.aclGraphZeroCopyEnable = 1;
  config_.hcclExecTimeOut = 0;
  std::strcpy(config_.hcclRetryEnable, "L0:0,L1:1,L2:0");
  std::strcpy(config_.hcclRetryParams, "MaxCnt:3,HoldTime:5000,IntervalTime:1000");
  std::strcpy(config_.hcclUdi, "anything");
  ExpectAccepted("all fields set");
}

// What a caller's older structure does not have is not looked at, whatever lies behind it.
TEST_F(HcclCommConfigTest, OlderVersions_AreReadAsFarAsTheyGo) {
  const struct {
    uint64_t size;
    uint32_t version;
  } older[] = {{2104, 8}, {2232, 9}, {2240, 10}, {4096, 12}};
  for (const auto& one : older) {
    if (one.version < 9) std::memset(config_.hcclBufferName, 'x', sizeof config_.hcclBufferName);
    if (one.version < 10) config_.hcclSymWinMaxMemSizePerRank = 0;
    const uint64_t given = std::min<uint64_t>(one.size, sizeof config_);
    std::memcpy(config_.reserved, &one.size, sizeof one.size);
    std::memcpy(config_.reserved + 12, &one.version, sizeof one.version);
    std::memset(reinterpret_cast<char*>(&config_) + given, 0xEE, sizeof config_ - given);
    ExpectAccepted(std::to_string(one.version).c_str());
  }
}

}  // namespace
}  // namespace softhccl::conformance
