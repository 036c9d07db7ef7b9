// Makes the calls, in processes of their own, so that a call that crashes or does not come back is an outcome like any
// other and the rest goes on.
#pragma once

#include <string>
#include <vector>

#include "function.h"

namespace softhccl::hostile {

enum class State : int { kNotMade, kSkipped, kRunning, kReturned, kCrashed, kHung };

// One call: the hostile value of one parameter, everything else plausible; or, with parameter kAllNull, zeros only.
struct Call {
  static constexpr std::size_t kAllNull = ~std::size_t{0};
  std::size_t function = 0;
  std::size_t parameter = kAllNull;
  std::size_t value = 0;
};

// Lives in memory that the processes share.
struct Outcome {
  State state = State::kNotMade;
  int signal = 0;
  Word word = 0;  // the hostile one
  Result result;
  char text[512] = {};  // of aclGetRecentErrMsg
};

std::vector<Call> CallsOf(const std::vector<Function>& functions);

// The outcome of every call, in the same order. A process is used until a call may have changed the scene.
std::vector<Outcome> MakeCalls(const std::vector<Function>& functions, const std::vector<Call>& calls);

}  // namespace softhccl::hostile
