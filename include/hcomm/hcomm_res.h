/**
 * @file hcomm_res.h
 * Communication without a communicator: endpoints of this process, memory that is registered with them and described to
 * other endpoints, and threads. How a description gets to the other side is the caller's business. Channels are in
 * hcomm_channel.h, which comes with this header.
 */
#ifndef HCOMM_HCOMM_RES_H_
#define HCOMM_HCOMM_RES_H_

#include <stdbool.h>

#include "hcomm_channel.h"
#include "hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An endpoint of the current device: where channels begin and with what memory is registered.
 * @param endpoint protocol, address and place; the other side names this endpoint by the same description.
 * @return 0, HCCL_E_PTR for NULL, HCCL_E_PARA for a bad protocol, address type or place.
 */
HcommResult HcommEndpointCreate(const EndpointDesc* endpoint, EndpointHandle* endpointHandle);

/**
 * Destroys an endpoint with its registrations and imports.
 * @return 0, HCCL_E_PARA for a bad handle, HCCL_E_AGAIN while it has channels.
 */
HcommResult HcommEndpointDestroy(EndpointHandle endpointHandle);

/** How many endpoints a device has, and their descriptions; *descNum is the room, then how many were written. */
HcommResult HcommEndpointGetDescNum(int32_t deviceLogicId, uint32_t* descNum);
HcommResult HcommEndpointGetDescs(int32_t deviceLogicId, uint32_t* descNum, EndpointDesc* endpointDescs);

/** The port at which the endpoint expects others. */
HcommResult HcommEndpointGetListenPort(EndpointHandle endpointHandle, uint32_t* port);

/** Whether an endpoint of that description can do something: only HCOMM_ENDPOINT_FEATURE_NDA is asked, the answer is
 * no. */
HcommResult HcommEndpointCheckFeature(HcommEndpointFeatureType featureType, const EndpointDesc* endpointDesc,
                                      bool* value);

/**
 * Registers memory of the caller with an endpoint; it must live until HcommMemUnreg.
 * @param memTag 1 to 255 characters.
 * @return 0; HCCL_E_PTR for NULL; HCCL_E_PARA for a bad endpoint, tag, type or size, or when the range is not memory of
 * that type.
 */
HcommResult HcommMemReg(EndpointHandle endpointHandle, const char* memTag, const CommMem* mem,
                        HcommMemHandle* memHandle);

/** Ends a registration. Descriptions of it can no longer be imported. */
HcommResult HcommMemUnreg(EndpointHandle endpointHandle, HcommMemHandle memHandle);

/**
 * A description of registered memory for another endpoint: *memDescLen bytes at *memDesc, which belong to the library
 * and live as long as the registration.
 */
HcommResult HcommMemExport(EndpointHandle endpointHandle, HcommMemHandle memHandle, void** memDesc,
                           uint32_t* memDescLen);

/**
 * The described memory as this endpoint addresses it: channels of this endpoint to the one that described it reach it.
 * @param outMem type, address and size in bytes.
 * @return 0; HCCL_E_PTR for NULL; HCCL_E_PARA for bytes that are no description, HCCL_E_NOT_SUPPORT for one of another
 * process, HCCL_E_NOT_FOUND when the registration was ended.
 */
HcommResult HcommMemImport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen, CommMem* outMem);

/** Ends an import, as often as it was imported. HCCL_E_NOT_FOUND when it is not. */
HcommResult HcommMemUnimport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen);

/** Device memory of size bytes on the current device, and its way back. */
HcommResult HcommMemAlloc(void** ptr, size_t size);
HcommResult HcommMemFree(void* ptr);

/**
 * Threads of the current device that belong to no communicator.
 * @param threadNum 1 to 200.
 * @param notifyNumPerThread threadNum numbers, each at most 64.
 * @return 0, HCCL_E_PTR for NULL, HCCL_E_PARA for a bad number or engine, HCCL_E_NOT_SUPPORT for the vector and
 * communication units.
 */
HcommResult HcommThreadAlloc(CommEngine engine, uint32_t threadNum, const uint32_t* notifyNumPerThread,
                             ThreadHandle* threads);

/** Frees threads of HcommThreadAlloc; what is still queued on them is ended. */
HcommResult HcommThreadFree(const ThreadHandle* threads, uint32_t threadNum);

/** As HcclThreadResGetInfo, for any thread of this process. */
HcommResult HcommThreadResGetInfo(ThreadHandle thread, ThreadResType resType, uint32_t infoLen, void** info);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_RES_H_
