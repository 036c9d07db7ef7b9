// Devices: selection by thread, counting, limits, and what resetting means.
#include "engine/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace softhccl::engine {
namespace {

using base::Code;
using ::testing::HasSubstr;

class DeviceTest : public ::testing::Test {
 protected:
  static exec::SchedulerOptions OneWorker() {
    exec::SchedulerOptions options;
    options.workers = 1;
    return options;
  }
  DeviceTable MakeTable(std::uint32_t count, std::optional<std::string> visible = std::nullopt) {
    base::Config config;
    config.device_count = count;
    config.visible_devices = std::move(visible);
    return DeviceTable(scheduler_, config);
  }
  exec::Scheduler scheduler_{OneWorker()};
};

TEST_F(DeviceTest, Select_OutOfRange_NamesIdAndCount) {
  DeviceTable table = MakeTable(2);
  const base::Status status = table.Select(2);
  EXPECT_EQ(status.code(), Code::kInvalidDevice);
  EXPECT_THAT(status.message(), HasSubstr("deviceId 2 is out of range, there are 2 devices (0 to 1)"));
  EXPECT_EQ(table.Select(-1).code(), Code::kInvalidDevice);
}

TEST_F(DeviceTest, Current_NothingSelectedOnThread_IsNoContext) {
  DeviceTable table = MakeTable(1);
  std::thread([&] { EXPECT_EQ(table.Current().error().code(), Code::kNoContext); }).join();
}

TEST_F(DeviceTest, Reset_LastOfTwo_TakesTheDeviceFromEveryThread) {
  DeviceTable table = MakeTable(1);
  ASSERT_TRUE(table.Select(0).ok());
  std::thread([&] { ASSERT_TRUE(table.Select(0).ok()); }).join();
  EXPECT_TRUE(table.Reset(0).ok());
  EXPECT_TRUE(table.Current().has_value()) << "the other thread's selection still counts";
  EXPECT_TRUE(table.Reset(0).ok());
  EXPECT_THAT(table.Current().error().message(), HasSubstr("device 0 was reset"));
  EXPECT_EQ(table.Reset(0).code(), Code::kRepeated);
}

TEST_F(DeviceTest, VisibleDevices_Lists_CountAndErrors) {
  EXPECT_EQ(MakeTable(8, "0,1,5").Count().value(), 3u);
  EXPECT_EQ(MakeTable(8, "0,1,x,5").Count().value(), 2u) << "parsing stops at what is no number";
  EXPECT_EQ(MakeTable(8, "0,9").Count().value(), 1u) << "and at what is out of range";
  EXPECT_THAT(MakeTable(8, "3,1").Count().error().message(), HasSubstr("1 after 3; ids must ascend"));
  EXPECT_THAT(MakeTable(8, "1,1").Count().error().message(), HasSubstr("ids must ascend"));
  EXPECT_THAT(MakeTable(8, "").Count().error().message(), HasSubstr("selects none of the 8 devices"));
}

TEST_F(DeviceTest, Notifies_FreedId_IsUsedAgainAndOldOneIsGone) {
  Device device(scheduler_, 0);
  exec::Notify* first = device.CreateNotify().value();
  exec::Notify* second = device.CreateNotify().value();
  EXPECT_EQ(first->id, 0u);
  EXPECT_EQ(second->id, 1u);
  EXPECT_EQ(device.FindNotify(0), first);
  EXPECT_TRUE(device.DestroyNotify(first->handle).ok());
  EXPECT_EQ(device.FindNotify(0), nullptr);
  EXPECT_EQ(device.FindNotify(65535), nullptr);
  EXPECT_EQ(device.CreateNotify().value()->id, 0u);
  EXPECT_EQ(device.notify_count(), 2u);
}

TEST_F(DeviceTest, Streams_BeyondTheLimit_AreRefusedWithTheNumber) {
  Device device(scheduler_, 0);
  for (std::uint32_t i = 0; i < Device::kMaxStreams; ++i) ASSERT_TRUE(device.CreateStream().has_value());
  const auto refused = device.CreateStream();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), Code::kUnavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr("has 1984 streams, its limit"));
}

}  // namespace
}  // namespace softhccl::engine
