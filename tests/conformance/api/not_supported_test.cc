// Every function that src/api/not_supported lists can be linked, and a call answers "not supported" with its name.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl.h"
#include "hccl/hccl_types.h"

namespace {

struct Listed {
  std::string kind;  // ACL, HCCL, MINUS_ONE, ZERO, FLOAT, VOID
  std::string name;
};

std::vector<Listed> ReadLists() {
  const std::regex line(R"(^SOFTHCCL_NOT_SUPPORTED_(\w+)\((\w+)\))");
  std::vector<Listed> listed;
  for (const auto& file : std::filesystem::directory_iterator(NOT_SUPPORTED_FOLDER)) {
    if (file.path().extension() != ".cc") continue;
    std::ifstream input(file.path());
    std::smatch found;
    for (std::string text; std::getline(input, text);) {
      if (std::regex_search(text, found, line)) listed.push_back({found[1], found[2]});
    }
  }
  return listed;
}

TEST(NotSupportedTest, EveryListedFunction_SaysItsNameAndItsNumber) {
  const std::vector<Listed> all = ReadLists();
  ASSERT_GT(all.size(), 100U);
  // Nothing of it is called by name, so the linker may have left it out.
  ASSERT_NE(dlopen("libhccl.so", RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  for (const Listed& one : all) {
    void* symbol = dlsym(RTLD_DEFAULT, one.name.c_str());
    if (symbol == nullptr) {
      ADD_FAILURE() << one.name << " is not defined";
      continue;
    }
    static_cast<void>(aclGetRecentErrMsg());
    if (one.kind == "FLOAT") {
      EXPECT_EQ(reinterpret_cast<float (*)()>(symbol)(), 0.0F) << one.name;
    } else if (one.kind == "ZERO") {
      EXPECT_EQ(reinterpret_cast<void* (*)()>(symbol)(), nullptr) << one.name;
    } else {
      const int answer = reinterpret_cast<int (*)()>(symbol)();
      const std::map<std::string, int> expected = {
          {"ACL", ACL_ERROR_RT_FEATURE_NOT_SUPPORT}, {"HCCL", HCCL_E_NOT_SUPPORT}, {"MINUS_ONE", -1}};
      const auto found = expected.find(one.kind);
      if (found != expected.end()) {
        EXPECT_EQ(answer, found->second) << one.name;
      }
    }
    const char* message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr) << one.name;
    EXPECT_THAT(message, testing::HasSubstr("does not implement " + one.name)) << one.name;
  }
}

}  // namespace
