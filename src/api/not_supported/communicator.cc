// Functions of communicators that have no implementation; see define.h.
#include "api/not_supported/define.h"

SOFTHCCL_NOT_SUPPORTED_HCCL(HcclCommWorkingDevNicSet)
