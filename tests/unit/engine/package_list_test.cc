// The whitelist parser and the search for the package that holds a library: the accidents that happen to a file
// edited by hand, and every answer of the search.
#include <fmt/format.h>

#include "engine/kernel_package.h"
#include "package_fixture.h"

namespace softhccl::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Record(const std::string& name, const std::string& path = "opp/kernel", const std::string& more = "") {
  return "name:" + name + "\ninstall_path:2\noptional:true\npackage_path:" + path + "\n" + more;
}

TEST(PackageList, ThreeAndFourKeysInAnyOrder_BothRead) {
  std::vector<std::string> problems;
  const auto records = ParsePackageList(
      "name:a.tar.gz\r\ninstall_path:2\r\noptional:true\r\npackage_path:opp/vendors/cust/aicpu/kernel\r\n\r\n"
      "name: b.tar.gz\nload_as_per_soc:true\npackage_path:x\noptional:false\ninstall_path:3",
      &problems);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].name, "a.tar.gz");
  EXPECT_EQ(records[0].install_path, 2);
  EXPECT_TRUE(records[0].optional);
  EXPECT_EQ(records[0].package_path, "opp/vendors/cust/aicpu/kernel");
  EXPECT_FALSE(records[0].load_as_per_soc);
  EXPECT_EQ(records[1].name, "b.tar.gz");
  EXPECT_EQ(records[1].install_path, 3);
  EXPECT_FALSE(records[1].optional);
  EXPECT_TRUE(records[1].load_as_per_soc);
}

TEST(PackageList, BadLine_CostsOnlyItsRecordAndIsNamed) {
  struct Case {
    const char* line;
    const char* problem;
  };
  for (const auto& [line, problem] : {
           Case{"colour:red",
                "line 5: colour:red: unknown key; known are name, install_path, optional, package_path, "
                "load_as_per_soc"},
           Case{"nonsense", "line 5: nonsense: expected key:value"},
           Case{"load_as_per_soc:maybe", "line 5: load_as_per_soc:maybe: load_as_per_soc must be true or false"},
           Case{"optional:true", "line 5: optional:true: this record has the key already"},
           Case{"load_as_per_soc:", "line 5: load_as_per_soc:: the value is empty"},
           Case{"load_as_per_soc:falsename:c.tar.gz",
                "line 5: load_as_per_soc:falsename:c.tar.gz: a line break is missing before name:"},
       }) {
    std::vector<std::string> problems;
    const auto records = ParsePackageList(Record("a", "p", std::string(line) + "\n") + Record("b"), &problems);
    EXPECT_THAT(problems, ElementsAre(problem));
    ASSERT_THAT(records, SizeIs(1)) << line;
    EXPECT_EQ(records[0].name, "b");
  }
}

TEST(PackageList, BadValues_EachTold) {
  std::vector<std::string> problems;
  const auto records = ParsePackageList(
      "optional:true\nname:../a\nname:a\ninstall_path:4\nname:b\noptional:TRUE\nname:c\npackage_path:x\n", &problems);
  EXPECT_THAT(records, IsEmpty());
  EXPECT_THAT(problems, ElementsAre("line 1: optional:true: no record has begun; a record begins with name:",
                                    "line 2: name:../a: the name must be a file name without '/'",
                                    "line 4: install_path:4: install_path must be 0, 1, 2 or 3",
                                    "line 6: optional:TRUE: optional must be true or false",
                                    "line 7: name:c: the record lacks install_path, optional"));
}

TEST(PackageList, GluedRecord_TellsOnceAndLosesBoth) {
  // What `echo >>` does to a file without a final newline.
  std::vector<std::string> problems;
  const auto records = ParsePackageList(
      "name:a\ninstall_path:2\noptional:true\npackage_path:pname:b\ninstall_path:2\noptional:true\npackage_path:q\n" +
          Record("c"),
      &problems);
  EXPECT_THAT(problems, ElementsAre("line 4: package_path:pname:b: a line break is missing before name:"));
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].name, "c");
}

