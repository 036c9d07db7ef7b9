// bisheng: takes the place of the vendor's compiler of that name for host-only Ascend C. It preprocesses .asc and
// .aicpu files with the host compiler, lowers what is no C++ and compiles the result; everything else goes to the host
// compiler as it is. Exit codes are those of the host compiler, or 1.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bisheng/command_line.h"
#include "bisheng/lower.h"
#include "process/process.h"

namespace softhccl::bisheng {
namespace {

namespace fs = std::filesystem;

int Fail(const std::string& message) {
  fmt::print(stderr, "bisheng: error: {}\n", message);
  return 1;
}

// Objects of sources that are compiled and linked at once; gone when the driver is done.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "bisheng-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The SDK that this program is part of: <sdk>/bin/bisheng.
SdkFolders FindSdk() {
  std::error_code error;
  const fs::path root = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  return {(root / "include/softhccl/aicpu_launch.h").string(),
          {(root / "include").string(), (root / "asc/include/aicpu_api").string(),
           (root / "asc/include/no_aicore").string()},
          (root / "lib64").string()};
}

std::string FindHostCompiler(const std::string& given) {
  if (!given.empty()) return given;
  for (const char* name : {"g++", "c++", "clang++"}) {
    if (tools::CanRun(name)) return name;
  }
  return "";
}

class Driver {
 public:
  Driver(CommandLine line, SdkFolders sdk, std::string compiler)
      : line_(std::move(line)), sdk_(std::move(sdk)), compiler_(std::move(compiler)) {}

  int Run() {
    if (!line_.needs_lowering() || line_.stage == Stage::kDependencies) return RunHost({});
    if (!fs::exists(sdk_.launch_header)) {
      return Fail(
          fmt::format("{} is missing; run the bisheng of an installed SDK: <sdk>/bin/bisheng", sdk_.launch_header));
    }
    return line_.stage == Stage::kLink ? CompileAndLink() : CompileEach();
  }

 private:
  int RunHost(const std::vector<std::string>& objects) {
    return tools::Run(compiler_, HostCommand(line_, objects, sdk_));
  }

  int CompileEach() {
    const auto inputs = line_.inputs();
    if (!line_.output.empty() && inputs.size() > 1) {
      return Fail(fmt::format("-o {} names one output for {} inputs", line_.output, inputs.size()));
    }
    bool has_others = false;
    for (const Input& input : inputs) {
      has_others = has_others || !input.dialect;
      if (!input.dialect) continue;
      std::string output = line_.output;
      if (output.empty() && line_.stage != Stage::kPreprocess) {
        output = OutputName(input.path, line_.stage == Stage::kCompile ? ".s" : ".o");
      }
      if (const int code = CompileOne(input, output); code != 0) return code;
    }
    return has_others ? RunHost({}) : 0;
  }

  int CompileAndLink() {
    const TemporaryFolder folder;
    if (folder.path().empty()) return Fail("no folder for objects can be made in the folder for temporary files");
    std::vector<std::string> objects;
    for (const Input& input : line_.inputs()) {
      if (!input.dialect) continue;
      objects.push_back(fmt::format("{}/{}-{}", folder.path(), objects.size(), OutputName(input.path, ".o")));
      if (const int code = CompileOne(input, objects.back()); code != 0) return code;
    }
    return RunHost(objects);
  }

  int CompileOne(const Input& input, const std::string& output) {
    std::string source;
    if (const int code = tools::RunForOutput(compiler_, PreprocessCommand(line_, input, sdk_), &source); code != 0)
      return code;
    const Lowered lowered = Lower(source, input.path, *input.dialect);
    for (const LoweringError& error : lowered.errors) {
      fmt::print(stderr, "{}:{}: error: {}\n", error.file, error.line, error.message);
    }
    if (!lowered.errors.empty()) return 1;
    if (line_.stage == Stage::kPreprocess) return WriteText(lowered.text, output);
    return tools::RunWithInput(compiler_, CompileCommand(line_, output), lowered.text);
  }

  static int WriteText(const std::string& text, const std::string& path) {
    std::FILE* file = path.empty() || path == "-" ? stdout : std::fopen(path.c_str(), "w");
    const bool is_written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool is_closed = file == nullptr || file == stdout || std::fclose(file) == 0;
    return is_written && is_closed ? 0 : Fail(fmt::format("{} cannot be written", path));
  }

  CommandLine line_;
  SdkFolders sdk_;
  std::string compiler_;
};

int Main(const std::vector<std::string>& arguments) {
  auto read = ReadCommandLine(arguments);
  if (const auto* error = std::get_if<std::string>(&read)) return Fail(*error);
  auto& line = std::get<CommandLine>(read);
  const std::string compiler = FindHostCompiler(line.host_compiler);
  if (compiler.empty()) return Fail("no C++ compiler: install g++ or give --host-compiler=<program>");
  if (line.wants_version) {
    fmt::print("SoftHCCL bisheng " SOFTHCCL_VERSION ": lowers host-only Ascend C and compiles it with {}\n", compiler);
    std::fflush(stdout);
  }
  return Driver(std::move(line), FindSdk(), compiler).Run();
}

}  // namespace
}  // namespace softhccl::bisheng

int main(int argc, char** argv) { return softhccl::bisheng::Main({argv + 1, argv + argc}); }
