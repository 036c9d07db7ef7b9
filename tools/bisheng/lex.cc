// One pass over the text. A backslash at the end of a line joins it with the next one everywhere but in raw strings.
#include "bisheng/lex.h"

#include <array>
#include <charconv>

namespace softhccl::bisheng {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsName(char c) { return IsNameStart(c) || IsDigit(c); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

// "" for names that are no prefix of a string; "R" is part of the raw ones.
bool IsStringPrefix(std::string_view name) {
  for (const std::string_view prefix : {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}) {
    if (name == prefix) return true;
  }
  return false;
}

class Lexer {
 public:
  Lexer(std::string_view source, std::string_view file) : source_(source), place_{file, 1} {}

  std::vector<Token> Run() {
    while (at_ < source_.size()) Step();
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void Step() {
    const char c = Peek();
    if (c == '\n') {
      ++at_;
      ++place_.line;
      fresh_line_ = true;
    } else if (IsBlank(c) || AtContinuation()) {
      Advance();
    } else if (c == '/' && Peek(1) == '/') {
      SkipLineComment();
    } else if (c == '/' && Peek(1) == '*') {
      SkipBlockComment();
    } else if (c == '#' && fresh_line_) {
      Directive();
    } else {
      fresh_line_ = false;
      Word();
    }
  }

  // One character, or a backslash with the line end that it hides.
  void Advance() {
    if (const std::size_t length = ContinuationLength(); length > 0) {
      at_ += length;
      ++place_.line;
    } else {
      ++at_;
    }
  }
  bool AtContinuation() const { return ContinuationLength() > 0; }
  std::size_t ContinuationLength() const {
    if (Peek() != '\\') return 0;
    if (Peek(1) == '\n') return 2;
    return Peek(1) == '\r' && Peek(2) == '\n' ? 3 : 0;
  }

  void SkipLineComment() {
    while (at_ < source_.size() && Peek() != '\n') Advance();
  }
  void SkipBlockComment() {
    at_ += 2;
    while (at_ < source_.size() && !(Peek() == '*' && Peek(1) == '/')) {
      if (Peek() == '\n') ++place_.line;
      ++at_;
    }
    at_ = std::min(at_ + 2, source_.size());
  }

  // A directive ends with its line; comments and strings in it may hide the end or a comment. Returns its first line.
  void Directive() {
    const std::size_t begin = at_;
    const std::size_t line = place_.line;
    while (at_ < source_.size() && Peek() != '\n') {
      if (Peek() == '/' && Peek(1) == '*') {
        SkipBlockComment();
      } else if (Peek() == '/' && Peek(1) == '/') {
        SkipLineComment();
      } else if (Peek() == '"') {
        Quoted('"');
      } else {
        Advance();
      }
    }
    if (place_.line == line) FollowLineDirective(source_.substr(begin, at_ - begin));
  }

  // # 12 "file" 3   or   #line 12 "file": what follows is line 12 of that file.
  void FollowLineDirective(std::string_view text) {
    text.remove_prefix(1);
    const auto skip_blanks = [&text] {
      while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
    };
    skip_blanks();
    if (text.substr(0, 4) == "line") text.remove_prefix(4);
    skip_blanks();
    std::size_t line = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), line);
    if (error != std::errc()) return;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    skip_blanks();
    if (!text.empty() && text.front() != '"') return;
    // The line end that follows counts once more.
    place_.line = line == 0 ? 0 : line - 1;
    const std::size_t quote = text.empty() ? text.npos : text.find('"', 1);
    if (quote != text.npos) place_.file = text.substr(1, quote - 1);
  }

  void Quoted(char quote) {
    Advance();
    while (at_ < source_.size() && Peek() != quote && Peek() != '\n') {
      if (Peek() == '\\' && !AtContinuation()) ++at_;
      if (at_ < source_.size() && Peek() != '\n') Advance();
    }
    if (Peek() == quote) ++at_;
  }

  // R"delimiter( ... )delimiter"
  void RawString() {
    const std::size_t open = source_.find('(', at_);
    if (open == source_.npos || open - at_ > 17) return Quoted('"');
    std::string end = ")";
    end += source_.substr(at_ + 1, open - at_ - 1);
    end += '"';
    const std::size_t close = source_.find(end, open);
    const std::size_t stop = close == source_.npos ? source_.size() : close + end.size();
    for (; at_ < stop; ++at_) {
      if (source_[at_] == '\n') ++place_.line;
    }
  }

  void Number() {
    while (at_ < source_.size()) {
      const char c = Peek();
      const bool is_sign =
          (c == '+' || c == '-') && std::string_view("eEpP").find(source_[at_ - 1]) != std::string_view::npos;
      const bool is_separator = c == '\'' && IsName(Peek(1));
      if (!IsName(c) && c != '.' && !is_sign && !is_separator) return;
      ++at_;
    }
  }

  void Punctuator() {
    for (const std::string_view wide : {"<=>", "::", "->"}) {
      if (source_.substr(at_, wide.size()) == wide) {
        at_ += wide.size();
        return;
      }
    }
    ++at_;
  }

  void Word() {
    Token token;
    token.begin = at_;
    token.place = place_;
    const char c = Peek();
    if (IsNameStart(c)) {
      while (at_ < source_.size() && (IsName(Peek()) || (AtContinuation() && IsName(AfterContinuation())))) Advance();
      token.kind = Token::Kind::kIdentifier;
      const std::string_view name = source_.substr(token.begin, at_ - token.begin);
      if ((Peek() == '"' || Peek() == '\'') && IsStringPrefix(name)) {
        token.kind = Peek() == '"' ? Token::Kind::kString : Token::Kind::kCharacter;
        if (name.back() == 'R' && Peek() == '"') {
          RawString();
        } else {
          Quoted(Peek());
        }
      }
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      ++at_;
      Number();
      token.kind = Token::Kind::kNumber;
    } else if (c == '"' || c == '\'') {
      Quoted(c);
      token.kind = c == '"' ? Token::Kind::kString : Token::Kind::kCharacter;
    } else {
      Punctuator();
    }
    token.end = at_;
    token.text = source_.substr(token.begin, at_ - token.begin);
    tokens_.push_back(token);
  }
  char AfterContinuation() const { return Peek(ContinuationLength()); }

  std::string_view source_;
  std::size_t at_ = 0;
  Place place_;
  bool fresh_line_ = true;  // nothing but blanks and comments since the line began
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Lex(std::string_view source, std::string_view file) { return Lexer(source, file).Run(); }

}  // namespace softhccl::bisheng
