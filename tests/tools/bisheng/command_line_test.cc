// Which options of a command line belong to which step, and what becomes of the vendor's.
#include "bisheng/command_line.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace softhccl::bisheng {
namespace {

const SdkFolders kSdk = {"/sdk/launch.h", {"/sdk/include"}, "/sdk/lib64"};

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}
std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}
CommandLine Read(const std::string& text) {
  auto read = ReadCommandLine(Split(text));
  if (const auto* error = std::get_if<std::string>(&read)) ADD_FAILURE() << *error;
  return std::get<CommandLine>(std::move(read));
}
std::string Preprocess(const std::string& text) {
  const CommandLine line = Read(text);
  return Join(PreprocessCommand(line, line.inputs().at(0), kSdk));
}
std::string Compile(const std::string& text, const std::string& output) {
  return Join(CompileCommand(Read(text), output));
}
std::string Host(const std::string& text, const std::vector<std::string>& objects = {}) {
  return Join(HostCommand(Read(text), objects, kSdk));
}

const char kWords[] = "-D__global__=__global__ -D__aicpu__=__aicpu__ -D__aicore__=__aicore__ -idirafter /sdk/include";

TEST(CommandLineTest, DocumentedCommands_CompileAndLink) {
  const std::string kernel =
      "-O2 hello.aicpu --cce-aicpu-L/sdk/lib64/device/lib64 --cce-aicpu-laicpu_api --cce-aicpu-toolkit-path=/x "
      "--cce-aicpu-sysroot=/y -I/sdk/api -c -o hello.aicpu.o";
  EXPECT_EQ(Read(kernel).inputs().at(0).dialect, Dialect::kAicpu);
  EXPECT_EQ(Preprocess(kernel), std::string("-O2 -I/sdk/api ") + kWords + " -E -x c++ hello.aicpu -x none");
  EXPECT_EQ(Compile(kernel, "hello.aicpu.o"), "-O2 -c -o hello.aicpu.o -x c++-cpp-output - -x none");
  const std::string host = "--npu-arch=dav-2201 --asc-aicore-lang main.asc -c -o main.o";
  EXPECT_EQ(Read(host).inputs().at(0).dialect, Dialect::kAsc);
  EXPECT_EQ(Preprocess(host), std::string(kWords) + " -include /sdk/launch.h -E -x c++ main.asc -x none");
  EXPECT_EQ(Host("hello.o main.o -o demo"),
            "hello.o main.o -o demo -L/sdk/lib64 -Wl,-rpath-link,/sdk/lib64 -Wl,--push-state,--as-needed "
            "-lascendc_runtime -lhcomm -lacl_rt -lc_sec -Wl,--pop-state");
}

TEST(CommandLineTest, LanguageOption_CountsUntilTheNext) {
  const CommandLine line = Read("-c -x aicpu a.cc -xasc b.cpp -x c++ c.asc -x none d.asc e.cc");
  const auto inputs = line.inputs();
  ASSERT_EQ(inputs.size(), 5u);
  EXPECT_EQ(inputs[0].dialect, Dialect::kAicpu);
  EXPECT_EQ(inputs[1].dialect, Dialect::kAsc);
  EXPECT_FALSE(inputs[2].dialect);
  EXPECT_EQ(inputs[2].host_language, "c++");
  EXPECT_EQ(inputs[3].dialect, Dialect::kAsc);
  EXPECT_FALSE(inputs[4].dialect);
  EXPECT_EQ(Join(HostCommand(line, {}, kSdk)), "-x c++ c.asc -x none e.cc -c");
}

TEST(CommandLineTest, OptionsWithArguments_AreNoInputs) {
  const CommandLine line =
      Read("-I a.asc -D b.asc -include c.asc -o d.asc -MF e.asc -L f.asc -l g -Xlinker h.asc i.asc");
  ASSERT_EQ(line.inputs().size(), 1u);
  EXPECT_EQ(line.inputs()[0].path, "i.asc");
  EXPECT_EQ(line.output, "d.asc");
  EXPECT_TRUE(line.names_dependency_file);
}

