// Finding one's way among tokens without parsing C++: matching brackets, and where an expression ends on either side.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bisheng/lex.h"

namespace softhccl::bisheng {

using Tokens = std::span<const Token>;

// How many `mark` ("<" or ">") stand in a row without a blank, from `at` on.
std::size_t RunLength(Tokens tokens, std::size_t at, std::string_view mark);

// The bracket that closes the one at `open`, or opens the one at `close`; nothing when there is none. Knows () [] {}.
std::optional<std::size_t> FindClose(Tokens tokens, std::size_t open);
std::optional<std::size_t> FindOpen(Tokens tokens, std::size_t close);

// The first token of the postfix expression that ends before `end`: a name with scopes and template arguments, a
// parenthesised expression, an element or member. Nothing when there is no such expression, or it cannot be told.
std::optional<std::size_t> PostfixBegin(Tokens tokens, std::size_t end);

// Parts between commas that no bracket encloses; nothing when an angle bracket outside of brackets leaves open whether
// it encloses a comma. No tokens are no part.
std::optional<std::size_t> CountParts(Tokens tokens);

// The tokens as one line of source.
std::string Spell(Tokens tokens);

}  // namespace softhccl::bisheng
