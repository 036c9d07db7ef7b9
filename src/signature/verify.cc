// Two questions, asked apart so that each has its own words: is the text signed with the key of the certificate that
// came along, and does that certificate lead to one that is trusted here.
#include "signature/verify.h"

#include <openssl/x509v3.h>

#include "signature/openssl.h"

namespace softhccl::signature {
namespace {

using base::Code;
using base::FailResult;
using package::Signer;

// At least 112 bits: RSA of 2048, no SHA-1.
constexpr int kSecurityLevel = 2;

// The revocation lists of a machine need not cover every issuer; one that is there counts. Which one has expired is
// known only here, and kept in the string that the context carries.
int Tolerate(int ok, X509_STORE_CTX* context) {
  const X509_CRL* const list = X509_STORE_CTX_get0_current_crl(context);
  if (ok == 0 && X509_STORE_CTX_get_error(context) == X509_V_ERR_CRL_HAS_EXPIRED && list != nullptr) {
    *static_cast<std::string*>(X509_STORE_CTX_get_app_data(context)) =
        fmt::format("the revocation list of {} has expired on {}: get a new one", NameText(X509_CRL_get_issuer(list)),
                    TimeText(X509_CRL_get0_nextUpdate(list)));
  }
  if (ok == 0 && X509_STORE_CTX_get_error(context) == X509_V_ERR_UNABLE_TO_GET_CRL) {
    X509_STORE_CTX_set_error(context, X509_V_OK);
    return 1;
  }
  return ok;
}

// The one signer of a signature that holds, with the certificate that came along.
base::Result<X509*> CheckSignature(CMS_ContentInfo* cms, std::string_view text) {
  if (CMS_get0_type(cms) == nullptr || OBJ_obj2nid(CMS_get0_type(cms)) != NID_pkcs7_signed ||
      CMS_is_detached(cms) != 1) {
    return FailResult(Code::kKernelFailed, "its signature is not a detached CMS signature");
  }
  STACK_OF(CMS_SignerInfo)* const signers = CMS_get0_SignerInfos(cms);
  if (sk_CMS_SignerInfo_num(signers) != 1) {
    return FailResult(Code::kKernelFailed, "it has {} signers, one is expected", sk_CMS_SignerInfo_num(signers));
  }
  const Bio content = ReadOnly(text);
  if (CMS_verify(cms, nullptr, nullptr, content.get(), nullptr, CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY) != 1) {
    return FailResult(Code::kKernelFailed, "its signature does not fit it: {}", LastError());
  }
  X509* certificate = nullptr;
  CMS_SignerInfo_get0_algs(sk_CMS_SignerInfo_value(signers, 0), nullptr, &certificate, nullptr, nullptr);
  if (certificate == nullptr) return FailResult(Code::kKernelFailed, "the certificate of its signer is missing");
  return certificate;
}

// A certificate for servers or mail does not sign code, unless it says nothing about its use.
bool MaySignCode(X509* certificate) {
  const std::uint32_t usage = X509_get_key_usage(certificate);  // all bits when it says nothing
  const std::uint32_t extended = X509_get_extended_key_usage(certificate);
  return (usage & KU_DIGITAL_SIGNATURE) != 0 && (extended & (XKU_CODE_SIGN | XKU_ANYEKU)) != 0;
}

base::Status AddAnchors(X509_STORE* store, const package::TrustAnchors& anchors, std::string_view revocations,
                        std::string* names) {
  for (const package::TrustFile& file : anchors.certificates) {
    const auto certificates = ReadCertificates(file.bytes, file.path);
    if (!certificates) return certificates.error();
    for (const Certificate& certificate : *certificates) {
      X509_STORE_add_cert(store, certificate.get());
      *names += (names->empty() ? "" : "; ") + SubjectOf(certificate.get());
    }
  }
  std::vector<package::TrustFile> lists = anchors.revocations;
  if (!revocations.empty()) lists.push_back({"the revocation list of the package", std::string(revocations)});
  for (const package::TrustFile& file : lists) {
    const auto found = ReadRevocations(file.bytes, file.path);
    if (!found) return found.error();
    for (const RevocationList& list : *found) X509_STORE_add_crl(store, list.get());
  }
  return {};
}

std::string WhyNot(X509_STORE_CTX* context, const std::string& trusted, const char* kind) {
  const int error = X509_STORE_CTX_get_error(context);
  X509* const at = X509_STORE_CTX_get_current_cert(context);
  const std::string subject = at == nullptr ? "(none)" : SubjectOf(at);
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("the certificate of {} has expired on {}", subject, TimeText(X509_get0_notAfter(at)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("the certificate of {} is valid from {} on", subject, TimeText(X509_get0_notBefore(at)));
    case X509_V_ERR_CERT_REVOKED: return fmt::format("the certificate of {} was revoked by its issuer", subject);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return fmt::format(
          "the certificate of {} leads to none that is trusted for {} packages; trusted are: {}; if it should be, let "
          "softhccl trust add it",
          subject, kind, trusted.empty() ? "none" : trusted);
    default: return fmt::format("the certificate of {}: {}", subject, X509_verify_cert_error_string(error));
  }
}

base::Status CheckCertificate(X509* certificate, CMS_ContentInfo* cms, X509_STORE* store, const std::string& trusted,
                              const char* kind) {
  const StoreContext context(X509_STORE_CTX_new());
  struct Freed {
    STACK_OF(X509) * certificates;
    ~Freed() { sk_X509_pop_free(certificates, X509_free); }
  } const embedded{CMS_get1_certs(cms)};
  if (context == nullptr || X509_STORE_CTX_init(context.get(), store, certificate, embedded.certificates) != 1) {
    return base::Fail(Code::kKernelFailed, "its certificate cannot be checked: {}", LastError());
  }
  X509_VERIFY_PARAM* const parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(parameters,
                              X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL | X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_auth_level(parameters, kSecurityLevel);
  X509_VERIFY_PARAM_set_depth(parameters, 8);
  std::string why;
  X509_STORE_CTX_set_app_data(context.get(), &why);
  X509_STORE_CTX_set_verify_cb(context.get(), Tolerate);
  if (X509_verify_cert(context.get()) == 1) return {};
  if (why.empty()) why = WhyNot(context.get(), trusted, kind);
  static_cast<void>(LastError());
  return base::Fail(Code::kKernelFailed, "{}", why);
}

}  // namespace

base::Result<Signer> Verify(std::string_view text, std::string_view signature, std::string_view revocations,
                            const package::TrustAnchors& anchors, const char* kind) {
  ERR_clear_error();
  const Bio stream = ReadOnly(signature);
  const Cms cms(d2i_CMS_bio(stream.get(), nullptr));
  if (cms == nullptr) return FailResult(Code::kKernelFailed, "its signature cannot be read: {}", LastError());
  if (BIO_pending(stream.get()) != 0) return FailResult(Code::kKernelFailed, "something follows its signature");
  const auto certificate = CheckSignature(cms.get(), text);
  if (!certificate) return tl::unexpected<base::Status>(certificate.error());
  const Store store(X509_STORE_new());
  std::string trusted;
  SOFTHCCL_RETURN_RESULT_IF_ERROR(AddAnchors(store.get(), anchors, revocations, &trusted));
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckCertificate(*certificate, cms.get(), store.get(), trusted, kind));
  if (!MaySignCode(*certificate)) {
    return FailResult(Code::kKernelFailed, "the certificate of {} is not for signing code", SubjectOf(*certificate));
  }
  Signer signer;
  signer.subject = SubjectOf(*certificate);
  signer.issuer = NameText(X509_get_issuer_name(*certificate));
  signer.fingerprint = FingerprintOf(*certificate);
  signer.not_after = TimeText(X509_get0_notAfter(*certificate));
  return signer;
}

}  // namespace softhccl::signature

// What the runtime looks up in this library.
extern "C" __attribute__((visibility("default"))) softhccl::package::SignatureVerifier softhccl_signature_verifier() {
  return softhccl::signature::Verify;
}
