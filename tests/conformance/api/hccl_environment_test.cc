// HcclCommInitRootInfo in a process with a bad HCCL_ variable: every creation fails, naming the variable, until the
// variable is mended; then its value counts.
#include <cstdlib>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcclEnvironmentTest : public DeviceTest {};

TEST_F(HcclEnvironmentTest, BadVariable_FailsEveryCreationUntilItIsMended) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &root, 0, &comm), "EI0001", "HCCL_BUFFSIZE=\"0\" is not valid",
                 "expected an integer from 1 to 4294967295 (MB)");
  }
  // Argument errors win over the environment.
  EXPECT_FAILS(HCCL_E_PTR, HcclCommInitRootInfo, (1, nullptr, 0, &comm), "rootInfo is null");
  ::setenv("HCCL_BUFFSIZE", "3", 1);
  EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS);
  void* buffer = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(HcclGetHcclBuffer(comm, &buffer, &size), HCCL_SUCCESS);
  EXPECT_EQ(size, 2u * 3 * 1024 * 1024) << "twice the configured size";
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
}

}  // namespace
}  // namespace softhccl::conformance
