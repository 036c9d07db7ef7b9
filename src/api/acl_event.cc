// Events: marks in streams that are recorded, waited for, queried, and whose times are compared.
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "api/objects.h"
#include "api/process_settings.h"
#include "api/report.h"
#include "engine/graph_capture.h"
#include "engine/stream_event.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using engine::EventUse;
using engine::GraphCaptures;
using engine::Runtime;
using engine::StreamEvent;
using engine::ops::EventTask;

namespace {

using Event = std::shared_ptr<StreamEvent>;

constexpr std::uint32_t kMaxEvents = 65535;  // of a process
constexpr std::uint32_t kKnownFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                                      ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL;

base::Result<Event> FindEvent(aclrtEvent event) { return Runtime::Get().events().Find(Bits(event)); }

aclError CreateEvent(const char* call, aclrtEvent* event, StreamEvent::Kind kind, std::uint32_t flag) {
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    const std::uint32_t known = kind == StreamEvent::Kind::kEx ? kKnownFlags | ACL_EVENT_IPC : kKnownFlags;
    if (flag == 0 || (flag & ~known) != 0) {
      return base::Fail(Code::kInvalidParam, "flag 0x{:x} is not valid; combine bits of 0x{:x} (ACL_EVENT_...)", flag,
                        known);
    }
    if (kind == StreamEvent::Kind::kWithFlag && (flag & ACL_EVENT_EXTERNAL) != 0 && flag != ACL_EVENT_EXTERNAL) {
      return base::Fail(Code::kInvalidParam,
                        "flag 0x{:x} is not valid; ACL_EVENT_EXTERNAL cannot be combined with other flags", flag);
    }
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    engine::EventTable& events = Runtime::Get().events();
    if (events.live() >= kMaxEvents) {
      return base::Fail(Code::kUnavailable, "{} events exist, the limit; destroy some first", events.live());
    }
    auto made = std::make_shared<StreamEvent>();
    made->kind = kind;
    made->flags = flag;
    made->device = device->id();
    made->is_latch = kind == StreamEvent::Kind::kWithFlag && flag == ACL_EVENT_EXTERNAL;
    SOFTHCCL_ASSIGN(handle, events.Add(made));
    if (made->is_latch) made->SetCurrent(made->MakeCapture(Runtime::Get().scheduler()));
    *event = Handle(handle);
    return {};
  });
  if (status.code() == Code::kUnavailable) return ReportAclAs(call, status, ACL_ERROR_RT_NO_EVENT_RESOURCE);
  return ReportAcl(call, status);
}

// Queues `op`; frees what it owns when it cannot be queued.
Status Queue(exec::Stream& stream, exec::Op op, std::uint64_t* number = nullptr) {
  Status queued = Runtime::Get().scheduler().Submit(stream, {&op, 1}, number);
  if (!queued.ok()) op.op_class->skip(op, queued);
  return queued;
}

bool IsCaptured(const exec::Stream& stream) { return GraphCaptures::Get().Of(stream) != nullptr; }

// External records and waits belong to graphs, and to events that are made for nothing else.
Status CheckExternal(const StreamEvent& event, const exec::Stream& stream) {
  if (event.kind != StreamEvent::Kind::kEx || event.flags != ACL_EVENT_SYNC) {
    return base::Fail(
        Code::kInvalidParam,
        "flag 1 (external) needs an event that aclrtCreateEventExWithFlag made with ACL_EVENT_SYNC alone; "
        "{} is another",
        event.label);
  }
  if (IsCaptured(stream)) return {};
  return base::Fail(Code::kStreamNotCaptured, "flag 1 (external) is for streams that are captured; use 0 (default)");
}

Status CheckNotRecorded(StreamEvent& event) {
  const std::lock_guard lock(event.mutex);
  if (!event.was_recorded) return {};
  return base::Fail(Code::kInvalidParam,
                    "{} was recorded by aclrtRecordEvent before; external ones need one of their own", event.label);
}

