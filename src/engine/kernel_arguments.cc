// Building argument lists.
#include "engine/kernel_arguments.h"

#include <algorithm>
#include <cstring>

#include "base/handle.h"

namespace softhccl::engine {

using base::Code;
using base::Fail;
using base::FailResult;
using base::Status;

namespace {
constexpr std::size_t kDataAlignment = 8;

std::uint64_t ParameterHandle(std::uint32_t generation, std::size_t index) {
  return (static_cast<std::uint64_t>(base::HandleKind::kArguments) << 56) |
         (static_cast<std::uint64_t>(generation & 0xFFFFFF) << 32) | index;
}
}  // namespace

Status CheckPlaceholders(std::span<const Placeholder> placeholders, std::size_t size) {
  for (std::size_t i = 0; i < placeholders.size(); ++i) {
    const Placeholder& one = placeholders[i];
    if (one.address <= size && size - one.address >= sizeof(void*) && one.data < size) continue;
    return Fail(Code::kInvalidParam,
                "placeholder {}: address offset {} (8 bytes) and data offset {} must lie in the {} bytes of arguments",
                i, one.address, one.data, size);
  }
  return {};
}

void ResolvePlaceholders(std::span<const Placeholder> placeholders, std::byte* arguments) {
  for (const Placeholder& one : placeholders) {
    const std::byte* address = arguments + one.data;
    std::memcpy(arguments + one.address, &address, sizeof address);  // packed: perhaps not aligned
  }
}

void KernelArguments::Begin(std::span<std::byte> storage) {
  storage_ = storage;
  if (storage.empty()) own_.resize(kMaxBytes);
  size_ = 0;
  parameters_.clear();
  placeholders_.clear();
  ++generation_;
  finalised_ = false;
  has_buffers_ = false;
}

Status KernelArguments::CheckRoom(std::size_t size) const {
  if (size <= capacity() - size_) return {};
  return Fail(Code::kInvalidParam,
              "{} parameters with {} bytes and {} more exceed the limits of {} parameters and {} bytes",
              parameters_.size(), size_, size, kMaxParams, capacity());
}

base::Result<std::uint64_t> KernelArguments::Add(const void* from, std::size_t size, bool is_placeholder) {
  if (finalised_) {
    return FailResult(Code::kNotSupported, "the list is finalised; call aclrtKernelArgsInit for a new one");
  }
  if (has_buffers_) {
    return FailResult(Code::kNotSupported,
                      "a placeholder buffer was taken already; append all parameters before the first of them");
  }
  if (parameters_.size() >= kMaxParams) {
    return FailResult(Code::kInvalidParam,
                      "{} parameters with {} bytes and {} more exceed the limits of {} parameters and {} bytes",
                      parameters_.size(), size_, size, kMaxParams, capacity());
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckRoom(size));
  if (from != nullptr) {
    std::memcpy(data() + size_, from, size);
  } else {
    std::memset(data() + size_, 0, size);
  }
  parameters_.push_back({size_, size, is_placeholder, false});
  size_ += size;
  return ParameterHandle(generation_, parameters_.size() - 1);
}

base::Result<std::uint64_t> KernelArguments::Append(const void* from, std::size_t size) {
  return Add(from, size, false);
}

base::Result<std::uint64_t> KernelArguments::AppendPlaceholder() { return Add(nullptr, sizeof(void*), true); }

base::Result<KernelArguments::Parameter*> KernelArguments::Find(std::uint64_t parameter) {
  const std::uint32_t index = base::HandleBits{parameter}.index();
  if (index < parameters_.size() && parameter == ParameterHandle(generation_, index)) return &parameters_[index];
  return FailResult(Code::kInvalidParam, "paramHandle 0x{:x} was not given by this list since its last Init",
                    parameter);
}

base::Result<std::byte*> KernelArguments::PlaceholderBuffer(std::uint64_t parameter, std::size_t size) {
  auto found = Find(parameter);
  if (!found) return tl::unexpected(found.error());
  Parameter& placeholder = **found;
  if (finalised_) {
    return FailResult(Code::kNotSupported, "the list is finalised; take the buffers before aclrtKernelArgsFinalize");
  }
  if (!placeholder.is_placeholder || placeholder.has_data) {
    return FailResult(Code::kInvalidParam, "paramHandle 0x{:x} {}", parameter,
                      placeholder.has_data ? "has its buffer already" : "is not a placeholder");
  }
  const std::size_t offset = std::min((size_ + kDataAlignment - 1) / kDataAlignment * kDataAlignment, capacity());
  if (size > capacity() - offset) {
    return FailResult(Code::kInvalidParam, "dataSize {} behind {} bytes exceeds the limit of {} bytes", size, offset,
                      capacity());
  }
  placeholder.has_data = true;
  has_buffers_ = true;
  placeholders_.push_back({placeholder.offset, offset});
  size_ = offset + size;
  return data() + offset;
}

Status KernelArguments::Update(std::uint64_t parameter, const void* from, std::size_t size) {
  auto found = Find(parameter);
  if (!found) return found.error();
  const Parameter& known = **found;
  if (known.is_placeholder) {
    return Fail(Code::kInvalidParam, "paramHandle 0x{:x} is a placeholder; change the data in its buffer", parameter);
  }
  if (size != known.size) {
    return Fail(Code::kInvalidParam, "paramSize {} differs from the {} bytes that were appended", size, known.size);
  }
  std::memcpy(data() + known.offset, from, size);
  finalised_ = false;
  return {};
}

Status KernelArguments::Finalise() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].is_placeholder || parameters_[i].has_data) continue;
    return Fail(Code::kInvalidParam,
                "parameter {} is a placeholder without data; call aclrtKernelArgsGetPlaceHolderBuffer", i);
  }
  finalised_ = true;
  return {};
}

}  // namespace softhccl::engine
