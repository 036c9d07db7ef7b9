// What the hostile-argument test knows about a public function: how to call it with numbers in place of arguments, and
// what each parameter is, because that decides which numbers are hostile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace softhccl::hostile {

// An argument of any type: its bits, or for a structure passed by value the byte it is filled with.
using Word = std::uint64_t;

enum class Kind {
  kHandle,       // names an object; any bits must be survived and refused
  kEnumeration,  // any number must be survived, a number without enumerator refused
  kInteger,
  kFloating,
  kText,      // char*
  kPointer,   // to data that the function reads or writes
  kCallback,  // function pointer
  kStructure  // passed by value
};

struct Parameter {
  std::string name;
  std::string type;  // as spelled in the inventory
  Kind kind = Kind::kInteger;
  unsigned bytes = 0;
  bool points_to_data = false;  // a kPointer to a complete type, so that its contents can be hostile
};

struct Result {
  bool is_status = false;
  std::int64_t value = 0;
};

struct Function {
  std::string name;
  void (*address)() = nullptr;
  Result (*call)(void (*address)(), const Word* words) = nullptr;
  bool answers_status = false;   // 0 is success and every other number an error
  bool explains_errors = false;  // the text of aclGetRecentErrMsg belongs to the answer
  std::vector<Parameter> parameters;
};

using Enumerators = std::map<std::string, std::vector<long long>>;

// A hostile value that is treated otherwise than the rest; the reason is in exceptions.json. "*" stands for all.
struct Exception {
  std::string function;
  std::string argument;
  std::string value;
  bool Covers(const std::string& its_function, const std::string& its_argument, const std::string& its_value) const {
    return (function == "*" || function == its_function) && (argument == "*" || argument == its_argument) &&
           (value == "*" || value == its_value);
  }
};

// Generated: every public function but those that exceptions.json says not to call.
std::vector<Function> Functions();
const Enumerators& EnumeratorsOf();
// Calls that would not come back or would end the process by their contract.
std::vector<Exception> ValuesNotCalled();
// Values that may be answered with success, or with an error that is about another argument.
std::vector<Exception> AcceptedAnswers();

}  // namespace softhccl::hostile
