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
  }
  void TearDown() override {
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    DeviceTest::TearDown();
  }
  HcclComm comm_ = nullptr;
};

}  // namespace softhccl::conformance
