// The reductions in plain C++: what every processor runs when nothing better fits it, and what the others are held to.
#include "transport/reduce_elements.h"
#include "transport/reduce_path.h"

namespace softhccl::transport {
namespace {

struct Portable {};

}  // namespace

void FillPortable(ReducePath* path) {
  FillTypes<Portable>(path);
#ifdef __SIZEOF_INT128__
  __extension__ using Signed = __int128;
  __extension__ using Unsigned = unsigned __int128;
  FillType<Portable, Integer<Signed, Unsigned>>(path, DataType::kInt128);
#endif
}

}  // namespace softhccl::transport
