// The only place that starts or stops the trace.
#include "api/lifecycle.h"

#include <cstdlib>
#include <mutex>

#include "base/log.h"
#include "comm/registry.h"
#include "engine/runtime.h"
#include "event/ring.h"
#include "memory/memory.h"
#include "trace/chrome_trace.h"

namespace softhccl::api {

namespace {

struct Life {
  std::mutex mutex;
  int initialised = 0;     // guarded by mutex
  bool finalised = false;  // guarded by mutex
};

Life& TheLife() {
  static auto* life = new Life;
  return *life;
}

}  // namespace

void StartObservation() {
  static std::once_flag once;
  std::call_once(once, [] {
    const base::Config& config = base::ProcessConfig();
    if (config.trace_path.empty()) return;
    event::StartRecording(config.trace_limit);
    std::atexit(FinishObservation);
  });
}

void FinishObservation() {
  if (!event::IsRecording()) return;
  event::StopRecording();
  const std::string& path = base::ProcessConfig().trace_path;
  const base::Status written = trace::WriteChromeTrace(event::Collect(), path);
  base::Log(written.ok() ? base::LogLevel::kInfo : base::LogLevel::kError,
            written.ok() ? fmt::format("trace written to {}", path) : written.message());
}

int Initialise() {
  Life& life = TheLife();
  std::lock_guard lock(life.mutex);
  life.finalised = false;
  return life.initialised++;
}

bool Finalise() {
  Life& life = TheLife();
  std::lock_guard lock(life.mutex);
  if (life.finalised) return false;
  life.finalised = true;
  life.initialised = 0;
  return true;
}

int ReleaseReference() {
  Life& life = TheLife();
  std::lock_guard lock(life.mutex);
  if (life.initialised == 0) return -1;
  if (--life.initialised == 0) life.finalised = true;
  return life.initialised;
}

bool IsInitialised() {
  Life& life = TheLife();
  std::lock_guard lock(life.mutex);
  return life.initialised > 0;
}

void ReportLeaks() {
  if (!base::ProcessConfig().report_leaks) return;
  engine::Runtime& runtime = engine::Runtime::Get();
  for (const std::string& name : comm::Registry::Get().Names()) {
    base::Log(base::LogLevel::kWarning, fmt::format("leak: communicator {} was not destroyed (SH-L001)", name));
  }
  for (int id = 0; static_cast<std::uint32_t>(id) < runtime.devices().Count().value_or(0); ++id) {
    const engine::Device& device = **runtime.devices().Get(id);
    const auto memory = memory::Memory::Process().UsageOf(memory::Space::kDevice, id);
    const std::size_t streams = device.Streams().size();
    if (memory.count == 0 && streams == 0 && device.notify_count() == 0) continue;
    base::Log(base::LogLevel::kWarning,
              fmt::format("leak: device {} still has {} streams, {} notifies and {} allocations ({} bytes) (SH-L001)",
                          id, streams, device.notify_count(), memory.count, memory.bytes));
  }
}

}  // namespace softhccl::api
