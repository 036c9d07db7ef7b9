// The contract of a transport, run against every one in the table: whoever adds a transport gets these tests with it.
// Order is tested through the scheduler, because that is where a transport's verbs run.
#include <string>

#include "../exec/exec_fixture.h"
#include "memory/memory.h"
#include "transport/link.h"
#include "transport/region.h"

namespace softhccl::transport {
namespace {

using base::Code;
using exec::Notify;
using exec::OpContext;
using exec::OpOutcome;
using exec::Stream;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One end of a connection: what the owner of a buffer offers.
struct End {
  std::shared_ptr<Region> region;
  std::vector<Notify*> notifies;
  EndpointOffer Offer() const {
    EndpointOffer offer;
    offer.region_id = region->id();
    for (const Notify* notify : notifies) offer.notifies.push_back(notify->handle);
    return offer;
  }
};

class LinkTest : public exec::ExecTest {
 protected:
  End NewEnd(std::size_t size, int notifies) {
    End end;
    end.region = Region::Create(0, size, "the buffer of a test").value();
    for (int i = 0; i < notifies; ++i) end.notifies.push_back(NewNotify());
    return end;
  }
  exec::Op WriteOp(Link& link, std::size_t offset, const std::vector<std::byte>& from) {
    auto done = std::make_shared<std::uint64_t>(0);
    return Call([&link, offset, &from, done](OpContext& context) {
      return link.Write(context, link.window().data + offset, from.data(), from.size(), nullptr, done.get());
    });
  }
  exec::Op ReadOp(Link& link, std::vector<std::byte>* to, std::size_t offset) {
    auto done = std::make_shared<std::uint64_t>(0);
    return Call([&link, to, offset, done](OpContext& context) {
      return link.Read(context, to->data(), link.window().data + offset, to->size(), nullptr, done.get());
    });
  }
  exec::Op RecordOp(Link& link, std::uint32_t index) {
    return Call([&link, index](OpContext& context) { return link.Record(context, exec::Op(), index); },
                [this, &link, index](const base::Status& cause) { link.RecordFailure(scheduler(), index, cause); });
  }
};

class TransportTest : public LinkTest, public ::testing::WithParamInterface<std::size_t> {
 protected:
  const Transport& transport() const { return *Transports().at(GetParam()); }
  std::unique_ptr<Link> ConnectTo(const End& peer) {
    auto link = transport().Connect(transport().Describe(peer.Offer()));
    EXPECT_TRUE(link) << link.error().message();
    return std::move(link).value();
  }
  // Why the blob is no description; both calls must say the same.
  base::Status WhyNot(const Blob& blob) {
    const base::Status reach = transport().CanReach(blob);
    const auto link = transport().Connect(blob);
    EXPECT_FALSE(link);
    EXPECT_EQ(link ? "connected" : link.error().message(), reach.message());
    EXPECT_THAT(reach.message(), StartsWith(fmt::format("{}: ", transport().name())));
    return reach;
  }
};

TEST_P(TransportTest, Connect_ShowsThePeersWindowAndNotifies) {
  Start(0);
  const End peer = NewEnd(4096, 3);
  EXPECT_TRUE(transport().CanReach(transport().Describe(peer.Offer())).ok());
  const auto link = ConnectTo(peer);
  EXPECT_EQ(link->window().size, 4096u);
  ASSERT_NE(link->window().data, nullptr);
  EXPECT_EQ(link->peer_notify_count(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_THAT(link->peer_notify(i), ::testing::AnyOf(0u, peer.notifies[i]->handle));
  }
  EXPECT_EQ(ConnectTo(NewEnd(64, 0))->peer_notify_count(), 0u);
}

TEST_P(TransportTest, ReadAfterWrite_SeesWhatWasWritten) {
  Start(0);
  const End peer = NewEnd(2'000'000, 0);
  const auto link = ConnectTo(peer);
  for (const std::size_t size : {0u, 1u, 262'144u, 1'000'001u}) {
    std::vector<std::byte> sent(size, static_cast<std::byte>(size % 251 + 1));
    std::vector<std::byte> received(size);
    Stream* stream = NewStream();
    Submit(stream, {WriteOp(*link, 77, sent), ReadOp(*link, &received, 77)});
    RunAll();
    EXPECT_EQ(stream->completed(), 2u);
    EXPECT_EQ(received, sent) << size << " bytes";
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), peer.region->data() + 77)) << "in the peer's own memory";
  }
}

TEST_P(TransportTest, WriteThenRecord_DataIsThereWhenTheNotifyIsTaken) {
  Start(2, 2);
  constexpr std::size_t kSize = 600'001;  // several quanta
  constexpr int kRounds = 40;
  const End peer = NewEnd(kSize, 1);
  const auto link = ConnectTo(peer);
  Notify* taken = NewNotify();
  Stream* sender = NewStream();
  Stream* receiver = NewStream();
  std::vector<std::byte> payload(kSize);
  std::atomic<int> wrong{0};
  for (int round = 1; round <= kRounds; ++round) {
    const auto value = static_cast<std::byte>(round);
    Submit(sender, {Do([&payload, value] { std::fill(payload.begin(), payload.end(), value); }),
                    WriteOp(*link, 0, payload), RecordOp(*link, 0), exec::WaitFor(taken)});
    Submit(receiver, {exec::WaitFor(peer.notifies[0]), Do([&peer, &wrong, value] {
                        const std::byte* bytes = peer.region->data();
                        wrong += std::all_of(bytes, bytes + kSize, [value](std::byte b) { return b == value; }) ? 0 : 1;
                      }),
                      exec::RecordOf(taken)});
  }
  Drain(sender);
  Drain(receiver);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(receiver->completed(), 3u * kRounds);
}

TEST_P(TransportTest, Record_SetsTheNotifyOfItsIndexOnly) {
  Start(0);
  const End peer = NewEnd(64, 3);
  const auto link = ConnectTo(peer);
  Submit(NewStream(), {RecordOp(*link, 1)});
  RunAll();
  EXPECT_FALSE(peer.notifies[0]->IsSet());
  EXPECT_TRUE(peer.notifies[1]->IsSet());
  EXPECT_FALSE(peer.notifies[2]->IsSet());
}

TEST_P(TransportTest, SkippedRecord_FailsTheWaitOfThePeer) {
  Start(0);
  const End peer = NewEnd(64, 1);
  const auto link = ConnectTo(peer);
  Stream* waiter = NewStream({}, "the waiter");
  Submit(waiter, {exec::WaitFor(peer.notifies[0])});
  RunAll();
  EXPECT_EQ(waiter->completed(), 0u);
  Submit(NewStream({}, "the sender"), {FailWith(Code::kKernelFailed, "the first op broke"), RecordOp(*link, 0)});
  RunAll();
  EXPECT_EQ(waiter->completed(), 1u) << "it must fail, not hang";
  EXPECT_THAT(waiter->TakeError().message(), HasSubstr("the first op broke"));
  EXPECT_THAT(TakeLog(), ::testing::Contains(HasSubstr("the first op broke")));
}

TEST_P(TransportTest, Record_AfterThePeerDestroyedItsNotify_Fails) {
  Start(0);
  const End peer = NewEnd(64, 1);
  const auto link = ConnectTo(peer);
  scheduler().DestroyNotify(peer.notifies[0]);
  Stream* stream = NewStream();
  Submit(stream, {RecordOp(*link, 0)});
  RunAll();
  const base::Status error = stream->TakeError();
  EXPECT_EQ(error.code(), Code::kRemote);
  EXPECT_THAT(error.message(), HasSubstr("the peer destroyed its end of the channel: notify 0 is gone"));
  EXPECT_THAT(TakeLog(), ElementsAre(HasSubstr("notify 0 is gone")));
  link->RecordFailure(scheduler(), 0, error);  // nobody is left to be told
}

TEST_P(TransportTest, Link_KeepsThePeersRegionAlive) {
  Start(0);
  const auto before = memory::Memory::Process().UsageOf(memory::Space::kDevice, 0).count;
  End peer = NewEnd(4096, 0);
  std::memset(peer.region->data(), 0x42, 4096);
  const std::uint64_t id = peer.region->id();
  auto link = ConnectTo(peer);
  peer.region.reset();
  std::vector<std::byte> received(4096);
  Submit(NewStream(), {ReadOp(*link, &received, 0)});
  RunAll();
  EXPECT_EQ(received, std::vector<std::byte>(4096, std::byte{0x42}));
  link.reset();
  EXPECT_EQ(Region::Find(id), nullptr);
  EXPECT_EQ(memory::Memory::Process().UsageOf(memory::Space::kDevice, 0).count, before);
}

TEST_P(TransportTest, Connect_ToADestroyedRegion_IsRemote) {
  Start(0);
  End peer = NewEnd(64, 1);
  const Blob blob = transport().Describe(peer.Offer());
  peer.region.reset();
  const auto link = transport().Connect(blob);
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code(), Code::kRemote);
  EXPECT_THAT(link.error().message(), HasSubstr("the peer has destroyed its communicator"));
}

