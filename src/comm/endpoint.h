// An endpoint: where channels without a communicator begin, and what memory is registered with for them. Whoever wants
// to reach it names it by its identity.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "comm/memories.h"
#include "transport/region.h"

namespace softhccl::comm {

// Where every endpoint expects others, when nothing else is said.
inline constexpr std::uint32_t kListenPort = 60'000;

// Any thread.
class Endpoint {
 public:
  // `identity`: protocol and address, as bytes that are equal for equal endpoints.
  Endpoint(int device, std::string identity);

  int device() const { return device_; }
  const std::string& identity() const { return identity_; }
  MemoryRegistry& memories() { return memories_; }
  // What it offers where a rank of a communicator offers its buffer: nothing.
  const transport::Region& no_buffer() const { return *no_buffer_; }

  // Bytes that describe registered memory to another endpoint; they live as long as the registration. Errors: as
  // MemoryRegistry::Find.
  base::Result<const std::string*> Export(std::uint64_t memory);

  struct Imported {
    std::shared_ptr<transport::Region> region;
    std::string exporter;   // identity
    bool is_first = false;  // it was not imported yet
  };
  // Errors: kInvalidParam when the bytes are no description, kNotSupported when they come from another process,
  // kNotFound when the registration was ended.
  base::Result<Imported> Import(const std::string& description);
  // Errors: kNotFound. `is_last` tells whether it is imported no more.
  struct Unimported {
    std::shared_ptr<transport::Region> region;
    std::string exporter;
    bool is_last = false;
  };
  base::Result<Unimported> Unimport(const std::string& description);
  // What was imported from the endpoint with that identity.
  std::vector<std::shared_ptr<transport::Region>> ImportedFrom(const std::string& exporter) const;

 private:
  struct Import_ {
    std::shared_ptr<transport::Region> region;
    std::string exporter;
    std::uint32_t count = 0;
  };

  const int device_;
  const std::string identity_;
  const std::shared_ptr<transport::Region> no_buffer_;
  MemoryRegistry memories_;
  mutable std::mutex mutex_;
  std::map<std::string, Import_> imports_;  // guarded by mutex_, by description
};

// All endpoints of the process. Any thread.
class Endpoints {
 public:
  static Endpoints& Get();
  base::Result<std::uint64_t> Create(int device, std::string identity);
  base::Result<std::shared_ptr<Endpoint>> Find(std::uint64_t handle) const;
  // Errors: kInvalidHandle, kAgain while it has channels.
  base::Status Destroy(std::uint64_t handle);

 private:
  using Slab = base::Slab<std::shared_ptr<Endpoint>, base::HandleKind::kEndpoint>;
  mutable std::mutex mutex_;
  Slab slots_;  // the pointers are read and written under mutex_
};

}  // namespace softhccl::comm
