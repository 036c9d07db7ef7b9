// Physical memory, reserved addresses and mappings.
#include <numeric>

#include "virtual_memory_fixture.h"

namespace softhccl::conformance {
namespace {

using aclrtMemGetAllocationGranularityTest = VirtualMemoryTest;

TEST_F(aclrtMemGetAllocationGranularityTest, Answers_AreThoseOfHugePages) {
  aclrtPhysicalMemProp prop = OnDevice();
  size_t granularity = 0;
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), ACL_SUCCESS);
  EXPECT_EQ(granularity, kUnit);
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity),
            ACL_SUCCESS);
  EXPECT_EQ(granularity, kUnit);
  prop.memAttr = ACL_HBM_MEM_HUGE1G;
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), ACL_SUCCESS);
  EXPECT_EQ(granularity, size_t{1} << 30);
}

TEST_F(aclrtMemGetAllocationGranularityTest, BadArguments_AreRefusedInOrder) {
  aclrtPhysicalMemProp prop = OnDevice();
  size_t granularity = 7;
  constexpr auto kMinimum = ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAllocationGranularity, (nullptr, kMinimum, nullptr), "prop is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAllocationGranularity, (&prop, kMinimum, nullptr),
               "granularity is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAllocationGranularity,
               (&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity), "option 65535 is not valid");
  prop.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAllocationGranularity, (&prop, kMinimum, &granularity),
               "prop->location.type 3 is not valid; use 0 (host) or 1 (device)");
  EXPECT_EQ(granularity, 7u);
}

using aclrtMallocPhysicalTest = VirtualMemoryTest;

TEST_F(aclrtMallocPhysicalTest, BadArguments_AreRefusedInOrder) {
  aclrtPhysicalMemProp prop = OnDevice();
  aclrtDrvMemHandle handle = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical, (nullptr, 0, nullptr, 1), "handle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical, (&handle, 0, nullptr, 1), "prop is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, 0, &prop, 1),
               "flags 1 is reserved and must be 0");
  std::thread([&] {
    EXPECT_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocPhysical, (&handle, kUnit, &prop, 0), "no device is set");
  }).join();
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, kUnit + 4096, &prop, 0),
               "size 2101248 is not a positive multiple of 2097152");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, 0, &prop, 0),
               "size 0 is not a positive multiple");
  prop.location.id = 99;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, kUnit, &prop, 0),
               "prop->location.id 99 is no device");
  prop.memAttr = FromNumber<aclrtMemAttr>(18);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, kUnit, &prop, 0),
               "prop->memAttr 18 is not valid; use 0 to 17");
  prop.allocationType = FromNumber<aclrtMemAllocationType>(1);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, kUnit, &prop, 0),
               "prop->allocationType 1 is not valid");
  prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical, (&handle, kUnit, &prop, 0),
               "prop->handleType 2 is not valid");
  EXPECT_EQ(handle, nullptr);
}

using aclrtFreePhysicalTest = VirtualMemoryTest;

TEST_F(aclrtFreePhysicalTest, NullStaleOrWrongKind_IsRefusedByName) {
  const aclrtDrvMemHandle handle = Physical();
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFreePhysical, (nullptr), "handle is null");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical, (stream_), "is a stream, expected a physical memory");
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical, (handle), "is a physical memory that was destroyed");
}

TEST_F(aclrtFreePhysicalTest, WhileMapped_MemoryStaysUntilItIsUnmapped) {
  const aclrtDrvMemHandle handle = Physical();
  char* const address = Reserve(kUnit);
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreePhysical, (handle),
               "was freed already; its memory stays until it is unmapped");
  EXPECT_EQ(aclrtMemset(address, kUnit, 1, kUnit), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical, (handle), "that was destroyed");
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

using aclrtMemGetAllocationPropertiesFromHandleTest = VirtualMemoryTest;

