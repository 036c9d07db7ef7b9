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

/**
 * Adds a stream to a graph that is being captured: what is submitted to it until the end belongs to the graph, begins
 * with each replay and ends before the replay does. Libraries add the streams of their own to the capture of their
 * user.
 * @return ACL_ERROR_RT_PARAM_INVALID when captureMdl is not being captured, ACL_ERROR_RT_STREAM_CAPTURED for a stream
 * of another capture. Behaviour: ACL runtime, graphs.
 */
rtError_t rtStreamAddToModel(rtStream_t stm, rtModel_t captureMdl);

#ifdef __cplusplus
}
#endif

#endif  // RUNTIME_RT_EXTERNAL_MODEL_H_
