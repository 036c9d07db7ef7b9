// What the tests of the collective operators share: ranks as threads, data of every type, and the comparison. Values
// are the whole numbers 0 to 4, which every data type holds exactly, and the operands are chosen so that results are,
// too; so a comparison is one of bytes, and its expectation is computed in whole numbers.
#ifndef HCCL_CUSTOM_COLLECTIVE_TEST_H
#define HCCL_CUSTOM_COLLECTIVE_TEST_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"

namespace collective_test {

// A data type and its whole numbers 0 to 4, as the bits of an element.
struct TypeCase {
  HcclDataType type;
  const char* name;
  uint32_t bytes;
  uint64_t bits[5];
};

// All types whose whole numbers are known here.
const std::vector<TypeCase>& AllTypes();

// Elements per block that are tested: none, one, a few, and for one type so many that the HcclBuffer of the test is too
// small.
std::vector<uint64_t> CountsOf(const TypeCase& type);

// What one rank works with.
struct Rank {
  uint32_t rank;
  uint32_t rankNum;
  HcclComm comm;
  aclrtStream stream;
};

// A whole number 0 to 4 for every element.
using Values = std::function<int(uint64_t index)>;

// Device memory of `count` elements; freed at the end of its life. Failures end the test with a message.
class DeviceArray {
 public:
  DeviceArray(const TypeCase& type, uint64_t count, const Values& values);
  ~DeviceArray();
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  void* data() const { return data_; }
  // True when every element is as expected; otherwise prints the first that is not.
  bool Check(const Rank& rank, const std::string& what, const Values& expected) const;

 private:
  const TypeCase& type_;
  const uint64_t count_;
  void* data_ = nullptr;
};

// Prints a failing call; true when it succeeded.
bool Succeeded(uint32_t rank, const char* call, int code);

// The operand of a reduction that rank `rank` of `rankNum` has at `index`, and the result over all ranks.
int Operand(HcclReduceOp op, uint32_t rank, uint32_t rankNum, uint64_t index);
int Reduced(HcclReduceOp op, uint32_t rankNum, uint64_t index);
const char* ReduceName(HcclReduceOp op);

// Runs `body` on every rank of communicators of 1 to 16 ranks (as many as there are devices), a thread per rank. Prints
// a line per communicator; returns what main returns.
int RunAll(const char* name, const std::function<bool(const Rank&)>& body);

}  // namespace collective_test

#define COLLECTIVE_TEST_CALL(place, call)                                           \
  do {                                                                              \
    if (!collective_test::Succeeded((place).rank, #call, static_cast<int>(call))) { \
      return false;                                                                 \
    }                                                                               \
  } while (0)

#endif  // HCCL_CUSTOM_COLLECTIVE_TEST_H
