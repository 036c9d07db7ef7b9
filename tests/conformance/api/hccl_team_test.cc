// Teams: what their structures tell, windows, channels, and handles that are none.
#include "hccl/hccl_team.h"

#include "fixture.h"
#include "hcomm/hcomm_team_entity_defs.h"

namespace softhccl::conformance {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// What is at an address in device memory.
template <typename T>
std::vector<T> ReadDevice(const void* address, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_EQ(aclrtMemcpy(values.data(), count * sizeof(T), address, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  return values;
}

HcommTeam ReadTeam(HcommTeamHandle team) { return ReadDevice<HcommTeam>(team, 1)[0]; }
HcommWindow ReadWindow(HcommWindowHandle window) { return ReadDevice<HcommWindow>(window, 1)[0]; }

HcommTeamHandle TeamBits(uint64_t bits) { return reinterpret_cast<HcommTeamHandle>(bits); }

HcclTeamCreateDesc Desc(uint32_t rank, const std::vector<uint32_t>& ranks = {}) {
  HcclTeamCreateDesc desc;
  EXPECT_EQ(HcclTeamCreateDescInit(&desc), HCCL_SUCCESS);
  desc.selfRankId = rank;
  desc.rankNum = static_cast<uint32_t>(ranks.size());
  desc.rankIds = ranks.empty() ? nullptr : ranks.data();
  return desc;
}

HcommTeamHandle World(const Rank& rank, const std::vector<uint32_t>& ranks = {}) {
  const HcclTeamCreateDesc desc = Desc(rank.id, ranks);
  HcommTeamHandle team = nullptr;
  EXPECT_EQ(HcclWorldTeamCreate(rank.comm, &desc, &team), HCCL_SUCCESS);
  return team;
}

CommMem DeviceMem(const DeviceInts& ints) { return CommMem{COMM_MEM_TYPE_DEVICE, ints.data(), ints.bytes()}; }

HcclTeamCreateChannelsDesc ChannelsDesc(uint32_t count) {
  HcclTeamCreateChannelsDesc desc;
  EXPECT_EQ(HcclTeamCreateChannelsDescInit(&desc), HCCL_SUCCESS);
  desc.engine = COMM_ENGINE_AICPU;
  desc.protocol = COMM_PROTOCOL_UB_CTP;
  desc.notifyNum = 1;
  desc.channelCnt = count;
  return desc;
}

// --- Create ------------------------------------------------------------------------------------------------------

class HcclWorldTeamCreateTest : public ApiTest {};

TEST_F(HcclWorldTeamCreateTest, AllRanks_AreMembersInTheirOrder) {
  RunRanks(3, [](Rank& rank) {
    HcommTeamHandle team = World(rank);
    const HcommTeam read = ReadTeam(team);
    EXPECT_EQ(read.header.version, 1u);
    EXPECT_EQ(read.header.size, sizeof(HcommTeam));
    EXPECT_EQ(read.memberNum, 3u);
    EXPECT_EQ(read.selfMemberId, rank.id);
    EXPECT_EQ(read.netLayer, 0u);
    EXPECT_EQ(read.engine, COMM_ENGINE_RESERVED);
    EXPECT_EQ(read.channelsBaseAddr, 0u);
    EXPECT_THAT(ReadDevice<uint32_t>(read.channelNumPerMember, 3), Each(0u));
    EXPECT_THAT(ReadDevice<uint32_t>(read.worldTeamIds, 3), ElementsAre(0, 1, 2));
    EXPECT_EQ(read.syncMem.syncMemSize, 0u);
    EXPECT_EQ(read.syncMem.remoteMemsNum, 0u);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclWorldTeamCreateTest, SomeRanks_AreMembersInTheOrderOfTheList) {
  RunRanks(3, [](Rank& rank) {
    if (rank.id != 1) {
      HcommTeamHandle team = World(rank, {2, 0});
      const HcommTeam read = ReadTeam(team);
      EXPECT_EQ(read.memberNum, 2u);
      EXPECT_EQ(read.selfMemberId, rank.id == 2 ? 0u : 1u);
      EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
    }
    rank.Meet();
  });
}

TEST_F(HcclWorldTeamCreateTest, SynchronisationMemory_IsZeroAndReachedByAll) {
  RunRanks(3, [](Rank& rank) {
    HcclTeamCreateDesc desc = Desc(rank.id);
    desc.requirement.signalCount = 3;
    desc.requirement.counterCount = 2;
    desc.requirement.barrierCount = 2;
    HcommTeamHandle team = nullptr;
    EXPECT_EQ(HcclWorldTeamCreate(rank.comm, &desc, &team), HCCL_SUCCESS);
    const HcommTeamSyncMem sync = ReadTeam(team).syncMem;
    EXPECT_EQ(sync.syncMemReq.signalCount, 3u);
    EXPECT_EQ(sync.syncMemReq.counterCount, 2u);
    EXPECT_EQ(sync.syncMemReq.barrierCount, 2u);
    EXPECT_EQ(sync.syncMemSize, 128u) << "3 + 2 words, 3 words for each of 2 barriers, in units of 64 bytes";
    ASSERT_EQ(sync.remoteMemsNum, 3u);
    const auto mems = ReadDevice<CommMem>(sync.remoteMems, 3);
    for (const CommMem& mem : mems) {
      EXPECT_EQ(mem.type, COMM_MEM_TYPE_DEVICE);
      EXPECT_EQ(mem.size, sync.syncMemSize);
    }
    EXPECT_EQ(sync.shadowMem.size, sync.syncMemSize);
    EXPECT_NE(sync.shadowMem.addr, mems[rank.id].addr);
    EXPECT_THAT(ReadDevice<uint64_t>(mems[rank.id].addr, 16), Each(0u));
    EXPECT_THAT(ReadDevice<uint64_t>(sync.shadowMem.addr, 16), Each(0u));
    rank.Meet();
    // Signal `own rank` of the next member, as a kernel would set it.
    const uint32_t next = (rank.id + 1) % 3;
    EXPECT_EQ(RunKernel(rank.stream,
                        [&](const Hcomm&) {
                          static_cast<uint64_t*>(mems[next].addr)[rank.id] = 100 + rank.id;
                          return 0u;
                        }),
              ACL_SUCCESS);
    rank.Meet();
    const uint32_t before = (rank.id + 2) % 3;
    EXPECT_EQ(ReadDevice<uint64_t>(mems[rank.id].addr, 3)[before], 100u + before);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclWorldTeamCreateTest, MembersThatAskForDifferentThings_AllFail) {
  RunRanks(2, [this](Rank& rank) {
    HcclTeamCreateDesc desc = Desc(rank.id);
    desc.requirement.signalCount = 1 + rank.id;
    HcommTeamHandle team = nullptr;
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclWorldTeamCreate, (rank.comm, &desc, &team), "desc->requirement of rank ",
                    "all members ask for the same");
    EXPECT_EQ(team, nullptr);
    EXPECT_EQ(HcclTeamDestroy(World(rank)), HCCL_SUCCESS) << "the next one meets";
  });
}

TEST_F(HcclWorldTeamCreateTest, MemberThatLeaves_EndsTheWait) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
      return;
    }
    const HcclTeamCreateDesc desc = Desc(0);
    HcommTeamHandle team = nullptr;
    EXPECT_FAILS_IN(this, HCCL_E_REMOTE, HcclWorldTeamCreate, (rank.comm, &desc, &team),
                    "rank 1 has destroyed its communicator; it will not come to HcclWorldTeamCreate");
  });
}

TEST_F(HcclWorldTeamCreateTest, BadArguments_AreRefused) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 0) {
      HcclTeamCreateDesc desc = Desc(0);
      HcommTeamHandle team = nullptr;
      const auto refused = [&](const HcclTeamCreateDesc& bad, const std::string& what) {
        EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclWorldTeamCreate, (rank.comm, &bad, &team), what);
      };
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclWorldTeamCreate, (nullptr, &desc, &team), "comm is null");
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclWorldTeamCreate, (rank.comm, nullptr, &team), "desc is null");
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclWorldTeamCreate, (rank.comm, &desc, nullptr), "worldTeam is null");
      desc.header.magicWord = 7;
      refused(desc, "desc->header has magicWord 0x7 and size 88, expected 0xfcf0f14 and at least 88");
      refused(Desc(1), "desc->selfRankId 1 is not the rank 0 that calls");
      const std::vector<uint32_t> lists[] = {{0, 2}, {0, 1, 0}, {1}, {0, 0}};
      refused(Desc(0, lists[0]), "desc->rankIds[1] 2 is out of range, the communicator has 2 ranks");
      refused(Desc(0, lists[1]), "desc->rankNum 3 is larger than the 2 ranks");
      refused(Desc(0, lists[2]), "desc->rankIds does not hold the own rank 0");
      refused(Desc(0, lists[3]), "desc->rankIds[0] and desc->rankIds[1] are both 0");
      desc = Desc(0, lists[0]);
      desc.rankNum = 0;
      refused(desc, "desc->rankNum is 0; a team has at least one rank");
      desc = Desc(0);
      desc.rankNum = 1;
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclWorldTeamCreate, (rank.comm, &desc, &team), "desc->rankIds is null");
      desc = Desc(0);
      desc.netLayer = 1;
      refused(desc, "netLayer 1 is out of range, rank 0 is on the layers 0 to 0");
      desc = Desc(0);
      desc.protocol = FromNumber<CommProtocol>(99);
      refused(desc, "desc->protocol 99 is not known");
      EXPECT_EQ(team, nullptr);
    }
    rank.Meet();
  });
}

