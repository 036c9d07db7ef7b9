// Printing entries of the catalogue in the user's language.
#include "explain/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "explain/find.h"

namespace softhccl::tools {
namespace {

struct Options {
  std::vector<std::string> words;
  std::string language;
  bool list = false;
};

struct Labels {
  const char* cause;
  const char* remedy;
  const char* example;
  const char* numbers;
  const char* also;
  const char* never;
  const char* unknown;
  const char* similar;
};

constexpr Labels kEnglish = {"Cause",
                             "What to do",
                             "Example",
                             "Numbers",
                             "May also be (the id stands at the end of the message):",
                             "this library never answers with it",
                             "softhccl explain: nothing is known about \"{}\"\n",
                             "similar: {}\n"};
constexpr Labels kChinese = {"原因",
                             "处理",
                             "示例",
                             "对应编号",
                             "也可能是（编号在错误信息末尾）：",
                             "本库不会返回该值",
                             "softhccl explain：没有关于“{}”的条目\n",
                             "相近的有：{}\n"};

// Chinese when the locale says so, English otherwise.
bool IsChinese(const std::string& language) {
  if (!language.empty()) return language == "zh";
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return std::string(value).rfind("zh", 0) == 0;
  }
  return false;
}

std::string Numbers(const Entry& entry) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const Number& number : entry.numbers) add(fmt::format("{} {}", number.name, number.value));
  for (const std::string& code : entry.vendor) add(code);
  for (const int code : entry.checker) add(fmt::format("HCCL-VM {}", code));
  return text;
}

void Indented(const char* label, const std::string& text) {
  fmt::print("\n{}\n", label);
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fmt::print("  {}\n", text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void PrintEntry(const Entry& entry, const Labels& labels, bool chinese) {
  const Text& text = chinese ? entry.chinese : entry.english;
  fmt::print("{} {}: {}\n", entry.id, entry.name, text.title);
  Indented(labels.cause, text.cause);
  Indented(labels.remedy, text.remedy);
  Indented(labels.example, entry.example);
  const std::string numbers = Numbers(entry);
  if (!numbers.empty()) Indented(labels.numbers, numbers);
}

void PrintList(bool chinese) {
  for (const Entry& entry : Catalogue()) {
    fmt::print("{} {}: {}\n", entry.id, entry.name, (chinese ? entry.chinese : entry.english).title);
  }
}

int PrintAnswer(const std::string& question, bool chinese) {
  const Labels& labels = chinese ? kChinese : kEnglish;
  const Answer answer = Find(question);
  if (answer.constants.empty() && answer.entries.empty()) {
    fmt::print(stderr, fmt::runtime(labels.unknown), question);
    std::string similar;
    for (const std::string& key : answer.suggestions) similar += (similar.empty() ? "" : ", ") + key;
    if (!similar.empty()) fmt::print(stderr, fmt::runtime(labels.similar), similar);
    return 2;
  }
  for (const Constant* constant : answer.constants) {
    const bool is_returned = !answer.entries.empty() || constant->value == 0;
    fmt::print("{} {}{}\n", constant->name, constant->value, is_returned ? "" : fmt::format(": {}", labels.never));
  }
  if (answer.entries.empty()) return 0;
  if (!answer.constants.empty()) fmt::print("\n");
  PrintEntry(*answer.entries.front(), labels, chinese);
  if (answer.entries.size() == 1) return 0;
  fmt::print("\n{}\n", labels.also);
  for (std::size_t i = 1; i < answer.entries.size(); ++i) {
    const Entry& entry = *answer.entries[i];
    fmt::print("  {} {}: {}\n", entry.id, entry.name, (chinese ? entry.chinese : entry.english).title);
  }
  return 0;
}

}  // namespace

void AddExplain(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("explain", "say what an error means and what to do about it");
  command->add_option("what", options->words,
                      "an id (SH-W001), a number (507018), a name (HCCL_E_TIMEOUT, EI0002), a line");
  command->add_option("--lang", options->language, "en or zh; the locale decides otherwise")
      ->check(CLI::IsMember({"en", "zh"}));
  command->add_flag("--list", options->list, "list all ids");
  command->callback([options, exit_code] {
    const bool chinese = IsChinese(options->language);
    if (options->list) return PrintList(chinese);
    std::string question;
    for (const std::string& word : options->words) question += (question.empty() ? "" : " ") + word;
    if (question.empty()) throw CLI::RequiredError("explain: what (an id, a number or a name) or --list");
    *exit_code = PrintAnswer(question, chinese);
  });
}

}  // namespace softhccl::tools
