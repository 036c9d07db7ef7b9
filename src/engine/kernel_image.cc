// Opens kernel libraries from memory. The dynamic linker takes two equal path strings for the same library, and
// never forgets the path of a library that refuses to be unloaded; both would silently give one device the globals of
// another, so every path string that it may still know is kept here and none is used twice.
#include "engine/kernel_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace softhccl::engine {
namespace {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

constexpr int kReadableImages = 64;  // so many keep their descriptor, so that debuggers can read their symbols
constexpr int kDots = 64;            // most "/." that make a path string unique
constexpr std::size_t kSimilarNames = 5;
constexpr std::size_t kComparedNames = 10'000;
constexpr std::size_t kComparedLength = 256;

#if defined(__x86_64__)
constexpr unsigned kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kOwnMachine = EM_AARCH64;
#else
#error "add this machine's ELF number here and its name to MachineName"
#endif

std::string ErrorText(int error) { return std::generic_category().message(error); }

std::string MachineName(unsigned machine) {
  switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_AARCH64: return "AArch64";
    case EM_386: return "x86";
    case EM_ARM: return "ARM";
    case EM_RISCV: return "RISC-V";
    default: return fmt::format("ELF machine {}", machine);
  }
}

// Copies a structure out of the image; false when it reaches beyond the end.
template <typename T>
bool ReadAt(const std::string& bytes, std::uint64_t offset, T* out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(out, bytes.data() + offset, sizeof(T));
  return true;
}

bool Contains(const std::string& bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

using SymbolVisitor = std::function<void(std::uint64_t offset, const Elf64_Sym& symbol, std::string_view name)>;

void VisitTable(const std::string& bytes, const Elf64_Shdr& table, const Elf64_Shdr& strings,
                const SymbolVisitor& visit) {
  if (table.sh_entsize != sizeof(Elf64_Sym) || !Contains(bytes, table.sh_offset, table.sh_size) ||
      !Contains(bytes, strings.sh_offset, strings.sh_size)) {
    return;
  }
  const std::string_view names = std::string_view(bytes).substr(strings.sh_offset, strings.sh_size);
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!ReadAt(bytes, table.sh_offset + at, &symbol) || symbol.st_name >= names.size()) continue;
    const std::string_view rest = names.substr(symbol.st_name);
    const auto end = rest.find('\0');
    if (end != std::string_view::npos) visit(table.sh_offset + at, symbol, rest.substr(0, end));
  }
}

