/**
 * @file hcomm_res.h
 * Another spelling of hcomm/hcomm_res.h: sources of different releases include the same header by different paths.
 * The text is in one place; this file only leads there, by a relative path, so that it works with any include
 * directory.
 */
#ifndef ROOT_HCOMM_RES_H_
#define ROOT_HCOMM_RES_H_

#include "hcomm/hcomm_res.h"

#endif  // ROOT_HCOMM_RES_H_