class HcclSubTeamCreateTest : public ApiTest {};

TEST_F(HcclSubTeamCreateTest, Members_KnowTheirPlaceInTheWorldTeam) {
  RunRanks(4, [](Rank& rank) {
    HcommTeamHandle world = World(rank, {3, 2, 1, 0});
    if (rank.id != 1) {
      const std::vector<uint32_t> ranks = {0, 2, 3};
      HcclTeamCreateDesc desc = Desc(rank.id, ranks);
      desc.requirement.signalCount = 1;
      HcommTeamHandle team = nullptr;
      EXPECT_EQ(HcclSubTeamCreate(world, &desc, &team), HCCL_SUCCESS);
      const HcommTeam read = ReadTeam(team);
      EXPECT_EQ(read.memberNum, 3u);
      EXPECT_THAT(ReadDevice<uint32_t>(read.worldTeamIds, 3), ElementsAre(3, 1, 0));
      EXPECT_EQ(read.syncMem.remoteMemsNum, 3u);
      EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
    }
    EXPECT_EQ(HcclTeamDestroy(world), HCCL_SUCCESS);
  });
}

TEST_F(HcclSubTeamCreateTest, BadArguments_AreRefused) {
  RunRanks(2, [this](Rank& rank) {
    if (rank.id == 0) {
      HcommTeamHandle world = World(rank, {0});
      const std::vector<uint32_t> both = {0, 1};
      HcclTeamCreateDesc desc = Desc(0, both);
      HcommTeamHandle team = nullptr;
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclSubTeamCreate, (nullptr, &desc, &team), "worldTeam is null");
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclSubTeamCreate, (world, nullptr, &team), "desc is null");
      EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclSubTeamCreate, (world, &desc, nullptr), "team is null");
      EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclSubTeamCreate, (world, &desc, &team),
                      "desc->rankIds[1] 1 is not in the world team, which has the ranks 0");
      desc = Desc(0);
      EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclSubTeamCreate, (world, &desc, &team), "desc->rankNum is 0");
      const std::vector<uint32_t> alone = {0};
      desc = Desc(0, alone);
      EXPECT_EQ(HcclSubTeamCreate(world, &desc, &team), HCCL_SUCCESS);
      HcommTeamHandle third = nullptr;
      EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclSubTeamCreate, (team, &desc, &third), "is a sub-team; use the world team");
      EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
      EXPECT_EQ(HcclTeamDestroy(world), HCCL_SUCCESS);
      EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclSubTeamCreate, (world, &desc, &team), "worldTeam 0x", "was destroyed");
    }
    rank.Meet();
  });
}

