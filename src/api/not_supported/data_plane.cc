// Functions of early releases that sent requests to a host task and waited for its answer.
#include "api/not_supported/define.h"

// hcomm/hcomm_primitives.h
SOFTHCCL_NOT_SUPPORTED_HCCL(HcommSendRequest)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcommWaitResponse)
