// The communicator's memory ranges. A range has no effect but on collectives, which do not exist here.
#include "api/not_supported/define.h"

// hccl/hccl_comm.h
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommSetMemoryRange)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommUnsetMemoryRange)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommActivateCommMemory)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommDeactivateCommMemory)
