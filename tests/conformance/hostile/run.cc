#include "run.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "scene.h"
#include "values.h"

namespace softhccl::hostile {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr auto kLongestCall = std::chrono::seconds(60);
#else
constexpr auto kLongestCall = std::chrono::seconds(20);
#endif
constexpr int kScenesThatMayFail = 3;

// What a process tells about itself; lives in shared memory.
struct Progress {
  std::atomic<std::size_t> next;  // the call to make next
  std::atomic<bool> in_call;
};

// What all processes share.
struct Board {
  std::atomic<std::size_t> taken;  // calls given to processes so far
  std::size_t count;
  Outcome* outcomes;
};

template <typename T>
T* Shared(std::size_t count) {
  void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<T*>(memory);
}

// The end of the calls of the function that call `begin` is one of.
std::size_t EndOfFunction(const std::vector<Call>& calls, std::size_t begin) {
  std::size_t end = begin;
  while (end < calls.size() && calls[end].function == calls[begin].function) ++end;
  return end;
}

// The first call of the next function that nobody has taken yet; the number of calls when there is none.
std::size_t TakeFunction(const std::vector<Call>& calls, Board& board) {
  std::size_t begin = board.taken, end = begin;
  do {
    end = begin == board.count ? begin : EndOfFunction(calls, begin);
  } while (!board.taken.compare_exchange_weak(begin, end));
  return begin;
}

// All words of the call, or nothing when its value is none for this parameter.
std::optional<std::vector<Word>> WordsOf(const Function& function, const Call& call, Scene& scene) {
  std::vector<Word> words(function.parameters.size());
  if (call.parameter == Call::kAllNull) return words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = scene.Plausible(function, i);
  const Parameter& parameter = function.parameters[call.parameter];
  const auto word = HostileValues(parameter)[call.value].word(scene, parameter, call.parameter);
  if (!word) return std::nullopt;
  words[call.parameter] = *word;
  return words;
}

// What a call did to the scene, for the calls that come after it.
enum class Effect {
  kNone,
  kLeftovers,  // objects and the like, which do not matter to other calls of the same function
  kEnds        // an object of the scene may be gone, waiting, failed or set up differently
};

Effect EffectOfSuccess(const std::string& function) {
  for (const char* part :
       {"Destroy", "Reset",   "Finalize",  "Free",    "Unload",  "Abort",  "Suspend", "Resume", "Set",
        "Begin",   "Start",   "End",       "Release", "Reg",     "Launch", "Wait",    "Use",    "Unuse",
        "Group",   "Clear",   "Subscribe", "Init",    "Acquire", "Detach", "Push",    "Pop",    "Process",
        "Report",  "Capture", "Un",        "Join",    "Switch",  "Execute"}) {
    if (function.find(part) != std::string::npos) return Effect::kEnds;
  }
  return function.find("Get") == std::string::npos ? Effect::kLeftovers : Effect::kNone;
}

Effect Make(const Function& function, const Call& call, Scene& scene, Outcome& outcome) {
  const auto words = WordsOf(function, call, scene);
  if (!words) {
    outcome.state = State::kSkipped;
    return Effect::kNone;
  }
  if (call.parameter != Call::kAllNull) outcome.word = (*words)[call.parameter];
  aclGetRecentErrMsg();
  outcome.state = State::kRunning;
  outcome.result = function.call(function.address, words->data());
  if (const char* text = aclGetRecentErrMsg()) {
    std::strncpy(outcome.text, text, sizeof outcome.text - 1);
  }
  outcome.state = State::kReturned;
  if (!function.answers_status) return Effect::kNone;
  if (outcome.result.value == 0) return EffectOfSuccess(function.name);
  return function.name.rfind("Hcomm", 0) == 0 && scene.CommunicatorFailed() ? Effect::kEnds : Effect::kNone;
}

[[noreturn]] void RunProcess(const std::vector<Function>& functions, const std::vector<Call>& calls, Board& board,
                             Progress& progress) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (std::getenv("HOSTILE_FUNCTION") == nullptr) {
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 0);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
  }
  Scene scene;
  for (;;) {
    std::size_t at = progress.next;
    if (at == board.count) _exit(0);
    const std::size_t end = EndOfFunction(calls, at);
    bool leftovers = false;
    for (; at < end; ++at) {
      progress.next = at;
      progress.in_call = true;
      const Effect effect = Make(functions[calls[at].function], calls[at], scene, board.outcomes[at]);
      progress.in_call = false;
      progress.next = at + 1;
      leftovers = leftovers || effect != Effect::kNone;
      if (effect == Effect::kEnds && at + 1 < end) _exit(0);
    }
    progress.next = TakeFunction(calls, board);
    if (leftovers) _exit(0);
  }
}

