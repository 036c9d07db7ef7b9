// The other side of the comparison: the same three measurements with OpenMPI, two processes on one host. MPI_Ssend is
// what an HcclSendCustom corresponds to: it ends only after the receiver has taken the message. Prints one JSON object
// per repetition in the terms of p2p_bench. Usage: mpirun -np 2 --bind-to none mpi_bench [--quick] [--repetitions=N]
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cases.h"
#include "placement.h"

namespace softhccl::bench {
namespace {

constexpr int kDataTag = 1;

struct Process {
  int rank = 0;
  std::vector<char> buffer;
  std::vector<MPI_Request> requests;
  ProbeLines* lines = nullptr;
  std::uint32_t sequence = 0;
};

// One page that both processes map.
ProbeLines* SharedLines(int rank) {
  MPI_Win window;
  void* mine = nullptr;
  const MPI_Aint bytes = rank == 0 ? static_cast<MPI_Aint>(sizeof(ProbeLines)) : 0;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Aint size = 0;
  int unit = 0;
  void* first = nullptr;
  MPI_Win_shared_query(window, 0, &size, &unit, &first);
  auto* lines = static_cast<ProbeLines*>(first);
  if (rank == 0) new (lines) ProbeLines{};
  MPI_Barrier(MPI_COMM_WORLD);
  return lines;
}

// `count` windows; a window of one message is Ssend and Recv, a larger one their immediate forms.
void Transfer(Process& self, const Case& test, int count) {
  const int bytes = static_cast<int>(test.bytes);
  for (int i = 0; i < count; ++i) {
    if (test.window == 1) {
      if (self.rank == 0) {
        MPI_Ssend(self.buffer.data(), bytes, MPI_BYTE, 1, kDataTag, MPI_COMM_WORLD);
      } else {
        MPI_Recv(self.buffer.data(), bytes, MPI_BYTE, 0, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      continue;
    }
    for (int k = 0; k < test.window; ++k) {
      MPI_Request* request = &self.requests[static_cast<std::size_t>(k)];
      if (self.rank == 0) {
        MPI_Issend(self.buffer.data(), bytes, MPI_BYTE, 1, kDataTag, MPI_COMM_WORLD, request);
      } else {
        MPI_Irecv(self.buffer.data(), bytes, MPI_BYTE, 0, kDataTag, MPI_COMM_WORLD, request);
      }
    }
    MPI_Waitall(test.window, self.requests.data(), MPI_STATUSES_IGNORE);
  }
}

// How many windows fill about `target_ns`; the same number in both processes.
int Calibrate(Process& self, const Case& test, double target_ns) {
  Transfer(self, test, 2);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = NowNs();
  Transfer(self, test, 2);
  MPI_Barrier(MPI_COMM_WORLD);
  int count = static_cast<int>(std::clamp(target_ns / ((NowNs() - start) / 2.0), 1.0, 20000.0));
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return count;
}

void CheckPayload(Process& self, const Case& test) {
  if (test.bytes == 0) return;
  const char expected = 'm';
  std::memset(self.buffer.data(), self.rank == 0 ? expected : 0, test.bytes);
  Transfer(self, test, 1);
  if (self.buffer[0] == expected && self.buffer[test.bytes - 1] == expected) return;
  std::fprintf(stderr, "mpi_bench: wrong data at %s/%zu\n", test.kind, test.bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void Repeat(Process& self, const Case& test, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = OneWayNs(*self.lines, self.rank, &self.sequence);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = NowNs();
  Transfer(self, test, count);
  const double elapsed = NowNs() - start;
  MPI_Barrier(MPI_COMM_WORLD);
  const double after = OneWayNs(*self.lines, self.rank, &self.sequence);
  if (self.rank != 0) return;
  std::printf("{\"case\": \"%s\", \"bytes\": %zu, \"window\": %d, \"ns\": %.1f, \"place\": %d, \"one_way_ns\": %.1f}\n",
              test.kind, test.bytes, test.window, elapsed / count, static_cast<int>(ClassifyPlacement(before, after)),
              before);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Process self;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool quick = false;
  int repetitions = 3;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string option = "--repetitions=";
    if (argument == "--quick") quick = true;
    if (argument.compare(0, option.size(), option) == 0) repetitions = std::atoi(argv[i] + option.size());
  }
  if (size != 2 || repetitions < 1) {
    if (self.rank == 0) std::fprintf(stderr, "mpi_bench: %d processes; start it with mpirun -np 2\n", size);
    MPI_Finalize();
    return 2;
  }
  const ScopedPin pin(self.rank);  // what mpirun does by default; the probe needs the other core as well
  self.buffer.resize(kLargestBytes);
  self.requests.resize(kLargestWindow);
  self.lines = SharedLines(self.rank);
  for (const Case& test : kCases) {
    CheckPayload(self, test);
    const int count = Calibrate(self, test, quick ? 2e5 : 5e6);
    for (int i = 0; i < repetitions; ++i) Repeat(self, test, count);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace softhccl::bench

int main(int argc, char** argv) { return softhccl::bench::Main(argc, argv); }
