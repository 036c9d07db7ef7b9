// Launches and marks of kernels become plain C++, on the same lines; what only looks like a launch stays; what cannot
// be lowered is an error with file and line.
#include "bisheng/lower.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace softhccl::bisheng {
namespace {

std::string Asc(std::string_view source) {
  const Lowered lowered = Lower(source, "a.asc", Dialect::kAsc);
  for (const LoweringError& error : lowered.errors) ADD_FAILURE() << error.line << ": " << error.message;
  EXPECT_EQ(std::count(lowered.text.begin(), lowered.text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  return lowered.text;
}

// "<file>:<line>: <message>", one line per error.
std::string Errors(std::string_view source, Dialect dialect = Dialect::kAsc) {
  std::string text;
  for (const LoweringError& error : Lower(source, "a.asc", dialect).errors) {
    text += fmt::format("{}{}:{}: {}", text.empty() ? "" : "\n", error.file, error.line, error.message);
  }
  return text;
}

std::string Call(std::string_view kernel, std::string_view configuration, std::string_view arguments,
                 std::string_view name = "") {
  return fmt::format("::softhccl_aicpu::Prepare(\"{}\", ({}), {})({})", name.empty() ? kernel : name, kernel,
                     configuration, arguments);
}

TEST(LowerTest, Launch_BecomesACall) {
  EXPECT_EQ(Asc("k<<<1, nullptr, stream>>>(&a, sizeof(a));"), Call("k", "1, nullptr, stream", "&a, sizeof(a)") + ";");
  EXPECT_EQ(Asc("k <<< n, nullptr, s >>> (p, 8);"), "::softhccl_aicpu::Prepare(\"k\", (k ),  n, nullptr, s ) (p, 8);");
}

TEST(LowerTest, LaunchOverLines_KeepsThem) {
  EXPECT_EQ(Asc("k\n<<<1,\n nullptr,\n s>>>\n(&a,\n 8);\nnext"),
            "::softhccl_aicpu::Prepare(\"k\", (k\n), 1,\n nullptr,\n s)\n(&a,\n 8);\nnext");
}

TEST(LowerTest, LaunchAfterKeyword_KernelOnly) {
  EXPECT_EQ(Asc("if (x) k<<<1, nullptr, s>>>(a, n); else k<<<1, nullptr, s>>>(b, n);"),
            "if (x) " + Call("k", "1, nullptr, s", "a, n") + "; else " + Call("k", "1, nullptr, s", "b, n") + ";");
  EXPECT_EQ(Asc("return k<<<1, nullptr, s>>>(a, n);"), "return " + Call("k", "1, nullptr, s", "a, n") + ";");
  EXPECT_EQ(Asc("if (x) (k)<<<1, nullptr, s>>>(a, n);"), "if (x) " + Call("(k)", "1, nullptr, s", "a, n") + ";");
}

TEST(LowerTest, KernelNames_ScopesAndTemplates) {
  for (const char* kernel : {"ns::k", "::k", "::a::b::k", "k<int>", "k<3, T>", "a::k<b::c<int>>", "a<int>::k",
                             "k<(1 > 0)>", "k<sizeof(int) << 1>", "k<f<1>::g<2>>", "t[1]", "t[f(1)][2]", "pick(3)",
                             "a.k", "p->k", "(x ? k : l)", "k<decltype(a->b)>", "a::template k<1>"}) {
    std::string name = kernel;
    if (name == "k<sizeof(int) << 1>") name = "k<sizeof(int)<<1>";
    if (name == "k<(1 > 0)>") name = "k<(1>0)>";
    if (name == "(x ? k : l)") name = "(x?k:l)";
    EXPECT_EQ(Asc(fmt::format("{{ {}<<<1, nullptr, s>>>(a, n); }}", kernel)),
              fmt::format("{{ {}; }}", Call(kernel, "1, nullptr, s", "a, n", name)));
  }
}

TEST(LowerTest, TemplatesAround_AreLeftAlone) {
  EXPECT_EQ(Asc("std::vector<std::vector<std::vector<int>>> v(3); k<<<1, nullptr, s>>>(a, n);"),
            "std::vector<std::vector<std::vector<int>>> v(3); " + Call("k", "1, nullptr, s", "a, n") + ";");
  EXPECT_EQ(Asc("k<<<1, nullptr, pick<0>(x)>>>(a, n);"), Call("k", "1, nullptr, pick<0>(x)", "a, n") + ";");
  EXPECT_EQ(Asc("k<<<1, nullptr, stream_of<0>>>>(a, n);"), Call("k", "1, nullptr, stream_of<0>", "a, n") + ";");
  EXPECT_EQ(Asc("k<<<1, nullptr, s>>>(as<A<B<int>>>(p), n);"), Call("k", "1, nullptr, s", "as<A<B<int>>>(p), n") + ";");
  EXPECT_EQ(Asc("k<<<a < b, nullptr, s>>>(p, n);"), Call("k", "a < b, nullptr, s", "p, n") + ";");
  EXPECT_EQ(Asc("k<<<(c[1]), nullptr, f({1, 2})>>>(p, n);"), Call("k", "(c[1]), nullptr, f({1, 2})", "p, n") + ";");
}

TEST(LowerTest, SeveralLaunches_EachOnItsOwn) {
  EXPECT_EQ(Asc("k<<<1, nullptr, s>>>(a, n), l<<<1, nullptr, s>>>(b, m);"),
            Call("k", "1, nullptr, s", "a, n") + ", " + Call("l", "1, nullptr, s", "b, m") + ";");
  EXPECT_EQ(Asc("k<<<1, nullptr, (l<<<1, nullptr, t>>>(b, m), s)>>>(a, n);"),
            Call("k", "1, nullptr, (" + Call("l", "1, nullptr, t", "b, m") + ", s)", "a, n") + ";");
}

TEST(LowerTest, LooksLikeALaunch_IsLeftAlone) {
  for (const char* source :
       {"f(\"k<<<1, nullptr, s>>>(a, n)\");", "// k<<<1, nullptr, s>>>(a, n);\nint x;",
        "/* k<<<1,\n0, s>>>() */ int x;", "auto t = R\"(k<<<1, nullptr, s>>>(a, n))\";",
        "auto t = R\"d(\" k<<<1\n, )\" )d\";", "char c = '<'; x << 1;",
        "#define LAUNCH k<<<1, nullptr, s>>>(a, n)\nint x;", "#define A \\\n k<<<1\nint x;", "operator<<<int>(out, 3);",
        "out.operator<<<char>(3);", "a << b < c;", "if (1 << 2 <3) {}", "#pragma message \"<<<\"\nint x;"}) {
    EXPECT_EQ(Asc(source), source);
  }
}

TEST(LowerTest, CommentsAndStringsInside_AreNoCode) {
  EXPECT_EQ(Asc("k<<<1, /* >>>( , */ nullptr, f(\">>>(\")>>>(a, n);"),
            Call("k", "1, /* >>>( , */ nullptr, f(\">>>(\")", "a, n") + ";");
  EXPECT_EQ(Asc("k // <<<\n<<<1, nullptr, s>>>(a, n);"),
            "::softhccl_aicpu::Prepare(\"k\", (k // <<<\n), 1, nullptr, s)(a, n);");
}

TEST(LowerTest, LineDirectivesInside_Stay) {
  EXPECT_EQ(Asc("k<<<1,\n# 5 \"a.asc\" 3 4\n__null\n# 5 \"a.asc\"\n, s>>>(a, n);"),
            "::softhccl_aicpu::Prepare(\"k\", (k), 1,\n# 5 \"a.asc\" 3 4\n__null\n# 5 \"a.asc\"\n, s)(a, n);");
}

TEST(LowerTest, NameOverTwoLines_IsOneWord) {
  EXPECT_EQ(Asc("ker\\\nnel<<<1, nullptr, s>>>(a, n);"),
            "::softhccl_aicpu::Prepare(\"kernel\", (ker\\\nnel), 1, nullptr, s)(a, n);");
}

TEST(LowerTest, NameWithQuote_IsEscaped) {
  EXPECT_EQ(Asc("k['\"']<<<1, nullptr, s>>>(a, n);"), Call("k['\"']", "1, nullptr, s", "a, n", "k['\\\"']") + ";");
}

TEST(LowerTest, MarksOfKernels_BecomeBlanks) {
  EXPECT_EQ(Asc("extern __global__ __aicpu__ uint32_t k(void* args);"),
            "extern                      uint32_t k(void* args);");
  EXPECT_EQ(Asc("extern \"C\" __aicpu__ __global__ int k(A*);"), "extern \"C\"                      int k(A*);");
  EXPECT_EQ(Asc("inline __aicore__ int helper() { return 1; }"), "inline            int helper() { return 1; }");
  const Lowered kernel = Lower("__global__ __aicpu__ uint32_t k(void* a) { return 0; }", "k.aicpu", Dialect::kAicpu);
  EXPECT_TRUE(kernel.errors.empty());
  EXPECT_EQ(kernel.text, "                     uint32_t k(void* a) { return 0; }");
}

// Attributes and words with parentheses may stand anywhere between the marks, the type and the name.
TEST(LowerTest, AttributesAmongTheMarks_Stay) {
  for (const std::string_view declaration : {
           "__global__ __attribute__((unused)) __aicpu__ uint32_t k(void* a);",
           "__aicpu__ __attribute__((unused)) __global__ uint32_t k(void* a);",
           "__attribute__((weak)) __global__ __aicpu__ __attribute__((noinline)) uint32_t k(void* a);",
           "__global__ __aicpu__ uint32_t __attribute__((visibility(\"default\"), used)) k(void* a);",
           "[[maybe_unused]] __aicpu__ [[gnu::cold]] extern \"C\" __global__ int k(A*);",
           "extern \"C\" __attribute((used)) __global__ alignas(16) __aicpu__ int k(A*) __attribute__((cold));",
           "__global__ __aicpu__ decltype(0u) k(A* a);",
           "int other(int); __attribute__((unused)) __global__ __attribute__((used)) __aicpu__ int k(A*);",
       }) {
    std::string expected(declaration);
    for (const std::string_view mark : {"__global__", "__aicpu__"}) {
      expected.replace(expected.find(mark), mark.size(), mark.size(), ' ');
    }
    EXPECT_EQ(Asc(declaration), expected);
  }
}

TEST(LowerTest, NoCode_NoChange) {
  EXPECT_EQ(Asc(""), "");
  EXPECT_EQ(Asc("int main() { return 0; }\n"), "int main() { return 0; }\n");
}

TEST(LowerErrorTest, Blocks_OtherThanOne) {
  EXPECT_EQ(Errors("\n\nk<<<8, nullptr, s>>>(a, n);"),
            "a.asc:3: the launch of k asks for 8 blocks; AICPU kernels are not split into blocks, use 1");
  EXPECT_EQ(Errors("k<<<0x2u, nullptr, s>>>(a, n); k<<<0b0, nullptr, s>>>(a, n); k<<<01'0, nullptr, s>>>(a, n);"),
            "a.asc:1: the launch of k asks for 2 blocks; AICPU kernels are not split into blocks, use 1\n"
            "a.asc:1: the launch of k asks for 0 blocks; AICPU kernels are not split into blocks, use 1\n"
            "a.asc:1: the launch of k asks for 8 blocks; AICPU kernels are not split into blocks, use 1");
  EXPECT_EQ(Errors("k<<<1ul, nullptr, s>>>(a, n); k<<<0x1, nullptr, s>>>(a, n); k<<<n, nullptr, s>>>(a, n);"), "");
}

TEST(LowerErrorTest, WrongNumberOfParts) {
  EXPECT_EQ(Errors("k<<<1, s>>>(a, n);"),
            "a.asc:1: the launch of k has 2 parts in <<<>>>; an AICPU kernel takes three: <<<1, nullptr, stream>>>");
  EXPECT_EQ(Errors("k<<<>>>(a, n);"),
            "a.asc:1: the launch of k has 0 parts in <<<>>>; an AICPU kernel takes three: <<<1, nullptr, stream>>>");
  EXPECT_EQ(
      Errors("ns::k<int><<<1, nullptr, s>>>(a);"),
      "a.asc:1: the launch of ns::k<int> has 1 arguments; an AICPU kernel takes two: the address of its arguments and "
      "their size in bytes");
}

TEST(LowerErrorTest, UnfinishedLaunch) {
  EXPECT_EQ(Errors("k<<<1, nullptr, s;"), "a.asc:1: no >>> ends the launch that begins here");
  EXPECT_EQ(Errors("k<<<1, nullptr, s>>>;"),
            "a.asc:1: after >>> the kernel's arguments must follow in parentheses: (&arguments, size)");
  EXPECT_EQ(Errors("{ k<<<1, nullptr, s>> >(a, n); }"), "a.asc:1: no >>> ends the launch that begins here");
  EXPECT_EQ(Errors("f(k<<<1, nullptr, s)>>>(a, n);"), "a.asc:1: no >>> ends the launch that begins here");
  EXPECT_EQ(Errors("k<<<1, nullptr, s>>>(a, n;"), "a.asc:1: the parenthesis after >>> is not closed");
  EXPECT_EQ(Errors("k<<<"), "a.asc:1: no >>> ends the launch that begins here");
}

TEST(LowerErrorTest, NoKernelBefore) {
  const std::string none =
      "a.asc:1: no kernel stands before <<<; write its name there, or an expression in parentheses";
  EXPECT_EQ(Errors("<<<1, nullptr, s>>>(a, n);"), none);
  EXPECT_EQ(Errors("return <<<1, nullptr, s>>>(a, n);"), none);
  EXPECT_EQ(Errors("x = 1 <<<1, nullptr, s>>>(a, n);"), none);
  EXPECT_EQ(Errors("; ><<<1, nullptr, s>>>(a, n);"), none);
  EXPECT_EQ(Errors("k<<<<1, nullptr, s>>>>(a, n);"), "a.asc:1: 4 '<' in a row are no launch");
}

TEST(LowerErrorTest, TwoPossibleEnds) {
  EXPECT_EQ(
      Errors("k<<<1, nullptr, pick<A<B<int>>>(x)>>>(a, n);"),
      "a.asc:1: more than one '>>>(' could end this launch; put parentheses around the template arguments inside of "
      "<<<>>>");
  EXPECT_EQ(Asc("k<<<1, nullptr, (pick<A<B<int>>>(x))>>>(a, n);"),
            Call("k", "1, nullptr, (pick<A<B<int>>>(x))", "a, n") + ";");
}

TEST(LowerErrorTest, AiCoreKernels) {
  EXPECT_EQ(
      Errors("\nextern \"C\" __global__ __aicore__ void add(GM_ADDR x) {}"),
      "a.asc:2: add is a kernel for the AI core (__aicore__), which SoftHCCL does not have; it runs AICPU kernels: "
      "__global__ __aicpu__");
  EXPECT_EQ(Errors("__aicore__ __global__ void add(int x);").substr(0, 37), "a.asc:1: add is a kernel for the AI c");
  EXPECT_EQ(Errors("__global__ [aicore] void add(int x);").substr(0, 37), "a.asc:1: add is a kernel for the AI c");
  EXPECT_EQ(
      Errors("__global__ __attribute__((x(1))) void add(int x);"),
      "a.asc:1: add is a kernel without __aicpu__, so one for the AI core, which SoftHCCL does not have; it runs AICPU "
      "kernels: __global__ __aicpu__");
}

TEST(LowerErrorTest, KernelsThatTheVendorRefuses) {
  EXPECT_EQ(Errors("__global__ __aicpu__ void k(void* a);"),
            "a.asc:1: the AICPU kernel k returns void; it must return a number, 0 for success");
  for (const char* declaration :
       {"__global__ __aicpu__ void __attribute__((used)) k(void* a);", "extern void __global__ __aicpu__ k(void* a);",
        "__global__ void [[x]] __aicpu__ __attribute__((y)) k(void* a);"}) {
    EXPECT_EQ(Errors(declaration), "a.asc:1: the AICPU kernel k returns void; it must return a number, 0 for success");
  }
  EXPECT_EQ(Errors("__global__ __attribute__((used)) int k(void* a) __attribute__((cold));").substr(0, 41),
            "a.asc:1: k is a kernel without __aicpu__,");
  EXPECT_EQ(Errors("int f(int) __aicpu__ int k(void* a);"), "a.asc:1: __aicpu__ without __global__; kernels need both");
  EXPECT_EQ(Errors("__global__ __aicpu__ int k();"),
            "a.asc:1: the AICPU kernel k has 0 parameters; it must have one, a pointer to its arguments");
  EXPECT_EQ(Errors("__global__ __aicpu__ int k(void);"),
            "a.asc:1: the AICPU kernel k has 0 parameters; it must have one, a pointer to its arguments");
  EXPECT_EQ(Errors("__global__ __aicpu__ int k(A* a, int n);"),
            "a.asc:1: the AICPU kernel k has 2 parameters; it must have one, a pointer to its arguments");
  EXPECT_EQ(Errors("__aicpu__ int k(void* a);"), "a.asc:1: __aicpu__ without __global__; kernels need both");
  EXPECT_EQ(Errors("__global__;"), "a.asc:1: __global__ stands before no function");
  EXPECT_EQ(Errors("__global__ __aicpu__ int k(void* a)\n{ return 0; }"),
            "a.asc:1: the AICPU kernel k is defined in host code; define it in an .aicpu file and declare it here with "
            "extern");
  EXPECT_EQ(Errors("\nvoid f() { k<<<1, nullptr, s>>>(a, n); }", Dialect::kAicpu),
            "a.asc:2: k is launched in AICPU code; launch kernels from an .asc file");
}

TEST(LowerErrorTest, ErrorInIncludedText_NamesItsFile) {
  EXPECT_EQ(Errors("# 1 \"a.asc\"\n# 30 \"inc/b.h\" 1\nk<<<2, nullptr, s>>>(a, n);\n# 2 \"a.asc\" 2\nk<<<3, nullptr, "
                   "s>>>(a, n);"),
            "inc/b.h:30: the launch of k asks for 2 blocks; AICPU kernels are not split into blocks, use 1\n"
            "a.asc:2: the launch of k asks for 3 blocks; AICPU kernels are not split into blocks, use 1");
}

TEST(LowerErrorTest, AnyTokens_NeverCrash) {
  const char* const pieces[] = {"k",          "<",        "<<<",  ">>>",  ">",  "(",   ")", "[",          "]",
                                "{",          "}",        ";",    ",",    "::", "->",  ".", "__global__", "__aicpu__",
                                "__aicore__", "return",   "1",    "\n",   " ",  "\"",  "'", "//",         "/*",
                                "*/",         "operator", "void", "R\"(", "#",  "\\\n"};
  std::uint32_t state = 7;
  for (int round = 0; round < 4'000; ++round) {
    std::string source;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525u + 1013904223u;
      source += pieces[(state >> 16) % std::size(pieces)];
    }
    const Lowered lowered = Lower(source, "f", round % 2 == 0 ? Dialect::kAsc : Dialect::kAicpu);
    EXPECT_EQ(std::count(lowered.text.begin(), lowered.text.end(), '\n'),
              std::count(source.begin(), source.end(), '\n'))
        << source;
  }
}

}  // namespace
}  // namespace softhccl::bisheng
