// What devices say of themselves, what is kept for them, and the ends of their work.
#include <unistd.h>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class aclrtGetDeviceInfoTest : public ApiTest {
 protected:
  int64_t Ask(aclrtDevAttr attribute, uint32_t device = 1) {
    int64_t value = -1;
    EXPECT_EQ(aclrtGetDeviceInfo(device, attribute, &value), ACL_SUCCESS) << attribute;
    return value;
  }
};

TEST_F(aclrtGetDeviceInfoTest, Properties_AreThoseOfThisMachine) {
  EXPECT_GE(Ask(ACL_DEV_ATTR_AICPU_CORE_NUM), 1);
  EXPECT_EQ(Ask(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
  for (const auto attribute : {ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_CUBE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM,
                               ACL_DEV_ATTR_SMP_ID, ACL_DEV_ATTR_SUPER_POD_ID, ACL_DEV_ATTR_SUPER_POD_SERVER_ID}) {
    EXPECT_EQ(Ask(attribute), 0) << attribute;
  }
  EXPECT_EQ(Ask(ACL_DEV_ATTR_PHY_CHIP_ID, 5), 5);
  EXPECT_EQ(Ask(ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, 6), 6);
  EXPECT_EQ(Ask(ACL_DEV_ATTR_CUST_OP_PRIVILEGE), 1);
  EXPECT_EQ(Ask(ACL_DEV_ATTR_NPU_ARCH), 3510);
}

TEST_F(aclrtGetDeviceInfoTest, WhatIsNotThere_IsRefusedAndOutputKept) {
  int64_t value = -5;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo, (0, ACL_DEV_ATTR_SMP_ID, nullptr), "value is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceInfo, (8, ACL_DEV_ATTR_SMP_ID, &value), "deviceId 8");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceInfo, (UINT32_MAX, ACL_DEV_ATTR_SMP_ID, &value),
               "out of range");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetDeviceInfo, (0, ACL_DEV_ATTR_WARP_SIZE, &value), "attr 202");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo, (0, FromNumber<aclrtDevAttr>(999), &value),
               "attr 999 is not known");
  EXPECT_EQ(value, -5);
}

TEST_F(aclrtGetDeviceInfoTest, Capabilities_AreNone) {
  int64_t wide = -1;
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &wide), ACL_SUCCESS);
  EXPECT_EQ(wide, 0);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &wide), ACL_SUCCESS);
  EXPECT_GE(wide, 0);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability, (0, ACL_DEVICE_INFO_UNDEFINED, &wide),
               "deviceInfo -1 is not known");
  int32_t value = -1;
  EXPECT_EQ(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value), ACL_SUCCESS);
  EXPECT_EQ(value, ACL_DEV_FEATURE_NOT_SUPPORT);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCapability, (0, FromNumber<aclrtDevFeatureType>(2), &value),
               "devFeatureType 2 is not known");
}

class aclrtGetDevicesTopoTest : public ApiTest {};

TEST_F(aclrtGetDevicesTopoTest, AnyTwoDevices_AreConnected) {
  uint64_t topo = 0;
  EXPECT_EQ(aclrtGetDevicesTopo(0, 7, &topo), ACL_SUCCESS);
  EXPECT_EQ(topo, ACL_RT_DEVS_TOPOLOGY_HCCS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDevicesTopo, (3, 3, &topo), "are both 3");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDevicesTopo, (0, 8, &topo), "deviceId 8");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetDevicesTopo, (0, 1, nullptr), "value is null");
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_EQ(aclrtQueryDeviceStatus(7, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtQueryDeviceStatus, (8, &status), "deviceId 8");
}

class aclrtGetLogicDevIdByUserDevIdTest : public ApiTest {};

TEST_F(aclrtGetLogicDevIdByUserDevIdTest, AllDevicesVisible_EveryIdIsTheSame) {
  using Ask = aclError (*)(int32_t, int32_t*);
  const Ask all[] = {aclrtGetLogicDevIdByUserDevId, aclrtGetPhyDevIdByUserDevId,  aclrtGetUserDevIdByLogicDevId,
                     aclrtGetUserDevIdByPhyDevId,   aclrtGetLogicDevIdByPhyDevId, aclrtGetPhyDevIdByLogicDevId};
  for (const Ask ask : all) {
    int32_t id = -1;
    EXPECT_EQ(ask(7, &id), ACL_SUCCESS);
    EXPECT_EQ(id, 7);
  }
  int32_t id = -5;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetLogicDevIdByUserDevId, (8, &id), "deviceId 8");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetUserDevIdByPhyDevId, (8, &id), "device 8", "not visible");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetPhyDevIdByLogicDevId, (-1, &id), "device -1 is out of range");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtGetLogicDevIdByPhyDevId, (0, nullptr), "logicDevId is null");
  EXPECT_EQ(id, -5);
}

class aclrtDeviceGetUuidTest : public DeviceTest {};

