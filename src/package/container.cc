// Reading is strict: every number is compared with what it must be, because what a reader leaves unread is where
// something can hide.
#include "package/container.h"

#include <algorithm>
#include <array>
#include <optional>

#include "package/file.h"
#include "package/sha256.h"

namespace softhccl::package {
namespace {

using base::Code;
using base::FailResult;

constexpr std::uint32_t kPreamble = 0x55AA55AA;
constexpr std::uint64_t kSizeMagic = 0xABCD1234AA55AA55;
constexpr std::uint32_t kCounterMagic = 0x5A5AA5A5;
constexpr std::uint32_t kImageMagic = 0x3a3aaa33;
constexpr std::string_view kTag = "ascend_aicpu";

// In the file.
constexpr std::size_t kArchiveLength = 0x478;
constexpr std::size_t kHeaderDigest = 0x560;
constexpr std::size_t kFileSize = 0x580;
constexpr std::size_t kCounter = 0x590;
constexpr std::size_t kKind = 0x598;
constexpr std::size_t kHeaderEnd = 0x600;
constexpr std::size_t kImage = 0x2000;
// In the image.
constexpr std::size_t kImageHeader = 0x100;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kDigestAt = 24;
constexpr std::size_t kLengthAt = 88;
constexpr std::size_t kOffsetAt = 92;
constexpr std::size_t kTagAt = 104;
constexpr std::size_t kCounterAt = 120;
// Of the blocks.
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kTagSize = 12;
constexpr std::size_t kBlockHeader = 16;
constexpr std::size_t kLargeSlot = 16 << 10;
constexpr std::size_t kSmallSlot = 2 << 10;
constexpr std::size_t kBlockLimit = 1 << 20;

template <typename T>
T Number(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[at + i]));
  return value;
}

template <typename T>
void Put(std::string* bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) (*bytes)[at + i] = static_cast<char>(value >> (8 * i));
}

