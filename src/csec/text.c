/* Checked string functions of libc_sec.so. After an error the destination is an empty string, so that a caller who
 * ignores the result prints nothing rather than something cut or without an end. The source is never read beyond what
 * can be copied. Any thread may call them; they keep no state. */
#include <stdbool.h>

#include "csec/export.h"
#include "securec.h"

static errno_t reset(char* dest, errno_t error) {
  dest[0] = '\0';
  return error;
}

static errno_t check_text(char* dest, size_t dest_max, const char* src) {
  if (dest_max == 0 || dest_max > SECUREC_STRING_MAX_LEN) {
    return ERANGE;
  }
  if (dest == NULL) {
    return EINVAL;
  }
  return src == NULL ? reset(dest, EINVAL_AND_RESET) : EOK;
}

/* Whether writing write_count bytes at dest touches one of the read_count bytes at src. */
static bool write_hits_source(const char* dest, size_t write_count, const char* src, size_t read_count) {
  const uintptr_t to = (uintptr_t)dest;
  const uintptr_t from = (uintptr_t)src;
  return to < from ? from - to < write_count : to - from < read_count;
}

/* Puts the first length characters of src behind the first used characters of dest. terminated: src has its end there,
 * which then counts as read. */
static errno_t put(char* dest, size_t dest_max, size_t used, const char* src, size_t length, bool terminated) {
  if (length >= dest_max - used) {
    return reset(dest, ERANGE_AND_RESET);
  }
  if (dest + used == src) {
    dest[used + length] = '\0';
    return EOK;
  }
  if (write_hits_source(dest, used + length + 1, src, length + (terminated ? 1 : 0))) {
    return reset(dest, EOVERLAP_AND_RESET);
  }
  memcpy(dest + used, src, length);
  dest[used + length] = '\0';
  return EOK;
}

CSEC_EXPORT errno_t strcpy_s(char* strDest, size_t destMax, const char* strSrc) {
  const errno_t error = check_text(strDest, destMax, strSrc);
  if (error != EOK || strDest == strSrc) {
    return error;
  }
  return put(strDest, destMax, 0, strSrc, strnlen(strSrc, destMax), true);
}

CSEC_EXPORT errno_t strncpy_s(char* strDest, size_t destMax, const char* strSrc, size_t count) {
  const errno_t error = check_text(strDest, destMax, strSrc);
  if (error != EOK) {
    return error;
  }
  if (count > SECUREC_STRING_MAX_LEN) {
    return reset(strDest, ERANGE_AND_RESET);
  }
  const size_t limit = count < destMax ? count : destMax;
  const size_t length = strnlen(strSrc, limit);
  return put(strDest, destMax, 0, strSrc, length, length < limit);
}

/* Appending to a text without an end would write behind the destination, so that is an argument error. */
static errno_t append(char* dest, size_t dest_max, const char* src, size_t count) {
  const size_t used = strnlen(dest, dest_max);
  if (used == dest_max) {
    return reset(dest, EINVAL_AND_RESET);
  }
  const size_t room = dest_max - used;
  const size_t limit = count < room ? count : room;
  const size_t length = strnlen(src, limit);
  return put(dest, dest_max, used, src, length, length < limit);
}

CSEC_EXPORT errno_t strcat_s(char* strDest, size_t destMax, const char* strSrc) {
  const errno_t error = check_text(strDest, destMax, strSrc);
  return error != EOK ? error : append(strDest, destMax, strSrc, SECUREC_STRING_MAX_LEN);
}

CSEC_EXPORT errno_t strncat_s(char* strDest, size_t destMax, const char* strSrc, size_t count) {
  const errno_t error = check_text(strDest, destMax, strSrc);
  if (error != EOK) {
    return error;
  }
  if (count > SECUREC_STRING_MAX_LEN) {
    return reset(strDest, ERANGE_AND_RESET);
  }
  return append(strDest, destMax, strSrc, count);
}
