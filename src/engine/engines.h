// What a CommEngine is, in one table: where its code runs, where its memory lives, and whether it exists here.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "memory/memory.h"

namespace softhccl::engine {

struct EngineInfo {
  int value;                    // CommEngine
  const char* name;             // "AICPU_TS"
  bool supported;               // threads and channels can be had
  memory::Space context_space;  // where HcclEngineCtxCreate puts a context
};

// Errors: kInvalidParam naming value and the known ones.
base::Result<const EngineInfo*> FindEngine(int value);
// The same, and kNotSupported for AIV and CCU.
base::Result<const EngineInfo*> FindSupportedEngine(int value, const char* call);

}  // namespace softhccl::engine
