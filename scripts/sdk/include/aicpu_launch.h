// What the SDK's compiler driver makes of kernel<<<1, nullptr, stream>>>(&arguments, size); it includes this header by
// itself. A launch returns nothing: aclrtGetLastError tells whether it was accepted.
#pragma once
#pragma GCC system_header

#include <stddef.h>
#include <stdint.h>

extern "C" int softhcclLaunchAicpuKernel(const char* name, uint32_t (*kernel)(void*), int64_t blocks,
                                         const void* reserved, void* stream, const void* args, size_t size);

namespace softhccl_aicpu {

class Launch {
 public:
  Launch(const char* name, uint32_t (*kernel)(void*), int64_t blocks, const void* reserved, void* stream)
      : name_(name), kernel_(kernel), blocks_(blocks), reserved_(reserved), stream_(stream) {}

  // Puts the kernel on the stream with a copy of the `size` bytes at `args`.
  void operator()(const void* args, size_t size) const {
    softhcclLaunchAicpuKernel(name_, kernel_, blocks_, reserved_, stream_, args, size);
  }

 private:
  const char* name_;
  uint32_t (*kernel_)(void*);
  int64_t blocks_;
  const void* reserved_;
  void* stream_;
};

// An AICPU kernel has one parameter, a pointer to its arguments, and returns a 32-bit number.
template <typename Result, typename Argument, typename Blocks>
Launch Prepare(const char* name, Result (*kernel)(Argument*), Blocks blocks, const void* reserved, void* stream) {
  static_assert(sizeof(Result) == sizeof(uint32_t), "an AICPU kernel returns a 32-bit number, 0 for success");
  return Launch(name, reinterpret_cast<uint32_t (*)(void*)>(kernel), static_cast<int64_t>(blocks), reserved, stream);
}

}  // namespace softhccl_aicpu
