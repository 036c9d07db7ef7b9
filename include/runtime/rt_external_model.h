/**
 * @file rt_external_model.h
 * Recorded models, as the layer below the ACL runtime names them.
 */
#ifndef RUNTIME_RT_EXTERNAL_MODEL_H_
#define RUNTIME_RT_EXTERNAL_MODEL_H_

#include "rt_external_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* rtModel_t;

/* Declared so that programs link. It answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
rtError_t rtStreamAddToModel(rtStream_t stm, rtModel_t captureMdl);

#ifdef __cplusplus
}
#endif

#endif  // RUNTIME_RT_EXTERNAL_MODEL_H_
