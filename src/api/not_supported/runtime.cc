// Functions of libruntime.so that have no implementation. Remove a line when the function gets its implementation
// elsewhere.
#include "api/not_supported/define.h"

SOFTHCCL_NOT_SUPPORTED_ACL(rtStreamAddToModel)
