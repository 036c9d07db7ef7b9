/**
 * @file hcomm_primitives_expt.h
 * Calls of the data plane that the vendor calls experimental and ships apart from hcomm_primitives.h.
 */
#ifndef HCOMM_HCOMM_PRIMITIVES_EXPT_H_
#define HCOMM_HCOMM_PRIMITIVES_EXPT_H_

#include <stdint.h>

#include "hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Blocks the calling kernel or host thread until the thread has done everything that was queued before, so that the
 * caller may look at the data. What its batch holds back is submitted first.
 * @param timeout seconds, 0 is without limit. When it is over: HCCL_E_TIMEOUT, and the work goes on.
 * @return also the failure of the thread's tasks.
 * Behaviour: data plane, time-outs.
 */
int32_t HcommThreadJoin(ThreadHandle thread, uint32_t timeout);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_PRIMITIVES_EXPT_H_
