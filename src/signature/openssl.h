// RAII for what OpenSSL hands out, and its errors as words. Only for the files of this folder.
#pragma once

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace softhccl::signature {

template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using Cms = std::unique_ptr<CMS_ContentInfo, Freer<CMS_ContentInfo_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using RevocationList = std::unique_ptr<X509_CRL, Freer<X509_CRL_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Store = std::unique_ptr<X509_STORE, Freer<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Freer<X509_STORE_CTX_free>>;

// A stream over bytes that must outlive it.
Bio ReadOnly(std::string_view bytes);

// The reason of the last failure in this thread, and none after that.
std::string LastError();

// The certificates of a file: one or more in PEM, or one in DER. Errors: kFileError naming `source`.
base::Result<std::vector<Certificate>> ReadCertificates(std::string_view bytes, const std::string& source);
// The same for revocation lists.
base::Result<std::vector<RevocationList>> ReadRevocations(std::string_view bytes, const std::string& source);

std::string SubjectOf(const X509* certificate);
std::string NameText(const X509_NAME* name);
// "2027-01-31 12:00:00 UTC"
std::string TimeText(const ASN1_TIME* time);
std::string FingerprintOf(const X509* certificate);

}  // namespace softhccl::signature
