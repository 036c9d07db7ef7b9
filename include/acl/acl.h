/**
 * @file acl.h
 * The header that a program of the ACL interface includes. It brings the runtime: devices, streams, notifies, memory
 * and kernels. The operator and model parts of the vendor's umbrella header are not there, because SoftHCCL does not
 * run them.
 */
#ifndef ACL_ACL_H_
#define ACL_ACL_H_

#include "acl_rt.h"

#endif  // ACL_ACL_H_
