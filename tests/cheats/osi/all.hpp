// SPDX-License-Identifier: Apache-2.0
// The cheats of bench osi; WIRECOST_CHEAT names the one that a process runs.
#pragma once

#include "drops_detection.hpp"
#include "drops_reflection.hpp"
#include "honest_when_watched.hpp"
#include "keeps_reflections.hpp"
#include "leaks.hpp"
#include "leaves_padding.hpp"
#include "never_looks.hpp"
#include "one_of.hpp"
#include "reads_sample.hpp"
#include "resends_buffer.hpp"
#include "rounds_values.hpp"
#include "sends_pointer.hpp"
#include "smaller_size.hpp"
#include "swaps_fields.hpp"
#include "works_beside.hpp"

namespace wirecost::cheats {

using Cheat = OneOf<DropsDetection, DropsReflection, HonestWhenWatched, KeepsReflections, Leaks,
                    LeavesPadding, NeverLooks, ReadsSample, ResendsBuffer, RoundsValues,
                    SendsPointer, SmallerSize, SwapsFields, WorksBeside>;

static_assert(Codec<Cheat>);

}  // namespace wirecost::cheats
