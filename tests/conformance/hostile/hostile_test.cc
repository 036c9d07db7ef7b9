// Calls every public function with one hostile argument after the other: null, destroyed, foreign and invented handles,
// numbers that are no enumerator, sizes that overflow, memory with arbitrary contents. values.h states which value goes
// where, exceptions.json what is not called and what may be accepted, each with its reason. A call must come back;
// where the argument is bad beyond doubt it must answer an error whose text names the function and the argument.
//
// HOSTILE_FUNCTION=<name> calls one function only and shows what its processes print.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "run.h"
#include "values.h"

namespace softhccl::hostile {
namespace {

// Lower case, letters and digits only: messages write "data type" for dataType.
std::string Plain(const std::string& text) {
  std::string plain;
  for (const char character : text) {
    if (std::isalnum(static_cast<unsigned char>(character))) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    }
  }
  return plain;
}

// A message names an argument by its name, or by its value where that is a handle or a number: "thread 0x1 is not
// a thread", "reduce operator 256".
bool Names(const std::string& text, const Parameter& parameter, Word word) {
  if (Plain(text).find(Plain(parameter.name)) != std::string::npos) return true;
  char value[32];
  if (parameter.kind == Kind::kHandle && word != 0) {
    std::snprintf(value, sizeof value, "0x%llx", static_cast<unsigned long long>(word));
  } else if (parameter.kind == Kind::kEnumeration) {
    std::snprintf(value, sizeof value, " %d", static_cast<int>(word));
  } else {
    return false;
  }
  return text.find(value) != std::string::npos;
}

// What a declared function without implementation says; it does not look at its arguments.
bool SaysNotImplemented(const Outcome& outcome) {
  return std::strstr(outcome.text, "this library does not implement") != nullptr;
}

class Verdict {
 public:
  Verdict(const std::vector<Function>& functions, const std::vector<Call>& calls, std::vector<Outcome> outcomes)
      : functions_(functions), calls_(calls), outcomes_(std::move(outcomes)), accepted_(AcceptedAnswers()) {}

  void Judge() {
    for (std::size_t i = 0; i < calls_.size(); ++i) Judge(calls_[i], outcomes_[i]);
  }

  void ExpectNoUnusedException() const {
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
      EXPECT_TRUE(used_.count(i) != 0) << "exceptions.json accepts what does not happen: " << accepted_[i].function
                                       << ", " << accepted_[i].argument << ", " << accepted_[i].value;
    }
  }

 private:
  bool IsAccepted(const std::string& function, const std::string& argument, const std::string& value) {
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
      const Exception& accepted = accepted_[i];
      if (accepted.Covers(function, argument, value)) {
        used_.insert(i);
        return true;
      }
    }
    return false;
  }

  void Judge(const Call& call, const Outcome& outcome) {
    const Function& function = functions_[call.function];
    const bool all_null = call.parameter == Call::kAllNull;
    const std::string argument = all_null ? "everything" : function.parameters[call.parameter].name;
    const Value* value = all_null ? nullptr : &HostileValues(function.parameters[call.parameter])[call.value];
    const std::string value_name = all_null ? "null" : value->name;
    const std::string where = function.name + ", " + argument + ", " + value_name + ": ";
    const std::string text = outcome.text;
    switch (outcome.state) {
      case State::kSkipped: return;
      case State::kNotMade: ADD_FAILURE() << where << "not called"; return;
      case State::kRunning:
      case State::kCrashed: ADD_FAILURE() << where << "crashed with signal " << outcome.signal; return;
      case State::kHung: ADD_FAILURE() << where << "did not come back"; return;
      case State::kReturned: break;
    }
    if (!function.answers_status) return;
    const bool must_be_refused = value != nullptr && value->must_be_refused;
    if (outcome.result.value == 0) {
      if (must_be_refused && !IsAccepted(function.name, argument, value_name)) {
        ADD_FAILURE() << where << "answered success";
      }
      return;
    }
    if (!function.explains_errors) return;
    EXPECT_EQ(text.rfind(function.name, 0), 0u)
        << where << "answered " << outcome.result.value << ", text '" << text << "'";
    if (!must_be_refused || SaysNotImplemented(outcome)) return;
    if (function.parameters[call.parameter].kind == Kind::kInteger) return;  // named by what it does not fit
    if (!Names(text, function.parameters[call.parameter], outcome.word) &&
        !IsAccepted(function.name, argument, value_name)) {
      ADD_FAILURE() << where << "not named by '" << text << "'";
    }
  }

  const std::vector<Function>& functions_;
  const std::vector<Call>& calls_;
  const std::vector<Outcome> outcomes_;
  const std::vector<Exception> accepted_;
  std::set<std::size_t> used_;
};

std::vector<Function> SelectedFunctions() {
  std::vector<Function> functions = Functions();
  if (const char* only = std::getenv("HOSTILE_FUNCTION")) {
    std::erase_if(functions, [only](const Function& function) { return function.name != only; });
  }
  return functions;
}

// The functions that kernels call: their library has its own under names that libhcomm has too.
std::vector<Function> FunctionsOfKernels() {
  void* library = dlopen(HOSTILE_KERNEL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  std::vector<Function> functions = SelectedFunctions();
  std::erase_if(functions, [library](Function& function) {
    void* address = dlsym(library, function.name.c_str());
    Dl_info where{};
    if (address == nullptr || dladdr(address, &where) == 0) return true;
    function.address = reinterpret_cast<void (*)()>(address);
    return std::string(where.dli_fname).find("ccl_kernel") == std::string::npos;
  });
  return functions;
}

TEST(HostileArgumentsTest, EveryFunction_ComesBackAndRefuses) {
  const std::vector<Function> functions = SelectedFunctions();
  const std::vector<Call> calls = CallsOf(functions);
  const std::vector<Outcome> outcomes = MakeCalls(functions, calls);
  Verdict verdict(functions, calls, outcomes);
  verdict.Judge();
  if (std::getenv("HOSTILE_FUNCTION") == nullptr) verdict.ExpectNoUnusedException();
}

TEST(HostileArgumentsTest, EveryFunctionOfKernels_ComesBackAndRefuses) {
  const std::vector<Function> functions = FunctionsOfKernels();
  const std::vector<Call> calls = CallsOf(functions);
  Verdict(functions, calls, MakeCalls(functions, calls)).Judge();
}

}  // namespace
}  // namespace softhccl::hostile
