// Host work that kernels ask for: registering it would succeed and then nobody could ask, because the functions that
// ask are no longer part of the interface.
#include "api/not_supported/define.h"

// hccl_res_expt.h
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclTaskRegister)
SOFTHCCL_NOT_SUPPORTED_HCCL(HcclTaskUnRegister)
