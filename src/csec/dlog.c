/* libunified_dlog.so: the log functions that operator libraries call. The vendor's write to files of a log daemon; here
 * a line goes to standard error, and only when its level is enabled, because a simulated device has no daemon. Event
 * lines are off unless ASCEND_GLOBAL_EVENT_ENABLE is 1 for the same reason. The environment is read once, at the first
 * call. Any thread may call them; a line is one write, so lines of several threads do not mix. */
#include "base/dlog_pub.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/acl_log.h"
#include "csec/export.h"

enum { kLineBytes = 2048 };
enum { kDlogDebug = DLOG_DEBUG, kDlogInfo = DLOG_INFO, kDlogWarning = DLOG_WARN };
enum { kDlogError = DLOG_ERROR, kDlogNull = DLOG_NULL, kDlogEvent = DLOG_EVENT };

static pthread_once_t settings_once = PTHREAD_ONCE_INIT;
static _Atomic int32_t enabled_level = kDlogError;
static atomic_bool events_enabled = false;

/* Unset, empty and illegal values mean the default and are no error: the variables belong to the user's whole session.
 */
static void read_settings(void) {
  const char* level = getenv("ASCEND_GLOBAL_LOG_LEVEL");
  if (level != NULL && level[0] >= '0' && level[0] <= '4' && level[1] == '\0') {
    enabled_level = level[0] - '0';
  }
  const char* event = getenv("ASCEND_GLOBAL_EVENT_ENABLE");
  events_enabled = event != NULL && strcmp(event, "1") == 0;
}

static bool is_enabled(int32_t level) {
  pthread_once(&settings_once, read_settings);
  if (level == kDlogEvent) {
    return events_enabled;
  }
  return level >= kDlogDebug && level < kDlogNull && level >= enabled_level;
}

static const char* level_name(int32_t level) {
  switch (level) {
    case kDlogDebug: return "DEBUG";
    case kDlogInfo: return "INFO";
    case kDlogWarning: return "WARNING";
    case kDlogEvent: return "EVENT";
    default: return "ERROR";
  }
}

/* One line to standard error, cut to kLineBytes. */
static void write_line(int32_t moduleId, int32_t level, const char* fmt, va_list arguments) {
  if (fmt == NULL || !is_enabled(level)) {
    return;
  }
  static const char kCut[] = "...";
  char line[kLineBytes];
  const size_t head =
      (size_t)snprintf(line, sizeof(line), "[%s] module %d pid %d: ", level_name(level), (int)moduleId, (int)getpid());
  /* One byte is kept for the end of the line. */
  const size_t room = sizeof(line) - 1 - head;
  const int text = vsnprintf(line + head, room, fmt, arguments);
  if (text < 0) {
    return;
  }
  size_t size = head + (size_t)text;
  if ((size_t)text >= room) {
    size = head + room - 1;
    memcpy(line + size - (sizeof(kCut) - 1), kCut, sizeof(kCut) - 1);
  }
  if (line[size - 1] != '\n') {
    line[size++] = '\n';
  }
  /* A log that cannot be written has nowhere to say so. */
  const ssize_t written = write(STDERR_FILENO, line, size);
  (void)written;
}

CSEC_EXPORT int32_t dlog_getlevel(int32_t moduleId, int32_t* enableEvent) {
  (void)moduleId;
  pthread_once(&settings_once, read_settings);
  if (enableEvent != NULL) {
    *enableEvent = events_enabled ? 1 : 0;
  }
  return enabled_level;
}

CSEC_EXPORT int32_t dlog_setlevel(int32_t moduleId, int32_t level, int32_t enableEvent) {
  (void)moduleId;
  if (level < kDlogDebug || level > kDlogNull || enableEvent < 0 || enableEvent > 1) {
    return -1;
  }
  pthread_once(&settings_once, read_settings);
  enabled_level = level;
  events_enabled = enableEvent == 1;
  return 0;
}

CSEC_EXPORT int32_t CheckLogLevel(int32_t moduleId, int32_t logLevel) {
  (void)moduleId;
  return is_enabled(logLevel) ? 1 : 0;
}

CSEC_EXPORT int32_t acllogCheckDebugLevel(int32_t moduleId, int32_t logLevel) {
  return CheckLogLevel(moduleId, logLevel);
}

CSEC_EXPORT void DlogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list) {
  write_line(moduleId, level, fmt, list);
}

CSEC_EXPORT void acllogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list) {
  write_line(moduleId, level, fmt, list);
}

CSEC_EXPORT void DlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...) {
  va_list arguments;
  va_start(arguments, fmt);
  write_line(moduleId, level, fmt, arguments);
  va_end(arguments);
}

CSEC_EXPORT void acllogRecord(int32_t moduleId, int32_t level, const char* fmt, ...) {
  va_list arguments;
  va_start(arguments, fmt);
  write_line(moduleId, level, fmt, arguments);
  va_end(arguments);
}

/* Nothing is kept back: every line has been written when its call returns. */
CSEC_EXPORT void DlogFlush(void) {}
