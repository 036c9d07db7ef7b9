// The container of signed packages: what is written is read back, and whatever is changed in it is noticed.
#include "package/container.h"

#include <fmt/format.h>

#include "package/sha256.h"
#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::HasSubstr;

std::string Build(const std::string& archive = "\x1f\x8b the archive", const std::string& signature = "signature",
                  const std::string& revocations = "list") {
  const Unsigned content = PrepareContainer(archive, 7);
  return BuildContainer(content, signature, revocations, CertificateKind::kCustomer, 7).value();
}

std::string ErrorOf(const std::string& bytes) {
  const auto container = ParseContainer(bytes);
  EXPECT_FALSE(container);
  return container ? "" : container.error().message();
}

TEST(Container, WhatWasBuilt_IsReadBack) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{16}, std::size_t{100'000}}) {
    const std::string archive(size, 'a');
    for (const std::string& revocations : {std::string(), std::string("r"), std::string(5000, 'r')}) {
      const std::string signature(size % 40'000 + 1, 's');
      const std::string bytes = Build(archive, signature, revocations);
      ASSERT_TRUE(IsContainer(bytes));
      const auto container = ParseContainer(bytes);
      ASSERT_TRUE(container) << container.error().message();
      EXPECT_EQ(container->archive, archive);
      EXPECT_EQ(container->signature, signature);
      EXPECT_EQ(container->revocations, revocations);
      EXPECT_EQ(container->kind, CertificateKind::kCustomer);
      EXPECT_EQ(container->version_counter, 7u);
      EXPECT_EQ(container->signed_text, "ascend_aicpu,   " + Hex(Sha256Of(container->image)) + ";\n");
      EXPECT_EQ(ArchiveOf(bytes).value(), archive);
    }
  }
}

TEST(Container, PublishedPlaces_HoldWhatIsKnownOfThem) {
  const std::string archive = "archive";
  const std::string bytes = Build(archive);
  EXPECT_EQ(bytes.substr(0, 4), "\xaa\x55\xaa\x55");
  EXPECT_EQ(bytes.substr(0x478, 4), std::string("\x07\0\0\0", 4));
  EXPECT_EQ(bytes.substr(0x580, 8), "\x55\xaa\x55\xaa\x34\x12\xcd\xab");
  EXPECT_EQ(bytes.substr(0x590, 4), "\xa5\xa5\x5a\x5a");
  EXPECT_EQ(bytes.substr(0x2100, archive.size()), archive);
  EXPECT_EQ(bytes.substr(0x2110, 4), std::string("cms\0", 4));
}

TEST(Container, EveryFlippedByte_IsNoticed) {
  const std::string good = Build();
  const auto parts = ParseContainer(good);
  ASSERT_TRUE(parts);
  const auto signature_at = static_cast<std::size_t>(parts->signature.data() - good.data());
  const auto revocations_at = static_cast<std::size_t>(parts->revocations.data() - good.data());
  for (std::size_t i = 0; i < good.size(); ++i) {
    // The kind says which certificates count, and the two blocks are for the one who knows certificates.
    if (i >= 0x598 && i < 0x59c) continue;
    // A length that takes in zeros of the padding is for them to see, too.
    if (i >= signature_at - 4 && i < signature_at + parts->signature.size()) continue;
    if (i >= revocations_at - 4 && i < revocations_at + parts->revocations.size()) continue;
    // Between the header's numbers and its end there is nothing that anybody reads.
    if (i >= 0x59c && i < 0x600) continue;
    if (i > 0x700 && i < 0x1f00 && i % 97 != 0) continue;
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    const auto container = ParseContainer(bytes);
    EXPECT_FALSE(container) << fmt::format("{:#x}", i);
    if (!container) {
      EXPECT_NE(container.error().message(), "");
    }
  }
}

TEST(Container, TruncatedAnywhere_IsAnError) {
  const std::string good = Build();
  for (std::size_t size = 0; size < good.size(); size += size < 0x2200 ? 61 : 997) ErrorOf(good.substr(0, size));
  ErrorOf(good.substr(0, good.size() - 1));
  EXPECT_THAT(ErrorOf(good + "x"), HasSubstr("its header speaks of a file of"));
}

TEST(Container, LengthsThatAreLies_AreRefused) {
  std::string bytes = Build();
  bytes.replace(0x478, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(ErrorOf(bytes), HasSubstr("it is truncated: its header speaks of 4294967295 bytes at 0x2100"));
  EXPECT_FALSE(ArchiveOf(bytes));
  EXPECT_FALSE(ArchiveOf("\xaa\x55\xaa\x55"));
  EXPECT_FALSE(ArchiveOf(""));
}

TEST(Container, UnknownKind_IsRefused) {
  std::string bytes = Build();
  bytes[0x598] = 3;
  EXPECT_EQ(ErrorOf(bytes), "its kind of certificate is 0x3");
}

TEST(Container, Kinds_HaveTheirBitsAndNames) {
  EXPECT_EQ(KindBit(CertificateKind::kHuawei), 1u);
  EXPECT_EQ(KindBit(CertificateKind::kCustomer), 2u);
  EXPECT_EQ(KindBit(CertificateKind::kCommunity), 4u);
  EXPECT_STREQ(KindName(CertificateKind::kHuawei), "huawei");
  EXPECT_STREQ(KindName(CertificateKind::kCustomer), "customer");
  EXPECT_STREQ(KindName(CertificateKind::kCommunity), "community");
}

TEST(Container, BlocksBeyondTheLimit_AreNotBuilt) {
  const auto built =
      BuildContainer(PrepareContainer("a", 0), std::string((1 << 20) + 1, 's'), "", CertificateKind::kCustomer, 0);
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().message(), HasSubstr("signature of 1048577"));
}

}  // namespace
}  // namespace softhccl::package
