// A job is a process that holds an arena, an anonymous file with our name (src/memory/arena.cc).
#include "npu_smi/jobs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "package/file.h"

namespace softhccl::tools {
namespace {

namespace fs = std::filesystem;

constexpr auto kSample = std::chrono::milliseconds(100);
constexpr const char* kArenaMark = "/memfd:softhccl";

// Bytes committed in the arenas of a process; negative when it has none.
double ArenaBytes(const fs::path& process) {
  double bytes = -1;
  std::set<ino_t> seen;
  std::error_code error;
  for (fs::directory_iterator it(process / "fd", error), end; !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    const std::string target = fs::read_symlink(it->path(), unreadable).string();
    struct stat info{};
    if (unreadable || !target.starts_with(kArenaMark) || ::stat(it->path().c_str(), &info) != 0) continue;
    bytes = std::max(bytes, 0.0);
    if (seen.insert(info.st_ino).second) bytes += static_cast<double>(info.st_blocks) * 512;
  }
  return bytes;
}

// Clock ticks a process has run; 0 when it is gone.
double TicksOf(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream words(text.substr(name_end + 1));
  std::string word;
  double user = 0;
  double system = 0;
  for (int i = 0; i < 11 && words >> word; ++i) {
  }
  words >> user >> system;
  return user + system;
}

}  // namespace

std::vector<Job> FindJobs() {
  std::vector<Job> jobs;
  std::map<int, double> ticks;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const double bytes = ArenaBytes(it->path());
    if (bytes < 0) continue;
    Job job;
    job.pid = std::stoi(name);
    std::ifstream comm(it->path() / "comm");
    std::string text;
    std::getline(comm, text);
    job.name = package::Printable(text);
    job.memory_mib = bytes / (1 << 20);
    ticks[job.pid] = TicksOf(job.pid);
    jobs.push_back(job);
  }
  if (jobs.empty()) return jobs;
  std::this_thread::sleep_for(kSample);
  const double ticks_per_sample = static_cast<double>(::sysconf(_SC_CLK_TCK)) * 0.1;
  for (Job& job : jobs) {
    job.cpu_percent = std::max(0.0, TicksOf(job.pid) - ticks[job.pid]) / ticks_per_sample * 100;
  }
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.pid < b.pid; });
  return jobs;
}

}  // namespace softhccl::tools
