// SPDX-License-Identifier: Apache-2.0
// Programs that were built with clang's -fxray-instrument: their functions have places for calls of
// a handler, which the runtime library in the program fills.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elf_functions.hpp"
#include "reported_calls.hpp"

namespace wirecost::function {

/// Has the calls of these functions of the program, loaded at `base`, reported; an empty text, or
/// why not. `without`: how many of them have no place for it.
std::string patch_sleds(const ElfFile& program, std::uintptr_t base,
                        const std::vector<Reported>& asked, std::size_t& without);

}  // namespace wirecost::function
