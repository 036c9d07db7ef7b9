/* Interface of libunified_dlog.so. No public header declares it: foreign libraries bring their own declarations of the
 * log functions and only need the symbols. It is written down here so that the definitions and their tests agree. */
#ifndef SOFTHCCL_CSEC_DLOG_H_
#define SOFTHCCL_CSEC_DLOG_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kDlogDebug = 0, kDlogInfo = 1, kDlogWarning = 2, kDlogError = 3, kDlogNull = 4, kDlogEvent = 16 };

/* Level from ASCEND_GLOBAL_LOG_LEVEL (0 to 4, default 3); enableEvent, if not NULL, becomes 1 when event lines are
 * printed. */
int32_t dlog_getlevel(int32_t moduleId, int32_t* enableEvent);

/* 1 when a line of this level would be printed, else 0. */
int32_t CheckLogLevel(int32_t moduleId, int32_t logLevel);

/* The same question under its newer name. */
int32_t acllogCheckDebugLevel(int32_t moduleId, int32_t logLevel);

/* Prints one line to standard error when its level is enabled. */
void DlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...);

#ifdef __cplusplus
}
#endif

#endif /* SOFTHCCL_CSEC_DLOG_H_ */