// Shows the entries of .dynsym; none when the section headers are stripped or do not add up.
void VisitDynamicSymbols(const std::string& bytes, const SymbolVisitor& visit) {
  Elf64_Ehdr header;
  if (!ReadAt(bytes, 0, &header) || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  const auto section = [&](unsigned index, Elf64_Shdr* out) {
    return index < header.e_shnum && Contains(bytes, header.e_shoff, 0) &&
           ReadAt(bytes, header.e_shoff + index * sizeof(Elf64_Shdr), out);
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table;
    Elf64_Shdr strings;
    if (!section(i, &table)) return;
    if (table.sh_type != SHT_DYNSYM || !section(table.sh_link, &strings)) continue;
    VisitTable(bytes, table, strings, visit);
    return;
  }
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

// "; it exports: a, b, c": the names most like `wanted`, and a hint when it is there under its C++ name.
std::string DescribeExports(const std::string& bytes, const std::string& wanted) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  std::string hint;
  const std::string mangled = fmt::format("_Z{}{}", wanted.size(), wanted);
  for (auto& name : ExportedFunctions(bytes)) {
    if (name.starts_with(mangled)) hint = fmt::format(" ({} is its C++ name: declare it extern \"C\")", name);
    if (ranked.size() == kComparedNames) continue;
    const auto distance = EditDistance(std::string_view(wanted).substr(0, kComparedLength),
                                       std::string_view(name).substr(0, kComparedLength));
    ranked.emplace_back(distance, std::move(name));
  }
  if (ranked.empty()) return "it exports no functions";
  std::sort(ranked.begin(), ranked.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(ranked.size(), kSimilarNames); ++i) {
    names += (i == 0 ? "" : ", ") + ranked[i].second;
  }
  if (ranked.size() > kSimilarNames) names += fmt::format(" and {} more", ranked.size() - kSimilarNames);
  return fmt::format("it exports: {}{}", names, hint);
}

// What the process knows of its images. Never destroyed, because images may outlive static destruction.
struct Registry {
  std::mutex mutex;
  std::map<std::pair<std::string, int>, std::vector<std::weak_ptr<KernelImage>>> images;
  std::unordered_set<std::string> paths;  // those the dynamic linker may still know
  int open_descriptors = 0;
};

Registry& TheRegistry() {
  static auto& registry = *new Registry;
  return registry;
}

bool SanitizerPresent() {
  return ::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr || ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

// The library of the device-side functions, opened once and never closed. A kernel names it as DT_NEEDED, and that is
// satisfied by any loaded library of that soname, so it need not be in a folder the linker searches. Local suffices
// for that and keeps its names out of the program's global scope. Null when there is none: a kernel may not need it.
void* DeviceLibrary() {
  static void* const handle = [] {
    Dl_info own{};
    void* opened = nullptr;
    if (::dladdr(reinterpret_cast<void*>(&TheRegistry), &own) != 0 && own.dli_fname != nullptr) {
      const auto beside = std::filesystem::path(own.dli_fname).parent_path() / "libccl_kernel.so";
      opened = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    return opened != nullptr ? opened : ::dlopen("libccl_kernel.so", RTLD_NOW | RTLD_LOCAL);
  }();
  return handle;
}

// What a dlopen error means beyond its words.
std::string ExplainLinkError(std::string_view text, void* device_library) {
  constexpr std::string_view kMark = "undefined symbol: ";
  const auto at = text.find(kMark);
  if (at == std::string_view::npos) return "";
  const auto rest = text.substr(at + kMark.size());
  const std::string symbol(rest.substr(0, rest.find_first_of(" ,(\n")));
  if (device_library != nullptr && ::dlsym(device_library, symbol.c_str()) != nullptr) {
    return fmt::format(": {} is in libccl_kernel.so, which the library does not need: link it with -lccl_kernel",
                       symbol);
  }
  return fmt::format(": symbol {} is not provided by this SDK", symbol);
}

bool LinkerKnows(const std::string& path) {
  auto data = std::pair<const std::string*, bool>(&path, false);
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        auto* search = static_cast<std::pair<const std::string*, bool>*>(argument);
        if (info->dlpi_name != nullptr && *search->first == info->dlpi_name) search->second = true;
        return search->second ? 1 : 0;
      },
      &data);
  return data.second;
}

// A path string of descriptor `fd` that was not used yet: "/proc/<pid>/fd", then as few "/." as make it new.
// Never /proc/self, which debuggers resolve to themselves. Empty when there is none of up to kDots.
std::string NewPath(const Registry& registry, int fd) {
  std::string folder = fmt::format("/proc/{}/fd", ::getpid());
  for (int dots = 0; dots <= kDots; ++dots, folder += "/.") {
    std::string path = fmt::format("{}/{}", folder, fd);
    if (!registry.paths.contains(path)) return path;
  }
  return "";
}

Status WriteAll(int fd, const std::string& bytes, const std::string& what) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return Fail(Code::kKernelFailed, "{} cannot be written beyond byte {} of {}: {}", what, done, bytes.size(),
                  ErrorText(errno));
    }
    done += static_cast<std::size_t>(count);
  }
  // Unique symbols (inline variables, statics of templates) are one object per process whatever the dlopen flags, so
  // devices would share them and the library could not be unloaded. As ordinary global symbols they are per copy.
  Status status;
  VisitDynamicSymbols(bytes, [&](std::uint64_t offset, const Elf64_Sym& symbol, std::string_view) {
    if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) return;
    const auto info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol.st_info)));
    const auto at = static_cast<off_t>(offset + offsetof(Elf64_Sym, st_info));
    if (::pwrite(fd, &info, 1, at) != 1) status = Fail(Code::kKernelFailed, "{}: {}", what, ErrorText(errno));
  });
  return status;
}

}  // namespace