TEST_F(aclrtMemGetAllocationPropertiesFromHandleTest, Properties_AreThoseOfTheAllocation) {
  const aclrtDrvMemHandle handle = Physical(kUnit, 1);
  aclrtPhysicalMemProp prop{};
  EXPECT_EQ(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop), ACL_SUCCESS);
  EXPECT_EQ(prop.memAttr, ACL_HBM_MEM_HUGE);
  EXPECT_EQ(prop.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(prop.location.id, 1u);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAllocationPropertiesFromHandle, (nullptr, &prop), "handle is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAllocationPropertiesFromHandle, (handle, nullptr), "prop is null");
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

using aclrtReserveMemAddressTest = VirtualMemoryTest;

TEST_F(aclrtReserveMemAddressTest, NothingMapped_NoCallTakesTheAddresses) {
  char* const address = Reserve(3 * kUnit);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % kUnit, 0u);
  const DeviceInts ints({1});
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy, (address + 8, 4, ints.data(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE),
               "dst", "lies in reserved virtual memory where nothing is mapped; map memory there with aclrtMapMem");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync, (address, 4, 0, 4, stream_), "devPtr",
               "where nothing is mapped");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (address), "reserved virtual memory");
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

TEST_F(aclrtReserveMemAddressTest, BadArguments_AreRefusedInOrder) {
  void* address = nullptr;
  const auto unaligned = reinterpret_cast<void*>(kUnit);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress, (nullptr, 0, 1, unaligned, 2), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress, (&address, 0, 1, unaligned, 2),
               "alignment 1 is reserved and must be 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress, (&address, 0, 0, unaligned, 2),
               "expectPtr 0x200000 is not aligned to 1 GiB");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress, (&address, 0, 0, nullptr, 2),
               "flags 2 is not valid; use 0 (normal pages) or 1 (huge pages)");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress, (&address, 0, 0, nullptr, 0), "size 0");
  EXPECT_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtReserveMemAddress, (&address, SIZE_MAX / 2, 0, nullptr, 0),
               "are more than an address space");
  EXPECT_EQ(address, nullptr);
}

TEST_F(aclrtReserveMemAddressTest, WantedAddress_IsGivenOnlyWhenItIsFree) {
  // What was reserved around a multiple of 1 GiB is free once it is released.
  constexpr uintptr_t kGiB = uintptr_t{1} << 30;
  char* const found = Reserve(2 * kGiB);
  ASSERT_EQ(aclrtReleaseMemAddress(found), ACL_SUCCESS);
  const auto wanted = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(found) + kGiB - 1) / kGiB * kGiB);
  void* address = nullptr;
  ASSERT_EQ(aclrtReserveMemAddress(&address, kUnit, 0, wanted, 0), ACL_SUCCESS);
  EXPECT_EQ(address, wanted);
  void* again = nullptr;
  EXPECT_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtReserveMemAddress, (&again, kUnit, 0, wanted, 0), "are not free");
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

using aclrtReleaseMemAddressTest = VirtualMemoryTest;