TEST_P(TransportTest, CutOrGrownBlobs_AreRefused) {
  Start(0);
  const Blob good = transport().Describe(NewEnd(64, 2).Offer());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(WhyNot(good.substr(0, size)).code(), Code::kInternal) << size << " bytes";
  }
  EXPECT_EQ(WhyNot(good + '\0').code(), Code::kInternal);
  EXPECT_EQ(WhyNot(good + std::string(8, '\0')).code(), Code::kInternal);
}

INSTANTIATE_TEST_SUITE_P(All, TransportTest, ::testing::Range(std::size_t{0}, Transports().size()),
                         [](const auto& instance) { return std::string(Transports()[instance.param]->name()); });

// What only shared memory has: the fields of its blob are {arena, region, notify count, notifies...}.
class ShmBlobTest : public LinkTest {
 protected:
  ShmBlobTest() {
    Start(0);
    for (const auto& transport : Transports()) {
      if (std::string_view(transport->name()) == "shm") shm_ = transport.get();
    }
    blob_ = shm_->Describe(NewEnd(64, 2).Offer());
  }
  void Patch(std::size_t field, std::uint64_t value) { std::memcpy(blob_.data() + field * 8, &value, sizeof value); }

  const Transport* shm_ = nullptr;
  Blob blob_;
};

