// Reading files that may be anything, and replacing one so that nobody ever sees half of it.
#include "package/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class File : public PackageTest {
 protected:
  static unsigned ModeOf(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 07777u;
  }
  std::ptrdiff_t Count() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }
};

TEST_F(File, ReadRegularFile_KeepsItsLimit) {
  const auto path = Write("ten", "0123456789");
  EXPECT_EQ(ReadRegularFile(path, 10).value(), "0123456789");
  const auto result = ReadRegularFile(path, 9);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "file " + path + " has 10 bytes, the limit is 9");
}

TEST_F(File, ReadRegularFile_RefusesWhatIsNoFile) {
  EXPECT_THAT(ReadRegularFile((folder_ / "none").string(), 9).error().message(), HasSubstr("No such file"));
  EXPECT_THAT(ReadRegularFile(folder_.string(), 9).error().message(), EndsWith("is not a regular file"));
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(ReadRegularFile((folder_ / "fifo").string(), 9).error().message(), EndsWith("is not a regular file"));
  EXPECT_THAT(ReadRegularFile("/dev/zero", 9).error().message(), EndsWith("is not a regular file"));
}

TEST_F(File, ReplaceFile_KeepsTheModeAndLeavesNothingElse) {
  const auto path = (folder_ / "list").string();
  ASSERT_TRUE(ReplaceFile(path, "first", 0640).ok());
  EXPECT_EQ(Read(path), "first");
  EXPECT_EQ(ModeOf(path), 0640u);
  ASSERT_EQ(::chmod(path.c_str(), 0604), 0);
  ASSERT_TRUE(ReplaceFile(path, "second", 0640).ok());
  EXPECT_EQ(Read(path), "second");
  EXPECT_EQ(ModeOf(path), 0604u);
  EXPECT_EQ(Count(), 1);
}

TEST_F(File, ReplaceFile_ThroughALink_ReplacesWhatItLeadsTo) {
  const auto real = Write("real/list", "old");
  std::filesystem::create_symlink(real, folder_ / "list");
  ASSERT_TRUE(ReplaceFile((folder_ / "list").string(), "new", 0644).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "list"));
  EXPECT_EQ(Read(real), "new");
}

TEST_F(File, ReplaceFile_WhereItCannotBe_LeavesEverythingAsItWas) {
  const auto status = ReplaceFile((folder_ / "none/list").string(), "x", 0644);
  EXPECT_EQ(status.code(), base::Code::kFileError);
  EXPECT_THAT(status.message(), HasSubstr("cannot be written: nothing can be made beside it: No such file"));
  std::filesystem::create_directories(folder_ / "taken/x");
  EXPECT_THAT(ReplaceFile((folder_ / "taken").string(), "x", 0644).message(), HasSubstr("cannot be put in place: "));
  EXPECT_EQ(Count(), 1);
}

TEST_F(File, Printable_SpellsOutWhatATerminalWouldObey) {
  EXPECT_EQ(Printable(std::string("a\0b\x1b[2J\x7f", 8)), "a\\x00b\\x1b[2J\\x7f");
  EXPECT_EQ(Printable("abcd", 3), "abc...");
}

}  // namespace
}  // namespace softhccl::package
