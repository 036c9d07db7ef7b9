// The container of a signed kernel package: the tar.gz behind two headers, and behind it the signature.
//
//   0x0000  header, 0x600 bytes: 0x55AA55AA; 0x478 length of the tar.gz; 0x560 sha256 of what precedes;
//           0x580 0xABCD1234AA55AA55, size of the file; 0x590 0x5A5AA5A5, version counter; 0x598 kind of certificate
//   0x2000  image: a header of 256 bytes (0x3a3aaa33 at 16, sha256 of the tar.gz at 24, its length at 88, 0x100 at 92,
//           "ascend_aicpu" at 104, version counter at 120), then the tar.gz
//   next multiple of 16: blocks of a tag of 12 bytes, a length of 4 and a padded content:
//           cms (a multiple of 16 KiB), ini (the same), crl (of 2 KiB, may be missing)
//
// The ini names the sha256 of the image, and the cms block is a detached signature of the ini. All numbers are little
// endian. Which of this is the vendor's and which was chosen here: docs/adr/0008-signed-packages.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace softhccl::package {

// Who vouches for a package; the values stand in its header.
enum class CertificateKind : std::uint32_t { kCommunity = 1, kCustomer = 2, kHuawei = 0xffffffff };

inline constexpr CertificateKind kCertificateKinds[] = {CertificateKind::kHuawei, CertificateKind::kCustomer,
                                                        CertificateKind::kCommunity};
const char* KindName(CertificateKind kind);  // "huawei", "customer", "community"
// The bit of custom-op-secverify-mode that accepts the kind: 1, 2, 4.
unsigned KindBit(CertificateKind kind);

bool IsContainer(std::string_view bytes);

// The parts of a container; views into its bytes.
struct Container {
  std::string_view archive;      // the tar.gz
  std::string_view image;        // what is signed: its header and the tar.gz
  std::string_view signed_text;  // the ini
  std::string_view signature;    // CMS, DER
  std::string_view revocations;  // DER; may be empty
  CertificateKind kind = CertificateKind::kCustomer;
  std::uint32_t version_counter = 0;
};

// The tar.gz alone, for devices that do not verify. Errors: kFileError: the lengths do not add up.
base::Result<std::string_view> ArchiveOf(std::string_view container);

// All of it, with every digest and length that does not need a certificate compared. Errors: kFileError.
base::Result<Container> ParseContainer(std::string_view bytes);

// What is to be signed for a tar.gz.
struct Unsigned {
  std::string image;
  std::string signed_text;
};
Unsigned PrepareContainer(std::string_view archive, std::uint32_t version_counter);

// The file, from what was prepared and its signature. Errors: kInvalidParam: more than 4 GiB.
base::Result<std::string> BuildContainer(const Unsigned& content, std::string_view signature,
                                         std::string_view revocations, CertificateKind kind,
                                         std::uint32_t version_counter);

}  // namespace softhccl::package
