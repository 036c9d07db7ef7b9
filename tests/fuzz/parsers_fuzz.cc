// Every parser of text that comes from outside, on arbitrary bytes: it may refuse them with a sentence, and nothing
// else. One program for all of them; FUZZ_TARGET chooses. run.sh builds and runs it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "bootstrap/rank_table.h"
#include "comm/topology.h"
#include "package/archive.h"
#include "package/descriptor.h"
#include "package/package_list.h"

namespace {

using softhccl::base::Status;

// A refusal without a sentence would leave a person alone with a number.
template <typename Result>
void Expect(const Result& result) {
  if (!result && result.error().message().empty()) std::abort();
}

void FuzzRankTable(std::string_view text) { Expect(softhccl::bootstrap::ParseRankTable(text, "ranktable.json")); }

void FuzzTopology(std::string_view text) {
  Expect(softhccl::comm::Topology::Parse(text, "topology.json", "Ascend950PR_9599"));
}

void FuzzDescriptor(std::string_view text) {
  Expect(softhccl::package::ParseDescriptor(std::string(text), "kernel.json"));
}

void FuzzPackageList(std::string_view text) {
  const auto list = softhccl::package::ParsePackageList(std::string(text));
  for (const std::string& problem : list.problems) {
    if (problem.empty()) std::abort();
  }
}

void FuzzArchive(std::string_view bytes) { Expect(softhccl::package::ReadArchive(bytes, "archive", "libkernel.so")); }

struct Target {
  const char* name;
  void (*run)(std::string_view);
};
constexpr Target kTargets[] = {{"rank_table", FuzzRankTable},
                               {"topology", FuzzTopology},
                               {"descriptor", FuzzDescriptor},
                               {"package_list", FuzzPackageList},
                               {"archive", FuzzArchive}};

const Target& Chosen() {
  const char* name = std::getenv("FUZZ_TARGET");
  for (const Target& target : kTargets) {
    if (name != nullptr && std::strcmp(name, target.name) == 0) return target;
  }
  std::fprintf(stderr, "parsers_fuzz: FUZZ_TARGET is '%s'; use one of:", name != nullptr ? name : "");
  for (const Target& target : kTargets) std::fprintf(stderr, " %s", target.name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Target& target = Chosen();
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