TEST_F(ShmBlobTest, WrongNotifyCounts_AreToldWithBothNumbers) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 61,
                                    (std::uint64_t{1} << 61) + 2, UINT64_MAX}) {
    Patch(2, count);
    const base::Status reach = shm_->CanReach(blob_);
    EXPECT_EQ(reach.code(), Code::kInternal);
    EXPECT_EQ(reach.message(),
              fmt::format("shm: the peer's description has 40 bytes, not those of {} notifies", count));
  }
  EXPECT_EQ(shm_->CanReach(blob_.substr(0, 23)).message(), "shm: the peer's description is too short");
}

TEST_F(ShmBlobTest, OtherProcess_IsNotReached) {
  Patch(0, memory::DataArena().id() ^ 1);
  const base::Status reach = shm_->CanReach(blob_);
  EXPECT_EQ(reach.code(), Code::kNotSupported);
  EXPECT_EQ(reach.message(), "shm: the peer is in another process");
}

class ConnectByFirstTest : public LinkTest {};

TEST_F(ConnectByFirstTest, DescribedForAll_Connects) {
  Start(0);
  const End peer = NewEnd(256, 2);
  const auto link = ConnectByFirst(DescribeForAll(peer.Offer()));
  ASSERT_TRUE(link) << link.error().message();
  EXPECT_EQ((*link)->window().size, 256u);
}

TEST_F(ConnectByFirstTest, CutDescription_IsRefused) {
  Start(0);
  const Blob all = DescribeForAll(NewEnd(256, 2).Offer());
  for (std::size_t size = 0; size < all.size(); ++size) {
    const auto link = ConnectByFirst(all.substr(0, size));
    ASSERT_FALSE(link) << size << " bytes";
    EXPECT_THAT(link.error().message(), HasSubstr("the peer's description is cut short"));
  }
  Blob huge = all;
  const std::uint64_t length = UINT64_MAX;
  std::memcpy(huge.data(), &length, sizeof length);
  EXPECT_FALSE(ConnectByFirst(huge));
}

TEST_F(ConnectByFirstTest, NobodyReaches_ListsEveryReason) {
  Start(0);
  Blob all;
  for (std::size_t i = 0; i < Transports().size(); ++i) all += std::string(8, '\0');  // an empty blob for each
  const auto link = ConnectByFirst(all);
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code(), Code::kNotSupported);
  EXPECT_THAT(link.error().message(), StartsWith("no transport reaches the peer ("));
  for (const auto& transport : Transports()) EXPECT_THAT(link.error().message(), HasSubstr(transport->name()));
}

}  // namespace
}  // namespace softhccl::transport