// A record or reset that is decided when it runs, or at the replay.
Status QueueForEvent(exec::Op (*make)(EventTask), Event event, EventUse use, exec::Stream& stream, void* site) {
  exec::Op op = make({std::move(event), nullptr, use});
  op.call_site = site;
  return Queue(stream, op);
}

Status Record(aclrtEvent event, aclrtStream stream, bool is_external, void* site) {
  SOFTHCCL_REQUIRE(event);
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(found, FindEvent(event));
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  if (is_external) {
    SOFTHCCL_RETURN_IF_ERROR(CheckExternal(*found, *target));
    SOFTHCCL_RETURN_IF_ERROR(CheckNotRecorded(*found));
    return QueueForEvent(engine::ops::EventRecord, found, EventUse::kExternal, *target, site);
  }
  if (found->is_latch) return QueueForEvent(engine::ops::EventRecord, found, EventUse::kLatch, *target, site);
  auto capture = found->MakeCapture(Runtime::Get().scheduler());
  capture->stream = target->handle;
  exec::Op op = engine::ops::EventRecord({found, capture});
  op.call_site = site;
  const std::lock_guard lock(found->mutex);  // two records in one order for the stream and for the event
  SOFTHCCL_RETURN_IF_ERROR(Queue(*target, op, &capture->number));
  found->current = std::move(capture);
  found->was_recorded = true;
  return {};
}

Status WaitFor(aclrtStream stream, aclrtEvent event, bool is_external, base::Nanos limit, void* site) {
  SOFTHCCL_REQUIRE(event);
  SOFTHCCL_ASSIGN(device, CurrentDevice());
  SOFTHCCL_ASSIGN(found, FindEvent(event));
  if (found->kind != StreamEvent::Kind::kPlain && (found->flags & (ACL_EVENT_SYNC | ACL_EVENT_IPC)) == 0 &&
      !found->is_latch) {
    return base::Fail(Code::kNotSupported,
                      "event {} was made with flag 0x{:x}; a stream can wait only for events with ACL_EVENT_SYNC or "
                      "ACL_EVENT_IPC",
                      found->id, found->flags);
  }
  SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
  EventTask task{found, nullptr, found->is_latch ? EventUse::kLatch : EventUse::kOrdinary};
  if (is_external) {
    SOFTHCCL_RETURN_IF_ERROR(CheckExternal(*found, *target));
    SOFTHCCL_RETURN_IF_ERROR(CheckNotRecorded(*found));
    task.use = EventUse::kExternal;
  } else if (!found->is_latch) {
    task.capture = found->Current();
    if (task.capture == nullptr) return {};  // nothing was recorded: there is nothing to wait for
    if (task.capture->recorded_in.load() != 0 && task.capture->done()) return task.capture->failure();
  }
  exec::Op op = engine::ops::EventWait(std::move(task), limit);
  op.call_site = site;
  return Queue(*target, op);
}

Status CheckBit(const char* name, std::uint32_t flag) {
  if (flag <= 1) return {};
  return base::Fail(Code::kInvalidParam, "{} {} is not known; use 0 (default) or 1 (external)", name, flag);
}

// Errors: kNotFound when there is no time to tell.
base::Result<base::Nanos> TimeOf(aclrtEvent event, const char* argument) {
  auto found = FindEvent(event);
  if (!found) return tl::unexpected(found.error());
  StreamEvent& one = **found;
  if (one.kind != StreamEvent::Kind::kPlain && (one.flags & ACL_EVENT_TIME_LINE) == 0) {
    return base::FailResult(Code::kNotFound, "{}: event {} was made without ACL_EVENT_TIME_LINE and has no time",
                            argument, one.id);
  }
  const auto capture = one.Current();
  if (capture == nullptr) return base::FailResult(Code::kNotFound, "{}: event {} was not recorded", argument, one.id);
  if (!capture->done() || !capture->failure().ok()) {
    return base::FailResult(Code::kNotFound, "{}: event {} was not reached yet; synchronise with it first", argument,
                            one.id);
  }
  return capture->time();
}

