// RSA keys sign with PSS, as the vendor's do; others with what belongs to them.
#include "signature/sign.h"

#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "signature/openssl.h"

namespace softhccl::signature {
namespace {

using base::Code;
using base::Fail;
using base::FailResult;

// Nobody is asked for a passphrase: this runs in builds.
int NoPassphrase(char*, int, int, void*) { return -1; }

base::Status CheckUsable(X509* certificate, EVP_PKEY* key) {
  const std::string subject = SubjectOf(certificate);
  if (X509_check_private_key(certificate, key) != 1) {
    static_cast<void>(LastError());
    return Fail(Code::kInvalidParam, "the key does not belong to the certificate of {}", subject);
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0) {
    return Fail(Code::kInvalidParam, "the certificate of {} has expired on {}", subject,
                TimeText(X509_get0_notAfter(certificate)));
  }
  const std::uint32_t extended = X509_get_extended_key_usage(certificate);
  if ((X509_get_key_usage(certificate) & KU_DIGITAL_SIGNATURE) == 0 || (extended & (XKU_CODE_SIGN | XKU_ANYEKU)) == 0) {
    return Fail(Code::kInvalidParam, "the certificate of {} is not for signing code", subject);
  }
  return {};
}

base::Result<std::string> DerOf(CMS_ContentInfo* cms) {
  unsigned char* bytes = nullptr;
  const int size = i2d_CMS_ContentInfo(cms, &bytes);
  if (size <= 0) return FailResult(Code::kInternal, "the signature cannot be written: {}", LastError());
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

base::Result<std::string> SignText(std::string_view text, EVP_PKEY* key, const std::vector<Certificate>& chain) {
  constexpr unsigned kFlags = CMS_DETACHED | CMS_BINARY | CMS_NOSMIMECAP | CMS_PARTIAL;
  const Bio content = ReadOnly(text);
  const Cms cms(CMS_sign(nullptr, nullptr, nullptr, content.get(), kFlags));
  CMS_SignerInfo* const signer =
      cms == nullptr ? nullptr : CMS_add1_signer(cms.get(), chain[0].get(), key, EVP_sha256(), kFlags | CMS_KEY_PARAM);
  bool is_good = signer != nullptr;
  if (is_good && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) {
    EVP_PKEY_CTX* const parameters = CMS_SignerInfo_get0_pkey_ctx(signer);
    is_good = EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1 &&
              EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  for (std::size_t i = 1; is_good && i < chain.size(); ++i) is_good = CMS_add1_cert(cms.get(), chain[i].get()) == 1;
  if (!is_good || CMS_final(cms.get(), content.get(), nullptr, kFlags) != 1) {
    return FailResult(Code::kInvalidParam, "the key of {} cannot sign: {}", SubjectOf(chain[0].get()), LastError());
  }
  return DerOf(cms.get());
}

base::Result<std::string> RevocationsAsDer(std::string_view bytes) {
  if (bytes.empty()) return std::string();
  const auto lists = ReadRevocations(bytes, "the revocation list");
  if (!lists) return tl::unexpected<base::Status>(lists.error());
  unsigned char* der = nullptr;
  const int size = i2d_X509_CRL(lists->front().get(), &der);
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

}  // namespace

base::Result<std::string> Sign(std::string_view archive, const SigningOptions& options) {
  ERR_clear_error();
  if (package::IsContainer(archive)) return FailResult(Code::kInvalidParam, "the package is signed already");
  const Bio stream = ReadOnly(options.key);
  const Key key(PEM_read_bio_PrivateKey(stream.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return FailResult(Code::kFileError, "the private key cannot be read ({}); it must be PEM without a passphrase",
                      LastError());
  }
  const auto chain = ReadCertificates(options.certificates, "the certificate file");
  if (!chain) return tl::unexpected<base::Status>(chain.error());
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckUsable(chain->front().get(), key.get()));
  const auto revocations = RevocationsAsDer(options.revocations);
  if (!revocations) return tl::unexpected<base::Status>(revocations.error());
  const auto content = package::PrepareContainer(archive, options.version_counter);
  const auto signature = SignText(content.signed_text, key.get(), *chain);
  if (!signature) return tl::unexpected<base::Status>(signature.error());
  return package::BuildContainer(content, *signature, *revocations, options.kind, options.version_counter);
}

}  // namespace softhccl::signature
