// Descriptors and what hangs on them: reads and checks the JSON, finds a kernel by name, and brings its library to a
// device on first use. The order of the steps and where each can fail is the vendor's: a bad descriptor fails the
// load, a missing library or symbol fails the first use.
#include "engine/kernel_binary.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/config.h"
#include "engine/kernel_image.h"
#include "engine/package_policy.h"
#include "package/archive.h"
#include "package/file.h"
#include "package/find.h"

namespace softhccl::engine {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::FailResult;
using base::Status;

constexpr std::size_t kListedNames = 20;
constexpr int kFromBytes = 2;  // cpuKernelMode

std::string ErrorText(int error) { return std::generic_category().message(error); }

// The descriptor that belongs to a path given by the program.
base::Result<std::string> DescriptorPath(const std::string& path) {
  std::string descriptor = path;
  if (path.ends_with(".so")) {
    descriptor = path.substr(0, path.size() - 3) + ".json";
  } else if (!path.ends_with(".json")) {
    return FailResult(Code::kFileError, "descriptor path '{}' must end in .json or .so", path);
  }
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(descriptor.c_str(), nullptr), &std::free);
  if (real == nullptr) {
    return FailResult(Code::kFileError, "descriptor {} cannot be found: {}", descriptor, ErrorText(errno));
  }
  return std::string(real.get());
}

}  // namespace

struct KernelBinary::OpenLibrary {
  std::shared_ptr<KernelImage> image;
  std::map<std::string, KernelFunction> functions;  // those asked for so far
};

KernelBinary::KernelBinary() = default;
KernelBinary::~KernelBinary() = default;

base::Result<std::shared_ptr<KernelBinary>> KernelBinary::Load(const std::string& path, int mode,
                                                               const std::string& sdk_root) {
  if (mode != 0 && mode != 1) {
    return FailResult(Code::kInvalidParam,
                      "cpuKernelMode {}: 0 (package) and 1 (.so beside the descriptor) are supported by LoadFromFile",
                      mode);
  }
  auto descriptor = DescriptorPath(path);
  if (!descriptor) return tl::unexpected<Status>(descriptor.error());
  const auto text = package::ReadRegularFile(*descriptor, package::kDescriptorLimit);
  if (!text) return tl::unexpected<Status>(text.error());
  auto entries = package::ParseDescriptor(*text, *descriptor);
  if (!entries) return tl::unexpected<Status>(entries.error());
  if (mode == 1) {
    const fs::path library = fs::path(*descriptor).replace_extension(".so");
    std::error_code error;
    if (!fs::is_regular_file(library, error)) {
      return FailResult(Code::kFileError, "cpuKernelMode 1: library {} must lie beside its descriptor and does not",
                        library.string());
    }
  }
  std::shared_ptr<KernelBinary> binary(new KernelBinary);
  binary->path_ = std::move(*descriptor);
  binary->mode_ = mode;
  binary->sdk_root_ = sdk_root;
  binary->entries_ = std::move(*entries);
  return binary;
}

base::Result<std::shared_ptr<KernelBinary>> KernelBinary::FromBytes(std::string_view bytes, bool names_exports) {
  const std::string name = fmt::format("data-{:016x}.so", std::hash<std::string_view>()(bytes));
  std::string copy(bytes);
  const Status valid = CheckSharedObject(copy, name);
  if (!valid.ok()) return FailResult(Code::kInvalidParam, "{}", valid.message());
  std::shared_ptr<KernelBinary> binary(new KernelBinary);
  binary->path_ = name;
  binary->mode_ = kFromBytes;
  if (names_exports) {
    for (const std::string& symbol : ExportedFunctions(copy)) {
      binary->entries_.push_back({symbol, name, symbol, "AICPUKernel"});
    }
  }
  binary->images_[{name, 0}] = std::make_shared<const std::string>(std::move(copy));
  return binary;
}

std::shared_ptr<KernelBinary> KernelBinary::Installed(const std::string& place, const std::string& sdk_root) {
  std::shared_ptr<KernelBinary> binary(new KernelBinary);
  binary->path_ = place;
  binary->sdk_root_ = sdk_root;
  return binary;
}

base::Result<KernelEntry> KernelBinary::Register(const std::string& kernel_name, const std::string& symbol) {
  if (mode_ != kFromBytes) {
    return FailResult(Code::kInvalidParam,
                      "handle is the binary of descriptor {}, which names its kernels; functions are registered with "
                      "binaries of aclrtBinaryLoadFromData",
                      path_);
  }
  const std::lock_guard lock(mutex_);
  for (const KernelEntry& known : entries_) {
    if (known.kernel_name == kernel_name) return known;
  }
  entries_.push_back({kernel_name, path_, symbol, "AICPUKernel"});
  return entries_.back();
}