aclError ReportTime(const char* call, const Status& status) {
  if (status.code() == Code::kNotFound) return ReportAclAs(call, status, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  return ReportAcl(call, status);
}

aclError Synchronise(const char* call, aclrtEvent event, base::Nanos limit) {
  bool told = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel(call));
    SOFTHCCL_ASSIGN(found, FindEvent(event));
    const auto capture = found->Current();
    if (capture == nullptr) return {};
    SOFTHCCL_RETURN_IF_ERROR(GraphCaptures::Get().RefuseCaptured(*capture, call));
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    const base::Nanos deadline = limit == base::kForever ? base::kForever : scheduler.Now() + limit;
    SOFTHCCL_RETURN_IF_ERROR(capture->Synchronise(deadline));
    told = true;
    return capture->failure();
  });
  if (told) return ReportKnownAcl(call, status);
  if (status.code() == Code::kSyncTimeout) return ReportAclAs(call, status, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  return ReportAcl(call, status);
}

}  // namespace

extern "C" aclError aclrtCreateEvent(aclrtEvent* event) {
  return CreateEvent("aclrtCreateEvent", event, StreamEvent::Kind::kPlain, kKnownFlags);
}

extern "C" aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return CreateEvent("aclrtCreateEventWithFlag", event, StreamEvent::Kind::kWithFlag, flag);
}

extern "C" aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return CreateEvent("aclrtCreateEventExWithFlag", event, StreamEvent::Kind::kEx, flag);
}

extern "C" aclError aclrtDestroyEvent(aclrtEvent event) {
  return CallAcl("aclrtDestroyEvent", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    return Runtime::Get().events().Remove(Bits(event));
  });
}

extern "C" aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return CallAcl("aclrtRecordEvent",
                 [&, site = __builtin_return_address(0)] { return Record(event, stream, false, site); });
}

extern "C" aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
  return CallAcl("aclrtRecordEventWithFlag", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_RETURN_IF_ERROR(CheckBit("flag", flag));
    return Record(event, stream, flag == ACL_EVENT_RECORD_EXTERNAL, site);
  });
}

extern "C" aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return CallAcl("aclrtResetEvent", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    SOFTHCCL_ASSIGN(found, FindEvent(event));
    SOFTHCCL_ASSIGN(target, FindOwnStream(stream, *device));
    if (found->kind == StreamEvent::Kind::kEx) {
      return base::Fail(Code::kNotSupported, "event {} was made by aclrtCreateEventExWithFlag, which needs no reset",
                        found->id);
    }
    if (found->is_latch) return QueueForEvent(engine::ops::EventReset, found, EventUse::kLatch, *target, site);
    found->SetCurrent(nullptr);
    // A graph lists it among its tasks.
    if (!IsCaptured(*target)) return {};
    return QueueForEvent(engine::ops::EventReset, found, EventUse::kOrdinary, *target, site);
  });
}

extern "C" aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return CallAcl("aclrtStreamWaitEvent", [&, site = __builtin_return_address(0)] {
    return WaitFor(stream, event, false, Runtime::Get().WaitLimit(OpWaitSeconds()), site);
  });
}

extern "C" aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return CallAcl("aclrtStreamWaitEventWithTimeout", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(event);
    if (timeout < 0) {
      return base::Fail(Code::kInvalidParam, "timeout {} is not valid; use 0 for no limit or a number of seconds",
                        timeout);
    }
    return WaitFor(stream, event, false, Runtime::Get().WaitLimit(static_cast<std::uint32_t>(timeout)), site);
  });
}

extern "C" aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
                                                 uint32_t flag) {
  return CallAcl("aclrtStreamWaitEventWithFlag", [&, site = __builtin_return_address(0)]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_RETURN_IF_ERROR(CheckBit("flag", flag));
    const bool is_external = flag == ACL_EVENT_WAIT_EXTERNAL;
    if (is_external && timeout != 0) {
      return base::Fail(Code::kInvalidParam, "timeout {} is not valid; an external wait has no limit, use 0", timeout);
    }
    return WaitFor(stream, event, is_external, Runtime::Get().WaitLimit(timeout), site);
  });
}