TEST(PackageList, DuplicateName_FirstWinsAndADifferentSecondIsTold) {
  std::vector<std::string> problems;
  const auto records = ParsePackageList(Record("a", "first") + Record("a", "first") + Record("a", "other"), &problems);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].package_path, "first");
  EXPECT_THAT(problems, ElementsAre("line 9: name:a: an earlier record has this name and counts: first"));
}

TEST(PackageList, MoreThanAHundredRecords_RestIsTold) {
  std::string text;
  for (int i = 0; i < 102; ++i) text += Record(fmt::format("p{}", i));
  std::vector<std::string> problems;
  EXPECT_THAT(ParsePackageList(text, &problems), SizeIs(100));
  EXPECT_THAT(problems,
              ElementsAre("line 401: name:p100: more than 100 records", "line 405: name:p101: more than 100 records"));
}

TEST(PackageList, MillionBadLines_BoundedProblems) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "what is this\n";
  std::vector<std::string> problems;
  EXPECT_THAT(ParsePackageList(text, &problems), IsEmpty());
  ASSERT_THAT(problems, SizeIs(101));
  EXPECT_EQ(problems.back(), "line 101 and later: further problems are not listed");
}

TEST(PackageList, ZeroBytesAndALongLine_ReadableProblems) {
  std::vector<std::string> problems;
  const std::string text = Record("a") + std::string("name:b\0c\n", 9) + std::string(1'000'000, 'x') + "\n";
  EXPECT_THAT(ParsePackageList(text, &problems), SizeIs(1));
  EXPECT_THAT(problems, ElementsAre("line 5: name:b\\x00c: a control character is not allowed",
                                    "line 6: " + std::string(80, 'x') + "...: expected key:value"));
}

TEST(PackageList, NowhereToTellProblems_StillParses) {
  EXPECT_THAT(ParsePackageList("nonsense\n" + Record("a"), nullptr), SizeIs(1));
}

class FindPackageTest : public PackageTest {
 protected:
  void SetUp() override {
    PackageTest::SetUp();
    descriptor_ = Write("vendor/aicpu/config/k.json", "{}");
    root_ = (folder_ / "sdk").string();
  }
  std::string PackWith(const std::string& path, const std::string& library) {
    return Pack(path, {{"aicpu_kernels_device/", "", AE_IFDIR}, {"aicpu_kernels_device/" + library, "x"}});
  }
  std::string Path(const std::string& relative) const { return (folder_ / relative).string(); }
  std::string descriptor_;
  std::string root_;
};

TEST_F(FindPackageTest, RecordHoldsIt_WinsOverFolder) {
  const auto listed = PackWith("sdk/opp/kernel/a.tar.gz", "libk.so");
  PackWith("vendor/aicpu/kernel/b.tar.gz", "libk.so");
  Write("sdk/conf/ascend_package_load.ini", Record("none.tar.gz") + Record("a.tar.gz"));
  const auto found = FindPackage(descriptor_, "libk.so", root_);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(*found, listed);
}

TEST_F(FindPackageTest, NoList_FolderBesideConfigIsSearched) {
  const auto beside = PackWith("vendor/aicpu/kernel/b.tar.gz", "libk.so");
  PackWith("vendor/aicpu/kernel/a.tar.gz", "libother.so");
  Write("vendor/aicpu/kernel/readme.txt", "no package");
  for (const auto& root : {root_, std::string()}) {
    const auto found = FindPackage(descriptor_, "libk.so", root);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(*found, beside);
  }
}

