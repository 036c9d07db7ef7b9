// A communicator of one rank on device 0, for calls that concern nobody else.
#pragma once

#include "fixture.h"

namespace softhccl::conformance {

class OneRankTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    HcclRootInfo root;
    ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    ASSERT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm_), HCCL_SUCCESS);
    char name[128] = {};
    ASSERT_EQ(HcclGetCommName(comm_, name), HCCL_SUCCESS);
    name_ = name;
  }
  // A test that destroys the communicator itself sets comm_ to null.
  void TearDown() override {
    if (comm_ != nullptr) {
      EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  HcclComm comm_ = nullptr;
  std::string name_;
};

}  // namespace softhccl::conformance
