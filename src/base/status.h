// How every fallible operation of SoftHCCL answers: a code, a message, and the chain of what was being done.
// Whoever decides an error makes the Status; whoever passes it on may add context with While(). The mapping of
// codes to the vendor's numbers lives in api/error_map.cc and nowhere else.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace softhccl::base {

// The reasons an operation can fail for. Each has exactly one aclError and one HcclResult (api/error_map.cc).
enum class Code : std::uint8_t {
  kOk = 0,
  kNullPointer,      // a required pointer argument is null
  kInvalidArgument,  // an argument the interface layer refuses (zero size, bad enum)
  kInvalidParam,     // a value the runtime layer refuses (bad option, exceeded bound)
  kInvalidDevice,    // device id out of range
  kNoContext,        // no device is set on the calling thread
  kWrongContext,     // an object of another device or context
  kInvalidHandle,    // stale, foreign or wrong-kind handle
  kNotFound,
  kNotSupported,
  kUnavailable,  // a quota is exhausted
  kOutOfMemory,
  kFileError,      // a file is missing, unreadable or malformed
  kSyncTimeout,    // a synchronise call reached its limit; the work goes on
  kTimeout,        // a wait or a rendezvous reached its limit
  kKernelFailed,   // kernel returned non-zero, or its library or symbol was not found
  kKernelTimeout,  // kernel outlived its limit
  kRemote,         // another rank failed first
  kAgain,          // try again later: queue full, object in use
  kSuspended,      // the communicator is suspended
  kRepeated,       // initialise or finalise called once too often
  kStreamAborted,  // the program aborted the stream
  kDeviceAborted,  // the program aborted the tasks of the device
  // Graphs: what a capture or the structure of its graph does not allow.
  kStreamCaptured,      // a call waits for a stream that is captured, or captures it twice
  kStreamNotCaptured,   // a call needs a captured stream
  kEventCaptured,       // a call asks for an event that was recorded in a capture
  kCaptureForbids,      // a call that the mode of a capture forbids
  kCaptureBlocksAsync,  // the same for an asynchronous call that has to wait
  kCaptureUnjoined,     // a stream that joined a capture has work that nobody of it waits for
  kCaptureDependency,   // a captured stream waits for work outside of the capture
  kCaptureConflict,     // two captures would depend on each other
  kCaptureUnmatched,    // a capture is ended on another stream than it began on
  kCaptureWrongThread,  // a capture is ended on another thread than it began on
  kCaptureInvalid,      // a capture became invalid before it was ended
  kGraphAborted,        // the program aborted the replays of a graph
  kGraphCaptured,       // a call needs a graph whose capture has been ended
  kTaskGroup,           // a group of tasks is begun, ended or updated out of order
  kTaskNotSupported,    // a group of tasks cannot hold this one
  kArrayTooSmall,       // the caller's array has too little room
  kInternal,            // a defect of ours, or an operating-system failure without a better name
};

// Short stable name of a code, for logs: "null-pointer", "timeout", ...
std::string_view CodeName(Code code);

// Value type; copying a non-ok Status copies its text. Ok costs one null pointer. Any thread.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ == nullptr ? Code::kOk : rep_->code; }
  // "message, while a, while b"; empty when ok.
  const std::string& message() const;
  // The same status with ", while <context>" appended. No effect on ok.
  Status While(std::string_view context) &&;

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

template <typename T>
using Result = tl::expected<T, Status>;

// Builds a Status from a format string: Fail(Code::kNotFound, "no stream {}", id).
template <typename... Args>
Status Fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

// The same as a Result error: return FailResult(...);
template <typename... Args>
tl::unexpected<Status> FailResult(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Status>(Status(code, fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace softhccl::base

// Returns from the enclosing function when `expression` is a non-ok Status.
#define SOFTHCCL_RETURN_IF_ERROR(expression)                  \
  do {                                                        \
    ::softhccl::base::Status softhccl_status_ = (expression); \
    if (!softhccl_status_.ok()) return softhccl_status_;      \
  } while (false)

// The same in a function that returns Result<T>.
#define SOFTHCCL_RETURN_RESULT_IF_ERROR(expression)                                                           \
  do {                                                                                                        \
    ::softhccl::base::Status softhccl_status_ = (expression);                                                 \
    if (!softhccl_status_.ok()) return tl::unexpected<::softhccl::base::Status>(std::move(softhccl_status_)); \
  } while (false)
