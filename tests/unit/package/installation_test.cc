// The mark of an installer at work stops the operator it installs, and no other.
#include "package/installation.h"

#include "package_fixture.h"

namespace softhccl::package {
namespace {

class Installation : public PackageTest {
 protected:
  void SetUp() override {
    PackageTest::SetUp();
    descriptor_ = Write("opp/vendors/cust/aicpu/config/libp2p.json", "{}");
  }
  std::string descriptor_;
};

TEST_F(Installation, NothingAtWork_IsFine) {
  EXPECT_TRUE(CheckInstalled(descriptor_).ok());
  EXPECT_TRUE(CheckInstalled("k.json").ok());
  Write("opp/vendors/cust/.p2p.new/opp/vendors/cust/scripts/p2p.sha256",
        "0  opp/vendors/cust/aicpu/config/libp2p.json\n");
  EXPECT_TRUE(CheckInstalled(descriptor_).ok());
}

TEST_F(Installation, FilesOfTheOperatorNotAllInPlace_IsRefused) {
  const auto manifest = Write("opp/vendors/cust/.p2p.installing/opp/vendors/cust/scripts/p2p.sha256",
                              "0  opp/vendors/cust/aicpu/config/libp2p.json\n");
  const auto status = CheckInstalled(descriptor_);
  EXPECT_EQ(status.code(), base::Code::kKernelFailed);
  EXPECT_EQ(status.message(), "operator 'p2p' is being installed into " + (folder_ / "opp/vendors/cust").string() +
                                  ", or its installer was interrupted, so its files may be of two versions: run the "
                                  ".run file again (SH-K006)");
  EXPECT_TRUE(CheckInstalled(Write("opp/vendors/cust/aicpu/config/libother.json", "{}")).ok());
  // The manifest is moved last: then nothing is mixed any more.
  std::filesystem::remove(manifest);
  EXPECT_TRUE(CheckInstalled(descriptor_).ok());
}

}  // namespace
}  // namespace softhccl::package
