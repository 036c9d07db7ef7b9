// The readers of the formats; only ParseRankTable calls them.
#pragma once

#include "bootstrap/rank_table.h"
#include "bootstrap/rank_table_fields.h"

namespace softhccl::bootstrap {

inline constexpr std::uint32_t kMaxRanks = 65536;

// Where the ranks of a table stand in the file, for messages about several of them.
struct ReadRanks {
  std::vector<RankEntry> entries;  // in the order of the file
  std::vector<Field> places;       // of their rank_id
};

// 1.0 and 1.2: ranks by server, values are strings.
base::Result<ReadRanks> ReadServerList(const Field& root, bool has_super_pods);
// 2.0: ranks with network levels, values are numbers.
base::Result<ReadRanks> ReadRankList(const Field& root);

}  // namespace softhccl::bootstrap
