// Descriptors and what hangs on them: reads and checks the JSON, finds a kernel by name, and brings its library to a
// device on first use. The order of the steps and where each can fail is the vendor's: a bad descriptor fails the
// load, a missing library or symbol fails the first use.
#include "engine/kernel_package.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "base/config.h"
#include "base/log.h"
#include "base/os.h"
#include "engine/kernel_image.h"

namespace softhccl::engine {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::FailResult;
using base::Status;
using nlohmann::json;

constexpr std::size_t kDescriptorLimit = std::size_t{16} << 20;
constexpr std::size_t kLibraryLimit = std::size_t{512} << 20;
constexpr int kDepthLimit = 32;
constexpr std::size_t kListedNames = 20;
constexpr int kFromBytes = 2;  // cpuKernelMode

std::string ErrorText(int error) { return std::generic_category().message(error); }

// First pass over a descriptor: syntax, nesting and repeated kernels, without building anything, so that a file of
// sixteen million brackets costs no memory.
class SyntaxPass : public json::json_sax_t {
 public:
  std::string error;         // empty: well-formed
  std::size_t position = 0;  // byte of the error, counted from 1; 0: unknown
  std::set<std::string> repeated;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return Deeper(); }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return Deeper(); }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ == 1 && !kernels_.insert(name).second) repeated.insert(name);
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& exception) override {
    position = at;
    // "[json.exception.parse_error.101] parse error at line 1, column 2: <reason>": the reason is what is kept.
    const std::string_view text = exception.what();
    const auto column = text.find("column ");
    const auto colon = column == std::string_view::npos ? column : text.find(": ", column);
    error = colon == std::string_view::npos ? text : text.substr(colon + 2);
    if (error.size() > 200) error = error.substr(0, 200) + "...";
    return false;
  }

 private:
  bool Deeper() {
    if (++depth_ <= kDepthLimit) return true;
    error = fmt::format("nested deeper than the limit of {} levels", kDepthLimit);
    return false;
  }

  int depth_ = 0;
  std::set<std::string> kernels_;
};

std::string PlaceOf(const std::string& text, std::size_t position) {
  if (position == 0) return "";
  const std::string_view before = std::string_view(text).substr(0, std::min(position - 1, text.size()));
  const auto line_start = before.rfind('\n');
  const auto column = line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return fmt::format("line {}, column {}: ", std::count(before.begin(), before.end(), '\n') + 1, column);
}

// A text field of opInfo; empty when absent.
base::Result<std::string> Field(const json& info, const char* name, const std::string& where) {
  const auto it = info.find(name);
  if (it == info.end()) return std::string();
  if (!it->is_string()) {
    return FailResult(Code::kFileError, "{}: {} must be a string, it is of type {}", where, name, it->type_name());
  }
  auto value = it->get<std::string>();
  if (value.find('\0') != std::string::npos) {
    return FailResult(Code::kFileError, "{}: {} contains a zero byte", where, name);
  }
  return value;
}

