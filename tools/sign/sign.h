// softhccl sign: puts a kernel package into a signed container, with the key of its author.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Adds the subcommand; its callback sets *exit_code: 0, or 1 when the package cannot be signed.
void AddSign(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