Status CheckSharedObject(const std::string& bytes, const std::string& library_name) {
  Elf64_Ehdr header;
  if (!ReadAt(bytes, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return Fail(Code::kKernelFailed, "library {} is not an ELF file ({} bytes)", library_name, bytes.size());
  }
  const bool same_layout = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
  if (!same_layout || header.e_machine != kOwnMachine) {
    return Fail(Code::kKernelFailed,
                "library {} is for {}{}, this machine runs {}: rebuild the kernel with this SDK's toolchain",
                library_name, MachineName(header.e_machine), same_layout ? "" : " (not 64-bit little-endian)",
                MachineName(kOwnMachine));
  }
  if (header.e_type != ET_DYN) {
    return Fail(Code::kKernelFailed, "library {} is an ELF file of type {}, a shared object is of type {}",
                library_name, header.e_type, ET_DYN);
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) {
    return Fail(Code::kKernelFailed, "library {} has no usable program headers ({} of {} bytes)", library_name,
                header.e_phnum, header.e_phentsize);
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!Contains(bytes, header.e_phoff, 0) || !ReadAt(bytes, header.e_phoff + i * sizeof segment, &segment)) {
      return Fail(Code::kKernelFailed, "library {} is truncated: its {} bytes end before program header {}",
                  library_name, bytes.size(), i);
    }
    // Pages beyond the end of a file raise SIGBUS inside the dynamic linker.
    if (!Contains(bytes, segment.p_offset, segment.p_filesz) && segment.p_type != PT_GNU_STACK) {
      return Fail(Code::kKernelFailed, "library {} is truncated: segment {} has {} bytes at {}, the file has {} bytes",
                  library_name, i, segment.p_filesz, segment.p_offset, bytes.size());
    }
  }
  return {};
}

std::vector<std::string> ExportedFunctions(const std::string& bytes) {
  std::vector<std::string> names;
  VisitDynamicSymbols(bytes, [&](std::uint64_t, const Elf64_Sym& symbol, std::string_view name) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return;
    if (type != STT_FUNC && type != STT_GNU_IFUNC) return;
    if (visibility == STV_DEFAULT || visibility == STV_PROTECTED) names.emplace_back(name);
  });
  return names;
}

Status KernelImage::WriteAnonymous() {
  fd_ = base::UniqueFd(::memfd_create(library_name_.substr(0, 200).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd_.valid()) {
    return Fail(Code::kKernelFailed, "no anonymous file for library {}: {}", library_name_, ErrorText(errno));
  }
  SOFTHCCL_RETURN_IF_ERROR(WriteAll(fd_.get(), *bytes_, fmt::format("the anonymous file of {}", library_name_)));
  if (::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
    return Fail(Code::kKernelFailed, "the anonymous file of {} cannot be sealed: {}", library_name_, ErrorText(errno));
  }
  return {};
}

Status KernelImage::WriteKept(int device, const std::string& keep_folder) {
  const std::string stem = fmt::format("{}/{}.device{}.{}", keep_folder,
                                       std::filesystem::path(library_name_).stem().string(), device, ::getpid());
  // A number is added when the name is taken: by an earlier load of this process or by a dead process of the same id.
  for (int attempt = 1; attempt <= 10'000; ++attempt) {
    path_ = attempt == 1 ? stem + ".so" : fmt::format("{}.{}.so", stem, attempt);
    if (TheRegistry().paths.contains(path_)) continue;
    const base::UniqueFd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
    if (file.valid()) return WriteAll(file.get(), *bytes_, path_);
    if (errno != EEXIST) {
      return Fail(Code::kKernelFailed, "SOFTHCCL_KEEP_KERNELS: file {} cannot be created: {}", path_, ErrorText(errno));
    }
  }
  return Fail(Code::kKernelFailed, "SOFTHCCL_KEEP_KERNELS: {} holds 10000 copies of {} already: empty the folder",
              keep_folder, library_name_);
}

Status KernelImage::Load(int device, const std::string& keep_folder) {
  Registry& registry = TheRegistry();
  if (keep_folder.empty()) {
    SOFTHCCL_RETURN_IF_ERROR(WriteAnonymous());
    // The linker compares these strings at every open, so they are kept short; the next number has its own.
    while ((path_ = NewPath(registry, fd_.get())).empty()) {
      fd_ = base::UniqueFd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, fd_.get() + 1));
      if (!fd_.valid()) return Fail(Code::kKernelFailed, "no descriptor for {}: {}", library_name_, ErrorText(errno));
    }
  } else {
    SOFTHCCL_RETURN_IF_ERROR(WriteKept(device, keep_folder));
  }
  void* const device_library = DeviceLibrary();
  // The kernel shares C++ names with the host library: it must find its own first. Sanitizer runtimes refuse that.
  const int flags = RTLD_NOW | RTLD_LOCAL | (SanitizerPresent() ? 0 : RTLD_DEEPBIND);
  handle_ = ::dlopen(path_.c_str(), flags);
  if (handle_ == nullptr) {
    const char* error = ::dlerror();
    const std::string text = error == nullptr ? "no reason given" : error;
    return Fail(Code::kKernelFailed, "library {} cannot be opened: {}{}", library_name_, text,
                ExplainLinkError(text, device_library));
  }
  registry.paths.insert(path_);
  if (!fd_.valid()) return {};
  if (registry.open_descriptors < kReadableImages) {
    ++registry.open_descriptors;
  } else {
    fd_.Reset();
  }
  return {};
}

