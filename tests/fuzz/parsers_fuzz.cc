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
#include "package/container.h"
#include "package/descriptor.h"
#include "package/package_list.h"
#include "package/sha256.h"

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

// What a reader of containers gives out must lie within what it was given.
void ExpectWithin(std::string_view whole, std::string_view part) {
  if (part.empty()) return;
  if (part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size()) std::abort();
}

void ReadContainer(std::string_view bytes) {
  const auto archive = softhccl::package::ArchiveOf(bytes);
  Expect(archive);
  if (archive) ExpectWithin(bytes, *archive);
  const auto container = softhccl::package::ParseContainer(bytes);
  Expect(container);
  if (!container) return;
  for (const std::string_view part :
       {container->archive, container->image, container->signed_text, container->signature, container->revocations}) {
    ExpectWithin(bytes, part);
  }
}

// A container whose digests are those of the bytes as they are, so that what stands behind them is reached, too. The
// numbers are the places in the file: see container.h.
std::string Sealed(std::string_view bytes) {
  std::string sealed(bytes);
  const auto put = [&](std::size_t at, std::string_view covered) {
    const auto digest = softhccl::package::Sha256Of(covered);
    std::memcpy(sealed.data() + at, digest.data(), digest.size());
  };
  const auto archive = softhccl::package::ArchiveOf(bytes);
  if (!archive) return sealed;
  put(0x560, std::string_view(sealed).substr(0, 0x560));
  put(0x2018, *archive);
  const std::uint64_t size = sealed.size();
  std::memcpy(sealed.data() + 0x588, &size, sizeof size);
  return sealed;
}

void FuzzContainer(std::string_view bytes) {
  ReadContainer(bytes);
  ReadContainer(Sealed(bytes));
}

struct Target {
  const char* name;
  void (*run)(std::string_view);
};
constexpr Target kTargets[] = {
    {"rank_table", FuzzRankTable},     {"topology", FuzzTopology}, {"descriptor", FuzzDescriptor},
    {"package_list", FuzzPackageList}, {"archive", FuzzArchive},   {"container", FuzzContainer},
};

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