// --- Destroy -----------------------------------------------------------------------------------------------------

class HcclTeamDestroyTest : public ApiTest {};

TEST_F(HcclTeamDestroyTest, HandleThatIsNone_IsNamed) {
  RunRanks(1, [this](Rank& rank) {
    HcommTeamHandle team = World(rank);
    DeviceInts ints({1});
    const CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 0), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamDestroy, (nullptr), "team is null");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamDestroy, (window), "is a window of a team, expected a team");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamDestroy, (TeamBits(reinterpret_cast<uint64_t>(rank.comm))),
                    "is the handle of a communicator, expected a team");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamDestroy, (TeamBits(0x1234)),
                    "team 0x1234 is not a team of this process");
    EXPECT_FAILS_IN(this, HCCL_E_AGAIN, HcclTeamDestroy, (team), "still has 1 windows and sub-teams");
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamDestroy, (team), "was destroyed");
  });
}

TEST_F(HcclTeamDestroyTest, CommunicatorDestroyedFirst_TakesItsTeamsAlong) {
  RunRanks(2, [this](Rank& rank) {
    HcclTeamCreateDesc desc = Desc(rank.id);
    desc.requirement.barrierCount = 1;
    HcommTeamHandle team = nullptr;
    EXPECT_EQ(HcclWorldTeamCreate(rank.comm, &desc, &team), HCCL_SUCCESS);
    rank.Meet();
    EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
    rank.comm = nullptr;
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamDestroy, (team), "team 0x");
    rank.Meet();
  });
}

