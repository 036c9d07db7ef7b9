// Channels between ranks that are threads of the test: what is shared and what is new, and every way in which the peer
// can fail to come. No limit in these tests is waited for unless the timeout itself is the subject.
#include "exec/notify.h"
#include "world_fixture.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using engine::Runtime;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::int64_t kShort = 60;  // ms a rank waits where the timeout is the subject

class ChannelsTest : public WorldTest {
 protected:
  // Both ends of one channel between ranks 0 and 1.
  std::array<std::uint64_t, 2> ConnectPair(int engine, int protocol, std::uint32_t notifies) {
    std::array<std::uint64_t, 2> ends{};
    InRanks(2, [&](std::uint32_t self) {
      const auto got = Get(rank(self).AcquireChannels(engine, {{1 - self, protocol, notifies}}));
      if (!got.empty()) ends[self] = got[0];
    });
    return ends;
  }
  static base::Nanos Now() { return Runtime::Get().scheduler().Now(); }
};

TEST_F(ChannelsTest, BothEnds_SeeEachOther) {
  Open(2);
  const auto ends = ConnectPair(kAicpu, 0, 3);
  for (std::uint32_t self = 0; self < 2; ++self) {
    const Channel* channel = Channels().Lookup(ends[self]);
    ASSERT_NE(channel, nullptr);
    EXPECT_EQ(channel->remote_rank, 1 - self);
    EXPECT_EQ(channel->engine, kAicpu);
    EXPECT_EQ(channel->party.rank, self);
    EXPECT_THAT(channel->notifies, SizeIs(3));
    EXPECT_EQ(channel->link->peer_notify(2), Channels().Lookup(ends[1 - self])->notifies[2]->handle);
    const transport::Window window = rank(self).PeerBuffer(ends[self]).value();
    EXPECT_EQ(window.data, rank(1 - self).buffer().data());
    EXPECT_EQ(window.size, 2u * 1024 * 1024);
  }
}

TEST_F(ChannelsTest, SecondAcquire_ReturnsTheSameWithoutThePeer) {
  Open(2);
  const auto ends = ConnectPair(kAicpu, 0, 2);
  EXPECT_THAT(Get(rank(0).AcquireChannels(kAicpu, {{1, 0, 2}})), ElementsAre(ends[0]));
  EXPECT_THAT(Get(rank(0).AcquireChannels(kAicpu, {{1, 0, 0}})), ElementsAre(ends[0]));
  EXPECT_THAT(Get(rank(1).AcquireChannels(kAicpu, {{0, 0, 2}})), ElementsAre(ends[1]));
}

TEST_F(ChannelsTest, EngineAndProtocol_MakeChannelsOfTheirOwn) {
  Open(2);
  std::set<std::uint64_t> all;
  for (const auto& [engine, protocol] : {std::pair{kAicpu, 0}, {kAicpuTs, 0}, {kAicpu, 1}}) {
    for (const std::uint64_t end : ConnectPair(engine, protocol, 0)) all.insert(end);
  }
  EXPECT_EQ(all.size(), 6u);
}

TEST_F(ChannelsTest, RepeatedPeerInOneCall_GetsOneChannelPerOccurrence) {
  Open(2);
  std::array<std::vector<std::uint64_t>, 2> twice;
  InRanks(2, [&](std::uint32_t self) {
    twice[self] = Get(rank(self).AcquireChannels(kAicpu, {{1 - self, 0, 1}, {1 - self, 0, 2}}));
  });
  ASSERT_THAT(twice[0], SizeIs(2));
  EXPECT_NE(twice[0][0], twice[0][1]);
  EXPECT_EQ(Channels().Lookup(twice[0][0])->link->peer_notify_count(), 1u) << "first with first";
  EXPECT_EQ(Channels().Lookup(twice[0][1])->link->peer_notify_count(), 2u);
  EXPECT_EQ(Get(rank(0).AcquireChannels(kAicpu, {{1, 0, 1}, {1, 0, 2}})), twice[0]);
  EXPECT_THAT(Get(rank(0).AcquireChannels(kAicpu, {{1, 0, 1}})), ElementsAre(twice[0][0]));
}

