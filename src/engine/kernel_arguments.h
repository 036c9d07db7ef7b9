// The argument list of a kernel launch while it is being built: parameters packed without gaps, as AICPU lists are, and
// placeholders, which become addresses of data that travels behind the parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace softhccl::engine {

// Where an address belongs and what it shall point to, both in bytes from the start of the arguments.
struct Placeholder {
  std::size_t address = 0;
  std::size_t data = 0;
};

// Errors: kInvalidParam when an address or its data would lie outside of `size` bytes.
base::Status CheckPlaceholders(std::span<const Placeholder> placeholders, std::size_t size);
// Stores the addresses into a copy of the arguments at `arguments`.
void ResolvePlaceholders(std::span<const Placeholder> placeholders, std::byte* arguments);

// Used by one thread at a time.
class KernelArguments {
 public:
  static constexpr std::size_t kMaxParams = 128;
  static constexpr std::size_t kMaxBytes = 64 * 1024;

  // Begins anew; parameter handles given so far become stale. Without `storage` the list keeps the bytes itself.
  void Begin(std::span<std::byte> storage = {});

  // Copies a parameter; its handle. Errors: kNotSupported when the list is closed for parameters, kInvalidParam when it
  // is full.
  base::Result<std::uint64_t> Append(const void* data, std::size_t size);
  // The same for an address that is filled in at the launch.
  base::Result<std::uint64_t> AppendPlaceholder();
  // Memory for the data of a placeholder, which the caller fills before the launch. No parameter can be appended after
  // that. Errors: kInvalidParam: no placeholder, asked before, no room.
  base::Result<std::byte*> PlaceholderBuffer(std::uint64_t parameter, std::size_t size);
  // Replaces a parameter and opens a finalised list. Errors: kInvalidParam: unknown, a placeholder, another size.
  base::Status Update(std::uint64_t parameter, const void* data, std::size_t size);
  // Errors: kInvalidParam when a placeholder has no data.
  base::Status Finalise();

  bool finalised() const { return finalised_; }
  std::span<const std::byte> bytes() const { return {data(), size_}; }
  std::span<const Placeholder> placeholders() const { return placeholders_; }

 private:
  struct Parameter {
    std::size_t offset = 0;
    std::size_t size = 0;
    bool is_placeholder = false;
    bool has_data = false;
  };
  const std::byte* data() const { return storage_.empty() ? own_.data() : storage_.data(); }
  std::byte* data() { return storage_.empty() ? own_.data() : storage_.data(); }
  std::size_t capacity() const { return storage_.empty() ? kMaxBytes : storage_.size(); }
  base::Status CheckRoom(std::size_t size) const;
  base::Result<std::uint64_t> Add(const void* data, std::size_t size, bool is_placeholder);
  base::Result<Parameter*> Find(std::uint64_t parameter);

  std::vector<std::byte> own_;  // kMaxBytes once used
  std::span<std::byte> storage_;
  std::size_t size_ = 0;
  std::vector<Parameter> parameters_;
  std::vector<Placeholder> placeholders_;
  std::uint32_t generation_ = 0;
  bool finalised_ = false;
  bool has_buffers_ = false;
};

}  // namespace softhccl::engine
