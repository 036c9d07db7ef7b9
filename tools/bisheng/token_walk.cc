#include "bisheng/token_walk.h"

#include <algorithm>
#include <string_view>

namespace softhccl::bisheng {
namespace {

bool Opens(const Token& token) { return token.Is("(") || token.Is("[") || token.Is("{"); }
bool Closes(const Token& token) { return token.Is(")") || token.Is("]") || token.Is("}"); }
bool IsPair(const Token& open, const Token& close) {
  return (open.Is("(") && close.Is(")")) || (open.Is("[") && close.Is("]")) || (open.Is("{") && close.Is("}"));
}

// Words after which an expression begins; as a name they would be taken for a function that is called.
bool IsKeyword(const Token& token) {
  constexpr std::string_view kWords[] = {"return", "case",   "else", "do",     "throw",    "co_return", "co_yield",
                                         "if",     "while",  "for",  "switch", "and",      "or",        "not",
                                         "sizeof", "delete", "new",  "goto",   "operator", "co_await",  "typeof"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return token.Is(word); });
}

// The "<" of the template arguments that end with the ">" at `close`. Two "<" that touch are a shift: no template
// argument begins with "<".
std::optional<std::size_t> FindTemplateOpen(Tokens tokens, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    const Token& token = tokens[at];
    if (Closes(token)) {
      const auto open = FindOpen(tokens, at);
      if (!open) return {};
      at = *open;
    } else if (Opens(token) || token.Is(";")) {
      return {};
    } else if (token.Is(">")) {
      ++depth;
    } else if (token.Is("<")) {
      if (at > 0 && tokens[at - 1].Is("<") && tokens[at - 1].Touches(token)) {
        --at;
      } else if (--depth == 0) {
        return at;
      }
    }
  }
  return {};
}

// The name, parenthesised expression or element that ends with the token at `last`.
std::optional<std::size_t> PrimaryBegin(Tokens tokens, std::size_t last) {
  for (;;) {
    const Token& token = tokens[last];
    if (token.IsIdentifier()) return IsKeyword(token) ? std::optional<std::size_t>() : last;
    std::optional<std::size_t> open;
    if (token.Is(">")) {
      open = FindTemplateOpen(tokens, last);
      if (!open || *open == 0 || !tokens[*open - 1].IsIdentifier()) return {};
    } else if (token.Is(")") || token.Is("]")) {
      open = FindOpen(tokens, last);
      if (!open) return {};
      const bool is_call_or_element =
          *open > 0 && ((tokens[*open - 1].IsIdentifier() && !IsKeyword(tokens[*open - 1])) ||
                        (token.Is("]") && (tokens[*open - 1].Is("]") || tokens[*open - 1].Is(")"))));
      if (!is_call_or_element) return token.Is(")") ? open : std::nullopt;
    } else {
      return {};
    }
    last = *open - 1;
  }
}

}  // namespace

std::size_t RunLength(Tokens tokens, std::size_t at, std::string_view mark) {
  std::size_t length = 0;
  while (at + length < tokens.size() && tokens[at + length].Is(mark) &&
         (length == 0 || tokens[at + length - 1].Touches(tokens[at + length]))) {
    ++length;
  }
  return length;
}

std::optional<std::size_t> FindClose(Tokens tokens, std::size_t open) {
  std::vector<std::size_t> stack;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (Opens(tokens[at])) stack.push_back(at);
    if (!Closes(tokens[at])) continue;
    if (!IsPair(tokens[stack.back()], tokens[at])) return {};
    stack.pop_back();
    if (stack.empty()) return at;
  }
  return {};
}

std::optional<std::size_t> FindOpen(Tokens tokens, std::size_t close) {
  std::vector<std::size_t> stack;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (Closes(tokens[at])) stack.push_back(at);
    if (!Opens(tokens[at])) continue;
    if (!IsPair(tokens[at], tokens[stack.back()])) return {};
    stack.pop_back();
    if (stack.empty()) return at;
  }
  return {};
}

std::optional<std::size_t> PostfixBegin(Tokens tokens, std::size_t end) {
  if (end == 0) return {};
  auto begin = PrimaryBegin(tokens, end - 1);
  while (begin && *begin > 0) {
    const Token& before = tokens[*begin - 1];
    if (before.Is("template")) {
      --*begin;
    } else if (before.Is("::")) {
      // A name or template-id may stand before the scope; otherwise it is the global one.
      const bool has_scope = *begin > 1 && ((tokens[*begin - 2].IsIdentifier() && !IsKeyword(tokens[*begin - 2])) ||
                                            tokens[*begin - 2].Is(">"));
      begin = has_scope ? PrimaryBegin(tokens, *begin - 2) : *begin - 1;
    } else if (before.Is("->") || before.Is(".")) {
      if (*begin < 2) return {};
      begin = PrimaryBegin(tokens, *begin - 2);
    } else {
      break;
    }
  }
  return begin;
}

std::optional<std::size_t> CountParts(Tokens tokens) {
  std::size_t commas = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (Opens(tokens[at])) {
      const auto close = FindClose(tokens, at);
      if (!close) return {};
      at = *close;
    } else if (tokens[at].Is("<") || tokens[at].Is(">")) {
      return {};
    } else if (tokens[at].Is(",")) {
      ++commas;
    }
  }
  return tokens.empty() ? 0 : commas + 1;
}

std::string Spell(Tokens tokens) {
  std::string text;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const bool both_words =
        at > 0 && tokens[at - 1].kind != Token::Kind::kPunctuator && tokens[at].kind != Token::Kind::kPunctuator;
    if (both_words || (at > 0 && tokens[at - 1].Is(","))) text += ' ';
    text += tokens[at].text;
  }
  for (const std::string_view hidden : {"\\\r\n", "\\\n"}) {  // lines that a backslash joins
    for (std::size_t at = text.find(hidden); at != text.npos; at = text.find(hidden)) text.erase(at, hidden.size());
  }
  return text;
}

}  // namespace softhccl::bisheng
