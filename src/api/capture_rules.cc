// The context that the calling thread works in decides which captures concern it.
#include "api/capture_rules.h"

#include "api/objects.h"
#include "engine/graph_capture.h"

namespace softhccl::api {
namespace {

base::Status Refuse(const char* call, base::Code code) {
  if (!engine::GraphCaptures::MayCapture()) return {};
  const auto context = CurrentContext();
  return engine::GraphCaptures::Get().RefuseUnsafe(call, context ? (*context)->handle() : 0, code);
}

}  // namespace

base::Status RefuseWhileCaptured(const char* call) { return Refuse(call, base::Code::kCaptureForbids); }

base::Status RefuseToBlockWhileCaptured(const char* call) { return Refuse(call, base::Code::kCaptureBlocksAsync); }

}  // namespace softhccl::api
