// C++ source as tokens: enough of the language to know what is code and what only looks like it. Text in strings,
// characters, comments and directives is never a token that the lowering could take for a launch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace softhccl::bisheng {

// Where a token stands for the user: line directives of the preprocessor are followed.
struct Place {
  std::string_view file;  // in the text or in the name that was given to Lex
  std::size_t line = 0;   // from 1
};

struct Token {
  // kPunctuator: one character, except "::", "->" and "<=>", so that angle brackets can be counted.
  enum class Kind { kIdentifier, kNumber, kString, kCharacter, kPunctuator };
  Kind kind = Kind::kPunctuator;
  std::size_t begin = 0;  // bytes of the source
  std::size_t end = 0;
  std::string_view text;
  Place place;

  bool Is(std::string_view wanted) const { return text == wanted; }
  bool IsIdentifier() const { return kind == Kind::kIdentifier; }
  bool Touches(const Token& next) const { return end == next.begin; }
};

// The tokens of `source`, which must outlive them, as must `file`. Never fails: what is not closed ends with its line
// (a string) or with the text (a comment, a raw string); the compiler says what is wrong with it.
std::vector<Token> Lex(std::string_view source, std::string_view file);

}  // namespace softhccl::bisheng
