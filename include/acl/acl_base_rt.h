/**
 * @file acl_base_rt.h
 * The vocabulary that every part of the ACL interface shares: the result type and its argument-level numbers, the
 * opaque handles, and the data types and formats. Runtime-level numbers are in error_codes/rt_error_codes.h. Names,
 * values and layouts follow the public interface, so that programs compiled against either set of headers agree.
 */
#ifndef ACL_ACL_BASE_RT_H_
#define ACL_ACL_BASE_RT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of an ACL call: 0 is success, any other number is one of the ACL_ERROR_* values. */
typedef int aclError;

/** 16-bit floating point value as its raw bits (IEEE 754 binary16). */
typedef uint16_t aclFloat16;

/* Opaque handles. They are valid in the process that made them; a destroyed handle is reported as an error, not
 * followed. */
typedef void* aclmdlRITask;
typedef void* aclrtAllocator;
typedef void* aclrtAllocatorAddr;
typedef void* aclrtAllocatorBlock;
typedef void* aclrtAllocatorDesc;
typedef void* aclrtCntNotify;
typedef void* aclrtContext;
typedef void* aclrtEvent;
typedef void* aclrtLabel;
typedef void* aclrtLabelList;
typedef void* aclrtMbuf;
typedef void* aclrtNotify;
typedef void* aclrtStream;
typedef void* aclrtTaskGrp;
typedef struct aclDataBuffer aclDataBuffer;

/* Results that the interface layer decides itself: wrong arguments, wrong order of calls, bad files. */
static const int ACL_ERROR_NONE = 0;
static const int ACL_SUCCESS = 0;
static const int ACL_ERROR_INVALID_PARAM = 100000;
static const int ACL_ERROR_UNINITIALIZE = 100001;
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;
static const int ACL_ERROR_INVALID_FILE = 100003;
static const int ACL_ERROR_WRITE_FILE = 100004;
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;
static const int ACL_ERROR_PARSE_FILE = 100006;
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;
static const int ACL_ERROR_INVALID_MODEL_ID = 100011;
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;
static const int ACL_ERROR_PARSE_MODEL = 100013;
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;
static const int ACL_ERROR_OP_NOT_FOUND = 100024;
static const int ACL_ERROR_OP_LOAD_FAILED = 100025;
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;
static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;
static const int ACL_ERROR_REPEAT_FINALIZE = 100037;
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;
static const int ACL_ERROR_GROUP_NOT_SET = 100040;
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;
static const int ACL_ERROR_PROF_NOT_RUN = 100043;
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;
static const int ACL_ERROR_DUMP_NOT_RUN = 100045;
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;
static const int ACL_ERROR_PROF_API_CONFLICT = 148047;
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;
static const int ACL_ERROR_INVALID_OPP_PATH = 148049;
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;
static const int ACL_ERROR_BAD_ALLOC = 200000;
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;
static const int ACL_ERROR_INVALID_DEVICE = 200002;
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;
static const int ACL_ERROR_INTERNAL_ERROR = 500000;
static const int ACL_ERROR_FAILURE = 500001;
static const int ACL_ERROR_GE_FAILURE = 500002;
static const int ACL_ERROR_RT_FAILURE = 500003;
static const int ACL_ERROR_DRV_FAILURE = 500004;
static const int ACL_ERROR_PROFILING_FAILURE = 500005;
static const int ACL_ERROR_GE_PARAM_INVALID = 145000;
static const int ACL_ERROR_GE_EXEC_NOT_INIT = 145001;
static const int ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID = 145002;
static const int ACL_ERROR_GE_EXEC_MODEL_ID_INVALID = 145003;
static const int ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID = 145006;
static const int ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID = 145007;
static const int ACL_ERROR_GE_EXEC_MODEL_QUEUE_ID_INVALID = 145008;
static const int ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED = 145009;
static const int ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID = 145011;
static const int ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID = 145012;
static const int ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID = 145013;
static const int ACL_ERROR_GE_AIPP_BATCH_EMPTY = 145014;
static const int ACL_ERROR_GE_AIPP_NOT_EXIST = 145015;
static const int ACL_ERROR_GE_AIPP_MODE_INVALID = 145016;
static const int ACL_ERROR_GE_OP_TASK_TYPE_INVALID = 145017;
static const int ACL_ERROR_GE_OP_KERNEL_TYPE_INVALID = 145018;
static const int ACL_ERROR_GE_PLGMGR_PATH_INVALID = 145019;
static const int ACL_ERROR_GE_FORMAT_INVALID = 145020;
static const int ACL_ERROR_GE_SHAPE_INVALID = 145021;
static const int ACL_ERROR_GE_DATATYPE_INVALID = 145022;
static const int ACL_ERROR_GE_MEMORY_ALLOCATION = 245000;
static const int ACL_ERROR_GE_MEMORY_OPERATE_FAILED = 245001;
static const int ACL_ERROR_GE_DEVICE_MEMORY_OPERATE_FAILED = 245002;
static const int ACL_ERROR_GE_SUBHEALTHY = 345102;
static const int ACL_ERROR_GE_USER_RAISE_EXCEPTION = 345103;
static const int ACL_ERROR_GE_DATA_NOT_ALIGNED = 345104;
static const int ACL_ERROR_GE_INTERNAL_ERROR = 545000;
static const int ACL_ERROR_GE_LOAD_MODEL = 545001;
static const int ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED = 545002;
static const int ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED = 545003;
static const int ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED = 545004;
static const int ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED = 545005;
static const int ACL_ERROR_GE_EXEC_RELEASE_MODEL_DATA = 545006;
static const int ACL_ERROR_GE_COMMAND_HANDLE = 545007;
static const int ACL_ERROR_GE_GET_TENSOR_INFO = 545008;
static const int ACL_ERROR_GE_UNLOAD_MODEL = 545009;
static const int ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT = 545601;
static const int ACL_ERROR_GE_REDEPLOYING = 545602;

