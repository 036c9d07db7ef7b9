// What every case of p2p_test starts from: N ranks as threads of this process, one device each, with a communicator and
// a stream, a barrier between them, device memory that is filled and checked by pattern, and a verdict. Written as a
// user would write it: C++14 and the public headers only, because the cases are about what a user sees.
#ifndef SOFTHCCL_TESTS_SYSTEM_P2P_DRIVER_H
#define SOFTHCCL_TESTS_SYSTEM_P2P_DRIVER_H

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_res.h"
#include "hccl_custom_p2p.h"

namespace p2p_test {

// Prints what was expected and makes the program fail; may be called from any thread.
void Expect(bool condition, const char* text, const char* file, int line);
#define EXPECT(condition) ::p2p_test::Expect((condition), #condition, __FILE__, __LINE__)
bool HasFailed();

// Seconds since some point in the past.
double Now();
void SleepFor(double seconds);

class Barrier {
 public:
  explicit Barrier(uint32_t members) : members_(members) {}
  void Meet();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const uint32_t members_;
  uint32_t waiting_ = 0;
  uint32_t round_ = 0;
};

// One rank, used by its own thread. The driver destroys what is not null at the end.
struct Rank {
  uint32_t rank = 0;
  uint32_t size = 0;
  std::vector<HcclComm> comms;  // as many as RunRanks was asked for
  aclrtStream stream = nullptr;
  Barrier* barrier = nullptr;

  HcclComm Comm() const { return comms.at(0); }
  void Meet() const { barrier->Meet(); }
  HcclResult Send(void* data, uint64_t count, HcclDataType type, uint32_t peer) const {
    return HcclSendCustom(data, count, type, peer, Comm(), stream);
  }
  HcclResult Recv(void* data, uint64_t count, HcclDataType type, uint32_t peer) const {
    return HcclRecvCustom(data, count, type, peer, Comm(), stream);
  }
  aclError Sync() const { return aclrtSynchronizeStream(stream); }
};

// Device memory of the current device, freed with the object.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* Get() const { return data_; }
  uint8_t* At(std::size_t offset) const { return static_cast<uint8_t*>(data_) + offset; }
  std::size_t Bytes() const { return bytes_; }
  void Upload(std::size_t offset, const void* source, std::size_t bytes) const;
  void Download(std::size_t offset, void* target, std::size_t bytes) const;
  // Writes `bytes` bytes of the pattern of `seed`.
  void Fill(std::size_t bytes, uint32_t seed) const;
  // True when the first `bytes` bytes hold the pattern of `seed`; names the first wrong byte otherwise.
  bool Holds(std::size_t bytes, uint32_t seed) const;
  void SetInt(std::size_t index, int32_t value) const { Upload(index * sizeof(value), &value, sizeof(value)); }
  int32_t GetInt(std::size_t index) const;
  int32_t* Int(std::size_t index) const { return static_cast<int32_t*>(data_) + index; }

 private:
  void* data_ = nullptr;
  const std::size_t bytes_;
};

// Runs `body` in `size` threads, each with its device, `comms` communicators and a stream, and waits for all of them.
void RunRanks(uint32_t size, uint32_t comms, const std::function<void(Rank&)>& body);

// Connects every rank to every other one in both directions, so that later calls do not block the host: the first
// HcclChannelAcquire of a pair is two-sided. Every pair meets in the order of a round-robin tournament.
void ConnectAllPairs(const Rank& self);

struct Case {
  const char* name;
  void (*run)();
};
const std::vector<Case>& BasicCases();
const std::vector<Case>& PatternCases();
const std::vector<Case>& DisagreeCases();
const std::vector<Case>& HangCases();
const std::vector<Case>& LifeCases();
const std::vector<Case>& CostCases();
const std::vector<Case>& KernelCases();
const std::vector<Case>& ScaleCases();
const std::vector<Case>& LargeCases();

}  // namespace p2p_test

#endif  // SOFTHCCL_TESTS_SYSTEM_P2P_DRIVER_H
