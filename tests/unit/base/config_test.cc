// The registry of variables against what the parsers do: every variable takes its good values, refuses its bad ones in
// the words of the registry, and costs nothing but itself. The environment of the test is put back afterwards.
#include "base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>

namespace softhccl::base {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ConfigTest : public ::testing::Test {
 protected:
  // Starts from an environment without any of our variables.
  ConfigTest() {
    for (const VariableInfo& info : Variables()) Clear(info.name);
    for (const std::string& name : UnknownVariables()) Clear(name);
  }
  ~ConfigTest() override {
    for (const auto& [name, value] : saved_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }

  void Set(const std::string& name, const std::string& value) {
    Save(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  void Clear(const std::string& name) {
    Save(name);
    ::unsetenv(name.c_str());
  }

  static const VariableInfo& Info(const std::string& name) {
    for (const VariableInfo& info : Variables()) {
      if (name == info.name) return info;
    }
    ADD_FAILURE() << name << " is not in the registry";
    return Variables().front();
  }
  static std::string Refusal(const std::string& name, const std::string& value) {
    return fmt::format("{}=\"{}\" is not valid: expected {}; unset it to use the default ({})", name, value,
                       Info(name).accepted, Info(name).default_text);
  }

 private:
  void Save(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    saved_.emplace(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
  }
  std::map<std::string, std::optional<std::string>> saved_;
};

// One variable of Config: how to show its value, texts that are accepted with what they mean, texts that are not.
struct Case {
  const char* name;
  std::function<std::string(const Config&)> show;
  const char* by_default;
  std::vector<std::pair<const char*, const char*>> good;
  std::vector<const char*> bad;
};

const std::vector<Case>& Cases() {
  static const auto seconds = [](Nanos Config::* limit) {
    return [limit](const Config& config) { return fmt::format("{} ns", config.*limit); };
  };
  static const std::vector<const char*> kNotSeconds = {"-1", "soon", "1s", "nan", "inf", "1e3", "1000000001", " 1"};
  static const std::vector<const char*> kNotSwitch = {"2", "yes", "true", "-1"};
  static const std::vector<Case> kCases = {
      {"SOFTHCCL_DEVICES",
       [](const Config& c) { return fmt::format("{}", c.device_count); },
       "8",
       {{"1", "1"}, {"1024", "1024"}, {"0000000016", "16"}},
       {"0", "1025", "-1", "2x", "two", " 2", "00000000016"}},
      {"SOFTHCCL_SOC",
       [](const Config& c) { return c.soc_name; },
       "Ascend950PR_9599",
       {{"Ascend910", "Ascend910"}},
       {}},
      {"SOFTHCCL_FAITHFUL",
       [](const Config& c) { return c.faithful; },
       "",
       {{"Ascend910B", "Ascend910B"}, {"Ascend910_93", "Ascend910_93"}, {"Ascend950", "Ascend950"}},
       {"1", "ascend950", "Ascend910"}},
      {"SOFTHCCL_WORKERS",
       [](const Config& c) { return fmt::format("{}", c.workers); },
       "-1",
       {{"0", "0"}, {"256", "256"}},
       {"257", "-1", "all"}},
      {"SOFTHCCL_SEED",
       [](const Config& c) { return fmt::format("{}", c.seed); },
       "0",
       {{"1", "1"}, {"9999999999", "9999999999"}},
       {"10000000000", "0x1", "-3"}},
      {"SOFTHCCL_DEADLOCK",
       [](const Config& c) { return fmt::format("{}", c.detect_deadlock); },
       "true",
       {{"0", "false"}, {"1", "true"}},
       kNotSwitch},
      {"SOFTHCCL_STALL_WARNING",
       seconds(&Config::stall_warning),
       "5000000000 ns",
       {{"0", "0 ns"}, {"0.25", "250000000 ns"}, {"7", "7000000000 ns"}},
       kNotSeconds},
      {"SOFTHCCL_WAIT_LIMIT",
       seconds(&Config::wait_limit),
       "0 ns",
       {{"1.5", "1500000000 ns"}, {"1000000000", "1000000000000000000 ns"}},
       kNotSeconds},
      {"SOFTHCCL_CONNECT_LIMIT", seconds(&Config::connect_limit), "0 ns", {{"2", "2000000000 ns"}}, kNotSeconds},
      {"SOFTHCCL_TOPOLOGY",
       [](const Config& c) { return c.topology; },
       "",
       {{"two servers.json", "two servers.json"}},
       {}},
      {"SOFTHCCL_TRACE", [](const Config& c) { return c.trace_path; }, "", {{"a b.json", "a b.json"}}, {}},
      {"SOFTHCCL_TRACE_LIMIT",
       [](const Config& c) { return fmt::format("{}", c.trace_limit); },
       "4000000",
       {{"1", "1"}, {"1000000000", "1000000000"}},
       {"0", "1000000001", "4e6"}},
      {"SOFTHCCL_LOG",
       [](const Config& c) { return c.log_level; },
       "warning",
       {{"debug", "debug"}, {"info", "info"}, {"error", "error"}, {"off", "off"}},
       {"loud", "WARNING", "0"}},
      {"SOFTHCCL_LEAKS",
       [](const Config& c) { return fmt::format("{}", c.report_leaks); },
       "false",
       {{"1", "true"}, {"0", "false"}},
       kNotSwitch},
      {"SOFTHCCL_KEEP_KERNELS", [](const Config& c) { return c.keep_kernels; }, "", {{"/tmp/k", "/tmp/k"}}, {}},
      {"ASCEND_RT_VISIBLE_DEVICES",
       [](const Config& c) { return c.visible_devices.value_or("all"); },
       "all",
       {{"0,2", "0,2"}, {"", ""}},
       {}},
      {"ASCEND_HOME_PATH",
       [](const Config& c) { return c.ascend_home; },
       "/usr/local/Ascend/cann",
       {{"/opt/cann", "/opt/cann"}},
       {}},
      // Relative: HOME's place, which is not set here.
      {"XDG_STATE_HOME", [](const Config& c) { return c.state_home; }, "", {{"/state", "/state"}, {"state", ""}}, {}},
      {"XDG_CONFIG_HOME", [](const Config& c) { return c.config_home; }, "", {{"/conf", "/conf"}, {"conf", ""}}, {}},
  };
  return kCases;
}

TEST_F(ConfigTest, Registry_IsCoveredByTheseTests) {
  std::set<std::string> covered = {"HCCL_BUFFSIZE", "HCCL_CONNECT_TIMEOUT", "HCCL_EXEC_TIMEOUT"};
  for (const VariableInfo& info : Variables()) {  // texts and numbers that are only checked: hccl_syntax_test.cc
    const std::string_view meaning(info.meaning);
    if (meaning.rfind("checked only", 0) == 0 || std::string_view(info.name) == "HCCL_ALGO") covered.insert(info.name);
    if (std::string_view(info.name) == "HOME") covered.insert(info.name);  // Home_IsWhereTheOwnFoldersAre
  }
  for (const Case& one : Cases()) covered.insert(one.name);
  std::set<std::string> registered;
  for (const VariableInfo& info : Variables()) {
    EXPECT_TRUE(registered.insert(info.name).second) << info.name << " is listed twice";
    EXPECT_STRNE(info.accepted, "");
    EXPECT_STRNE(info.meaning, "");
    EXPECT_STRNE(info.default_text, "");
  }
  EXPECT_EQ(covered, registered);
}

TEST_F(ConfigTest, NothingSet_GivesTheDefaults) {
  std::vector<Status> problems;
  const Config config = ReadConfig(&problems);
  EXPECT_THAT(problems, IsEmpty());
  for (const Case& one : Cases()) EXPECT_EQ(one.show(config), one.by_default) << one.name;
}

TEST_F(ConfigTest, GoodValues_AreTaken) {
  for (const Case& one : Cases()) {
    for (const auto& [text, meaning] : one.good) {
      Set(one.name, text);
      const auto config = LoadConfig();
      ASSERT_TRUE(config) << config.error().message();
      EXPECT_EQ(one.show(*config), meaning) << one.name << '=' << text;
    }
    Clear(one.name);
  }
}

TEST_F(ConfigTest, FaithfulProduct_AnswersWithItsSocNameUnlessAnotherIsGiven) {
  Set("SOFTHCCL_FAITHFUL", "Ascend910_93");
  EXPECT_EQ(LoadConfig()->soc_name, "Ascend910_9391");
  Set("SOFTHCCL_SOC", "Ascend910B3");
  EXPECT_EQ(LoadConfig()->soc_name, "Ascend910B3");
}

TEST_F(ConfigTest, Home_IsWhereTheOwnFoldersAre) {
  Set("HOME", "/home/me");
  std::vector<Status> problems;
  EXPECT_EQ(ReadConfig(&problems).state_home, "/home/me/.local/state");
  EXPECT_EQ(ReadConfig(&problems).config_home, "/home/me/.config");
  Set("XDG_STATE_HOME", "/state");
  EXPECT_EQ(ReadConfig(&problems).state_home, "/state");
  EXPECT_EQ(ReadConfig(&problems).config_home, "/home/me/.config");
  Set("HOME", "me");
  EXPECT_EQ(ReadConfig(&problems).config_home, "") << "relative";
}

TEST_F(ConfigTest, BadValues_AreRefusedInTheWordsOfTheRegistry) {
  for (const Case& one : Cases()) {
    for (const char* text : one.bad) {
      Set(one.name, text);
      std::vector<Status> problems;
      const Config config = ReadConfig(&problems);
      ASSERT_THAT(problems, SizeIs(1)) << one.name << '=' << text;
      EXPECT_EQ(problems[0].code(), Code::kInvalidParam);
      EXPECT_EQ(problems[0].message(), Refusal(one.name, text));
      EXPECT_EQ(one.show(config), one.by_default) << "the default holds";
    }
    Clear(one.name);
  }
}

TEST_F(ConfigTest, OneBadValue_CostsOnlyItself) {
  for (const Case& broken : Cases()) {
    if (broken.bad.empty()) continue;
    for (const Case& one : Cases()) Set(one.name, one.good.front().first);
    Set(broken.name, broken.bad.front());
    std::vector<Status> problems;
    const Config config = ReadConfig(&problems);
    EXPECT_THAT(problems, SizeIs(1));
    for (const Case& one : Cases()) {
      EXPECT_EQ(one.show(config), &one == &broken ? one.by_default : one.good.front().second)
          << one.name << " beside a bad " << broken.name;
    }
  }
}

TEST_F(ConfigTest, SeveralBadValues_AreAllToldAndTheFirstIsTheError) {
  Set("SOFTHCCL_DEVICES", "0");
  Set("SOFTHCCL_LOG", "loud");
  std::vector<Status> problems;
  ReadConfig(&problems);
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_EQ(problems[0].message(), Refusal("SOFTHCCL_DEVICES", "0"));
  EXPECT_EQ(problems[1].message(), Refusal("SOFTHCCL_LOG", "loud"));
  const auto config = LoadConfig();
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message(), problems[0].message());
}

TEST_F(ConfigTest, EmptyAndEmptyString_CountAsUnset) {
  for (const char* text : {"", "EmptyString"}) {
    for (const Case& one : Cases()) {
      if (std::string_view(one.name) != "ASCEND_RT_VISIBLE_DEVICES") Set(one.name, text);  // empty selects none
    }
    for (const char* name : {"HCCL_BUFFSIZE", "HCCL_CONNECT_TIMEOUT", "HCCL_EXEC_TIMEOUT"}) Set(name, text);
    std::vector<Status> problems;
    const Config config = ReadConfig(&problems);
    EXPECT_THAT(problems, IsEmpty());
    for (const Case& one : Cases()) EXPECT_EQ(one.show(config), one.by_default) << one.name;
    const auto hccl = LoadHcclConfig();
    ASSERT_TRUE(hccl) << hccl.error().message();
    EXPECT_EQ(hccl->buffer_mib, 200u);
    EXPECT_EQ(hccl->connect_timeout_s, 120u);
    EXPECT_EQ(hccl->exec_timeout_s, 1836);
  }
}

TEST_F(ConfigTest, UnknownVariables_AreListedByName) {
  EXPECT_THAT(UnknownVariables(), IsEmpty());
  Set("SOFTHCCL_DEVICE", "2");
  Set("SOFTHCCL_SEED", "2");
  Set("NOT_SOFTHCCL_SEED", "2");
  EXPECT_THAT(UnknownVariables(), ::testing::ElementsAre("SOFTHCCL_DEVICE"));
}

TEST_F(ConfigTest, HcclVariables_TakeTheirBounds) {
  const struct {
    const char* name;
    const char* text;
    double meaning;
  } good[] = {{"HCCL_BUFFSIZE", "1", 1},
              {"HCCL_BUFFSIZE", "4294967295", 4294967295.0},
              {"HCCL_CONNECT_TIMEOUT", "120", 120},
              {"HCCL_CONNECT_TIMEOUT", "7200", 7200},
              {"HCCL_EXEC_TIMEOUT", "0", 0},
              {"HCCL_EXEC_TIMEOUT", "0.5", 0.5},
              {"HCCL_EXEC_TIMEOUT", "17.125", 17.125},
              {"HCCL_EXEC_TIMEOUT", "2147483647", 2147483647.0}};
  for (const auto& one : good) {
    Set(one.name, one.text);
    const auto config = LoadHcclConfig();
    ASSERT_TRUE(config) << config.error().message();
    const std::string_view name(one.name);
    const double value = name == "HCCL_BUFFSIZE"          ? static_cast<double>(config->buffer_mib)
                         : name == "HCCL_CONNECT_TIMEOUT" ? static_cast<double>(config->connect_timeout_s)
                                                          : config->exec_timeout_s;
    EXPECT_EQ(value, one.meaning) << one.name << '=' << one.text;
    Clear(one.name);
  }
}

TEST_F(ConfigTest, BadHcclVariables_FailWithTheVendorsNumber) {
  const std::pair<const char*, const char*> bad[] = {
      {"HCCL_BUFFSIZE", "0"},           {"HCCL_BUFFSIZE", "4294967296"},
      {"HCCL_BUFFSIZE", "00000000200"}, {"HCCL_BUFFSIZE", "abc"},
      {"HCCL_BUFFSIZE", "200MB"},       {"HCCL_BUFFSIZE", "-1"},
      {"HCCL_BUFFSIZE", "99999999999"}, {"HCCL_BUFFSIZE", "1.5"},
      {"HCCL_CONNECT_TIMEOUT", "119"},  {"HCCL_CONNECT_TIMEOUT", "7201"},
      {"HCCL_CONNECT_TIMEOUT", "120s"}, {"HCCL_CONNECT_TIMEOUT", "120.0"},
      {"HCCL_EXEC_TIMEOUT", "-1"},      {"HCCL_EXEC_TIMEOUT", "2147483647.5"},
      {"HCCL_EXEC_TIMEOUT", "1e3"},     {"HCCL_EXEC_TIMEOUT", "nan"},
      {"HCCL_EXEC_TIMEOUT", "1,5"}};
  for (const auto& [name, text] : bad) {
    Set(name, text);
    const auto config = LoadHcclConfig();
    ASSERT_FALSE(config) << name << '=' << text;
    EXPECT_EQ(config.error().code(), Code::kInvalidParam);
    EXPECT_EQ(config.error().message(), "EI0001 " + Refusal(name, text));
    Clear(name);
  }
}

TEST_F(ConfigTest, ProcessHcclConfig_RemembersTheFirstGoodReading) {
  Set("HCCL_BUFFSIZE", "many");
  const auto refused = ProcessHcclConfig();
  static bool already_run = false;
  if (std::exchange(already_run, true)) GTEST_SKIP() << "a process reads it once";
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("HCCL_BUFFSIZE=\"many\""));
  Set("HCCL_BUFFSIZE", "7");
  ASSERT_TRUE(ProcessHcclConfig()) << "a bad reading is not remembered";
  Set("HCCL_BUFFSIZE", "8");
  EXPECT_EQ(ProcessHcclConfig()->buffer_mib, 7u);
  Set("HCCL_BUFFSIZE", "many");
  EXPECT_EQ(ProcessHcclConfig()->buffer_mib, 7u);
}

}  // namespace
}  // namespace softhccl::base
