// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "wirecost/arrow/abi.hpp"
#include "wirecost/arrow/batch.hpp"

namespace wirecost::arrow {

/// Writes the type of a plan's rows: a structure, whose points alone can be absent.
void export_schema(const Plan& plan, ArrowSchema& into);

/// Writes rows, which share the memory of the batch; only booleans are packed anew.
void export_array(const std::shared_ptr<const Batch>& batch, ArrowArray& into);

}  // namespace wirecost::arrow
