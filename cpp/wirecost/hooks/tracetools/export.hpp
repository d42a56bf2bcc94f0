// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the loader may find; all else of the library is hidden.
#define WIRECOST_EXPORT __attribute__((visibility("default")))