TEST_F(HcclTeamDestroyTest, MemberThatDestroyedItsCommunicator_IsNotWaitedFor) {
  RunRanks(2, [](Rank& rank) {
    HcommTeamHandle team = World(rank);
    rank.Meet();
    if (rank.id == 1) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      rank.comm = nullptr;
    } else {
      EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
    }
    rank.Meet();
  });
}

// --- Windows -----------------------------------------------------------------------------------------------------

class HcclTeamWindowRegisterTest : public ApiTest {};

TEST_F(HcclTeamWindowRegisterTest, Window_TellsTheMemoryOfAllMembers) {
  RunRanks(3, [](Rank& rank) {
    HcommTeamHandle team = World(rank);
    // Sizes differ: one int more with every rank.
    DeviceInts ints(std::vector<int>(1 + rank.id, 10 * static_cast<int>(rank.id)));
    const CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 1), HCCL_SUCCESS);
    const HcommWindow read = ReadWindow(window);
    EXPECT_EQ(read.header.size, sizeof(HcommWindow));
    EXPECT_EQ(read.worldTeam, team);
    EXPECT_EQ(read.memsNum, 3u);
    const auto mems = ReadDevice<CommMem>(read.mems, 3);
    for (uint32_t peer = 0; peer < 3; ++peer) {
      EXPECT_EQ(mems[peer].type, COMM_MEM_TYPE_DEVICE);
      EXPECT_EQ(mems[peer].size, (1 + peer) * sizeof(int));
      EXPECT_EQ(ReadDevice<int>(mems[peer].addr, 1)[0], 10 * static_cast<int>(peer));
    }
    EXPECT_EQ(mems[rank.id].addr, ints.data());
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclTeamWindowRegisterTest, HostMemory_IsAWindowToo) {
  RunRanks(1, [](Rank& rank) {
    HcommTeamHandle team = World(rank);
    int local = 5;
    const CommMem mem = {COMM_MEM_TYPE_HOST, &local, sizeof local};
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 0), HCCL_SUCCESS);
    const auto mems = ReadDevice<CommMem>(ReadWindow(window).mems, 1);
    EXPECT_EQ(mems[0].type, COMM_MEM_TYPE_HOST);
    EXPECT_EQ(mems[0].addr, &local);
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclTeamWindowRegisterTest, BadArguments_AreRefused) {
  RunRanks(1, [this](Rank& rank) {
    HcommTeamHandle team = World(rank);
    DeviceInts ints({1, 2});
    CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowRegister, (nullptr, team, &mem, &window, 0), "comm is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowRegister, (rank.comm, nullptr, &mem, &window, 0),
                    "worldTeam is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowRegister, (rank.comm, team, nullptr, &window, 0),
                    "localMem is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowRegister, (rank.comm, team, &mem, nullptr, 0), "window is null");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamWindowRegister, (rank.comm, team, &mem, &window, 2),
                    "flag 2 is not known; use 0 or 1");
    const auto refused = [&](const CommMem& bad, const std::string& what) {
      EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamWindowRegister, (rank.comm, team, &bad, &window, 0), what);
    };
    refused({FromNumber<CommMemType>(7), ints.data(), 4}, "localMem->type 7 is not known");
    refused({COMM_MEM_TYPE_HOST, ints.data(), 4}, "is device memory, but localMem->type says host memory");
    refused({COMM_MEM_TYPE_DEVICE, ints.data(), 9}, "localMem->addr");
    refused({COMM_MEM_TYPE_DEVICE, ints.data(), 0}, "localMem->size is 0");
    mem.addr = nullptr;
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowRegister, (rank.comm, team, &mem, &window, 0),
                    "localMem->addr is null");
    EXPECT_EQ(window, nullptr);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

class HcclTeamWindowDeregisterTest : public ApiTest {};

