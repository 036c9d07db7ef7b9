/**
 * @file rt_external.h
 * The few functions of the layer below the ACL runtime that operator libraries call. Include this header; the parts
 * have names of their own because foreign sources name them.
 */
#ifndef RUNTIME_RT_EXTERNAL_H_
#define RUNTIME_RT_EXTERNAL_H_

#include "rt_external_base.h"
#include "rt_external_model.h"

#endif  // RUNTIME_RT_EXTERNAL_H_
