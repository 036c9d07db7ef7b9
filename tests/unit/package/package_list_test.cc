// The parser of the list of packages: the accidents that happen to a file edited by hand.
#include "package/package_list.h"

#include <fmt/format.h>

#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Record(const std::string& name, const std::string& path = "opp/kernel", const std::string& more = "") {
  return "name:" + name + "\ninstall_path:2\noptional:true\npackage_path:" + path + "\n" + more;
}

TEST(PackageList, ThreeAndFourKeysInAnyOrder_BothRead) {
  const auto [records, problems, breaking] = ParsePackageList(
      "name:a.tar.gz\r\ninstall_path:2\r\noptional:true\r\npackage_path:opp/vendors/cust/aicpu/kernel\r\n\r\n"
      "name: b.tar.gz\nload_as_per_soc:true\npackage_path:x\noptional:false\ninstall_path:3");
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
    const auto [records, problems, breaking] =
        ParsePackageList(Record("a", "p", std::string(line) + "\n") + Record("b"));
    EXPECT_THAT(problems, ElementsAre(problem));
    ASSERT_THAT(records, SizeIs(1)) << line;
    EXPECT_EQ(records[0].name, "b");
  }
}

TEST(PackageList, BadValues_EachTold) {
  const auto [records, problems, breaking] = ParsePackageList(
      "optional:true\nname:../a\nname:a\ninstall_path:4\nname:b\noptional:TRUE\nname:c\npackage_path:x\n");
  EXPECT_THAT(records, IsEmpty());
  EXPECT_THAT(problems, ElementsAre("line 1: optional:true: no record has begun; a record begins with name:",
                                    "line 2: name:../a: the name must be a file name without '/'",
                                    "line 4: install_path:4: install_path must be 0, 1, 2 or 3",
                                    "line 6: optional:TRUE: optional must be true or false",
                                    "line 7: name:c: the record lacks install_path, optional"));
}

class PackageListTest : public PackageTest {};

// The one answer to "would a card load it": for the loader and for `softhccl verify`.
TEST_F(PackageListTest, Lists_OnlyTheFileThatARecordOfAicpuKernelsLeadsTo) {
  const std::string sdk = folder_.string();
  const std::string package = Write("opp/kernel/a.tar.gz", "a");
  const std::string per_soc = Write("opp/kernel/ascend950/b.tar.gz", "b");
  const std::string elsewhere = Write("opp/other/a.tar.gz", "a");
  std::filesystem::create_symlink("kernel", folder_ / "opp/link");
  const PackageList list = ParsePackageList(Record("none.tar.gz") + Record("a.tar.gz", "/opp/../opp/link/") +
                                            Record("b.tar.gz", "opp/kernel", "load_as_per_soc:true\n"));
  EXPECT_THAT(list.problems, IsEmpty());
  EXPECT_TRUE(Lists(list, package, sdk, "Ascend950PR_9599"));
  EXPECT_TRUE(Lists(list, sdk + "/opp/link/a.tar.gz", sdk, "Ascend950PR_9599"));
  EXPECT_FALSE(Lists(list, elsewhere, sdk, "Ascend950PR_9599"));
  EXPECT_FALSE(Lists(list, sdk + "/opp/kernel/none.tar.gz", sdk, "Ascend950PR_9599")) << "listed, but not there";
  EXPECT_FALSE(Lists(list, package, sdk + "/opp", "Ascend950PR_9599"));
  EXPECT_TRUE(Lists(list, per_soc, sdk, "Ascend950PR_9599"));
  EXPECT_FALSE(Lists(list, per_soc, sdk, "Ascend910B1")) << "another SoC has a folder of its own";
  const PackageList no_kernels =
      ParsePackageList("name:a.tar.gz\ninstall_path:3\noptional:true\npackage_path:opp/kernel\n");
  EXPECT_FALSE(Lists(no_kernels, package, sdk, "Ascend950PR_9599")) << "install_path 3 is not that of AICPU kernels";
}

TEST(PackageList, GluedRecord_TellsOnceAndLosesBoth) {
  // What `echo >>` does to a file without a final newline.
  const auto [records, problems, breaking] = ParsePackageList(
      "name:a\ninstall_path:2\noptional:true\npackage_path:pname:b\ninstall_path:2\noptional:true\npackage_path:q\n" +
      Record("c"));
  EXPECT_THAT(problems, ElementsAre("line 4: package_path:pname:b: a line break is missing before name:"));
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].name, "c");
}

