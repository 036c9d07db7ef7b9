// Parsing descriptors: what the article shows, and every way in which the JSON can be wrong or hostile.
#include "package/descriptor.h"

#include <fmt/format.h>

#include "package_fixture.h"

namespace softhccl::package {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Entry(const std::string& kernel, const std::string& library, const std::string& symbol) {
  return fmt::format(R"("{}":{{"opInfo":{{"opKernelLib":"AICPUKernel","kernelSo":"{}","functionName":"{}"}}}})", kernel,
                     library, symbol);
}

class Descriptor : public PackageTest {
 protected:
  std::string ErrorOf(const std::string& text) {
    const auto entries = ParseDescriptor(text, "/d/k.json");
    EXPECT_FALSE(entries) << text.substr(0, 100);
    if (entries) return "";
    EXPECT_EQ(entries.error().code(), base::Code::kFileError);
    return entries.error().message();
  }
};

TEST_F(Descriptor, TheArticlesForm_IsRead) {
  const auto entries = ParseDescriptor(
      R"({"HcclLaunch": {"opInfo": {"opKernelLib": "AICPUKernel", "kernelSo": "libp2p-1.0_x.so",
          "functionName": "Launch", "userDefined": "True", "more": 1}}, "Skipped": {"other": []}})",
      "/d/k.json");
  ASSERT_TRUE(entries) << entries.error().message();
  ASSERT_THAT(*entries, SizeIs(1));
  EXPECT_EQ(entries->front().kernel_name, "HcclLaunch");
  EXPECT_EQ(entries->front().library_name, "libp2p-1.0_x.so");
  EXPECT_EQ(entries->front().symbol, "Launch");
  EXPECT_EQ(entries->front().kernel_lib, "AICPUKernel");
  EXPECT_THAT(ParseDescriptor("{}", "p").value(), IsEmpty());
}

TEST_F(Descriptor, WrongSyntax_NamesFileLineAndColumn) {
  EXPECT_THAT(ErrorOf("{\n  \"a\": {,}\n}"), StartsWith("descriptor /d/k.json: line 2, column 9: syntax error"));
  EXPECT_THAT(ErrorOf(""), StartsWith("descriptor /d/k.json: line 1, column 1: "));
  EXPECT_THAT(ErrorOf("{} {}"), HasSubstr("line 1, column 4: "));
  EXPECT_THAT(ErrorOf("{\"a\": \"\xff\"}"), HasSubstr("invalid string"));
  EXPECT_THAT(ErrorOf(std::string("{\"a\0\": {}}", 10)), HasSubstr("control character U+0000"));
  EXPECT_THAT(ErrorOf("{\"" + std::string(1'000'000, 'x')), SizeIs(testing::Lt(400u)));
}

TEST_F(Descriptor, TruncatedAnywhere_IsAnError) {
  const std::string text = fmt::format("{{{}}}", Entry("K", "libk.so", "F"));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(ErrorOf(text.substr(0, size)), HasSubstr("/d/k.json: line 1, column "));
  }
}

TEST_F(Descriptor, NestingBomb_IsAnError) {
  EXPECT_EQ(ErrorOf(std::string(16'000'000, '[')), "descriptor /d/k.json: nested deeper than the limit of 32 levels");
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(ErrorOf(objects), "descriptor /d/k.json: nested deeper than the limit of 32 levels");
}

TEST_F(Descriptor, WrongTypes_NameTheKernelAndTheType) {
  EXPECT_EQ(ErrorOf("[]"), "descriptor /d/k.json: the top level must be an object, it is of type array");
  EXPECT_EQ(ErrorOf("3"), "descriptor /d/k.json: the top level must be an object, it is of type number");
  EXPECT_EQ(ErrorOf(R"({"K": 3})"), "descriptor /d/k.json: kernel 'K' must be an object, it is of type number");
  EXPECT_EQ(ErrorOf(R"({"K": {"opInfo": []}})"),
            "descriptor /d/k.json: kernel 'K': opInfo must be an object, it is of type array");
  EXPECT_EQ(ErrorOf(R"({"K": {"opInfo": {"kernelSo": 1}}})"),
            "descriptor /d/k.json: kernel 'K': kernelSo must be a string, it is of type number");
  EXPECT_EQ(ErrorOf(R"({"K": {"opInfo": {"userDefined": true}}})"),
            "descriptor /d/k.json: kernel 'K': userDefined must be a string, it is of type boolean");
  EXPECT_EQ(ErrorOf(R"({"K": {"opInfo": {"functionName": "a\u0000b"}}})"),
            "descriptor /d/k.json: kernel 'K': functionName contains a zero byte");
}

TEST_F(Descriptor, LibraryWithAFolder_IsRefused) {
  for (const std::string name : {"../libk.so", "/lib/libk.so", "a/b", "..", ".", "lib k.so", "lib\\u00e9.so"}) {
    EXPECT_THAT(ErrorOf(fmt::format("{{{}}}", Entry("K", name, "F"))),
                HasSubstr("must be a file name of letters, digits, '-', '_' and '.', without a folder"));
  }
}

TEST_F(Descriptor, MissingFieldOrRepeatedKernel_WarnsAndKeeps) {
  const auto entries = ParseDescriptor(
      fmt::format(R"({{{},{},"B":{{"opInfo":{{}}}}}})", Entry("A", "liba.so", "F"), Entry("A", "libb.so", "F")),
      "/d/k.json");
  ASSERT_TRUE(entries);
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_EQ(entries->front().library_name, "libb.so");
  EXPECT_THAT(TakeWarnings(),
              ElementsAre("descriptor /d/k.json: kernel 'A' is described more than once; the last one counts",
                          "descriptor /d/k.json: kernel 'B': kernelSo is missing, so the kernel will fail when it is "
                          "used"));
}

}  // namespace
}  // namespace softhccl::package
