// Sharing of memory, notifies and events by keys and handles, within one process.
#include <unistd.h>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

constexpr size_t kKey = 65;
// Of a process that is not this one.
std::string Foreign(const std::string& key) {
  const std::string own = "-" + std::to_string(::getpid()) + "-";
  std::string foreign = key;
  return foreign.replace(foreign.find(own), own.size(), "-1-");
}

using aclrtDeviceGetBareTgidTest = ApiTest;

TEST_F(aclrtDeviceGetBareTgidTest, Answers_TheProcess) {
  int32_t pid = 0;
  EXPECT_EQ(aclrtDeviceGetBareTgid(&pid), ACL_SUCCESS);
  EXPECT_EQ(pid, ::getpid());
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetBareTgid, (nullptr), "pid is null");
}

// --- Memory

class IpcMemTest : public DeviceTest {
 protected:
  std::string Export(const DeviceInts& ints, uint64_t flags = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
    char key[kKey] = {};
    EXPECT_EQ(aclrtIpcMemGetExportKey(ints.data(), ints.bytes(), key, sizeof key, flags), ACL_SUCCESS);
    return key;
  }
  int* Import(const std::string& key) {
    void* imported = nullptr;
    EXPECT_EQ(aclrtIpcMemImportByKey(&imported, key.c_str(), ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS),
              ACL_SUCCESS);
    return static_cast<int*>(imported);
  }
};

using aclrtIpcMemGetExportKeyTest = IpcMemTest;

TEST_F(aclrtIpcMemGetExportKeyTest, Imported_IsTheSameMemoryForCopiesAndOps) {
  const DeviceInts ints({1, 2, 3});
  const std::string key = Export(ints);
  int* const imported = Import(key);
  EXPECT_NE(imported, ints.data());
  EXPECT_EQ(aclrtMemcpyAsync(imported, 4, imported + 2, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(ints.Read(), (std::vector<int>{3, 2, 3}));
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (imported, 16, 0, 13),
               "do not fit into the 12 bytes of memory imported with aclrtIpcMemImportByKey");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (imported), "end it with aclrtIpcMemClose");
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(imported, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (imported, 4, 0, 4), "devPtr");
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
}

TEST_F(aclrtIpcMemGetExportKeyTest, OtherDevice_MayImport) {
  const DeviceInts ints({1});
  const std::string key = Export(ints);
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    int* const imported = Import(key);
    const int value = 8;
    EXPECT_EQ(aclrtMemcpy(imported, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
  EXPECT_EQ(ints.Read(), (std::vector<int>{8}));
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
}

TEST_F(aclrtIpcMemGetExportKeyTest, FreedBeforeItIsClosed_IsRefused) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  char key[kKey] = {};
  EXPECT_EQ(aclrtIpcMemGetExportKey(memory, 100, key, sizeof key, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (memory), "close them with aclrtIpcMemClose first");
  EXPECT_EQ(aclrtIpcMemClose(key), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(aclrtIpcMemGetExportKeyTest, BadArguments_AreRefusedInOrder) {
  const DeviceInts ints({1, 2});
  char key[kKey] = {};
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemGetExportKey, (nullptr, 0, nullptr, 1, 2), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemGetExportKey, (ints.data(), 0, nullptr, 1, 2), "key is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey, (ints.data(), 0, key, 64, 2),
               "len 64 is too small; a key needs 65");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey, (ints.data(), 0, key, kKey, 2),
               "flags 2 is not valid; use 0 or 1 (no list of processes)");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey, (ints.data() + 1, 8, key, kKey, 0),
               "size: 8 bytes at offset 4 are not in the 8 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey, (&on_the_stack, 4, key, kKey, 0),
               "does not lie in a live allocation of this library, while exporting devPtr");
  EXPECT_STREQ(key, "");
}

using aclrtIpcMemSetImportPidTest = IpcMemTest;

TEST_F(aclrtIpcMemSetImportPidTest, Listed_MayImport) {
  const DeviceInts ints({1});
  const std::string key = Export(ints, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT);
  void* imported = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey, (&imported, key.c_str(), 0),
               "is not among the 0 that may import this key; name it with aclrtIpcMemSetImportPid");
  int32_t pid = ::getpid();
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemSetImportPid, (nullptr, nullptr, 0), "key is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemSetImportPid, (key.c_str(), nullptr, 0), "pid is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemSetImportPid, (key.c_str(), &pid, 0), "num 0 is out of range");
  EXPECT_EQ(aclrtIpcMemSetImportPid(key.c_str(), &pid, 1), ACL_SUCCESS);
  EXPECT_NE(Import(key), nullptr);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
}

