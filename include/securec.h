/**
 * @file securec.h
 * Memory and string functions that know the size of their destination. They return EOK, or an error and a destination
 * that is safe to read: memory is zeroed, text is made empty, nothing is ever cut silently. Errors without _AND_RESET
 * left the destination alone, because there was none (NULL, size 0 or beyond the limit). Operator sources also count on
 * this header for <stdio.h>, <string.h>, <stdlib.h>, <errno.h> and <stdarg.h>.
 */
#ifndef SECUREC_H_
#define SECUREC_H_

#include "securectype.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Copies count bytes. Overlap is EOVERLAP_AND_RESET, count beyond destMax ERANGE_AND_RESET. */
errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count);

/** Copies count bytes; source and destination may overlap. */
errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count);

/** Sets count bytes to c. When count is beyond destMax, destMax bytes are set and ERANGE_AND_RESET is returned. */
errno_t memset_s(void* dest, size_t destMax, int c, size_t count);

/** Copies a string with its end. */
errno_t strcpy_s(char* strDest, size_t destMax, const char* strSrc);

/** Copies at most count characters and always an end. */
errno_t strncpy_s(char* strDest, size_t destMax, const char* strSrc, size_t count);

/** Appends a string. A destination without an end within destMax is EINVAL_AND_RESET. */
errno_t strcat_s(char* strDest, size_t destMax, const char* strSrc);

/** Appends at most count characters and always an end. */
errno_t strncat_s(char* strDest, size_t destMax, const char* strSrc, size_t count);

/** Prints into strDest. @return number of characters without the end, or -1 (text that does not fit, too). */
int sprintf_s(char* strDest, size_t destMax, const char* format, ...);

/**
 * Prints at most count characters into strDest. @return their number, or -1. When the text is longer than count, its
 * first count characters are kept and -1 is returned; when it does not fit into destMax, strDest is empty.
 */
int snprintf_s(char* strDest, size_t destMax, size_t count, const char* format, ...);

/** As sprintf_s. */
int vsprintf_s(char* strDest, size_t destMax, const char* format, va_list argList);

/** As snprintf_s. */
int vsnprintf_s(char* strDest, size_t destMax, size_t count, const char* format, va_list argList);

#ifdef __cplusplus
}
#endif

#endif  // SECUREC_H_
