// aclrtGetDeviceCount and aclrtSetDevice in a process whose ASCEND_RT_VISIBLE_DEVICES is not valid.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

// Without the fixture's warm-up, which needs a device.
class VisibleDevicesTest : public ::testing::Test {};

TEST_F(VisibleDevicesTest, DescendingIds_NoDeviceCanBeCountedOrSet) {
  uint32_t count = 77;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_ERROR_RT_NO_DEVICE);
  EXPECT_EQ(count, 77u);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_THAT(text, ::testing::HasSubstr("ASCEND_RT_VISIBLE_DEVICES=\"2,1\": 1 after 2; ids must ascend"));
  EXPECT_THAT(text, ::testing::HasSubstr("[ACL_ERROR_RT_NO_DEVICE 207004]"));
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
}

}  // namespace
}  // namespace softhccl::conformance