using aclrtIpcMemImportByKeyTest = IpcMemTest;

TEST_F(aclrtIpcMemImportByKeyTest, UnknownClosedOrForeign_IsRefusedByName) {
  const DeviceInts ints({1});
  void* imported = nullptr;
  const std::string key = Export(ints);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemImportByKey, (nullptr, nullptr, 2), "devPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemImportByKey, (&imported, nullptr, 2), "key is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey, (&imported, std::string(200, 'x').c_str(), 2),
               "key has 65 characters or more");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey, (&imported, key.c_str(), 2), "flags 2 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey, (&imported, "nonsense", 0),
               "key \"nonsense\" is none of this library");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportByKey, (&imported, Foreign(key).c_str(), 0),
               "was exported by process 1; what other processes export cannot be imported");
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey, (&imported, key.c_str(), 0),
               "is not open: its export was closed");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose, (key.c_str()), "is not open: its export was closed");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcMemClose, (nullptr), "key is null");
  EXPECT_EQ(imported, nullptr);
}

// --- Notifies

class IpcNotifyTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  }
  void TearDown() override {
    if (notify_ != nullptr) {
      EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  std::string Export(uint64_t flags = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
    char key[kKey] = {};
    EXPECT_EQ(aclrtNotifyGetExportKey(notify_, key, sizeof key, flags), ACL_SUCCESS);
    return key;
  }
  aclrtNotify Import(const std::string& key) {
    aclrtNotify imported = nullptr;
    EXPECT_EQ(aclrtNotifyImportByKey(&imported, key.c_str(), ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS),
              ACL_SUCCESS);
    return imported;
  }
  aclrtNotify notify_ = nullptr;
};

using aclrtNotifyGetExportKeyTest = IpcNotifyTest;

TEST_F(aclrtNotifyGetExportKeyTest, RecordedThroughAnImport_ReleasesTheMaker) {
  const aclrtNotify imported = Import(Export());
  EXPECT_NE(imported, notify_);
  uint32_t id = 0;
  uint32_t imported_id = 1;
  EXPECT_EQ(aclrtGetNotifyId(notify_, &id), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetNotifyId(imported, &imported_id), ACL_SUCCESS);
  EXPECT_EQ(id, imported_id);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream_, 0), ACL_SUCCESS);
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordNotify(imported, nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtWaitAndResetNotify, (imported, nullptr, 0),
                 "was imported from device 0; only streams of that device may wait for it");
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }).join();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(imported, stream_, 0), ACL_SUCCESS) << "its device is this one";
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(imported), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify, (imported, stream_),
               "is an imported notify that was destroyed");
}

TEST_F(aclrtNotifyGetExportKeyTest, DestroyedByItsMaker_LivesUntilTheLastImportGoes) {
  const std::string key = Export();
  const aclrtNotify first = Import(key);
  const aclrtNotify second = Import(key);
  EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify, (notify_, stream_),
               "was destroyed; it lives on only for those who have imported it");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyNotify, (notify_), "was destroyed");
  notify_ = nullptr;
  EXPECT_EQ(aclrtDestroyNotify(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(second, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(second, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  aclrtNotify late = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyImportByKey, (&late, key.c_str(), 0),
               "is not open: its notify was destroyed");
  EXPECT_EQ(aclrtDestroyNotify(second), ACL_SUCCESS);
}

TEST_F(aclrtNotifyGetExportKeyTest, ExportedTwice_IsTheSameKey) { EXPECT_EQ(Export(), Export()); }

TEST_F(aclrtNotifyGetExportKeyTest, BadArguments_AreRefusedInOrder) {
  char key[kKey] = {};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifyGetExportKey, (nullptr, nullptr, 1, 1), "notify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifyGetExportKey, (notify_, nullptr, 1, 1), "key is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyGetExportKey, (notify_, key, 64, 1), "len 64 is too small");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyGetExportKey, (notify_, key, kKey, 1),
               "flags 1 is not valid; use 0 or 2");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtNotifyGetExportKey, (stream_, key, kKey, 0),
               "is a stream, expected a notify");
  const aclrtNotify imported = Import(Export());
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyGetExportKey, (imported, key, kKey, 0),
               "was imported; export the one of aclrtCreateNotify");
  EXPECT_EQ(aclrtDestroyNotify(imported), ACL_SUCCESS);
}

using aclrtNotifyImportByKeyTest = IpcNotifyTest;

