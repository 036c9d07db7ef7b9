// A process whose SOFTHCCL_TOPOLOGY names a file with a mistake: no communicator, and the mistake in every refusal.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

class BadTopologyFileTest : public DeviceTest {};

TEST_F(BadTopologyFileTest, EveryCommunicator_IsRefusedWithFileLineAndField) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    HcclRootInfo root;
    ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    HcclComm comm = nullptr;
    EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (1, &root, 0, &comm),
                 "bad_topology.json:3: layers: has 1 entries, but the cluster has 2 layers");
    EXPECT_EQ(comm, nullptr);
  }
}

}  // namespace
}  // namespace softhccl::conformance