bool IsPlainFileName(std::string_view name) {
  if (name == "." || name == ".." || name.size() > 255) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

base::Result<KernelEntry> ParseEntry(const std::string& kernel, const json& info, const std::string& path) {
  const std::string where = fmt::format("descriptor {}: kernel '{}'", path, kernel);
  if (!info.is_object()) {
    return FailResult(Code::kFileError, "{}: opInfo must be an object, it is of type {}", where, info.type_name());
  }
  KernelEntry entry;
  entry.kernel_name = kernel;
  std::string user_defined;
  for (const auto& [name, target] :
       {std::pair{"kernelSo", &entry.library_name}, std::pair{"functionName", &entry.symbol},
        std::pair{"opKernelLib", &entry.kernel_lib}, std::pair{"userDefined", &user_defined}}) {
    auto value = Field(info, name, where);
    if (!value) return tl::unexpected<Status>(value.error());
    *target = std::move(*value);
  }
  if (!IsPlainFileName(entry.library_name)) {
    return FailResult(Code::kFileError,
                      "{}: kernelSo '{}' must be a file name of letters, digits, '-', '_' and '.', without a folder",
                      where, entry.library_name);
  }
  if (entry.library_name.empty() || entry.symbol.empty()) {
    base::Log(base::LogLevel::kWarning, fmt::format("{}: {} is missing, so the kernel will fail when it is used", where,
                                                    entry.library_name.empty() ? "kernelSo" : "functionName"));
  }
  return entry;
}

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

base::Result<std::string> ReadRegularFile(const std::string& path, std::size_t limit) {
  // Non-blocking, so that a FIFO in place of the file is an answer and not a hang.
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return FailResult(Code::kFileError, "file {} cannot be opened: {}", path, ErrorText(errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return FailResult(Code::kFileError, "{} is not a regular file", path);
  }
  std::string bytes;
  if (static_cast<std::uint64_t>(info.st_size) <= limit) bytes.resize(static_cast<std::size_t>(info.st_size) + 1);
  std::size_t used = 0;
  while (used < bytes.size()) {
    const auto count = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailResult(Code::kFileError, "file {} cannot be read: {}", path, ErrorText(errno));
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
  }
  if (bytes.empty()) {
    return FailResult(Code::kFileError, "file {} has {} bytes, the limit is {}", path, info.st_size, limit);
  }
  if (used == bytes.size()) return FailResult(Code::kFileError, "file {} grew while it was read", path);
  bytes.resize(used);
  return bytes;
}

base::Result<std::vector<KernelEntry>> ParseDescriptor(const std::string& text, const std::string& path) {
  SyntaxPass pass;
  if (!json::sax_parse(text, &pass)) {
    return FailResult(Code::kFileError, "descriptor {}: {}{}", path, PlaceOf(text, pass.position), pass.error);
  }
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) {
    return FailResult(Code::kFileError, "descriptor {}: the top level must be an object, it is of type {}", path,
                      document.type_name());
  }
  for (const auto& name : pass.repeated) {
    base::Log(base::LogLevel::kWarning,
              fmt::format("descriptor {}: kernel '{}' is described more than once; the last one counts", path, name));
  }
  std::vector<KernelEntry> entries;
  for (const auto& [kernel, value] : document.items()) {
    if (!value.is_object()) {
      return FailResult(Code::kFileError, "descriptor {}: kernel '{}' must be an object, it is of type {}", path,
                        kernel, value.type_name());
    }
    const auto info = value.find("opInfo");
    if (info == value.end()) continue;
    auto entry = ParseEntry(kernel, *info, path);
    if (!entry) return tl::unexpected<Status>(entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

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
  const auto text = ReadRegularFile(*descriptor, kDescriptorLimit);
  if (!text) return tl::unexpected<Status>(text.error());
  auto entries = ParseDescriptor(*text, *descriptor);
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

base::Result<std::shared_ptr<KernelBinary>> KernelBinary::FromBytes(std::string_view bytes) {
  const std::string name = fmt::format("data-{:016x}.so", std::hash<std::string_view>()(bytes));
  std::string copy(bytes);
  const Status valid = CheckSharedObject(copy, name);
  if (!valid.ok()) return FailResult(Code::kInvalidParam, "{}", valid.message());
  std::shared_ptr<KernelBinary> binary(new KernelBinary);
  binary->path_ = name;
  binary->mode_ = kFromBytes;
  binary->images_[name] = std::make_shared<const std::string>(std::move(copy));
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

base::Result<std::shared_ptr<const std::string>> KernelBinary::ReadLibrary(const std::string& library_name) const {
  base::Result<std::string> bytes;
  if (mode_ == 1) {
    bytes = ReadRegularFile((fs::path(path_).parent_path() / library_name).string(), kLibraryLimit);
  } else {
    const auto package = FindPackage(path_, library_name, sdk_root_);
    if (!package) return tl::unexpected<Status>(package.error());
    bytes = ReadFromArchive(*package, library_name);
  }
  // To the caller a package that cannot be read is a kernel that cannot run, not a bad argument.
  if (!bytes) return FailResult(Code::kKernelFailed, "{}", bytes.error().message());
  return std::make_shared<const std::string>(std::move(*bytes));
}

base::Result<KernelBinary::OpenLibrary*> KernelBinary::Open(const std::string& library_name, int device) {
  auto& slot = libraries_[{library_name, device}];
  if (slot != nullptr) return slot.get();
  auto& bytes = images_[library_name];
  if (bytes == nullptr) {
    auto read = ReadLibrary(library_name);
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
