#include "bisheng/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>

namespace softhccl::bisheng {
namespace {

using Step = Option::Step;

// Options of the host compiler whose argument is the next word, and that of one that may also be joined ("-I folder").
struct Known {
  std::string_view name;
  Step step;
  bool may_join;  // the argument may follow without a blank
};
constexpr Known kWithArgument[] = {
    {"-o", Step::kOutput, true},
    {"-D", Step::kPreprocessor, true},
    {"-U", Step::kPreprocessor, true},
    {"-I", Step::kPreprocessor, true},
    {"-include", Step::kPreprocessor, false},
    {"-imacros", Step::kPreprocessor, false},
    {"-isystem", Step::kPreprocessor, true},
    {"-iquote", Step::kPreprocessor, true},
    {"-idirafter", Step::kPreprocessor, true},
    {"-iprefix", Step::kPreprocessor, true},
    {"-iwithprefix", Step::kPreprocessor, true},
    {"-iwithprefixbefore", Step::kPreprocessor, true},
    {"-isysroot", Step::kPreprocessor, true},
    {"-imultilib", Step::kPreprocessor, false},
    {"-Xpreprocessor", Step::kPreprocessor, false},
    {"-MF", Step::kDependencies, true},
    {"-MT", Step::kDependencies, true},
    {"-MQ", Step::kDependencies, true},
    {"-L", Step::kAll, true},
    {"-l", Step::kAll, true},
    {"-B", Step::kAll, true},
    {"-T", Step::kAll, true},
    {"-u", Step::kAll, true},
    {"-z", Step::kAll, true},
    {"-e", Step::kAll, false},
    {"-A", Step::kAll, true},
    {"-G", Step::kAll, true},
    {"-Xlinker", Step::kAll, false},
    {"-Xassembler", Step::kAll, false},
    {"-Xclang", Step::kAll, false},
    {"-mllvm", Step::kAll, false},
    {"-target", Step::kAll, false},
    {"-wrapper", Step::kAll, false},
    {"-specs", Step::kAll, false},
    {"-aux-info", Step::kAll, false},
    {"-dumpbase", Step::kAll, false},
    {"-dumpbase-ext", Step::kAll, false},
    {"-dumpdir", Step::kAll, false},
    {"--param", Step::kAll, false},
    {"--sysroot", Step::kAll, false},
};

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

const Known* FindWithArgument(std::string_view word) {
  const auto known = std::find_if(std::begin(kWithArgument), std::end(kWithArgument),
                                  [&](const Known& one) { return word == one.name; });
  return known == std::end(kWithArgument) ? nullptr : known;
}

// The longest name that `word` begins with and that may be joined with its argument.
const Known* FindJoined(std::string_view word) {
  const Known* best = nullptr;
  for (const Known& known : kWithArgument) {
    if (known.may_join && StartsWith(word, known.name) && (best == nullptr || known.name.size() > best->name.size())) {
      best = &known;
    }
  }
  return best;
}

// Options that mean something to the vendor's compiler only.
bool IsForeign(std::string_view word) {
  return StartsWith(word, "--npu-arch") || StartsWith(word, "--cce-") || StartsWith(word, "--asc-") ||
         StartsWith(word, "-cce-");
}

std::optional<Dialect> DialectOf(std::string_view language) {
  if (language == "asc") return Dialect::kAsc;
  if (language == "aicpu") return Dialect::kAicpu;
  return {};
}

// Splits the text of an @file as the host compiler does: blanks separate, quotes and backslashes keep them.
std::vector<std::string> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = '\0';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && std::isspace(static_cast<unsigned char>(c)) != 0) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\\' && at + 1 < text.size()) {
      words.back() += text[++at];
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      words.back() += c;
    }
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& arguments) { Expand(arguments, 0); }

  std::variant<CommandLine, std::string> Run() {
    while (at_ < words_.size() && error_.empty()) Step(words_[at_++]);
    if (!error_.empty()) return error_;
    return std::move(line_);
  }

 private:
  void Expand(const std::vector<std::string>& arguments, int depth) {
    for (const std::string& word : arguments) {
      std::ifstream file;
      if (word.size() > 1 && word[0] == '@' && depth < 16) file.open(word.substr(1));
      if (!file.is_open()) {
        words_.push_back(word);
        continue;
      }
      Expand(SplitWords({std::istreambuf_iterator<char>(file), {}}), depth + 1);
    }
  }

  std::string Next(std::string_view option) {
    if (at_ < words_.size()) return words_[at_++];
    error_ = fmt::format("option {} needs an argument", option);
    return "";
  }

  void Add(std::vector<std::string> words, Option::Step step) { line_.items.push_back(Option{std::move(words), step}); }

  void SetLanguage(const std::string& language) {
    dialect_ = DialectOf(language);
    language_ = dialect_ || language == "none" ? "" : language;
    is_language_given_ = language != "none";
  }

  void Step(const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return AddInput(word);
    if (IsForeign(word)) {
      if (word == "--npu-arch") Next(word);
    } else if (StartsWith(word, "--host-compiler=")) {
      line_.host_compiler = word.substr(word.find('=') + 1);
    } else if (StartsWith(word, "-x")) {
      SetLanguage(word.size() > 2 ? word.substr(2) : Next(word));
    } else if (!IsStageOption(word) && !IsDependencyOption(word)) {
      AddOption(word);
    }
  }

  // Takes options that say how far to go.
  bool IsStageOption(const std::string& word) {
    if (word == "--version") {
      line_.wants_version = true;
      return false;
    }
    if (word == "-c") {
      RaiseStage(Stage::kAssemble);
    } else if (word == "-S") {
      RaiseStage(Stage::kCompile);
    } else if (word == "-E") {
      RaiseStage(Stage::kPreprocess);
    } else {
      if (word == "-fsyntax-only") RaiseStage(Stage::kAssemble);
      return false;
    }
    return true;
  }

  bool IsDependencyOption(const std::string& word) {
    if (word == "-M" || word == "-MM" || (word.size() == 3 && StartsWith(word, "-d") && std::isupper(word[2]) != 0)) {
      RaiseStage(Stage::kDependencies);
      Add({word}, Step::kAll);
      return true;
    }
    for (const std::string_view name : {"-MD", "-MMD", "-MP", "-MG"}) {
      if (word != name) continue;
      line_.writes_dependencies = line_.writes_dependencies || EndsWith(word, "D");
      Add({word}, Step::kDependencies);
      return true;
    }
    return false;
  }

  void RaiseStage(Stage stage) { line_.stage = std::max(line_.stage, stage); }

  void AddOption(const std::string& word) {
    if (const Known* known = FindWithArgument(word)) {
      return AddWithArgument(word, *known, Next(word));
    }
    const Known* joined = FindJoined(word);
    if (word == "-nostdlib" || word == "-nodefaultlibs" || word == "-r") line_.default_libraries = false;
    if (joined != nullptr && joined->step != Step::kAll && !StartsWith(word, "-o=")) {
      return AddWithArgument(word, *joined, word.substr(joined->name.size()));
    }
    const bool is_preprocessor = StartsWith(word, "-Wp,") || StartsWith(word, "-nostdinc") || word == "-undef" ||
                                 word == "-C" || word == "-CC" || word == "-P" || word == "-H";
    if (word != "-P") Add({word}, is_preprocessor ? Step::kPreprocessor : Step::kAll);  // lines must stay known
  }

  void AddWithArgument(const std::string& word, const Known& known, const std::string& argument) {
    if (known.step == Step::kOutput) line_.output = argument;
    line_.names_dependency_file = line_.names_dependency_file || known.name == "-MF";
    line_.names_dependency_target = line_.names_dependency_target || known.name == "-MT" || known.name == "-MQ";
    if (word == known.name) {
      Add({word, argument}, known.step);
    } else {
      Add({word}, known.step);
    }
  }

  void AddInput(const std::string& path) {
    Input input{path, dialect_, language_};
    if (!is_language_given_ && EndsWith(path, ".asc")) input.dialect = Dialect::kAsc;
    if (!is_language_given_ && EndsWith(path, ".aicpu")) input.dialect = Dialect::kAicpu;
    line_.items.emplace_back(std::move(input));
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string error_;
  CommandLine line_;
  std::optional<Dialect> dialect_;  // of the -x that is in force
  std::string language_;
  bool is_language_given_ = false;
};

// Appends the options of the steps for which `wanted` is true.
template <typename Wanted>
void AppendOptions(const CommandLine& line, std::vector<std::string>* command, Wanted&& wanted) {
  for (const auto& item : line.items) {
    const auto* option = std::get_if<Option>(&item);
    if (option != nullptr && wanted(option->step)) {
      command->insert(command->end(), option->words.begin(), option->words.end());
    }
  }
}

void AppendStage(Stage stage, std::vector<std::string>* command) {
  if (stage == Stage::kAssemble) command->emplace_back("-c");
  if (stage == Stage::kCompile) command->emplace_back("-S");
  if (stage == Stage::kPreprocess) command->emplace_back("-E");
}

void AppendWithLanguage(const std::string& path, const std::string& language, std::vector<std::string>* command) {
  if (!language.empty()) command->insert(command->end(), {"-x", language});
  command->push_back(path);
  if (!language.empty()) command->insert(command->end(), {"-x", "none"});
}

// What the kernels' words are while the preprocessor runs: known, so that nobody defines them, and left as they are.
void AppendLanguageOptions(const SdkFolders& sdk, Dialect dialect, std::vector<std::string>* command) {
  for (const char* word : {"__global__", "__aicpu__", "__aicore__"}) {
    command->push_back(fmt::format("-D{}={}", word, word));
  }
  for (const std::string& folder : sdk.includes) command->insert(command->end(), {"-idirafter", folder});
  if (dialect == Dialect::kAsc) command->insert(command->end(), {"-include", sdk.launch_header});
}

}  // namespace

std::vector<Input> CommandLine::inputs() const {
  std::vector<Input> found;
  for (const auto& item : items) {
    if (const auto* input = std::get_if<Input>(&item)) found.push_back(*input);
  }
  return found;
}

bool CommandLine::needs_lowering() const {
  return std::any_of(items.begin(), items.end(), [](const auto& item) {
    const auto* input = std::get_if<Input>(&item);
    return input != nullptr && input->dialect;
  });
}

std::variant<CommandLine, std::string> ReadCommandLine(const std::vector<std::string>& arguments) {
  return Reader(arguments).Run();
}

std::string OutputName(std::string_view input, std::string_view ending) {
  std::string name(input.substr(input.rfind('/') + 1));
  const auto dot = name.rfind('.');
  if (dot != std::string::npos && dot > 0) name.resize(dot);
  return name + std::string(ending);
}

std::vector<std::string> PreprocessCommand(const CommandLine& line, const Input& input, const SdkFolders& sdk) {
  std::vector<std::string> command;
  AppendOptions(line, &command, [](Step step) { return step != Step::kOutput; });
  AppendLanguageOptions(sdk, *input.dialect, &command);
  if (line.writes_dependencies) {
    const bool has_output = !line.output.empty() && line.stage != Stage::kLink;
    const std::string object = has_output ? line.output : OutputName(input.path, ".o");
    // With -E the host compiler would take other names than for an object.
    if (!line.names_dependency_target) command.insert(command.end(), {"-MQ", object});
    if (!line.names_dependency_file) {
      const auto folder = object.rfind('/') == std::string::npos ? 0 : object.rfind('/') + 1;
      command.insert(command.end(), {"-MF", object.substr(0, folder) + OutputName(object, ".d")});
    }
  }
  command.emplace_back("-E");
  AppendWithLanguage(input.path, "c++", &command);
  return command;
}

std::vector<std::string> CompileCommand(const CommandLine& line, const std::string& output) {
  std::vector<std::string> command;
  AppendOptions(line, &command, [](Step step) { return step == Step::kAll; });
  // Libraries, which an object does not need, would do no harm; neither do the linker's options.
  AppendStage(line.stage == Stage::kLink ? Stage::kAssemble : line.stage, &command);
  if (!output.empty()) command.insert(command.end(), {"-o", output});
  AppendWithLanguage("-", "c++-cpp-output", &command);
  return command;
}

std::vector<std::string> HostCommand(const CommandLine& line, const std::vector<std::string>& objects,
                                     const SdkFolders& sdk) {
  std::vector<std::string> command;
  if (line.stage == Stage::kDependencies) AppendLanguageOptions(sdk, Dialect::kAicpu, &command);
  bool has_input = false;
  auto object = objects.begin();
  for (const auto& item : line.items) {
    if (const auto* option = std::get_if<Option>(&item)) {
      command.insert(command.end(), option->words.begin(), option->words.end());
      continue;
    }
    const Input& input = std::get<Input>(item);
    has_input = true;
    if (!input.dialect) {
      AppendWithLanguage(input.path, input.host_language, &command);
    } else if (line.stage == Stage::kDependencies) {
      AppendWithLanguage(input.path, "c++", &command);
    } else if (object != objects.end()) {
      command.push_back(*object++);
    }
  }
  AppendStage(line.stage == Stage::kDependencies ? Stage::kPreprocess : line.stage, &command);
  if (line.stage == Stage::kLink && line.default_libraries && has_input) {
    command.insert(command.end(),
                   {"-L" + sdk.libraries, "-Wl,-rpath-link," + sdk.libraries, "-Wl,--push-state,--as-needed",
                    "-lascendc_runtime", "-lhcomm", "-lacl_rt", "-lc_sec", "-Wl,--pop-state"});
  }
  return command;
}

}  // namespace softhccl::bisheng
