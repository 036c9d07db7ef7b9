// The template is itself a project, of an operator "sample_op": names are replaced in its texts and file names.
#include "new/new.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sdk/sdk.h"

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLongestName = 40;

struct Options {
  std::string name;
  std::string vendor = "cust";
  std::string folder;
};

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// "" or why the name cannot be one of files, functions and namespaces.
std::string CheckName(const std::string& name) {
  bool is_valid =
      !name.empty() && name.size() <= kLongestName && name[0] >= 'a' && name[0] <= 'z' && name.back() != '_';
  for (std::size_t i = 0; i < name.size(); ++i) {
    is_valid = is_valid && (IsLowerOrDigit(name[i]) || (name[i] == '_' && name[i - 1] != '_'));
  }
  if (is_valid) return "";
  return fmt::format(
      "the name '{}' cannot be used: it becomes part of file and function names, so it has lower-case letters, "
      "digits and single '_' between them, begins with a letter and has at most {} characters",
      name, kLongestName);
}

std::string CheckVendor(const std::string& vendor) {
  bool is_valid = !vendor.empty() && vendor.size() <= kLongestName && vendor[0] != '-' && vendor[0] != '_';
  for (const char c : vendor) {
    is_valid = is_valid && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-');
  }
  if (is_valid) return "";
  return fmt::format(
      "the vendor '{}' cannot be used: it becomes a folder, so it has letters, digits, '_' and '-', begins with "
      "a letter or digit and has at most {} characters",
      vendor, kLongestName);
}

// my_op → MyOp
std::string CamelCase(const std::string& name) {
  std::string text;
  bool is_start = true;
  for (const char c : name) {
    if (c != '_') text += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_start = c == '_';
  }
  return text;
}

std::string UpperCase(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

class Template {
 public:
  explicit Template(const Options& options)
      : words_{{{"sample_vendor", options.vendor},
                {"sample_op", options.name},
                {"SampleOp", CamelCase(options.name)},
                {"SAMPLE_OP", UpperCase(options.name)}}} {}

  std::string Fill(std::string text) const {
    for (const auto& [word, value] : words_) {
      for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + value.size())) {
        text.replace(at, word.size(), value);
      }
    }
    return text;
  }

  // Copies a file into the folder of the project; false when it cannot be written.
  bool Copy(const fs::path& source, const fs::path& target) const {
    std::ifstream in(source, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.good()) return false;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    std::ofstream out(target, std::ios::binary);
    out << Fill(std::move(text));
    out.close();
    return out.good();
  }

 private:
  std::array<std::pair<std::string_view, std::string>, 4> words_;
};

int Create(const Options& options) {
  for (const std::string& problem : {CheckName(options.name), CheckVendor(options.vendor)}) {
    if (!problem.empty()) return Complain("new", {problem});
  }
  const auto shared = SharedFolder("template");
  if (const auto* failure = std::get_if<Failure>(&shared)) return Complain("new", *failure);
  const auto functions = SharedFolder("pack/cmake");
  if (const auto* failure = std::get_if<Failure>(&functions)) return Complain("new", *failure);
  const fs::path folder = options.folder.empty() ? options.name : options.folder;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return Complain(
        "new", {fmt::format("{} is there already and not empty; give another folder with --folder", folder.string())});
  }
  const Template filled(options);
  const fs::path source = std::get<std::string>(shared);
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = filled.Fill(fs::relative(entry.path(), source).string());
    if (!filled.Copy(entry.path(), folder / name)) {
      return Complain("new", {fmt::format("{} cannot be written", (folder / name).string())});
    }
  }
  const fs::path cmake = folder / "cmake/custom_ops.cmake";
  if (!filled.Copy(fs::path(std::get<std::string>(functions)) / "custom_ops.cmake", cmake)) {
    return Complain("new", {fmt::format("{} cannot be written", cmake.string())});
  }
  fmt::print(
      "made {0}: Hccl{1}Custom, vendor {2}. To go on:\n  softhccl pack {0}\n  softhccl install {0}\n"
      "  make -C {0}/testcase test\n",
      folder.string(), CamelCase(options.name), options.vendor);
  return 0;
}

}  // namespace

void AddNew(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("new", "make a complete operator project to begin with");
  command->add_option("name", options->name, "of the operator, for example my_op")->required();
  command->add_option("--vendor", options->vendor, "folder below opp/vendors that it will be installed into")
      ->capture_default_str();
  command->add_option("--folder", options->folder, "where to make it; without: a folder of the operator's name");
  command->callback([options, exit_code] { *exit_code = Create(*options); });
}

}  // namespace softhccl::tools
