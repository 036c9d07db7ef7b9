/**
 * @file hcomm_exception.h
 * Callbacks about failed tasks. Not supported: failures show at the synchronise of the stream, with a report.
 */
#ifndef HCOMM_HCOMM_EXCEPTION_H_
#define HCOMM_HCOMM_EXCEPTION_H_

#include <stdint.h>

#include "hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tagHcommExceptionExpandType {
  HCOMM_EXCEPTION_INVALID = -1,
  HCOMM_EXCEPTION_STARS = 0,
  HCOMM_EXCEPTION_ROCE = 1,
  HCOMM_EXCEPTION_URMA = 2
} HcommExceptionExpandType;

typedef struct tagStarsExDetailInfo {
  uint32_t starsErrcode;
  uint8_t sqeType;
  uint8_t statusMerged;
  uint8_t rsvd[122];
} StarsExDetailInfo;

typedef struct tagHcommExceptionExpandInfo {
  HcommExceptionExpandType type;
  union {
    StarsExDetailInfo starsInfo;
  } detail;
} HcommExceptionExpandInfo;

typedef struct tagHcommExceptionInfo {
  CommAbiHeader header;
  uint64_t thread;
  uint64_t channel;
  uint32_t taskId;
  uint32_t retCode;
  uint8_t rsvd[40];
  HcommExceptionExpandInfo expandInfo;
} HcommExceptionInfo;

typedef void (*HcommExceptionCallback)(const HcommExceptionInfo*, void*);

int32_t HcommExceptionRegisterCallback(HcommExceptionCallback cb, void* userData);
int32_t HcommExceptionUnregisterCallback(HcommExceptionCallback cb);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_EXCEPTION_H_
