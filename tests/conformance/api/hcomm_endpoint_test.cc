// HcommEndpoint*, HcommMem*.
#include <cstring>

#include "comm/memories.h"
#include "fixture.h"
#include "hcomm/hcomm_res.h"

namespace softhccl::conformance {
namespace {

EndpointDesc Describe(uint32_t id) {
  EndpointDesc desc;
  EXPECT_EQ(EndpointDescInit(&desc, 1), 0);
  desc.protocol = COMM_PROTOCOL_UB_CTP;
  desc.commAddr.type = COMM_ADDR_TYPE_ID;
  desc.commAddr.id = id;
  desc.loc.locType = ENDPOINT_LOC_TYPE_DEVICE;
  return desc;
}

class EndpointTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    const EndpointDesc desc = Describe(7);
    ASSERT_EQ(HcommEndpointCreate(&desc, &endpoint_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(HcommEndpointDestroy(endpoint_), 0);
    EXPECT_EQ(comm::Memories().live(), 0u);
    DeviceTest::TearDown();
  }
  EndpointHandle endpoint_ = nullptr;
};

// --- Endpoints ---------------------------------------------------------------------------------------------------

using HcommEndpointCreateTest = EndpointTest;

TEST_F(HcommEndpointCreateTest, EveryAddressAndPlace_MakesAnEndpoint) {
  EndpointDesc desc = Describe(1);
  for (const auto type :
       {COMM_ADDR_TYPE_IP_V4, COMM_ADDR_TYPE_IP_V6, COMM_ADDR_TYPE_ID, COMM_ADDR_TYPE_EID, COMM_ADDR_TYPE_RESERVED}) {
    for (const auto place : {ENDPOINT_LOC_TYPE_DEVICE, ENDPOINT_LOC_TYPE_HOST}) {
      desc.commAddr.type = type;
      desc.loc.locType = place;
      EndpointHandle made = nullptr;
      EXPECT_EQ(HcommEndpointCreate(&desc, &made), 0);
      EXPECT_NE(made, endpoint_);
      EXPECT_EQ(HcommEndpointDestroy(made), 0);
    }
  }
}

TEST_F(HcommEndpointCreateTest, BadArguments_AreRefusedInOrder) {
  EndpointDesc desc = Describe(1);
  EndpointHandle made = nullptr;
  std::thread([&] {
    EXPECT_FAILS(HCCL_E_RUNTIME, HcommEndpointCreate, (nullptr, nullptr), "no device is set");
  }).join();
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointCreate, (nullptr, &made), "endpoint is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointCreate, (&desc, nullptr), "endpointHandle is null");
  desc.protocol = COMM_PROTOCOL_RESERVED;
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointCreate, (&desc, &made), "endpoint.protocol -1 is not known");
  desc = Describe(1);
  desc.commAddr.type = FromNumber<CommAddrType>(4);
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointCreate, (&desc, &made), "endpoint.commAddr.type 4 is not known");
  desc = Describe(1);
  desc.loc.locType = FromNumber<EndpointLocType>(2);
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointCreate, (&desc, &made), "endpoint.loc.locType 2 is not known");
  EXPECT_EQ(EndpointDescInit(&desc, 1), 0);
  desc.protocol = COMM_PROTOCOL_ROCE;
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointCreate, (&desc, &made), "endpoint.commAddr.type -1 is not known");
  EXPECT_EQ(made, nullptr);
}

using HcommEndpointDestroyTest = EndpointTest;

TEST_F(HcommEndpointDestroyTest, NullStaleAndForeign_AreNamed) {
  const EndpointDesc desc = Describe(1);
  EndpointHandle other = nullptr;
  ASSERT_EQ(HcommEndpointCreate(&desc, &other), 0);
  EXPECT_EQ(HcommEndpointDestroy(other), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointDestroy, (other), "is an endpoint that was destroyed");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointDestroy, (nullptr), "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointDestroy, (stream_), "is a stream, expected an endpoint");
}

