/**
 * @file dlog_pub.h
 * The log of device and operator libraries (libunified_dlog.so). A line goes to standard error, in one piece, when its
 * severity is enabled. The modules are numbers that are printed; they have no levels of their own. Any thread.
 */
#ifndef BASE_DLOG_PUB_H_
#define BASE_DLOG_PUB_H_

#include <stdarg.h>
#include <stdint.h>

#include "log_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Severity from which lines are printed (DLOG_DEBUG to DLOG_NULL). enableEvent, if not NULL: 1 when events are
 * printed. */
int32_t dlog_getlevel(int32_t moduleId, int32_t* enableEvent);

/** Sets both for the whole process, whatever the module. @return 0, or -1 for a level or switch that does not exist. */
int32_t dlog_setlevel(int32_t moduleId, int32_t level, int32_t enableEvent);

/** 1 when a line of this severity would be printed, else 0. */
int32_t CheckLogLevel(int32_t moduleId, int32_t logLevel);

/** Prints one line, printf style, cut to 2048 bytes. A NULL format prints nothing. */
void DlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...);
void DlogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list);

/** Returns when all lines are written; they always are. */
void DlogFlush(void);

#ifdef __cplusplus
}
#endif

#endif  // BASE_DLOG_PUB_H_
