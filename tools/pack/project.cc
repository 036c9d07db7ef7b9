// Reads CMakeLists.txt by its text, without running cmake: what it means is checked when the project is built.
#include "pack/project.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "package/package_list.h"

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool IsNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// The name that follows `mark` in a line that is no comment; empty when there is none.
std::string NameAfter(const std::string& text, std::string_view mark) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find('#') != text.npos) continue;
    std::size_t begin = at + mark.size();
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == '"')) ++begin;
    std::size_t end = begin;
    while (end < text.size() && IsNamePart(text[end])) ++end;
    if (end > begin) return text.substr(begin, end - begin);
  }
  return "";
}

// The vendor below whose folder the records of the list put packages; "cust" without records.
Outcome<std::string> ReadVendor(const std::string& path) {
  const auto list = package::ReadPackageListFile(path);
  if (!list) return Failure{list.error().message()};
  if (!list->problems.empty()) return Failure{fmt::format("{}: {}", path, list->problems.front())};
  if (list->records.empty()) return "cust";
  for (const package::PackageRecord& record : list->records) {
    const fs::path folder = fs::path("/" + record.package_path).lexically_normal().relative_path();
    const std::vector<std::string> parts(folder.begin(), folder.end());
    if (parts.size() > 2 && parts[0] == "opp" && parts[1] == "vendors") return parts[2];
  }
  return Failure{fmt::format("{}: no record has a package_path below opp/vendors/<vendor>", path)};
}

}  // namespace

Outcome<Project> ReadProject(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::canonical(folder, error);
  if (error || !fs::is_directory(path)) return Failure{fmt::format("there is no folder {}", folder)};
  if (!fs::is_regular_file(path / "CMakeLists.txt")) {
    return Failure{fmt::format("{} has no CMakeLists.txt, so it is no project", path.string())};
  }
  const std::string name = NameAfter(ReadText(path / "CMakeLists.txt"), "custom_ops_project(");
  if (name.empty()) {
    return Failure{
        fmt::format("{}/CMakeLists.txt does not call custom_ops_project(<name>). A project that belongs to a "
                    "repository with a build script of its own is built by that: build.sh --custom_ops_path={}",
                    path.string(), path.string())};
  }
  const auto vendor = ReadVendor((path / "scripts/ascend_package_load.ini").string());
  if (const auto* failure = std::get_if<Failure>(&vendor)) return *failure;
  return Project{path.string(), name, std::get<std::string>(vendor)};
}

}  // namespace softhccl::tools