std::string_view View(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

std::size_t RoundUp(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

bool IsZero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

std::optional<CertificateKind> KindOf(std::uint32_t number) {
  for (const CertificateKind kind : kCertificateKinds) {
    if (static_cast<std::uint32_t>(kind) == number) return kind;
  }
  return std::nullopt;
}

std::string SignedText(std::string_view image) { return fmt::format("{},   {};\n", kTag, Hex(Sha256Of(image))); }

// The next block of the tail, which must have that tag; nothing when another one or the end stands there.
base::Result<std::optional<std::string_view>> TakeBlock(std::string_view* tail, std::string_view tag,
                                                        std::size_t slot) {
  if (tail->size() < kBlockHeader || tail->substr(0, tag.size()) != tag ||
      !IsZero(tail->substr(tag.size(), kTagSize - tag.size()))) {
    return std::nullopt;
  }
  const std::size_t length = Number<std::uint32_t>(*tail, kTagSize);
  const std::size_t size = RoundUp(std::max<std::size_t>(length, 1), slot);
  if (length > kBlockLimit || tail->size() - kBlockHeader < size) {
    return FailResult(Code::kFileError, "its {} block has {} bytes, and {} are there", tag, length,
                      tail->size() - kBlockHeader);
  }
  const std::string_view content = tail->substr(kBlockHeader, length);
  if (!IsZero(tail->substr(kBlockHeader + length, size - length))) {
    return FailResult(Code::kFileError, "something is hidden behind its {} block", tag);
  }
  tail->remove_prefix(kBlockHeader + size);
  return content;
}

// Header of the image: everything in it follows from the archive.
const char* WrongImage(const Container& container) {
  const std::string_view image = container.image;
  if (Number<std::uint32_t>(image, kMagicAt) != kImageMagic) return "its image does not begin with 0x3a3aaa33";
  if (image.substr(kTagAt, kTag.size()) != kTag) return "its image is not tagged ascend_aicpu";
  if (Number<std::uint32_t>(image, kOffsetAt) != kImageHeader) return "its image header has another size than 0x100";
  if (Number<std::uint32_t>(image, kLengthAt) != container.archive.size()) return "two lengths of its image differ";
  if (Number<std::uint32_t>(image, kCounterAt) != container.version_counter) return "two version counters differ";
  if (image.substr(kDigestAt, 32) != View(Sha256Of(container.archive))) return "the sha256 of its tar.gz is wrong";
  return nullptr;
}

void AddBlock(std::string* bytes, std::string_view tag, std::string_view content, std::size_t slot) {
  std::string header(kBlockHeader, '\0');
  header.replace(0, tag.size(), tag);
  Put(&header, kTagSize, static_cast<std::uint32_t>(content.size()));
  *bytes += header;
  *bytes += content;
  bytes->resize(bytes->size() + RoundUp(std::max<std::size_t>(content.size(), 1), slot) - content.size());
}

}  // namespace

const char* KindName(CertificateKind kind) {
  if (kind == CertificateKind::kHuawei) return "huawei";
  return kind == CertificateKind::kCustomer ? "customer" : "community";
}

unsigned KindBit(CertificateKind kind) {
  if (kind == CertificateKind::kHuawei) return 1;
  return kind == CertificateKind::kCustomer ? 2 : 4;
}

bool IsContainer(std::string_view bytes) { return bytes.size() >= 4 && Number<std::uint32_t>(bytes, 0) == kPreamble; }

base::Result<std::string_view> ArchiveOf(std::string_view container) {
  if (!IsContainer(container) || container.size() < kImage + kImageHeader) {
    return FailResult(Code::kFileError, "it is not a signed package: {} bytes", container.size());
  }
  const std::size_t length = Number<std::uint32_t>(container, kArchiveLength);
  if (length > container.size() - kImage - kImageHeader) {
    return FailResult(Code::kFileError, "it is truncated: its header speaks of {} bytes at 0x2100, the file has {}",
                      length, container.size());
  }
  return container.substr(kImage + kImageHeader, length);
}

base::Result<Container> ParseContainer(std::string_view bytes) {
  const auto archive = ArchiveOf(bytes);
  if (!archive) return tl::unexpected<base::Status>(archive.error());
  if (bytes.substr(kHeaderDigest, 32) != View(Sha256Of(bytes.substr(0, kHeaderDigest)))) {
    return FailResult(Code::kFileError, "the sha256 of its header is wrong");
  }
  if (Number<std::uint64_t>(bytes, kFileSize) != kSizeMagic ||
      Number<std::uint32_t>(bytes, kCounter) != kCounterMagic) {
    return FailResult(Code::kFileError, "its header lacks one of the marks at 0x580 and 0x590");
  }
  if (Number<std::uint64_t>(bytes, kFileSize + 8) != bytes.size()) {
    return FailResult(Code::kFileError, "its header speaks of a file of {} bytes, it has {}",
                      Number<std::uint64_t>(bytes, kFileSize + 8), bytes.size());
  }
  const auto kind = KindOf(Number<std::uint32_t>(bytes, kKind));
  if (!kind)
    return FailResult(Code::kFileError, "its kind of certificate is 0x{:x}", Number<std::uint32_t>(bytes, kKind));
  Container container;
  container.kind = *kind;
  container.version_counter = Number<std::uint32_t>(bytes, kCounter + 4);
  container.archive = *archive;
  container.image = bytes.substr(kImage, kImageHeader + archive->size());
  if (const char* wrong = WrongImage(container)) return FailResult(Code::kFileError, "{}", wrong);
  const std::size_t image_end = kImage + container.image.size();
  const std::size_t tail_begin = RoundUp(image_end, kAlignment);
  if (tail_begin > bytes.size() || !IsZero(bytes.substr(image_end, tail_begin - image_end)) ||
      !IsZero(bytes.substr(kHeaderEnd, kImage - kHeaderEnd))) {
    return FailResult(Code::kFileError, "something is hidden between its parts, or its tail is missing");
  }
  std::string_view tail = bytes.substr(tail_begin);
  for (const auto& [tag, slot, place, needed] : {std::tuple{"cms", kLargeSlot, &container.signature, true},
                                                 std::tuple{"ini", kLargeSlot, &container.signed_text, true},
                                                 std::tuple{"crl", kSmallSlot, &container.revocations, false}}) {
    const auto block = TakeBlock(&tail, tag, slot);
    if (!block) return tl::unexpected<base::Status>(block.error());
    if (!*block && needed) return FailResult(Code::kFileError, "its {} block is missing", tag);
    if (*block) *place = **block;
  }
  if (!tail.empty()) return FailResult(Code::kFileError, "{} bytes follow its last block", tail.size());
  if (container.signed_text != SignedText(container.image)) {
    return FailResult(Code::kFileError, "what was signed is \"{}\", which is not the sha256 of its image",
                      Printable(container.signed_text));
  }
  return container;
}

Unsigned PrepareContainer(std::string_view archive, std::uint32_t version_counter) {
  Unsigned content;
  content.image.resize(kImageHeader);
  Put(&content.image, kMagicAt, kImageMagic);
  content.image.replace(kDigestAt, 32, View(Sha256Of(archive)));
  Put(&content.image, kLengthAt, static_cast<std::uint32_t>(archive.size()));
  Put(&content.image, kOffsetAt, static_cast<std::uint32_t>(kImageHeader));
  content.image.replace(kTagAt, kTag.size(), kTag);
  Put(&content.image, kCounterAt, version_counter);
  content.image += archive;
  content.signed_text = SignedText(content.image);
  return content;
}

base::Result<std::string> BuildContainer(const Unsigned& content, std::string_view signature,
                                         std::string_view revocations, CertificateKind kind,
                                         std::uint32_t version_counter) {
  if (content.image.size() > UINT32_MAX || signature.size() > kBlockLimit || revocations.size() > kBlockLimit) {
    return FailResult(Code::kInvalidParam,
                      "package of {} bytes, signature of {}, revocation list of {}: the limits are {}, {} and {}",
                      content.image.size(), signature.size(), revocations.size(), UINT32_MAX, kBlockLimit, kBlockLimit);
  }
  std::string bytes(kImage, '\0');
  bytes += content.image;
  bytes.resize(RoundUp(bytes.size(), kAlignment));
  AddBlock(&bytes, "cms", signature, kLargeSlot);
  AddBlock(&bytes, "ini", content.signed_text, kLargeSlot);
  if (!revocations.empty()) AddBlock(&bytes, "crl", revocations, kSmallSlot);
  Put(&bytes, 0, kPreamble);
  Put(&bytes, kArchiveLength, static_cast<std::uint32_t>(content.image.size() - kImageHeader));
  bytes.replace(kHeaderDigest, 32, View(Sha256Of(std::string_view(bytes).substr(0, kHeaderDigest))));
  Put(&bytes, kFileSize, kSizeMagic);
  Put(&bytes, kFileSize + 8, static_cast<std::uint64_t>(bytes.size()));
  Put(&bytes, kCounter, kCounterMagic);
  Put(&bytes, kCounter + 4, version_counter);
  Put(&bytes, kKind, static_cast<std::uint32_t>(kind));
  return bytes;
}

}  // namespace softhccl::package
