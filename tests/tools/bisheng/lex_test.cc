// What is a token, what only looks like one, and which line it is on.
#include "bisheng/lex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softhccl::bisheng {
namespace {

std::vector<std::string> Texts(std::string_view source) {
  std::vector<std::string> texts;
  for (const Token& token : Lex(source, "a.asc")) texts.emplace_back(token.text);
  return texts;
}

using Words = std::vector<std::string>;

TEST(LexTest, Code_NamesNumbersPunctuators) {
  EXPECT_EQ(Texts("k<T><<<1, s->x::y>>>(&a)"), (Words{"k", "<",  "T", ">", "<", "<", "<", "1", ",", "s", "->",
                                                      "x", "::", "y", ">", ">", ">", "(", "&", "a", ")"}));
  EXPECT_EQ(Texts("a<=>b"), (Words{"a", "<=>", "b"}));
  EXPECT_EQ(Texts("é_ñ $x"), (Words{"é_ñ", "$x"}));
}

TEST(LexTest, Numbers_SeparatorsExponentsSuffixes) {
  EXPECT_EQ(Texts("1'000'000 0x1.8p-3 .5e+7f 10ull 1..2"), (Words{"1'000'000", "0x1.8p-3", ".5e+7f", "10ull", "1..2"}));
  EXPECT_EQ(Texts("f(1,'a')"), (Words{"f", "(", "1", ",", "'a'", ")"}));
}

TEST(LexTest, Strings_AreOneTokenWithTheirPrefix) {
  EXPECT_EQ(Texts(R"(x = "a<<<b" u8"\"" L'\'' U"\\";)"),
            (Words{"x", "=", "\"a<<<b\"", R"(u8"\"")", "L'\\''", R"(U"\\")", ";"}));
  EXPECT_EQ(Texts("R\"x(a)\" )y\" )x\" + b"), (Words{"R\"x(a)\" )y\" )x\"", "+", "b"}));
  EXPECT_EQ(Texts("u8R\"(\n\\)\"b"), (Words{"u8R\"(\n\\)\"", "b"}));
  EXPECT_EQ(Texts("aR\"(x\" b"), (Words{"aR", "\"(x\"", "b"})) << "aR is a name";
}

TEST(LexTest, UnclosedString_EndsWithItsLine) {
  EXPECT_EQ(Texts("\"abc\nd"), (Words{"\"abc", "d"}));
  EXPECT_EQ(Texts("'"), (Words{"'"}));
  EXPECT_EQ(Texts("\"\\"), (Words{"\"\\"}));
  EXPECT_EQ(Texts("R\"(a"), (Words{"R\"(a"}));
}

TEST(LexTest, Comments_AreNoTokens) {
  EXPECT_EQ(Texts("a // <<< ' \" \\\n still <<<\nb /* \n <<< * / \" */ c /**/ d"), (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(Texts("a /* open"), (Words{"a"}));
  EXPECT_EQ(Texts("\"/*\" a '//' b"), (Words{"\"/*\"", "a", "'//'", "b"}));
}

TEST(LexTest, Directives_AreNoTokens) {
  EXPECT_EQ(Texts("#define A <<< \\\n more <<<\nb\n  # /* x\n <<< */ pragma <<<\nc # d"), (Words{"b", "c", "#", "d"}));
  EXPECT_EQ(Texts("#error don't \" <<<\nx"), (Words{"x"}));
  EXPECT_EQ(Texts("#include \"a\\b//c\" // <<<\nx"), (Words{"x"}));
}

TEST(LexTest, Continuation_JoinsLinesAndCountsThem) {
  const auto tokens = Lex("a \\\n b\\\r\nc na\\\nme\nd", "f");
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[1].text, "b\\\r\nc");
  EXPECT_EQ(tokens[1].place.line, 2u);
  EXPECT_EQ(tokens[2].text, "na\\\nme");
  EXPECT_EQ(tokens[3].place.line, 5u);
}

TEST(LexTest, Lines_CountInRawStringsAndComments) {
  const auto tokens = Lex("R\"(\n\n)\" /*\n*/ a", "f");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].place.line, 1u);
  EXPECT_EQ(tokens[1].place.line, 4u);
}

TEST(LexTest, LineDirectives_AreFollowed) {
  const auto tokens =
      Lex("a\n# 40 \"dir/b.h\" 1 3\nb\n\nc\n#line 7\nd\n # line 9 \"e.h\"\nf\n#pragma once 3\ng", "f.asc");
  ASSERT_EQ(tokens.size(), 6u);
  EXPECT_EQ(tokens[0].place.file, "f.asc");
  EXPECT_EQ(tokens[1].place.file, "dir/b.h");
  EXPECT_EQ(tokens[1].place.line, 40u);
  EXPECT_EQ(tokens[2].place.line, 42u);
  EXPECT_EQ(tokens[3].place.line, 7u);
  EXPECT_EQ(tokens[3].place.file, "dir/b.h");
  EXPECT_EQ(tokens[4].place.line, 9u);
  EXPECT_EQ(tokens[4].place.file, "e.h");
  EXPECT_EQ(tokens[5].place.line, 11u);
}

TEST(LexTest, AnyBytes_EndAndCoverTheText) {
  std::string bytes;
  std::uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525u + 1013904223u;
    bytes += "\"'\\/*#<>R(){}\nab0. u8"[state >> 24 & 15u];
  }
  std::size_t last = 0;
  for (const Token& token : Lex(bytes, "f")) {
    ASSERT_GE(token.begin, last);
    ASSERT_GT(token.end, token.begin);
    last = token.end;
  }
  EXPECT_LE(last, bytes.size());
}

}  // namespace
}  // namespace softhccl::bisheng
