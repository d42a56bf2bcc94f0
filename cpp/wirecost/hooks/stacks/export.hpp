// SPDX-License-Identifier: Apache-2.0
#pragma once

#define EXPORTED extern "C" __attribute__((visibility("default")))
