// Checking packages and reading one file out of them, above all of packages that are torn, hostile or ambiguous.
#include "package/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Archive : public PackageTest {
 protected:
  base::Result<ArchiveContents> Contents(const std::string& archive_path, const std::string& wanted = "libk.so") {
    return ReadArchive(Read(archive_path), "P", wanted);
  }
  // Why the package is refused.
  std::string ErrorOf(const std::string& archive_path) {
    const auto contents = Contents(archive_path);
    EXPECT_FALSE(contents);
    if (contents) return "";
    EXPECT_EQ(contents.error().code(), base::Code::kFileError);
    EXPECT_THAT(contents.error().message(), AllOf(StartsWith("package P is refused: "), EndsWith(" (SH-K006)")));
    EXPECT_THAT(contents.error().message(), Not(HasSubstr("\n")));
    return contents.error().message();
  }
  static std::string Digests(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string text;
    for (const auto& [name, bytes] : files) text += name + "=" + Hex(Sha256Of(bytes)) + "\n";
    return text;
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

TEST_F(Archive, RegularFile_IsReadByBaseName) {
  const std::string library = Noise(700'000);
  const auto path = Pack("a.tar.gz", {{"./aicpu_kernels_device/", "", AE_IFDIR},
                                      {"./aicpu_kernels_device/libk.so", library},
                                      {"./aicpu_kernels_device/libk.so.bak", "old"}});
  const auto contents = Contents(path);
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_EQ(contents->wanted, library);
  EXPECT_EQ(contents->files.size(), 2u);
  EXPECT_EQ(contents->files.at("libk.so.bak"), Sha256Of("old"));
  EXPECT_FALSE(contents->has_digests);
  EXPECT_EQ(Contents(path, "k.so")->wanted, std::nullopt);
}

TEST_F(Archive, EmptyFile_IsRead) {
  const auto contents = Contents(Pack("a.tar.gz", {{"d/libk.so", ""}}));
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_EQ(contents->wanted, "");
}

TEST_F(Archive, LinkDeviceOrFifo_IsRefusedWhereverItStands) {
  for (const auto& [entry, reason] : {std::pair{TestEntry{"f", "", AE_IFLNK, "/etc/passwd"}, "f is a symbolic link"},
                                      std::pair{TestEntry{"g", "", AE_IFREG, "d/libk.so"}, "g is a hard link"},
                                      std::pair{TestEntry{"h", "", AE_IFIFO}, "h is a FIFO"},
                                      std::pair{TestEntry{"c", "", AE_IFCHR}, "c is a device"},
                                      std::pair{TestEntry{"b", "", AE_IFBLK}, "b is a device"}}) {
    EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {{"d/libk.so", "x"}, entry})), HasSubstr(std::string("its entry ") + reason));
    EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {entry, {"d/libk.so", "x"}})), HasSubstr(std::string("its entry ") + reason));
  }
}

TEST_F(Archive, SetUserIdBit_IsRefused) {
  for (const unsigned mode : {04755u, 02755u, 06755u}) {
    EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {{"d/libk.so", "x", AE_IFREG, "", mode}})),
                HasSubstr("its entry d/libk.so has the set-user-id or set-group-id bit"));
  }
  EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {{"d/", "", AE_IFDIR, "", 04755u}})),
              HasSubstr("its entry d/ has the set-user"));
  EXPECT_TRUE(Contents(Pack("a.tar.gz", {{"d/", "", AE_IFDIR, "", 02755u}, {"d/libk.so", "x"}})));
}

TEST_F(Archive, SparseFile_IsRefused) {
  const std::string command = "cd " + folder_.string() + " && truncate -s 100M libk.so && tar --sparse -cf - libk.so";
  for (const char* format : {"gnu", "posix"}) {
    const auto path = (folder_ / "sparse.tar.gz").string();
    ASSERT_EQ(std::system((command + " --format=" + format + " | gzip >" + path).c_str()), 0);
    EXPECT_THAT(ErrorOf(path), HasSubstr("its entry libk.so is a sparse file")) << format;
  }
}