TEST(PackageList, DuplicateName_FirstWinsAndADifferentSecondIsTold) {
  const auto [records, problems, breaking] =
      ParsePackageList(Record("a", "first") + Record("a", "first") + Record("a", "other"));
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].package_path, "first");
  EXPECT_THAT(problems, ElementsAre("line 9: name:a: an earlier record has this name and counts: first"));
}

TEST(PackageList, MoreThanAHundredRecords_RestIsTold) {
  std::string text;
  for (int i = 0; i < 102; ++i) text += Record(fmt::format("p{}", i));
  const auto [records, problems, breaking] = ParsePackageList(text);
  EXPECT_THAT(records, SizeIs(100));
  EXPECT_THAT(problems,
              ElementsAre("line 401: name:p100: more than 100 records", "line 405: name:p101: more than 100 records"));
}

TEST(PackageList, MillionBadLines_BoundedProblems) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "what is this\n";
  const auto [records, problems, breaking] = ParsePackageList(text);
  EXPECT_THAT(records, IsEmpty());
  ASSERT_THAT(problems, SizeIs(101));
  EXPECT_EQ(problems.back(), "line 101 and later: further problems are not listed");
}

TEST(PackageList, ZeroBytesAndALongLine_ReadableProblems) {
  const std::string text = Record("a") + std::string("name:b\0c\n", 9) + std::string(1'000'000, 'x') + "\n";
  const auto [records, problems, breaking] = ParsePackageList(text);
  EXPECT_THAT(records, SizeIs(1));
  EXPECT_THAT(problems, ElementsAre("line 5: name:b\\x00c: a control character is not allowed",
                                    "line 6: " + std::string(80, 'x') + "...: expected key:value"));
}

TEST(PackageList, Breaking_IsTheFirstProblemThatACardMinds) {
  EXPECT_EQ(ParsePackageList(Record("a", "p") + Record("a", "q")).breaking, "");
  EXPECT_EQ(ParsePackageList(Record("a", "p") + Record("a", "q") + "x\ny\n").breaking, "line 9: x: expected key:value");
}

TEST(PackageList, RecordText_IsReadBackAsItIs) {
  PackageRecord record;
  record.name = "a.tar.gz";
  record.optional = true;
  record.package_path = "opp/vendors/cust/aicpu/kernel";
  EXPECT_EQ(RecordText(record),
            "name:a.tar.gz\ninstall_path:2\noptional:true\npackage_path:opp/vendors/cust/aicpu/kernel\n"
            "load_as_per_soc:false\n");
  const auto [records, problems, breaking] = ParsePackageList(RecordText(record));
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(RecordText(records[0]), RecordText(record));
  EXPECT_EQ(records[0].line, 1u);
}

TEST(PackageList, PathOf_IsBelowTheRootAndPerSocWhereAsked) {
  PackageRecord record;
  record.name = "a.tar.gz";
  record.package_path = "/opp/kernel";
  EXPECT_EQ(PathOf(record, "/sdk", "Ascend950PR_9599"), "/sdk//opp/kernel/a.tar.gz");
  record.load_as_per_soc = true;
  EXPECT_EQ(PathOf(record, "/sdk", "Ascend950PR_9599"), "/sdk//opp/kernel/ascend950/a.tar.gz");
  EXPECT_EQ(PathOf(record, "/sdk", "Ascend910_9391"), "/sdk//opp/kernel/ascend910_93/a.tar.gz");
  EXPECT_EQ(PathOf(record, "/sdk", "Ascend910B1"), "/sdk//opp/kernel/ascend910b/a.tar.gz");
  EXPECT_EQ(PathOf(record, "/sdk", "Other"), "/sdk//opp/kernel/other/a.tar.gz");
}

class PackageListFile : public PackageTest {};

TEST_F(PackageListFile, ReadPackageList_MissingIsEmptyAndAFolderIsAnError) {
  EXPECT_THAT(ReadPackageList(folder_.string()).value().records, IsEmpty());
  Write("conf/ascend_package_load.ini", Record("a"));
  EXPECT_THAT(ReadPackageList(folder_.string()).value().records, SizeIs(1));
  std::filesystem::remove(folder_ / "conf/ascend_package_load.ini");
  std::filesystem::create_directory(folder_ / "conf/ascend_package_load.ini");
  EXPECT_FALSE(ReadPackageList(folder_.string()));
}

}  // namespace
}  // namespace softhccl::package
