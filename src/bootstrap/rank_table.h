// Rank tables: the file that says which ranks there are and where they live, in the three formats the products read
// (1.0 by servers, 1.2 with super pods, 2.0 with network levels). Everything is checked while it is read, and a message
// names file, line and field, because the table is written by people and scripts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace softhccl::bootstrap {

struct RankAddress {
  std::string type;  // EID, IPV4 or IPV6
  std::string address;
  std::vector<std::string> ports;  // "die/port"
  std::string plane;
};

// One network level of a rank, from 2.0 tables.
struct RankLevel {
  std::uint32_t layer = 0;
  std::string instance;  // ranks with the same text are in one instance of the layer
  std::string type;      // TOPO_FILE_DESC or CLOS
  std::string attribute;
  std::vector<RankAddress> addresses;
};

struct RankEntry {
  std::uint32_t rank = 0;
  std::uint32_t device = 0;       // physical id on its server
  std::string server;             // server_id; in 2.0 tables the instance of layer 0
  std::string super_pod;          // 1.2 tables
  std::string super_device;       // 1.2 tables
  std::string device_ip;          // may be empty
  std::vector<RankLevel> levels;  // 2.0 tables
};

// Immutable after parsing.
struct RankTable {
  std::string file;
  std::string version;
  std::vector<RankEntry> ranks;   // by rank
  std::uint64_t fingerprint = 0;  // equal for tables that say the same

  std::size_t server_count() const;
  // "server 10.0.0.1, device 3"
  std::string PlaceOf(std::uint32_t rank) const;
  std::vector<std::string> Places() const;
};

// Checks and reads a table; `file` is only for messages. Errors: kInternal (EI0004) for what is no JSON, kInvalidParam
// (EI0014 a value, EI0017 a missing field or wrong type).
base::Result<RankTable> ParseRankTable(std::string_view text, const std::string& file);

// Reads the file and parses it. Errors: kInternal (EI0004) also for a file that cannot be read.
base::Result<RankTable> LoadRankTable(const std::string& path);

}  // namespace softhccl::bootstrap
