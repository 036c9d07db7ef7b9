// Status out of line: the error path allocates, the ok path never reaches this file.
#include "base/status.h"

#include "base/check.h"

namespace softhccl::base {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk: return "ok";
    case Code::kNullPointer: return "null-pointer";
    case Code::kInvalidArgument: return "invalid-argument";
    case Code::kInvalidParam: return "invalid-param";
    case Code::kInvalidDevice: return "invalid-device";
    case Code::kNoContext: return "no-context";
    case Code::kWrongContext: return "wrong-context";
    case Code::kInvalidHandle: return "invalid-handle";
    case Code::kNotFound: return "not-found";
    case Code::kNotSupported: return "not-supported";
    case Code::kUnavailable: return "unavailable";
    case Code::kOutOfMemory: return "out-of-memory";
    case Code::kFileError: return "file-error";
    case Code::kSyncTimeout: return "sync-timeout";
    case Code::kTimeout: return "timeout";
    case Code::kKernelFailed: return "kernel-failed";
    case Code::kKernelTimeout: return "kernel-timeout";
    case Code::kRemote: return "remote";
    case Code::kAgain: return "again";
    case Code::kSuspended: return "suspended";
    case Code::kRepeated: return "repeated";
    case Code::kStreamAborted: return "stream-aborted";
    case Code::kDeviceAborted: return "device-aborted";
    case Code::kStreamCaptured: return "stream-captured";
    case Code::kStreamNotCaptured: return "stream-not-captured";
    case Code::kEventCaptured: return "event-captured";
    case Code::kCaptureForbids: return "capture-forbids";
    case Code::kCaptureBlocksAsync: return "capture-blocks-async";
    case Code::kCaptureUnjoined: return "capture-unjoined";
    case Code::kCaptureDependency: return "capture-dependency";
    case Code::kCaptureConflict: return "capture-conflict";
    case Code::kCaptureUnmatched: return "capture-unmatched";
    case Code::kCaptureWrongThread: return "capture-wrong-thread";
    case Code::kCaptureInvalid: return "capture-invalid";
    case Code::kGraphAborted: return "graph-aborted";
    case Code::kGraphCaptured: return "graph-captured";
    case Code::kTaskGroup: return "task-group";
    case Code::kTaskNotSupported: return "task-not-supported";
    case Code::kArrayTooSmall: return "array-too-small";
    case Code::kInternal: return "internal";
  }
  return "unknown";
}

Status::Status(Code code, std::string message) {
  SOFTHCCL_CHECK(code != Code::kOk);
  rep_ = std::make_unique<Rep>(Rep{code, std::move(message)});
}

Status::Status(const Status& other) : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
  return *this;
}

const std::string& Status::message() const {
  static const std::string kEmpty;
  return rep_ == nullptr ? kEmpty : rep_->message;
}

Status Status::While(std::string_view context) && {
  if (rep_ != nullptr) {
    rep_->message += ", while ";
    rep_->message += context;
  }
  return std::move(*this);
}

}  // namespace softhccl::base
