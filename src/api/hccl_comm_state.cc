// Suspend and resume, the callbacks that hear of it, and groups of calls.
#include <cstring>

#include "api/objects.h"
#include "api/report.h"
#include "api/state_phases.h"
#include "comm/call_group.h"
#include "hccl/hccl_comm.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;
using comm::CallGroup;
using comm::StateCallbacks;

namespace softhccl::api {

Status RunCallbacks(HcclComm comm, StateCallbacks::Phase phase, const std::string& name, int* number) {
  const StateCallbacks::Answer answer = StateCallbacks::Get().Run(Bits(comm), phase);
  if (answer.number == 0) return {};
  static constexpr const char* kPhases[] = {"before destroy", "after destroy", "before resume", "after resume"};
  *number = answer.number;
  return base::Fail(Code::kInternal,
                    "state callback \"{}\" answered {} {} of comm {} (SH-G010); the callbacks behind it did not run",
                    answer.name, answer.number, kPhases[static_cast<int>(phase)], name);
}

HcclResult ReportWithCallback(const char* call, const Status& status, int number) noexcept {
  if (status.ok() || number == 0) return ReportHccl(call, status);
  return ReportHcclAs(call, status, static_cast<HcclResult>(number));
}

}  // namespace softhccl::api

namespace {

Status Resume(HcclComm comm, int* number) {
  SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclCommResume"));
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_RETURN_IF_ERROR(RunCallbacks(comm, StateCallbacks::Phase::kResumePre, found->name(), number));
  SOFTHCCL_RETURN_IF_ERROR(found->Resume());
  return RunCallbacks(comm, StateCallbacks::Phase::kResumePost, found->name(), number);
}

Status Register(const char* regName, HcclCommStateCallback cb, void* args) {
  constexpr std::size_t kMaxName = 160;  // with its NUL
  SOFTHCCL_REQUIRE(regName);
  if (cb == nullptr) return base::Fail(Code::kNullPointer, "cb is null; pass a function");
  const std::size_t length = ::strnlen(regName, kMaxName);
  if (length == 0 || length == kMaxName) {
    return base::Fail(Code::kInvalidParam, "regName has {} characters; use 1 to {}", length == 0 ? "no" : "160 or more",
                      kMaxName - 1);
  }
  StateCallbacks::Get().Register(regName, [cb, args](std::uint64_t comm, StateCallbacks::Phase phase) {
    const HcclResult result = cb(Handle(comm), static_cast<HcclCommStatePhase>(phase), args);
    return RawValue(result);
  });
  return {};
}

}  // namespace

extern "C" HcclResult HcclCommSuspend(HcclComm comm) {
  return CallHccl("HcclCommSuspend", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    return found->Suspend();
  });
}

extern "C" HcclResult HcclCommResume(HcclComm comm) {
  int number = 0;
  const Status status = Guard([&] { return Resume(comm, &number); });
  return ReportWithCallback("HcclCommResume", status, number);
}

extern "C" HcclResult HcclCommRegCommStateCallback(const char* regName, HcclCommStateCallback cb, void* args) {
  return CallHccl("HcclCommRegCommStateCallback", [&] { return Register(regName, cb, args); });
}

extern "C" HcclResult HcclGroupStart() {
  return CallHccl("HcclGroupStart", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclGroupStart"));
    CallGroup::OfThisThread().Start();
    return {};
  });
}

extern "C" HcclResult HcclGroupEnd() {
  return CallHccl("HcclGroupEnd", [&]() -> Status {
    SOFTHCCL_RETURN_IF_ERROR(RefuseInKernel("HcclGroupEnd"));
    return CallGroup::OfThisThread().End();
  });
}

extern "C" HcclResult HcclGroupStatusGet(bool* isGroupEnabled) {
  return CallHccl("HcclGroupStatusGet", [&]() -> Status {
    SOFTHCCL_REQUIRE(isGroupEnabled);
    *isGroupEnabled = CallGroup::OfThisThread().is_open();
    return {};
  });
}