TEST_F(ChannelsTest, LargerNotifyNumForAnExistingChannel_Warns) {
  Open(2);
  const auto ends = ConnectPair(kAicpu, 0, 2);
  EXPECT_THAT(Get(rank(0).AcquireChannels(kAicpu, {{1, 0, 5}})), ElementsAre(ends[0]));
  EXPECT_THAT(log().Take(), ElementsAre("the channel to rank 1 exists already with notifyNum 2; asking for 5 does not "
                                        "change it"));
  EXPECT_THAT(Channels().Lookup(ends[0])->notifies, SizeIs(2));
}

TEST_F(ChannelsTest, AllToAll_InDifferentOrders) {
  constexpr std::uint32_t kSize = 5;
  Open(kSize);
  std::array<std::vector<std::uint64_t>, kSize> ends;
  InRanks(kSize, [&](std::uint32_t self) {
    std::vector<ChannelRequest> requests;
    for (std::uint32_t step = 1; step < kSize; ++step) {
      const std::uint32_t peer = self % 2 == 0 ? (self + step) % kSize : (self + kSize - step) % kSize;
      requests.push_back({peer, 0, 1});
    }
    ends[self] = Get(rank(self).AcquireChannels(kAicpu, requests));
    for (std::size_t i = 0; i < ends[self].size(); ++i) {
      EXPECT_EQ(Channels().Lookup(ends[self][i])->remote_rank, requests[i].remote_rank);
    }
  });
  for (const auto& mine : ends) EXPECT_THAT(mine, SizeIs(kSize - 1));
}

TEST_F(ChannelsTest, MissingPeer_TimesOutNamingThePair) {
  Open(2, kShort);
  const base::Nanos start = Now();
  const auto alone = rank(0).AcquireChannels(kAicpu, {{1, 7, 1}});
  ASSERT_FALSE(alone);
  EXPECT_GE(Now() - start, base::FromMillis(kShort));
  EXPECT_EQ(alone.error().code(), Code::kTimeout);
  EXPECT_EQ(alone.error().message(),
            "EI0006 channel between rank 0 and rank 1: rank 1 has not acquired its end (waited 0.1 s for "
            "\"channel/1->0/engine 2/protocol 7/#0\"); both ranks must call HcclChannelAcquire with the same engine "
            "and protocol");
  EXPECT_EQ(Channels().live(), 0u);
  const auto late = rank(1).AcquireChannels(kAicpu, {{0, 7, 1}});
  EXPECT_EQ(late.error().code(), Code::kTimeout) << "the offer of rank 0 was withdrawn";
}

TEST_F(ChannelsTest, SomePeersMissing_NamesAllAndKeepsTheOthers) {
  Open(4, 400);
  std::uint64_t end_of_two = 0;
  const std::uint32_t before = Runtime::Get().scheduler().notifies().live();
  std::thread two([&] { end_of_two = Get(rank(2).AcquireChannels(kAicpu, {{0, 0, 1}})).at(0); });
  ASSERT_TRUE(WaitUntil([&] { return Runtime::Get().scheduler().notifies().live() == before + 1; })) << "its offer";
  const auto some = rank(0).AcquireChannels(kAicpu, {{1, 0, 1}, {2, 0, 1}, {3, 0, 1}});
  two.join();
  ASSERT_FALSE(some);
  EXPECT_EQ(some.error().code(), Code::kTimeout);
  EXPECT_THAT(some.error().message(),
              AllOf(HasSubstr("channel between rank 0 and rank 1"), HasSubstr("; missing as well: rank 3")));
  EXPECT_EQ(Channels().live(), 2u) << "both ends of the one to rank 2";
  const auto kept = Get(rank(0).AcquireChannels(kAicpu, {{2, 0, 1}}));
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(Channels().Lookup(kept[0])->link->peer_notify(0), Channels().Lookup(end_of_two)->notifies[0]->handle);
}

