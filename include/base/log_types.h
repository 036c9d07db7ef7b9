/**
 * @file log_types.h
 * Severities of the log. ASCEND_GLOBAL_LOG_LEVEL and dlog_setlevel take DLOG_DEBUG to DLOG_NULL: lines of that severity
 * and above are printed, DLOG_NULL prints none. Events are switched apart.
 */
#ifndef BASE_LOG_TYPES_H_
#define BASE_LOG_TYPES_H_

#define DLOG_DEBUG 0
#define DLOG_INFO 1
#define DLOG_WARN 2
#define DLOG_ERROR 3
#define DLOG_NULL 4
#define DLOG_EVENT 16

#endif  // BASE_LOG_TYPES_H_