TEST_F(aclrtNotifyImportByKeyTest, UnknownOrForeign_IsRefusedByName) {
  aclrtNotify imported = nullptr;
  const std::string key = Export();
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifyImportByKey, (nullptr, nullptr, 1), "notify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifyImportByKey, (&imported, nullptr, 1), "key is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyImportByKey, (&imported, key.c_str(), 1), "flags 1 is not valid");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyImportByKey, (&imported, "nonsense", 0),
               "key \"nonsense\" is none of this library");
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtNotifyImportByKey, (&imported, Foreign(key).c_str(), 0),
               "was exported by process 1");
}

using aclrtNotifySetImportPidTest = IpcNotifyTest;

TEST_F(aclrtNotifySetImportPidTest, Listed_MayImport) {
  int32_t pid = ::getpid();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifySetImportPid, (notify_, &pid, 1),
               "was not exported; call aclrtNotifyGetExportKey first");
  const std::string key = Export(ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT);
  aclrtNotify imported = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyImportByKey, (&imported, key.c_str(), 0),
               "is not among the 0 that may import this key; name it with aclrtNotifySetImportPid");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid, (nullptr, nullptr, 0), "notify is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid, (notify_, nullptr, 0), "pid is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtNotifySetImportPid, (notify_, &pid, 0), "num 0 is out of range");
  EXPECT_EQ(aclrtNotifySetImportPid(notify_, &pid, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(Import(key)), ACL_SUCCESS);
}

// --- Events

class IpcEventTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_IPC), ACL_SUCCESS);
  }
  void TearDown() override {
    if (event_ != nullptr) {
      EXPECT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
    }
    DeviceTest::TearDown();
  }
  aclrtEvent event_ = nullptr;
};

using aclrtIpcGetEventHandleTest = IpcEventTest;

TEST_F(aclrtIpcGetEventHandleTest, Opened_IsTheSameEvent) {
  aclrtIpcEventHandle handle{};
  ASSERT_EQ(aclrtIpcGetEventHandle(event_, &handle), ACL_SUCCESS);
  aclrtEvent opened = nullptr;
  ASSERT_EQ(aclrtIpcOpenEventHandle(handle, &opened), ACL_SUCCESS);
  EXPECT_NE(opened, event_);
  aclrtNotify hold = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&hold, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(hold, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  EXPECT_EQ(aclrtStreamWaitEvent(other, opened), ACL_SUCCESS);
  const Launch behind(other, [&](const Hcomm&) {
    ran.store(true);
    return 0u;
  });
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventStatus(opened, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_FALSE(ran.load());
  EXPECT_EQ(aclrtRecordNotify(hold, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
  EXPECT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
  event_ = nullptr;
  EXPECT_EQ(aclrtQueryEventStatus(opened, &status), ACL_SUCCESS) << "each handle is destroyed by itself";
  aclrtEvent late = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtIpcOpenEventHandle, (handle, &late), "is an event that was destroyed");
  EXPECT_EQ(aclrtDestroyEvent(opened), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(hold), ACL_SUCCESS);
}

TEST_F(aclrtIpcGetEventHandleTest, BadArguments_AreRefusedInOrder) {
  aclrtIpcEventHandle handle{};
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcGetEventHandle, (nullptr, nullptr), "event is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcGetEventHandle, (event_, nullptr), "handle is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtIpcGetEventHandle, (stream_, &handle),
               "is a stream, expected an event");
  aclrtEvent plain = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&plain, ACL_EVENT_SYNC), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcGetEventHandle, (plain, &handle),
               "was made with flag 0x1; use aclrtCreateEventExWithFlag with ACL_EVENT_IPC");
  EXPECT_EQ(aclrtDestroyEvent(plain), ACL_SUCCESS);
}

using aclrtIpcOpenEventHandleTest = IpcEventTest;

TEST_F(aclrtIpcOpenEventHandleTest, NoneOrForeign_IsRefusedByName) {
  aclrtIpcEventHandle handle{};
  aclrtEvent opened = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtIpcOpenEventHandle, (handle, nullptr), "event is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcOpenEventHandle, (handle, &opened),
               "handle holds none of aclrtIpcGetEventHandle");
  ASSERT_EQ(aclrtIpcGetEventHandle(event_, &handle), ACL_SUCCESS);
  const int64_t foreign = 1;
  std::memcpy(handle.reserved + 16, &foreign, sizeof foreign);
  EXPECT_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcOpenEventHandle, (handle, &opened),
               "handle was made by process 1; events of other processes cannot be opened");
  EXPECT_EQ(opened, nullptr);
}

}  // namespace
}  // namespace softhccl::conformance
