// From a descriptor to functions that run: libraries compiled on the spot and opened on many devices.
// What matters most is that no two devices ever share a global, however many copies come and go.
#include "engine/kernel_binary.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>
#include <set>
#include <thread>

#include "../package/package_fixture.h"
#include "engine/kernel_image.h"

namespace softhccl::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kSource = R"(
static unsigned counter = 0;
inline unsigned unique_counter = 0;
extern "C" unsigned Count(void*) { return ++counter; }
extern "C" unsigned CountUnique(void*) { return ++unique_counter; }
extern "C" { unsigned data_symbol = 7; }
unsigned Mangled(void*) { return 0; }
)";

std::string Entry(const std::string& kernel, const std::string& library, const std::string& symbol) {
  return fmt::format(R"("{}":{{"opInfo":{{"opKernelLib":"AICPUKernel","kernelSo":"{}","functionName":"{}"}}}})", kernel,
                     library, symbol);
}

class Binary : public package::PackageTest {
 protected:
  void SetUp() override {
    PackageTest::SetUp();
    static const std::string library = Compile(kSource);
    library_ = library;
    Write("conf/ascend_package_load.ini",
          "name:k.tar.gz\ninstall_path:2\noptional:true\npackage_path:v/aicpu/kernel\n");
    descriptor_ = Write("v/aicpu/config/libk.json", fmt::format("{{{},{}}}", Entry("Count", "libk.so", "Count"),
                                                                Entry("CountUnique", "libk.so", "CountUnique")));
  }
  void Package(const std::string& bytes) { Pack("v/aicpu/kernel/k.tar.gz", {{"aicpu_kernels_device/libk.so", bytes}}); }
  std::shared_ptr<KernelBinary> Load(int mode = 0) {
    auto binary = KernelBinary::Load(descriptor_, mode, folder_.string());
    EXPECT_TRUE(binary) << binary.error().message();
    return binary.value();
  }
  KernelFunction Function(KernelBinary& binary, const std::string& name, int device) {
    auto function = binary.Resolve(binary.Find(name).value(), device);
    EXPECT_TRUE(function) << function.error().message();
    return function.value();
  }
  std::string ResolveError(const std::string& symbol, const std::string& library_name = "libk.so") {
    auto function = Load()->Resolve({"Kernel", library_name, symbol, "AICPUKernel"}, 0);
    EXPECT_FALSE(function);
    if (function) return "";
    EXPECT_EQ(function.error().code(), base::Code::kKernelFailed);
    return function.error().message();
  }
  std::string Patched(std::size_t offset, unsigned char value) const {
    std::string bytes = library_;
    bytes[offset] = static_cast<char>(value);
    return bytes;
  }
  std::string library_;
  std::string descriptor_;
};

TEST_F(Binary, Devices_HaveTheirOwnGlobals) {
  Package(library_);
  const auto binary = Load();
  for (const std::string name : {"Count", "CountUnique"}) {
    const auto first = Function(*binary, name, 0);
    const auto second = Function(*binary, name, 1);
    EXPECT_NE(first, second);
    EXPECT_EQ(first(nullptr), 1u);
    EXPECT_EQ(first(nullptr), 2u);
    EXPECT_EQ(second(nullptr), 1u) << name;
    EXPECT_EQ(Function(*binary, name, 0), first);
  }
}

TEST_F(Binary, TwoLoadsOnOneDevice_ShareTheLibrary) {
  Package(library_);
  const auto a = Load();
  auto b = Load();
  EXPECT_EQ(Function(*a, "Count", 0), Function(*b, "Count", 0));
  EXPECT_EQ(Function(*a, "Count", 0)(nullptr), 1u);
  b.reset();
  EXPECT_EQ(Function(*a, "Count", 0)(nullptr), 2u);
  Package(Compile(std::string(kSource) + "extern \"C\" unsigned Newer(void*) { return 9; }"));
  const auto rebuilt = Load();
  EXPECT_NE(Function(*rebuilt, "Count", 0), Function(*a, "Count", 0));
}

