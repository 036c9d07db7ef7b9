// Faithful mode refuses what a product refuses and nothing else, and says which rule it was. The table is held against
// the vendor's documents product by product; without a product everything passes.
#include "engine/faithful.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softhccl::engine {
namespace {

using base::Code;
using base::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Product kProducts[] = {Product::kAscend910B, Product::kAscend910_93, Product::kAscend950};
constexpr Product kOlder[] = {Product::kAscend910B, Product::kAscend910_93};

// The status has this code, and its message names the product and the rule.
void ExpectRule(const Status& status, Code code, const std::string& product, const std::string& rule) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_THAT(status.message(), AllOf(HasSubstr(product), HasSubstr("(" + rule + ")")));
}

TEST(FaithfulTest, NoProduct_AcceptsEverything) {
  EXPECT_EQ(FaithfulProduct(), Product::kAny) << "SOFTHCCL_FAITHFUL is not set in this process";
  EXPECT_FALSE(IsFaithful());
  EXPECT_TRUE(CheckFunction("HcommFlush", true, Product::kAny).ok());
  EXPECT_TRUE(CheckTransfer("HcommBatchTransferOnThread", 0, Product::kAny).ok());
  EXPECT_TRUE(CheckEngine("HcclChannelAcquire", 99, Product::kAny).ok());
  EXPECT_TRUE(CheckHostThread("HcommLocalCopyOnThread", 2, Product::kAny).ok());
  EXPECT_TRUE(CheckProtocol(99, Product::kAny).ok());
  EXPECT_TRUE(CheckReduction(10, 1, true, Product::kAny).ok());
  EXPECT_TRUE(CheckBatch(false, Product::kAny).ok());
  EXPECT_TRUE(CheckAcquired(false, Product::kAny).ok());
  EXPECT_TRUE(CheckOccurrence(3, 1, Product::kAny).ok());
  EXPECT_EQ(NotifyLimit(Product::kAny), 65535u);
}

TEST(FaithfulTest, Functions_AreThoseOfTheProduct) {
  for (const Product product : kOlder) {
    for (const bool in_kernel : {false, true}) {
      for (const char* missing : {"HcommWriteWithNotifyOnThread", "HcommAicpuTsTaskCacheStart", "HcommWriteNbi",
                                  "HcclCommMemReg", "HcclGetHcclBufferCleared", "HcommEndpointCreate"}) {
        ExpectRule(CheckFunction(missing, in_kernel, product), Code::kNotSupported, missing, "SH-P003");
      }
      for (const char* there : {"HcommLocalCopyOnThread", "HcommAclrtNotifyWaitOnThread", "HcclChannelAcquire", ""}) {
        EXPECT_TRUE(CheckFunction(there, in_kernel, product).ok()) << there;
      }
    }
  }
  EXPECT_TRUE(CheckFunction("HcommWriteWithNotifyOnThread", true, Product::kAscend950).ok());
  ExpectRule(CheckFunction("HcommWriteWithNotifyOnThread", false, Product::kAscend950), Code::kNotSupported,
             "Ascend950 does not have HcommWriteWithNotifyOnThread on the host", "SH-P003");
  EXPECT_TRUE(CheckFunction("HcommFlush", false, Product::kAscend950).ok());
  ExpectRule(CheckFunction("HcommFlush", true, Product::kAscend950), Code::kNotSupported, "in kernels", "SH-P003");
  ExpectRule(CheckFunction("HcommAclrtNotifyWaitOnThread", true, Product::kAscend950), Code::kNotSupported,
             "use HcommThreadNotifyWaitOnThread", "SH-P003");
}

TEST(FaithfulTest, Transfers_DependOnTheProtocolOfOlderProducts) {
  for (const Product product : kOlder) {
    EXPECT_TRUE(CheckTransfer("HcommBatchTransferOnThread", 1, product).ok());
    ExpectRule(CheckTransfer("HcommBatchTransferOnThread", 0, product), Code::kNotSupported, "this channel speaks HCCS",
               "SH-P003");
    EXPECT_TRUE(CheckTransfer("HcommReadReduceOnThread", 0, product).ok());
    ExpectRule(CheckTransfer("HcommReadReduceOnThread", 1, product), Code::kNotSupported, "other than RoCE", "SH-P003");
    EXPECT_TRUE(CheckTransfer("HcommWriteOnThread", 1, product).ok());
  }
  EXPECT_TRUE(CheckTransfer("HcommBatchTransferOnThread", 4, Product::kAscend950).ok());
}

