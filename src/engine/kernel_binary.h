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
#include "package/descriptor.h"
#include "package/package.h"

namespace softhccl::engine {

using package::KernelEntry;

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

  // The bytes of a library, without a description: its kernels are those that Register names, and with `names_exports`
  // every function that it exports, under the name of its symbol. Errors: kInvalidParam when they are not a library for
  // this machine.
  static base::Result<std::shared_ptr<KernelBinary>> FromBytes(std::string_view bytes, bool names_exports = false);

  // The libraries that FindPackage finds for `place`, a description or what stands for one; it is not read, and names
  // no kernels: Resolve takes entries that the caller makes.
  static std::shared_ptr<KernelBinary> Installed(const std::string& place, const std::string& sdk_root);

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
  base::Result<std::shared_ptr<const std::string>> ReadLibrary(const std::string& library_name,
                                                               const package::Policy& policy) const;
  base::Result<OpenLibrary*> Open(const std::string& library_name, int device);  // with mutex_ held

  std::string path_;
  int mode_ = 0;
  std::string sdk_root_;
  mutable std::mutex mutex_;
  std::vector<KernelEntry> entries_;  // guarded by mutex_ in a binary made from bytes, else constant
  // What was read, by name and by who had to have signed it. Guarded by mutex_.
  std::map<std::pair<std::string, unsigned>, std::shared_ptr<const std::string>> images_;
  std::map<std::pair<std::string, int>, std::unique_ptr<OpenLibrary>> libraries_;  // guarded by mutex_
};

}  // namespace softhccl::engine