base::Result<std::shared_ptr<KernelImage>> KernelImage::Open(const std::string& library_name,
                                                             std::shared_ptr<const std::string> bytes, int device,
                                                             const std::string& keep_folder) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckSharedObject(*bytes, library_name));
  Registry& registry = TheRegistry();
  std::vector<std::shared_ptr<KernelImage>> held;  // released after the lock, which an image's destructor takes
  const std::lock_guard lock(registry.mutex);
  auto& known = registry.images[{library_name, device}];
  std::erase_if(known, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : known) {
    auto open = weak.lock();
    if (open == nullptr) continue;
    held.push_back(open);
    if (open->bytes_ == bytes || *open->bytes_ == *bytes) return open;
  }
  const std::shared_ptr<KernelImage> image(new KernelImage);
  image->library_name_ = library_name;
  image->bytes_ = std::move(bytes);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(image->Load(device, keep_folder));
  known.push_back(image);
  return image;
}

KernelImage::~KernelImage() {
  if (handle_ == nullptr) return;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  ::dlclose(handle_);
  if (!LinkerKnows(path_)) registry.paths.erase(path_);
  if (fd_.valid()) --registry.open_descriptors;
}

base::Result<void*> KernelImage::FindFunction(const std::string& symbol) const {
  void* const address = ::dlsym(handle_, symbol.c_str());
  link_map* own = nullptr;
  ::dlinfo(handle_, RTLD_DI_LINKMAP, &own);
  Dl_info info{};
  void* owner = nullptr;
  // dlsym also searches what the library depends on: "exit" would be found, and called.
  const bool here = address != nullptr && ::dladdr1(address, &info, &owner, RTLD_DL_LINKMAP) != 0 && owner == own;
  if (!here) {
    return FailResult(Code::kKernelFailed, "library {} has no function {}; {}", library_name_, symbol,
                      DescribeExports(*bytes_, symbol));
  }
  void* entry = nullptr;
  if (::dladdr1(address, &info, &entry, RTLD_DL_SYMENT) != 0 && entry != nullptr &&
      ELF64_ST_TYPE(static_cast<const Elf64_Sym*>(entry)->st_info) == STT_OBJECT) {
    return FailResult(Code::kKernelFailed, "{} of library {} is data and not a function; {}", symbol, library_name_,
                      DescribeExports(*bytes_, symbol));
  }
  return address;
}

}  // namespace softhccl::engine
