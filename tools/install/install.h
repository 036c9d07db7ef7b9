// softhccl install: puts a packed operator into an SDK, or takes it out again.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Adds the subcommand; its callback sets *exit_code: 0, or 1 when something failed.
void AddInstall(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
