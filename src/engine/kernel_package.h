// Kernel packages: from the path of a JSON descriptor to callable functions. A descriptor names kernels, the shared
// object that holds them and the symbol of each; the shared object travels in a tar.gz. It is unpacked into memory,
// never into a folder, one copy per device, because kernel globals are per device on a card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace softhccl::engine {

// One entry of a descriptor.
struct KernelEntry {
  std::string kernel_name;   // the JSON key, what aclrtBinaryGetFunction looks up
  std::string library_name;  // kernelSo
  std::string symbol;        // functionName
  std::string kernel_lib;    // opKernelLib: AICPUKernel, CUSTAICPUKernel, KFCKernel, ...
};

// The bytes of a regular file. Errors: kFileError: missing, unreadable, not a regular file, more than `limit` bytes.
base::Result<std::string> ReadRegularFile(const std::string& path, std::size_t limit);

// Parses the descriptor text. An entry without opInfo is skipped; an entry with fields of the wrong type is an
// error; an entry without kernelSo or functionName is kept with a warning and fails when it is resolved, as the
// vendor's does. Errors: kFileError naming `path` and, for bad JSON, line and column.
base::Result<std::vector<KernelEntry>> ParseDescriptor(const std::string& text, const std::string& path);

// One record of conf/ascend_package_load.ini.
struct PackageRecord {
  std::string name;      // file name of the tar.gz
  int install_path = 2;  // 2: AICPU kernels
  bool optional = false;
  std::string package_path;  // folder relative to the SDK root
  bool load_as_per_soc = false;
};

// Parses the whitelist: plain `key:value` lines, a record starts at `name:` and ends at the next one; three keys
// (the article) and four (newer) are both accepted. A line that cannot be read is described in *problems with its
// number and content and costs only its own record. The first of two records with one name wins; at most 100.
// *problems holds at most 100 lines and one that says so.
std::vector<PackageRecord> ParsePackageList(const std::string& text, std::vector<std::string>* problems);

// Where the tar.gz for `library_name` is: first by the records of <sdk_root>/conf/ascend_package_load.ini whose
// archive holds that file, else the one tar.gz in the `kernel` folder beside the descriptor's `config` folder that
// does. Errors: kKernelFailed when nothing holds it (names every place searched) or when two archives do (names
// both).
base::Result<std::string> FindPackage(const std::string& descriptor_path, const std::string& library_name,
                                      const std::string& sdk_root);

// Reads one file of a tar.gz (by base name, regular files only) into memory. Errors: kFileError: not a tar.gz,
// truncated, the file is missing, there twice or larger than 512 MiB, an entry's path is absolute or contains "..".
base::Result<std::string> ReadFromArchive(const std::string& archive_path, const std::string& file_name);

// True when the tar.gz holds that file; reads no further than its header. Errors as ReadFromArchive.
base::Result<bool> ArchiveHolds(const std::string& archive_path, const std::string& file_name);

using KernelFunction = std::uint32_t (*)(void*);

// A loaded binary: the descriptor and the libraries opened so far. Any thread. Binaries that name the same library
// share one copy of it per device, as on a card, where one process per device holds it. The functions it hands out
// are valid as long as it lives.
class KernelBinary {
 public:
  // `path` may end in .json or in .so (the extension is replaced by .json, as the vendor does). mode 0: the library
  // comes from a package; mode 1: a .so of the same stem lies in the same folder. Errors: kInvalidParam (mode),
  // kFileError (descriptor missing, unreadable or malformed).
  static base::Result<std::shared_ptr<KernelBinary>> Load(const std::string& path, int mode,
                                                          const std::string& sdk_root);

  // The bytes of a library, without a description: its kernels are those that Register names. Errors: kInvalidParam
  // when they are not a library for this machine.
  static base::Result<std::shared_ptr<KernelBinary>> FromBytes(std::string_view bytes);

  const std::string& path() const { return path_; }
  // Names a function of a binary made from bytes; the entry known under that name when there is one. Errors:
  // kInvalidParam for a binary with a description.
  base::Result<KernelEntry> Register(const std::string& kernel_name, const std::string& symbol);
  // A variable of the binary's libraries as it is on `device`. Errors: kNotFound, and those of Resolve.
  base::Result<std::span<std::byte>> FindVariable(const std::string& name, int device);
  // The entry of a kernel. Errors: kNotFound listing the names that exist.
  base::Result<KernelEntry> Find(const std::string& kernel_name) const;

  // The function for use on `device`; opens the library on the first use there. Errors: kKernelFailed: package or
  // library missing, symbol missing (lists what is exported with a similar name), cannot be opened (dlerror text).
  base::Result<KernelFunction> Resolve(const KernelEntry& entry, int device);

  ~KernelBinary();

 private:
  struct OpenLibrary;
  KernelBinary();
  std::string LibraryNameOf(const KernelEntry& entry) const;
  base::Result<std::shared_ptr<const std::string>> ReadLibrary(const std::string& library_name) const;
  base::Result<OpenLibrary*> Open(const std::string& library_name, int device);  // with mutex_ held

  std::string path_;
  int mode_ = 0;
  std::string sdk_root_;
  mutable std::mutex mutex_;
  std::vector<KernelEntry> entries_;  // guarded by mutex_ in a binary made from bytes, else constant
  std::map<std::string, std::shared_ptr<const std::string>> images_;               // guarded by mutex_
  std::map<std::pair<std::string, int>, std::unique_ptr<OpenLibrary>> libraries_;  // guarded by mutex_
};

}  // namespace softhccl::engine
