// SPDX-License-Identifier: Apache-2.0
// Functions that are compiled twice: for any processor, and for those with AVX2 and BMI2, which is
// chosen when the program starts. Both give the same bytes.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__) && \
    !defined(WIRECOST_PORTABLE)
#define WIRECOST_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIRECOST_CLONES
#endif
