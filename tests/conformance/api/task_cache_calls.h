// Calls of the task cache as its tests write them, and the smallest sequence to record.
#pragma once

#include "fixture.h"

namespace softhccl::conformance {

// Buffers as the functions take them.
class Buffers {
 public:
  explicit Buffers(const std::vector<const DeviceInts*>& ints) {
    for (const DeviceInts* one : ints) Add(one->data(), one->bytes());
  }
  void Add(void* address, uint64_t size) {
    addrs_.push_back(address);
    sizes_.push_back(size);
  }
  void** addrs() { return addrs_.data(); }
  uint64_t* sizes() { return sizes_.data(); }
  uint64_t count() const { return addrs_.size(); }

 private:
  std::vector<void*> addrs_;
  std::vector<uint64_t> sizes_;
};

inline bool IsHit(const Hcomm& hcomm, const char* tag) {
  bool hit = false;
  EXPECT_EQ(hcomm.AicpuTsTaskCacheLookup(tag, &hit), 0);
  return hit;
}

inline int32_t Start(const Hcomm& hcomm, const char* tag, Buffers buffers) {
  return hcomm.AicpuTsTaskCacheStart(tag, buffers.addrs(), buffers.sizes(), buffers.count());
}

inline int32_t Execute(const Hcomm& hcomm, const char* tag, Buffers buffers) {
  return hcomm.AicpuTsTaskCacheExecute(tag, buffers.addrs(), buffers.sizes(), buffers.count());
}

// One copy on the rank's thread, recorded and run.
inline void RecordCopy(const Rank& rank, const char* tag, const DeviceInts& to, const DeviceInts& from) {
  EXPECT_EQ(RunOnThread(rank,
                        [&](const Hcomm& hcomm) {
                          EXPECT_FALSE(IsHit(hcomm, tag));
                          EXPECT_EQ(Start(hcomm, tag, Buffers({&to, &from})), 0);
                          EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, to.data(), from.data(), to.bytes()), 0);
                          EXPECT_EQ(hcomm.AicpuTsTaskCacheEnd(tag), 0);
                          return 0u;
                        }),
            ACL_SUCCESS);
}

// `body` is a kernel whose launch fails with `part`.
inline void ExpectLaunchFails(ApiTest* test, const Rank& rank, aclError code, const char* part,
                              const KernelBody& body) {
  const Launch launch(rank.stream, body);
  EXPECT_FAILS_QUIETLY_IN(test, code, aclrtSynchronizeStream, (rank.stream), part);
}

}  // namespace softhccl::conformance