TEST_F(aclrtReleaseMemAddressTest, UnknownInsideOrStillMapped_IsRefused) {
  char* const address = Reserve(2 * kUnit);
  const aclrtDrvMemHandle handle = Physical();
  ASSERT_EQ(aclrtMapMem(address + kUnit, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtReleaseMemAddress, (nullptr), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress, (address + kUnit), "no reserved range begins at");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress, (address), "1 parts of the reserved range",
               "are still mapped; unmap them first");
  EXPECT_EQ(aclrtUnmapMem(address + kUnit), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress, (address), "no reserved range begins at");
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

using aclrtMapMemTest = VirtualMemoryTest;

TEST_F(aclrtMapMemTest, SideBySide_AreOneRangeForCopiesAndOps) {
  char* const address = Reserve(4 * kUnit);
  const aclrtDrvMemHandle first = Physical();
  const aclrtDrvMemHandle second = Physical(2 * kUnit);
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, first, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(address + kUnit, 2 * kUnit, 0, second, 0), ACL_SUCCESS);
  const size_t count = 3 * kUnit / sizeof(int);
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(aclrtMemcpy(address, 3 * kUnit, values.data(), 3 * kUnit, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(
      aclrtReduceAsync(address, address, 3 * kUnit, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream_, nullptr),
      ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  std::vector<int> back(count);
  EXPECT_EQ(aclrtMemcpy(back.data(), 3 * kUnit, address, 3 * kUnit, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  for (int& value : values) value *= 2;
  EXPECT_TRUE(back == values);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (address, 4 * kUnit, 0, 3 * kUnit + 1), "devPtr",
               "leave the mapped virtual memory after 6291456 bytes");
  EXPECT_EQ(aclrtUnmapMem(address + kUnit), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (address, 4 * kUnit, 0, kUnit + 1), "devPtr",
               "do not fit into the 2097152 bytes of physical memory mapped with aclrtMapMem");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset, (address + kUnit, 4, 0, 4), "where nothing is mapped");
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

TEST_F(aclrtMapMemTest, MappedTwice_BothAddressesShowTheSameMemory) {
  char* const address = Reserve(kUnit);
  char* const other = Reserve(kUnit);
  const aclrtDrvMemHandle handle = Physical();
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(other, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(address, kUnit, 0x5A, kUnit), ACL_SUCCESS);
  char seen = 0;
  EXPECT_EQ(aclrtMemcpy(&seen, 1, other + kUnit - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(seen, 0x5A);
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(&seen, 1, other, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(seen, 0x5A);
  EXPECT_EQ(aclrtUnmapMem(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(other), ACL_SUCCESS);
}

TEST_F(aclrtMapMemTest, FreshMemory_IsZeroAndWhatAnAddressIsCanBeAsked) {
  char* const address = Reserve(kUnit);
  const aclrtDrvMemHandle handle = Physical(kUnit, 0);
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle, 0), ACL_SUCCESS);
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(address + 100, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(attributes.location.id, 0u);
  void* base = nullptr;
  size_t size = 0;
  EXPECT_EQ(aclrtMemGetAddressRange(address + 100, &base, &size), ACL_SUCCESS);
  EXPECT_EQ(base, address);
  EXPECT_EQ(size, kUnit);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree, (address), "end it with aclrtUnmapMem");
  int zero = 1;
  EXPECT_EQ(aclrtMemcpy(&zero, 4, address, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(zero, 0);
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

TEST_F(aclrtMapMemTest, BadArguments_AreRefusedInOrder) {
  char* const address = Reserve(3 * kUnit);
  const aclrtDrvMemHandle handle = Physical();
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMapMem, (nullptr, 0, 1, nullptr, 1), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMapMem, (address, 0, 1, nullptr, 1), "handle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address, 0, 1, handle, 1), "offset 1 must be 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address, 0, 0, handle, 1), "flags 1 is reserved");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtMapMem, (address, kUnit, 0, stream_, 0),
               "is a stream, expected a physical memory");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (&on_the_stack, kUnit, 0, handle, 0),
               "does not lie in a range of aclrtReserveMemAddress");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address + 4096, kUnit, 0, handle, 0),
               "is not aligned to 2097152 bytes");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address, 2 * kUnit, 0, handle, 0),
               "size 4194304 must be that of the physical memory, 2097152");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address + 2 * kUnit, 2 * kUnit, 0, handle, 0),
               "4194304 bytes at offset 4194304 leave the reserved range of 6291456 bytes");
  const aclrtDrvMemHandle large = Physical(2 * kUnit);
  ASSERT_EQ(aclrtMapMem(address + kUnit, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address, 2 * kUnit, 0, large, 0), "overlap the 2097152 bytes",
               "unmap them first");
  const aclrtDrvMemHandle theirs = Physical(kUnit, 1);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem, (address, kUnit, 0, theirs, 0),
               "holds memory of device 0 already; memory of device 1 needs a range of its own");
  EXPECT_EQ(aclrtUnmapMem(address + kUnit), ACL_SUCCESS);
  for (aclrtDrvMemHandle one : {handle, large, theirs}) EXPECT_EQ(aclrtFreePhysical(one), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

using aclrtUnmapMemTest = VirtualMemoryTest;

TEST_F(aclrtUnmapMemTest, NotTheStartOfAMapping_IsRefused) {
  char* const address = Reserve(kUnit);
  int on_the_stack = 0;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtUnmapMem, (nullptr), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem, (&on_the_stack), "does not lie in a range");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem, (address), "no mapping begins at virPtr");
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

