/**
 * @file securectype.h
 * Types, limits and error numbers of the bounds-checked memory and string functions of securec.h, in a header of their
 * own as sources include it alone. The limits are a guard against lengths that were negative before they became
 * unsigned.
 */
#ifndef SECURECTYPE_H_
#define SECURECTYPE_H_

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif

/** Result of a checked function: EOK or a number of errno.h, with _AND_RESET where the destination was cleared. */
typedef int errno_t;

/* Largest destination, in bytes. */
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#define SECUREC_STRING_MAX_LEN 0x7fffffffUL

/* The error was found and the destination was cleared: memory to zeros, text to the empty string. */
#define EINVAL_AND_RESET 150
#define ERANGE_AND_RESET 162
#define EOVERLAP_AND_RESET 182

#endif  // SECURECTYPE_H_
