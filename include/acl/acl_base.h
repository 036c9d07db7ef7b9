/**
 * @file acl_base.h
 * The spelling under which sources ask for the basic types and all error numbers, without any runtime function. It only
 * joins the two headers that hold them.
 */
#ifndef ACL_ACL_BASE_H_
#define ACL_ACL_BASE_H_

#include "acl_base_rt.h"
#include "error_codes/rt_error_codes.h"

#endif  // ACL_ACL_BASE_H_
