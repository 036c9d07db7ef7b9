/**
 * @file hccl_types.h
 * The types of the HCCL control plane: results, element types, operations, root information, communicator
 * configuration. They are without functions, so that tables and bindings can use them alone. HcclCommConfig grows at
 * its end from release to release; its head carries size and version, so that older programs stay valid.
 */
#ifndef HCCL_HCCL_TYPES_H_
#define HCCL_HCCL_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A communicator: a group of ranks that was set up together. */
typedef void* HcclComm;
typedef void* HcclConn;
typedef void* HcclCommSymWindow;

/* Lengths in bytes, with the end of the string. */
static const uint32_t HCCL_ROOT_INFO_BYTES = 4108;
static const uint32_t COMM_NAME_MAX_LENGTH = 128;
static const uint32_t BUFFER_NAME_MAX_LENGTH = 128;
static const uint32_t UDI_MAX_LENGTH = 128;
static const uint32_t HCCL_COMM_ALGO_MAX_LENGTH = 1600;
static const uint32_t HCCL_COMM_RETRY_ENABLE_MAX_LENGTH = 50;
static const uint32_t HCCL_COMM_RETRY_PARAMS_MAX_LENGTH = 128;
static const uint32_t HCCL_COMM_CONFIG_INFO_BYTES = 24;

/* Configuration: what proves it, and the "not set" marks. Buffer size in MB, time-out in seconds, stride in GB. */
static const uint32_t HCCL_COMM_CONFIG_MAGIC_WORD = 0xf0f0f0f0U;
static const uint32_t HCCL_COMM_CONFIG_VERSION = 11;
static const uint32_t HCCL_COMM_DEFAULT_BUFFSIZE = 200;
static const uint32_t HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET = 0xffffffffU;
static const uint32_t HCCL_COMM_DEFAULT_DETERMINISTIC = 0;
static const uint32_t HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET = 0xffffffffU;
static const uint32_t HCCL_COMM_DEFAULT_OP_EXPANSION_MODE = 0;
static const uint32_t HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET = 0xffffffffU;
static const uint32_t HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET = 0xffffffffU;
static const int32_t HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET = -1;
static const uint32_t HCCL_COMM_QOS_CONFIG_NOT_SET = 0xffffffffU;
static const uint32_t HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET = 0xffffffffU;
static const uint32_t HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE = 16;

// clang-format off: tables
/** Result of an HCCL call. Rule: a null pointer is PTR, another bad argument PARA, what this product cannot do NOT_SUPPORT, a quota
 * that is used up UNAVAIL, a peer that did not come in time TIMEOUT. */
typedef enum HcclResult {
  HCCL_SUCCESS = 0, HCCL_E_PARA = 1, HCCL_E_PTR = 2, HCCL_E_MEMORY = 3, HCCL_E_INTERNAL = 4, HCCL_E_NOT_SUPPORT = 5,
  HCCL_E_NOT_FOUND = 6, HCCL_E_UNAVAIL = 7, HCCL_E_SYSCALL = 8, HCCL_E_TIMEOUT = 9, HCCL_E_OPEN_FILE_FAILURE = 10,
  HCCL_E_TCP_CONNECT = 11, HCCL_E_ROCE_CONNECT = 12, HCCL_E_TCP_TRANSFER = 13, HCCL_E_ROCE_TRANSFER = 14,
  HCCL_E_RUNTIME = 15, HCCL_E_DRV = 16, HCCL_E_PROFILING = 17, HCCL_E_CCE = 18, HCCL_E_NETWORK = 19,
  HCCL_E_AGAIN = 20, HCCL_E_REMOTE = 21, HCCL_E_SUSPENDING = 22, HCCL_E_OPRETRY_FAIL = 23, HCCL_E_OOM = 24,
  HCCL_E_IN_STATUS = 1041, HCCL_E_RESERVED = 1042
} HcclResult;

/** How elements are joined. */
typedef enum HcclReduceOp {
  HCCL_REDUCE_SUM = 0, HCCL_REDUCE_PROD = 1, HCCL_REDUCE_MAX = 2, HCCL_REDUCE_MIN = 3, HCCL_REDUCE_RESERVED = 255
} HcclReduceOp;

/** Element types. 13 is not used. */
typedef enum HcclDataType {
  HCCL_DATA_TYPE_INT8 = 0, HCCL_DATA_TYPE_INT16 = 1, HCCL_DATA_TYPE_INT32 = 2, HCCL_DATA_TYPE_FP16 = 3,
  HCCL_DATA_TYPE_FP32 = 4, HCCL_DATA_TYPE_INT64 = 5, HCCL_DATA_TYPE_UINT64 = 6, HCCL_DATA_TYPE_UINT8 = 7,
  HCCL_DATA_TYPE_UINT16 = 8, HCCL_DATA_TYPE_UINT32 = 9, HCCL_DATA_TYPE_FP64 = 10, HCCL_DATA_TYPE_BFP16 = 11,
  HCCL_DATA_TYPE_INT128 = 12, HCCL_DATA_TYPE_HIF8 = 14, HCCL_DATA_TYPE_FP8E4M3 = 15, HCCL_DATA_TYPE_FP8E5M2 = 16,
  HCCL_DATA_TYPE_FP8E8M0 = 17, HCCL_DATA_TYPE_RESERVED = 255
} HcclDataType;

