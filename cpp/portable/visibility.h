/* SPDX-License-Identifier: Apache-2.0
 * A stand-in belongs to the library that it is linked into, unless it is the library of stand-ins.
 */
#pragma once

#ifdef WIRECOST_PORTABLE_SHARED
#define STANDS_IN_FOR(name) __asm__(name) __attribute__((visibility("default")))
#else
#define STANDS_IN_FOR(name) __asm__(name) __attribute__((visibility("hidden")))
#endif
