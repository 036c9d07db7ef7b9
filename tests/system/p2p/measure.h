// What the process takes from the system, for cases about cost and leaks.
#ifndef SOFTHCCL_TESTS_SYSTEM_P2P_MEASURE_H
#define SOFTHCCL_TESTS_SYSTEM_P2P_MEASURE_H

#include <cstddef>

namespace p2p_test {

// Memory of the process that is in RAM now, shared memory that it touched included.
double ResidentMegabytes();
std::size_t OpenDescriptors();

}  // namespace p2p_test

#endif  // SOFTHCCL_TESTS_SYSTEM_P2P_MEASURE_H