TEST_F(Archive, UnsafePath_IsRefusedWhereverItStands) {
  for (const auto& [entry, reason] :
       {std::pair{"/etc/x", "/etc/x is absolute"}, std::pair{"a/../../x", "a/../../x contains \"..\""},
        std::pair{"..", ".. contains \"..\""}, std::pair{"a/..", "a/.. contains \"..\""},
        std::pair{"a\nb", "a\\x0ab has a control character"}}) {
    const std::string expected = std::string("the path of its entry ") + reason;
    EXPECT_THAT(ErrorOf(Pack("before.tar.gz", {{entry, ""}, {"d/libk.so", "x"}})), HasSubstr(expected));
    EXPECT_THAT(ErrorOf(Pack("after.tar.gz", {{"d/libk.so", "x"}, {entry, ""}})), HasSubstr(expected));
  }
  EXPECT_TRUE(Contents(Pack("dots.tar.gz", {{"a..b/..c/libk.so", "x"}})));
}

TEST_F(Archive, SameNameTwice_IsRefused) {
  EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {{"d/libk.so", "x"}, {"e/libk.so", "y"}})),
              HasSubstr("it holds two files named e/libk.so"));
}

TEST_F(Archive, TruncatedAnywhere_IsAnErrorAndNoCrash) {
  const std::string whole = Read(Pack("a.tar.gz", {{"d/first", Noise(3000)}, {"d/libk.so", Noise(5000)}}));
  for (std::size_t size = 0; size < whole.size(); size += size + 40 < whole.size() ? 97 : 1) {
    ErrorOf(Write("torn.tar.gz", whole.substr(0, size)));
  }
  EXPECT_THAT(ErrorOf(Write("torn.tar.gz", whole.substr(0, whole.size() / 2))), HasSubstr("truncated gzip input"));
  EXPECT_THAT(ErrorOf(Write("longer.tar.gz", whole + "x")),
              HasSubstr("it is damaged or does not end with its gzip data: checksum "));
}

TEST_F(Archive, WrongChecksum_IsRefused) {
  std::string bytes = Read(Pack("a.tar.gz", {{"d/libk.so", "x"}}));
  bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
  EXPECT_THAT(ErrorOf(Write("a.tar.gz", bytes)), HasSubstr("it is damaged or does not end with its gzip data"));
}

TEST_F(Archive, NotATarGz_IsAnError) {
  EXPECT_THAT(ErrorOf(Write("a", "")), HasSubstr("it is not a tar.gz: its 0 bytes do not begin with 1f 8b"));
  EXPECT_THAT(ErrorOf(Write("a", std::string(1000, '\0'))), HasSubstr("its 1000 bytes do not begin with 1f 8b"));
  EXPECT_THAT(ErrorOf(Write("a", "\x1f\x8bgarbage that is no gzip")),
              HasSubstr("it is not a tar that was packed once"));
  EXPECT_THAT(ErrorOf(Gzip("a", "a text that is no tar")), HasSubstr("it cannot be read: "));
  EXPECT_THAT(ErrorOf(Gzip("a", "")), HasSubstr("it "));
  EXPECT_THAT(ErrorOf(Gzip("a", Read(Pack("b", {{"d/libk.so", "x"}})))),
              HasSubstr("it is not a tar that was packed once with gzip"));
}

TEST_F(Archive, SizeThatIsALie_IsRefused) {
  EXPECT_THAT(ErrorOf(Gzip("big.tar.gz", TarHeader("d/libk.so", std::uint64_t{600} << 20))),
              HasSubstr("its entry d/libk.so has 629145600 bytes, the limit is 536870912"));
  EXPECT_THAT(ErrorOf(Gzip("big.tar.gz", TarHeader("d/bin_hash.cfg", std::uint64_t{2} << 20))),
              HasSubstr("its entry d/bin_hash.cfg has 2097152 bytes, the limit is 1048576"));
  EXPECT_THAT(ErrorOf(Gzip("big.tar.gz", TarHeader("d/libk.so", 5000) + std::string(600, 'x'))),
              HasSubstr("its entry d/libk.so cannot be read beyond byte "));
}

