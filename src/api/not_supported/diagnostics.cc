// Callbacks about failed tasks, the AIV engine, and the launch of kernels through a communicator.
#include "api/not_supported/define.h"

SOFTHCCL_NOT_SUPPORTED_HCCL(HcclReportAivKernel)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcommExceptionRegisterCallback)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcommExceptionUnregisterCallback)
