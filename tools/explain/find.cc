// Looking a question up, in the order of how sure one can be: id, name, vendor's code, constant, number, text around an
// id. What is not found is answered with what is spelt alike.
#include "explain/find.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <regex>

namespace softhccl::tools {
namespace {

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

const Entry* ById(const std::string& upper) {
  for (const Entry& entry : Catalogue()) {
    if (entry.id == upper || entry.id == "SH-" + upper) return &entry;
  }
  return nullptr;
}

void Add(Answer* answer, const Entry* entry) {
  if (entry == nullptr) return;
  if (std::find(answer->entries.begin(), answer->entries.end(), entry) == answer->entries.end()) {
    answer->entries.push_back(entry);
  }
}

// The entry that speaks for the constant, then all others that are reported with it.
void AddConstant(Answer* answer, const Constant& constant) {
  answer->constants.push_back(&constant);
  if (!constant.id.empty()) Add(answer, ById(constant.id));
  for (const Entry& entry : Catalogue()) {
    const bool has = std::any_of(entry.numbers.begin(), entry.numbers.end(),
                                 [&](const Number& number) { return number.name == constant.name; });
    if (has) Add(answer, &entry);
  }
}

void AddNumber(Answer* answer, const std::string& question) {
  int number = 0;
  const char* end = question.data() + question.size();
  const auto parsed = std::from_chars(question.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return;
  for (const Constant& constant : Constants()) {
    if (constant.value == number) AddConstant(answer, constant);
  }
  for (const Entry& entry : Catalogue()) {
    if (std::count(entry.checker.begin(), entry.checker.end(), number) > 0) Add(answer, &entry);
  }
}

// "HcclCommInitRootInfo: ... [HCCL_E_TIMEOUT 9] (SH-G001)" pasted from a terminal.
void AddFromLine(Answer* answer, const std::string& upper) {
  static const std::regex id("SH-[A-Z][0-9]{3}");
  static const std::regex vendor("\\b[EW][EHIJ][0-9]{4}\\b");
  for (const std::regex* pattern : {&id, &vendor}) {
    for (auto match = std::sregex_iterator(upper.begin(), upper.end(), *pattern); match != std::sregex_iterator();
         ++match) {
      const std::string found = match->str();
      if (pattern == &id) Add(answer, ById(found));
      for (const Entry& entry : Catalogue()) {
        if (std::count(entry.vendor.begin(), entry.vendor.end(), found) > 0) Add(answer, &entry);
      }
    }
    if (!answer->entries.empty()) return;
  }
}

std::size_t Distance(const std::string& left, const std::string& right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> Suggest(const std::string& upper) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> keys;
  for (const Entry& entry : Catalogue()) {
    keys.insert(keys.end(), {entry.id, entry.name});
    keys.insert(keys.end(), entry.vendor.begin(), entry.vendor.end());
  }
  for (const Constant& constant : Constants()) {
    keys.push_back(constant.name);
    keys.push_back(std::to_string(constant.value));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& key : keys) {
    const std::string candidate = Upper(key);
    const bool is_part = upper.size() > 2 && candidate.find(upper) != std::string::npos;
    const std::size_t distance = is_part ? 0 : Distance(upper, candidate);
    if (distance <= std::max<std::size_t>(1, upper.size() / 3)) near.emplace_back(distance, key);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> suggestions;
  for (const auto& [distance, key] : near) {
    if (suggestions.size() == kShown) break;
    suggestions.push_back(key);
  }
  return suggestions;
}

}  // namespace

Answer Find(const std::string& question) {
  Answer answer;
  const std::string upper = Upper(question);
  Add(&answer, ById(upper));
  for (const Entry& entry : Catalogue()) {
    if (Upper(entry.name) == upper) Add(&answer, &entry);
  }
  if (!answer.entries.empty()) return answer;
  for (const Constant& constant : Constants()) {
    if (constant.name == upper) AddConstant(&answer, constant);
  }
  if (answer.constants.empty()) AddNumber(&answer, question);
  if (answer.constants.empty() && answer.entries.empty()) AddFromLine(&answer, upper);
  if (answer.constants.empty() && answer.entries.empty()) answer.suggestions = Suggest(upper);
  return answer;
}

}  // namespace softhccl::tools
