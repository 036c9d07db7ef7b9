// HcommLocalCopyOnThread, HcommReadOnThread, HcommChannelNotify{Record,Wait}OnThread and
// HcommAclrtNotify{Record,Wait}OnThread: what they do, called from kernels through libccl_kernel.so and from host
// threads through libhcomm.so. What a failing call does to its communicator is in hcomm_abort_test.cc.
#include <cstring>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

class HcommLocalCopyOnThreadTest : public ApiTest {};

TEST_F(HcommLocalCopyOnThreadTest, FromAKernel_CopiesInOrder) {
  RunRanks(1, [](Rank& rank) {
    const DeviceInts a({1, 2, 3});
    const DeviceInts b({0, 0, 0});
    const DeviceInts c({0, 0, 0});
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, b.data(), a.data(), a.bytes()), 0);
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, c.data(), b.data(), b.bytes()), 0);
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, c.data(), a.data(), 0), 0) << "nothing to copy";
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, a.data(), a.data(), a.bytes()), 0) << "the same place";
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(c.Read(), ::testing::ElementsAre(1, 2, 3));
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

class HcommReadOnThreadTest : public ApiTest {};

TEST_F(HcommReadOnThreadTest, NotifiesBothWays_MoveThePeersBufferIntoUserMemory) {
  RunRanks(2, [](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    void* own = nullptr;
    void* window = nullptr;
    uint64_t size = 0;
    EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &own, &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &window, &size), HCCL_SUCCESS);
    const DeviceInts in({static_cast<int>(rank.id) + 10, 5});
    const DeviceInts out({0, 0});
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    // Both ranks send and receive: index 0 says "data is there", index 1 "it was read", in both directions at once.
    const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
      EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, own, in.data(), in.bytes()), 0);
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 0), 0);
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 0, 30), 0);
      EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, out.data(), window, out.bytes()), 0);
      EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, out.data(), window, 0), 0);
      EXPECT_EQ(hcomm.ChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
      EXPECT_EQ(hcomm.ChannelNotifyWaitOnThread(rank.thread, channel, 1, 30), 0);
      EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
      return 0u;
    });
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_THAT(out.Read(), ::testing::ElementsAre(static_cast<int>(rank.peer()) + 10, 5));
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

class HcommChannelNotifyOnThreadTest : public ApiTest {};

TEST_F(HcommChannelNotifyOnThreadTest, FromHostThreads_WaitQueuedBeforeTheRecordIsReleased) {
  std::atomic<bool> waiting{false};
  RunRanks(2, [&](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    aclrtNotify done = nullptr;
    uint32_t id = 0;
    EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
    if (rank.id == 0) {
      EXPECT_EQ(HcommChannelNotifyWaitOnThread(rank.thread, channel, 1, 0), 0);
      waiting.store(true);
    } else {
      WaitUntil([&] { return waiting.load(); }, "rank 0 has queued its wait");
      EXPECT_EQ(HcommChannelNotifyRecordOnThread(rank.thread, channel, 1), 0);
    }
    EXPECT_EQ(HcommAclrtNotifyRecordOnThread(rank.thread, id), 0);
    EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  });
}

class HcommAclrtNotifyOnThreadTest : public ApiTest {};

TEST_F(HcommAclrtNotifyOnThreadTest, HandshakeOfTheArticle_OrdersHostStreamKernelAndThread) {
  RunRanks(1, [](Rank& rank) {
    aclrtNotify notifies[2] = {};
    uint32_t ids[2] = {};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(aclrtCreateNotify(&notifies[i], ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtGetNotifyId(notifies[i], &ids[i]), ACL_SUCCESS);
    }
    const DeviceInts data({1});
    const DeviceInts out({0});
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(aclrtRecordNotify(notifies[0], rank.stream), ACL_SUCCESS);
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.AclrtNotifyWaitOnThread(rank.thread, ids[0], 30), 0);
        EXPECT_EQ(hcomm.LocalCopyOnThread(rank.thread, out.data(), data.data(), 4), 0);
        EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, ids[1]), 0);
        return 0u;
      });
      EXPECT_EQ(aclrtWaitAndResetNotify(notifies[1], rank.stream, 30), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    }
    EXPECT_THAT(out.Read(), ::testing::ElementsAre(1));
    for (aclrtNotify notify : notifies) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  });
}

