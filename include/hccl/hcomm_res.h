/**
 * @file hcomm_res.h
 * Another spelling of hcomm/hcomm_res.h: sources of different releases include the same header by different paths.
 * The text is in one place; this file only leads there, by a relative path, so that it works with any include
 * directory.
 */
#ifndef HCCL_HCOMM_RES_H_
#define HCCL_HCOMM_RES_H_

#include "../hcomm/hcomm_res.h"

#endif  // HCCL_HCOMM_RES_H_
