/**
 * @file acl_log.h
 * The newer names of the log in dlog_pub.h, for programs of the ACL interface; same library, same switches.
 */
#ifndef BASE_ACL_LOG_H_
#define BASE_ACL_LOG_H_

#include <stdarg.h>
#include <stdint.h>

#include "log_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As CheckLogLevel: 1 when a line of this severity would be printed, else 0. */
int32_t acllogCheckDebugLevel(int32_t moduleId, int32_t logLevel);

/** As DlogRecord and DlogVaList. */
void acllogRecord(int32_t moduleId, int32_t level, const char* fmt, ...);
void acllogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list);

#ifdef __cplusplus
}
#endif

#endif  // BASE_ACL_LOG_H_
