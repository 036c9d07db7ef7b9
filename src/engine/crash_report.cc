// Signal handlers: async-signal-safe only, hence write(2), fixed buffers and no formatting library.
#include "engine/crash_report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace softhccl::engine {
namespace {

thread_local const char* t_label __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

void Write(const char* text) {
  const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

void WriteHex(std::uintptr_t value) {
  char text[2 + 2 * sizeof value + 1] = "0x";
  char* end = text + 2;
  bool started = false;
  for (int shift = static_cast<int>(8 * sizeof value) - 4; shift >= 0; shift -= 4) {
    const unsigned digit = (value >> shift) & 0xF;
    if (digit == 0 && !started && shift != 0) continue;
    started = true;
    *end++ = "0123456789abcdef"[digit];
  }
  *end = '\0';
  Write(text);
}

const char* SignalName(int signal_number) {
  switch (signal_number) {
    case SIGSEGV: return "SIGSEGV (invalid memory access)";
    case SIGBUS: return "SIGBUS (bad memory access)";
    case SIGILL: return "SIGILL (illegal instruction)";
    case SIGFPE: return "SIGFPE (arithmetic error)";
    case SIGABRT: return "SIGABRT (abort)";
    default: return "a fatal signal";
  }
}

void OnSignal(int signal_number, siginfo_t* info, void*) {
  if (t_label != nullptr) {
    Write("[softhccl] error: kernel ");
    Write(t_label);
    Write(" died with ");
    Write(SignalName(signal_number));
    if (signal_number == SIGSEGV || signal_number == SIGBUS) {
      Write(" at address ");
      WriteHex(reinterpret_cast<std::uintptr_t>(info->si_addr));
    }
    Write("; back-trace, innermost first:\n");
    void* frames[64];
    const int count = ::backtrace(frames, 64);
    ::backtrace_symbols_fd(frames, count, STDERR_FILENO);
  }
  // The disposition was default before us: let it happen.
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

void OnExit(int status, void*) {
  if (t_label == nullptr) return;
  Write("[softhccl] error: kernel ");
  Write(t_label);
  Write(" called exit(); a kernel must return. The process ends with a non-zero status\n");
  ::_exit(status != 0 ? status : 1);
}

}  // namespace

void InstallCrashReport() {
  static std::once_flag once;
  std::call_once(once, [] {
    void* frame[1];
    ::backtrace(frame, 1);  // loads what backtrace needs now, not inside a handler
    for (const int signal_number : kSignals) {
      struct sigaction current{};
      if (::sigaction(signal_number, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
      struct sigaction ours{};
      ours.sa_sigaction = OnSignal;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      ::sigaction(signal_number, &ours, nullptr);
    }
    ::on_exit(OnExit, nullptr);
  });
}

void PrepareThreadForCrashReport() {
  stack_t current{};
  if (::sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
  constexpr std::size_t kStackSize = 64 * 1024;
  static thread_local std::unique_ptr<char[]> memory;
  memory = std::make_unique<char[]>(kStackSize);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = kStackSize;
  ::sigaltstack(&stack, nullptr);
}

ScopedCrashLabel::ScopedCrashLabel(const std::string& label) : outer_(t_label) { t_label = label.c_str(); }
ScopedCrashLabel::~ScopedCrashLabel() { t_label = outer_; }

}  // namespace softhccl::engine