TEST_F(aclrtUnmapMemTest, WhileACopyIsQueued_FailsTheStream) {
  ExpectLog({"local copy", "failed: dst", "where nothing is mapped"});
  char* const address = Reserve(kUnit);
  const aclrtDrvMemHandle handle = Physical();
  const DeviceInts ints({1});
  aclrtNotify hold = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&hold, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(hold, stream_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(address, 4, ints.data(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(hold, nullptr), ACL_SUCCESS);
  EXPECT_FAILS_QUIETLY(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream, (stream_), "where nothing is mapped");
  EXPECT_EQ(aclrtDestroyNotify(hold), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

using aclrtMemRetainAllocationHandleTest = VirtualMemoryTest;

TEST_F(aclrtMemRetainAllocationHandleTest, Retained_HasToBeFreedAsOften) {
  char* const address = Reserve(kUnit);
  const aclrtDrvMemHandle handle = Physical();
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle, 0), ACL_SUCCESS);
  aclrtDrvMemHandle retained = nullptr;
  EXPECT_EQ(aclrtMemRetainAllocationHandle(address, &retained), ACL_SUCCESS);
  EXPECT_EQ(retained, handle);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemRetainAllocationHandle, (nullptr, &retained), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemRetainAllocationHandle, (address, nullptr), "handle is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemRetainAllocationHandle, (address + 4096, &retained),
               "no mapping begins at virPtr");
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(retained), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtFreePhysical, (retained), "that was destroyed");
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

using aclrtMemSetAccessTest = VirtualMemoryTest;

TEST_F(aclrtMemSetAccessTest, Granted_IsTold) {
  char* const address = Reserve(kUnit);
  const aclrtDrvMemHandle handle = Physical();
  ASSERT_EQ(aclrtMapMem(address, kUnit, 0, handle, 0), ACL_SUCCESS);
  aclrtMemLocation own{0, ACL_MEM_LOCATION_TYPE_DEVICE};
  aclrtMemLocation other{1, ACL_MEM_LOCATION_TYPE_DEVICE};
  aclrtMemLocation host{0, ACL_MEM_LOCATION_TYPE_HOST};
  uint64_t flag = 9;
  EXPECT_EQ(aclrtMemGetAccess(address, &own, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE});
  EXPECT_EQ(aclrtMemGetAccess(address, &other, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_NONE});
  aclrtMemAccessDesc descs[2] = {{ACL_RT_MEM_ACCESS_FLAGS_READWRITE, other, {}},
                                 {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, host, {}}};
  EXPECT_EQ(aclrtMemSetAccess(address, kUnit, descs, 2), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemGetAccess(address, &other, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE});
  EXPECT_EQ(aclrtMemGetAccess(address, &host, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE});

  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemSetAccess, (nullptr, 0, nullptr, 0), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemSetAccess, (address, 0, nullptr, 0), "desc is null");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess, (address, kUnit, descs, 0), "count 0 is out of range");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess, (address, 4096, descs, 2),
               "size 4096 must be that of the mapping, 2097152");
  descs[1].flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemSetAccess, (address, kUnit, descs, 2),
               "desc[1].flags 1 is not valid; use ACL_RT_MEM_ACCESS_FLAGS_READWRITE 3");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAccess, (nullptr, nullptr, nullptr), "virPtr is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAccess, (address, nullptr, nullptr), "location is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemGetAccess, (address, &own, nullptr), "flag is null");
  EXPECT_EQ(aclrtUnmapMem(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

// --- Sharing

}  // namespace
}  // namespace softhccl::conformance
