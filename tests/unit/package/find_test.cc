// Which package a library is taken from: the folder beside the description, the list, and what is said about a package
// that is in the one and not in the other.
#include "package/find.h"

#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Record(const std::string& name, const std::string& path = "opp/kernel") {
  return "name:" + name + "\ninstall_path:2\noptional:true\npackage_path:" + path + "\n";
}

class FindPackageTest : public PackageTest {
 protected:
  void SetUp() override {
    PackageTest::SetUp();
    root_ = (folder_ / "sdk").string();
    descriptor_ = Write("sdk/vendor/aicpu/config/k.json", "{}");
  }
  std::string PackWith(const std::string& path, const std::string& library = "libk.so") {
    return Pack(path, {{"aicpu_kernels_device/", "", AE_IFDIR}, {"aicpu_kernels_device/" + library, path}});
  }
  void List(const std::string& text) { Write("sdk/conf/ascend_package_load.ini", text); }
  std::string Path(const std::string& relative) const { return (folder_ / relative).string(); }

  base::Result<Package> Find(const std::string& product = "") {
    return FindPackage({descriptor_, root_, "Ascend950PR_9599"}, "libk.so", {product});
  }
  // The path of the package that was found.
  std::string Found(const std::string& product = "") {
    const auto found = Find(product);
    return found ? found->path() : found.error().message();
  }
  // Why none was found.
  std::string ErrorOf(const std::string& product = "") {
    const auto found = Find(product);
    EXPECT_FALSE(found);
    if (found) return "";
    EXPECT_EQ(found.error().code(), base::Code::kKernelFailed);
    EXPECT_THAT(found.error().message(), Not(HasSubstr("\n")));
    return found.error().message();
  }

  std::string descriptor_;
  std::string root_;
};

TEST_F(FindPackageTest, ListedBesideTheDescription_IsTakenSilently) {
  const auto beside = PackWith("sdk/vendor/aicpu/kernel/b.tar.gz");
  PackWith("sdk/vendor/aicpu/kernel/a.tar.gz", "libother.so");
  Write("sdk/vendor/aicpu/kernel/readme.txt", "no package");
  for (const auto& list : {Record("b.tar.gz", "vendor/aicpu/kernel"),
                           Record("b.tar.gz", "vendor/aicpu/kernel") + "load_as_per_soc:false\n",
                           Record("b.tar.gz", "/vendor/x/../aicpu/kernel/")}) {
    std::filesystem::create_directories(folder_ / "sdk/vendor/x");
    List(list);
    EXPECT_EQ(Found(), beside);
    EXPECT_EQ(Found("Ascend950"), beside);
  }
}

TEST_F(FindPackageTest, LoadAsPerSoc_AddsTheFolderOfTheSoc) {
  const auto listed = PackWith("sdk/opp/kernel/ascend950/a.tar.gz");
  List(Record("a.tar.gz") + "load_as_per_soc:true\n");
  EXPECT_EQ(Found("Ascend950"), listed);
}