TEST_F(HcommEndpointDestroyTest, WithMemory_TakesItAlong) {
  const EndpointDesc desc = Describe(1);
  EndpointHandle other = nullptr;
  HcommMemHandle memory = nullptr;
  int host = 0;
  const CommMem mem{COMM_MEM_TYPE_HOST, &host, sizeof host};
  ASSERT_EQ(HcommEndpointCreate(&desc, &other), 0);
  ASSERT_EQ(HcommMemReg(other, "m", &mem, &memory), 0);
  EXPECT_EQ(HcommEndpointDestroy(other), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemUnreg, (endpoint_, memory), "is a registered memory that was destroyed");
}

using HcommEndpointGetDescNumTest = DeviceTest;

TEST_F(HcommEndpointGetDescNumTest, EveryDevice_HasOne) {
  uint32_t count = 0;
  EXPECT_EQ(HcommEndpointGetDescNum(3, &count), 0);
  EXPECT_EQ(count, 1u);
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointGetDescNum, (8, &count), "deviceId 8 is out of range");
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointGetDescNum, (-1, &count), "deviceId -1 is out of range");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointGetDescNum, (0, nullptr), "descNum is null");
}

using HcommEndpointGetDescsTest = DeviceTest;

TEST_F(HcommEndpointGetDescsTest, Description_MakesAnEndpointAndDiffersBetweenDevices) {
  EndpointDesc descs[2];
  for (const int32_t device : {0, 1}) {
    uint32_t count = 5;
    EXPECT_EQ(HcommEndpointGetDescs(device, &count, &descs[device]), 0);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(descs[device].loc.locType, ENDPOINT_LOC_TYPE_DEVICE);
    EXPECT_EQ(descs[device].loc.device.devPhyId, static_cast<uint32_t>(device));
  }
  EXPECT_NE(std::memcmp(&descs[0].commAddr, &descs[1].commAddr, sizeof(CommAddr)), 0);
  EndpointHandle made = nullptr;
  EXPECT_EQ(HcommEndpointCreate(&descs[0], &made), 0);
  EXPECT_EQ(HcommEndpointDestroy(made), 0);
  uint32_t count = 0;
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointGetDescs, (0, &count, descs), "descNum 0");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointGetDescs, (0, nullptr, descs), "descNum is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointGetDescs, (0, &count, nullptr), "endpointDescs is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointGetDescs, (99, &count, descs), "deviceId 99");
}

using HcommEndpointGetListenPortTest = EndpointTest;

TEST_F(HcommEndpointGetListenPortTest, Endpoint_HasAPort) {
  uint32_t port = 0;
  EXPECT_EQ(HcommEndpointGetListenPort(endpoint_, &port), 0);
  EXPECT_EQ(port, 60000u);
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointGetListenPort, (endpoint_, nullptr), "port is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointGetListenPort, (nullptr, &port), "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointGetListenPort, (&port, &port), "is not an endpoint of this process");
}

using HcommEndpointCheckFeatureTest = DeviceTest;

TEST_F(HcommEndpointCheckFeatureTest, OnlyFeature_IsNotThere) {
  const EndpointDesc desc = Describe(0);
  bool value = true;
  EXPECT_EQ(HcommEndpointCheckFeature(HCOMM_ENDPOINT_FEATURE_NDA, &desc, &value), 0);
  EXPECT_FALSE(value);
  EXPECT_FAILS(HCCL_E_PARA, HcommEndpointCheckFeature, (HCOMM_ENDPOINT_FEATURE_INVALID, &desc, &value),
               "featureType -1 is not known");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointCheckFeature, (HCOMM_ENDPOINT_FEATURE_NDA, nullptr, &value),
               "endpointDesc is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommEndpointCheckFeature, (HCOMM_ENDPOINT_FEATURE_NDA, &desc, nullptr), "value is null");
}

// --- Memory ------------------------------------------------------------------------------------------------------

using HcommMemRegTest = EndpointTest;

