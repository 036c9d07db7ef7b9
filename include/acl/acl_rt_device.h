/**
 * @file acl_rt_device.h
 * Devices, contexts, their properties and limits. The current device, and with it the current context, is a property of
 * the calling thread.
 * A part of acl_rt.h, which says what all of its functions have in common.
 */
#ifndef ACL_ACL_RT_DEVICE_H_
#define ACL_ACL_RT_DEVICE_H_

#include "acl_base.h"
#include "acl_rt_constants.h"
#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Selects the device of the calling thread and opens it if needed; threads that select the same device share it.
 * Counted: each call wants one aclrtResetDevice.
 * @return ACL_ERROR_RT_INVALID_DEVICEID when deviceId is not below the device count.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSetDevice(int32_t deviceId);

/**
 * Gives back one aclrtSetDevice. The last one waits for outstanding work and frees the device's streams.
 * @return ACL_ERROR_RT_CONTEXT_RELEASE_ERROR when the device is not set.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtResetDevice(int32_t deviceId);

/**
 * Device of the calling thread.
 * @return ACL_ERROR_RT_CONTEXT_NULL when the thread has none.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetDevice(int32_t* deviceId);

/**
 * Number of devices that the process can see.
 * @return ACL_ERROR_RT_NO_DEVICE when the list of visible devices is not valid.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetDeviceCount(uint32_t* count);

/**
 * Blocks until the tasks of all streams of the current device are done.
 * @return the first stored failure of a stream; all are cleared by that.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSynchronizeDevice(void);

/**
 * The same for at most timeout milliseconds; -1 is without limit. Errors as aclrtSynchronizeStreamWithTimeout.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * Gives back every aclrtSetDevice of the device at once; errors as aclrtResetDevice. Behaviour: ACL runtime, device and
 * context.
 */
aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * callback is called on the thread that sets or resets a device, before and after.
 * @param regName name of the registration; another one with the same name replaces it, callback NULL removes it.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args);

/**
 * Does what aclrtStreamAbort does to every stream that programs made on the device; the next synchronise of each
 * answers ACL_ERROR_RT_DEVICE_TASK_ABORT.
 * @param timeout milliseconds to wait for kernels that run; 0 is without limit.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/**
 * callback is called before and after aclrtDeviceTaskAbort, with its timeout; another answer than 0 ends that call.
 * @param regName as for aclrtRegDeviceStateCallback.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback, void* args);

/**
 * Makes a context with a default stream of its own on a device, and makes it the current one of the calling thread.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);

/**
 * Waits for the tasks of the streams of the context and frees them. Threads that have it as current one have none then.
 * @return ACL_ERROR_RT_CONTEXT_NULL for the context that aclrtSetDevice made.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtDestroyContext(aclrtContext context);

/**
 * Makes a context, and so its device, the current one of the calling thread.
 * @return ACL_ERROR_RT_CONTEXT_NULL when it was destroyed.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * The current context of the calling thread; ACL_ERROR_RT_CONTEXT_NULL when it has none. Behaviour: ACL runtime, device
 * and context.
 */
aclError aclrtGetCurrentContext(aclrtContext* context);

/**
 * The default stream of the current context, as a handle; NULL means the same stream. Behaviour: ACL runtime, device
 * and context.
 */
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

/**
 * @param flags 0; may be NULL. @param active 1 while the device is set by somebody.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active);

/**
 * Keeps the value of a switch for the process; none has an effect here. Behaviour: ACL runtime, device and context.
 */
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * The value kept for the process; ACL_ERROR_RT_SYSPARAMOPT_NOT_SET when there is none. Behaviour: ACL runtime, device
 * and context.
 */
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/**
 * Keeps the value of a switch for the current context; none has an effect here. Behaviour: ACL runtime, device and
 * context.
 */
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * The value kept for the current context; ACL_ERROR_RT_SYSPARAMOPT_NOT_SET when there is none. Behaviour: ACL runtime,
 * device and context.
 */
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/**
 * A property of a device as a number. There are no AI cores: their counts are 0.
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT for properties of hardware that a virtual device does not have.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);

/**
 * ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT; the latter for all features. Behaviour: ACL runtime, device
 * and context.
 */
aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value);

/**
 * How two devices are connected: ACL_RT_DEVS_TOPOLOGY_HCCS for any two. Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value);

/** ACL_HOST: the program runs on the host. Behaviour: ACL runtime, device and context. */
aclError aclrtGetRunMode(aclrtRunMode* runMode);