TEST_F(Binary, Reload_StartsAfresh) {
  Package(library_);
  for (int i = 0; i < 3; ++i) {
    const auto binary = Load();
    EXPECT_EQ(Function(*binary, "Count", 0)(nullptr), 1u);
    EXPECT_EQ(Function(*binary, "CountUnique", 0)(nullptr), 1u);
  }
}

TEST_F(Binary, LibraryThatCannotBeUnloaded_IsNotMistakenForItsSuccessor) {
  // The dynamic linker keeps its path string for ever, and the next library gets the same descriptor number.
  Package(Compile(kSource, "-Wl,-z,nodelete"));
  for (int i = 0; i < 3; ++i) {
    const auto binary = Load();
    EXPECT_EQ(Function(*binary, "Count", 0)(nullptr), 1u) << i;
  }
}

TEST_F(Binary, HundredDevices_DistinctGlobalsAndSixtyFourDescriptors) {
  Package(library_);
  for (int round = 0; round < 2; ++round) {
    const auto before = CountDescriptors();
    const auto binary = Load();
    std::set<KernelFunction> functions;
    for (int device = 0; device < 100; ++device) {
      const auto function = Function(*binary, "Count", device);
      EXPECT_TRUE(functions.insert(function).second) << device;
      EXPECT_EQ(function(nullptr), 1u) << device;
    }
    EXPECT_EQ(CountDescriptors() - before, 64);
    for (const auto function : functions) EXPECT_EQ(function(nullptr), 2u);
  }
}

TEST_F(Binary, MoreCopiesThanOneDescriptorCanName_StayDistinct) {
  Package(library_);
  const auto binary = Load();
  std::set<KernelFunction> functions;
  for (int device = 0; device < 400; ++device) functions.insert(Function(*binary, "Count", device));
  EXPECT_THAT(functions, SizeIs(400));
}

TEST_F(Binary, ManyThreads_ShareOneCopyPerDevice) {
  Package(library_);
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<KernelBinary>> binaries(8);
  std::vector<KernelFunction> functions(8);
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      binaries[i] = Load();
      functions[i] = Function(*binaries[i], "Count", static_cast<int>(i % 2));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::set(functions.begin(), functions.end()).size(), 2u);
}

TEST_F(Binary, LinkerPath_NamesTheProcess) {
  const auto bytes = std::make_shared<const std::string>(library_);
  const auto image = KernelImage::Open("libk.so", bytes, 0, "").value();
  EXPECT_THAT(image->path(), StartsWith("/proc/" + std::to_string(::getpid()) + "/fd/"));
  EXPECT_EQ(Read(image->path()).size(), library_.size());
}

TEST_F(Binary, Find_ListsWhatThereIs) {
  const auto missing = Load()->Find("Launch");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), base::Code::kNotFound);
  EXPECT_EQ(missing.error().message(),
            "descriptor " + descriptor_ + " has no kernel 'Launch'; it has: Count, CountUnique");
}

TEST_F(Binary, Load_RefusesBadPathsAndModes) {
  const auto error = [](const std::string& path, int mode) {
    const auto result = KernelBinary::Load(path, mode, "");
    EXPECT_FALSE(result);
    return result ? base::Status() : result.error();
  };
  EXPECT_EQ(error(descriptor_, 2).code(), base::Code::kInvalidParam);
  EXPECT_EQ(error(descriptor_, 2).message(),
            "cpuKernelMode 2: 0 (package) and 1 (.so beside the descriptor) are supported by LoadFromFile");
  EXPECT_EQ(error("", 0).message(), "descriptor path '' must end in .json or .so");
  EXPECT_EQ(error("/none/k.so", 0).message(), "descriptor /none/k.json cannot be found: No such file or directory");
  EXPECT_EQ(error("/none/k.so", 0).code(), base::Code::kFileError);
  std::filesystem::create_directories(folder_ / "d.json");
  EXPECT_THAT(error((folder_ / "d.json").string(), 0).message(), EndsWith("d.json is not a regular file"));
  EXPECT_THAT(error(Write("big.json", std::string((16 << 20) + 1, ' ')), 0).message(),
              EndsWith("has 16777217 bytes, the limit is 16777216"));
}

