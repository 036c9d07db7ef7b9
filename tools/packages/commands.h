// softhccl list: the operators of an SDK. softhccl verify: whether the parts of each agree.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Their callbacks set *exit_code: 0, or 1 when something is wrong or unknown.
void AddList(CLI::App& app, int* exit_code);
void AddVerify(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