TEST_F(HcommMemRegTest, SameRangeAndTag_SameHandle) {
  const DeviceInts ints({1, 2});
  HcommMemHandle first = nullptr;
  HcommMemHandle again = nullptr;
  const CommMem mem{COMM_MEM_TYPE_DEVICE, ints.data(), ints.bytes()};
  EXPECT_EQ(HcommMemReg(endpoint_, "m", &mem, &first), 0);
  EXPECT_EQ(HcommMemReg(endpoint_, "m", &mem, &again), 0);
  EXPECT_EQ(first, again);
  const CommMem part{COMM_MEM_TYPE_DEVICE, ints.data(), 4};
  EXPECT_FAILS(HCCL_E_PARA, HcommMemReg, (endpoint_, "m", &part, &again), "memTag \"m\" is taken");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemReg, (nullptr, "m", &mem, &again), "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemReg, (endpoint_, nullptr, &mem, &again), "memTag is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommMemReg, (endpoint_, "", &mem, &again), "has no characters");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemReg, (endpoint_, "m", nullptr, &again), "mem is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemReg, (endpoint_, "m", &mem, nullptr), "memHandle is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommMemReg, (stream_, "m", &mem, &again), "is a stream, expected an endpoint");
}

using HcommMemUnregTest = EndpointTest;

TEST_F(HcommMemUnregTest, Unregistered_IsGoneAndItsTagFree) {
  int host[2] = {};
  HcommMemHandle memory = nullptr;
  CommMem mem{COMM_MEM_TYPE_HOST, host, 4};
  ASSERT_EQ(HcommMemReg(endpoint_, "m", &mem, &memory), 0);
  EXPECT_EQ(HcommMemUnreg(endpoint_, memory), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemUnreg, (endpoint_, memory), "that was destroyed");
  mem.size = 8;
  EXPECT_EQ(HcommMemReg(endpoint_, "m", &mem, &memory), 0);
  const EndpointDesc desc = Describe(1);
  EndpointHandle other = nullptr;
  ASSERT_EQ(HcommEndpointCreate(&desc, &other), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemUnreg, (other, memory), "was not registered with this endpoint");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemUnreg, (endpoint_, nullptr), "memHandle is null");
  EXPECT_EQ(HcommEndpointDestroy(other), 0);
}

class HcommMemExportTest : public EndpointTest {
 protected:
  void SetUp() override {
    EndpointTest::SetUp();
    const CommMem mem{COMM_MEM_TYPE_HOST, host_, sizeof host_};
    ASSERT_EQ(HcommMemReg(endpoint_, "m", &mem, &memory_), 0);
    void* bytes = nullptr;
    uint32_t length = 0;
    ASSERT_EQ(HcommMemExport(endpoint_, memory_, &bytes, &length), 0);
    description_.assign(static_cast<char*>(bytes), length);
    const EndpointDesc desc = Describe(8);
    ASSERT_EQ(HcommEndpointCreate(&desc, &importer_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(HcommEndpointDestroy(importer_), 0);
    EndpointTest::TearDown();
  }
  uint32_t length() const { return static_cast<uint32_t>(description_.size()); }
  char host_[24] = {};
  HcommMemHandle memory_ = nullptr;
  EndpointHandle importer_ = nullptr;
  std::string description_;
};

TEST_F(HcommMemExportTest, AskedTwice_SameBytes) {
  void* bytes = nullptr;
  uint32_t size = 0;
  EXPECT_EQ(HcommMemExport(endpoint_, memory_, &bytes, &size), 0);
  EXPECT_EQ(std::string(static_cast<char*>(bytes), size), description_);
  EXPECT_FAILS(HCCL_E_PTR, HcommMemExport, (nullptr, memory_, &bytes, &size), "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemExport, (endpoint_, nullptr, &bytes, &size), "memHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemExport, (endpoint_, memory_, nullptr, &size), "memDesc is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemExport, (endpoint_, memory_, &bytes, nullptr), "memDescLen is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommMemExport, (importer_, memory_, &bytes, &size),
               "was not registered with this endpoint");
}

using HcommMemImportTest = HcommMemExportTest;

TEST_F(HcommMemImportTest, Description_GivesTheMemory) {
  CommMem mem{};
  EXPECT_EQ(HcommMemImport(importer_, description_.data(), length(), &mem), 0);
  EXPECT_EQ(mem.type, COMM_MEM_TYPE_HOST);
  EXPECT_EQ(mem.addr, host_);
  EXPECT_EQ(mem.size, sizeof host_);
}

TEST_F(HcommMemImportTest, DamagedForeignAndLate_AreRefused) {
  CommMem mem{};
  for (uint32_t size = 0; size < length(); ++size) {
    EXPECT_FAILS(HCCL_E_PARA, HcommMemImport, (importer_, description_.data(), size, &mem),
                 "memDesc: " + std::to_string(size) + " bytes that are no description");
  }
  std::string changed = description_;
  changed[0] = static_cast<char>(changed[0] + 1);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemImport, (importer_, changed.data(), length(), &mem), "no description of memory");
  changed = description_;
  changed[8] = static_cast<char>(changed[8] + 1);
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcommMemImport, (importer_, changed.data(), length(), &mem), "another process");
  changed = description_;
  changed[24] = static_cast<char>(changed[24] + 1);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemImport, (importer_, changed.data(), length(), &mem),
               "memDesc was changed: 25 bytes, but 24 were registered");
  changed = description_;
  std::memset(&changed[32], 0xFF, 16);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemImport, (importer_, changed.data(), length(), &mem), "no description of memory");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemImport, (nullptr, description_.data(), length(), &mem), "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemImport, (importer_, nullptr, length(), &mem), "memDesc is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemImport, (importer_, description_.data(), length(), nullptr), "outMem is null");
  EXPECT_EQ(HcommMemUnreg(endpoint_, memory_), 0);
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcommMemImport, (importer_, description_.data(), length(), &mem),
               "the registration of the memory was ended");
  EXPECT_EQ(mem.addr, nullptr);
}