TEST_F(Binary, ModeOne_TakesTheLibraryBesideTheDescriptor) {
  const auto missing = KernelBinary::Load(descriptor_, 1, "");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), base::Code::kFileError);
  EXPECT_EQ(missing.error().message(), "cpuKernelMode 1: library " + (folder_ / "v/aicpu/config/libk.so").string() +
                                           " must lie beside its descriptor and does not");
  const auto library = Write("v/aicpu/config/libk.so", library_);
  const auto binary = KernelBinary::Load(library, 1, "");
  ASSERT_TRUE(binary) << binary.error().message();
  EXPECT_EQ((*binary)->path(), descriptor_);
  EXPECT_EQ(Function(**binary, "Count", 0)(nullptr), 1u);
}

TEST_F(Binary, MissingPackageOrLibraryName_FailsAtUse) {
  EXPECT_THAT(ResolveError("Count"), AllOf(StartsWith("no package holds library libk.so; searched: "),
                                           EndsWith(", while resolving kernel 'Kernel' of " + descriptor_)));
  EXPECT_EQ(ResolveError("Count", ""), "descriptor " + descriptor_ + ": kernel 'Kernel' has no kernelSo");
  EXPECT_EQ(ResolveError(""), "descriptor " + descriptor_ + ": kernel 'Kernel' has no functionName");
}

