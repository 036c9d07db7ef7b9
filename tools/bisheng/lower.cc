#include "bisheng/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "bisheng/lex.h"
#include "bisheng/token_walk.h"

namespace softhccl::bisheng {
namespace {

constexpr std::string_view kPrepare = "::softhccl_aicpu::Prepare";

// Replaces bytes of the source; never a line end, so that lines stay where they are.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

bool MarksFunction(const Token& token) {
  return token.Is("__global__") || token.Is("__aicpu__") || token.Is("__aicore__");
}

// Words whose parentheses are part of them, and not the parameters of a function.
bool TakesParentheses(const Token& token) {
  constexpr std::string_view kWords[] = {"__attribute__", "__attribute", "__declspec", "alignas",
                                         "decltype",      "__typeof__",  "typeof"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return token.Is(word); });
}

// The value of an integer literal; nothing for other numbers.
std::optional<unsigned long long> IntegerValue(std::string_view literal) {
  std::string digits;
  for (const char c : literal) {
    if (c != '\'') digits += c;
  }
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos) digits.pop_back();
  int base = 10;
  std::size_t skip = 0;
  if (digits.size() > 1 && digits[0] == '0') {
    const char kind = digits[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 8;
    skip = base == 8 ? 1 : 2;
  }
  unsigned long long value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data() + skip, end, value, base);
  if (error != std::errc() || rest != end) return {};
  return value;
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// A declaration with __global__: where its parameters are, and what its specifiers say.
struct KernelDeclaration {
  std::string name;
  bool on_aicpu = false;
  bool on_aicore = false;
  bool returns_void = false;
  bool is_definition = false;
  Tokens parameters;
};

class Lowering {
 public:
  Lowering(std::string_view source, std::string_view file, Dialect dialect)
      : source_(source), dialect_(dialect), all_(Lex(source, file)), tokens_(all_) {}

