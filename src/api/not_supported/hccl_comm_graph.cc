// Teams and the communicator's memory ranges. A range has no effect but on collectives, which do not exist here.
#include "api/not_supported/define.h"

// hccl/hccl_team.h
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclWorldTeamCreate)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclSubTeamCreate)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclTeamDestroy)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclTeamWindowRegister)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclTeamWindowDeregister)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclTeamChannelsCreate)
// hccl/hccl_comm.h
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommSetMemoryRange)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommUnsetMemoryRange)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommActivateCommMemory)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommDeactivateCommMemory)
