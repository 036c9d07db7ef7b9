/**
 * @file hcomm_channel.h
 * Channels without a communicator: connections between two endpoints, which both sides create and poll until they are
 * connected. The data plane uses them as it uses a communicator's.
 */
#ifndef HCOMM_HCOMM_CHANNEL_H_
#define HCOMM_HCOMM_CHANNEL_H_

#include <stdbool.h>

#include "hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* HcommChannelConfig;

static const uint32_t HCOMM_CHANNEL_MAGIC_WORD = 0x0fcf0f0f;
static const uint32_t HCOMM_CHANNEL_VERSION_ONE = 1;
static const uint32_t HCOMM_CHANNEL_VERSION = 4;
static const uint32_t HCOMM_CHANNEL_NAME_MAX_LEN = 191;
static const uint32_t HCOMM_CHANNEL_DESC_RAW_MAX_LEN = 128;

// clang-format off: tables
typedef enum HcommChannelConfigType {
  HCOMM_CHANNEL_CONFIG_TYPE_INVALID = -1, HCOMM_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE = 0
} HcommChannelConfigType;
// clang-format on

/**
 * What a channel shall be: the other endpoint, notifies per direction, and the memory of this side that the other may
 * reach: what memHandles names, or all that is registered with the endpoint (exchangeAllMems). The attribute structures
 * share their place. __extension__: see EndpointLoc.
 */
__extension__ typedef struct HcommChannelDesc {
  CommAbiHeader header;
  EndpointDesc remoteEndpoint;
  uint32_t notifyNum;
  bool exchangeAllMems;
  HcommMemHandle* memHandles;
  uint32_t memHandleNum;
  HcommSocket socket;
  HcommSocketRole role;
  uint16_t port;
  union {
    uint8_t raws[128];
    struct {
      uint32_t queueNum;
      uint32_t retryCnt;
      uint32_t retryInterval;
      uint8_t tc;
      uint8_t sl;
      uint32_t qpThreshold;
      uint32_t cqAttrFlags;
      uint16_t* srcPortList;
    } roceAttr;
    struct {
      uint32_t qos;
    } hccsAttr;
    struct {
      uint32_t sqDepth;
    } ubAttr;
    struct {
      uint8_t pathMode;
    } ubMemAttr;
  };
  uint32_t qos;
  const char* channelName;
} HcommChannelDesc;

/**
 * Sets descNum descriptions to "nothing chosen": valid header, no peer, no notifies, no memory, no port, no name; all
 * other bytes 0xFF.
 * @return 0, or 2 (HCCL_E_PTR) for NULL.
 */
static inline HcommResult HcommChannelDescInit(HcommChannelDesc* channelDesc, uint32_t descNum) {
  if (channelDesc == NULL) {
    return 2;
  }
  memset(channelDesc, 0xFF, sizeof(HcommChannelDesc) * descNum);
  for (uint32_t i = 0; i < descNum; ++i) {
    HcommChannelDesc* desc = &channelDesc[i];
    desc->header.version = HCOMM_CHANNEL_VERSION;
    desc->header.magicWord = HCOMM_CHANNEL_MAGIC_WORD;
    desc->header.size = (uint32_t)sizeof(HcommChannelDesc);
    desc->header.reserved = 0;
    EndpointDescInit(&desc->remoteEndpoint, 1);
    desc->notifyNum = 0;
    desc->exchangeAllMems = false;
    desc->memHandles = NULL;
    desc->memHandleNum = 0;
    desc->socket = NULL;
    desc->role = HCOMM_SOCKET_ROLE_RESERVED;
    desc->port = 0;
    desc->roceAttr.srcPortList = NULL;
    desc->channelName = NULL;
  }
  return 0;
}

/**
 * This side's ends of channels to other endpoints. Does not wait: a channel is connected once both sides have created
 * theirs, and HcommChannelGetStatus says so.
 * @param channels room for channelNum handles.
 * @return 0; HCCL_E_PTR for NULL; HCCL_E_PARA for a bad endpoint, engine or number, a description that was not
 * initialised, more than 64 notifies, or memory that is not registered with this endpoint; HCCL_E_NOT_SUPPORT for the
 * vector and communication units.
 */
HcommResult HcommChannelCreate(EndpointHandle endpointHandle, CommEngine engine, HcommChannelDesc* channelDescs,
                               uint32_t channelNum, ChannelHandle* channels);

/**
 * Options for creating channels: HcommChannelConfigCreate makes them, HcommChannelConfigSetInt sets one
 * (IS_SHARED_QUEUE to 0 or 1), HcommChannelConfigDestroy frees them.
 * @return 0, HCCL_E_PTR for NULL, HCCL_E_PARA for a bad handle, type or value.
 */
HcommResult HcommChannelConfigCreate(HcommChannelConfig* config);
HcommResult HcommChannelConfigDestroy(HcommChannelConfig config);
HcommResult HcommChannelConfigSetInt(HcommChannelConfig config, HcommChannelConfigType type, uint32_t value);

/** As HcommChannelCreate, with options, which may be NULL. */
HcommResult HcommChannelCreateWithConfig(EndpointHandle endpointHandle, CommEngine engine,
                                         HcommChannelDesc* channelDescs, uint32_t channelNum, HcommChannelConfig config,
                                         ChannelHandle* channels);

/**
 * How far channels are.
 * @param statusList room for listNum numbers: 0 connected, 1 waiting for the other side, 2 failed, 3 the other side did
 * not come within HCCL_CONNECT_TIMEOUT seconds.
 * @return 0, HCCL_E_PTR for NULL, HCCL_E_PARA for 0 channels or a handle that is not such a channel.
 */
HcommResult HcommChannelGetStatus(const ChannelHandle* channelList, uint32_t listNum, int32_t* statusList);

/**
 * Destroys this side's ends, in order, up to the first failure.
 * @return 0, HCCL_E_PTR for NULL, HCCL_E_PARA for 0 channels or a handle that is not such a channel.
 */
HcommResult HcommChannelDestroy(const ChannelHandle* channels, uint32_t channelNum);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_CHANNEL_H_
