// The error catalogue as the command sees it: what each id means, in two languages, and which numbers lead to it. The
// data is generated from catalogue/*.json.
#pragma once

#include <string>
#include <vector>

namespace softhccl::tools {

struct Text {
  std::string title;
  std::string cause;
  std::string remedy;
};

struct Number {
  std::string name;
  int value;
};

struct Entry {
  std::string id;    // "SH-W001"
  std::string name;  // "wait-timeout"
  Text english;
  Text chinese;
  std::string example;              // lines; the same in every language
  std::vector<Number> numbers;      // aclError and HcclResult values that the library answers with
  std::vector<std::string> vendor;  // "EI0002"
  std::vector<int> checker;         // codes of the HCCL-VM checker
};

// A number of the vendor's headers; `id` is the entry that speaks for it when nothing more is known, or empty when the
// library never returns it.
struct Constant {
  std::string name;
  int value;
  std::string id;
};

// All entries in order of their ids, all constants in order of the headers. Any thread.
const std::vector<Entry>& Catalogue();
const std::vector<Constant>& Constants();

}  // namespace softhccl::tools
