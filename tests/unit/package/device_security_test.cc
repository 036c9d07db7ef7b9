// What npu-smi set is kept and read back; what cannot be read is an error, never a guess.
#include "package/device_security.h"

#include <sys/stat.h>
#include <unistd.h>

#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::HasSubstr;

class DeviceSecurityTest : public PackageTest {
 protected:
  std::string StatePath() const { return SecurityState::PathIn(folder_.string()); }
};

TEST_F(DeviceSecurityTest, NothingThere_IsWhatADeviceIsLikeAtFirst) {
  EXPECT_EQ(SecurityState::Read(StatePath()).value().Of(0), DeviceSecurity());
  EXPECT_EQ(SecurityState::Read("/proc/1/none/softhccl/npu-smi.state").value().Of(0), DeviceSecurity());
  EXPECT_EQ(ModeInForce({}, false), 0u);
  EXPECT_EQ(ModeInForce({}, true), 1u);
}

TEST_F(DeviceSecurityTest, TheArticlesTwoCommands_TurnItOffOnThatDeviceOnly) {
  SecurityState state;
  EXPECT_THAT(state.SetMode(0, 0).message(),
              HasSubstr("not configurable; first: npu-smi set -t custom-op-secverify-enable -i 0 -d 1"));
  state.SetConfigurable(0, true);
  EXPECT_EQ(ModeInForce(state.Of(0), true), 1u);
  ASSERT_TRUE(state.SetMode(0, 0).ok());
  ASSERT_TRUE(state.Write(StatePath()).ok());
  const auto read = SecurityState::Read(StatePath());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(ModeInForce(read->Of(0), true), 0u);
  EXPECT_EQ(ModeInForce(read->Of(1), true), 1u);
  struct stat info{};
  ASSERT_EQ(::stat(StatePath().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777u, 0600u);
}

TEST_F(DeviceSecurityTest, NotConfigurableAnyMore_IsTheDefaultAgain) {
  SecurityState state;
  state.SetConfigurable(3, true);
  ASSERT_TRUE(state.SetMode(3, 7).ok());
  EXPECT_EQ(ModeInForce(state.Of(3), false), 7u);
  state.SetConfigurable(3, false);
  EXPECT_EQ(state.Of(3), DeviceSecurity());
}

TEST_F(DeviceSecurityTest, ModeOutOfRange_IsRefused) {
  SecurityState state;
  state.SetConfigurable(0, true);
  EXPECT_THAT(state.SetMode(0, 8).message(), HasSubstr("mode 8 is not valid; use 0 (off) to 7 (all)"));
}

TEST_F(DeviceSecurityTest, EveryState_IsReadBackAsItWasWritten) {
  SecurityState state;
  for (unsigned device = 0; device < 1024; device += 31) {
    state.SetConfigurable(device, true);
    if (device % 2 == 0) {
      ASSERT_TRUE(state.SetMode(device, device % 8).ok());
    }
  }
  ASSERT_TRUE(state.Write(StatePath()).ok());
  const auto read = SecurityState::Read(StatePath());
  ASSERT_TRUE(read) << read.error().message();
  for (unsigned device = 0; device < 1024; ++device) EXPECT_EQ(read->Of(device), state.Of(device)) << device;
}

TEST_F(DeviceSecurityTest, LineThatIsNone_IsAnErrorThatNamesIt) {
  for (const auto& line :
       {"x", "device 0 configurable 2 mode 0", "device 0 configurable 1 mode 8", "device 1024 configurable 1 mode 0",
        "device 0 configurable 1 mode 0 more", "device -1 configurable 1 mode 0", "device 0 configurable 1", "",
        "device 0 configurable 1 mode 0\ndevice 0 configurable 1 mode 0"}) {
    const auto path = Write("softhccl/npu-smi.state", std::string("device 9 configurable 1 mode 0\n") + line + "\n");
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    const auto state = SecurityState::Read(path);
    ASSERT_FALSE(state) << line;
    EXPECT_THAT(state.error().message(), HasSubstr("this is no setting of npu-smi; remove the file")) << line;
  }
}

TEST_F(DeviceSecurityTest, FileThatOthersMayWrite_IsRefused) {
  const auto path = Write("softhccl/npu-smi.state", "device 0 configurable 1 mode 0\n");
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  const auto state = SecurityState::Read(path);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().message(), HasSubstr("belongs to another user, or others may write it"));
}

}  // namespace
}  // namespace softhccl::package
