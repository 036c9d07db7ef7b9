/**
 * @file hcomm_res_defs.h
 * The resources that communication operators handle: engines, protocols, addresses, endpoints, threads, channels. Both
 * the control plane (Hccl*) and the data plane (Hcomm*) use them, so they are below both. Structures carry a header
 * with magic word, version and size; fill them with the *Init functions, which also set every unused byte to the "not
 * set" pattern 0xFF.
 */
#ifndef HCOMM_HCOMM_RES_DEFS_H_
#define HCOMM_HCOMM_RES_DEFS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a data-plane call; the numbers are those of HcclResult. */
typedef int32_t HcommResult;

typedef void* EndpointHandle;
typedef void* HcommMemHandle;
typedef void* HcommSocket;

/** A connection to one peer. 0 is never valid. */
#ifndef CHANNEL_HANDLE_DEFINED
#define CHANNEL_HANDLE_DEFINED
typedef uint64_t ChannelHandle;
#endif

/** A queue of communication tasks, executed in order. 0 is never valid. */
#ifndef THREAD_HANDLE_DEFINED
#define THREAD_HANDLE_DEFINED
typedef uint64_t ThreadHandle;
#endif

static const uint32_t COMM_ADDR_EID_LEN = 16;
static const uint32_t HCOMM_THREAD_CONFIG_MAGIC_WORD = 0x0f0f0f2f;
static const uint32_t HCOMM_THREAD_CONFIG_VERSION = 1;

// clang-format off: tables
typedef enum ThreadType { THREAD_TYPE_INVALID = -1, THREAD_TYPE_TS = 0 } ThreadType;

/** Who executes the tasks: host CPU, AI CPU, vector cores, communication unit; _TS: through the task scheduler. */
typedef enum CommEngine {
  COMM_ENGINE_RESERVED = -1, COMM_ENGINE_CPU = 0, COMM_ENGINE_CPU_TS = 1, COMM_ENGINE_AICPU = 2,
  COMM_ENGINE_AICPU_TS = 3, COMM_ENGINE_AIV = 4, COMM_ENGINE_CCU = 5
} CommEngine;

/** What carries the data. UBC_CTP and UBG are the older spellings of UB_CTP and UB_RTP. */
typedef enum CommProtocol {
  COMM_PROTOCOL_RESERVED = -1, COMM_PROTOCOL_HCCS = 0, COMM_PROTOCOL_ROCE = 1, COMM_PROTOCOL_PCIE = 2,
  COMM_PROTOCOL_SIO = 3, COMM_PROTOCOL_UB_CTP = 4, COMM_PROTOCOL_UBC_CTP = 4, COMM_PROTOCOL_UBC_TP = 5,
  COMM_PROTOCOL_UB_MEM = 6, COMM_PROTOCOL_UBOE = 7, COMM_PROTOCOL_HCCS_ONLY = 8, COMM_PROTOCOL_UB_RTP = 9,
  COMM_PROTOCOL_UBG = 9
} CommProtocol;

typedef enum CommAddrType {
  COMM_ADDR_TYPE_RESERVED = -1, COMM_ADDR_TYPE_IP_V4 = 0, COMM_ADDR_TYPE_IP_V6 = 1, COMM_ADDR_TYPE_ID = 2,
  COMM_ADDR_TYPE_EID = 3
} CommAddrType;

typedef enum EndpointLocType {
  ENDPOINT_LOC_TYPE_RESERVED = -1, ENDPOINT_LOC_TYPE_DEVICE = 0, ENDPOINT_LOC_TYPE_HOST = 1
} EndpointLocType;

typedef enum CommMemType { COMM_MEM_TYPE_INVALID = -1, COMM_MEM_TYPE_DEVICE = 0, COMM_MEM_TYPE_HOST = 1 } CommMemType;

typedef enum HcommSocketRole {
  HCOMM_SOCKET_ROLE_RESERVED = -1, HCOMM_SOCKET_ROLE_CLIENT = 0, HCOMM_SOCKET_ROLE_SERVER = 1
} HcommSocketRole;

typedef enum HcommEndpointFeatureType {
  HCOMM_ENDPOINT_FEATURE_INVALID = -1, HCOMM_ENDPOINT_FEATURE_NDA = 0
} HcommEndpointFeatureType;

typedef enum ThreadResType { THREAD_RES_TYPE_INVALID = -1, THREAD_RES_TYPE_STREAM = 0 } ThreadResType;
// clang-format on

/** First member of versioned structures: which version, a word that proves initialisation, and the caller's size in
 * bytes. */
typedef struct CommAbiHeader {
  uint32_t version;
  uint32_t magicWord;
  uint32_t size;
  uint32_t reserved;
} CommAbiHeader;

typedef struct ThreadConfig {
  CommAbiHeader header;
  uint16_t notifyNumPerThread;
  uint8_t reserved[14];
} ThreadConfig;

/** An address; type says which member holds it. */
typedef struct CommAddr {
  CommAddrType type;
  union {
    uint8_t raws[36];
    struct in_addr addr;
    struct in6_addr addr6;
    uint32_t id;
    uint8_t eid[16];
  };
} CommAddr;

/**
 * Where an endpoint sits; locType says whether device or host is meant. The mark before typedef is for pedantic
 * compilers: ISO C++ has no structures inside an unnamed union, but the member names are part of the interface.
 */
__extension__ typedef struct EndpointLoc {
  EndpointLocType locType;
  union {
    uint8_t raws[60];
    struct {
      uint32_t devPhyId;
      uint32_t superDevId;
      uint32_t serverIdx;
      uint32_t superPodIdx;
    } device;
    struct {
      uint32_t id;
    } host;
  };
} EndpointLoc;

/** One end of a link: protocol, address, place. */
typedef struct EndpointDesc {
  CommProtocol protocol;
  CommAddr commAddr;
  EndpointLoc loc;
  union {
    uint8_t raws[52];
  };
} EndpointDesc;

/** A piece of memory; size in bytes. */
typedef struct CommMem {
  CommMemType type;
  void* addr;
  uint64_t size;
} CommMem;

/**
 * Sets num endpoints to "nothing chosen": every byte 0xFF, which makes protocol, address type and place RESERVED (-1).
 * @return 0, or 2 (HCCL_E_PTR) for NULL.
 */
static inline HcommResult EndpointDescInit(EndpointDesc* endpoint, uint32_t num) {
  if (endpoint == NULL) {
    return 2;
  }
  memset(endpoint, 0xFF, sizeof(EndpointDesc) * num);
  for (uint32_t i = 0; i < num; ++i) {
    endpoint[i].protocol = COMM_PROTOCOL_RESERVED;
    endpoint[i].commAddr.type = COMM_ADDR_TYPE_RESERVED;
    endpoint[i].loc.locType = ENDPOINT_LOC_TYPE_RESERVED;
  }
  return 0;
}

/**
 * Sets num thread configurations to "no notifies": valid header, all other bytes 0.
 * @return 0, or 2 (HCCL_E_PTR) for NULL.
 */
static inline HcommResult ThreadConfigInit(ThreadConfig* config, uint32_t num) {
  if (config == NULL) {
    return 2;
  }
  memset(config, 0, sizeof(ThreadConfig) * num);
  for (uint32_t i = 0; i < num; ++i) {
    config[i].header.version = HCOMM_THREAD_CONFIG_VERSION;
    config[i].header.magicWord = HCOMM_THREAD_CONFIG_MAGIC_WORD;
    config[i].header.size = (uint32_t)sizeof(ThreadConfig);
  }
  return 0;
}

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_RES_DEFS_H_