/** ACL_RT_DEVICE_STATUS_NORMAL. Behaviour: ACL runtime, device and context. */
aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus);

/**
 * The process counts the devices it can see from 0 (user id), the machine all it has (logic id; the physical id is the
 * same). They differ when ASCEND_RT_VISIBLE_DEVICES is set.
 * @return ACL_ERROR_RT_INVALID_DEVICEID when there is no such device.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId);

/** As aclrtGetLogicDevIdByUserDevId. Behaviour: ACL runtime, device and context. */
aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId);

/**
 * The other way round; ACL_ERROR_RT_INVALID_DEVICEID when the process cannot see the device. Behaviour: ACL runtime,
 * device and context.
 */
aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid);

/** As aclrtGetUserDevIdByLogicDevId. Behaviour: ACL runtime, device and context. */
aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId);

/** The same number when the machine has such a device. Behaviour: ACL runtime, device and context. */
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId);

/** The same number when the machine has such a device. Behaviour: ACL runtime, device and context. */
aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId);

/**
 * 16 bytes that no other device has; the same in all processes until the machine is started again. Behaviour: ACL
 * runtime, device and context.
 */
aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid);

/**
 * The priorities that streams can have: 7 and 0. Either pointer may be NULL. Behaviour: ACL runtime, device and
 * context.
 */
aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority);

/** 1: every device reaches every other one. Behaviour: ACL runtime, device and context. */
aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/**
 * Notes that the current device uses the memory of another one; nothing here asks for it.
 * @param flags 0. @return ACL_ERROR_RT_PARAM_INVALID for the device itself.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/** Takes the note back. Behaviour: ACL runtime, device and context. */
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/** 1 when access was enabled, else 0. Behaviour: ACL runtime, device and context. */
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status);

/**
 * Keeps a limit of AI core code for the current device; there is no such code here. Behaviour: ACL runtime, device and
 * context.
 */
aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

/** The limit that was kept, 0 unless it was set. Behaviour: ACL runtime, device and context. */
aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value);

/**
 * Keeps the number of AI cores that the process wants to use of a device; it has no effect here. Behaviour: ACL
 * runtime, device and context.
 */
aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);

/** The number that was kept, or that of the device, which is 0. Behaviour: ACL runtime, device and context. */
aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value);

/** Forgets what aclrtSetDeviceResLimit kept. Behaviour: ACL runtime, device and context. */
aclError aclrtResetDeviceResLimit(int32_t deviceId);

/**
 * The number that holds for the calling thread: that of the stream of aclrtUseStreamResInCurrentThread, or of the
 * current device.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

/**
 * Number of this process, as lists of processes that may import something take it. Behaviour: ACL runtime, device and
 * context.
 */
aclError aclrtDeviceGetBareTgid(int32_t* pid);

/**
 * Chooses the task scheduler. There is one: ACL_TS_ID_AICORE; the other is ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 * Behaviour: ACL runtime, device and context.
 */
aclError aclrtSetTsDevice(aclrtTsId tsId);

/* Declared so that programs link. Each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT and says its name. */
aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible);
aclrtGroupInfo* aclrtCreateGroupInfo(void);
aclError aclrtCtxGetFloatOverflowAddr(void** overflowAddr);
aclError aclrtDestroyGroupInfo(aclrtGroupInfo* groupInfo);
aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId);
aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                              const uint32_t count, int32_t deviceId);
aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                             const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId);
aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len);
aclError aclrtDeviceL2CacheFlush(void* rsv);
aclError aclrtGetAllGroupInfo(aclrtGroupInfo* groupInfo);
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo);
aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize, aclrtStream stream);
aclError aclrtGetGroupCount(uint32_t* count);
aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo* groupInfo, int32_t groupIndex, aclrtGroupAttr attr,
                                 void* attrValue, size_t valueLen, size_t* paramRetSize);
aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream);
aclError aclrtResetFloatOverflowStatus(aclrtStream stream);
aclError aclrtResetOverflowStatus(aclrtStream stream);
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
aclError aclrtSetGroup(int32_t groupId);
aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback, void* args);
aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback);
aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args);
aclError aclrtSnapShotProcessLock(int pid, void* reserve);
aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args);
aclError aclrtSnapShotProcessUnlock(int pid, void* reserve);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_RT_DEVICE_H_
