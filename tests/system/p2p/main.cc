// p2p_test <case>: runs one case against the installed operator and the installed SDK; without a case it lists them.
// Exits with 0 only when every expectation held and the runtime could be finalised.
#include <cstdio>
#include <cstring>

#include "driver.h"

namespace {

const p2p_test::Case* Find(const char* name) {
  for (const auto* cases : {&p2p_test::BasicCases(), &p2p_test::PatternCases(), &p2p_test::DisagreeCases(),
                            &p2p_test::HangCases(), &p2p_test::LifeCases(), &p2p_test::CostCases(),
                            &p2p_test::KernelCases(), &p2p_test::ScaleCases(), &p2p_test::LargeCases()}) {
    for (const p2p_test::Case& candidate : *cases) {
      if (name == nullptr)
        printf("%s\n", candidate.name);
      else if (std::strcmp(candidate.name, name) == 0)
        return &candidate;
    }
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const p2p_test::Case* const chosen = Find(argc == 2 ? argv[1] : nullptr);
  if (chosen == nullptr) {
    fprintf(stderr, "usage: p2p_test <case>; %s\n", argc == 2 ? "there is no such case" : "the cases are listed above");
    return 2;
  }
  EXPECT(aclInit(nullptr) == 0);
  chosen->run();
  EXPECT(aclFinalize() == 0);
  printf("%s: %s\n", chosen->name, p2p_test::HasFailed() ? "FAILED" : "passed");
  return p2p_test::HasFailed() ? 1 : 0;
}
