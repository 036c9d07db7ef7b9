/**
 * @file acl_rt_model.h
 * Graphs: capture of stream work, replay, inspection; dumps of models.
 * A part of acl_rt.h, which says what all of its functions have in common.
 */
#ifndef ACL_ACL_RT_MODEL_H_
#define ACL_ACL_RT_MODEL_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * From now on, work that is submitted to stream is recorded into a graph and not run, until aclmdlRICaptureEnd. A
 * stream that waits for an event or a notify that a captured stream has recorded joins, and must come back the same way
 * before the end. What kernels submit is not recorded: a recorded launch submits it at each replay. A call that would
 * wait for a captured stream answers ACL_ERROR_RT_STREAM_CAPTURED, one that the mode forbids
 * ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, and the capture becomes invalid.
 * @param stream not NULL.
 * @param mode to whom synchronous copies and fills are forbidden meanwhile: GLOBAL to all threads of the context,
 * THREAD_LOCAL to the calling one, RELAXED to nobody; unknown is ACL_ERROR_INVALID_PARAM.
 * @return ACL_ERROR_RT_STREAM_CAPTURED when the stream is captured already.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/**
 * Ends the capture that began on stream, on the thread that began it unless the mode is RELAXED.
 * @param modelRI receives the graph; free it with aclmdlRIDestroy.
 * @return ACL_ERROR_RT_STREAM_NOT_CAPTURED when there is no capture, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED when it
 * began on another stream, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD. ACL_ERROR_RT_STREAM_UNJOINED when a stream did not
 * come back, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED when the capture became invalid: then it is over and there is no
 * graph. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI);

/**
 * Whether a stream is captured.
 * @param modelRI receives the graph that is being made, NULL when the status is NONE.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI);

/**
 * Exchanges the calling thread's capture mode, GLOBAL at first, with *mode. It loosens what a capture forbids to this
 * thread: RELAXED for every capture, THREAD_LOCAL for those of other threads. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);

/**
 * Asynchronous: runs everything in the graph again, with the same arguments, when the tasks queued before are done.
 * What was captured from other streams runs beside the stream as the recorded waits say. Replays on one stream follow
 * each other. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/**
 * The same on the default stream, and waits for it.
 * @param timeout milliseconds, -1 without limit; 0 or less than -1 is ACL_ERROR_RT_PARAM_INVALID.
 * @return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT when the time is over; the work goes on. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/** Frees a graph; replays that are queued still run. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/** A small number that no other live graph has. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId);

/** Names a graph for descriptions, at most 255 bytes. Behaviour: ACL runtime, graphs. */
aclError aclmdlRISetName(aclmdlRI modelRI, const char* name);

/** The name of a graph; maxLen is the room at name with its zero, in bytes. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name);

/**
 * The streams of a graph, one for each that was captured, that of the origin first. They are the graph's own.
 * @param streams array, or NULL to ask for the number only.
 * @param numStreams entries of the array; receives the number of streams.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams);

/** The tasks of a stream of aclmdlRIGetStreams, in order; the array as there. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks, uint32_t* numTasks);

/** What a task is; ACL_MODEL_RI_TASK_DEFAULT is work without a type of its own. Behaviour: ACL runtime, graphs. */
aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type);

/** Place of a task in its stream, from 0. Behaviour: ACL runtime, graphs. */
aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id);

/**
 * Writes a description of the graph to a file, in JSON.
 * @param flags ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY, or _VERBOSE for the addresses too.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags);

/** Prints the description to standard error. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/**
 * What a task is, with its parameters in the member of the union that its type names. Pointers in it belong to the
 * graph and hold until the task is changed. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams* params);

/**
 * Changes a kernel task from the next aclmdlRIUpdate on. Arguments in memory that devices know are used in place unless
 * isHostArgs is 1, others are copied now.
 * @param params of the type of the task. @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other types.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams* params);

/** An attribute that a kernel task was launched with; 0 when it was not given. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task, aclrtLaunchKernelAttrId attrId,
                                        aclrtLaunchKernelAttrValue* attrValue);

/**
 * Replays leave the task out, from the next aclmdlRIUpdate on. A record still orders those of the
 * graph who wait for it.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRITaskDisable(aclmdlRITask task);

/** Lets replays that are queued from now on have the changes of tasks. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIUpdate(aclmdlRI modelRI);

/**
 * What is submitted to a captured stream until aclmdlRICaptureTaskGrpEnd is a group of tasks that can be updated:
 * kernel launches, copies, fills; other work is ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT.
 * @return ACL_ERROR_RT_STREAM_NOT_CAPTURED, ACL_ERROR_STREAM_TASK_GROUP_STATUS when a group is open.
 * Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/** Ends the group; handle receives it, as long as the graph lives. Behaviour: ACL runtime, graphs. */
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle);

/**
 * What is submitted to stream, which is not captured, until aclmdlRICaptureTaskUpdateEnd does not run but replaces the
 * tasks of the group, as many of the same kinds. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);

/**
 * Asynchronous: the tasks are replaced when the stream comes here; a replay that comes to them later has the new ones.
 * @return ACL_ERROR_RT_PARAM_INVALID when they are not those of the group. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/**
 * Begins a graph of streams that the program binds to it: tasks of a bound stream do not run but belong to the graph,
 * until aclmdlRIBuildEnd.
 * @param flag 0. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag);

/**
 * Binds a stream to a graph that is being built, and to no other.
 * @param stream made by aclrtCreateStreamWithConfig with ACL_STREAM_PERSISTENT.
 * @param flag ACL_MODEL_STREAM_FLAG_HEAD. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag);

/** A bound stream gets no further tasks. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

/** Ends the building; reserve is NULL. The streams take no tasks until they are unbound. Behaviour: ACL runtime,
 * graphs. */
aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve);

/** Frees a stream of a graph that was built. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/**
 * Ends what is queued on the streams of replays of the graph; they answer ACL_ERROR_RT_MODEL_ABORT_NORMAL at their next
 * synchronise. It can be replayed again. Behaviour: ACL runtime, graphs.
 */
aclError aclmdlRIAbort(aclmdlRI modelRI);

/** func is called with userData by aclmdlRIDestroy, when the graph is gone. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void* userData);

/** func is not called any more. Behaviour: ACL runtime, graphs. */
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclmdlFinalizeDump(void);
aclError aclmdlInitDump(void);
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags);
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode);
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue, aclmdlRICondHandleFlag flag,
                                  aclmdlRICondHandle* handle);
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t** ptr);
aclError aclmdlSetDump(const char* dumpCfgPath);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_MODEL_H_
