// softhccl pack: builds an operator project and packs it, as build.sh does.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Adds the subcommand; its callback sets *exit_code: 0, or 1 when something failed.
void AddPack(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
