// SHA-256 (FIPS 180-4), for the digests that packages carry. Own code, because the runtime must not load a whole
// cryptographic library for one checksum; signatures, which need one, are in src/signature.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace softhccl::package {

using Digest = std::array<std::uint8_t, 32>;

// One message, given in pieces. Not thread-safe.
class Sha256 {
 public:
  void Add(std::string_view bytes);
  // The digest of everything that was added; the object is used up.
  Digest Finish();

 private:
  void AddBlock(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t size_ = 0;  // bytes added
};

Digest Sha256Of(std::string_view bytes);

// 64 lower-case digits.
std::string Hex(const Digest& digest);

}  // namespace softhccl::package