TEST_F(Archive, MoreEntriesThanAPackageHas_AreRefused) {
  std::string tar;
  for (int i = 0; i < 10'001; ++i) tar += TarHeader(fmt::format("d/{:05}", i), 0);
  EXPECT_THAT(ErrorOf(Gzip("many.tar.gz", tar + std::string(1024, '\0'))), HasSubstr("it has more than 10000 entries"));
}

TEST_F(Archive, DigestList_MustNameEveryFileWithItsDigest) {
  const auto with = [&](const std::string& list) {
    return Pack("a.tar.gz", {{"d/bin_hash.cfg", list}, {"d/libk.so", "x"}, {"d/libm.so", "y"}});
  };
  const auto contents = Contents(with(Digests({{"libk.so", "x"}, {"libm.so", "y"}})));
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_TRUE(contents->has_digests);
  EXPECT_THAT(
      ErrorOf(with(Digests({{"libk.so", "x"}, {"libm.so", "z"}}))),
      HasSubstr("file libm.so has the sha256 " + Hex(Sha256Of("y")) + ", bin_hash.cfg says " + Hex(Sha256Of("z"))));
  EXPECT_THAT(ErrorOf(with(Digests({{"libk.so", "x"}}))), HasSubstr("file libm.so is not listed in bin_hash.cfg"));
  EXPECT_THAT(ErrorOf(with(Digests({{"libk.so", "x"}, {"libm.so", "y"}, {"gone", ""}}))),
              HasSubstr("file gone is listed in bin_hash.cfg and missing"));
  EXPECT_THAT(ErrorOf(with("")), HasSubstr("file libk.so is not listed in bin_hash.cfg"));
}

TEST_F(Archive, DigestListThatIsNone_IsRefusedWithItsLine) {
  const std::string good = Digests({{"libk.so", "x"}});
  for (const auto& [list, reason] :
       {std::pair{"libk.so\n", "bin_hash.cfg line 1: libk.so: expected <file name>=<64 hexadecimal digits>"},
        std::pair{"\nlibk.so=00\n", "bin_hash.cfg line 2: libk.so=00: expected <file name>="},
        std::pair{"=\x01\n", "bin_hash.cfg line 1: =\\x01: expected "}}) {
    EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {{"d/libk.so", "x"}, {"bin_hash.cfg", list}})), HasSubstr(reason));
  }
  EXPECT_THAT(ErrorOf(Pack("a.tar.gz", {{"d/libk.so", "x"}, {"bin_hash.cfg", good + good}})),
              HasSubstr("the file is listed twice"));
  std::string upper = good.substr(0, 8);
  for (const char c : good.substr(8)) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_TRUE(Contents(Pack("a.tar.gz", {{"d/libk.so", "x"}, {"bin_hash.cfg", upper + "\r\n\n"}})));
}

TEST_F(Archive, SameBytesAgain_AreNotUnpackedAgain) {
  const std::string bytes = Noise(2 << 20);
  const std::string package = Read(Pack("a.tar.gz", {{"libk.so", bytes}, {"libm.so", "y"}}));
  const auto read = [&package](const std::string& wanted) {
    const auto start = std::chrono::steady_clock::now();
    auto contents = ReadArchive(package, "P", wanted);
    return std::pair(std::move(contents), std::chrono::steady_clock::now() - start);
  };
  const auto [first, unpacking] = read("libk.so");
  auto remembering = unpacking;
  for (int i = 0; i < 3; ++i) {
    const auto [again, time] = read("libk.so");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->wanted, bytes);
    EXPECT_EQ(again->files, first->files);
    remembering = std::min(remembering, time);
  }
  EXPECT_LT(remembering, unpacking / 2);
  EXPECT_EQ(read("libm.so").first->wanted, "y");
  EXPECT_EQ(read("none").first->wanted, std::nullopt);
}

TEST_F(Archive, OtherBytesUnderTheSameNameSizeAndTime_AreReadAnew) {
  const auto path = Pack("a.tar.gz", {{"libk.so", "old"}});
  const auto time = std::filesystem::last_write_time(path);
  const auto size = std::filesystem::file_size(path);
  EXPECT_EQ(Contents(path)->wanted, "old");
  Pack("a.tar.gz", {{"libk.so", "new"}});
  std::filesystem::last_write_time(path, time);
  ASSERT_EQ(std::filesystem::file_size(path), size);
  EXPECT_EQ(Contents(path)->wanted, "new");
  for (int other = 0; other < 10; ++other) {
    const std::string bytes = "other " + std::to_string(other);
    EXPECT_EQ(Contents(Pack("b.tar.gz", {{"libk.so", bytes}}))->wanted, bytes);
  }
  EXPECT_EQ(Contents(path)->wanted, "new") << "forgotten, and read again";
}

TEST_F(Archive, FlippedBytes_AreNoticed) {
  const std::string whole = Read(Pack("a.tar.gz", {{"d/first", Noise(300)}, {"d/libk.so", Noise(500)}}));
  // The first ten bytes of gzip hold its time and the system it was made on.
  for (std::size_t i = 10; i < whole.size(); i += 3) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
    ErrorOf(Write("flipped.tar.gz", bytes));
  }
}

}  // namespace
}  // namespace softhccl::package
