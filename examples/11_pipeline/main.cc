// A pipeline of stages with the point-to-point operator, as in pipelined training: rank r receives a micro-batch from
// rank r - 1, works on it (adds r + 1 to every element), and sends it on; the last rank checks. Sends and receives of a
// rank are on streams of their own, so that it can receive the next batch while the last one is still being sent.
// Usage: pipeline [micro-batches [elements]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"
#include "hccl_custom_p2p.h"

namespace {

bool Succeeded(uint32_t rank, const char* call, int code) {
  if (code != 0) {
    fprintf(stderr, "rank %u, %s failed with %d\n", rank, call, code);
  }
  return code == 0;
}

#define CHECK(rank, call)                                  \
  do {                                                     \
    if (!Succeeded(rank, #call, static_cast<int>(call))) { \
      return false;                                        \
    }                                                      \
  } while (0)

struct Job {
  uint32_t stages;
  uint32_t batches;
  uint64_t count;
  HcclRootInfo rootInfo;
};

// What the first stage starts with, and what the stages up to `stage` have added to it.
float Start(uint32_t batch, uint64_t index) { return static_cast<float>(batch * 1000 + index % 100); }
float Added(uint32_t stage) { return static_cast<float>((stage + 1) * (stage + 2) / 2); }

// Two buffers in turn: while one is being sent, the next batch is received into the other.
struct Stage {
  uint32_t rank;
  HcclComm comm = nullptr;
  aclrtStream receiving = nullptr;
  aclrtStream sending = nullptr;
  float* buffers[2] = {nullptr, nullptr};
};

bool WorkOn(const Job& job, const Stage& stage, uint32_t batch, float* data) {
  std::vector<float> values(job.count);
  const size_t bytes = job.count * sizeof(float);
  CHECK(stage.rank, aclrtMemcpy(values.data(), bytes, data, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  for (uint64_t i = 0; i < job.count; ++i) {
    const float value = stage.rank == 0 ? Start(batch, i) : values[i];
    values[i] = value + static_cast<float>(stage.rank + 1);
  }
  CHECK(stage.rank, aclrtMemcpy(data, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  if (stage.rank + 1 < job.stages) {
    return true;
  }
  for (uint64_t i = 0; i < job.count; ++i) {
    const float expected = Start(batch, i) + Added(stage.rank);
    if (values[i] != expected) {
      fprintf(stderr, "batch %u, element %llu is %g, expected %g\n", batch, static_cast<unsigned long long>(i),
              static_cast<double>(values[i]), static_cast<double>(expected));
      return false;
    }
  }
  return true;
}

bool RunBatches(const Job& job, const Stage& stage) {
  for (uint32_t batch = 0; batch < job.batches; ++batch) {
    float* const data = stage.buffers[batch % 2];
    if (batch >= 2) {  // what was sent from this buffer must have left it
      CHECK(stage.rank, aclrtSynchronizeStream(stage.sending));
    }
    if (stage.rank > 0) {
      CHECK(stage.rank,
            HcclRecvCustom(data, job.count, HCCL_DATA_TYPE_FP32, stage.rank - 1, stage.comm, stage.receiving));
      CHECK(stage.rank, aclrtSynchronizeStream(stage.receiving));
    }
    if (!WorkOn(job, stage, batch, data)) {
      return false;
    }
    if (stage.rank + 1 < job.stages) {
      CHECK(stage.rank,
            HcclSendCustom(data, job.count, HCCL_DATA_TYPE_FP32, stage.rank + 1, stage.comm, stage.sending));
    }
  }
  CHECK(stage.rank, aclrtSynchronizeStream(stage.sending));
  return true;
}

bool RunStage(const Job& job, uint32_t rank) {
  Stage stage;
  stage.rank = rank;
  CHECK(rank, aclrtSetDevice(static_cast<int32_t>(rank)));
  CHECK(rank, HcclCommInitRootInfo(job.stages, &job.rootInfo, rank, &stage.comm));
  CHECK(rank, aclrtCreateStream(&stage.receiving));
  CHECK(rank, aclrtCreateStream(&stage.sending));
  for (float*& buffer : stage.buffers) {
    void* memory = nullptr;
    CHECK(rank, aclrtMalloc(&memory, job.count * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    buffer = static_cast<float*>(memory);
  }
  const bool isRight = RunBatches(job, stage);
  CHECK(rank, HcclCommDestroy(stage.comm));
  for (float* buffer : stage.buffers) {
    CHECK(rank, aclrtFree(buffer));
  }
  CHECK(rank, aclrtDestroyStream(stage.receiving));
  CHECK(rank, aclrtDestroyStream(stage.sending));
  CHECK(rank, aclrtResetDevice(static_cast<int32_t>(rank)));
  return isRight;
}

bool RunStages(Job* job) {
  if (!Succeeded(0, "HcclGetRootInfo", static_cast<int>(HcclGetRootInfo(&job->rootInfo)))) {
    return false;
  }
  std::vector<char> isRight(job->stages, 0);
  std::vector<std::thread> stages;
  for (uint32_t rank = 0; rank < job->stages; ++rank) {
    stages.emplace_back([&, rank] { isRight[rank] = RunStage(*job, rank) ? 1 : 0; });
  }
  for (std::thread& stage : stages) {
    stage.join();
  }
  bool isAllRight = true;
  for (const char one : isRight) {
    isAllRight = isAllRight && one != 0;
  }
  printf("pipeline of %u stages, %u micro-batches of %llu elements: %s\n", job->stages, job->batches,
         static_cast<unsigned long long>(job->count), isAllRight ? "right" : "WRONG");
  return isAllRight;
}

}  // namespace

int main(int argc, char** argv) {
  Job job = {};
  job.batches = argc > 1 ? static_cast<uint32_t>(atoi(argv[1])) : 8;
  job.count = argc > 2 ? static_cast<uint64_t>(atoll(argv[2])) : 4096;
  if (job.batches == 0 || job.count == 0) {
    fprintf(stderr, "usage: pipeline [micro-batches [elements]], both at least 1\n");
    return 2;
  }
  uint32_t devices = 0;
  if (!Succeeded(0, "aclInit", aclInit(nullptr)) ||
      !Succeeded(0, "aclrtGetDeviceCount", aclrtGetDeviceCount(&devices)) ||
      !Succeeded(0, "aclrtSetDevice", aclrtSetDevice(0))) {
    return 1;
  }
  bool isRight = true;
  for (job.stages = 1; job.stages <= devices && job.stages <= 16; ++job.stages) {
    isRight = RunStages(&job) && isRight;
  }
  isRight = Succeeded(0, "aclrtResetDevice", aclrtResetDevice(0)) && isRight;
  isRight = Succeeded(0, "aclFinalize", aclFinalize()) && isRight;
  return isRight ? 0 : 1;
}