TEST_F(FindPackageTest, Unlisted_IsTakenWithOneNoticeThatHoldsTheLines) {
  const auto beside = PackWith("sdk/vendor/aicpu/kernel/b.tar.gz");
  List(Record("none.tar.gz"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Found(), beside);
  const std::string lines =
      "name:b.tar.gz\ninstall_path:2\noptional:true\npackage_path:vendor/aicpu/kernel\nload_as_per_soc:false";
  EXPECT_THAT(TakeWarnings(), ElementsAre("a card would not load this: package " + beside + " is not listed in " +
                                          root_ + "/conf/ascend_package_load.ini; the lines to add are:\n" + lines));
  EXPECT_EQ(ErrorOf("Ascend910B"),
            "Ascend910B does not load what is not listed (SH-P008): package " + beside + " is not listed in " + root_ +
                "/conf/ascend_package_load.ini; the lines to add are: name:b.tar.gz install_path:2 optional:true "
                "package_path:vendor/aicpu/kernel load_as_per_soc:false");
  List(lines);
  EXPECT_EQ(Found("Ascend910B"), beside);
}

TEST_F(FindPackageTest, UnlistedOutsideOfTheSdk_SaysThatItCannotBeListed) {
  descriptor_ = Write("elsewhere/aicpu/config/k.json", "{}");
  const auto beside = PackWith("elsewhere/aicpu/kernel/b.tar.gz");
  std::filesystem::create_directories(root_);
  EXPECT_EQ(Found(), beside);
  EXPECT_THAT(TakeWarnings(),
              ElementsAre("a card would not load this: package " + beside + " lies outside of " + root_ +
                          ", whose conf/ascend_package_load.ini therefore cannot list it: install it there, or let "
                          "ASCEND_HOME_PATH name the SDK that it is installed in"));
  EXPECT_THAT(ErrorOf("Ascend950"), HasSubstr("lies outside of"));
  std::filesystem::remove_all(root_);
  EXPECT_THAT(ErrorOf("Ascend950"), HasSubstr("lies outside of")) << "the SDK is not there at all";
}

TEST_F(FindPackageTest, NameTakenByAnotherVendor_SaysWhichLine) {
  const auto other = PackWith("sdk/opp/kernel/a.tar.gz");
  const auto beside = PackWith("sdk/vendor/aicpu/kernel/a.tar.gz");
  List("\n" + Record("a.tar.gz"));
  EXPECT_EQ(Found(), beside);
  const std::string why = "package " + beside + " is not listed: line 2 of " + root_ +
                          "/conf/ascend_package_load.ini lists another of this name, in opp/kernel, and a card loads "
                          "one package per name: give the operator another name or change that record";
  EXPECT_THAT(TakeWarnings(), ElementsAre("a card would not load this: " + why));
  // A card knows nothing of the folder beside the description.
  EXPECT_EQ(Found("Ascend950"), other);
  EXPECT_THAT(TakeWarnings(), ElementsAre("library libk.so is taken from another package than the one beside its "
                                          "description: " +
                                          why));
}

TEST_F(FindPackageTest, NothingBeside_TheListIsSearched) {
  PackWith("sdk/vendor/aicpu/kernel/a.tar.gz", "libother.so");
  const auto listed = PackWith("sdk/opp/kernel/a.tar.gz");
  List(Record("none.tar.gz") + Record("a.tar.gz"));
  EXPECT_EQ(Found(), listed);
  EXPECT_EQ(Found("Ascend950"), listed);
}

TEST_F(FindPackageTest, NothingHoldsIt_EveryPlaceIsNamed) {
  PackWith("sdk/opp/kernel/a.tar.gz", "libother.so");
  PackWith("sdk/opp/kernel/plugin.tar.gz");
  PackWith("sdk/vendor/aicpu/kernel/c.tar.gz", "libother.so");
  std::string plugin = Record("plugin.tar.gz");
  plugin.replace(plugin.find("path:2"), 6, "path:3");
  List(Record("none.tar.gz") + Record("a.tar.gz") + plugin);
  EXPECT_EQ(ErrorOf(), "no package holds library libk.so; searched: " + root_ +
                           "/vendor/aicpu/kernel/c.tar.gz (does not hold it); " + root_ +
                           "/conf/ascend_package_load.ini (3 records, 0 problems); " + root_ +
                           "/opp/kernel/none.tar.gz (missing); " + root_ + "/opp/kernel/a.tar.gz (does not hold it); " +
                           root_ + "/opp/kernel/plugin.tar.gz (install_path 3 is not that of AICPU kernels, 2)");
}

TEST_F(FindPackageTest, NoFolderAndNoList_SaysSo) {
  EXPECT_EQ(ErrorOf(), "no package holds library libk.so; searched: " + Path("sdk/vendor/aicpu/kernel") +
                           " (missing); " + root_ + "/conf/ascend_package_load.ini (missing)");
}

TEST_F(FindPackageTest, TwoHoldIt_NamesBothUnlessOneIsListed) {
  const auto a = PackWith("sdk/vendor/aicpu/kernel/a.tar.gz");
  const auto b = PackWith("sdk/vendor/aicpu/kernel/b.tar.gz");
  EXPECT_EQ(ErrorOf(), "library libk.so is in two packages, " + a + " and " + b + ": remove one of them");
  List(Record("b.tar.gz", "vendor/aicpu/kernel"));
  EXPECT_EQ(Found(), b);
  List(Record("b.tar.gz", "vendor/aicpu/kernel") + Record("a.tar.gz", "vendor/aicpu/kernel"));
  EXPECT_THAT(ErrorOf(), StartsWith("library libk.so is in two packages, "));
}

TEST_F(FindPackageTest, TwoRecordsOfOneFile_AreOneHit) {
  PackWith("sdk/opp/kernel/a.tar.gz");
  std::filesystem::create_symlink("a.tar.gz", folder_ / "sdk/opp/kernel/b.tar.gz");
  List(Record("a.tar.gz") + Record("b.tar.gz", "/opp/../opp/kernel"));
  EXPECT_EQ(Found(), root_ + "/opp/kernel/a.tar.gz");
}

TEST_F(FindPackageTest, DefectsOnTheWay_WarnOncePerProcess) {
  const auto good = PackWith("sdk/vendor/aicpu/kernel/b.tar.gz");
  const auto torn = Write("sdk/vendor/aicpu/kernel/a.tar.gz", "not an archive");
  std::string required = Record("gone.tar.gz");
  required.replace(required.find("true"), 4, "false");
  List("nonsense\n" + required + Record("b.tar.gz", "vendor/aicpu/kernel"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Found(), good);
  const std::string list = root_ + "/conf/ascend_package_load.ini";
  EXPECT_THAT(TakeWarnings(),
              ElementsAre(list + ": line 1: nonsense: expected key:value",
                          list + ": package " + root_ + "/opp/kernel/gone.tar.gz is missing and not optional",
                          "package " + torn +
                              " is refused: it is not a tar.gz: its 14 bytes do not begin with 1f 8b (SH-K006)"));
}

TEST_F(FindPackageTest, Product_InsistsOnAGoodListAndOnWhatIsNotOptional) {
  PackWith("sdk/vendor/aicpu/kernel/b.tar.gz");
  const std::string good = Record("b.tar.gz", "vendor/aicpu/kernel");
  List(good + "nonsense\n");
  EXPECT_EQ(ErrorOf("Ascend950"), "Ascend950 drops the whole list " + root_ +
                                      "/conf/ascend_package_load.ini (SH-P008): line 5: nonsense: expected key:value");
  TakeWarnings();
  std::string required = Record("away.tar.gz");
  required.replace(required.find("true"), 4, "false");
  List(good + required);
  EXPECT_EQ(ErrorOf("Ascend950"), root_ + "/conf/ascend_package_load.ini: package " + root_ +
                                      "/opp/kernel/away.tar.gz is missing and not optional (SH-P008)");
}

TEST_F(FindPackageTest, OnlyCandidateRefused_ItsDefectIsTheAnswer) {
  std::filesystem::create_directories(folder_ / "sdk/vendor/aicpu/kernel/a.tar.gz");
  EXPECT_THAT(ErrorOf(), StartsWith(root_ + "/vendor/aicpu/kernel/a.tar.gz is not a regular file"));
  std::filesystem::remove(folder_ / "sdk/vendor/aicpu/kernel/a.tar.gz");
  const auto hostile = Pack("sdk/vendor/aicpu/kernel/a.tar.gz", {{"../libk.so", "x"}});
  EXPECT_EQ(ErrorOf(),
            "package " + hostile + " is refused: the path of its entry ../libk.so contains \"..\" (SH-K006)");
  Pack("sdk/vendor/aicpu/kernel/b.tar.gz", {{"/libk.so", "x"}});
  EXPECT_THAT(ErrorOf(),
              AllOf(StartsWith("no package holds library libk.so; searched: "), HasSubstr("a.tar.gz (refused); "),
                    HasSubstr("contains \"..\" (SH-K006); package "), HasSubstr("/libk.so is absolute (SH-K006)")));
}

}  // namespace
}  // namespace softhccl::package
