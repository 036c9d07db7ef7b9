// HcclCommSuspend, HcclCommResume, HcclCommRegCommStateCallback, HcclGroupStart, HcclGroupEnd, HcclGroupStatusGet.
#include <cstring>

#include "one_rank_test.h"

namespace softhccl::conformance {
namespace {

class CommStateTest : public OneRankTest {
 protected:
  HcclCommStatus Status() {
    HcclCommStatus status = HCCL_COMM_STATUS_RESERVED;
    EXPECT_EQ(HcclCommGetStatus(name_.c_str(), &status), HCCL_SUCCESS);
    return status;
  }
};

class HcclCommSuspendTest : public CommStateTest {};

TEST_F(HcclCommSuspendTest, Suspended_RefusesEverythingUntilResumed) {
  EXPECT_EQ(Status(), HCCL_COMM_STATUS_READY);
  EXPECT_EQ(HcclCommSuspend(comm_), HCCL_SUCCESS);
  EXPECT_EQ(Status(), HCCL_COMM_STATUS_SUSPENDING);
  ThreadHandle thread = 0;
  EXPECT_FAILS(HCCL_E_SUSPENDING, HcclThreadAcquire, (comm_, COMM_ENGINE_AICPU, 1, 1, &thread),
               "communicator " + name_ + " is suspended", "HcclCommResume", "[HCCL_E_SUSPENDING 22]");
  void* context = nullptr;
  EXPECT_FAILS(HCCL_E_SUSPENDING, HcclEngineCtxCreate, (comm_, "tag", COMM_ENGINE_AICPU, 8, &context), "is suspended");
  EXPECT_NE(RunKernel(stream_,
                      [this](const Hcomm& hcomm) {
                        EXPECT_HCOMM_FAILS(this, HCCL_E_SUSPENDING, AcquireComm, (name_.c_str()), "is suspended");
                        return 0u;
                      }),
            ACL_SUCCESS);
  ExpectLog({"kernel launch", "is suspended"});
  EXPECT_EQ(HcclCommResume(comm_), HCCL_SUCCESS);
  EXPECT_EQ(Status(), HCCL_COMM_STATUS_READY);
  EXPECT_EQ(HcclThreadAcquire(comm_, COMM_ENGINE_AICPU, 1, 1, &thread), HCCL_SUCCESS);
}

TEST_F(HcclCommSuspendTest, NullOrTwice_IsRefused) {
  EXPECT_FAILS(HCCL_E_PTR, HcclCommSuspend, (nullptr), "comm is null");
  EXPECT_EQ(HcclCommSuspend(comm_), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommSuspend, (comm_), "is suspended already");
}

class HcclCommResumeTest : public CommStateTest {};

TEST_F(HcclCommResumeTest, NullOrNotSuspended_IsRefused) {
  EXPECT_FAILS(HCCL_E_PTR, HcclCommResume, (nullptr), "comm is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommResume, (comm_), "is not suspended");
}

class HcclCommRegCommStateCallbackTest : public CommStateTest {
 protected:
  struct Heard {
    std::string name;
    HcclComm comm = nullptr;
    int phase = -2;
  };
  // Callbacks cannot be taken back: they stay registered, silent, and with a life of their own.
  struct Listener {
    const char* name = nullptr;
    HcclResult answer = HCCL_SUCCESS;
  };
  static Listener& First() {
    static Listener listener{"a listener"};
    return listener;
  }
  static Listener& Second() {
    static Listener listener{"b listener"};
    return listener;
  }
  static std::vector<Heard>& All() {
    static auto* heard = new std::vector<Heard>;
    return *heard;
  }
  static std::atomic<bool>& IsListening() {
    static std::atomic<bool> is_listening{false};
    return is_listening;
  }
  static HcclResult Hear(HcclComm comm, HcclCommStatePhase phase, void* args) {
    if (!IsListening().load()) return HCCL_SUCCESS;
    const Listener& listener = *static_cast<Listener*>(args);
    All().push_back({listener.name, comm, phase});
    return listener.answer;
  }
  void SetUp() override {
    CommStateTest::SetUp();
    EXPECT_EQ(HcclCommRegCommStateCallback(Second().name, Hear, &Second()), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommRegCommStateCallback(First().name, Hear, &First()), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommRegCommStateCallback(First().name, Hear, &First()), HCCL_SUCCESS) << "replaces itself";
    All().clear();
    IsListening().store(true);
  }
  void TearDown() override {
    IsListening().store(false);
    First().answer = Second().answer = HCCL_SUCCESS;
    CommStateTest::TearDown();
  }
  static std::vector<std::string> Told() {
    std::vector<std::string> told;
    for (const Heard& heard : All()) told.push_back(heard.name.substr(0, 1) + std::to_string(heard.phase));
    return told;
  }
};

TEST_F(HcclCommRegCommStateCallbackTest, ResumeAndDestroy_AreToldInTheOrderOfNames) {
  EXPECT_EQ(HcclCommSuspend(comm_), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommResume(comm_), HCCL_SUCCESS);
  EXPECT_THAT(Told(), ::testing::ElementsAre("a2", "b2", "a3", "b3"));
  All().clear();
  HcclComm destroyed = comm_;
  EXPECT_EQ(HcclCommDestroy(std::exchange(comm_, nullptr)), HCCL_SUCCESS);
  EXPECT_THAT(Told(), ::testing::ElementsAre("a0", "b0", "a1", "b1"));
  EXPECT_EQ(All().front().comm, destroyed);
}

TEST_F(HcclCommRegCommStateCallbackTest, FailureBefore_StopsTheOthersAndTheCall) {
  First().answer = HCCL_E_NETWORK;
  const int result = HcclCommDestroy(comm_);
  ExpectFailure(HCCL_E_NETWORK, result, "HcclCommDestroy",
                {"state callback \"a listener\" answered 19 before destroy of comm " + name_});
  EXPECT_THAT(Told(), ::testing::ElementsAre("a0"));
  EXPECT_EQ(Status(), HCCL_COMM_STATUS_READY) << "not destroyed";
  First().answer = HCCL_SUCCESS;
  Second().answer = HCCL_E_AGAIN;
  EXPECT_EQ(HcclCommSuspend(comm_), HCCL_SUCCESS);
  ExpectFailure(HCCL_E_AGAIN, HcclCommResume(comm_), "HcclCommResume", {"\"b listener\" answered 20 before resume"});
  EXPECT_EQ(Status(), HCCL_COMM_STATUS_SUSPENDING);
}

TEST_F(HcclCommRegCommStateCallbackTest, BadArguments_AreRefused) {
  EXPECT_FAILS(HCCL_E_PTR, HcclCommRegCommStateCallback, (nullptr, Hear, nullptr), "regName is null");
  EXPECT_FAILS(HCCL_E_PTR, HcclCommRegCommStateCallback, ("name", nullptr, nullptr), "cb is null");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommRegCommStateCallback, ("", Hear, nullptr), "regName has no characters");
  EXPECT_FAILS(HCCL_E_PARA, HcclCommRegCommStateCallback, (std::string(160, 'n').c_str(), Hear, nullptr),
               "regName has 160 or more characters");
  EXPECT_EQ(HcclCommRegCommStateCallback(std::string(159, 'z').c_str(), Hear, &Second()), HCCL_SUCCESS);
}

class HcclGroupStartTest : public ApiTest {};

TEST_F(HcclGroupStartTest, OneThread_CreatesAndDestroysTheRanksOfFourDevices) {
  std::thread([] {
    HcclRootInfo root;
    HcclComm comms[4] = {};
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    config.hcclBufferSize = 1;
    for (uint32_t rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
      EXPECT_EQ(HcclCommInitRootInfoConfig(4, &root, rank, &config, &comms[rank]), HCCL_SUCCESS);
      EXPECT_EQ(comms[rank], nullptr) << "only noted";
    }
    std::memset(&root, 0xFF, sizeof root);  // what was passed is no longer needed
    std::memset(&config, 0xFF, sizeof config);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    for (uint32_t rank = 0; rank < 4; ++rank) {
      uint32_t value = 99;
      EXPECT_EQ(HcclGetRankId(comms[rank], &value), HCCL_SUCCESS);
      EXPECT_EQ(value, rank);
    }
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    for (uint32_t rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
    }
    EXPECT_EQ(HcclCommDestroy(nullptr), HCCL_SUCCESS);
    uint32_t value = 99;
    EXPECT_EQ(HcclGetRankId(comms[0], &value), HCCL_SUCCESS) << "still alive";
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    for (int32_t device = 0; device < 4; ++device) {
      for (int i = device == 0 ? 0 : 1; i < 3; ++i) EXPECT_EQ(aclrtResetDevice(device), ACL_SUCCESS);
    }
  }).join();
}

class HcclGroupEndTest : public DeviceTest {};

TEST_F(HcclGroupEndTest, WithoutStart_IsNotSupported) {
  EXPECT_FAILS(HCCL_E_NOT_SUPPORT, HcclGroupEnd, (), "no group is open on this thread", "[HCCL_E_NOT_SUPPORT 5]");
}

TEST_F(HcclGroupEndTest, Nested_RunsAtTheOutermostEnd) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
  EXPECT_EQ(comm, nullptr);
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
  EXPECT_NE(comm, nullptr);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
}

TEST_F(HcclGroupEndTest, BadArgumentsAreToldAtOnceAndFailuresAtTheEnd) {
  HcclRootInfo root;
  HcclComm comms[2] = {};
  EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommInitRootInfo, (0, &root, 0, &comms[0]), "nRanks 0");
  EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &comms[0]), HCCL_SUCCESS);
  std::strcpy(root.internal, "elsewhere");
  EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &comms[1]), HCCL_SUCCESS);
  EXPECT_FAILS(HCCL_E_PARA, HcclCommDestroy, (comms[0]), "this group has creations of communicators already");
  EXPECT_FAILS(HCCL_E_NOT_FOUND, HcclGroupEnd, (), "call 2 of 2 (HcclCommInitRootInfo on device 0)", "\"elsewhere\"");
  EXPECT_EQ(comms[1], nullptr);
  ASSERT_NE(comms[0], nullptr) << "what succeeded stays";
  EXPECT_EQ(HcclCommDestroy(comms[0]), HCCL_SUCCESS);
}

class HcclGroupStatusGetTest : public ApiTest {};

TEST_F(HcclGroupStatusGetTest, Status_BelongsToTheThread) {
  bool is_open = true;
  EXPECT_FAILS(HCCL_E_PTR, HcclGroupStatusGet, (nullptr), "isGroupEnabled is null");
  EXPECT_EQ(HcclGroupStatusGet(&is_open), HCCL_SUCCESS);
  EXPECT_FALSE(is_open);
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupStatusGet(&is_open), HCCL_SUCCESS);
  EXPECT_TRUE(is_open);
  std::thread([] {
    bool elsewhere = true;
    EXPECT_EQ(HcclGroupStatusGet(&elsewhere), HCCL_SUCCESS);
    EXPECT_FALSE(elsewhere);
  }).join();
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << "an empty group";
}

}  // namespace
}  // namespace softhccl::conformance
