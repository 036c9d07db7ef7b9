/**
 * @file hcom.h
 * The group interface that graph engines use, as far as it exists here: a group is a communicator, known by its name.
 */
#ifndef HCCL_HCOM_H_
#define HCCL_HCOM_H_

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The communicator of that name on the device that is set.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA when there is none. Behaviour: communicator lifecycle, queries.
 */
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCOM_H_
