// Reading one file out of a package, above all out of packages that are torn, hostile or ambiguous.
#include <sys/stat.h>

#include <fmt/format.h>

#include "engine/kernel_package.h"
#include "package_fixture.h"

namespace softhccl::engine {
namespace {

using ::testing::HasSubstr;

class KernelArchive : public PackageTest {
 protected:
  std::string ErrorOf(const std::string& archive_path, const std::string& name = "libk.so") {
    const auto bytes = ReadFromArchive(archive_path, name);
    EXPECT_FALSE(bytes);
    if (bytes) return "";
    EXPECT_EQ(bytes.error().code(), base::Code::kFileError);
    return bytes.error().message();
  }
  // Bytes that gzip cannot shrink, so that a cut in the middle of the file is a cut in the middle of them.
  static std::string Noise(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint32_t state = 1;
    for (auto& byte : bytes) {
      state = state * 1664525u + 1013904223u;
      byte = static_cast<char>(state >> 24);
    }
    return bytes;
  }
  // The header of a regular file in a tar archive, saying whatever size.
  static std::string TarHeader(const std::string& name, std::uint64_t size) {
    std::string header = name;
    header.resize(512);
    header.replace(100, 7, "0000750");
    header.replace(124, 11, fmt::format("{:011o}", size));
    header.replace(148, 8, "        ");
    header[156] = '0';
    header.replace(257, 8, std::string("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    header.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return header;
  }
  std::string Gzip(const std::string& name, const std::string& bytes) {
    const auto path = (folder_ / name).string();
    archive* writer = archive_write_new();
    archive_write_add_filter_gzip(writer);
    archive_write_set_format_raw(writer);
    EXPECT_EQ(archive_write_open_filename(writer, path.c_str()), ARCHIVE_OK);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
    EXPECT_EQ(archive_write_data(writer, bytes.data(), bytes.size()), static_cast<la_ssize_t>(bytes.size()));
    archive_entry_free(entry);
    EXPECT_EQ(archive_write_free(writer), ARCHIVE_OK);
    return path;
  }
};

TEST_F(KernelArchive, RegularFile_IsReadByBaseName) {
  const std::string library = Noise(700'000);
  const auto path = Pack("a.tar.gz", {{"./aicpu_kernels_device/", "", AE_IFDIR},
                                      {"./aicpu_kernels_device/bin_hash.cfg", "libk.so=00\n"},
                                      {"./aicpu_kernels_device/libk.so", library},
                                      {"./aicpu_kernels_device/libk.so.bak", "old"}});
  const auto bytes = ReadFromArchive(path, "libk.so");
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_EQ(*bytes, library);
  EXPECT_TRUE(ArchiveHolds(path, "libk.so").value());
  EXPECT_FALSE(ArchiveHolds(path, "k.so").value());
  EXPECT_EQ(ErrorOf(path, "k.so"), "package " + path + " holds no regular file named k.so");
}

TEST_F(KernelArchive, EmptyFile_IsRead) {
  const auto bytes = ReadFromArchive(Pack("a.tar.gz", {{"d/libk.so", ""}}), "libk.so");
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_EQ(*bytes, "");
}

TEST_F(KernelArchive, LinksAndFolders_AreNoRegularFiles) {
  const auto path = Pack("a.tar.gz", {{"d/x", "data"},
                                      {"e/libk.so/", "", AE_IFDIR},
                                      {"f/libk.so", "", AE_IFLNK, "/etc/passwd"},
                                      {"g/libk.so", "", AE_IFREG, "d/x"},
                                      {"h/libk.so", "", AE_IFIFO}});
  EXPECT_FALSE(ArchiveHolds(path, "libk.so").value());
  EXPECT_EQ(ErrorOf(path), "package " + path + " holds no regular file named libk.so");
}

TEST_F(KernelArchive, UnsafePath_IsRefusedWhereverItStands) {
  for (const auto& [entry, reason] : {std::pair{"/etc/x", "is absolute"}, std::pair{"a/../../x", "contains \"..\""},
                                      std::pair{"..", "contains \"..\""}, std::pair{"a/..", "contains \"..\""}}) {
    const std::string expected = std::string("the path of its entry ") + entry + " " + reason;
    EXPECT_THAT(ErrorOf(Pack("before.tar.gz", {{entry, ""}, {"d/libk.so", "x"}})), HasSubstr(expected));
    EXPECT_THAT(ErrorOf(Pack("after.tar.gz", {{"d/libk.so", "x"}, {entry, ""}})), HasSubstr(expected));
  }
  EXPECT_TRUE(ReadFromArchive(Pack("dots.tar.gz", {{"a..b/..c/libk.so", "x"}}), "libk.so"));
}

TEST_F(KernelArchive, SameNameTwice_NamesBoth) {
  const auto path = Pack("a.tar.gz", {{"d/libk.so", "x"}, {"e/libk.so", "y"}});
  EXPECT_EQ(ErrorOf(path), "package " + path + " holds libk.so twice: d/libk.so and e/libk.so");
}

TEST_F(KernelArchive, TruncatedAnywhere_IsAnErrorAndNoCrash) {
  const std::string whole = Read(Pack("a.tar.gz", {{"d/first", Noise(3000)}, {"d/libk.so", Noise(5000)}}));
  for (std::size_t size = 0; size + 64 < whole.size(); size += 97) {
    const auto path = Write("torn.tar.gz", whole.substr(0, size));
    EXPECT_THAT(ErrorOf(path), HasSubstr("package " + path)) << size;
  }
  const auto path = Write("torn.tar.gz", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(ErrorOf(path), HasSubstr("truncated gzip input"));
}

TEST_F(KernelArchive, NotATarGz_IsAnError) {
  EXPECT_THAT(ErrorOf(Write("a", "")), HasSubstr("is not a tar.gz: its 0 bytes do not begin with 1f 8b"));
  EXPECT_THAT(ErrorOf(Write("a", std::string(1000, '\0'))), HasSubstr("its 1000 bytes do not begin with 1f 8b"));
  EXPECT_THAT(ErrorOf(Write("a", "\x1f\x8bgarbage that is no gzip")), HasSubstr("cannot be read: "));
  EXPECT_THAT(ErrorOf((folder_ / "none").string()), HasSubstr("none cannot be opened: No such file"));
  EXPECT_THAT(ErrorOf(folder_.string()), HasSubstr("is not a regular file"));
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(ErrorOf((folder_ / "fifo").string()), HasSubstr("is not a regular file"));
}

TEST_F(KernelArchive, SizeThatIsALie_IsRefused) {
  EXPECT_THAT(ErrorOf(Gzip("big.tar.gz", TarHeader("d/libk.so", std::uint64_t{600} << 20))),
              HasSubstr("entry d/libk.so has 629145600 bytes, the limit is 536870912"));
  EXPECT_THAT(ErrorOf(Gzip("big.tar.gz", TarHeader("d/other", std::uint64_t{5} << 30))),
              HasSubstr("with entry d/other it unpacks to more than the limit of 4294967296 bytes"));
  EXPECT_THAT(ErrorOf(Gzip("big.tar.gz", TarHeader("d/libk.so", 5000) + std::string(600, 'x'))),
              HasSubstr("entry d/libk.so cannot be read beyond byte "));
}

TEST_F(KernelArchive, FlippedBytes_NeverCrash) {
  const std::string whole = Read(Pack("a.tar.gz", {{"d/first", Noise(300)}, {"d/libk.so", Noise(500)}}));
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
    const auto result = ReadFromArchive(Write("flipped.tar.gz", bytes), "libk.so");
    if (!result) {
      EXPECT_EQ(result.error().code(), base::Code::kFileError);
    }
  }
}

TEST_F(KernelArchive, RegularFileReader_KeepsItsLimit) {
  const auto path = Write("ten", "0123456789");
  EXPECT_EQ(ReadRegularFile(path, 10).value(), "0123456789");
  const auto result = ReadRegularFile(path, 9);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "file " + path + " has 10 bytes, the limit is 9");
}

}  // namespace
}  // namespace softhccl::engine
