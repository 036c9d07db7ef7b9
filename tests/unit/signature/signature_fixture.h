// Keys, certificates and revocation lists made on the spot, of every kind that a signature can meet.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <string>
#include <utility>

#include "signature/openssl.h"

namespace softhccl::signature {

constexpr long kDay = 24 * 60 * 60;

struct Identity {
  Key key;
  Certificate certificate;
};

struct IdentityOptions {
  long begins = -kDay;  // seconds from now
  long ends = 365 * kDay;
  int bits = 2048;  // 0: an elliptic curve
  bool is_authority = false;
  const char* usage = nullptr;     // keyUsage, as in openssl's configuration
  const char* extended = nullptr;  // extendedKeyUsage
  const EVP_MD* digest = EVP_sha256();
};

inline long NextSerial() {
  static long serial = 0;
  return ++serial;
}

inline void AddExtension(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// `issuer` null: self-signed.
inline Identity MakeIdentity(const std::string& name, const Identity* issuer, const IdentityOptions& options = {}) {
  Identity made;
  made.key.reset(options.bits > 0 ? EVP_RSA_gen(static_cast<unsigned>(options.bits)) : EVP_EC_gen("P-256"));
  made.certificate.reset(X509_new());
  X509* const certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), NextSerial());
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.begins);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.ends);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME* const subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                             0);
  X509* const by = issuer == nullptr ? certificate : issuer->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(by));
  if (options.is_authority) AddExtension(certificate, by, NID_basic_constraints, "critical,CA:TRUE");
  if (options.usage != nullptr) AddExtension(certificate, by, NID_key_usage, options.usage);
  if (options.extended != nullptr) AddExtension(certificate, by, NID_ext_key_usage, options.extended);
  X509_sign(certificate, issuer == nullptr ? made.key.get() : issuer->key.get(), options.digest);
  return made;
}

// A list of `issuer` that revokes `revoked`, if any.
inline RevocationList MakeRevocations(const Identity& issuer, const X509* revoked, long begins = -kDay,
                                      long ends = 30 * kDay) {
  RevocationList list(X509_CRL_new());
  X509_CRL_set_version(list.get(), 1);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(issuer.certificate.get()));
  ASN1_TIME* const time = X509_gmtime_adj(nullptr, begins);
  X509_CRL_set1_lastUpdate(list.get(), time);
  X509_gmtime_adj(time, ends);
  X509_CRL_set1_nextUpdate(list.get(), time);
  if (revoked != nullptr) {
    X509_REVOKED* const entry = X509_REVOKED_new();
    X509_REVOKED_set_serialNumber(entry, const_cast<ASN1_INTEGER*>(X509_get0_serialNumber(revoked)));
    X509_gmtime_adj(time, begins);
    X509_REVOKED_set_revocationDate(entry, time);
    X509_CRL_add0_revoked(list.get(), entry);
  }
  ASN1_TIME_free(time);
  X509_CRL_sort(list.get());
  X509_CRL_sign(list.get(), issuer.key.get(), EVP_sha256());
  return list;
}

template <typename Write>
std::string Text(Write write) {
  const Bio stream(BIO_new(BIO_s_mem()));
  EXPECT_EQ(write(stream.get()), 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(stream.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}
inline std::string Pem(const Key& key) {
  return Text(
      [&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}
inline std::string Pem(const Certificate& certificate) {
  return Text([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); });
}
inline std::string Der(const Certificate& certificate) {
  return Text([&](BIO* out) { return i2d_X509_bio(out, certificate.get()); });
}
inline std::string Pem(const RevocationList& list) {
  return Text([&](BIO* out) { return PEM_write_bio_X509_CRL(out, list.get()); });
}

}  // namespace softhccl::signature
