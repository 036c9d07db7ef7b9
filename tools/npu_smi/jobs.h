// Programs that run on software devices, found without their help: nothing is published, so nothing is left behind.
#pragma once

#include <string>
#include <vector>

namespace softhccl::tools {

struct Job {
  int pid = 0;
  std::string name;
  double cpu_percent = 0;  // over a tenth of a second; 100 is one core
  double memory_mib = 0;   // committed in the arenas that hold device and host memory
};

// Those that this user may look at, by process id.
std::vector<Job> FindJobs();

}  // namespace softhccl::tools
