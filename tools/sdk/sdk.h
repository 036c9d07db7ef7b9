// Where the command finds the SDK that it works on, and the files that come with it.
#pragma once

#include <string>
#include <variant>

namespace softhccl::tools {

// A sentence for the person at the terminal.
struct Failure {
  std::string text;
};
template <typename T>
using Outcome = std::variant<T, Failure>;

// The root of an SDK: `given`, else ASCEND_HOME_PATH, else the one that this program is part of.
Outcome<std::string> FindSdk(const std::string& given);

// A folder of <root>/share/softhccl of the installation that this program is part of.
Outcome<std::string> SharedFolder(const std::string& name);

// Prints "softhccl <command>: error: <text>"; the exit code 1.
int Complain(const char* command, const Failure& failure);

}  // namespace softhccl::tools