// A process of ours and what it is at.
class Worker {
 public:
  Worker(const std::vector<Function>& functions, const std::vector<Call>& calls, Board& board, Progress& progress)
      : functions_(functions), calls_(calls), board_(board), progress_(progress) {
    progress_.next = TakeFunction(calls_, board_);
  }

  // False when there is nothing left to do.
  bool Advance() {
    if (process_ == 0) return Start();
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) == 0) {
      EndWhenStuck();
      return true;
    }
    process_ = 0;
    if (progress_.in_call) {
      Ended(status);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      failed_scenes_ = 0;
    } else if (++failed_scenes_ == kScenesThatMayFail) {
      progress_.next = board_.count;  // the calls that were not made are reported
    }
    return true;
  }

 private:
  bool Start() {
    if (progress_.next == board_.count) return false;
    process_ = fork();
    if (process_ == 0) RunProcess(functions_, calls_, board_, progress_);
    since_ = Clock::now();
    seen_ = progress_.next;
    return process_ > 0;
  }

  void EndWhenStuck() {
    const auto now = Clock::now();
    if (seen_ != progress_.next) {
      seen_ = progress_.next;
      since_ = now;
    } else if (now - since_ > kLongestCall) {
      kill(process_, SIGKILL);
      since_ = now;
      stuck_ = true;
    }
  }

  void Ended(int status) {
    Outcome& outcome = board_.outcomes[progress_.next];
    outcome.state = std::exchange(stuck_, false) ? State::kHung : State::kCrashed;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    progress_.in_call = false;
    const std::size_t made = progress_.next++;
    if (made + 1 < calls_.size() && calls_[made + 1].function == calls_[made].function) return;
    progress_.next = TakeFunction(calls_, board_);
  }

  const std::vector<Function>& functions_;
  const std::vector<Call>& calls_;
  Board& board_;
  Progress& progress_;
  pid_t process_ = 0;
  Clock::time_point since_;
  std::size_t seen_ = 0;
  int failed_scenes_ = 0;
  bool stuck_ = false;
};

}  // namespace

std::vector<Call> CallsOf(const std::vector<Function>& functions) {
  const std::vector<Exception> left_out = ValuesNotCalled();
  std::vector<Call> calls;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    calls.push_back({f, Call::kAllNull, 0});
    for (std::size_t p = 0; p < functions[f].parameters.size(); ++p) {
      const Parameter& parameter = functions[f].parameters[p];
      const std::vector<Value>& values = HostileValues(parameter);
      for (std::size_t v = 0; v < values.size(); ++v) {
        const auto covers = [&](const Exception& exception) {
          return exception.Covers(functions[f].name, parameter.name, values[v].name);
        };
        if (std::none_of(left_out.begin(), left_out.end(), covers)) calls.push_back({f, p, v});
      }
    }
  }
  return calls;
}

std::vector<Outcome> MakeCalls(const std::vector<Function>& functions, const std::vector<Call>& calls) {
  if (calls.empty()) return {};
  auto* board = new (Shared<Board>(1)) Board{0, calls.size(), Shared<Outcome>(calls.size())};
  const std::size_t processes = std::clamp(std::thread::hardware_concurrency(), 2u, 8u);
  auto* progress = Shared<Progress>(processes);
  std::vector<Worker> workers;
  workers.reserve(processes);
  for (std::size_t i = 0; i < processes; ++i) workers.emplace_back(functions, calls, *board, progress[i]);
  for (bool busy = true; busy;) {
    busy = false;
    for (Worker& worker : workers) busy = worker.Advance() || busy;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {board->outcomes, board->outcomes + calls.size()};
}

}  // namespace softhccl::hostile
