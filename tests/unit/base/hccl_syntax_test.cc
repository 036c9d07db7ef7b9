// The grammars of the vendor's textual settings: a list of good texts and a list of bad ones each, and the variables
// that are held to them.
#include "base/hccl_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/config.h"

namespace softhccl::base {
namespace {

struct Grammar {
  const char* name;
  bool (*accepts)(std::string_view);
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

const Grammar kGrammars[] = {
    {"address", IsIpAddress, {"10.0.0.1", "::1", "fe80::1"}, {"", "10.0.0", "10.0.0.256", "host", " ::1", "::1%eth0"}},
    {"scoped address", IsScopedAddress, {"10.0.0.1", "fe80::1%eth0"}, {"", "fe80::1%", "%eth0", "eth0"}},
    {"interfaces",
     IsInterfaceList,
     {"eth", "eth,enp", "^docker,lo", "=eth0", "^=eth0,eth1"},
     {"", ",eth", "eth,", "eth,,lo", "^", "=", "^="}},
    {"family", IsSocketFamily, {"AF_INET", "AF_INET6"}, {"", "af_inet", "INET"}},
    {"ports",
     IsPortRanges,
     {"auto", "1", "65535", "100-200", "100-200,300,400-401", "5-5"},
     {"", "0", "65536", "200-100", "100-200,200", "1,", "a", "AUTO", "1-2-3", "-1", "1-"}},
    {"determinism", IsDeterminism, {"true", "FALSE", "Strict"}, {"", "1", "yes", "strictly"}},
    {"truth", IsTrueOrFalse, {"TRUE", "false"}, {"", "strict", "0"}},
    {"expansion", IsExpansionMode, {"AI_CPU", "CCU_SCHED", "AICPU_CacheDisable"}, {"", "ai_cpu", "AICPU"}},
    {"algorithm",
     IsAlgorithm,
     {"level0:NA", "level0:NA;level1:ring", "allreduce=level0:NA;level1:ring/others=level1:NHR"},
     {"", "level0", "level0:", "level4:ring", "=level0:NA", "level0:NA;", "ring", std::string(1600, 'x')}},
    {"retry",
     IsRetrySwitches,
     {"L0:0", "L1:1,L2:0", "L0:0,L1:0,L2:0"},
     {"", "L0", "L3:0", "L0:2", "L0:0,L0:1", "L0:0,"}},
    {"retry parameters",
     IsRetryParameters,
     {"MaxCnt:1", "MaxCnt:10,HoldTime:0,IntervalTime:60000"},
     {"", "MaxCnt:0", "MaxCnt:11", "HoldTime:60001", "Maxcnt:1", "MaxCnt:1,MaxCnt:2", "MaxCnt"}},
    {"faults",
     IsFaultDetection,
     {"cluster_heartbeat:on", "connection_fault_detection_time:0", "inconsistent_check:first,task_monitor_interval:0"},
     {"", "cluster_heartbeat:yes", "connection_fault_detection_time:19", "heartbeat:on", "stuck_detection"}},
    {"modules",
     IsDebugModules,
     {"ALG", "TASK,ALG", "^RESOURCE", "alg,task"},
     {"", "^", "ALG, TASK", "alg,TASK", "DATA_OP"}},
    {"data modules", IsDataDebugModules, {"TASK", "^data_op,task"}, {"", "ALG"}},
    {"class", IsTrafficClass, {"0", "132", "252"}, {"", "1", "256", "-4", "4.0"}},
    {"name", IsShortName, {"", std::string(127, 'x')}, {std::string(128, 'x')}},
    {"path", IsPath, {"a", "/x"}, {std::string(5000, 'x')}},
};

TEST(HcclSyntaxTest, GoodTexts_AreAcceptedAndBadOnesAreNot) {
  for (const Grammar& grammar : kGrammars) {
    for (const std::string& text : grammar.good) EXPECT_TRUE(grammar.accepts(text)) << grammar.name << ": " << text;
    for (const std::string& text : grammar.bad) EXPECT_FALSE(grammar.accepts(text)) << grammar.name << ": " << text;
  }
}

TEST(HcclSyntaxTest, Numbers_HaveDigitsAndBounds) {
  EXPECT_TRUE(IsNumber("0", 0, 5));
  EXPECT_TRUE(IsNumber("0000000005", 0, 5));
  for (const char* text : {"", "6", "-1", "+1", " 1", "1 ", "00000000005", "0x1"}) EXPECT_FALSE(IsNumber(text, 0, 5));
}

struct Variable {
  const char* name;
  const char* good;
  const char* bad;
};

// Every checked variable takes its good text and fails creation with its bad one.
TEST(HcclSyntaxTest, Variables_AreHeldToTheirGrammar) {
  const Variable variables[] = {
      {"HCCL_DETERMINISTIC", "TRUE", "2"},
      {"HCCL_OP_EXPANSION_MODE", "AIV", "aiv"},
      {"HCCL_ALGO", "level1:ring", "ring"},
      {"HCCL_IF_IP", "10.0.0.1%eth0", "eth0"},
      {"HCCL_SOCKET_IFNAME", "^=lo", "lo,"},
      {"HCCL_SOCKET_FAMILY", "AF_INET6", "IPV6"},
      {"HCCL_IF_BASE_PORT", "60000", "65521"},
      {"HCCL_HOST_SOCKET_PORT_RANGE", "auto", "70000"},
      {"HCCL_NPU_SOCKET_PORT_RANGE", "1-2", "2-1"},
      {"HCCL_WHITELIST_DISABLE", "0", "1abc"},
      {"HCCL_ENTRY_LOG_ENABLE", "1", "2"},
      {"HCCL_DIAGNOSE_ENABLE", "1", "on"},
      {"HCCL_DFS_CONFIG", "task_exception:off", "task_exception"},
      {"HCCL_DEBUG_CONFIG", "^ALG", "all"},
      {"HCOMM_DEBUG_CONFIG", "TASK", "ALG"},
      {"HCCL_RDMA_TC", "132", "133"},
      {"HCCL_RDMA_SL", "7", "8"},
      {"HCCL_RDMA_TIMEOUT", "31", "32"},
      {"HCCL_RDMA_RETRY_CNT", "1", "0"},
      {"HCCL_RDMA_QPS_PER_CONNECTION", "32", "33"},
      {"HCCL_MULTI_QP_THRESHOLD", "8192", "8193"},
      {"HCCL_OP_RETRY_ENABLE", "L1:0,L2:0", "L1"},
      {"HCCL_OP_RETRY_PARAMS", "MaxCnt:1", "MaxCnt:0"},
      {"HCCL_INTER_HCCS_DISABLE", "true", "1"},
      {"HCCL_INTRA_PCIE_ENABLE", "1", "2"},
      {"HCCL_INTRA_ROCE_ENABLE", "1", "2"},
      {"HCOMM_TA_CTP_UB_TIMEOUT", "31", "32"},
      {"HCOMM_TA_RTP_UB_TIMEOUT", "0", "-1"},
      {"HCOMM_TA_RTP_UBOE_TIMEOUT", "16", "x"},
  };
  for (const Variable& one : variables) {
    ::setenv(one.name, one.good, 1);
    const auto good = LoadHcclConfig();
    EXPECT_TRUE(good) << one.name << ": " << good.error().message();
    ::setenv(one.name, one.bad, 1);
    const auto bad = LoadHcclConfig();
    ::unsetenv(one.name);
    ASSERT_FALSE(bad) << one.name;
    EXPECT_EQ(bad.error().code(), Code::kInvalidParam);
    EXPECT_THAT(bad.error().message(),
                ::testing::StartsWith(fmt::format("EI0001 {}=\"{}\" is not valid: expected ", one.name, one.bad)));
  }
}

TEST(HcclSyntaxTest, BothLinksInsideAServer_AreRefusedTogether) {
  ::setenv("HCCL_INTRA_PCIE_ENABLE", "1", 1);
  ::setenv("HCCL_INTRA_ROCE_ENABLE", "1", 1);
  const auto both = LoadHcclConfig();
  ::unsetenv("HCCL_INTRA_PCIE_ENABLE");
  ::unsetenv("HCCL_INTRA_ROCE_ENABLE");
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().message(), ::testing::HasSubstr("EI0001 HCCL_INTRA_ROCE_ENABLE=\"1\""));
}

}  // namespace
}  // namespace softhccl::base
