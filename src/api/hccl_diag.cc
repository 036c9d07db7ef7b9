// What operators tell about themselves. An operation's name goes to the communicator's abort domain, where reports find
// it; what a send or receive moves goes with its ops, so that the two sides are compared (engine/pair_check.h).
#include "hccl/hccl_diag.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/objects.h"
#include "api/report.h"
#include "base/clock.h"
#include "engine/issue.h"
#include "hccl/hcomm_diag.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

constexpr std::size_t kMaxOpInfo = 64 * 1024;

// What a rank has registered: either may come first.
struct Described {
  std::weak_ptr<comm::Communicator> communicator;
  std::vector<std::byte> info;
  HcommGetOpInfoCallback describe = nullptr;
};

std::mutex described_mutex;

// Guarded by described_mutex; entries of communicators that are gone leave when another one comes.
Described& DescribedOf(const std::shared_ptr<comm::Communicator>& communicator) {
  static std::map<const comm::Communicator*, Described>& all = *new std::map<const comm::Communicator*, Described>;
  const auto found = all.find(communicator.get());
  if (found != all.end() && !found->second.communicator.expired()) return found->second;
  std::erase_if(all, [](const auto& entry) { return entry.second.communicator.expired(); });
  return all.emplace(communicator.get(), Described{communicator, {}, nullptr}).first->second;
}

void Name(const comm::Communicator& communicator, const char* text) {
  if (text[0] == '\0') return;
  const exec::Party party = communicator.party();
  party.domain->NoteOperation(party.rank, text);
}

std::optional<exec::OperationKind> KindOf(int command) {
  if (command == HCCL_CMD_SEND) return exec::OperationKind::kSend;
  if (command == HCCL_CMD_RECEIVE) return exec::OperationKind::kReceive;
  return std::nullopt;
}

// Calls foreign code, so without the lock.
void Describe(const std::shared_ptr<comm::Communicator>& communicator) {
  std::vector<std::byte> info;
  HcommGetOpInfoCallback describe = nullptr;
  {
    const std::lock_guard lock(described_mutex);
    const Described& described = DescribedOf(communicator);
    info = described.info;
    describe = described.describe;
  }
  if (describe == nullptr || info.empty()) return;
  char text[512] = {};
  describe(info.data(), text, sizeof text);
  text[sizeof text - 1] = '\0';
  Name(*communicator, text);
}

// A HcclDfxOpInfo, at any address.
engine::OperationFacts FactsOf(const void* info) {
  const auto* bytes = static_cast<const char*>(info);
  const auto number = [bytes](std::size_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes + offset, sizeof value);
    return value;
  };
  engine::OperationFacts facts;
  facts.kind = KindOf(static_cast<int>(number(offsetof(HcclDfxOpInfo, opType))));
  facts.data_type = static_cast<int>(number(offsetof(HcclDfxOpInfo, dataType)));
  std::memcpy(&facts.count, bytes + offsetof(HcclDfxOpInfo, dataCount), sizeof facts.count);
  const char* tag = bytes + offsetof(HcclDfxOpInfo, algTag);
  facts.name.assign(tag, ::strnlen(tag, sizeof HcclDfxOpInfo::algTag));
  return facts;
}

Status CheckReport(std::uint64_t thread, const char* groupname) {
  SOFTHCCL_ASSIGN(found, FindCommByName(groupname, "groupname"));
  static_cast<void>(found);
  SOFTHCCL_ASSIGN(known, comm::Threads().Get(thread, "thread"));
  static_cast<void>(known);
  return {};
}

Status CheckReport(HcclComm comm) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  static_cast<void>(found);
  return {};
}

}  // namespace

extern "C" HcclResult HcclProfilingReportOp(HcclComm comm, uint64_t) {
  return CallHccl("HcclProfilingReportOp", [&] { return CheckReport(comm); });
}

extern "C" HcclResult HcclReportAicpuKernel(HcclComm comm, uint64_t, char* kernelName) {
  return CallHccl("HcclReportAicpuKernel", [&]() -> Status {
    SOFTHCCL_REQUIRE(kernelName);
    return CheckReport(comm);
  });
}

extern "C" uint64_t HcommGetProfilingSysCycleTime(void) { return static_cast<uint64_t>(base::SteadyClock().Now()); }

extern "C" HcclResult HcclDfxRegOpInfoByCommId(char* commId, void* hcclDfxOpInfo) {
  return CallHccl("HcclDfxRegOpInfoByCommId", [&]() -> Status {
    SOFTHCCL_REQUIRE(commId);
    SOFTHCCL_REQUIRE(hcclDfxOpInfo);
    SOFTHCCL_ASSIGN(communicator, FindCommByName(commId, "commId"));
    engine::Describe(communicator->party(), FactsOf(hcclDfxOpInfo));
    return {};
  });
}

extern "C" HcclResult HcommRegOpInfo(const char* commId, void* opInfo, size_t size) {
  return CallHccl("HcommRegOpInfo", [&]() -> Status {
    SOFTHCCL_REQUIRE(commId);
    SOFTHCCL_REQUIRE(opInfo);
    if (size == 0 || size > kMaxOpInfo) {
      return base::Fail(Code::kInvalidParam, "size {} is out of range, use 1 to {}", size, kMaxOpInfo);
    }
    SOFTHCCL_ASSIGN(communicator, FindCommByName(commId, "commId"));
    const auto* bytes = static_cast<const std::byte*>(opInfo);
    {
      const std::lock_guard lock(described_mutex);
      DescribedOf(communicator).info.assign(bytes, bytes + size);
    }
    Describe(communicator);
    return {};
  });
}

extern "C" HcclResult HcommRegOpTaskException(const char* commId, HcommGetOpInfoCallback callback) {
  return CallHccl("HcommRegOpTaskException", [&]() -> Status {
    SOFTHCCL_REQUIRE(commId);
    if (callback == nullptr) return base::Fail(Code::kNullPointer, "callback is null; pass a valid pointer");
    SOFTHCCL_ASSIGN(communicator, FindCommByName(commId, "commId"));
    {
      const std::lock_guard lock(described_mutex);
      DescribedOf(communicator).describe = callback;
    }
    Describe(communicator);
    return {};
  });
}

extern "C" HcclResult HcommProfilingReportDeviceOp(const char* groupname) {
  return CallHccl("HcommProfilingReportDeviceOp", [&]() -> Status {
    SOFTHCCL_REQUIRE(groupname);
    SOFTHCCL_ASSIGN(found, FindCommByName(groupname, "groupname"));
    static_cast<void>(found);
    return {};
  });
}

extern "C" HcclResult HcommProfilingReportKernelStartTask(uint64_t thread, const char* groupname) {
  return CallHccl("HcommProfilingReportKernelStartTask", [&] { return CheckReport(thread, groupname); });
}

extern "C" HcclResult HcommProfilingReportKernelEndTask(uint64_t thread, const char* groupname) {
  return CallHccl("HcommProfilingReportKernelEndTask", [&] { return CheckReport(thread, groupname); });
}
