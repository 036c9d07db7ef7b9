// softhccl trust: the certificates whose packages this user loads on devices that verify.
#pragma once

#include <CLI/App.hpp>

namespace softhccl::tools {

// Adds the subcommand with list, add and remove; their callbacks set *exit_code: 0, or 1 when it cannot be done.
void AddTrust(CLI::App& app, int* exit_code);

}  // namespace softhccl::tools
