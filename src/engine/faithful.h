// What one product documents, for SOFTHCCL_FAITHFUL. By default the library accepts the union of what the products
// accept, so that a program is not held up by rules of a machine it does not run on; in faithful mode it refuses what
// the named product refuses, before anything is done, and names the rule. All rules are in one table (faithful.cc);
// calls ask here. Not faithful: one comparison.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace softhccl::engine {

enum class Product : std::uint8_t { kAny, kAscend910B, kAscend910_93, kAscend950 };

// Of SOFTHCCL_FAITHFUL; kAny when it is not set. Any thread.
Product FaithfulProduct();
inline bool IsFaithful() { return FaithfulProduct() != Product::kAny; }

// Each check answers ok for kAny. The vendor's numbers are those of HcclDataType, HcclReduceOp, CommEngine,
// CommProtocol.

// Does the product have this function, called from a kernel or from the host? Errors: kNotSupported (SH-P003).
base::Status CheckFunction(const char* function, bool in_kernel, Product product);
// The same for functions that depend on the protocol of the channel.
base::Status CheckTransfer(const char* function, int protocol, Product product);
// May the function be called for this engine? Errors: kInvalidParam or kNotSupported (SH-P001).
base::Status CheckEngine(const char* function, int engine, Product product);
// May host code queue data-plane tasks on a thread of this engine? Errors: kInvalidParam (SH-P001).
base::Status CheckHostThread(const char* function, int engine, Product product);
// May a thread of an engine be exported to another one? Errors: kInvalidParam (SH-P001).
base::Status CheckExport(int thread_engine, int engine, Product product);
// May a channel speak this protocol? Errors: kInvalidParam (SH-P002).
base::Status CheckProtocol(int protocol, Product product);
// May the product reduce this type with this operation, in its own memory or the peer's? Errors: as the product's
// (SH-P004).
base::Status CheckReduction(int data_type, int operation, bool is_remote, Product product);
// May a kernel queue tasks now? Errors: kInvalidParam (SH-P006).
base::Status CheckBatch(bool batch_is_open, Product product);
// May a kernel use a channel without holding its communicator? Errors: kInvalidParam (SH-P007).
base::Status CheckAcquired(bool is_acquired, Product product);
// May one call ask twice for the same channel? Errors: kInvalidParam (SH-P005).
base::Status CheckOccurrence(std::uint32_t occurrence, std::uint32_t remote_rank, Product product);
// Notifies per device.
std::uint32_t NotifyLimit(Product product);

}  // namespace softhccl::engine
