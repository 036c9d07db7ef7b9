// Finding data in an open kernel library.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "engine/kernel_image.h"

namespace softhccl::engine {

base::Result<std::span<std::byte>> KernelImage::FindVariable(const std::string& symbol) const {
  void* const address = ::dlsym(handle_, symbol.c_str());
  link_map* own = nullptr;
  ::dlinfo(handle_, RTLD_DI_LINKMAP, &own);
  Dl_info info{};
  void* owner = nullptr;
  void* entry = nullptr;
  // dlsym also searches what the library depends on.
  const bool here = address != nullptr && ::dladdr1(address, &info, &owner, RTLD_DL_LINKMAP) != 0 && owner == own &&
                    ::dladdr1(address, &info, &entry, RTLD_DL_SYMENT) != 0 && entry != nullptr;
  if (here && ELF64_ST_TYPE(static_cast<const Elf64_Sym*>(entry)->st_info) == STT_OBJECT) {
    return std::span(static_cast<std::byte*>(address), static_cast<const Elf64_Sym*>(entry)->st_size);
  }
  return base::FailResult(base::Code::kNotFound, "library {} exports no variable {}{}", library_name_, symbol,
                          here ? ": it is a function" : "");
}

}  // namespace softhccl::engine
