// needs A11: a number is never all that a user gets. Every failing call leaves a text with the symbolic name, the cause
// and an id; that id, given to the command on the user's terminal, prints the cause and the remedy; and the text is
// there on the thread that failed and on no other.
#include <cstdio>
#include <regex>
#include <set>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

// What `softhccl explain <question>` prints.
std::string Explained(const std::string& question) {
  const std::string command = std::string(SOFTHCCL_COMMAND) + " explain --lang en " + question + " 2>&1";
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (char part[256]; std::fgets(part, sizeof part, pipe) != nullptr;) text += part;
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
  return text;
}

class needs_A11 : public DeviceTest {
 protected:
  // `fails` is run on a thread of its own, on device 0; it must end with `code`, which users know as `name`.
  void ExpectExplained(int code, const std::string& name, const std::function<int()>& fails) {
    SCOPED_TRACE(name);
    ASSERT_EQ(aclGetRecentErrMsg(), nullptr);
    std::string text;
    std::thread([&] {
      EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      EXPECT_EQ(fails(), code);
      const char* const message = aclGetRecentErrMsg();
      if (message != nullptr) text = message;
      EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "reading clears it";
      EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    }).join();
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "the message belongs to the thread that failed";
    AllowLog({name});
    EXPECT_THAT(text, ::testing::HasSubstr("[" + name + " " + std::to_string(code) + "]"));
    std::smatch id;
    ASSERT_TRUE(std::regex_search(text, id, std::regex("[(](SH-[A-Z][0-9]{3})[)]"))) << text;
    for (const std::string& question : {id[1].str(), name}) {
      const std::string explained = Explained(question);
      EXPECT_THAT(explained, ::testing::HasSubstr("\nCause\n")) << question;
      EXPECT_THAT(explained, ::testing::HasSubstr("\nWhat to do\n")) << question;
    }
  }
};

TEST_F(needs_A11, ResultsOfHccl_AreNamedAndExplained) {
  uint32_t number = 0;
  HcclComm comm = nullptr;
  ExpectExplained(HCCL_E_PTR, "HCCL_E_PTR", [&] { return HcclGetRankId(nullptr, &number); });
  ExpectExplained(HCCL_E_PARA, "HCCL_E_PARA", [&] {
    void* const no_handle = reinterpret_cast<void*>(0x1234);
    return HcclGetRankSize(no_handle, &number);
  });
  ExpectExplained(HCCL_E_INTERNAL, "HCCL_E_INTERNAL",
                  [&] { return HcclCommInitClusterInfo("/no/such/table.json", 0, &comm); });
  ExpectExplained(HCCL_E_TIMEOUT, "HCCL_E_TIMEOUT", [&] {
    HcclRootInfo root;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    return HcclCommInitRootInfo(2, &root, 0, &comm);
  });
  ExpectExplained(HCCL_E_NOT_SUPPORT, "HCCL_E_NOT_SUPPORT", [] {
    HcclRootInfo root;
    HcclComm alone = nullptr;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, &alone), HCCL_SUCCESS);
    ThreadHandle thread = 0;
    const HcclResult result = HcclThreadAcquire(alone, COMM_ENGINE_CCU, 1, 0, &thread);
    EXPECT_EQ(HcclCommDestroy(alone), HCCL_SUCCESS);
    return result;
  });
  EXPECT_EQ(comm, nullptr);
}

TEST_F(needs_A11, ErrorsOfAcl_AreNamedAndExplained) {
  void* memory = nullptr;
  ExpectExplained(ACL_ERROR_INVALID_PARAM, "ACL_ERROR_INVALID_PARAM",
                  [&] { return aclrtMalloc(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST); });
  ExpectExplained(ACL_ERROR_RT_INVALID_DEVICEID, "ACL_ERROR_RT_INVALID_DEVICEID", [] { return aclrtSetDevice(4711); });
  ExpectExplained(ACL_ERROR_RT_MEMORY_ALLOCATION, "ACL_ERROR_RT_MEMORY_ALLOCATION",
                  [&] { return aclrtMalloc(&memory, std::size_t{1} << 60, ACL_MEM_MALLOC_HUGE_FIRST); });
  ExpectExplained(ACL_ERROR_RT_INVALID_HANDLE, "ACL_ERROR_RT_INVALID_HANDLE",
                  [] { return aclrtSynchronizeStream(reinterpret_cast<aclrtStream>(0x1234)); });
  EXPECT_EQ(memory, nullptr);
}

TEST_F(needs_A11, EveryResult_HasATextOfItsOwn) {
  std::set<std::string> texts;
  for (int code = HCCL_SUCCESS; code <= HCCL_E_OOM; ++code) {
    const char* const text = HcclGetErrorString(static_cast<HcclResult>(code));
    ASSERT_NE(text, nullptr) << code;
    EXPECT_NE(std::string(text), "") << code;
    EXPECT_NE(std::string(text), "unknown error") << code;
    EXPECT_TRUE(texts.insert(text).second) << code << " has the text of another one: " << text;
  }
}

}  // namespace
}  // namespace softhccl::conformance
