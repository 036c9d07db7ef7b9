// Reading what people keep certificates in, and turning OpenSSL's objects into words.
#include "signature/openssl.h"

#include <openssl/pem.h>

#include <ctime>

namespace softhccl::signature {

using base::Code;
using base::FailResult;

namespace {

constexpr std::string_view kPemMark = "-----BEGIN ";

// `pem` and `der` read one object from a stream; PEM files may hold several.
template <typename Owner, typename Pem, typename Der>
base::Result<std::vector<Owner>> ReadAll(std::string_view bytes, const std::string& source, const char* what, Pem pem,
                                         Der der) {
  std::vector<Owner> found;
  const Bio stream = ReadOnly(bytes);
  if (bytes.find(kPemMark) != std::string_view::npos) {
    while (auto* object = pem(stream.get())) found.emplace_back(object);
    // Reading ends with "no start line" when everything was read.
    const unsigned long error = ERR_peek_last_error();
    const bool is_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    const std::string reason = LastError();
    if (!is_end) return FailResult(Code::kFileError, "{} holds a {} that cannot be read: {}", source, what, reason);
  } else if (auto* object = der(stream.get())) {
    found.emplace_back(object);
    if (BIO_pending(stream.get()) != 0)
      return FailResult(Code::kFileError, "something follows the {} of {}", what, source);
  }
  if (found.empty()) {
    static_cast<void>(LastError());
    return FailResult(Code::kFileError, "{} holds no {} in PEM or DER", source, what);
  }
  return found;
}

}  // namespace

Bio ReadOnly(std::string_view bytes) { return Bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))); }

std::string LastError() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(error);
  return reason == nullptr ? "no reason given" : reason;
}

base::Result<std::vector<Certificate>> ReadCertificates(std::string_view bytes, const std::string& source) {
  return ReadAll<Certificate>(
      bytes, source, "certificate", [](BIO* stream) { return PEM_read_bio_X509(stream, nullptr, nullptr, nullptr); },
      [](BIO* stream) { return d2i_X509_bio(stream, nullptr); });
}

base::Result<std::vector<RevocationList>> ReadRevocations(std::string_view bytes, const std::string& source) {
  return ReadAll<RevocationList>(
      bytes, source, "revocation list",
      [](BIO* stream) { return PEM_read_bio_X509_CRL(stream, nullptr, nullptr, nullptr); },
      [](BIO* stream) { return d2i_X509_CRL_bio(stream, nullptr); });
}

std::string NameText(const X509_NAME* name) {
  const Bio stream(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(stream.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
  char* text = nullptr;
  const long size = BIO_get_mem_data(stream.get(), &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "(no name)";
}

std::string SubjectOf(const X509* certificate) { return NameText(X509_get_subject_name(certificate)); }

std::string TimeText(const ASN1_TIME* time) {
  std::tm fields{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &fields) != 1) return "(no time)";
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &fields));
}

std::string FingerprintOf(const X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), digest, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace softhccl::signature
