// Sharing of physical memory by handles.
#include <unistd.h>

#include "virtual_memory_fixture.h"

namespace softhccl::conformance {
namespace {

class ShareableHandleTest : public VirtualMemoryTest {
 protected:
  void SetUp() override {
    VirtualMemoryTest::SetUp();
    handle_ = Physical();
  }
  void TearDown() override {
    if (handle_ != nullptr) {
      EXPECT_EQ(aclrtFreePhysical(handle_), ACL_SUCCESS);
    }
    VirtualMemoryTest::TearDown();
  }
  // What is written through the one is read through the other.
  void ExpectSameMemory(aclrtDrvMemHandle one, aclrtDrvMemHandle other) {
    char* const first = Reserve(kUnit);
    char* const second = Reserve(kUnit);
    EXPECT_EQ(aclrtMapMem(first, kUnit, 0, one, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtMapMem(second, kUnit, 0, other, 0), ACL_SUCCESS);
    const int value = 42;
    int seen = 0;
    EXPECT_EQ(aclrtMemcpy(first + 64, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpy(&seen, 4, second + 64, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    EXPECT_EQ(seen, value);
    for (char* address : {first, second}) {
      EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
      EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
    }
  }
  aclrtDrvMemHandle handle_ = nullptr;
};

using aclrtMemExportToShareableHandleTest = ShareableHandleTest;

TEST_F(aclrtMemExportToShareableHandleTest, Imported_IsTheSameMemory) {
  uint64_t shared = 0;
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DEFAULT, &shared),
            ACL_SUCCESS);
  aclrtDrvMemHandle imported = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandle, (shared, 0, &imported),
               "is not among the 0 that may import", "aclrtMemSetPidToShareableHandle");
  int32_t pid = ::getpid();
  EXPECT_EQ(aclrtMemSetPidToShareableHandle(shared, &pid, 1), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemImportFromShareableHandle(shared, 1, &imported), ACL_SUCCESS);
  EXPECT_NE(imported, handle_);
  ExpectSameMemory(handle_, imported);
  EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
}

TEST_F(aclrtMemExportToShareableHandleTest, FreedByTheExporter_LivesOnInTheImporter) {
  uint64_t shared = 0;
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE,
                                            ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &shared),
            ACL_SUCCESS);
  aclrtDrvMemHandle imported = nullptr;
  ASSERT_EQ(aclrtMemImportFromShareableHandle(shared, 0, &imported), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle_), ACL_SUCCESS);
  handle_ = nullptr;
  ExpectSameMemory(imported, imported);
  aclrtDrvMemHandle late = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandle, (shared, 0, &late),
               "stands for memory that was freed");
  EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
}

TEST_F(aclrtMemExportToShareableHandleTest, BadArguments_AreRefusedInOrder) {
  uint64_t shared = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemExportToShareableHandle,
               (nullptr, ACL_MEM_HANDLE_TYPE_POSIX, 2, nullptr), "handle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemExportToShareableHandle,
               (handle_, ACL_MEM_HANDLE_TYPE_POSIX, 2, nullptr), "shareableHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandle,
               (handle_, ACL_MEM_HANDLE_TYPE_POSIX, 2, &shared), "handleType 2 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandle,
               (handle_, ACL_MEM_HANDLE_TYPE_NONE, 2, &shared), "flags 2 is not valid");
  EXPECT_EQ(aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, 1, &shared), ACL_SUCCESS);
  uint64_t again = 0;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandle,
               (handle_, ACL_MEM_HANDLE_TYPE_NONE, 1, &again), "was exported already");
  aclrtDrvMemHandle imported = nullptr;
  ASSERT_EQ(aclrtMemImportFromShareableHandle(shared, 0, &imported), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandle,
               (imported, ACL_MEM_HANDLE_TYPE_NONE, 1, &again), "was imported; export the handle of");
  EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
}

using aclrtMemImportFromShareableHandleTest = ShareableHandleTest;

