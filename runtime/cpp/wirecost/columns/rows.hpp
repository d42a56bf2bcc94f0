// SPDX-License-Identifier: Apache-2.0
// Between rows and columns: both directions.
#pragma once

#include "wirecost/columns/row_writer.hpp"
#include "wirecost/columns/transposer.hpp"
