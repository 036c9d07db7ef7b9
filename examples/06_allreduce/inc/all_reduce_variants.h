// The algorithms between which the host chooses and which the kernel runs.
#ifndef HCCL_CUSTOM_ALL_REDUCE_VARIANTS_H
#define HCCL_CUSTOM_ALL_REDUCE_VARIANTS_H

#include <stdint.h>

namespace hccl_custom {

constexpr uint32_t ALL_REDUCE_ONE_SHOT = 0;
constexpr uint32_t ALL_REDUCE_RING = 1;

}  // namespace hccl_custom

#endif  // HCCL_CUSTOM_ALL_REDUCE_VARIANTS_H