// clang-format off
/* Element types, tensor formats, log levels, system switches. */
typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1, ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT8 = 2, ACL_INT32 = 3, ACL_UINT8 = 4, ACL_INT16 = 6,
    ACL_UINT16 = 7, ACL_UINT32 = 8, ACL_INT64 = 9, ACL_UINT64 = 10, ACL_DOUBLE = 11, ACL_BOOL = 12, ACL_STRING = 13,
    ACL_COMPLEX64 = 16, ACL_COMPLEX128 = 17, ACL_BF16 = 27, ACL_INT4 = 29, ACL_UINT1 = 30, ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34, ACL_FLOAT8_E5M2 = 35, ACL_FLOAT8_E4M3FN = 36, ACL_FLOAT8_E8M0 = 37, ACL_FLOAT6_E3M2 = 38,
    ACL_FLOAT6_E2M3 = 39, ACL_FLOAT4_E2M1 = 40, ACL_FLOAT4_E1M2 = 41
} aclDataType;

typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1, ACL_FORMAT_NCHW = 0, ACL_FORMAT_NHWC = 1, ACL_FORMAT_ND = 2, ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4, ACL_FORMAT_NC1HWC0_C04 = 12, ACL_FORMAT_HWCN = 16, ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29, ACL_FORMAT_NCDHW = 30, ACL_FORMAT_NDC1HWC0 = 32, ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35, ACL_FORMAT_NCL = 47, ACL_FORMAT_FRACTAL_NZ_C0_16 = 50, ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52, ACL_FORMAT_FRACTAL_NZ_C0_4 = 53, ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

typedef enum aclLogLevel {
    ACL_DEBUG = 0, ACL_INFO = 1, ACL_WARNING = 2, ACL_ERROR = 3
} aclLogLevel;

typedef enum aclMemType {
    ACL_MEMTYPE_DEVICE = 0, ACL_MEMTYPE_HOST = 1, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

typedef enum aclCannAttr {
    ACL_CANN_ATTR_UNDEFINED = -1, ACL_CANN_ATTR_INF_NAN = 0, ACL_CANN_ATTR_BF16 = 1, ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

typedef enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1, ACL_DEVICE_INFO_AI_CORE_NUM = 0, ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0, ACL_OPT_ENABLE_DEBUG_KERNEL = 1, ACL_OPT_STRONG_CONSISTENCY = 2,
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

// clang-format on

/**
 * Name of the device model, for example "Ascend950PR_9599". Operators choose their code path by a substring of it.
 * @return static text, or NULL when no device model is configured. The caller does not free it.
 * Behaviour: ACL runtime, device and context.
 */
const char* aclrtGetSocName(void);

/** Bytes of one element; 0 for unknown types and those smaller than a byte. Behaviour: ACL runtime, data types. */
size_t aclDataTypeSize(aclDataType dataType);

/** The value of a half, exactly. Behaviour: ACL runtime, data types. */
float aclFloat16ToFloat(aclFloat16 value);

/** The nearest half, ties to even; infinity beyond the range. Behaviour: ACL runtime, data types. */
aclFloat16 aclFloatToFloat16(float value);

/**
 * Describes data of the caller, which is neither copied nor freed. NULL when there is no room. Behaviour: ACL runtime,
 * data types.
 */
aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);

/** Frees the description. Behaviour: ACL runtime, data types. */
aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);

/** Replaces address and size. Behaviour: ACL runtime, data types. */
aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size);

/** The address; NULL for anything that is no data buffer. Behaviour: ACL runtime, data types. */
void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);

/**
 * The lower 32 bits of the size in bytes; 0 for anything that is no data buffer. Behaviour: ACL runtime, data types.
 */
uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer);

/** The size in bytes; 0 for anything that is no data buffer. Behaviour: ACL runtime, data types. */
size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);

/**
 * The attributes that are true here: infinity and NaN, bfloat16. The list is static. Behaviour: ACL runtime, data
 * types.
 */
aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);

/**
 * 1 when the attribute is true here, else 0; ACL_ERROR_INVALID_PARAM when it is unknown. Behaviour: ACL runtime, data
 * types.
 */
aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);

/**
 * Writes a line of the program, formatted as printf does, to the log of the library. Behaviour: ACL runtime, data
 * types.
 */
void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...);

/**
 * Number of AI cores or vector cores (0: there are none), or size of the L2 cache in bytes. Behaviour: ACL runtime,
 * device and context.
 */
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value);

/* Declared so that programs link: data buffers, conversions, attributes. Each says its name and is not supported. */

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_BASE_RT_H_
