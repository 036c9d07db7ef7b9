// Packages signed on the spot and verified: everything that must be accepted, and every certificate that must not.
#include <fmt/format.h>

#include "package/container.h"
#include "signature/sign.h"
#include "signature/verify.h"
#include "signature_fixture.h"

namespace softhccl::signature {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kArchive = "\x1f\x8b any bytes";

struct World {
  Identity root = MakeIdentity("Root", nullptr, {.is_authority = true});
  Identity author = MakeIdentity("Author", &root, {.usage = "digitalSignature", .extended = "codeSigning"});
};
// Keys take a while to make.
World& TheWorld() {
  static auto& world = *new World;
  return world;
}

std::string Signed(const Identity& author, const std::string& more_certificates = "", const std::string& list = "") {
  const auto bytes =
      Sign(kArchive,
           {.key = Pem(author.key), .certificates = Pem(author.certificate) + more_certificates, .revocations = list});
  EXPECT_TRUE(bytes) << bytes.error().message();
  return bytes.value_or("");
}

package::TrustAnchors Anchors(const std::vector<std::string>& certificates,
                              const std::vector<std::string>& lists = {}) {
  package::TrustAnchors anchors;
  for (const auto& bytes : certificates) anchors.certificates.push_back({"anchor.pem", bytes});
  for (const auto& bytes : lists) anchors.revocations.push_back({"list.crl", bytes});
  return anchors;
}

base::Result<package::Signer> Check(const std::string& bytes, const package::TrustAnchors& anchors) {
  const auto container = package::ParseContainer(bytes);
  EXPECT_TRUE(container) << container.error().message();
  if (!container) return tl::unexpected<base::Status>(container.error());
  return Verify(container->signed_text, container->signature, container->revocations, anchors, "customer");
}

std::string ErrorOf(const std::string& bytes, const package::TrustAnchors& anchors) {
  const auto signer = Check(bytes, anchors);
  EXPECT_FALSE(signer);
  if (signer) return "";
  EXPECT_THAT(signer.error().message(), ::testing::Not(HasSubstr("\n")));
  return signer.error().message();
}

TEST(Signature, ByATrustedAuthor_IsAcceptedAndNamesThem) {
  const World& world = TheWorld();
  for (const std::string& anchor :
       {Pem(world.root.certificate), Der(world.root.certificate), Pem(world.author.certificate)}) {
    const auto signer = Check(Signed(world.author), Anchors({anchor}));
    ASSERT_TRUE(signer) << signer.error().message();
    EXPECT_EQ(signer->subject, "CN = Author");
    EXPECT_EQ(signer->issuer, "CN = Root");
    EXPECT_EQ(signer->fingerprint.size(), 64u);
    EXPECT_THAT(signer->not_after, ::testing::EndsWith(" UTC"));
  }
}

TEST(Signature, SelfSignedAuthor_IsTrustedByThatCertificate) {
  const Identity alone = MakeIdentity("Alone", nullptr);
  EXPECT_TRUE(Check(Signed(alone), Anchors({Pem(alone.certificate)})));
  EXPECT_THAT(ErrorOf(Signed(alone), Anchors({Pem(TheWorld().root.certificate)})),
              HasSubstr("CN = Alone leads to none that is trusted for customer packages; trusted are: CN = Root"));
}

TEST(Signature, EllipticCurve_IsAccepted) {
  const Identity author = MakeIdentity("Curve", &TheWorld().root, {.bits = 0});
  EXPECT_TRUE(Check(Signed(author), Anchors({Pem(TheWorld().root.certificate)})));
}

TEST(Signature, CertificatesBetween_TravelWithThePackage) {
  const World& world = TheWorld();
  const Identity between = MakeIdentity("Between", &world.root, {.is_authority = true});
  const Identity author = MakeIdentity("Far", &between);
  const auto anchors = Anchors({Pem(world.root.certificate)});
  EXPECT_TRUE(Check(Signed(author, Pem(between.certificate)), anchors));
  EXPECT_THAT(ErrorOf(Signed(author), anchors), HasSubstr("leads to none that is trusted"));
}

TEST(Signature, NobodyTrusted_SaysSo) {
  EXPECT_THAT(ErrorOf(Signed(TheWorld().author), {}),
              HasSubstr("trusted are: none; if it should be, let softhccl trust add it"));
}

TEST(Signature, NameOfATrustedOne_DoesNotHelp) {
  const Identity impostor_root = MakeIdentity("Root", nullptr, {.is_authority = true});
  const Identity impostor = MakeIdentity("Author", &impostor_root);
  ErrorOf(Signed(impostor, Pem(impostor_root.certificate)), Anchors({Pem(TheWorld().root.certificate)}));
}

TEST(Signature, ExpiredOrEarlyCertificate_IsRefusedWithItsTime) {
  const World& world = TheWorld();
  const Identity early = MakeIdentity("Early", &world.root, {.begins = kDay});
  EXPECT_THAT(ErrorOf(Signed(early), Anchors({Pem(world.root.certificate)})),
              HasSubstr("the certificate of CN = Early is valid from "));
  const Identity old_root = MakeIdentity("Old", nullptr, {.begins = -9 * kDay, .ends = -kDay, .is_authority = true});
  const Identity young = MakeIdentity("Young", &old_root);
  EXPECT_THAT(ErrorOf(Signed(young), Anchors({Pem(old_root.certificate)})),
              HasSubstr("the certificate of CN = Old has expired on "));
  const Identity expired = MakeIdentity("Expired", &world.root, {.begins = -9 * kDay, .ends = -kDay});
  const auto refused = Sign(kArchive, {.key = Pem(expired.key), .certificates = Pem(expired.certificate)});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), StartsWith("the certificate of CN = Expired has expired on "));
}

