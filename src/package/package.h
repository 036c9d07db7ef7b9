// A kernel package that has passed every check: the one way from a file to the bytes of a kernel library.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "package/sha256.h"
#include "package/signature.h"

namespace softhccl::package {

// What a package must satisfy besides being harmless.
struct Policy {
  std::string product = {};   // SOFTHCCL_FAITHFUL: only what is listed, as this product; empty: anything
  unsigned modes = 0;         // bits of KindBit: who must have signed it; 0: nobody
  unsigned device = 0;        // that asks, for messages
  TrustFolders anchors = {};  // whom to trust
};

// An opened package. Immutable; any thread.
class Package {
 public:
  // Reads and checks all of it; `wanted` is the base name of the file that will be used. The signature is verified
  // before anything is unpacked. Errors: kFileError, one sentence that names the package and the first defect.
  static base::Result<Package> Open(const std::string& path, std::string_view wanted, const Policy& policy);

  const std::string& path() const { return path_; }
  // The digests of its files by base name.
  const std::map<std::string, Digest>& files() const { return files_; }
  bool has_digests() const { return has_digests_; }  // it carries bin_hash.cfg, which was found right
  bool is_signed() const { return is_signed_; }      // it carries a signature, verified or not
  // Who signed it, when the policy asked for it.
  const std::optional<Signer>& signer() const { return signer_; }
  // The bytes of the wanted file, or nothing when the package does not hold it.
  const std::optional<std::string>& wanted() const { return wanted_; }
  std::optional<std::string> TakeWanted() && { return std::move(wanted_); }

 private:
  std::string path_;
  std::map<std::string, Digest> files_;
  std::optional<std::string> wanted_;
  std::optional<Signer> signer_;
  bool has_digests_ = false;
  bool is_signed_ = false;
};

}  // namespace softhccl::package