using HcommMemUnimportTest = HcommMemExportTest;

TEST_F(HcommMemUnimportTest, AsOftenAsImported_ThenNotFound) {
  CommMem mem{};
  EXPECT_EQ(HcommMemImport(importer_, description_.data(), length(), &mem), 0);
  EXPECT_EQ(HcommMemImport(importer_, description_.data(), length(), &mem), 0);
  EXPECT_EQ(HcommMemUnreg(endpoint_, memory_), 0) << "an import holds nobody up";
  EXPECT_EQ(HcommMemUnimport(importer_, description_.data(), length()), 0);
  EXPECT_EQ(HcommMemUnimport(importer_, description_.data(), length()), 0);
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcommMemUnimport, (importer_, description_.data(), length()),
               "has not imported the memory");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemUnimport, (nullptr, description_.data(), length()), "endpointHandle is null");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemUnimport, (importer_, nullptr, length()), "memDesc is null");
}

using HcommMemAllocTest = DeviceTest;

TEST_F(HcommMemAllocTest, Memory_IsOfTheCurrentDevice) {
  void* memory = nullptr;
  ASSERT_EQ(HcommMemAlloc(&memory, 100), 0);
  EXPECT_EQ(aclrtMemcpy(memory, 100, std::string(100, 'x').data(), 100, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(HcommMemFree(memory), 0);
  EXPECT_FAILS(HCCL_E_PTR, HcommMemAlloc, (nullptr, 100), "ptr is null");
  EXPECT_FAILS(HCCL_E_PARA, HcommMemAlloc, (&memory, 0), "is 0, must be at least 1");
  EXPECT_FAILS(HCCL_E_OOM, HcommMemAlloc, (&memory, SIZE_MAX), "do not fit");
  std::thread([&] { EXPECT_FAILS(HCCL_E_RUNTIME, HcommMemAlloc, (&memory, 1), "no device is set"); }).join();
}

using HcommMemFreeTest = DeviceTest;

TEST_F(HcommMemFreeTest, OtherMemory_IsRefused) {
  void* memory = nullptr;
  ASSERT_EQ(HcommMemAlloc(&memory, 100), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemFree, (static_cast<char*>(memory) + 1), "HcommMemAlloc");
  EXPECT_EQ(HcommMemFree(memory), 0);
  EXPECT_FAILS(HCCL_E_PARA, HcommMemFree, (memory), "freed");
  EXPECT_FAILS(HCCL_E_PTR, HcommMemFree, (nullptr), "ptr is null");
  const DeviceInts ints({1});
  EXPECT_FAILS(HCCL_E_PARA, HcommMemFree, (ints.data()), "is an aclrtMalloc allocation, not memory of HcommMemAlloc");
}

}  // namespace
}  // namespace softhccl::conformance
