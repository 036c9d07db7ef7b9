// softhccl new: a complete operator project to begin with.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Adds the subcommand; its callback sets *exit_code: 0, or 1 when something failed.
void AddNew(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