TEST_F(HcclTeamWindowDeregisterTest, ForeignHandles_AreRefused) {
  RunRanks(1, [this](Rank& rank) {
    HcommTeamHandle team = World(rank);
    HcommTeamHandle other = World(rank);
    EXPECT_NE(team, other);
    DeviceInts ints({1});
    const CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 0), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowDeregister, (nullptr, window), "worldTeam is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamWindowDeregister, (team, nullptr), "window is null");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamWindowDeregister, (team, team),
                    "is a team, expected a window of a team");
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamWindowDeregister, (other, window), "was registered with team 0x");
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamWindowDeregister, (team, window), "was destroyed");
    EXPECT_EQ(HcclTeamDestroy(other), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

// --- Channels ----------------------------------------------------------------------------------------------------

class HcclTeamChannelsCreateTest : public ApiTest {};

TEST_F(HcclTeamChannelsCreateTest, Channels_ReachWindowsAndSynchronisationMemory) {
  RunRanks(3, [](Rank& rank) {
    HcclTeamCreateDesc desc = Desc(rank.id);
    desc.requirement.signalCount = 3;
    HcommTeamHandle team = nullptr;
    EXPECT_EQ(HcclWorldTeamCreate(rank.comm, &desc, &team), HCCL_SUCCESS);
    const HcclTeamCreateChannelsDesc channels = ChannelsDesc(2);
    EXPECT_EQ(HcclTeamChannelsCreate(rank.comm, team, &channels), HCCL_SUCCESS);
    // Registered after the channels were made: they learn of it.
    DeviceInts ints({static_cast<int>(rank.id) + 70, 0});
    const CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 0), HCCL_SUCCESS);

    const HcommTeam read = ReadTeam(team);
    EXPECT_EQ(read.engine, COMM_ENGINE_AICPU);
    auto counts = ReadDevice<uint32_t>(read.channelNumPerMember, 3);
    EXPECT_EQ(counts[rank.id], 0u);
    EXPECT_EQ(counts[(rank.id + 1) % 3], 2u);
    const auto handles = ReadDevice<ChannelHandle>(reinterpret_cast<const void*>(read.channelsBaseAddr), 4);
    const uint32_t next = (rank.id + 1) % 3;
    const std::size_t place = 2 * (next > rank.id ? next - 1 : next);
    const auto mems = ReadDevice<CommMem>(ReadWindow(window).mems, 3);
    const auto sync = ReadDevice<CommMem>(read.syncMem.remoteMems, 3);
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            EXPECT_EQ(hcomm.ReadOnThread(rank.thread, handles[place], ints.data() + 1, mems[next].addr,
                                                         sizeof(int)),
                                      0);
                            auto* signal = static_cast<uint64_t*>(sync[next].addr) + rank.id;
                            EXPECT_EQ(hcomm.WriteOnThread(rank.thread, handles[place + 1], signal, ints.data(), 4), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    EXPECT_EQ(ints.Read()[1], static_cast<int>(next) + 70);
    rank.Meet();
    const uint32_t before = (rank.id + 2) % 3;
    EXPECT_EQ(ReadDevice<uint64_t>(sync[rank.id].addr, 3)[before], before + 70);
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclTeamChannelsCreateTest, TeamThatIsStillUsed_StaysReachedWhenItsDestroyIsRefused) {
  ExpectLog({"still has 1 windows and sub-teams"});
  AllowLog({"still has 1 windows and sub-teams"});
  RunRanks(2, [](Rank& rank) {
    HcclTeamCreateDesc desc = Desc(rank.id);
    desc.requirement.signalCount = 2;
    HcommTeamHandle team = nullptr;
    EXPECT_EQ(HcclWorldTeamCreate(rank.comm, &desc, &team), HCCL_SUCCESS);
    const HcclTeamCreateChannelsDesc channels = ChannelsDesc(1);
    EXPECT_EQ(HcclTeamChannelsCreate(rank.comm, team, &channels), HCCL_SUCCESS);
    DeviceInts ints({static_cast<int>(rank.id) + 70, 0});
    const CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 0), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_E_AGAIN);
    const HcommTeam read = ReadTeam(team);
    const auto handles = ReadDevice<ChannelHandle>(reinterpret_cast<const void*>(read.channelsBaseAddr), 1);
    const auto sync = ReadDevice<CommMem>(read.syncMem.remoteMems, 2);
    EXPECT_EQ(RunOnThread(rank,
                          [&](const Hcomm& hcomm) {
                            auto* signal = static_cast<uint64_t*>(sync[1 - rank.id].addr) + rank.id;
                            EXPECT_EQ(hcomm.WriteOnThread(rank.thread, handles[0], signal, ints.data(), 4), 0);
                            return 0u;
                          }),
              ACL_SUCCESS);
    rank.Meet();
    EXPECT_EQ(ReadDevice<uint64_t>(sync[rank.id].addr, 2)[1 - rank.id], 71u - rank.id);
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclTeamChannelsCreateTest, WindowThatWasGivenUp_IsReachedNoMore) {
  ExpectLog({"ReadOnThread", "src"});
  AllowLog({"was aborted because rank"});
  AllowLog({"kernel"});
  RunRanks(2, [](Rank& rank) {
    HcommTeamHandle team = World(rank);
    const HcclTeamCreateChannelsDesc channels = ChannelsDesc(1);
    EXPECT_EQ(HcclTeamChannelsCreate(rank.comm, team, &channels), HCCL_SUCCESS);
    DeviceInts ints({1, 0});
    const CommMem mem = DeviceMem(ints);
    HcommWindowHandle window = nullptr;
    EXPECT_EQ(HcclTeamWindowRegister(rank.comm, team, &mem, &window, 0), HCCL_SUCCESS);
    const auto mems = ReadDevice<CommMem>(ReadWindow(window).mems, 2);
    const ChannelHandle channel =
        ReadDevice<ChannelHandle>(reinterpret_cast<const void*>(ReadTeam(team).channelsBaseAddr), 1)[0];
    EXPECT_EQ(HcclTeamWindowDeregister(team, window), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
    rank.Meet();
    if (rank.id == 0) {
      const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
        EXPECT_EQ(hcomm.ReadOnThread(rank.thread, channel, ints.data() + 1, mems[1].addr, 4), HCCL_E_PARA);
        return 0u;
      });
      EXPECT_NE(aclrtSynchronizeStream(rank.stream), ACL_SUCCESS);
    }
    rank.Meet();
  });
}

TEST_F(HcclTeamChannelsCreateTest, BadArguments_AreRefused) {
  RunRanks(1, [this](Rank& rank) {
    HcommTeamHandle team = World(rank);
    HcclTeamCreateChannelsDesc desc = ChannelsDesc(1);
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamChannelsCreate, (nullptr, team, &desc), "comm is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamChannelsCreate, (rank.comm, nullptr, &desc), "team is null");
    EXPECT_FAILS_IN(this, HCCL_E_PTR, HcclTeamChannelsCreate, (rank.comm, team, nullptr), "desc is null");
    const auto refused = [&](const HcclTeamCreateChannelsDesc& bad, HcclResult code, const std::string& what) {
      EXPECT_FAILS_IN(this, code, HcclTeamChannelsCreate, (rank.comm, team, &bad), what);
    };
    desc.channelCnt = 0;
    refused(desc, HCCL_E_PARA, "desc->channelCnt 0 is out of range, use 1 to 64");
    desc = ChannelsDesc(1);
    desc.notifyNum = 65;
    refused(desc, HCCL_E_PARA, "desc->notifyNum 65 is larger than the limit of 64");
    desc = ChannelsDesc(1);
    desc.protocol = COMM_PROTOCOL_RESERVED;
    refused(desc, HCCL_E_PARA, "desc->protocol -1 is not chosen");
    desc = ChannelsDesc(1);
    desc.engine = COMM_ENGINE_AIV;
    refused(desc, HCCL_E_NOT_SUPPORT, "AIV");
    desc = ChannelsDesc(1);
    desc.header.size = 8;
    refused(desc, HCCL_E_PARA, "desc->header has magicWord 0xfcf0f15 and size 8");
    desc = ChannelsDesc(1);
    EXPECT_EQ(HcclTeamChannelsCreate(rank.comm, team, &desc), HCCL_SUCCESS) << "a team of one has none";
    refused(desc, HCCL_E_PARA, "has channels already");
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

TEST_F(HcclTeamChannelsCreateTest, TeamOfAnotherCommunicator_IsRefused) {
  RunRanks(1, [this](Rank& rank) {
    HcommTeamHandle team = World(rank);
    HcclRootInfo root;
    HcclComm other = nullptr;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &other), HCCL_SUCCESS);
    const HcclTeamCreateChannelsDesc desc = ChannelsDesc(1);
    EXPECT_FAILS_IN(this, HCCL_E_PARA, HcclTeamChannelsCreate, (other, team, &desc), "team 0x", "not of comm");
    EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
    EXPECT_EQ(HcclTeamDestroy(team), HCCL_SUCCESS);
  });
}

}  // namespace
}  // namespace softhccl::conformance
