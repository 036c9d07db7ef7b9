// Calls of the data plane that must be refused, one row each. Every row runs on a communicator of its own, because a
// failing call aborts it, in a kernel that swallows the answer: the synchronise must fail all the same.
#pragma once

#include "fixture.h"

namespace softhccl::conformance {

// What a row may use: rank 0 of two, its channel to rank 1 with 2 notifies, device memory with two ints in it, and the
// peer's HcclBuffer.
struct BadCallScene {
  Rank& rank;
  ChannelHandle channel;
  int* ints;
  char* window;
};

struct BadCall {
  const char* name;
  const char* function;
  HcclResult code;
  const char* part;
  int32_t (*call)(const Hcomm& hcomm, const BadCallScene& scene);
};

inline void PrintTo(const BadCall& bad, std::ostream* out) { *out << bad.name; }

// The expression sees `rank`, `channel`, `ints` and `window`.
#define BAD_CALL(expression)                                                                                 \
  [](const Hcomm& hcomm, const BadCallScene& scene) -> int32_t {                                             \
    const auto& [rank, channel, ints, window] = scene;                                                       \
    static_cast<void>(rank), static_cast<void>(channel), static_cast<void>(ints), static_cast<void>(window); \
    return hcomm.expression;                                                                                 \
  }

class BadCallTest : public ApiTest, public ::testing::WithParamInterface<BadCall> {
 protected:
  void ExpectRefused() {
    const BadCall& bad = GetParam();
    ExpectLog({"kernel launch", "failed:", bad.part});
    AllowLog({bad.part});
    RunRanks(2, [&](Rank& rank) {
      const ChannelHandle channel = rank.Channel(rank.peer());
      rank.Meet();
      if (rank.id != 0) return;
      void* window = nullptr;
      uint64_t size = 0;
      EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &window, &size), HCCL_SUCCESS);
      const DeviceInts ints({1, 2});
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        const int32_t result = bad.call(hcomm, {rank, channel, ints.data(), static_cast<char*>(window)});
        ExpectFailure(bad.code, result, bad.function, {bad.part});
        return 0u;
      });
      EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
      const std::string text = aclGetRecentErrMsg();
      EXPECT_THAT(text, ::testing::HasSubstr(bad.part));
      EXPECT_THAT(text, ::testing::HasSubstr("while running CallBack#"));
    });
  }
};

}  // namespace softhccl::conformance
