// Queueing, and waiting where the vendor's call would.
#include "api/acl_queue.h"

#include "api/capture_rules.h"
#include "api/objects.h"
#include "engine/graph_capture.h"

namespace softhccl::api {

base::Status QueueOn(exec::Stream& stream, std::span<const exec::Op> ops, const char* waiting_call) {
  if (waiting_call != nullptr) {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(waiting_call));
    SOFTHCCL_RETURN_IF_ERROR(RefuseToBlockWhileCaptured(waiting_call));
    if (engine::GraphCaptures::Get().Of(stream) != nullptr) {
      return base::Fail(
          base::Code::kInvalidParam,
          "host memory that devices do not know cannot be copied by a graph, because it may be gone at the "
          "replay; use aclrtMallocHost or aclrtHostRegister");
    }
  }
  exec::Scheduler& scheduler = engine::Runtime::Get().scheduler();
  SOFTHCCL_RETURN_IF_ERROR(scheduler.Submit(stream, ops));
  return waiting_call != nullptr ? scheduler.Drain(stream, base::kForever) : base::Status();
}

}  // namespace softhccl::api