TEST_F(aclrtMemImportFromShareableHandleTest, UnknownOrForeign_IsRefusedByName) {
  aclrtDrvMemHandle imported = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemImportFromShareableHandle, (1, 99, nullptr), "handle is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemImportFromShareableHandle, (1, 99, &imported), "99");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandle, (1, 0, &imported),
               "shareableHandle 0x1 is none of aclrtMemExportToShareableHandle");
  uint64_t shared = 0;
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, 1, &shared), ACL_SUCCESS);
  const uint64_t foreign = shared ^ (uint64_t{1} << 24);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemImportFromShareableHandle, (foreign, 0, &imported),
               "was exported by process", "memory of other processes cannot be imported");
  EXPECT_EQ(imported, nullptr);
}

TEST_F(aclrtMemImportFromShareableHandleTest, OwnAndImportedInOneRange_IsRefused) {
  uint64_t shared = 0;
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, 1, &shared), ACL_SUCCESS);
  aclrtDrvMemHandle imported = nullptr;
  ASSERT_EQ(aclrtMemImportFromShareableHandle(shared, 0, &imported), ACL_SUCCESS);
  char* const address = Reserve(2 * kUnit);
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle_, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address + kUnit, kUnit, 0, imported, 0),
               "holds own memory already; imported memory needs a range of its own");
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
}

using aclrtMemSetPidToShareableHandleTest = ShareableHandleTest;

TEST_F(aclrtMemSetPidToShareableHandleTest, BadArguments_AreRefusedInOrder) {
  int32_t pid = 1;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemSetPidToShareableHandle, (1, nullptr, 0), "pid is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetPidToShareableHandle, (1, &pid, 0), "pidNum 0 is out of range");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetPidToShareableHandle, (1, &pid, 1),
               "shareableHandle 0x1 is none");
}

using aclrtMemExportToShareableHandleV2Test = ShareableHandleTest;

TEST_F(aclrtMemExportToShareableHandleV2Test, BothTypes_CanBeImported) {
  for (const aclrtMemSharedHandleType type : {ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC}) {
    const aclrtDrvMemHandle handle = Physical();
    aclrtMemFabricHandle shared{};
    ASSERT_EQ(aclrtMemExportToShareableHandleV2(handle, ACL_RT_VMM_EXPORT_FLAG_DEFAULT, type, &shared), ACL_SUCCESS);
    aclrtDrvMemHandle imported = nullptr;
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandleV2, (&shared, type, 0, &imported),
                 "is not among the 0 that may import");
    int32_t pid = ::getpid();
    EXPECT_EQ(aclrtMemSetPidToShareableHandleV2(&shared, type, &pid, 1), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemImportFromShareableHandleV2(&shared, type, 0, &imported), ACL_SUCCESS);
    ExpectSameMemory(handle, imported);
    EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  }
}

TEST_F(aclrtMemExportToShareableHandleV2Test, BadArguments_AreRefusedInOrder) {
  aclrtMemFabricHandle shared{};
  const auto none = FromNumber<aclrtMemSharedHandleType>(3);
  constexpr auto kFabric = ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemExportToShareableHandleV2, (nullptr, 2, none, nullptr),
               "handle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemExportToShareableHandleV2, (handle_, 2, none, nullptr),
               "shareableHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandleV2, (handle_, 2, none, &shared),
               "shareType 3 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemExportToShareableHandleV2, (handle_, 2, kFabric, &shared),
               "flags 2 is not valid");
  aclrtDrvMemHandle imported = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemImportFromShareableHandleV2, (nullptr, none, 1, nullptr),
               "shareableHandle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandleV2, (&shared, none, 1, nullptr),
               "shareType 3 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandleV2, (&shared, kFabric, 1, nullptr),
               "shareableHandle holds none of aclrtMemExportToShareableHandleV2");
  ASSERT_EQ(aclrtMemExportToShareableHandleV2(handle_, 1, kFabric, &shared), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemImportFromShareableHandleV2, (&shared, kFabric, 1, nullptr),
               "handle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandleV2, (&shared, kFabric, 1, &imported),
               "flags 1 is reserved");
  int32_t pid = 1;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemSetPidToShareableHandleV2, (nullptr, kFabric, nullptr, 0),
               "shareableHandle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemSetPidToShareableHandleV2, (&shared, kFabric, nullptr, 0),
               "pid is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetPidToShareableHandleV2, (&shared, none, &pid, 1), "shareType 3");
}

}  // namespace
}  // namespace softhccl::conformance