TEST_F(aclrtDeviceGetUuidTest, EveryDevice_HasItsOwn) {
  aclrtUuid first{};
  aclrtUuid again{};
  aclrtUuid other{};
  EXPECT_EQ(aclrtDeviceGetUuid(0, &first), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceGetUuid(0, &again), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceGetUuid(1, &other), ACL_SUCCESS);
  EXPECT_EQ(std::memcmp(&first, &again, sizeof first), 0);
  EXPECT_NE(std::memcmp(&first, &other, sizeof first), 0);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetUuid, (0, nullptr), "uuid is null");
  int32_t least = -1;
  int32_t greatest = -1;
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, &greatest), ACL_SUCCESS);
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);
}

class aclrtDeviceEnablePeerAccessTest : public DeviceTest {};

TEST_F(aclrtDeviceEnablePeerAccessTest, Access_IsNotedForOneDirection) {
  int32_t answer = -1;
  EXPECT_EQ(aclrtDeviceCanAccessPeer(&answer, 0, 1), ACL_SUCCESS);
  EXPECT_EQ(answer, 1);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &answer), ACL_SUCCESS);
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &answer), ACL_SUCCESS);
  EXPECT_EQ(answer, 1);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(1, 0, &answer), ACL_SUCCESS);
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(aclrtDeviceDisablePeerAccess(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &answer), ACL_SUCCESS);
  EXPECT_EQ(answer, 0);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceEnablePeerAccess, (1, 1), "flags 1 must be 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceEnablePeerAccess, (0, 0), "is the device itself");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer, (&answer, 0, 9), "deviceId 9");
}

class aclrtDeviceSetLimitTest : public DeviceTest {};

TEST_F(aclrtDeviceSetLimitTest, Value_ComesBack) {
  size_t value = 9;
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 4096), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDeviceSetLimit, (FromNumber<aclrtDeviceLimit>(5), 1), "limit 5");
}

class aclrtSetDeviceResLimitTest : public DeviceTest {};

TEST_F(aclrtSetDeviceResLimitTest, StreamInUse_WinsOverTheDevice) {
  uint32_t value = 9;
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0u) << "there are none";
  EXPECT_EQ(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 12), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 12u);
  EXPECT_EQ(aclrtSetStreamResLimit(stream_, ACL_RT_DEV_RES_VECTOR_CORE, 4), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 12u);
  EXPECT_EQ(aclrtUseStreamResInCurrentThread(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 4u);
  EXPECT_EQ(aclrtUnuseStreamResInCurrentThread(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetStreamResLimit(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamResLimit(stream_, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(aclrtResetDeviceResLimit(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0u);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetDeviceResLimit, (0, FromNumber<aclrtDevResLimitType>(2), 1),
               "type 2 is not known");
}

class aclrtResetDeviceForceTest : public ApiTest {};

TEST_F(aclrtResetDeviceForceTest, SetTwice_OneCallIsEnough) {
  EXPECT_EQ(aclrtSetDevice(4), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(4), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(4), ACL_SUCCESS);
  int32_t device = -1;
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice, (&device), "device 4 was reset");
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDeviceForce, (4), "deviceId 4 is not set", "507007]");
  EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice, (4), "deviceId 4 is not set");
}

class aclrtRegDeviceStateCallbackTest : public ApiTest {};

TEST_F(aclrtRegDeviceStateCallbackTest, SetAndReset_AreToldBeforeAndAfter) {
  using Seen = std::vector<std::pair<int32_t, aclrtDeviceState>>;
  Seen seen;
  const auto note = [](int32_t device, aclrtDeviceState state, void* list) {
    static_cast<Seen*>(list)->emplace_back(device, state);
  };
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRegDeviceStateCallback, (nullptr, note, &seen), "regName is null");
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", note, &seen), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(seen, (Seen{{1, ACL_RT_DEVICE_STATE_SET_PRE},
                        {1, ACL_RT_DEVICE_STATE_SET_POST},
                        {1, ACL_RT_DEVICE_STATE_RESET_PRE},
                        {1, ACL_RT_DEVICE_STATE_RESET_POST}}));
}

class aclrtDeviceTaskAbortTest : public DeviceTest {};

TEST_F(aclrtDeviceTaskAbortTest, WaitingStreams_AreEndedAndCallbacksTold) {
  aclrtNotify gate = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&gate, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  using Seen = std::vector<std::pair<aclrtDeviceTaskAbortStage, uint32_t>>;
  Seen seen;
  const auto note = [](int32_t, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void* list) -> int32_t {
    static_cast<Seen*>(list)->emplace_back(stage, timeout);
    return 0;
  };
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetDeviceTaskAbortCallback, (nullptr, note, &seen), "regName is null");
  EXPECT_EQ(aclrtSetDeviceTaskAbortCallback("test", note, &seen), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(gate, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceTaskAbort(0, 5000), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDeviceTaskAbortCallback("test", nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(seen, (Seen{{ACL_RT_DEVICE_TASK_ABORT_PRE, 5000}, {ACL_RT_DEVICE_TASK_ABORT_POST, 5000}}));
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_DEVICE_TASK_ABORT, aclrtSynchronizeStream, (stream_), "tasks of device 0",
                       "107022]");
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_DEVICE_TASK_ABORT, aclrtSynchronizeStream, (nullptr), "tasks of device 0");
  EXPECT_EQ(RunKernel(stream_, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceTaskAbort, (8, 0), "deviceId 8");
  EXPECT_EQ(aclrtDestroyNotify(gate), ACL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
