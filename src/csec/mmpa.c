/* libmmpa.so: the one function of the platform library that operators call. Numbers instead of names are that library's
 * way to ask for environment variables; the list grows with mmEnvId of mmpa/mmpa_api.h. As getenv, it may be called
 * from any thread while no thread changes the environment. */
#include "mmpa/mmpa_api.h"

#include "csec/export.h"

CSEC_EXPORT CHAR* mmSysGetEnv(mmEnvId id) {
  switch (id) {
    case MM_ENV_ASCEND_HOME_PATH: return getenv("ASCEND_HOME_PATH");
  }
  return NULL;
}