base::Result<std::span<std::byte>> KernelBinary::FindVariable(const std::string& name, int device) {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  if (mode_ == kFromBytes) names.insert(path_);
  for (const KernelEntry& entry : entries_) names.insert(LibraryNameOf(entry));
  names.erase("");
  base::Result<std::span<std::byte>> found = FailResult(Code::kNotFound, "{} names no library", path_);
  for (const std::string& library_name : names) {
    const auto library = Open(library_name, device);
    if (!library) return tl::unexpected<Status>(library.error());
    found = (*library)->image->FindVariable(name);
    if (found) break;
  }
  return found;
}

base::Result<KernelEntry> KernelBinary::Find(const std::string& kernel_name) const {
  const std::lock_guard lock(mutex_);
  std::string names;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].kernel_name == kernel_name) return entries_[i];
    if (i < kListedNames) names += (names.empty() ? "" : ", ") + entries_[i].kernel_name;
  }
  if (entries_.size() > kListedNames) names += fmt::format(" and {} more", entries_.size() - kListedNames);
  return FailResult(Code::kNotFound, "{} {} has no kernel '{}'; it has: {}",
                    mode_ == kFromBytes ? "library" : "descriptor", path_, kernel_name, names.empty() ? "none" : names);
}

std::string KernelBinary::LibraryNameOf(const KernelEntry& entry) const {
  return mode_ == 1 ? fs::path(path_).stem().string() + ".so" : entry.library_name;
}

base::Result<std::shared_ptr<const std::string>> KernelBinary::ReadLibrary(const std::string& library_name,
                                                                           const package::Policy& policy) const {
  base::Result<std::string> bytes;
  if (mode_ == 1) {
    bytes = package::ReadRegularFile((fs::path(path_).parent_path() / library_name).string(), package::kFileLimit);
  } else {
    auto found = package::FindPackage({path_, sdk_root_, base::ProcessConfig().soc_name}, library_name, policy);
    if (!found) return tl::unexpected<Status>(found.error());
    bytes = *std::move(*found).TakeWanted();
  }
  // To the caller a library that cannot be read is a kernel that cannot run, not a bad argument.
  if (!bytes) return FailResult(Code::kKernelFailed, "{}", bytes.error().message());
  return std::make_shared<const std::string>(std::move(*bytes));
}

base::Result<KernelBinary::OpenLibrary*> KernelBinary::Open(const std::string& library_name, int device) {
  auto& slot = libraries_[{library_name, device}];
  if (slot != nullptr) return slot.get();
  package::Policy policy;
  if (mode_ == 0) {
    auto asked = PackagePolicy(device);
    if (!asked) return FailResult(Code::kKernelFailed, "{}", asked.error().message());
    policy = std::move(*asked);
  }
  auto& bytes = images_[{library_name, policy.modes}];
  if (bytes == nullptr) {
    auto read = ReadLibrary(library_name, policy);
    if (!read) return tl::unexpected<Status>(read.error());
    bytes = std::move(*read);
  }
  auto image = KernelImage::Open(library_name, bytes, device, base::ProcessConfig().keep_kernels);
  if (!image) return tl::unexpected<Status>(image.error());
  bytes = (*image)->bytes();  // equal, and shared with the other binaries that name the library
  slot = std::make_unique<OpenLibrary>(OpenLibrary{std::move(*image), {}});
  return slot.get();
}

base::Result<KernelFunction> KernelBinary::Resolve(const KernelEntry& entry, int device) {
  const std::lock_guard lock(mutex_);
  const std::string library_name = LibraryNameOf(entry);
  if (library_name.empty() || entry.symbol.empty()) {
    return FailResult(Code::kKernelFailed, "descriptor {}: kernel '{}' has no {}", path_, entry.kernel_name,
                      library_name.empty() ? "kernelSo" : "functionName");
  }
  const auto context = [&] { return fmt::format("resolving kernel '{}' of {}", entry.kernel_name, path_); };
  const auto library = Open(library_name, device);
  if (!library) return tl::unexpected<Status>(Status(library.error()).While(context()));
  auto& functions = (*library)->functions;
  if (const auto it = functions.find(entry.symbol); it != functions.end()) return it->second;
  const auto address = (*library)->image->FindFunction(entry.symbol);
  if (!address) return tl::unexpected<Status>(Status(address.error()).While(context()));
  const auto function = reinterpret_cast<KernelFunction>(*address);
  functions.emplace(entry.symbol, function);
  return function;
}

}  // namespace softhccl::engine