TEST(Signature, WrongUse_IsRefused) {
  const World& world = TheWorld();
  for (const IdentityOptions& options :
       {IdentityOptions{.usage = "keyEncipherment"}, IdentityOptions{.extended = "serverAuth"}}) {
    const Identity server = MakeIdentity("Server", &world.root, options);
    const auto refused = Sign(kArchive, {.key = Pem(server.key), .certificates = Pem(server.certificate)});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), "the certificate of CN = Server is not for signing code");
  }
}

TEST(Signature, WeakKeyOrDigest_IsRefused) {
  const World& world = TheWorld();
  const auto anchors = Anchors({Pem(world.root.certificate)});
  EXPECT_THAT(ErrorOf(Signed(MakeIdentity("Weak", &world.root, {.bits = 1024})), anchors), HasSubstr("CN = Weak"));
}

TEST(Signature, Revoked_IsRefusedWhereverTheListComesFrom) {
  const World& world = TheWorld();
  const Identity thief = MakeIdentity("Thief", &world.root);
  const std::string list = Pem(MakeRevocations(world.root, thief.certificate.get()));
  const std::string root = Pem(world.root.certificate);
  EXPECT_TRUE(Check(Signed(thief), Anchors({root})));
  EXPECT_EQ(ErrorOf(Signed(thief), Anchors({root}, {list})), "the certificate of CN = Thief was revoked by its issuer");
  EXPECT_EQ(ErrorOf(Signed(thief, "", list), Anchors({root})),
            "the certificate of CN = Thief was revoked by its issuer");
  EXPECT_TRUE(Check(Signed(world.author, "", list), Anchors({root}, {list})));
}

TEST(Signature, OldListInThePackage_DoesNotHideTheNewerOne) {
  const World& world = TheWorld();
  const Identity thief = MakeIdentity("Thief", &world.root);
  const std::string before = Pem(MakeRevocations(world.root, nullptr, -5 * kDay));
  const std::string now = Pem(MakeRevocations(world.root, thief.certificate.get(), -kDay));
  EXPECT_EQ(ErrorOf(Signed(thief, "", before), Anchors({Pem(world.root.certificate)}, {now})),
            "the certificate of CN = Thief was revoked by its issuer");
}

TEST(Signature, ExpiredList_IsRefused) {
  const World& world = TheWorld();
  const std::string list = Pem(MakeRevocations(world.root, nullptr, -9 * kDay, -kDay));
  EXPECT_THAT(ErrorOf(Signed(world.author), Anchors({Pem(world.root.certificate)}, {list})),
              StartsWith("the revocation list of CN = Root has expired on "));
}

TEST(Signature, ListThatSomebodyElseSigned_IsRefused) {
  const World& world = TheWorld();
  const Identity impostor = MakeIdentity("Root", nullptr, {.is_authority = true});
  const std::string list = Pem(MakeRevocations(impostor, nullptr));
  ErrorOf(Signed(world.author, "", list), Anchors({Pem(world.root.certificate)}));
}