TEST_F(ChannelsTest, PeerThatLeft_IsRemoteAtOnce) {
  Open(2);
  DestroyRank(1);
  const base::Nanos start = Now();
  const auto refused = rank(0).AcquireChannels(kAicpu, {{1, 0, 1}});
  EXPECT_LT(Now() - start, base::FromSeconds(20)) << "not the limit of 60 s";
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kRemote);
  EXPECT_EQ(refused.error().message(), "rank 1 has destroyed its communicator; no channel can lead there");
}

// What else ends an Acquire that waits for its peer.
class BlockedAcquireTest : public ChannelsTest {
 protected:
  // Runs `end` once rank 0 waits for rank 1 (its offer has made its notify), and returns how the call ended.
  Status AcquireUntil(const std::function<void()>& end) {
    const std::uint32_t before = Runtime::Get().scheduler().notifies().live();
    Status ended;
    std::thread waiter([&] {
      const auto got = rank(0).AcquireChannels(kAicpu, {{1, 0, 1}});
      if (!got) ended = got.error();
    });
    EXPECT_TRUE(WaitUntil([&] { return Runtime::Get().scheduler().notifies().live() == before + 1; }));
    end();
    waiter.join();
    EXPECT_EQ(Runtime::Get().scheduler().notifies().live(), before);
    return ended;
  }
};

TEST_F(BlockedAcquireTest, PeerLeaves_EndsTheCall) {
  Open(2);
  const Status ended = AcquireUntil([&] { DestroyRank(1); });
  EXPECT_EQ(ended.code(), Code::kRemote);
  EXPECT_EQ(ended.message(), "rank 1 has destroyed its communicator; no channel can lead there");
}

TEST_F(BlockedAcquireTest, Abort_EndsTheCall) {
  Open(2);
  const Status ended = AcquireUntil([&] {
    Runtime::Get().scheduler().AbortParty(rank(1).party(), base::Fail(Code::kKernelFailed, "kernel k returned 1"));
  });
  EXPECT_EQ(ended.code(), Code::kRemote);
  EXPECT_THAT(ended.message(), HasSubstr("was aborted because rank 1: kernel k returned 1"));
}

TEST_F(BlockedAcquireTest, Destroy_EndsTheCall) {
  Open(2);
  const Status ended = AcquireUntil([&] { DestroyRank(0); });
  EXPECT_EQ(ended.code(), Code::kRemote);
  EXPECT_EQ(ended.message(), fmt::format("communicator {} was destroyed while it was used", root()));
}

TEST_F(ChannelsTest, PeerBuffer_KnowsItsOwnChannelsOnly) {
  Open(2);
  const auto ends = ConnectPair(kAicpu, 0, 0);
  const auto foreign = rank(0).PeerBuffer(ends[1]);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code(), Code::kInvalidParam);
  EXPECT_EQ(foreign.error().message(),
            fmt::format("channel 0x{:x} belongs to another communicator, not to {}", ends[1], root()));
  EXPECT_EQ(rank(0).PeerBuffer(0).error().message(), "channel 0x0 is null, expected a channel (SH-A001)");
  const std::uint64_t thread = Get(rank(0).AcquireThreads(kAicpu, 1, 0))[0];
  EXPECT_THAT(rank(0).PeerBuffer(thread).error().message(), HasSubstr("is a thread, expected a channel"));
  DestroyRank(0);
  const auto stale = rank(1).PeerBuffer(ends[0]);
  EXPECT_EQ(stale.error().code(), Code::kInvalidHandle);
  EXPECT_THAT(stale.error().message(), HasSubstr("is a channel that was destroyed"));
}

TEST_F(ChannelsTest, PeerDestroyed_BufferStaysReadable) {
  Open(2);
  const auto ends = ConnectPair(kAicpu, 0, 1);
  std::memset(rank(1).buffer().data(), 0x77, 4096);
  const transport::Window window = rank(0).PeerBuffer(ends[0]).value();
  DestroyRank(1);
  EXPECT_TRUE(std::all_of(window.data, window.data + 4096, [](std::byte b) { return b == std::byte{0x77}; }));
  EXPECT_EQ(Channels().live(), 1u);
}

}  // namespace
}  // namespace softhccl::comm
