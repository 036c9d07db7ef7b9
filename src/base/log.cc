// spdlog does the formatting and the locking; this file chooses pattern, level and sink. The level is read from the
// environment here, not through config.h, because the configuration itself logs.
#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <mutex>

namespace softhccl::base {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::off;
}

// A bad value is reported by the configuration; until then and after, the default holds.
spdlog::level::level_enum LevelFromEnvironment() {
  const char* text = std::getenv("SOFTHCCL_LOG");
  const auto threshold = ParseLogThreshold(text == nullptr ? "" : text);
  if (threshold == LogThreshold::kOff) return spdlog::level::off;
  return ToSpdlog(threshold ? static_cast<LogLevel>(*threshold) : LogLevel::kWarning);
}

// Leaked on purpose: lines may be logged while static objects are being destroyed.
spdlog::logger& Logger() {
  static spdlog::logger* logger = [] {
    auto* made = new spdlog::logger("softhccl", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("[softhccl] %l: %v");
    made->set_level(LevelFromEnvironment());
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *logger;
}

std::mutex& SinkMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

LogSink& Sink() {
  static auto* sink = new LogSink;
  return *sink;
}

}  // namespace

std::optional<LogThreshold> ParseLogThreshold(std::string_view text) {
  if (text == "debug") return LogThreshold::kDebug;
  if (text == "info") return LogThreshold::kInfo;
  if (text == "warning") return LogThreshold::kWarning;
  if (text == "error") return LogThreshold::kError;
  if (text == "off") return LogThreshold::kOff;
  return std::nullopt;
}

void Log(LogLevel level, std::string_view text) {
  {
    std::lock_guard lock(SinkMutex());
    if (Sink()) {
      Sink()(level, text);
      return;
    }
  }
  Logger().log(ToSpdlog(level), spdlog::string_view_t(text.data(), text.size()));
}

bool LogEnabled(LogLevel level) {
  std::lock_guard lock(SinkMutex());
  return Sink() || Logger().should_log(ToSpdlog(level));
}

void SetLogSink(LogSink sink) {
  std::lock_guard lock(SinkMutex());
  Sink() = std::move(sink);
}

}  // namespace softhccl::base
