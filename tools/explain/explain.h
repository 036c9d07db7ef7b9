// softhccl explain: what an error means and what to do about it, without a network.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Adds the subcommand; its callback sets *exit_code: 0, or 2 when nothing is known about the question.
void AddExplain(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