/** Process-wide switches. */
typedef enum HcclConfig {
  HCCL_DETERMINISTIC = 0, HCCL_CONFIG_RESERVED = 1
} HcclConfig;

/** Fields of the configuration that a library knows: those below its own number. */
typedef enum HcclCommConfigCapability {
  HCCL_COMM_CONFIG_BUFFER_SIZE = 0, HCCL_COMM_CONFIG_DETERMINISTIC = 1, HCCL_COMM_CONFIG_COMM_NAME = 2,
  HCCL_COMM_CONFIG_OP_EXPANSION_MODE = 3, HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV = 4, HCCL_COMM_CONFIG_WORLD_RANKID = 5,
  HCCL_COMM_CONFIG_JOBID = 6, HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE = 7, HCCL_COMM_CONFIG_EXEC_TIMEOUT = 8,
  HCCL_COMM_CONFIG_ALGO = 9, HCCL_COMM_CONFIG_RETRY = 10, HCCL_COMM_CONFIG_BUFFER_NAME = 11,
  HCCL_COMM_CONFIG_RESERVED = 12
} HcclCommConfigCapability;

/** Direction of one item of a batch. */
typedef enum HcclSendRecvType {
  HCCL_SEND = 0, HCCL_RECV = 1, HCCL_SEND_RECV_RESERVED = 2
} HcclSendRecvType;

/** Operation codes. 19 is not used. */
typedef enum HcclCMDType {
  HCCL_CMD_INVALID = 0, HCCL_CMD_BROADCAST = 1, HCCL_CMD_ALLREDUCE = 2, HCCL_CMD_REDUCE = 3, HCCL_CMD_SEND = 4,
  HCCL_CMD_RECEIVE = 5, HCCL_CMD_ALLGATHER = 6, HCCL_CMD_REDUCE_SCATTER = 7, HCCL_CMD_ALLTOALLV = 8,
  HCCL_CMD_ALLTOALLVC = 9, HCCL_CMD_ALLTOALL = 10, HCCL_CMD_GATHER = 11, HCCL_CMD_SCATTER = 12,
  HCCL_CMD_BATCH_SEND_RECV = 13, HCCL_CMD_BATCH_PUT = 14, HCCL_CMD_BATCH_GET = 15, HCCL_CMD_ALLGATHER_V = 16,
  HCCL_CMD_REDUCE_SCATTER_V = 17, HCCL_CMD_BATCH_WRITE = 18, HCCL_CMD_HALF_ALLTOALLV = 20, HCCL_CMD_ALL = 21,
  HCCL_CMD_FINALIZE = 100, HCCL_CMD_INTER_GROUP_SYNC = 101, HCCL_CMD_INIT = 102, HCCL_CMD_BARRIER = 103,
  HCCL_CMD_MAX = 104
} HcclCMDType;

/** State of a communicator. */
typedef enum HcclCommStatus {
  HCCL_COMM_STATUS_READY = 0, HCCL_COMM_STATUS_SUSPENDING = 1, HCCL_COMM_STATUS_INVALID = 254,
  HCCL_COMM_STATUS_RESERVED = 255
} HcclCommStatus;

/** When a state callback is called. */
typedef enum HcclCommStatePhase {
  HCCL_COMM_STATE_PHASE_INVALID = -1, HCCL_COMM_STATE_PHASE_DESTROY_PRE = 0, HCCL_COMM_STATE_PHASE_DESTROY_POST = 1,
  HCCL_COMM_STATE_PHASE_RESUME_PRE = 2, HCCL_COMM_STATE_PHASE_RESUME_POST = 3
} HcclCommStatePhase;

// clang-format on

typedef union HcclConfigValue {
  int32_t value;
} HcclConfigValue;

/** Opaque bytes that one rank makes and all ranks join with. */
typedef struct HcclRootInfoDef {
  char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

/** Configuration of one communicator; see HcclCommConfigInit. Buffer size in MB, execution time-out in seconds. */
typedef struct HcclCommConfigDef {
  char reserved[HCCL_COMM_CONFIG_INFO_BYTES];
  uint32_t hcclBufferSize;
  uint32_t hcclDeterministic;
  char hcclCommName[COMM_NAME_MAX_LENGTH];
  char hcclUdi[UDI_MAX_LENGTH];
  uint32_t hcclOpExpansionMode;
  uint32_t hcclRdmaTrafficClass;
  uint32_t hcclRdmaServiceLevel;
  uint32_t hcclWorldRankID;
  uint64_t hcclJobID;
  uint8_t aclGraphZeroCopyEnable;
  int32_t hcclExecTimeOut;
  char hcclAlgo[HCCL_COMM_ALGO_MAX_LENGTH];
  char hcclRetryEnable[HCCL_COMM_RETRY_ENABLE_MAX_LENGTH];
  char hcclRetryParams[HCCL_COMM_RETRY_PARAMS_MAX_LENGTH];
  char hcclBufferName[BUFFER_NAME_MAX_LENGTH];
  uint32_t hcclQos;
  uint64_t hcclSymWinMaxMemSizePerRank;
  uint32_t hcclChannelSqDepth;
} HcclCommConfig;

/** One item of a batch of sends and receives; count in elements. */
typedef struct HcclSendRecvItemDef {
  HcclSendRecvType sendRecvType;
  void* buf;
  uint64_t count;
  HcclDataType dataType;
  uint32_t remoteRank;
} HcclSendRecvItem;

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_TYPES_H_
