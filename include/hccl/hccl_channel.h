/**
 * @file hccl_channel.h
 * Channels: connections between two ranks of a communicator, with notifies in both directions and access to the peer's
 * buffer. A description is filled by HcclChannelDescInit and then changed where needed; whatever stays 0xFF means "not
 * set".
 */
#ifndef HCCL_HCCL_CHANNEL_H_
#define HCCL_HCCL_CHANNEL_H_

#include "../hcomm/hcomm_channel.h"
#include "../hcomm/hcomm_res_defs.h"
#include "hccl_types.h"

/* Sources test for the first of the two and then define both, so both come together or not at all. Older ones define
 * UNLIKELY without asking, which only this very text survives. */
#if !defined(LIKELY) && !defined(UNLIKELY)
#define LIKELY(x) (static_cast<bool>(__builtin_expect(static_cast<bool>(x), 1)))
#define UNLIKELY(x) (static_cast<bool>(__builtin_expect(static_cast<bool>(x), 0)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void* HcclMemHandle;
typedef void* HcclChannelConfig;

static const uint32_t HCCL_CHANNEL_MAGIC_WORD = 0x0f0f0f0f;
static const uint32_t HCCL_CHANNEL_VERSION = 1;
static const uint32_t HCCL_CHANNEL_DESC_RAW_MAX_LEN = 128;
static const uint32_t HCCL_CHANNEL_CONFIG_SHARED_QUEUE_TAG_MAX_LEN = 255;

// clang-format off: tables
typedef enum HcclChannelConfigType {
  HCCL_CHANNEL_CONFIG_TYPE_INVALID = -1, HCCL_CHANNEL_CONFIG_TYPE_IS_SHARED_QUEUE = 0,
  HCCL_CHANNEL_CONFIG_TYPE_SHARED_QUEUE_TAG = 1
} HcclChannelConfigType;
// clang-format on

/**
 * What a channel shall be: peer, protocol, number of notifies per direction (at most 64). The attribute structures
 * share their place; channelProtocol says which one counts. __extension__: see EndpointLoc.
 */
__extension__ typedef struct HcclChannelDesc {
  CommAbiHeader header;
  uint32_t remoteRank;
  CommProtocol channelProtocol;
  EndpointDesc localEndpoint;
  EndpointDesc remoteEndpoint;
  uint32_t notifyNum;
  HcclMemHandle* memHandles;
  uint32_t memHandleNum;
  union {
    uint8_t raws[128];
    struct {
      uint32_t queueNum;
      uint32_t retryCnt;
      uint32_t retryInterval;
      uint8_t tc;
      uint8_t sl;
    } roceAttr;
    struct {
      uint8_t pathMode;
    } ubMemAttr;
  };
} HcclChannelDesc;

/**
 * Sets descNum descriptions to "nothing chosen": valid header, no peer, no protocol, no notifies, no memory handles,
 * all other bytes 0xFF.
 * @return HCCL_E_PTR for NULL.
 * Behaviour: resources, channels.
 */
static inline HcclResult HcclChannelDescInit(HcclChannelDesc* channelDesc, uint32_t descNum) {
  if (channelDesc == NULL) {
    return HCCL_E_PTR;
  }
  memset(channelDesc, 0xFF, sizeof(HcclChannelDesc) * descNum);
  for (uint32_t i = 0; i < descNum; ++i) {
    HcclChannelDesc* desc = &channelDesc[i];
    desc->header.version = HCCL_CHANNEL_VERSION;
    desc->header.magicWord = HCCL_CHANNEL_MAGIC_WORD;
    desc->header.size = (uint32_t)sizeof(HcclChannelDesc);
    desc->header.reserved = 0;
    desc->remoteRank = UINT32_MAX;
    desc->channelProtocol = COMM_PROTOCOL_RESERVED;
    desc->notifyNum = 0;
    desc->memHandles = NULL;
    desc->memHandleNum = 0;
    EndpointDescInit(&desc->localEndpoint, 1);
    EndpointDescInit(&desc->remoteEndpoint, 1);
  }
  return HCCL_SUCCESS;
}

/**
 * Connects to channelNum peers. Two-sided: the peer must ask for a channel to this rank with the same engine and
 * protocol, too; the call blocks until all are connected. The communicator owns the channels.
 * @param channels room for channelNum handles, in the order of the descriptions.
 * @return HCCL_E_PTR for NULL; HCCL_E_PARA for 0 channels, a description that was not initialised, a peer that is out
 * of range or this rank itself, or more than 64 notifies; HCCL_E_TIMEOUT when a peer did not come within
 * HCCL_CONNECT_TIMEOUT seconds. Behaviour: resources, channels.
 */
HcclResult HcclChannelAcquire(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                              uint32_t channelNum, ChannelHandle* channels);

/**
 * The peer's communication buffer as the data plane of this rank names it, and its size in bytes (which may differ from
 * the own one's).
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a channel that is not of this communicator.
 * Behaviour: resources, channels.
 */
HcclResult HcclChannelGetHcclBuffer(HcclComm comm, ChannelHandle channel, void** buffer, uint64_t* size);

/**
 * All memory of the peer that the channel reaches, with the tags under which the peer registered it: first its
 * communication buffer, tagged "HcclBuffer", then what the peer named in memHandles when it acquired its end. The
 * arrays belong to the library and live as long as the channel.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a channel that is not of this communicator.
 * Behaviour: resources, channels.
 */
HcclResult HcclChannelGetRemoteMems(HcclComm comm, ChannelHandle channel, uint32_t* memNum, CommMem** remoteMems,
                                    char*** memTags);

/**
 * The handles that HcclChannelAcquire gave for these descriptions; 0 where there is no channel yet. Does not wait and
 * does not contact anybody.
 * @return as HcclChannelAcquire for bad arguments. Behaviour: resources, channels.
 */
HcclResult HcclChannelQuery(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs, uint32_t channelNum,
                            ChannelHandle* channels);

/**
 * Destroys this rank's ends of channels; the peer has to destroy its own. Goes on after a failure and returns the first
 * one.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for 0 channels, HCCL_E_NOT_FOUND for a handle that is not a channel of this
 * communicator. Behaviour: resources, channels.
 */
HcclResult HcclChannelDestroy(HcclComm comm, const ChannelHandle* channels, uint32_t channelNum);

/**
 * Options for acquiring channels, set by HcclChannelConfigSetInt and HcclChannelConfigSetStr and freed by
 * HcclChannelConfigDestroy.
 * @return HCCL_E_PTR for NULL. Behaviour: resources, channels.
 */
HcclResult HcclChannelConfigCreate(HcclChannelConfig* config);
HcclResult HcclChannelConfigDestroy(HcclChannelConfig config);

/**
 * Sets an option: IS_SHARED_QUEUE is a number, 0 or 1; SHARED_QUEUE_TAG a string of at most 255 characters.
 * @return HCCL_E_PTR for NULL, HCCL_E_PARA for a bad type or value, or a type of the other kind.
 */
HcclResult HcclChannelConfigSetInt(HcclChannelConfig config, HcclChannelConfigType type, uint32_t value);
HcclResult HcclChannelConfigSetStr(HcclChannelConfig config, HcclChannelConfigType type, const char* value);

/**
 * As HcclChannelAcquire, with options; they are read before the call returns.
 * @param config NULL: no options.
 */
HcclResult HcclChannelAcquireWithConfig(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                                        uint32_t channelNum, HcclChannelConfig config, ChannelHandle* channels);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_CHANNEL_H_
