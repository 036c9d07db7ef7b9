// What copies, reads and notifies of channels and of the runtime refuse, and which complaint wins.
#include "bad_call.h"

namespace softhccl::conformance {
namespace {

const BadCall kBadCalls[] = {
    // Nulls come before the thread, the thread before what is queued on it.
    {"CopyDstNull", "HcommLocalCopyOnThread", HCCL_E_PTR, "dst is null",
     BAD_CALL(LocalCopyOnThread(0, nullptr, nullptr, 4))},
    {"CopySrcNull", "HcommLocalCopyOnThread", HCCL_E_PTR, "src is null",
     BAD_CALL(LocalCopyOnThread(0, ints, nullptr, 4))},
    {"CopyThreadZero", "HcommLocalCopyOnThread", HCCL_E_PTR, "thread is 0; acquire it with HcclThreadAcquire",
     BAD_CALL(LocalCopyOnThread(0, ints, ints + 1, 4))},
    {"CopyThreadForeign", "HcommLocalCopyOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     BAD_CALL(LocalCopyOnThread(channel, ints, ints + 1, 4))},
    {"CopyThreadUninitialised", "HcommLocalCopyOnThread", HCCL_E_PARA, "is not a thread of this process",
     BAD_CALL(LocalCopyOnThread(0xABABABABABABABAB, ints, ints + 1, 4))},
    {"CopyDstTooLong", "HcommLocalCopyOnThread", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     BAD_CALL(LocalCopyOnThread(rank.thread, ints, window, 12))},
    {"CopySrcTooLong", "HcommLocalCopyOnThread", HCCL_E_PARA, "src: 12 bytes at offset 0 do not fit",
     BAD_CALL(LocalCopyOnThread(rank.thread, window, ints, 12))},
    {"CopyLenOverflows", "HcommLocalCopyOnThread", HCCL_E_PARA, "past the end of the address space",
     BAD_CALL(LocalCopyOnThread(rank.thread, ints, ints, UINT64_MAX))},
    {"ReadDstNull", "HcommReadOnThread", HCCL_E_PTR, "dst is null", BAD_CALL(ReadOnThread(0, 0, nullptr, nullptr, 4))},
    {"ReadSrcNull", "HcommReadOnThread", HCCL_E_PTR, "src is null", BAD_CALL(ReadOnThread(0, 0, ints, nullptr, 4))},
    {"ReadChannelZero", "HcommReadOnThread", HCCL_E_PTR, "channel is 0; acquire it with HcclChannelAcquire",
     BAD_CALL(ReadOnThread(0, 0, ints, window, 4))},
    {"ReadThreadZero", "HcommReadOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(ReadOnThread(0, channel, ints, window, 4))},
    {"ReadChannelForeign", "HcommReadOnThread", HCCL_E_PARA, "is a thread, expected a channel",
     BAD_CALL(ReadOnThread(rank.thread, rank.thread, ints, window, 4))},
    {"ReadDstTooLong", "HcommReadOnThread", HCCL_E_PARA, "dst: 12 bytes at offset 0 do not fit",
     BAD_CALL(ReadOnThread(rank.thread, channel, ints, window, 12))},
    {"ReadSrcOutsideTheWindow", "HcommReadOnThread", HCCL_E_PARA, "with 4 bytes is outside the HcclBuffer of rank 1",
     BAD_CALL(ReadOnThread(rank.thread, channel, ints, ints + 1, 4))},
    {"ReadSrcBeyondTheWindow", "HcommReadOnThread", HCCL_E_PARA, "(419430400 bytes at",
     BAD_CALL(ReadOnThread(rank.thread, channel, ints, window + 419430397, 4))},
    {"RecordChannelZero", "HcommChannelNotifyRecordOnThread", HCCL_E_PTR, "channel is 0",
     BAD_CALL(ChannelNotifyRecordOnThread(0, 0, 9))},
    {"RecordThreadZero", "HcommChannelNotifyRecordOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(ChannelNotifyRecordOnThread(0, channel, 0))},
    {"RecordIndexTooLarge", "HcommChannelNotifyRecordOnThread", HCCL_E_PARA,
     "remoteNotifyIdx 2 is out of range: the channel to rank 1 was acquired with notifyNum 2",
     BAD_CALL(ChannelNotifyRecordOnThread(rank.thread, channel, 2))},
    {"WaitChannelZero", "HcommChannelNotifyWaitOnThread", HCCL_E_PTR, "channel is 0",
     BAD_CALL(ChannelNotifyWaitOnThread(0, 0, 9, 1))},
    {"WaitThreadZero", "HcommChannelNotifyWaitOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(ChannelNotifyWaitOnThread(0, channel, 0, 1))},
    {"WaitIndexTooLarge", "HcommChannelNotifyWaitOnThread", HCCL_E_PARA,
     "localNotifyIdx 4294967295 is out of range: the channel to rank 1 was acquired with notifyNum 2",
     BAD_CALL(ChannelNotifyWaitOnThread(rank.thread, channel, UINT32_MAX, 1))},
    {"AclRecordThreadZero", "HcommAclrtNotifyRecordOnThread", HCCL_E_PTR, "thread is 0",
     BAD_CALL(AclrtNotifyRecordOnThread(0, 0))},
    {"AclRecordUnknownId", "HcommAclrtNotifyRecordOnThread", HCCL_E_PTR,
     "notifyId 60000: device 0 has no such notify; use the id that aclrtGetNotifyId gives",
     BAD_CALL(AclrtNotifyRecordOnThread(rank.thread, 60000))},
    {"AclWaitThreadForeign", "HcommAclrtNotifyWaitOnThread", HCCL_E_PARA, "is a channel, expected a thread",
     BAD_CALL(AclrtNotifyWaitOnThread(channel, 0, 1))},
    {"AclWaitUnknownId", "HcommAclrtNotifyWaitOnThread", HCCL_E_PTR, "notifyId 18446744073709551615: device 0",
     BAD_CALL(AclrtNotifyWaitOnThread(rank.thread, UINT64_MAX, 1))},
};

using HcommBadCallTest = BadCallTest;

TEST_P(HcommBadCallTest, FromAKernel_IsRefusedByNameAndFailsTheLaunch) { ExpectRefused(); }

INSTANTIATE_TEST_SUITE_P(All, HcommBadCallTest, ::testing::ValuesIn(kBadCalls),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace softhccl::conformance
