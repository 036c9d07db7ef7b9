/**
 * @file mmpa_api.h
 * The small part of the platform library that operators use: asking for an environment variable by a number. Sources
 * also count on this header for the C library's path and environment functions, so it includes those.
 */
#ifndef MMPA_MMPA_API_H_
#define MMPA_MMPA_API_H_

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../securec.h"

/* realpath() callers size their buffers with it; some C libraries leave it out. */
#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef char CHAR;

/** Environment variables that have a number; the name is that of the enumerator without MM_ENV_. */
typedef enum mmEnvId { MM_ENV_ASCEND_HOME_PATH = 3 } mmEnvId;

/**
 * Value of an environment variable, as getenv() gives it.
 * @return NULL when it is not set or the number is not known.
 */
CHAR* mmSysGetEnv(mmEnvId id);

/** The same function where libmmpa is linked, NULL elsewhere: users of MM_SYS_GET_ENV need not link it. */
static CHAR* MmSysGetEnvIfLinked(mmEnvId id) __attribute__((weakref("mmSysGetEnv"), unused));

/** Value of the environment variable that an enumerator's text "MM_ENV_<NAME>" names; NULL when it is not set. */
static inline CHAR* MmGetEnvByEnumerator(const char* text) {
  static const char kPrefix[] = "MM_ENV_";
  const size_t length = sizeof(kPrefix) - 1;
  return strncmp(text, kPrefix, length) == 0 ? getenv(text + length) : NULL;
}

#ifdef __cplusplus
}
#endif

/** Sets value to the environment variable, or to NULL when it is not set; works without libmmpa, too. */
#define MM_SYS_GET_ENV(id, value)                                           \
  do {                                                                      \
    (value) = MmSysGetEnvIfLinked != NULL ? MmSysGetEnvIfLinked(id) : NULL; \
    if ((value) == NULL) (value) = MmGetEnvByEnumerator(#id);               \
  } while (0)

#endif  // MMPA_MMPA_API_H_
