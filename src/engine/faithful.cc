// The rules of the products, in tables. Where the vendor's documentation and its code disagree, the documentation
// counts; docs/compat.md lists these places.
#include "engine/faithful.h"

#include <string>
#include <string_view>

#include "base/config.h"

namespace softhccl::engine {
namespace {

using base::Code;
using base::Status;

constexpr std::uint32_t Bit(int number) { return number >= 0 && number < 32 ? 1u << number : 0u; }
template <typename... Numbers>
constexpr std::uint32_t Bits(Numbers... numbers) {
  return (0u | ... | Bit(numbers));
}

constexpr const char* kEngineNames[] = {"CPU", "CPU_TS", "AICPU", "AICPU_TS", "AIV", "CCU"};
constexpr const char* kProtocolNames[] = {"HCCS",   "ROCE",   "PCIE", "SIO",       "UB_CTP",
                                          "UBC_TP", "UB_MEM", "UBOE", "HCCS_ONLY", "UB_RTP"};
constexpr const char* kTypeNames[] = {"int8",   "int16", "int32",  "fp16",   "fp32", "int64",
                                      "uint64", "uint8", "uint16", "uint32", "fp64", "bf16",
                                      "int128", "?",     "hif8",   "e4m3",   "e5m2", "e8m0"};
constexpr const char* kOperationNames[] = {"sum", "prod", "max", "min"};
constexpr int kRoce = 1;
constexpr std::uint32_t kSignedAndFloats = Bits(0, 1, 2, 3, 4, 11);
constexpr std::uint32_t kUnsigned = Bits(7, 8, 9);

// What is a property of the product as a whole.
struct Rules {
  const char* name;
  std::uint32_t protocols;
  std::uint32_t local_types;   // data types of reductions
  std::uint32_t remote_types;  // of writes and reads that reduce
  Code bad_remote_reduction;
  int host_engine;  // of the threads that host code may use
  std::uint32_t notifies;
  bool needs_batch;    // tasks of kernels start in batch mode only
  bool needs_acquire;  // channels in kernels need the communicator
  bool has_occurrences;
};
constexpr std::uint32_t kOperations = Bits(0, 2, 3);  // no product multiplies

constexpr Rules kAscend910B = {
    "Ascend910B", Bits(0, 1, 3, 8), kSignedAndFloats, kSignedAndFloats, Code::kInvalidParam, 1, 8192, true, true,
    false};
constexpr Rules kAscend910_93 = {
    "Ascend910_93", Bits(0, 1, 3, 8), kSignedAndFloats, kSignedAndFloats, Code::kInvalidParam, 1, 8192, true, true,
    false};
constexpr Rules kAscend950 = {"Ascend950",
                              Bits(1, 4, 5, 6, 7, 9),
                              kSignedAndFloats,
                              kSignedAndFloats | kUnsigned,
                              Code::kInternal,
                              0,
                              65535,
                              false,
                              false,
                              true};

const Rules& RulesOf(Product product) {
  if (product == Product::kAscend910B) return kAscend910B;
  return product == Product::kAscend910_93 ? kAscend910_93 : kAscend950;
}

// Where a function is missing.
enum Place : std::uint8_t { kOldHost = 1, kOldKernel = 2, kNewHost = 4, kNewKernel = 8 };
constexpr std::uint8_t kOld = kOldHost | kOldKernel;

struct Missing {
  std::string_view function;
  std::uint8_t places;
  const char* advice;
};
constexpr Missing kMissing[] = {
    {"HcommWriteWithNotifyOnThread", kOld | kNewHost, "write, then record with HcommChannelNotifyRecordOnThread"},
    {"HcommWriteReduceWithNotifyOnThread", kOld | kNewHost, "write with reduce, then record the notify"},
    {"HcommAicpuTsTaskCacheLookup", kOld | kNewHost, "queue the tasks at every launch"},
    {"HcommAicpuTsTaskCacheStart", kOld | kNewHost, "queue the tasks at every launch"},
    {"HcommAicpuTsTaskCacheEnd", kOld | kNewHost, "queue the tasks at every launch"},
    {"HcommAicpuTsTaskCacheExecute", kOld | kNewHost, "queue the tasks at every launch"},
    {"HcommAicpuTsTaskCacheClear", kOld | kNewHost, "queue the tasks at every launch"},
    {"HcommReadNbi", kOld | kNewKernel, "use HcommReadOnThread"},
    {"HcommReadNbiOnThread", kOld | kNewKernel, "use HcommReadOnThread"},
    {"HcommWriteNbi", kOld | kNewKernel, "use HcommWriteOnThread"},
    {"HcommWriteNbiOnThread", kOld | kNewKernel, "use HcommWriteOnThread"},
    {"HcommWriteWithNotifyNbi", kOld | kNewKernel, "write, then record the notify"},
    {"HcommWriteWithNotifyNbiOnThread", kOld | kNewKernel, "write, then record the notify"},
    {"HcommChannelNotifyRecord", kOld | kNewKernel, "use HcommChannelNotifyRecordOnThread"},
    {"HcommChannelNotifyWait", kOld | kNewKernel, "use HcommChannelNotifyWaitOnThread"},
    {"HcommChannelFence", kOld | kNewKernel, "tasks of one thread are in order"},
    {"HcommFenceOnThread", kOld | kNewKernel, "tasks of one thread are in order"},
    {"HcommFlush", kOld | kNewKernel, "tasks of one thread are in order"},
    {"HcommThreadResAcquireTimeOut", kOldHost | kNewHost, "call it in the kernel"},
    {"HcommAclrtNotifyRecordOnThread", kNewHost | kNewKernel, "use HcommThreadNotifyRecordOnThread"},
    {"HcommAclrtNotifyWaitOnThread", kNewHost | kNewKernel, "use HcommThreadNotifyWaitOnThread"},
    {"HcclAicpuKernelLaunch", kOld, "launch with aclrtLaunchKernelWithConfig"},
    {"HcclGetHcclBufferCleared", kOld, "use HcclGetHcclBuffer and clear it"},
    {"HcclThreadResGetInfo", kOld, "use HcclThreadAcquireWithStream to know the stream"},
    {"HcclChannelQuery", kOld, "keep the handles of HcclChannelAcquire"},
    {"HcclCommMemReg", kOld, "use the HcclBuffer"},
    {"HcclCommAddExchangeInfo", kOld, "exchange it outside of the library"},
    {"HcclCommGetExchangeInfo", kOld, "exchange it outside of the library"},
    {"HcclCommResetExchangeInfo", kOld, "exchange it outside of the library"},
    {"HcclCommGetStatus", kOld, "use HcclGetCommAsyncError"},
    {"HcclConfigGetInfo", kOld, "read the configuration that you gave"},
    {"HcclRankGraphGetTopoInstsByLayer", kOld, "use HcclRankGraphGetInstSizeListByLayer"},
    {"HcclRankGraphGetTopoType", kOld, "use HcclRankGraphGetTopoTypeByLayer"},
    {"HcclRankGraphGetRanksByTopoInst", kOld, "use HcclRankGraphGetRanksByLayer"},
    {"HcclRankGraphGetEndpointNum", kOld, "use HcclRankGraphGetLinks"},
    {"HcclRankGraphGetEndpointDesc", kOld, "use HcclRankGraphGetLinks"},
    {"HcclRankGraphGetEndpointInfo", kOld, "use HcclRankGraphGetLinks"},
    {"HcommEndpointCreate", kOld, "use a communicator and HcclChannelAcquire"},
    {"HcommChannelCreate", kOld, "use a communicator and HcclChannelAcquire"},
    {"HcommMemReg", kOld, "use the HcclBuffer"},
    {"HcommMemExport", kOld, "use the HcclBuffer"},
    {"HcommMemImport", kOld, "use the HcclBuffer"},
};

// Functions of the older products that depend on the protocol.
struct OldTransfer {
  std::string_view function;
  bool is_for_roce;  // only over RoCE, or only over anything else
};
constexpr OldTransfer kOldTransfers[] = {
    {"HcommBatchTransferOnThread", true}, {"HcommChannelDrainOnThread", true}, {"HcommReadReduceOnThread", false}};

// Engines that a function accepts.
struct EngineRule {
  std::string_view function;
  std::uint32_t old_engines;
  std::uint32_t new_engines;
  Code code;
};
constexpr EngineRule kEngineRules[] = {
    {"HcclChannelAcquire", Bits(0, 1, 2, 3, 4), Bits(0, 2, 3, 4, 5), Code::kInvalidParam},
    {"HcclThreadAcquire", Bits(0, 1, 2, 3), Bits(0, 1, 2, 3), Code::kNotSupported},
    {"HcclThreadAcquireWithStream", Bits(0, 1, 5), Bits(0, 1, 5), Code::kInvalidParam},
    {"HcclThreadAcquireWithConfig", Bits(0, 2), Bits(0, 2), Code::kInvalidParam},
    {"HcclChannelDestroy", 0, Bits(5), Code::kNotSupported},
};

bool IsOld(Product product) { return product != Product::kAscend950; }

template <std::size_t kCount>
std::string NameOf(const char* const (&names)[kCount], int number) {
  return number >= 0 && static_cast<std::size_t>(number) < kCount ? names[number] : std::to_string(number);
}

template <std::size_t kCount>
std::string NamesOf(const char* const (&names)[kCount], std::uint32_t bits) {
  std::string text;
  for (std::size_t i = 0; i < kCount; ++i) {
    if ((bits & Bit(static_cast<int>(i))) != 0) text += (text.empty() ? "" : ", ") + std::string(names[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Product FaithfulProduct() {
  static const Product product = [] {
    const std::string& name = base::ProcessConfig().faithful;
    for (const Product one : {Product::kAscend910B, Product::kAscend910_93, Product::kAscend950}) {
      if (name == RulesOf(one).name) return one;
    }
    return Product::kAny;
  }();
  return product;
}

Status CheckFunction(const char* function, bool in_kernel, Product product) {
  if (product == Product::kAny) return {};
  const std::uint8_t place = IsOld(product) ? (in_kernel ? kOldKernel : kOldHost) : (in_kernel ? kNewKernel : kNewHost);
  for (const Missing& missing : kMissing) {
    if (missing.function != function || (missing.places & place) == 0) continue;
    return base::Fail(Code::kNotSupported, "{} does not have {} {}; {} (SH-P003)", RulesOf(product).name, function,
                      in_kernel ? "in kernels" : "on the host", missing.advice);
  }
  return {};
}

Status CheckTransfer(const char* function, int protocol, Product product) {
  if (product == Product::kAny || !IsOld(product)) return {};
  for (const OldTransfer& transfer : kOldTransfers) {
    if (transfer.function != function || transfer.is_for_roce == (protocol == kRoce)) continue;
    return base::Fail(Code::kNotSupported, "{} has {} {} RoCE only; this channel speaks {} (SH-P003)",
                      RulesOf(product).name, function, transfer.is_for_roce ? "over" : "over protocols other than",
                      NameOf(kProtocolNames, protocol));
  }
  return {};
}

Status CheckEngine(const char* function, int engine, Product product) {
  if (product == Product::kAny) return {};
  for (const EngineRule& rule : kEngineRules) {
    const std::uint32_t engines = IsOld(product) ? rule.old_engines : rule.new_engines;
    if (rule.function != function || (engines & Bit(engine)) != 0) continue;
    return base::Fail(rule.code, "engine {} ({}): {} accepts for {} these engines: {} (SH-P001)", engine,
                      NameOf(kEngineNames, engine), RulesOf(product).name, function, NamesOf(kEngineNames, engines));
  }
  return {};
}

Status CheckHostThread(const char* function, int engine, Product product) {
  if (product == Product::kAny || engine == RulesOf(product).host_engine) return {};
  return base::Fail(
      Code::kInvalidParam, "engine {} ({}): on {} host code calls {} for threads of engine {} only (SH-P001)", engine,
      NameOf(kEngineNames, engine), RulesOf(product).name, function, kEngineNames[RulesOf(product).host_engine]);
}

Status CheckExport(int thread_engine, int engine, Product product) {
  const bool is_from_host = thread_engine == 0 || thread_engine == 1;
  const bool is_to_host = engine == 0 || engine == 1 || engine == 5;
  if (product == Product::kAny || !is_from_host || !is_to_host) return {};
  return base::Fail(
      Code::kInvalidParam,
      "dstCommEngine {} ({}): {} exports to the host only what was acquired for kernels; this thread is of "
      "engine {} (SH-P001)",
      engine, NameOf(kEngineNames, engine), RulesOf(product).name, kEngineNames[thread_engine]);
}

Status CheckProtocol(int protocol, Product product) {
  if (product == Product::kAny || (RulesOf(product).protocols & Bit(protocol)) != 0) return {};
  return base::Fail(Code::kInvalidParam, "channelProtocol {} ({}): channels of {} speak {} (SH-P002)", protocol,
                    NameOf(kProtocolNames, protocol), RulesOf(product).name,
                    NamesOf(kProtocolNames, RulesOf(product).protocols));
}

Status CheckReduction(int data_type, int operation, bool is_remote, Product product) {
  if (product == Product::kAny) return {};
  const Rules& rules = RulesOf(product);
  const std::uint32_t types = is_remote ? rules.remote_types : rules.local_types;
  if ((types & Bit(data_type)) != 0 && (kOperations & Bit(operation)) != 0) return {};
  return base::Fail(is_remote ? rules.bad_remote_reduction : Code::kInvalidParam,
                    "reducing {} (dataType {}) with {} (reduceOp {}): {} reduces {} with {} {} (SH-P004)",
                    NameOf(kTypeNames, data_type), data_type, NameOf(kOperationNames, operation), operation, rules.name,
                    NamesOf(kTypeNames, types), NamesOf(kOperationNames, kOperations),
                    is_remote ? "between ranks" : "in local memory");
}

Status CheckBatch(bool batch_is_open, Product product) {
  if (product == Product::kAny || batch_is_open || !RulesOf(product).needs_batch) return {};
  return base::Fail(Code::kInvalidParam,
                    "no batch is open: on {} tasks that a kernel queues outside of HcommBatchModeStart and "
                    "HcommBatchModeEnd never start (SH-P006)",
                    RulesOf(product).name);
}

Status CheckAcquired(bool is_acquired, Product product) {
  if (product == Product::kAny || is_acquired || !RulesOf(product).needs_acquire) return {};
  return base::Fail(Code::kInvalidParam,
                    "the communicator is not acquired: on {} a kernel calls HcommAcquireComm before it uses channels "
                    "(SH-P007)",
                    RulesOf(product).name);
}

Status CheckOccurrence(std::uint32_t occurrence, std::uint32_t remote_rank, Product product) {
  if (product == Product::kAny || occurrence == 0 || RulesOf(product).has_occurrences) return {};
  return base::Fail(
      Code::kInvalidParam,
      "remoteRank {} is asked for {} times with the same engine and protocol: {} has one such channel per "
      "rank (SH-P005)",
      remote_rank, occurrence + 1, RulesOf(product).name);
}

std::uint32_t NotifyLimit(Product product) { return RulesOf(product).notifies; }

}  // namespace softhccl::engine