// --- Bad arguments: every row is a call that must be refused, on a communicator of its own, because it aborts it.

struct BadCall {
  const char* name;
  const char* function;
  HcclResult code;
  const char* part;
  int32_t (*call)(const Hcomm& hcomm, Rank& rank, ChannelHandle channel, int* ints, char* window);
};

void PrintTo(const BadCall& bad, std::ostream* out) { *out << bad.name; }

#define CALL(expression)                                                                                     \
  [](const Hcomm& hcomm, Rank& rank, ChannelHandle channel, int* ints, char* window) -> int32_t {            \
    static_cast<void>(rank), static_cast<void>(channel), static_cast<void>(ints), static_cast<void>(window); \
    return hcomm.expression;                                                                                 \
  }

const BadCall kBadCalls[] = {
    // Nulls come before the thread, the thread before what is queued on it.
    {"CopyDstNull", "HcommLocalCopyOnThread", HCCL_E_PTR, "dst is null",
     CALL(LocalCopyOnThread(0, nullptr, nullptr, 4))},
    {"CopySrcNull", "HcommLocalCopyOnThread", HCCL_E_PTR, "src is null", CALL(LocalCopyOnThread(0, ints, nullptr, 4))},
    {"CopyThreadZero", "HcommLocalCopyOnThread", HCCL_E_PTR, "thread is 0; acquire it with HcclThreadAcquire",
     CALL(LocalCopyOnThread(0, ints, ints + 1, 4))},
    {"CopyThreadForeign", "HcommLocalCopyOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     CALL(LocalCopyOnThread(channel, ints, ints + 1, 4))},
    {"CopyThreadUninitialised", "HcommLocalCopyOnThread", HCCL_E_PARA, "is not a thread of this process",
     CALL(LocalCopyOnThread(0xABABABABABABABAB, ints, ints + 1, 4))},
    {"CopyDstTooLong", "HcommLocalCopyOnThread", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     CALL(LocalCopyOnThread(rank.thread, ints, window, 12))},
    {"CopySrcTooLong", "HcommLocalCopyOnThread", HCCL_E_PARA, "src: 12 bytes at offset 0 do not fit",
     CALL(LocalCopyOnThread(rank.thread, window, ints, 12))},
    {"CopyLenOverflows", "HcommLocalCopyOnThread", HCCL_E_PARA, "past the end of the address space",
     CALL(LocalCopyOnThread(rank.thread, ints, ints, UINT64_MAX))},
    {"ReadDstNull", "HcommReadOnThread", HCCL_E_PTR, "dst is null", CALL(ReadOnThread(0, 0, nullptr, nullptr, 4))},
    {"ReadSrcNull", "HcommReadOnThread", HCCL_E_PTR, "src is null", CALL(ReadOnThread(0, 0, ints, nullptr, 4))},
    {"ReadChannelZero", "HcommReadOnThread", HCCL_E_PTR, "channel is 0; acquire it with HcclChannelAcquire",
     CALL(ReadOnThread(0, 0, ints, window, 4))},
    {"ReadThreadZero", "HcommReadOnThread", HCCL_E_PTR, "thread is 0", CALL(ReadOnThread(0, channel, ints, window, 4))},
    {"ReadChannelForeign", "HcommReadOnThread", HCCL_E_PARA, "is a thread, expected a channel",
     CALL(ReadOnThread(rank.thread, rank.thread, ints, window, 4))},
    {"ReadDstTooLong", "HcommReadOnThread", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     CALL(ReadOnThread(rank.thread, channel, ints, window, 12))},
    {"ReadSrcOutsideTheWindow", "HcommReadOnThread", HCCL_E_PARA, "with 4 bytes is outside the HcclBuffer of rank 1",
     CALL(ReadOnThread(rank.thread, channel, ints, ints + 1, 4))},
    {"ReadSrcBeyondTheWindow", "HcommReadOnThread", HCCL_E_PARA, "(419430400 bytes at",
     CALL(ReadOnThread(rank.thread, channel, ints, window + 419430397, 4))},
    {"RecordChannelZero", "HcommChannelNotifyRecordOnThread", HCCL_E_PTR, "channel is 0",
     CALL(ChannelNotifyRecordOnThread(0, 0, 9))},
    {"RecordThreadZero", "HcommChannelNotifyRecordOnThread", HCCL_E_PTR, "thread is 0",
     CALL(ChannelNotifyRecordOnThread(0, channel, 0))},
    {"RecordIndexTooLarge", "HcommChannelNotifyRecordOnThread", HCCL_E_PARA,
     "remoteNotifyIdx 2 is out of range: the channel to rank 1 was acquired with notifyNum 2",
     CALL(ChannelNotifyRecordOnThread(rank.thread, channel, 2))},
    {"WaitChannelZero", "HcommChannelNotifyWaitOnThread", HCCL_E_PTR, "channel is 0",
     CALL(ChannelNotifyWaitOnThread(0, 0, 9, 1))},
    {"WaitThreadZero", "HcommChannelNotifyWaitOnThread", HCCL_E_PTR, "thread is 0",
     CALL(ChannelNotifyWaitOnThread(0, channel, 0, 1))},
    {"WaitIndexTooLarge", "HcommChannelNotifyWaitOnThread", HCCL_E_PARA,
     "localNotifyIdx 4294967295 is out of range: the channel to rank 1 was acquired with notifyNum 2",
     CALL(ChannelNotifyWaitOnThread(rank.thread, channel, UINT32_MAX, 1))},
    {"AclRecordThreadZero", "HcommAclrtNotifyRecordOnThread", HCCL_E_PTR, "thread is 0",
     CALL(AclrtNotifyRecordOnThread(0, 0))},
    {"AclRecordUnknownId", "HcommAclrtNotifyRecordOnThread", HCCL_E_PTR,
     "notifyId 60000: device 0 has no such notify; use the id that aclrtGetNotifyId gives",
     CALL(AclrtNotifyRecordOnThread(rank.thread, 60000))},
    {"AclWaitThreadForeign", "HcommAclrtNotifyWaitOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     CALL(AclrtNotifyWaitOnThread(channel, 0, 1))},
    {"AclWaitUnknownId", "HcommAclrtNotifyWaitOnThread", HCCL_E_PTR, "notifyId 18446744073709551615: device 0",
     CALL(AclrtNotifyWaitOnThread(rank.thread, UINT64_MAX, 1))},
};

class HcommBadCallTest : public ApiTest, public ::testing::WithParamInterface<BadCall> {};

// The kernel swallows the answer and returns 0; the synchronise must fail all the same.
TEST_P(HcommBadCallTest, FromAKernel_IsRefusedByNameAndFailsTheLaunch) {
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
      const int32_t result = bad.call(hcomm, rank, channel, ints.data(), static_cast<char*>(window));
      ExpectFailure(bad.code, result, bad.function, {bad.part});
      return 0u;
    });
    const aclError result = aclrtSynchronizeStream(rank.stream);
    EXPECT_NE(result, ACL_SUCCESS);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_THAT(text, ::testing::HasSubstr(bad.part));
    EXPECT_THAT(text, ::testing::HasSubstr("while running CallBack#"));
  });
}

INSTANTIATE_TEST_SUITE_P(All, HcommBadCallTest, ::testing::ValuesIn(kBadCalls),
                         [](const auto& one) { return one.param.name; });

class HcommForeignPairTest : public ApiTest {};

TEST_F(HcommForeignPairTest, ChannelAndThreadOfDifferentCommunicators_IsRefused) {
  RunRanks(2, [this](Rank& rank) {
    const ChannelHandle channel = rank.Channel(rank.peer());
    if (rank.id != 0) return;
    HcclRootInfo root;
    HcclComm other = nullptr;
    ThreadHandle thread = 0;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &other), HCCL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(other, COMM_ENGINE_AICPU, 1, 0, &thread), HCCL_SUCCESS);
    EXPECT_FAILS(HCCL_E_PARA, HcommChannelNotifyRecordOnThread, (thread, channel, 0),
                 "channel belongs to rank 0 of communicator " + rank.name, "use both of one communicator");
    EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
    HcclResult error = HCCL_E_INTERNAL;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_SUCCESS) << "the channel's communicator is unharmed";
  });
}

}  // namespace
}  // namespace softhccl::conformance
