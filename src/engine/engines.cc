// The table of engines, in the order of their values.
#include "engine/engines.h"

namespace softhccl::engine {
namespace {

using memory::Space;

constexpr EngineInfo kEngines[] = {
    {0, "CPU", true, Space::kHost},        {1, "CPU_TS", true, Space::kHost}, {2, "AICPU", true, Space::kDevice},
    {3, "AICPU_TS", true, Space::kDevice}, {4, "AIV", false, Space::kDevice}, {5, "CCU", false, Space::kHost},
};

}  // namespace

base::Result<const EngineInfo*> FindEngine(int value) {
  for (const EngineInfo& engine : kEngines) {
    if (engine.value == value) return &engine;
  }
  return base::FailResult(base::Code::kInvalidParam,
                          "engine {} is not known; use COMM_ENGINE_CPU 0, CPU_TS 1, AICPU 2 or AICPU_TS 3", value);
}

base::Result<const EngineInfo*> FindSupportedEngine(int value, const char* call) {
  auto engine = FindEngine(value);
  if (engine && !(*engine)->supported) {
    return base::FailResult(base::Code::kNotSupported,
                            "{}: engine {} ({}) is not supported; use CPU, CPU_TS, AICPU or AICPU_TS", call, value,
                            (*engine)->name);
  }
  return engine;
}

}  // namespace softhccl::engine
