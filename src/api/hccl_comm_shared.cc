// Queries that kernels may make as well: both the host library and the kernel library have them.
#include "api/objects.h"
#include "api/report.h"
#include "hccl/hccl_comm.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::Communicator;

extern "C" HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return CallHccl("HcclGetRankSize", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(rankSize);
    *rankSize = found->size();
    return {};
  });
}

extern "C" HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return CallHccl("HcclGetRankId", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(rank);
    *rank = found->rank();
    return {};
  });
}

extern "C" HcclResult HcclCommGetStatus(const char* commId, HcclCommStatus* status) {
  return CallHccl("HcclCommGetStatus", [&]() -> Status {
    auto found = FindCommByName(commId, "commId");
    if (!found && found.error().code() == Code::kNotFound) {
      return Status(Code::kInvalidParam, found.error().message());
    }
    if (!found) return found.error();
    SOFTHCCL_REQUIRE(status);
    switch ((*found)->state()) {
      case Communicator::State::kReady: *status = HCCL_COMM_STATUS_READY; break;
      case Communicator::State::kSuspended: *status = HCCL_COMM_STATUS_SUSPENDING; break;
      case Communicator::State::kAborted: *status = HCCL_COMM_STATUS_INVALID; break;
    }
    return {};
  });
}
