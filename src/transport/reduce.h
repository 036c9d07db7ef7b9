// Reductions of the data plane: dst[i] = dst[i] op src[i] for every data type and operator that HCCL names. One table
// answers both questions of the layers above, whether a combination exists and what runs it, so that a write with
// reduce, a local reduce and the size checks before them never disagree.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {

// One combination; lives as long as the process. Any thread.
struct Reduction {
  int data_type;  // HcclDataType, HcommDataType
  ReduceOp op;
  std::size_t element_size;  // bytes
  // dst[i] = dst[i] op src[i] for `count` elements. Neither pointer need be aligned. The ranges are the same or do not
  // overlap. Results depend on the elements alone: not on the processor, the alignment or the position in the range.
  ReduceApply apply;
};

// The reduction of the numbers of HcclDataType and HcclReduceOp. Errors: kInvalidParam for a number that none of the
// enumerations has; kNotSupported for a combination without meaning.
base::Result<const Reduction*> FindReduction(int data_type, int op);

// Bytes per element of a data type. Errors: kInvalidParam for a number that HcclDataType does not have.
base::Result<std::size_t> ElementSize(int data_type);
// "FP32"; empty for a number that HcclDataType does not have.
const char* DataTypeName(int data_type);

}  // namespace softhccl::transport