TEST(CommandLineTest, PreprocessorOptions_AreGoneWhenTheResultIsCompiled) {
  EXPECT_EQ(
      Compile("-Da=1 -D b -Ux -I. -I y -isystem z -include w.h -imacros v.h -Wp,-q -P -C -nostdinc++ -MD -MT t -MF d "
              "-MP -g -Wall -std=c++14 -c a.asc",
              "a.o"),
      "-g -Wall -std=c++14 -c -o a.o -x c++-cpp-output - -x none");
}

TEST(CommandLineTest, DependencyFile_AsForAnObject) {
  EXPECT_EQ(Preprocess("-MD -MT t -MF d.d -c a.asc -o x/a.o"),
            std::string("-MD -MT t -MF d.d ") + kWords + " -include /sdk/launch.h -E -x c++ a.asc -x none");
  EXPECT_EQ(Preprocess("-MMD -c a.asc -o x/a.o"),
            std::string("-MMD ") + kWords + " -include /sdk/launch.h -MQ x/a.o -MF x/a.d -E -x c++ a.asc -x none");
  EXPECT_EQ(Preprocess("-MD -c s/a.asc"),
            std::string("-MD ") + kWords + " -include /sdk/launch.h -MQ a.o -MF a.d -E -x c++ s/a.asc -x none");
}

TEST(CommandLineTest, DependenciesOnly_GoToTheHostCompiler) {
  EXPECT_EQ(Read("-MM a.asc").stage, Stage::kDependencies);
  EXPECT_EQ(Host("-MM a.asc"), std::string(kWords) + " -MM -x c++ a.asc -x none -E");
  EXPECT_EQ(Read("-dM -E a.asc").stage, Stage::kDependencies);
}

TEST(CommandLineTest, Link_ObjectsTakeThePlaceOfSources) {
  EXPECT_EQ(Host("-shared a.asc x.o b.aicpu -lfoo -nodefaultlibs -o l.so", {"/t/0.o", "/t/1.o"}),
            "-shared /t/0.o x.o /t/1.o -lfoo -nodefaultlibs -o l.so");
}

TEST(CommandLineTest, NothingToDo_IsTheHostCompilers) {
  EXPECT_EQ(Host("-v"), "-v");
  EXPECT_TRUE(Read("--version").wants_version);
  EXPECT_EQ(Host("--version"), "--version");
  EXPECT_FALSE(Read("a.cc").needs_lowering());
}

TEST(CommandLineTest, MissingArgument_IsSaid) {
  EXPECT_EQ(std::get<std::string>(ReadCommandLine({"a.asc", "-o"})), "option -o needs an argument");
  EXPECT_EQ(std::get<std::string>(ReadCommandLine({"-x"})), "option -x needs an argument");
}

TEST(CommandLineTest, ResponseFile_IsRead) {
  const auto path = std::filesystem::temp_directory_path() / "softhccl_command_line_test.rsp";
  std::ofstream(path) << "-c 'a b.asc'\n\"-DX=\\\"y\\\"\" --npu-arch=dav-2201\\ x -O1\n";
  auto read = ReadCommandLine({"@" + path.string(), "-o", "x"});
  std::filesystem::remove(path);
  const CommandLine& line = std::get<CommandLine>(read);
  ASSERT_EQ(line.inputs().size(), 1u);
  EXPECT_EQ(line.inputs()[0].path, "a b.asc");
  EXPECT_EQ(Join(PreprocessCommand(line, line.inputs()[0], kSdk)),
            std::string("-DX=\"y\" -O1 ") + kWords + " -include /sdk/launch.h -E -x c++ a b.asc -x none");
}

TEST(CommandLineTest, OutputName_FolderAndEndingAreReplaced) {
  EXPECT_EQ(OutputName("a/b.c.asc", ".o"), "b.c.o");
  EXPECT_EQ(OutputName("main", ".o"), "main.o");
  EXPECT_EQ(OutputName("d/.asc", ".o"), ".asc.o");
}

}  // namespace
}  // namespace softhccl::bisheng