TEST(FaithfulTest, Engines_AreThoseOfTheFunction) {
  for (int engine = 0; engine <= 5; ++engine) {
    EXPECT_EQ(CheckEngine("HcclChannelAcquire", engine, Product::kAscend910B).ok(), engine != 5) << engine;
    EXPECT_EQ(CheckEngine("HcclChannelAcquire", engine, Product::kAscend950).ok(), engine != 1) << engine;
    EXPECT_EQ(CheckEngine("HcclThreadAcquire", engine, Product::kAscend950).ok(), engine <= 3) << engine;
    EXPECT_TRUE(CheckEngine("HcclEngineCtxCreate", engine, Product::kAscend950).ok()) << "no rule of its own";
  }
  ExpectRule(CheckEngine("HcclChannelAcquire", 1, Product::kAscend950), Code::kInvalidParam,
             "engine 1 (CPU_TS): Ascend950 accepts for HcclChannelAcquire these engines: CPU, AICPU, AICPU_TS",
             "SH-P001");
  ExpectRule(CheckEngine("HcclChannelDestroy", 2, Product::kAscend910_93), Code::kNotSupported, "these engines: none",
             "SH-P001");
  ExpectRule(CheckEngine("HcclChannelAcquire", -7, Product::kAscend910B), Code::kInvalidParam, "engine -7", "SH-P001");
  EXPECT_TRUE(CheckHostThread("HcommReadOnThread", 1, Product::kAscend910B).ok());
  ExpectRule(CheckHostThread("HcommReadOnThread", 2, Product::kAscend910B), Code::kInvalidParam, "engine CPU_TS only",
             "SH-P001");
  EXPECT_TRUE(CheckHostThread("HcommReadOnThread", 0, Product::kAscend950).ok());
}

TEST(FaithfulTest, Exports_ToTheHostAreOfThreadsForKernels) {
  constexpr int kCpu = 0;
  constexpr int kCpuTs = 1;
  constexpr int kAicpuTs = 3;
  for (const Product product : {Product::kAscend910B, Product::kAscend910_93, Product::kAscend950}) {
    EXPECT_TRUE(CheckExport(kAicpuTs, kCpu, product).ok());
    EXPECT_TRUE(CheckExport(kCpuTs, kAicpuTs, product).ok());
    EXPECT_EQ(CheckExport(kCpuTs, kCpu, product).code(), base::Code::kInvalidParam);
  }
  EXPECT_TRUE(CheckExport(kCpuTs, kCpu, Product::kAny).ok());
}

TEST(FaithfulTest, Protocols_AreThoseOfTheLinks) {
  for (int protocol = -1; protocol <= 10; ++protocol) {
    const bool old = protocol == 0 || protocol == 1 || protocol == 3 || protocol == 8;
    const bool unified = protocol == 1 || (protocol >= 4 && protocol <= 7) || protocol == 9;
    for (const Product product : kOlder) EXPECT_EQ(CheckProtocol(protocol, product).ok(), old) << protocol;
    EXPECT_EQ(CheckProtocol(protocol, Product::kAscend950).ok(), unified) << protocol;
  }
  ExpectRule(CheckProtocol(4, Product::kAscend910B), Code::kInvalidParam,
             "channelProtocol 4 (UB_CTP): channels of Ascend910B speak HCCS, ROCE, SIO, HCCS_ONLY", "SH-P002");
}

TEST(FaithfulTest, Reductions_AreSumMaxMinOfTheDocumentedTypes) {
  for (const Product product : kProducts) {
    for (int type = -1; type < 20; ++type) {
      const bool common = (type >= 0 && type <= 4) || type == 11;
      const bool is_unsigned = type >= 7 && type <= 9;
      for (const int operation : {-1, 0, 1, 2, 3, 4}) {
        const bool known = operation == 0 || operation == 2 || operation == 3;
        EXPECT_EQ(CheckReduction(type, operation, false, product).ok(), common && known) << type << ' ' << operation;
        const bool remote = common || (is_unsigned && product == Product::kAscend950);
        EXPECT_EQ(CheckReduction(type, operation, true, product).ok(), remote && known) << type << ' ' << operation;
      }
    }
  }
  ExpectRule(CheckReduction(10, 0, false, Product::kAscend950), Code::kInvalidParam,
             "reducing fp64 (dataType 10) with sum", "SH-P004");
  ExpectRule(CheckReduction(4, 1, true, Product::kAscend950), Code::kInternal, "between ranks", "SH-P004");
  ExpectRule(CheckReduction(7, 0, true, Product::kAscend910B), Code::kInvalidParam, "uint8", "SH-P004");
}

TEST(FaithfulTest, KernelsOfOlderProducts_NeedBatchAndCommunicator) {
  for (const Product product : kOlder) {
    EXPECT_TRUE(CheckBatch(true, product).ok());
    ExpectRule(CheckBatch(false, product), Code::kInvalidParam, "HcommBatchModeStart", "SH-P006");
    EXPECT_TRUE(CheckAcquired(true, product).ok());
    ExpectRule(CheckAcquired(false, product), Code::kInvalidParam, "HcommAcquireComm", "SH-P007");
    EXPECT_TRUE(CheckOccurrence(0, 1, product).ok());
    ExpectRule(CheckOccurrence(1, 7, product), Code::kInvalidParam, "remoteRank 7 is asked for 2 times", "SH-P005");
    EXPECT_EQ(NotifyLimit(product), 8192u);
  }
  EXPECT_TRUE(CheckBatch(false, Product::kAscend950).ok());
  EXPECT_TRUE(CheckAcquired(false, Product::kAscend950).ok());
  EXPECT_TRUE(CheckOccurrence(1, 7, Product::kAscend950).ok());
}

}  // namespace
}  // namespace softhccl::engine
