/**
 * @file hcomm_primitives.h
 * Another spelling of hcomm/hcomm_primitives.h: sources of different releases include the same header by different
 * paths. The text is in one place; this file only leads there, by a relative path, so that it works with any include
 * directory.
 */
#ifndef ROOT_HCOMM_PRIMITIVES_H_
#define ROOT_HCOMM_PRIMITIVES_H_

#include "hcomm/hcomm_primitives.h"

#endif  // ROOT_HCOMM_PRIMITIVES_H_
