// Running other programs: with their output caught, with text on their standard input, or in place of this one.
#pragma once

#include <string>
#include <vector>

namespace softhccl::tools {

// The exit code of `program`, 128 and the signal when one ended it, 127 when it cannot be run (said on standard error).
int RunForOutput(const std::string& program, const std::vector<std::string>& arguments, std::string* output);
int RunWithInput(const std::string& program, const std::vector<std::string>& arguments, const std::string& input);
int Run(const std::string& program, const std::vector<std::string>& arguments);

// Whether a program of that name is found in PATH, or is a path that can be run.
bool CanRun(const std::string& program);

}  // namespace softhccl::tools
