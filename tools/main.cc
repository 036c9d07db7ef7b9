// softhccl: one command with a subcommand per task. Exit codes: 0 all is well, 1 the task failed, 2 the command line is
// wrong or names something unknown.
#include <CLI/CLI.hpp>

#include "explain/explain.h"
#include "install/install.h"
#include "new/new.h"
#include "pack/pack.h"
#include "packages/commands.h"
#include "sign/sign.h"
#include "trust/trust.h"

int main(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app{"Tools of SoftHCCL, a software implementation of the HCCL operator interface."};
  app.name("softhccl");
  app.set_version_flag("--version", "softhccl " SOFTHCCL_VERSION);
  app.require_subcommand(1);
  softhccl::tools::AddNew(app, &exit_code);
  softhccl::tools::AddPack(app, &exit_code);
  softhccl::tools::AddInstall(app, &exit_code);
  softhccl::tools::AddList(app, &exit_code);
  softhccl::tools::AddVerify(app, &exit_code);
  softhccl::tools::AddExplain(app, &exit_code);
  softhccl::tools::AddSign(app, &exit_code);
  softhccl::tools::AddTrust(app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // help and version are no errors
  }
  return exit_code;
}
