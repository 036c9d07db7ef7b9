// A kernel library on one device: its bytes in an anonymous file, opened by the dynamic linker. Separate from
// kernel_binary because everything here is about ELF and the dynamic linker and nothing about descriptors.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/os.h"
#include "base/status.h"

namespace softhccl::engine {

// One open copy of a library. Any thread. Copies for different devices share nothing; opening the same bytes under
// the same name for the same device again gives the copy that is open. Closed when the last owner lets go; no
// function of it may be running or be called after that. Static initialisers of a library must not open images.
class KernelImage {
 public:
  // `keep_folder`: where the library is also left as a file, for debuggers; empty: nowhere. Errors: kKernelFailed.
  static base::Result<std::shared_ptr<KernelImage>> Open(const std::string& library_name,
                                                         std::shared_ptr<const std::string> bytes, int device,
                                                         const std::string& keep_folder);

  // Address of a function that the library itself defines. Errors: kKernelFailed, naming similar exported functions.
  base::Result<void*> FindFunction(const std::string& symbol) const;

  // A variable that the library itself exports. Errors: kNotFound.
  base::Result<std::span<std::byte>> FindVariable(const std::string& symbol) const;

  // The path the dynamic linker knows it by.
  const std::string& path() const { return path_; }
  const std::shared_ptr<const std::string>& bytes() const { return bytes_; }

  KernelImage(const KernelImage&) = delete;
  KernelImage& operator=(const KernelImage&) = delete;
  ~KernelImage();

 private:
  KernelImage() = default;
  base::Status Load(int device, const std::string& keep_folder);
  base::Status WriteAnonymous();
  base::Status WriteKept(int device, const std::string& keep_folder);

  std::string library_name_;
  std::shared_ptr<const std::string> bytes_;
  std::string path_;
  base::UniqueFd fd_;
  void* handle_ = nullptr;
};

// Refuses what the dynamic linker would refuse in obscure words or crash on: no ELF, another machine, not a shared
// object, segments that reach beyond the end. Errors: kKernelFailed naming `library_name`.
base::Status CheckSharedObject(const std::string& bytes, const std::string& library_name);

// Names of the functions an ELF image exports; empty when it has no readable dynamic symbol table.
std::vector<std::string> ExportedFunctions(const std::string& bytes);

}  // namespace softhccl::engine