TEST(Signature, OfAnotherPackage_DoesNotFit) {
  const World& world = TheWorld();
  const std::string bytes = Signed(world.author);
  const auto container = package::ParseContainer(bytes).value();
  const auto other = package::PrepareContainer("\x1f\x8b other bytes", 0);
  const auto forged =
      package::BuildContainer(other, container.signature, "", package::CertificateKind::kCustomer, 0).value();
  EXPECT_THAT(ErrorOf(forged, Anchors({Pem(world.root.certificate)})), StartsWith("its signature does not fit it: "));
}

TEST(Signature, FlippedAnywhere_IsNeverAccepted) {
  const World& world = TheWorld();
  const auto anchors = Anchors({Pem(world.root.certificate)});
  const std::string bytes = Signed(world.author);
  const auto good = package::ParseContainer(bytes).value();
  ASSERT_TRUE(Verify(good.signed_text, good.signature, "", anchors, "customer"));
  int accepted = 0;
  for (std::size_t i = 0; i < good.signature.size(); i += 3) {
    std::string signature(good.signature);
    signature[i] = static_cast<char>(signature[i] ^ 0x01);
    const auto signer = Verify(good.signed_text, signature, "", anchors, "customer");
    // A few bits say what the rest says again, such as the list of digests that are used; they change nobody's words.
    if (signer) {
      ++accepted;
      EXPECT_EQ(signer->subject, "CN = Author");
    }
  }
  EXPECT_LT(accepted, 10);
}

TEST(Signature, BytesBehindIt_AreRefused) {
  const std::string bytes = Signed(TheWorld().author);
  const auto good = package::ParseContainer(bytes).value();
  const auto signer = Verify(good.signed_text, std::string(good.signature) + std::string(2, '\0'), "",
                             Anchors({Pem(TheWorld().root.certificate)}), "customer");
  ASSERT_FALSE(signer);
  EXPECT_EQ(signer.error().message(), "something follows its signature");
}

TEST(Signature, BytesThatAreNoSignature_AreRefused) {
  const auto anchors = Anchors({Pem(TheWorld().root.certificate)});
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(1000, '\x30')}) {
    const auto signer = Verify("text", bytes, "", anchors, "customer");
    ASSERT_FALSE(signer);
    EXPECT_THAT(signer.error().message(), StartsWith("its signature cannot be read: "));
  }
}

TEST(Signature, AnchorThatIsNoCertificate_IsNamed) {
  EXPECT_EQ(ErrorOf(Signed(TheWorld().author), Anchors({"not a certificate"})),
            "anchor.pem holds no certificate in PEM or DER");
  std::string torn = Pem(TheWorld().root.certificate);
  torn[torn.size() / 2] = '!';
  EXPECT_THAT(ErrorOf(Signed(TheWorld().author), Anchors({torn})),
              StartsWith("anchor.pem holds a certificate that cannot be read: "));
}

TEST(Sign, WhatDoesNotBelongTogether_IsRefused) {
  const World& world = TheWorld();
  const auto error = [](const SigningOptions& options, const std::string& archive = kArchive) {
    const auto bytes = Sign(archive, options);
    EXPECT_FALSE(bytes);
    return bytes ? "" : bytes.error().message();
  };
  const std::string key = Pem(world.author.key);
  const std::string root_key = Pem(world.root.key);
  const std::string certificate = Pem(world.author.certificate);
  EXPECT_EQ(error({.key = root_key, .certificates = certificate}),
            "the key does not belong to the certificate of CN = Author");
  EXPECT_THAT(error({.key = "x", .certificates = certificate}), StartsWith("the private key cannot be read "));
  EXPECT_EQ(error({.key = key, .certificates = "x"}), "the certificate file holds no certificate in PEM or DER");
  EXPECT_EQ(error({.key = key, .certificates = certificate}, Signed(world.author)), "the package is signed already");
}

TEST(Sign, EncryptedKey_IsRefusedWithoutAskingAnybody) {
  const World& world = TheWorld();
  std::string passphrase = "secret";
  const std::string key = Text([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, world.author.key.get(), EVP_aes_128_cbc(),
                                    reinterpret_cast<unsigned char*>(passphrase.data()), 6, nullptr, nullptr);
  });
  const std::string certificate = Pem(world.author.certificate);
  const auto refused = Sign(kArchive, {.key = key, .certificates = certificate});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("it must be PEM without a passphrase"));
}

}  // namespace
}  // namespace softhccl::signature