TEST_F(FindPackageTest, NothingHoldsIt_EveryPlaceIsNamed) {
  PackWith("sdk/opp/kernel/a.tar.gz", "libother.so");
  PackWith("sdk/opp/kernel/plugin.tar.gz", "libk.so");
  Pack("vendor/aicpu/kernel/dir.tar.gz", {{"libk.so/", "", AE_IFDIR}, {"x/libk.so", "", AE_IFLNK, "/etc/passwd"}});
  std::string plugin = Record("plugin.tar.gz");
  plugin.replace(plugin.find("path:2"), 6, "path:3");
  Write("sdk/conf/ascend_package_load.ini", Record("none.tar.gz") + Record("a.tar.gz") + plugin);
  const auto found = FindPackage(descriptor_, "libk.so", root_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), base::Code::kKernelFailed);
  EXPECT_THAT(found.error().message(),
              AllOf(HasSubstr("no package holds library libk.so; searched: " + root_ +
                              "/conf/ascend_package_load.ini (3 records, 0 problems); "),
                    HasSubstr(root_ + "/opp/kernel/none.tar.gz (missing); "),
                    HasSubstr(root_ + "/opp/kernel/a.tar.gz (does not hold it); "),
                    HasSubstr("plugin.tar.gz (install_path 3 is not that of AICPU kernels, 2); "),
                    HasSubstr(Path("vendor/aicpu/kernel/dir.tar.gz") + " (does not hold it)")));
}

TEST_F(FindPackageTest, NoFolderAndNoRoot_SaysSo) {
  const auto found = FindPackage(descriptor_, "libk.so", "");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message(),
            "no package holds library libk.so; searched: conf/ascend_package_load.ini (no SDK root: ASCEND_HOME_PATH "
            "is not set); " +
                Path("vendor/aicpu/kernel") + " (missing)");
}

TEST_F(FindPackageTest, TwoHoldIt_NamesBoth) {
  const auto a = PackWith("vendor/aicpu/kernel/a.tar.gz", "libk.so");
  const auto b = PackWith("vendor/aicpu/kernel/b.tar.gz", "libk.so");
  const auto found = FindPackage(descriptor_, "libk.so", root_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), base::Code::kKernelFailed);
  EXPECT_EQ(found.error().message(), "library libk.so is in two packages, " + a + " and " + b + ": remove one of them");
}

TEST_F(FindPackageTest, TwoRecordsOfOneFile_AreOneHit) {
  PackWith("sdk/opp/kernel/a.tar.gz", "libk.so");
  std::filesystem::create_symlink("a.tar.gz", folder_ / "sdk/opp/kernel/b.tar.gz");
  Write("sdk/conf/ascend_package_load.ini", Record("a.tar.gz") + Record("b.tar.gz", "/opp/../opp/kernel"));
  const auto found = FindPackage(descriptor_, "libk.so", root_);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(*found, root_ + "/opp/kernel/a.tar.gz");
}

TEST_F(FindPackageTest, DefectsOnTheWay_WarnOncePerProcess) {
  const auto good = PackWith("vendor/aicpu/kernel/b.tar.gz", "libk.so");
  const auto torn = Write("vendor/aicpu/kernel/a.tar.gz", "not an archive");
  std::string required = Record("gone.tar.gz");
  required.replace(required.find("true"), 4, "false");
  const auto list = Write("sdk/conf/ascend_package_load.ini", "nonsense\n" + required);
  for (int i = 0; i < 2; ++i) {
    const auto found = FindPackage(descriptor_, "libk.so", root_);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(*found, good);
  }
  EXPECT_THAT(TakeWarnings(),
              ElementsAre(list + ": line 1: nonsense: expected key:value",
                          list + ": package " + root_ + "/opp/kernel/gone.tar.gz is missing and not optional",
                          "package " + torn + " is not a tar.gz: its 14 bytes do not begin with 1f 8b"));
}

TEST_F(FindPackageTest, FolderOfThatName_IsNoPackageAndNoCrash) {
  std::filesystem::create_directories(folder_ / "vendor/aicpu/kernel/a.tar.gz");
  const auto found = FindPackage(descriptor_, "libk.so", "");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), HasSubstr("a.tar.gz is not a regular file)"));
  EXPECT_THAT(TakeWarnings(), SizeIs(1));
}

}  // namespace
}  // namespace softhccl::engine
