/* Checked printing of libc_sec.so. Unlike snprintf, text that does not fit is an error and not a number to compare,
 * because callers compare with -1 only. Formatting itself is the C library's. Any thread may call them; they keep no
 * state. */
#include <stdbool.h>

#include "csec/export.h"
#include "securec.h"

static bool arguments_are_valid(char* dest, size_t dest_max, const char* format) {
  if (dest_max == 0 || dest_max > SECUREC_STRING_MAX_LEN || dest == NULL) {
    return false;
  }
  if (format == NULL) {
    dest[0] = '\0';
    return false;
  }
  return true;
}

CSEC_EXPORT int vsprintf_s(char* strDest, size_t destMax, const char* format, va_list argList) {
  if (!arguments_are_valid(strDest, destMax, format)) {
    return -1;
  }
  const int length = vsnprintf(strDest, destMax, format, argList);
  if (length < 0 || (size_t)length >= destMax) {
    strDest[0] = '\0';
    return -1;
  }
  return length;
}

CSEC_EXPORT int vsnprintf_s(char* strDest, size_t destMax, size_t count, const char* format, va_list argList) {
  if (count >= destMax) {
    return vsprintf_s(strDest, destMax, format, argList);
  }
  if (!arguments_are_valid(strDest, destMax, format)) {
    return -1;
  }
  const int length = vsnprintf(strDest, count + 1, format, argList);
  if (length < 0) {
    strDest[0] = '\0';
    return -1;
  }
  return (size_t)length > count ? -1 : length;
}

CSEC_EXPORT int sprintf_s(char* strDest, size_t destMax, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsprintf_s(strDest, destMax, format, arguments);
  va_end(arguments);
  return length;
}

CSEC_EXPORT int snprintf_s(char* strDest, size_t destMax, size_t count, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf_s(strDest, destMax, count, format, arguments);
  va_end(arguments);
  return length;
}