  Lowered Run() {
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.Is("<")) {
        const std::size_t run = RunLength(tokens_, at, "<");
        const bool is_operator = at > 0 && tokens_[at - 1].Is("operator");
        if (run == 3 && !is_operator) LowerLaunch(at);
        if (run > 3 && !is_operator) Error(token, fmt::format("{} '<' in a row are no launch", run));
        at += run - 1;
      } else if (MarksFunction(token)) {
        if (token.Is("__global__")) CheckKernel(at);
        if (token.Is("__aicpu__") && !HasGlobal(at)) Error(token, "__aicpu__ without __global__; kernels need both");
        Replace(token, std::string(token.text.size(), ' '));
      }
    }
    return {Apply(), std::move(errors_)};
  }

 private:
  void Error(const Token& at, std::string message) {
    errors_.push_back({std::string(at.place.file), at.place.line, std::move(message)});
  }

  void Replace(const Token& token, std::string text) { edits_.push_back({token.begin, token.end, std::move(text)}); }

  std::string Apply() {
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string text;
    std::size_t done = 0;
    for (const Edit& edit : edits_) {
      text += source_.substr(done, edit.begin - done);
      text += edit.text;
      done = edit.end;
    }
    text += source_.substr(done);
    return text;
  }

  Tokens Between(std::size_t begin, std::size_t end) const { return tokens_.subspan(begin, end - begin); }

  // The first of the three ">" of the launch that begins with the three "<" at `open`.
  std::optional<std::size_t> FindLaunchEnd(std::size_t open) {
    std::optional<std::size_t> found;
    bool saw_marks = false;
    for (std::size_t at = open + 3; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.Is("(") || token.Is("[") || token.Is("{")) {
        const auto close = FindClose(tokens_, at);
        if (!close) break;
        at = *close;
      } else if (token.Is(")") || token.Is("]") || token.Is("}") || token.Is(";") || RunLength(tokens_, at, "<") >= 3) {
        break;
      } else if (const std::size_t run = RunLength(tokens_, at, ">"); run >= 3) {
        saw_marks = true;
        at += run - 1;
        if (at + 1 >= tokens_.size() || !tokens_[at + 1].Is("(")) continue;
        if (found) {
          Error(tokens_[open],
                "more than one '>>>(' could end this launch; put parentheses around the template arguments "
                "inside of <<<>>>");
          return {};
        }
        found = at - 2;
      }
    }
    if (!found) {
      Error(tokens_[open], saw_marks ? "after >>> the kernel's arguments must follow in parentheses: (&arguments, size)"
                                     : "no >>> ends the launch that begins here");
    }
    return found;
  }

  bool CheckLaunchParts(Tokens kernel, Tokens configuration, Tokens arguments, const Token& at) {
    const std::string name = Spell(kernel);
    if (const auto parts = CountParts(configuration); parts && *parts != 3) {
      Error(at, fmt::format(
                    "the launch of {} has {} parts in <<<>>>; an AICPU kernel takes three: <<<1, nullptr, stream>>>",
                    name, *parts));
      return false;
    }
    if (const auto parts = CountParts(arguments); parts && *parts != 2) {
      Error(at,
            fmt::format("the launch of {} has {} arguments; an AICPU kernel takes two: the address of its arguments "
                        "and their size in bytes",
                        name, *parts));
      return false;
    }
    if (configuration.size() > 1 && configuration[0].kind == Token::Kind::kNumber && configuration[1].Is(",")) {
      if (const auto blocks = IntegerValue(configuration[0].text); blocks && *blocks != 1) {
        Error(at, fmt::format("the launch of {} asks for {} blocks; AICPU kernels are not split into blocks, use 1",
                              name, *blocks));
        return false;
      }
    }
    return true;
  }

  void LowerLaunch(std::size_t open) {
    const Token& at = tokens_[open];
    const auto end = FindLaunchEnd(open);
    if (!end) return;
    const auto begin = PostfixBegin(tokens_, open);
    if (!begin) return Error(at, "no kernel stands before <<<; write its name there, or an expression in parentheses");
    const auto close = FindClose(tokens_, *end + 3);
    if (!close) return Error(at, "the parenthesis after >>> is not closed");
    const Tokens kernel = Between(*begin, open);
    if (dialect_ == Dialect::kAicpu) {
      return Error(at, fmt::format("{} is launched in AICPU code; launch kernels from an .asc file", Spell(kernel)));
    }
    if (!CheckLaunchParts(kernel, Between(open + 3, *end), Between(*end + 4, *close), at)) return;
    edits_.push_back(
        {tokens_[*begin].begin, tokens_[*begin].begin, fmt::format("{}({}, (", kPrepare, Quote(Spell(kernel)))});
    edits_.push_back({at.begin, tokens_[open + 2].end, "), "});
    edits_.push_back({tokens_[*end].begin, tokens_[*end + 2].end, ")"});
  }

  // The first token of the specifier or attribute that ends with the token at `last`.
  std::optional<std::size_t> SpecifierBegin(std::size_t last) const {
    const Token& token = tokens_[last];
    if (token.IsIdentifier() || token.kind == Token::Kind::kString) return last;
    if (!token.Is(")") && !token.Is("]")) return {};
    const auto open = FindOpen(tokens_, last);
    if (!open || token.Is("]")) return open;
    return *open > 0 && TakesParentheses(tokens_[*open - 1]) ? std::optional(*open - 1) : std::nullopt;
  }

  // The first of the specifiers and attributes that stand before `at`.
  std::size_t SpecifiersBegin(std::size_t at) const {
    while (at > 0) {
      const auto begin = SpecifierBegin(at - 1);
      if (!begin) break;
      at = *begin;
    }
    return at;
  }

  // Whether __global__ stands among the specifiers around `at`.
  bool HasGlobal(std::size_t at) const {
    for (std::size_t i = SpecifiersBegin(at); i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.Is("__global__")) return true;
      if (token.Is("[") || (token.Is("(") && i > 0 && TakesParentheses(tokens_[i - 1]))) {
        const auto close = FindClose(tokens_, i);
        if (!close) return false;
        i = *close;
      } else if (!token.IsIdentifier() && token.kind != Token::Kind::kString) {
        return false;
      }
    }
    return false;
  }

  // Whether the function whose name is at `name` returns void; marks and attributes may stand between the two.
  bool ReturnsVoid(std::size_t name) const {
    while (name > 0) {
      const Token& before = tokens_[name - 1];
      if (before.Is("void")) return true;
      const bool stands_between = MarksFunction(before) || before.Is(")") || before.Is("]");
      const auto begin = stands_between ? SpecifierBegin(name - 1) : std::nullopt;
      if (!begin) return false;
      name = *begin;
    }
    return false;
  }

  // Reads the declaration whose __global__ is at `at`; nothing when no parameters follow.
  std::optional<KernelDeclaration> ReadDeclaration(std::size_t at) const {
    KernelDeclaration declaration;
    const auto note = [&declaration](const Token& token) {
      declaration.on_aicpu = declaration.on_aicpu || token.Is("__aicpu__");
      declaration.on_aicore = declaration.on_aicore || token.Is("__aicore__") || token.Is("aicore");
    };
    for (std::size_t before = SpecifiersBegin(at); before < at; ++before) note(tokens_[before]);
    for (; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      note(token);
      if (token.Is(";") || token.Is("{") || token.Is("}")) return {};
      if (!token.Is("(") && !token.Is("[")) continue;
      const auto close = FindClose(tokens_, at);
      if (!close) return {};
      for (std::size_t inner = at; token.Is("[") && inner < *close; ++inner) note(tokens_[inner]);
      if (token.Is("[") || TakesParentheses(tokens_[at - 1])) {
        at = *close;
        continue;
      }
      declaration.name = std::string(tokens_[at - 1].text);
      declaration.returns_void = ReturnsVoid(at - 1);
      declaration.parameters = Between(at + 1, *close);
      std::size_t after = *close + 1;
      while (after < tokens_.size() && !tokens_[after].Is(";") && !tokens_[after].Is("{")) ++after;
      declaration.is_definition = after < tokens_.size() && tokens_[after].Is("{");
      return declaration;
    }
    return {};
  }

  void CheckKernel(std::size_t at) {
    const Token& token = tokens_[at];
    const auto declaration = ReadDeclaration(at);
    if (!declaration) return Error(token, "__global__ stands before no function");
    const std::string& name = declaration->name;
    if (declaration->on_aicore) {
      return Error(token,
                   fmt::format("{} is a kernel for the AI core (__aicore__), which SoftHCCL does not have; it runs "
                               "AICPU kernels: __global__ __aicpu__",
                               name));
    }
    if (!declaration->on_aicpu) {
      return Error(token,
                   fmt::format("{} is a kernel without __aicpu__, so one for the AI core, which SoftHCCL does not "
                               "have; it runs AICPU kernels: __global__ __aicpu__",
                               name));
    }
    if (declaration->returns_void) {
      return Error(token,
                   fmt::format("the AICPU kernel {} returns void; it must return a number, 0 for success", name));
    }
    const auto parts = CountParts(declaration->parameters);
    const bool only_void = declaration->parameters.size() == 1 && declaration->parameters[0].Is("void");
    if ((parts && *parts != 1) || only_void) {
      return Error(token,
                   fmt::format("the AICPU kernel {} has {} parameters; it must have one, a pointer to its arguments",
                               name, only_void ? 0 : *parts));
    }
    if (declaration->is_definition && dialect_ == Dialect::kAsc) {
      Error(token,
            fmt::format("the AICPU kernel {} is defined in host code; define it in an .aicpu file and declare it "
                        "here with extern",
                        name));
    }
  }

  std::string_view source_;
  Dialect dialect_;
  std::vector<Token> all_;
  Tokens tokens_;
  std::vector<Edit> edits_;
  std::vector<LoweringError> errors_;
};

}  // namespace

Lowered Lower(std::string_view source, std::string_view file, Dialect dialect) {
  return Lowering(source, file, dialect).Run();
}

}  // namespace softhccl::bisheng
