#include "process/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace softhccl::tools {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      read_end = ends[0];
      write_end = ends[1];
    }
  }
  ~Pipe() {
    Close(&read_end);
    Close(&write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void Close(int* end) {
    if (*end >= 0) ::close(*end);
    *end = -1;
  }
};

// Starts the program with descriptor `own` in place of its `standard` one (both -1: with ours); 0 when it cannot.
pid_t Start(const std::string& program, const std::vector<std::string>& arguments, int own, int standard) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (own >= 0) ::posix_spawn_file_actions_adddup2(&actions, own, standard);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return child;
  std::fprintf(stderr, "%s: error: %s cannot be run: %s\n", program_invocation_short_name, program.c_str(),
               std::strerror(error));
  return 0;
}

int Wait(pid_t child) {
  constexpr int kCannotRun = 127;
  constexpr int kSignal = 128;
  if (child == 0) return kCannotRun;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status);
}

}  // namespace

int RunForOutput(const std::string& program, const std::vector<std::string>& arguments, std::string* output) {
  Pipe pipe;
  const pid_t child = Start(program, arguments, pipe.write_end, STDOUT_FILENO);
  Pipe::Close(&pipe.write_end);
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(pipe.read_end, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    output->append(buffer.data(), static_cast<std::size_t>(count));
  }
  return Wait(child);
}

int RunWithInput(const std::string& program, const std::vector<std::string>& arguments, const std::string& input) {
  Pipe pipe;
  const pid_t child = Start(program, arguments, pipe.read_end, STDIN_FILENO);
  std::signal(SIGPIPE, SIG_IGN);  // a compiler that gives up early does not read everything
  Pipe::Close(&pipe.read_end);
  for (std::size_t done = 0; done < input.size();) {
    const ssize_t count = ::write(pipe.write_end, input.data() + done, input.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  Pipe::Close(&pipe.write_end);
  return Wait(child);
}

int Run(const std::string& program, const std::vector<std::string>& arguments) {
  return Wait(Start(program, arguments, -1, -1));
}

bool CanRun(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace softhccl::tools
