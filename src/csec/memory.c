/* Checked memory functions of libc_sec.so. Operators use them instead of the C library's and count on what is left
 * behind after an error: zeros, never half a copy. They are C, and need nothing but the C library, because device
 * kernels load them, too. Any thread may call them; they keep no state. */
#include <stdbool.h>

#include "csec/export.h"
#include "securec.h"

static bool size_is_valid(size_t dest_max) { return dest_max != 0 && dest_max <= SECUREC_MEM_MAX_LEN; }

/* Not by pointer comparison: that is undefined between different objects. */
static bool ranges_overlap(const void* first, const void* second, size_t count) {
  const uintptr_t a = (uintptr_t)first;
  const uintptr_t b = (uintptr_t)second;
  return a < b ? b - a < count : a - b < count;
}

/* What memcpy_s and memmove_s check alike. */
static errno_t check_copy(void* dest, size_t dest_max, const void* src, size_t count) {
  if (!size_is_valid(dest_max)) {
    return ERANGE;
  }
  if (dest == NULL) {
    return EINVAL;
  }
  if (src == NULL) {
    memset(dest, 0, dest_max);
    return EINVAL_AND_RESET;
  }
  if (count > dest_max) {
    memset(dest, 0, dest_max);
    return ERANGE_AND_RESET;
  }
  return EOK;
}

CSEC_EXPORT errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count) {
  const errno_t error = check_copy(dest, destMax, src, count);
  if (error != EOK || dest == src) {
    return error;
  }
  if (ranges_overlap(dest, src, count)) {
    memset(dest, 0, destMax);
    return EOVERLAP_AND_RESET;
  }
  memcpy(dest, src, count);
  return EOK;
}

CSEC_EXPORT errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count) {
  const errno_t error = check_copy(dest, destMax, src, count);
  if (error == EOK) {
    memmove(dest, src, count);
  }
  return error;
}

CSEC_EXPORT errno_t memset_s(void* dest, size_t destMax, int c, size_t count) {
  if (!size_is_valid(destMax)) {
    return ERANGE;
  }
  if (dest == NULL) {
    return EINVAL;
  }
  if (count > destMax) {
    memset(dest, c, destMax);
    return ERANGE_AND_RESET;
  }
  memset(dest, c, count);
  return EOK;
}
