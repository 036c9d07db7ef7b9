// The JSON reader: values know their line and field, bad ones are named, and hostile texts are refused, not followed.
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace softhccl::base {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

JsonValue Read(std::string_view text) {
  auto parsed = JsonValue::Parse(text, "file.json");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message());
  return *parsed;
}

std::string Problem(std::string_view text) {
  const auto parsed = JsonValue::Parse(text, "file.json");
  EXPECT_FALSE(parsed) << text;
  return parsed ? "" : parsed.error().message();
}

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().code(), Code::kInvalidParam);
  return result.error().message();
}

TEST(JsonValue, Members_AreFoundWithTheirLines) {
  const JsonValue value = Read("{\n  \"a\": 12\n,\n\n \"b\": [ \"x\",\n {\"c\":\n 0}]}");
  EXPECT_EQ(value.line(), 1);
  EXPECT_EQ(value.Member("a")->line(), 2) << "a number ends only at the next character, here on line 3";
  EXPECT_EQ(*value.Member("a")->Unsigned(0, 12), 12u);
  const std::vector<JsonValue> elements = *value.Member("b")->Elements();
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(*elements[0].String(), "x");
  EXPECT_EQ(elements[1].Member("c")->line(), 7);
  EXPECT_FALSE(value.Find("d")->has_value());
}

TEST(JsonValue, WrongTypeOrRange_NamesLineFieldValueAndWhatIsExpected) {
  const JsonValue value = Read("{\"list\": [1,\n\"two\", -3, 4.5, null, true, {}]}");
  const std::vector<JsonValue> list = *value.Member("list")->Elements();
  EXPECT_EQ(ErrorOf(list[0].String()), "file.json:1: list[0]: is the number 1, expected a text");
  EXPECT_EQ(ErrorOf(list[0].Unsigned(2, 8)), "file.json:1: list[0]: is the number 1, expected an integer from 2 to 8");
  EXPECT_EQ(ErrorOf(list[1].Unsigned(0, 8)),
            "file.json:2: list[1]: is the text \"two\", expected an integer from 0 to 8");
  EXPECT_THAT(ErrorOf(list[2].Unsigned(0, 8)), HasSubstr("is the number -3"));
  EXPECT_THAT(ErrorOf(list[3].Unsigned(0, 8)), HasSubstr("is the number 4.5"));
  EXPECT_THAT(ErrorOf(list[4].Elements()), HasSubstr("is null, expected an array"));
  EXPECT_THAT(ErrorOf(list[5].Member("x")), HasSubstr("is true or false, expected an object"));
  EXPECT_EQ(ErrorOf(list[6].Member("x")), "file.json:2: list[6]: \"x\" is missing");
  EXPECT_EQ(ErrorOf(value.Member("x")), "file.json:1: \"x\" is missing");
  EXPECT_THAT(value.Member("list")->OnlyMembers({}).message(), HasSubstr("is an array, expected an object"));
}

TEST(JsonValue, UnknownMember_IsNamedWithTheKnownOnes) {
  const JsonValue value = Read("{\"a\": 1,\n\"inner\": {\"b\": 2}}");
  EXPECT_TRUE(value.OnlyMembers({"inner", "a"}).ok());
  EXPECT_EQ(value.OnlyMembers({"a", "c"}).message(), "file.json:2: inner: is not known here; known are a, c");
  EXPECT_THAT(value.Member("inner")->OnlyMembers({"c"}).message(), StartsWith("file.json:2: inner.b: is not known"));
}

TEST(JsonValue, BrokenText_NamesTheLine) {
  EXPECT_THAT(Problem(""), StartsWith("file.json:1: not valid JSON: "));
  EXPECT_THAT(Problem("{\n\"a\" 1}"), StartsWith("file.json:2: not valid JSON: "));
  EXPECT_THAT(Problem("[1,\n\n2"), StartsWith("file.json:3: not valid JSON: "));
  EXPECT_THAT(Problem("[1] x"), HasSubstr("not valid JSON"));
  EXPECT_THAT(Problem("[1e999]"), HasSubstr("not valid JSON"));
  EXPECT_THAT(Problem("[\"\xff\"]"), HasSubstr("not valid JSON"));
  EXPECT_EQ(Problem("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"), "file.json:3: member \"a\" is there already, on line 1");
}

TEST(JsonValue, DeepNesting_IsRefused) {
  const int limit = JsonValue::kMaxDepth;
  Read(std::string(limit, '[') + std::string(limit, ']'));
  EXPECT_THAT(Problem(std::string(1'000'000, '[')), EndsWith("nested deeper than 32 levels"));
}

TEST(ReadTextFile, FileOrFolderOrNothing_IsReadOrNamed) {
  char name[] = "/tmp/softhccl_json_XXXXXX";
  const int descriptor = ::mkstemp(name);
  ASSERT_GE(descriptor, 0);
  ::close(descriptor);
  std::ofstream(name) << std::string(20000, 'x');
  EXPECT_EQ(ReadTextFile(name)->size(), 20000u);
  EXPECT_EQ(ReadTextFile(name, 19999).error().message(), fmt::format("cannot read {}: the file is too large", name));
  ::unlink(name);
  EXPECT_EQ(ReadTextFile(name).error().message(), fmt::format("cannot read {}: No such file or directory", name));
  EXPECT_EQ(ReadTextFile(name).error().code(), Code::kFileError);
  EXPECT_THAT(ReadTextFile("/tmp").error().message(), EndsWith("Is a directory"));
}

}  // namespace
}  // namespace softhccl::base
