// The command line of bisheng, read far enough to run the host compiler in its place: which inputs are to be lowered,
// how far to go, and which options belong to which step. Options for other processors are dropped.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bisheng/lower.h"

namespace softhccl::bisheng {

enum class Stage {
  kLink,
  kAssemble,      // -c
  kCompile,       // -S
  kPreprocess,    // -E
  kDependencies,  // -M, -MM, -dM and the like: the preprocessor's output is no source
};

struct Input {
  std::string path;
  std::optional<Dialect> dialect;  // nothing: for the host compiler as it is
  std::string host_language;       // of -x; empty: by the ending of the name
};

// An option with its argument, in the words of the host compiler.
struct Option {
  enum class Step { kAll, kPreprocessor, kDependencies, kOutput };
  std::vector<std::string> words;
  Step step = Step::kAll;
};

struct CommandLine {
  std::vector<std::variant<Option, Input>> items;  // in their order; libraries (-l) are options
  Stage stage = Stage::kLink;
  std::string output;         // of -o; empty: the usual name
  std::string host_compiler;  // of --host-compiler=; empty: look for it
  bool default_libraries = true;
  bool wants_version = false;
  bool writes_dependencies = false;  // -MD, -MMD
  bool names_dependency_file = false;
  bool names_dependency_target = false;

  std::vector<Input> inputs() const;
  bool needs_lowering() const;
};

// Reads @files, too. Errors: a sentence.
std::variant<CommandLine, std::string> ReadCommandLine(const std::vector<std::string>& arguments);

// a/b.asc → "b.o" for ".o".
std::string OutputName(std::string_view input, std::string_view ending);

// The commands of the host compiler, without its name. Directories are those of an SDK.
struct SdkFolders {
  std::string launch_header;
  std::vector<std::string> includes;
  std::string libraries;
};
std::vector<std::string> PreprocessCommand(const CommandLine& line, const Input& input, const SdkFolders& sdk);
// Compiles what it reads from standard input; `output` empty: the standard output.
std::vector<std::string> CompileCommand(const CommandLine& line, const std::string& output);
// The command line itself, for its inputs that need no lowering and for `objects` in place of the others.
std::vector<std::string> HostCommand(const CommandLine& line, const std::vector<std::string>& objects,
                                     const SdkFolders& sdk);

}  // namespace softhccl::bisheng