TEST_F(Binary, MissingSymbol_NamesSimilarOnes) {
  Package(library_);
  EXPECT_THAT(ResolveError("Cuont"),
              StartsWith("library libk.so has no function Cuont; it exports: Count, CountUnique, _Z7MangledPv, while"));
  EXPECT_THAT(ResolveError("Mangled"), HasSubstr("(_Z7MangledPv is its C++ name: declare it extern \"C\")"));
  EXPECT_THAT(ResolveError("data_symbol"), StartsWith("data_symbol of library libk.so is data and not a function; "));
  EXPECT_THAT(ResolveError("exit"), StartsWith("library libk.so has no function exit; "));
  EXPECT_THAT(ResolveError(std::string(100'000, 'x')), HasSubstr("it exports: "));
  Package(Compile("static int nothing;"));
  EXPECT_THAT(ResolveError("F"), StartsWith("library libk.so has no function F; it exports no functions"));
  std::string many;
  for (int i = 0; i < 9; ++i) many += "extern \"C\" unsigned F" + std::to_string(i) + "(void*) { return 0; }\n";
  Package(Compile(many));
  EXPECT_THAT(ResolveError("F"), HasSubstr("it exports: F0, F1, F2, F3, F4 and 4 more, while"));
}

TEST_F(Binary, UndefinedSymbol_SaysTheSdkLacksIt) {
  Package(Compile("extern \"C\" void HcommNoSuch(); extern \"C\" unsigned F(void*) { HcommNoSuch(); return 0; }"));
  EXPECT_THAT(ResolveError("F"), AllOf(StartsWith("library libk.so cannot be opened: /proc/"),
                                       HasSubstr(": symbol HcommNoSuch is not provided by this SDK, while")));
}

TEST_F(Binary, ForeignOrDamagedImage_IsExplained) {
  Package(Patched(18, EM_AARCH64));
  const bool on_x86 = library_[18] == EM_X86_64;
  if (on_x86) {
    EXPECT_THAT(ResolveError("Count"), StartsWith("library libk.so is for AArch64, this machine runs x86-64: rebuild "
                                                  "the kernel with this SDK's toolchain, while"));
  }
  Package(Patched(18, EM_386));
  EXPECT_THAT(ResolveError("Count"), StartsWith("library libk.so is for x86, this machine runs "));
  Package(Patched(4, ELFCLASS32));
  EXPECT_THAT(ResolveError("Count"), HasSubstr(" (not 64-bit little-endian), this machine runs "));
  Package(Patched(16, ET_REL));
  EXPECT_THAT(ResolveError("Count"),
              StartsWith("library libk.so is an ELF file of type 1, a shared object is of type 3"));
  Package("#!/bin/sh\n");
  EXPECT_THAT(ResolveError("Count"), StartsWith("library libk.so is not an ELF file (10 bytes)"));
  Package("");
  EXPECT_THAT(ResolveError("Count"), StartsWith("library libk.so is not an ELF file (0 bytes)"));
  Package(Patched(54, 1));
  EXPECT_THAT(ResolveError("Count"), HasSubstr("has no usable program headers"));
}

TEST_F(Binary, TruncatedImage_IsRefusedBeforeTheLinkerCanFault) {
  for (std::size_t size = 64; size < library_.size(); size += 501) {
    const std::string bytes = library_.substr(0, size);
    const auto status = CheckSharedObject(bytes, "libk.so");
    ExportedFunctions(bytes);
    if (size < 4096) {
      EXPECT_THAT(status.message(), StartsWith("library libk.so is truncated: ")) << size;
    }
    Package(bytes);
    // Cut behind the last segment (only section headers are lost) it is whole to the linker, and works.
    const auto function = Load()->Resolve({"Kernel", "libk.so", "Count", ""}, 0);
    EXPECT_EQ(function.has_value(), status.ok()) << size;
  }
}

TEST_F(Binary, DamagedSymbolTable_NeverCrashesTheListing) {
  EXPECT_THAT(ExportedFunctions(library_), testing::UnorderedElementsAre("Count", "CountUnique", "_Z7MangledPv"));
  Elf64_Ehdr header;
  std::memcpy(&header, library_.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_shnum * sizeof(Elf64_Shdr); ++i) {
    for (const unsigned char value : std::initializer_list<unsigned char>{0x00, 0x01, 0x7f, 0xff}) {
      EXPECT_THAT(ExportedFunctions(Patched(header.e_shoff + i, value)), SizeIs(testing::Lt(100'000u)));
    }
  }
  for (std::size_t i = 40; i < 64; ++i) ExportedFunctions(Patched(i, 0xff));
}

TEST_F(Binary, KeepFolder_HoldsTheLibraryAndNeverFollowsLinks) {
  const auto bytes = std::make_shared<const std::string>(library_);
  const std::string folder = (folder_ / "keep").string();
  const auto missing = KernelImage::Open("libk.so", bytes, 3, folder);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), base::Code::kKernelFailed);
  EXPECT_THAT(missing.error().message(), AllOf(StartsWith("SOFTHCCL_KEEP_KERNELS: file " + folder + "/libk.device3."),
                                               EndsWith("cannot be created: No such file or directory")));

  std::filesystem::create_directory(folder);
  const std::string expected = folder + "/libk.device3." + std::to_string(::getpid());
  const auto victim = Write("victim", "precious");
  std::filesystem::create_symlink(victim, expected + ".so");
  const auto image = KernelImage::Open("libk.so", bytes, 3, folder);
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_EQ((*image)->path(), expected + ".2.so");
  EXPECT_EQ(Read(victim), "precious");

  std::filesystem::remove(expected + ".so");
  const auto other = KernelImage::Open("libother.so", bytes, 3, folder).value();
  EXPECT_EQ(other->path(), folder + "/libother.device3." + std::to_string(::getpid()) + ".so");
  struct stat info{};
  ASSERT_EQ(::stat(other->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777u, 0700u);
  EXPECT_EQ(static_cast<std::size_t>(info.st_size), library_.size());
  EXPECT_NE((*image)->FindFunction("Count").value(), other->FindFunction("Count").value());
}

}  // namespace
}  // namespace softhccl::engine
