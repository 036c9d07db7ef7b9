// Diagnostics for the person at the terminal: quiet by default, one line each, on standard error. Tests replace the
// sink to see every line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace softhccl::base {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Prints "[softhccl] <level>: <text>" when `level` is enabled by SOFTHCCL_LOG. Any thread; not from signal handlers.
void Log(LogLevel level, std::string_view text);

// True when a line of this level would be printed; saves building its text.
bool LogEnabled(LogLevel level);

// The lowest level that a value of SOFTHCCL_LOG lets through, kOff for none; empty when it is no such value.
enum class LogThreshold { kDebug, kInfo, kWarning, kError, kOff };
std::optional<LogThreshold> ParseLogThreshold(std::string_view text);

using LogSink = std::function<void(LogLevel, std::string_view)>;
// Replaces standard error (null: back to it). The sink sees every level. For tests.
void SetLogSink(LogSink sink);

}  // namespace softhccl::base
