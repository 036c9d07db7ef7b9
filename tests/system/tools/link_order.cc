// What a small program asks of the libraries: three of them, in one process, without an operator. link_order.sh links
// it in every way that users link. With DLOPEN it names no library and finds every function as a plug-in does.
#include <cstdio>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "hccl/hccl_comm.h"

#ifdef DLOPEN
#include <dlfcn.h>

static void* Find(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  return dlsym(handle, name);
}
#define CALL(library, name) (reinterpret_cast<decltype(&(name))>(Find(library, #name)))
#else
#define CALL(library, name) (name)
#endif

int main() {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  uint32_t size = 0;
  if (CALL("libacl_rt.so", aclInit)(nullptr) != ACL_SUCCESS) return 11;
  if (CALL("libascendcl.so", aclrtSetDevice)(0) != ACL_SUCCESS) return 12;
  if (CALL("libhcomm.so", HcclGetRootInfo)(&root) != HCCL_SUCCESS) return 13;
  if (CALL("libhcomm.so", HcclCommInitRootInfo)(1, &root, 0, &comm) != HCCL_SUCCESS) return 14;
  if (CALL("libhcomm.so", HcclGetRankSize)(comm, &size) != HCCL_SUCCESS || size != 1) return 15;
#ifdef COLLECTIVE
  const HcclResult result =
      CALL("libhccl.so", HcclAllReduce)(&size, &size, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, nullptr);
  printf("HcclAllReduce answered %d\n", static_cast<int>(result));
#endif
  if (CALL("libhcomm.so", HcclCommDestroy)(comm) != HCCL_SUCCESS) return 16;
  if (CALL("libacl_rt.so", aclFinalize)() != ACL_SUCCESS) return 17;
  printf("worked\n");
  return 0;
}