extern "C" aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return Synchronise("aclrtSynchronizeEvent", event, base::kForever);
}

extern "C" aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  if (timeout < -1 || timeout == 0) {
    return ReportAcl(
        "aclrtSynchronizeEventWithTimeout",
        base::Fail(Code::kInvalidParam,
                   "timeout {} is not valid; use -1 for no limit or a positive number of milliseconds", timeout));
  }
  return Synchronise("aclrtSynchronizeEventWithTimeout", event,
                     timeout == -1 ? base::kForever : base::FromMillis(timeout));
}

namespace {

// Was the last record reached? One that was skipped counts: nothing will come of it any more. Errors: kEventCaptured.
base::Result<bool> IsReached(StreamEvent& event) {
  const auto capture = event.Current();
  if (capture == nullptr) return event.kind == StreamEvent::Kind::kEx;
  if (capture->recorded_in.load() == 0) return capture->done();
  return base::FailResult(Code::kEventCaptured, "{} was last recorded in a capture: only replays reach it",
                          capture->label());
}

}  // namespace

extern "C" aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return CallAcl("aclrtQueryEvent", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_REQUIRE(status);
    SOFTHCCL_ASSIGN(found, FindEvent(event));
    SOFTHCCL_ASSIGN(is_reached, IsReached(*found));
    *status = is_reached ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return {};
  });
}

extern "C" aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return CallAcl("aclrtQueryEventStatus", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_REQUIRE(status);
    SOFTHCCL_ASSIGN(found, FindEvent(event));
    SOFTHCCL_ASSIGN(is_reached, IsReached(*found));
    *status = is_reached ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return {};
  });
}

extern "C" aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return CallAcl("aclrtQueryEventWaitStatus", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_REQUIRE(status);
    SOFTHCCL_ASSIGN(found, FindEvent(event));
    *status = found->open_waits.load() == 0 ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return {};
  });
}

extern "C" aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  bool reversed = false;
  const Status status = Guard([&]() -> Status {
    SOFTHCCL_REQUIRE(ms);
    SOFTHCCL_REQUIRE(startEvent);
    SOFTHCCL_REQUIRE(endEvent);
    SOFTHCCL_ASSIGN(start, TimeOf(startEvent, "startEvent"));
    SOFTHCCL_ASSIGN(end, TimeOf(endEvent, "endEvent"));
    reversed = end < start;
    if (reversed) {
      return base::Fail(Code::kInvalidParam, "endEvent was reached {} ns before startEvent; exchange them",
                        start - end);
    }
    *ms = static_cast<float>(static_cast<double>(end - start) / 1e6);
    return {};
  });
  if (reversed) return ReportAclAs("aclrtEventElapsedTime", status, ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
  return ReportTime("aclrtEventElapsedTime", status);
}

extern "C" aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return ReportTime("aclrtEventGetTimestamp", Guard([&]() -> Status {
                      SOFTHCCL_REQUIRE(event);
                      SOFTHCCL_REQUIRE(timestamp);
                      SOFTHCCL_ASSIGN(time, TimeOf(event, "event"));
                      *timestamp = static_cast<std::uint64_t>(time) / 1000;
                      return {};
                    }));
}

extern "C" aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return CallAcl("aclrtGetEventId", [&]() -> Status {
    SOFTHCCL_REQUIRE(event);
    SOFTHCCL_REQUIRE(eventId);
    SOFTHCCL_ASSIGN(found, FindEvent(event));
    *eventId = found->id;
    return {};
  });
}

extern "C" aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return CallAcl("aclrtGetEventAvailNum", [&]() -> Status {
    SOFTHCCL_REQUIRE(eventCount);
    SOFTHCCL_ASSIGN(device, CurrentDevice());
    static_cast<void>(device);
    const std::uint32_t live = Runtime::Get().events().live();
    *eventCount = live < kMaxEvents ? kMaxEvents - live : 0;
    return {};
  });
}
